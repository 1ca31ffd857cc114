/** crm_compute_lead_to_book: which share of new contacts booked an appointment. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { appointmentsOf, startingIn } from "./_appointments.ts";
import { bookingsOf, newContacts } from "./_leads.ts";
import { countBy } from "./_numbers.ts";
import { answer, begin } from "./_read.ts";
import { checkWindow } from "./_window.ts";

/** How far ahead an appointment may lie that was booked in the window. */
const AHEAD_MS = 60 * 24 * 60 * 60_000;

export default tool("crm_compute_lead_to_book", {
  check: (args, ctx) => checkWindow(args, ctx.now()),
  async run({ max_contacts = 2000, ...args }, ctx) {
    const reading = await begin(ctx, { ...args, otherwise: LIMITS.CRM_WINDOW_DAYS });
    const { days } = reading;
    const { rows, sampling } = await newContacts(reading, max_contacts);
    const booked = await appointmentsOf(reading, undefined, days.to + AHEAD_MS);
    const inWindow = startingIn(booked.rows, days);
    reading.notes.push(
      "A booking counts where its appointment begins in the window or within 60 days after it; cancelled ones count too",
    );
    return answer(reading, {
      ...bookingsOf(rows, booked.rows, days.to),
      appointments_in_window: {
        total: inWindow.length,
        by_status: countBy(inWindow, ({ status }) => status),
      },
      sampling,
      truncated: sampling.truncated || !booked.complete,
    });
  },
});
