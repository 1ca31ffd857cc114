/** `deno task real-plugins <folder>`: the tables of cases of SEO and of page caches against the plugins of a folder on a disk. */
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { startWordPress } from "../wordpress.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { CACHE_CASES, cachedSite, openCached, PAGE_CACHES } from "./_cache_live.ts";
import { LIVE_CASES, readyLive } from "./_seo_live.ts";
import { LIVE_PROVIDERS, type LiveProvider } from "./_seo_live_site.ts";
import { RealSeo } from "./_seo.ts";

/** The main file of each plugin. */
const MAIN: Readonly<Record<LiveProvider, string>> = {
  yoast: "wp-seo.php",
  rankmath: "rank-math.php",
  seopress: "seopress.php",
};

const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then(({ isFile }) => isFile, () => false);
}

async function pluginIn(folder: string, main: string): Promise<string | null> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory && await isFile(`${folder}/${name}/${main}`)) return `${folder}/${name}`;
  }
  return null;
}

/** A site with the plugin, readied. */
async function siteWith(provider: LiveProvider, plugin: string): Promise<RealSeo> {
  const site: CmsSandbox = await startWordPress({ plugins: [PLUGIN, fixture("peek"), plugin] });
  try {
    const at = await RealSeo.open(site);
    await readyLive(at, provider);
    return at;
  } catch (thrown) {
    await site.stop();
    throw thrown;
  }
}

/** What is tried of a plugin: its name, its main file, how its site begins, and the cases. */
interface Tried {
  readonly name: string;
  readonly main: string;
  start(folder: string): Promise<RealSeo>;
  readonly cases: readonly { readonly name: string; run(at: RealSeo): Promise<void> }[];
}

const TRIED: readonly Tried[] = [
  ...LIVE_PROVIDERS.map((provider) => ({
    name: provider,
    main: MAIN[provider],
    start: (folder: string) => siteWith(provider, folder),
    cases: LIVE_CASES.filter(({ on }) => on.includes(provider)).map(({ name, run }) => ({
      name,
      run: (at: RealSeo) => run(at, provider),
    })),
  })),
  ...PAGE_CACHES.map((cache) => ({
    name: cache.name,
    main: cache.main,
    start: async (folder: string) => await openCached(await cachedSite(cache, folder)),
    cases: CACHE_CASES.map(({ name, run }) => ({ name, run: (at: RealSeo) => run(at, cache) })),
  })),
];

const reasonOf = (thrown: unknown) => thrown instanceof Error ? thrown.message : String(thrown);

/** Runs every case of a plugin, a line each; answers how many failed. */
async function runAll({ name: plugin, start, cases }: Tried, folder: string): Promise<number> {
  const found = await start(folder).catch(reasonOf);
  if (typeof found === "string") {
    say(`FAILED  ${plugin}: it does not run on this WordPress\n${found}`);
    return 1;
  }
  await using _ = found.site;
  await using at = found;
  let failed = 0;
  for (const { name, run } of cases) {
    try {
      await run(at);
      say(`ok      ${plugin}: ${name}`);
    } catch (thrown) {
      failed++;
      say(`FAILED  ${plugin}: ${name}\n${reasonOf(thrown)}`);
    }
  }
  return failed;
}

if (import.meta.main) {
  const [folder, ...rest] = Deno.args;
  if (folder === undefined || rest.length > 0) {
    say(
      "Name one folder that holds the plugins, each in a folder of its own: deno task real-plugins <folder>",
    );
    Deno.exit(2);
  }
  let [found, failed] = [0, 0];
  for (const tried of TRIED) {
    const plugin = await pluginIn(folder, tried.main);
    if (plugin === null) {
      say(`not run ${tried.name}: no folder in ${folder} holds ${tried.main}`);
      continue;
    }
    found++;
    failed += await runAll(tried, plugin);
  }
  Deno.exit(found > 0 && failed === 0 ? 0 : 1);
}
