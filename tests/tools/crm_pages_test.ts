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
