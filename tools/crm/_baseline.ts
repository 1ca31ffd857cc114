/** The baseline: a report of a location for its owner, each part read by itself. */
import { LIMITS } from "../../core/model.ts";
import { GatewayError } from "../../core/errors.ts";
import { FUNNEL_REQUESTS_MAX } from "../../platforms/highlevel/budget.ts";
import { noShows } from "./_appointments.ts";
import { heading, type Part, PARTS } from "./_markdown.ts";
import { pipelineFunnel } from "./_pipeline.ts";
import type { Reading } from "./_read.ts";
import { revenueStats } from "./_revenue.ts";
import { smsStats } from "./_sms.ts";
import { tagHygiene } from "./_tags.ts";

/** The order in which parts are read: what costs few requests first, so that samples get what is left. */
const ORDER = [
  "forms",
  "pipeline",
  "revenue",
  "appointments",
  "sms",
  "tags",
] as const satisfies readonly Part[];
/** The most requests of a part, so that a location with 40 calendars is read whole; the last two share what is left. */
const REQUESTS: Readonly<Record<Part, number>> = {
  forms: 1,
  pipeline: 16,
  revenue: 8,
  appointments: 50,
  sms: 51,
  tags: 51,
};

interface Section {
  readonly name: Part;
  readonly ok: boolean;
  readonly markdown: string;
}

/** Reads what a part is made of. */
async function read(part: Part, reading: Reading, requests: number): Promise<object> {
  const { client, days, notes } = reading;
  switch (part) {
    case "forms": {
      const { first, last } = days;
      return { total: (await client.submissions({ first, last, limit: 1, page: 1 })).total };
    }
    case "pipeline":
      return await pipelineFunnel(reading);
    case "revenue":
      return await revenueStats(reading);
    case "appointments":
      return await noShows(reading);
    case "sms":
      return await smsStats(reading, Math.max(1, requests - 1), "a baseline takes a sample");
    case "tags":
      return await tagHygiene(
        client,
        notes,
        LIMITS.CRM_TAG_USES_MIN,
        0,
        Math.max(1, Math.min(50, requests - 1)),
      );
  }
}

/** The report, its parts in the order a reader wants. Throws what the first part threw where every one failed. */
export async function baselineOf(reading: Reading) {
  const { client, location, days, notes } = reading;
  const sections = new Map<Part, Section>();
  const failures: GatewayError[] = [];
  let left = FUNNEL_REQUESTS_MAX - client.budget.used;
  for (const name of ORDER) {
    const requests = Math.max(0, Math.min(REQUESTS[name], left));
    const own = { ...reading, client: client.within(requests), notes: [] as string[] };
    try {
      const found = await read(name, own, requests);
      sections.set(name, { name, ok: true, markdown: PARTS[name].render(found as never, own.notes) });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
      failures.push(thrown);
      own.notes.push(`The part could not be read: ${thrown.message}`);
      sections.set(name, { name, ok: false, markdown: PARTS[name].failed });
    }
    left -= own.client.budget.used;
    notes.push(...own.notes.map((note) => `${PARTS[name].title}: ${note}`));
  }
  if (failures.length === ORDER.length) throw failures[0];
  const inOrder = (Object.keys(PARTS) as Part[]).map((name) => sections.get(name)!);
  return {
    markdown: [heading(location, days), ...inOrder.map(({ markdown }) => markdown)].join("\n\n") + "\n",
    suggested_file: "baseline.md",
    sections: inOrder.map(({ name, ok }) => ({ name, title: PARTS[name].title, ok })),
  };
}
