/** crm_compute_reactivation_candidates: contacts whose record nobody touched for long. */
import { shownAt } from "../../platforms/highlevel/days.ts";
import { tool } from "../../registry/tool.ts";
import { isShort, noteDropped, open, timeless } from "./_read.ts";

const DAY_MS = 24 * 60 * 60_000;
const IDLENESS = "Idle means that the contact's record was not updated: the CRM reports no last activity";

export default tool("crm_compute_reactivation_candidates", {
  async run({ idle_days = 90, tag, limit = 50 }, ctx) {
    const call = await open(ctx);
    const { client, now, notes } = call;
    const location = await client.location();
    const cutoff = now - idle_days * DAY_MS;
    const filters = [
      { field: "dateUpdated", operator: "range", value: { lte: new Date(cutoff).toISOString() } } as const,
      ...(tag === undefined ? [] : [{ field: "tags", operator: "eq", value: tag } as const]),
    ];
    const found = await client.contacts(filters, { field: "dateUpdated", direction: "asc" }, limit);
    const contacts = found.rows.flatMap(({ id, name, email, phone, tags, updated_at }) =>
      updated_at === null || updated_at > cutoff ? [] : [{
        id,
        name,
        email,
        phone,
        tags,
        date_updated: new Date(updated_at).toISOString(),
        idle_days: Math.floor((now - updated_at) / DAY_MS),
      }]
    );
    const left = found.rows.length - contacts.length;
    notes.say(IDLENESS);
    if (left > 0) notes.lack(`${left} without a usable date of update left out`);
    noteDropped(notes, found.dropped, "contact");
    const truncated = !found.complete || isShort(found);
    if (truncated) {
      notes.lack(`The ${contacts.length} that are idle longest are listed, of ${found.total ?? "more"}`);
    }
    if (location.note !== null) notes.say(location.note);
    return timeless(call, {
      window: {
        start_at: null,
        end_at: shownAt(cutoff, location.timezone),
        days: idle_days,
        timezone: location.timezone,
      },
      total: found.total,
      contacts,
      sampling: { limit, examined: found.rows.length, truncated },
    }, { truncated });
  },
});
