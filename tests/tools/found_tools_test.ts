/** What people say leads find_tools to the tool that does it, in three languages: tests/golden/tool_requests.yaml. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import type { Asked } from "../../registry/search_words.ts";
import { gateway, type Kit, site } from "../kit.ts";

interface Request {
  readonly says: string;
  readonly language: string;
  readonly tool?: string;
  readonly tools?: readonly string[];
}

const document = async <T>(path: string) =>
  load(await Deno.readTextFile(new URL(`../../${path}.yaml`, import.meta.url))) as T;
const { requests, first, five } = await document<
  { requests: readonly Request[]; first: number; five: number }
>("tests/golden/tool_requests");

/** Whoever links a host has its tools as well. */
const HOSTING = { HOSTING_API_TOKEN: "token-of-the-tests", HOSTING_ACCOUNT_ID: "account" };
const opened = () =>
  gateway({ sites: [site("acme", "cms")], settings: { upstream: HOSTING, rateLimitToken: 0 } });

/** At which place a right tool stands among the five that are answered; -1 for nowhere. */
async function placeOf(gw: Kit, { says, tool = "", tools = [tool] }: Request): Promise<number> {
  const found = await gw.call("find_tools", { query: says }) as { tools: { call: string }[] };
  assert.ok(found.tools.length <= 5, says);
  return found.tools.findIndex(({ call }) => tools.includes(call.slice(0, call.indexOf("("))));
}

interface Counted {
  first: number;
  five: number;
  of: number;
}

async function counted(gw: Kit, asked: readonly Request[]): Promise<Record<string, Counted>> {
  const counts: Record<string, Counted> = {};
  for (const one of asked) {
    const place = await placeOf(gw, one);
    for (const key of ["all", one.language]) {
      const count = counts[key] ??= { first: 0, five: 0, of: 0 };
      count.of++;
      if (place === 0) count.first++;
      if (place >= 0) count.five++;
    }
  }
  return counts;
}

Deno.test("what people say in three languages leads to the right tool, mostly as the first", async () => {
  await using gw = await opened();
  const counts = await counted(gw, requests);
  const all = counts["all"]!;
  // Which ones are missed is not said: whoever mends the words must not know them.
  assert.ok(all.first >= first * all.of && all.five >= five * all.of, JSON.stringify(counts));
});

Deno.test("what the search has learnt from is found, each tool by somebody's words in each language", async () => {
  await using gw = await opened();
  const asked = Object.entries(await document<Asked>("manifests/asked")).flatMap((
    [tool, said],
  ) =>
    (["en", "de", "fr"] as const).flatMap((language) =>
      said[language].map((says): Request => ({ says, language, tools: [tool, ...said.or ?? []] }))
    )
  );
  const { all } = await counted(gw, asked);
  assert.ok(all!.first >= 0.95 * all!.of && all!.five >= 0.98 * all!.of, JSON.stringify(all));
});

Deno.test("a job of several steps finds the tool of its first step beside those of the others", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  for (
    const [says, tool] of [
      ["create a page with title, slug, SEO title and meta description, and publish it", "create_page_draft"],
      ["new page with a slug, SEO title and description, then publish it", "create_page_draft"],
      ["write a post with SEO title and meta description and publish it", "create_draft"],
      ["list and read files of the repository", "read_static_file"],
    ]
  ) {
    assert.ok(await placeOf(gw, { says: says!, language: "", tool: tool! }) >= 0, says);
  }
});

Deno.test("a slip of the hand, a compound and what is negated are understood", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  for (
    const [says, tool] of [
      ["set up a redirecton", "set_seo_redirect"],
      ["Dachdeckerbesucherzahlen", "get_analytics_report"],
      ["REDIRECTION A CREER", "set_seo_redirect"],
      ["change an article that is not published", "update_draft"],
      ["change an article that is published", "revise_published"],
      ["Which categories are there?", "list_taxonomies"],
      ["add a category", "create_taxonomy"],
    ]
  ) {
    assert.equal(await placeOf(gw, { says: says!, language: "", tool: tool! }), 0, says);
  }
  assert.deepEqual(await gw.call("find_tools", { query: "qqqq wwww" }), { tools: [] });
  assert.deepEqual(await gw.call("find_tools", { query: "?!" }), { tools: [] });
  assert.deepEqual(gw.requests, []);
});
