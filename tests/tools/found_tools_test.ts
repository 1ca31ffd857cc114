/** What people say leads find_tools to the tool that does it, in three languages: tests/golden/tool_requests.yaml. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { gateway, type Kit, site } from "../kit.ts";

interface Request {
  readonly says: string;
  readonly language: "en" | "de" | "fr";
  readonly tool?: string;
  readonly tools?: readonly string[];
}

const { requests, first, five } = load(
  await Deno.readTextFile(new URL("../golden/tool_requests.yaml", import.meta.url)),
) as { requests: readonly Request[]; first: number; five: number };

/** At which place a right tool stands among the five that are answered; -1 for nowhere. */
async function placeOf(gw: Kit, { says, tool = "", tools = [tool] }: Request): Promise<number> {
  const found = await gw.call("find_tools", { query: says }) as { tools: { call: string }[] };
  assert.ok(found.tools.length <= 5, says);
  return found.tools.findIndex(({ call }) => tools.includes(call.slice(0, call.indexOf("("))));
}

Deno.test("what people say in three languages leads to the right tool, mostly as the first", async () => {
  const hosting = { HOSTING_API_TOKEN: "token-of-the-tests", HOSTING_ACCOUNT_ID: "account" };
  await using gw = await gateway({ sites: [site("acme", "cms")], settings: { upstream: hosting } });
  const missed: string[] = [];
  let [firsts, among] = [0, 0];
  for (const one of requests) {
    const place = await placeOf(gw, one);
    if (place === 0) firsts++;
    if (place >= 0) among++;
    else missed.push(`${one.language}: ${one.says}`);
  }
  const said = `${firsts} first, ${among} among five, of ${requests.length}; missed: ${missed.join(" / ")}`;
  assert.ok(firsts >= first * requests.length && among >= five * requests.length, said);
});

Deno.test("every word of every tool is found again, and a request of nothing known finds nothing", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  for (
    const [says, tool] of [["Beitrag veröffentlichen", "publish_post"], [
      "redirection 301",
      "set_seo_redirect",
    ]]
  ) {
    assert.ok(await placeOf(gw, { says: says!, language: "de", tool: tool! }) >= 0, says);
  }
  assert.deepEqual(await gw.call("find_tools", { query: "qqqq wwww" }), { tools: [] });
  assert.deepEqual(gw.requests, []);
});
