/** What visitors get of kept pages, by a stand-in of a page cache: the table that `deno task real-plugins` runs on real ones. */
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { fixture } from "../companion/site.ts";
import { CACHE_CASES, cachedSite, openCached, STAND_IN } from "./_cache_live.ts";
import { ignore, on } from "./_wordpress.ts";

let site: CmsSandbox | undefined;
Deno.test.beforeAll(async () => {
  if (!ignore) site = await cachedSite(STAND_IN, fixture("pagecache-standin"));
});
Deno.test.afterAll(async () => await site?.stop());

for (const { name, run } of CACHE_CASES) {
  Deno.test({
    name: `on ${on}: ${name}`,
    ignore,
    fn: async () => {
      await using at = await openCached(site!);
      await run(at, STAND_IN);
    },
  });
}
