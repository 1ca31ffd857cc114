/** `deno task real-plugins <folder>`: the table of cases of SEO against the plugins of a folder on a disk. */
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { startWordPress } from "../wordpress.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
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

async function pluginIn(folder: string, provider: LiveProvider): Promise<string | null> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory && await isFile(`${folder}/${name}/${MAIN[provider]}`)) return `${folder}/${name}`;
  }
  return null;
}

/** A site with the plugin, readied; a sentence where the plugin does not run there. */
async function siteWith(provider: LiveProvider, plugin: string): Promise<RealSeo | string> {
  let site: CmsSandbox | undefined;
  try {
    site = await startWordPress({ plugins: [PLUGIN, fixture("peek"), plugin] });
    const at = await RealSeo.open(site);
    await readyLive(at, provider);
    return at;
  } catch (thrown) {
    await site?.stop();
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Runs every case of a plugin, a line each; answers how many failed. */
async function runAll(provider: LiveProvider, plugin: string): Promise<number> {
  const found = await siteWith(provider, plugin);
  if (typeof found === "string") {
    say(`FAILED  ${provider}: it does not run on this WordPress\n${found}`);
    return 1;
  }
  await using _ = found.site;
  await using at = found;
  let failed = 0;
  for (const { name, on, run } of LIVE_CASES) {
    if (!on.includes(provider)) continue;
    try {
      await run(at, provider);
      say(`ok      ${provider}: ${name}`);
    } catch (thrown) {
      failed++;
      say(`FAILED  ${provider}: ${name}\n${thrown instanceof Error ? thrown.message : thrown}`);
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
  for (const provider of LIVE_PROVIDERS) {
    const plugin = await pluginIn(folder, provider);
    if (plugin === null) {
      say(`not run ${provider}: no folder in ${folder} holds ${MAIN[provider]}`);
      continue;
    }
    found++;
    failed += await runAll(provider, plugin);
  }
  Deno.exit(found > 0 && failed === 0 ? 0 : 1);
}
