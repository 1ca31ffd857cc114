/** Pages of the CRM that end too early, come round again or never end: an answer never looks whole, and never hangs. */
import assert from "node:assert/strict";
import { seeded } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Answer, type Args, CrmWorld } from "./_crm.ts";

const LOCATION = "loc-of-odd-pages";
/** Days that are over, so that nothing but what is left out keeps an answer from being complete. */
const WINDOW = { start_at: "2026-10-25", end_at: "2026-11-19" };
type Json = Record<string, unknown>;
interface Compared {
  readonly change: unknown;
  readonly notes: readonly string[];
}

/** A location whose answers are changed on their way: those of that path, each with its number, from 1 on. */
async function changed(path: string, change: (json: Json, at: number) => void): Promise<CrmWorld> {
  let at = 0;
  const altered: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (new URL(String(input)).pathname !== path) return response;
    const json = await response.json();
    change(json, ++at);
    return Response.json(json);
  };
  const world = seeded(LOCATION, NOW, { seed: 3 });
  return await CrmWorld.open({ crm: { world, unruly: { page_max: 10 } }, fetch: altered });
}

/** Asserts that it is said of the answer that something is missing. */
function assertLacks(found: Answer, says: RegExp): void {
  assert.equal(found["complete"], false);
  assert.ok(found.notes.some((note) => says.test(note)), JSON.stringify(found.notes));
  const { change } = (found["compare"] ?? { change: null }) as { change: unknown };
  assert.equal(change, null, "nothing is held against what is not whole");
}

Deno.test("a next page of submissions that is no later one is none, instead of being asked for without an end", async () => {
  const again = (json: Json) => void ((json["meta"] as Json)["nextPage"] = 1);
  await using at = await changed("/forms/submissions", again);
  const within = { start_at: "2026-11-01T06:00:00Z", end_at: "2026-11-19T15:00:00Z", limit: 5 };
  const found = await at.ask("forms_get-submissions", within);
  assert.equal(found["next_page"], null);
  assert.equal(found["truncated"], true);
  assertLacks(found, /^The CRM counts \d+ form submissions, but names no page behind/);
});

Deno.test("submissions that a cut day may hold outside of the window are not counted as if they were all seen", async () => {
  // What is compared ends at noon there, as today does here, so that the days have to be looked into.
  const short = (json: Json) => void Object.assign(json["meta"] as Json, { nextPage: null, total: 500 });
  await using at = await changed("/forms/submissions", short);
  const args: Args = { days: 3, compare: "previous_period" };
  const { compare } = await at.ask("crm_compute_opt_in_rate", args) as unknown as { compare: Compared };
  assert.equal(compare.change, null);
  assert.ok(compare.notes.some((note) => note.startsWith("The CRM counts 500 form submissions, but")));
});

const EXPORT = "/conversations/messages/export";
const COMPARED: Args = { ...WINDOW, compare: "previous_period" };

Deno.test("pages of messages that end before the CRM's count, or lead back to the first, are not reported as all there are", async () => {
  const first: Json[] = [];
  const ways: Readonly<Record<string, (json: Json) => void>> = {
    "the first page again": (json) => void Object.assign(json, first[0] ??= structuredClone(json)),
    "no cursor": (json) => void (json["nextCursor"] = null),
    "an empty page": (json) =>
      void (first.push(json) > 1 && Object.assign(json, { messages: [], nextCursor: null })),
  };
  for (const change of Object.values(ways)) {
    for (const tool of ["crm_compute_sms_stats", "crm_compute_missed_call_textback"]) {
      first.length = 0;
      await using at = await changed(EXPORT, change);
      const said = /^The CRM counts \d+ (SMS|calls), but its pages held \d+ different ones/;
      assertLacks(await at.ask(tool, COMPARED), said);
    }
  }
});

Deno.test("pages of messages that come round again where the CRM counts nothing are not reported as all there are", async () => {
  let first: Json | null = null;
  await using at = await changed(EXPORT, (json) => {
    delete json["total"];
    Object.assign(json, first ??= structuredClone(json));
  });
  assertLacks(
    await at.ask("crm_compute_sms_stats", COMPARED),
    /^The CRM's pages of SMS came round again: what stands behind them is left out/,
  );
});

Deno.test("payments that no page holds are missing in the answer, and in the baseline", async () => {
  const empty = (json: Json, page: number) => void (page % 2 === 0 && (json["data"] = []));
  for (
    const [tool, args] of [["crm_compute_revenue_stats", COMPARED], ["crm_bootstrap_baseline", {
      month: "2026-10",
    }]] as const
  ) {
    await using at = await changed("/payments/transactions", empty);
    assertLacks(await at.ask(tool, args), /The CRM counts \d+ payments, but its pages held \d+/);
  }
});

Deno.test("contacts without a cursor are a part of those that are idle", async () => {
  await using at = await changed("/contacts/search", (json) => {
    for (const one of json["contacts"] as Json[]) delete one["searchAfter"];
  });
  const found = await at.ask("crm_compute_reactivation_candidates", { idle_days: 5, limit: 500 });
  assert.equal(found["truncated"], true);
  assertLacks(found, /^The \d+ that are idle longest are listed, of \d+$/);
});

Deno.test("a calendar or a pipeline that cannot be read is missing, and its rows are nobody's", async () => {
  const broken = (name: string) => (json: Json) => void ((json[name] as unknown[])[0] = ["no object"]);
  await using calendars = await changed("/calendars/", broken("calendars"));
  const said = /^1 calendar could not be read and is left out$/;
  for (const tool of ["crm_compute_no_show_rate", "crm_compute_lead_to_book"]) {
    assertLacks(await calendars.ask(tool, COMPARED), said);
  }
  await using pipelines = await changed("/opportunities/pipelines", broken("pipelines"));
  assertLacks(
    await pipelines.ask("crm_compute_pipeline_funnel", COMPARED),
    /^1 row of the pipelines could not be read and is left out$/,
  );
});

Deno.test("two windows are not held against each other where pages ended before the CRM's count", async () => {
  await using at = await changed("/opportunities/search", (json, page) => {
    if (page > 1) json["opportunities"] = [];
  });
  const found = await at.ask("crm_compute_window_compare") as unknown as {
    prior: { opportunities: number | null; incomplete: string | null };
    delta: Record<string, { abs: number | null }>;
  };
  assert.equal(found.prior.opportunities, null);
  assert.match(found.prior.incomplete!, /because the CRM's pages came to their end before/);
  assert.ok(Object.values(found.delta).every(({ abs }) => abs === null));
});
