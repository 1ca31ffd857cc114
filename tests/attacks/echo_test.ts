/** No error repeats more of what was sent than tells which it was: 200 characters. */
import assert from "node:assert/strict";
import { gateway, site } from "../kit.ts";

const LONG = "x".repeat(300_000);
const WORDS = "x y ".repeat(80_000);
const JSON_TYPE = { "content-type": "application/json" };

const ARGUMENTS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["list_sites", { [LONG]: 1 }],
  ["list_sites", { [WORDS]: 1 }],
  ["list_drafts", { site_id: LONG }],
  ["list_drafts", { site_id: "acme", per_page: LONG }],
  ["create_draft", { site_id: "acme", [LONG]: { status: "publish" } }],
  ["create_draft", { site_id: "acme", title: "a", content_html: "b", status: LONG }],
  ["create_draft", { site_id: "acme", title: "a", content_html: "b", scheduled_at: LONG }],
  ["create_draft", { site_id: "acme", title: { [LONG]: LONG }, content_html: [LONG] }],
  ["create_draft", { site_id: "acme", title: "a", content_html: "b", categories: [LONG] }],
  ["get_post", { site_id: "acme", post_id: LONG }],
  ["set_seo_redirect", { site_id: "acme", source: LONG, destination: WORDS }],
  ["get_seo_meta", { site_id: "acme", id: LONG, [LONG]: 1 }],
  ["write_static_file", { site_id: "fixed", path: LONG, content: "a" }],
  ["update_static_route", { site_id: "fixed", route: LONG, title: "a" }],
  ["pull_static_preview", { site_id: "fixed", branch: LONG }],
  [LONG, {}],
];

/** The longest run of what was sent that an answer repeats. */
function repeated(answer: string): number {
  const runs = answer.match(/x{2,}|(?:x y ?){2,}/g) ?? [];
  return Math.max(0, ...runs.map((run) => run.length));
}

Deno.test("a long name, value or key is repeated by its beginning alone, through both doors", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms"), site("fixed", "static", { repo: "o/r" })] });
  for (const [tool, args] of ARGUMENTS) {
    const rest = tool.length > 100 ? tool.slice(0, 4000) : tool;
    const frame = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
    for (const [path, body] of [[`/api/v1/tools/${rest}`, args], ["/mcp", frame]] as const) {
      const response = await gw.http(path, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify(body),
      });
      const answer = await response.text();
      const what = `${path.slice(0, 60)} ${JSON.stringify(args).slice(0, 80)}: ${answer.slice(0, 300)}`;
      assert.match(answer, /E_[A-Z_]+/, what);
      assert.ok(repeated(answer) <= 200, what);
      assert.ok(answer.length < 4000, `${answer.length} characters: ${what}`);
    }
  }
  assert.deepEqual(gw.requests, [], "nothing was sent");
});

Deno.test("messages and addresses that are none are repeated by their beginning alone", async () => {
  await using gw = await gateway();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": LONG,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  for (
    const body of [
      { jsonrpc: "2.0", id: LONG, method: "tools/list" },
      { jsonrpc: "2.0", id: 1, method: LONG },
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } },
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: LONG } },
    ]
  ) {
    const response = await gw.http("/mcp", {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    assert.ok(repeated(answer) <= 200 && answer.length < 1000, answer.slice(0, 300));
  }
  const nowhere = await (await gw.http(`/${LONG.slice(0, 5000)}`)).text();
  assert.ok(repeated(nowhere) <= 200, nowhere.slice(0, 300));
});
