/** Ordinary writes, whatever their texts speak of, reach their tools: on a site that holds nothing, on one that holds, at the CRM. */
import assert from "node:assert/strict";
import { container, type SiteToolServers, widget } from "../../sandbox/tool_servers/start.ts";
import type { WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { DOORS } from "../cms_kit.ts";
import type { Kit } from "../kit.ts";
import { ORDINARY } from "./_ordinary.ts";
import type { Ordinary } from "./_ordinary_records.ts";
import { heldWorld } from "./_held.ts";
import { type Args, blogPost, served } from "./_served.ts";

/** A call a line, written by somebody who had not seen the code. */
const WRITTEN = await Deno.readTextFile(new URL("../fixtures/ordinary_writes.jsonl", import.meta.url));
const ALL: readonly Ordinary[] = [
  ...ORDINARY,
  ...WRITTEN.trimEnd().split("\n").map((line) => JSON.parse(line) as Ordinary),
];
const PAGES = ALL.filter(({ tool }) => tool.startsWith("builder-mcp-"));
const RECORDS = ALL.filter(({ tool }) => !tool.startsWith("builder-mcp-"));

const SERVERS = ["mcp-adapter-default-server", "emcp-tools-server", "elementor-mcp-server"] as const;
const FREE = { settings: { rateLimitToken: 0, rateLimitSite: 0 } };
/** What changes the whole site goes to a site that may publish. */
const SITE_WIDE = /-(update-global-\w+|add-custom-js|save-as-template)$/;
const OF_ELEMENTS = /-(add-(?!block$|container$)[\w-]+|apply-template)$/;

interface Site {
  readonly gw: Kit;
  readonly cms: WordPressStandIn;
  readonly tools: SiteToolServers;
}

/** A draft of the builder's and one of blocks, as the placeholders of calls name them. */
function fixture({ cms, tools }: Site) {
  const heading = widget("heading", { title: "One" });
  const into = container({}, [heading]);
  const { id } = tools.page({ title: "Draft", elements: [into] });
  const content = "<!-- wp:paragraph --><p>Text</p><!-- /wp:paragraph -->";
  const blocks = addPost(cms.state, { type: "page", author: 1, title: "Blocks", content }).id;
  const names = { $PARENT: into.id, $ELEMENT: heading.id, $TEMPLATE: 901 };
  return ({ tool, args }: Ordinary): Args => {
    const $PAGE = /-block$/.test(tool) ? blocks : id;
    const filled = withNames(args, { ...names, $PAGE }) as Args;
    const isNew = /-(create-page|build-page|sideload-image|upload-svg-icon)$|global/.test(tool);
    return {
      site_id: SITE_WIDE.test(tool) ? "open" : "acme",
      ...(isNew ? {} : { post_id: $PAGE }),
      ...(OF_ELEMENTS.test(tool) && !("parent_id" in filled) ? { parent_id: into.id } : {}),
      ...filled,
    };
  };
}

/** The arguments with what stands for their placeholders. */
function withNames(value: unknown, names: Args): unknown {
  if (typeof value === "string") return Object.hasOwn(names, value) ? names[value] : value;
  if (Array.isArray(value)) return value.map((one) => withNames(one, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNames(one, names)]));
}

/** Those of the calls that did not reach their tool; a tool may fail for reasons of its own. */
async function refused(
  gw: Kit,
  calls: readonly Ordinary[],
  argsOf: (one: Ordinary) => Args,
): Promise<string[]> {
  const found: string[] = [];
  for (const [n, one] of calls.entries()) {
    const ending = await gw.end(one.tool, argsOf(one), { door: DOORS[n % 2] });
    if ("value" in ending || ending.code === "E_TOOL_ERROR") continue;
    found.push(`${n} ${one.tool} ${JSON.stringify(one.args)}: ${JSON.stringify(ending)}`);
  }
  return found;
}

Deno.test("no ordinary write to a page is refused where the site holds nothing", async () => {
  await using at = await served({ servers: SERVERS, atomic: true, race_ms: 0 }, FREE);
  assert.deepEqual(await refused(at.gw, PAGES, fixture(at)), []);
  assert.ok(PAGES.length >= 80 && ALL.length >= 120, `${PAGES.length} of ${ALL.length}`);
});

Deno.test("no ordinary write to a page is refused where the site holds it", async () => {
  await using at = await heldWorld({ servers: SERVERS, atomic: true, kit: FREE });
  assert.deepEqual(await refused(at.gw, PAGES, fixture(at)), []);
  assert.ok(at.calls().length >= PAGES.length, `${at.calls().length} were held`);
});

Deno.test("no ordinary write of the CRM is refused", async () => {
  const names = {
    $CONTACT: "contact-1",
    $OPPORTUNITY: "opp-0",
    $BLOG: "blog-0",
    $TOMORROW: new Date(Date.now() + 86_400_000).toISOString(),
  };
  const argsOf = ({ tool, args }: Ordinary) => ({
    ...(tool === "blogs_create-blog-post" ? blogPost() : {}),
    ...withNames(args, names) as Args,
    site_id: "crm",
  });
  // At several locations, for each may be asked a hundred times in ten seconds.
  for (let from = 0; from < RECORDS.length; from += 20) {
    await using at = await served({}, FREE);
    assert.deepEqual(await refused(at.gw, RECORDS.slice(from, from + 20), argsOf), []);
  }
});
