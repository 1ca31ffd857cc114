/** `/`: a page for who opens it in a browser, the answer of ever for everything else. */
import assert from "node:assert/strict";
import { gateway } from "../kit.ts";

const JSON_ANSWER =
  '{"ok":false,"error":{"code":"E_NOT_FOUND","message":"GET / is not answered here; call tools with POST ' +
  '/api/v1/tools/{name} or at /mcp, and read GET /api/v1/openapi.json"}}';

Deno.test("a browser gets a page that says what this is and where to sign in", async () => {
  await using gw = await gateway();
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const answer = await gw.http("/", { as: null, headers: { accept } });
  const text = await answer.text();
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/html/);
  assert.match(answer.headers.get("content-security-policy")!, /^default-src 'none'; style-src 'self'/);
  assert.equal(answer.headers.get("vary"), "Accept");
  assert.equal(answer.headers.get("set-cookie"), null);
  assert.match(text, /<h1>AI agents look after websites here<\/h1>/);
  for (const href of ["/admin", "/admin/sign-in", "/admin/login", "/api/v1/openapi.json"]) {
    assert.match(text, new RegExp(`href="${href}"`));
  }
});

Deno.test("a script gets what it always got, whatever else it accepts", async () => {
  await using gw = await gateway();
  for (
    const accept of [undefined, "*/*", "application/json", "text/*", "text/htmlx", "application/xhtml+xml"]
  ) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const answer = await gw.http("/", { as: null, headers });
    assert.deepEqual([answer.status, await answer.text()], [404, JSON_ANSWER], accept);
    assert.equal(answer.headers.get("content-type"), "application/json");
  }
  const posted = await gw.http("/", { as: null, method: "POST", headers: { accept: "text/html" } });
  assert.equal(posted.status, 404);
  assert.match(await posted.text(), /POST \/ is not answered here/);
});
