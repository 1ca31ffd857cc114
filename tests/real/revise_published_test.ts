/** On a real WordPress with the companion plugin: what is live is changed in one guarded write, and nothing beside it. */
import assert from "node:assert/strict";
import { fixture, PLUGIN } from "../companion/site.ts";
import { fields, refused, revising, typo } from "./_revise.ts";
import { onWordPress } from "./_wordpress.ts";

onWordPress({
  "a typo in what is live changes that text alone, and goes back to the byte": typo,
  "every field of what is live changes its own rows alone, and goes back": fields,
  "what a person did meanwhile, and what is not live, is refused, and no row is another": (site) =>
    refused(site, true),

  async "a change of what is live is one guarded write"(site) {
    await using revise = await revising(site);
    const { at, written } = revise;
    const id = await at.ask.draft("admin", { title: "Guarded", content: "<p>Old</p>", status: "publish" });
    const args = { site_id: "whole", post_id: id, title: "Corrected", confirm: true };
    await at.kit.gw.call("revise_published", args);
    assert.deepEqual(written, [`/wp-json/site-ops/v1/guarded/posts/${id}`]);
  },
}, { plugins: [PLUGIN, fixture("dump")] });
