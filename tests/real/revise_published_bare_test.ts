/** On a real WordPress without the companion plugin: what is live is changed by WordPress's own route, and nothing beside it. */
import { fixture } from "../companion/site.ts";
import { fields, refused, typo } from "./_revise.ts";
import { onWordPress } from "./_wordpress.ts";

onWordPress({
  "without the plugin a typo in what is live changes that text alone, and goes back to the byte": typo,
  "without the plugin every field of what is live changes its own rows alone, and goes back": fields,
  "without the plugin what a person did meanwhile, and what is not live, is refused": (site) =>
    refused(site, false),
}, { plugins: [fixture("dump")] });
