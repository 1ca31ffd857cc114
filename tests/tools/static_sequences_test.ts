/** Any order of calls, confirmations, people's pushes, broken connections and killed gateways at a repository: nothing is done twice, unseen or over a person's work. */
import assert from "node:assert/strict";
import { Play } from "../sequences.ts";
import { playSeeds } from "../sequences_steps.ts";
import { StaticGround } from "./_static_sequences.ts";

Deno.test("whatever callers and people do at a repository in any order, each call changes what it showed, once, or nothing", async () => {
  const counts = await playSeeds({ runs: 5, steps: 20, troubled: 0.3 }, async (steps, told) => {
    await using ground = await StaticGround.open();
    return (await Play.of(ground, steps, told)).counts;
  });
  for (const what of ["show", "write", "confirm", "person", "undo"]) assert.ok(counts[what]! > 0, what);
  assert.ok(counts["= undo_change writes done"]! > 0, JSON.stringify(counts));
});
