/** Any order of calls, confirmations, people's edits, broken connections and killed gateways at a real WordPress, all its rows looked at. */
import assert from "node:assert/strict";
import { fixture, PLUGIN } from "../companion/site.ts";
import { Play } from "../sequences.ts";
import { playSeeds } from "../sequences_steps.ts";
import { readied, WordPressGround } from "./_sequences.ts";
import { onWordPress } from "./_wordpress.ts";

onWordPress({
  async "whatever callers and people do in any order, each call changes what it showed, once, or nothing"(
    site,
  ) {
    await using at = await readied(site);
    let scenes = 0;
    const counts = await playSeeds(
      { runs: 3, steps: 16, troubled: 0.35 },
      async (steps, told) =>
        (await Play.of(await WordPressGround.on(at, "rankmath", ++scenes), steps, told)).counts,
    );
    for (const what of ["show", "write", "confirm", "person", "undo"]) assert.ok(counts[what]! > 0, what);
    assert.ok(counts["= undo_change writes done"]! > 0, JSON.stringify(counts));
  },
}, {
  plugins: [
    PLUGIN,
    ...["dump", "peek", "rankmath-standin", "publishing-tools", "hold-acts"].map(fixture),
  ],
});
