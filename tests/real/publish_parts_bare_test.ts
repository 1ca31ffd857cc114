/** On a real WordPress without the companion plugin: what REST shows of a post that goes live is part of what was approved. */
import { schemaSites } from "./_schema.ts";
import { approved } from "./_publish.ts";
import { onWordPress, Real } from "./_wordpress.ts";

onWordPress({
  async "without the companion plugin too what goes live beside its text is part of what was approved"(site) {
    await using at = await Real.open(site, { sites: schemaSites(site) });
    await approved(at);
  },
});
