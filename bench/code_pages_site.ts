/** What create_page_from_code costs at its limits beside bare requests of the same bytes, on a real WordPress. */
import assert from "node:assert/strict";
import { scopeClass } from "../rules/code_pages/parts.ts";
import { storedParts } from "../rules/code_pages/content.ts";
import { LIMITS } from "../core/model.ts";
import { type CmsSandbox, startCms } from "../sandbox/wordpress/start.ts";
import { PLUGIN } from "../tests/companion/site.ts";
import { Asker } from "../tests/sandbox/asker.ts";
import { filled, HTML, RULE } from "./code_pages.ts";
import { type Gateway, inFolder, startOver } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { inTurn } from "./timing.ts";

const ROUNDS = 25;
const SITE = "acme";
const NAME = "create_page_from_code at its limits (HTML 200, CSS 100, JS 100 KiB)";
const AIM = "under 2x";

/** The rows; without PHP and WordPress, which this needs, one row with the reason. */
export async function sitePageRows(): Promise<Line[]> {
  let site: CmsSandbox;
  try {
    site = await startCms({ kind: "wordpress", plugins: [PLUGIN] });
  } catch (thrown) {
    return [{ name: NAME, figure: "not measured", beside: (thrown as Error).message, aim: AIM }];
  }
  await using cms = site;
  return await inFolder(async (folder) => {
    await using gateway = await startOver(folder, cms, { id: SITE });
    return await measured(gateway, new Asker(cms));
  });
}

const GIVEN = {
  html: filled(HTML, LIMITS.CODE_PAGE_HTML_BYTES),
  css: filled(RULE, LIMITS.CODE_PAGE_CSS_BYTES),
  js: filled("window.made = (window.made || 0) + 1; // once more\n", LIMITS.CODE_PAGE_JS_BYTES),
};

async function measured(gateway: Gateway, site: Asker): Promise<Line[]> {
  const stored = storedParts(GIVEN, scopeClass(SITE, "bench"));
  const named = (who: string, round: number) => ({ title: `Page ${round} ${who}`, slug: `${who}-${round}` });
  const made = async (path: string, body: unknown) => {
    const { status } = await site.send("admin", "POST", path, body);
    assert.equal(status, 201, path);
  };
  const took = await inTurn(ROUNDS, {
    gateway: (round) =>
      gateway.call("create_page_from_code", { site_id: SITE, ...named("gateway", round), ...GIVEN }),
    plugin: (round) => {
      const name = named("plugin", round);
      const scope_class = scopeClass(SITE, name.slug);
      return made("/wp-json/site-ops/v1/code-pages", { ...name, ...stored, scope_class });
    },
    core: (round) => {
      const content = `${stored.html}<style>${stored.css}</style><script>${stored.js}</script>`;
      return made("/wp-json/wp/v2/pages", { ...named("core", round), content, status: "draft" });
    },
  });
  const row = (name: string, bare: number): Line => ({
    name,
    figure: `${ms(took.gateway)}, ${(took.gateway / bare).toFixed(2)}x`,
    beside: `${ms(bare)}, the bare request`,
    aim: AIM,
  });
  return [
    row(`${NAME}, of a POST to the plugin's own route`, took.plugin),
    row("the same, of a POST to WordPress's own pages route", took.core),
  ];
}
