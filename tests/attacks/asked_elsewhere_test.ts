/** What asks for a preview, a yes or to be carried out once is read where it belongs, or refused: it is never left unseen. */
import assert from "node:assert/strict";
import { gateway, type Kit, site } from "../kit.ts";

const DRAFT = { site_id: "acme", title: "Hello", content_html: "<p>Hello</p>", confirm: true };
const JSON_TYPE = { "content-type": "application/json" };

/** Sends a call over REST, and answers the refusal's code and text; fails where anything was sent to a site. */
async function overRest(gw: Kit, headers: Record<string, string>, query = ""): Promise<string> {
  const init = { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(DRAFT) };
  const response = await gw.http(`/api/v1/tools/create_draft${query}`, init);
  const { ok, error } = await response.json();
  assert.deepEqual([ok, gw.requests], [false, []]);
  return `${error.code}: ${error.message}`;
}

/** The same over MCP. */
async function overMcp(
  gw: Kit,
  more: { headers?: Record<string, string>; params?: object; query?: string },
): Promise<string> {
  const params = { name: "create_draft", arguments: DRAFT, ...more.params };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { ...JSON_TYPE, ...more.headers };
  const response = await gw.http(`/mcp${more.query ?? ""}`, { method: "POST", headers, body });
  const { result, error } = await response.json();
  assert.ok(error !== undefined || result.isError === true, "it is refused");
  assert.deepEqual(gw.requests, []);
  return error?.message ?? result.content[0].text;
}

Deno.test("a header in another spelling than the one that is read is refused, and nothing is sent", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const headers: Record<string, string> = {
    "X-Dry-Run": "dry-run",
    "Dry_Run": "dry-run",
    "DryRun": "dry-run",
    "X-Idempotency-Key": "idempotency-key",
    "Idempotency_Key": "idempotency-key",
    "IdempotencyKey": "idempotency-key",
    "X-Confirm": "confirm",
    "Confirm_Token": "confirm-token",
  };
  for (const [name, meant] of Object.entries(headers)) {
    const said = await overRest(gw, { [name]: "true" });
    assert.ok(said.startsWith(`E_BAD_INPUT: The header "${name.toLowerCase()}" asks nothing as it`), said);
    assert.ok(said.endsWith(`nothing was done; the header is ${meant}`), said);
  }
  const rows = await gw.audit();
  assert.deepEqual(rows.map(({ error }) => error), rows.map(() => "E_BAD_INPUT"));
  assert.equal(rows.length, Object.keys(headers).length);
  const read = await gw.http("/api/v1/tools/list_sites", {
    method: "POST",
    headers: { ...JSON_TYPE, "x-dry-run": "true" },
    body: "{}",
  });
  assert.equal(read.status, 200, "what only reads is neither shown nor confirmed");
});

Deno.test("an idempotency key in the address is refused as a preview is, and nothing is sent", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  for (const query of ["?idempotency_key=one", "?Idempotency-Key=one"]) {
    assert.match(
      await overRest(gw, {}, query),
      /E_BAD_INPUT.*in the address.*send it as the header idempotency-key$/,
    );
  }
});

Deno.test("over MCP a header, the address and the parameters ask nothing, and say where it is asked", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  for (const name of ["Dry-Run", "Confirm", "Confirm-Token", "Idempotency-Key", "X-Idempotency-Key"]) {
    const said = await overMcp(gw, { headers: { [name]: "true" } });
    const meant = `site-operations/${name.toLowerCase().replace("x-", "")}`;
    assert.match(said, /^E_BAD_INPUT: The header ".*" asks nothing over MCP, and nothing was done/, name);
    assert.ok(said.includes(`send "${meant}" in _meta`), said);
  }
  for (const query of ["?dry_run=true", "?readonly=0&idempotency-key=one"]) {
    assert.match(await overMcp(gw, { query }), /^E_BAD_INPUT: .*asks nothing in the address/, query);
  }
  for (const name of ["dry_run", "confirm", "idempotencyKey"]) {
    const said = await overMcp(gw, { params: { [name]: true } });
    assert.match(
      said,
      /^params: ".*" asks nothing there; send "site-operations\/.*; nothing was done$/,
      name,
    );
  }
  for (const name of ["dry-run", "dryRun", "idempotency-key", "confirm"]) {
    const said = await overMcp(gw, { params: { _meta: { [name]: true } } });
    assert.match(said, /^_meta: ".*" is unknown, did you mean "site-operations\//, name);
  }
});
