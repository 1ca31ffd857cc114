/** What visitors get of SEO, by stand-ins of the plugins: the table of cases that `deno task real-plugins` runs on real ones. */
import { LIVE_CASES, LIVE_PROVIDERS, readyLive } from "./_seo_live.ts";
import { onProvider, type RealSeo } from "./_seo.ts";

for (const provider of LIVE_PROVIDERS) {
  const cases = LIVE_CASES.filter(({ on }) => on.includes(provider)).map(({ name, run }) =>
    [name, async (at: RealSeo) => {
      await readyLive(at, provider);
      await run(at, provider);
    }] as const
  );
  onProvider(provider, Object.fromEntries(cases));
}
