/** A process that carries a set out is cut off after each of its steps: what goes on with it does the rest, once. */
import assert from "node:assert/strict";
import { create, rename, SetWorld, statesOf, type Told } from "../sets_kit.ts";

/** A lease, the time after which a writer is silent, and the minute of a call. */
const LATER_MS = 130_000;
/** More than a set of three items takes. */
const STEPS_MAX = 400;

const CHANGES = [create("a", "One"), rename("a", { $from: 1 }, "Renamed"), create("b", "Two")];
const MARKS = ["One", "Renamed", "Two"] as const;

/** One run of which an instance is cut off after so many steps; answers whether it was. */
async function cutAfter(steps: number, atOnce: boolean): Promise<boolean> {
  await using at = await SetWorld.open({ instances: 2 });
  const { confirmed, shown } = await at.shown(CHANGES);
  const [one, other] = [at.one, at.other];
  one.life.left = steps;
  const first = Promise.race([at.end("prepare_changes", confirmed, { by: one }), one.life.cut]);
  const second = atOnce ? at.end("prepare_changes", { ...confirmed, wait_seconds: 0 }, { by: other }) : null;
  await Promise.all([first, second]);
  const wasCut = one.life.isOver;
  one.life.left = Infinity;
  const say = `after ${steps} steps${atOnce ? ", both at once" : ""}`;
  if (wasCut) {
    await other.kit.gateway.setsAtRest(); // what it has under way would run out of its time
    at.later(LATER_MS);
    const { set_id } = shown;
    const before = await at.call("get_change_set", { set_id }, { by: other });
    const states = ["prepared", "interrupted", "ended", ...atOnce ? ["running"] : []];
    assert.ok(states.includes(before.state), `${say}: ${before.state}`);
  }
  // A token whose call was cut off before the set was begun serves no more, and then nothing was done.
  const ending = await at.end("prepare_changes", confirmed, { by: other });
  const sent = MARKS.map((mark) => at.writes.filter(({ body }) => body.includes(mark)).length);
  assert.ok(sent.every((count) => count <= 1), `${say}: sent ${sent}`);
  if ("code" in ending) {
    assert.deepEqual([ending.code, sent], ["E_CONFIRM_INVALID", [0, 0, 0]], `${say}: ${ending.message}`);
    return wasCut;
  }
  const told = ending.value as Told;
  assert.equal(told.state, "ended", say);
  const stands = (title: string) =>
    [...at.cms.values()].some(({ posts }) => [...posts.values()].some((post) => post.title === title));
  for (const [n, state] of statesOf(told).entries()) {
    const what = `${say}: ${JSON.stringify(told.items[n])}`;
    assert.notEqual(state, "failed", what);
    if (state === "done") assert.equal(sent[n], 1, what);
    if (state === "not_begun") assert.equal(sent[n], 0, what);
    if (state === "unknown") assert.ok(wasCut && told.items[n]!.request_id, what);
  }
  if (statesOf(told)[1] === "done") assert.ok(stands("Renamed"), say);
  if (!wasCut) assert.deepEqual(told.counts, { done: 3 }, say);
  return wasCut;
}

/** A process that is cut off leaves behind what it waited for. */
const LEFT_BEHIND = { sanitizeOps: false, sanitizeResources: false };

for (const atOnce of [false, true]) {
  Deno.test(
    `cut off after each step${
      atOnce ? " while both instances were asked" : ""
    }: each item once at most, and all that is told of it is true`,
    LEFT_BEHIND,
    async () => {
      let steps = 0;
      // Most of all in the first twenty, in which the set is begun.
      for (; steps < STEPS_MAX; steps += steps < 20 ? 2 : 5) if (!await cutAfter(steps, atOnce)) break;
      assert.ok(steps > 60 && steps < STEPS_MAX, `${steps} steps`);
    },
  );
}
