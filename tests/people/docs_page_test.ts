/** `/docs`: the reference of the API for who has no scripts, and the package that the page loads, from here alone. */
import assert from "node:assert/strict";
import { gateway } from "../kit.ts";
import { plain } from "./kit.ts";

Deno.test("the page tells of every tool by group, asks nobody who they are, and loads only what is ours", async () => {
  await using gw = await gateway();
  const answer = await gw.http("/docs", { as: null });
  const text = await answer.text();
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("set-cookie"), null);
  const policy = answer.headers.get("content-security-policy")!;
  assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; /);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  const document = await (await gw.http("/api/v1/openapi.json", { as: null })).json();
  for (const path of Object.keys(document.paths)) {
    const tool = path.split("/api/v1/tools/")[1];
    if (tool && tool !== "{name}") assert.ok(text.includes(`<code>${tool}</code>`), tool);
  }
  assert.match(plain(text), /Articles, their images and categories/);
  for (const [, address] of text.matchAll(/(?:href|src|data-library)="([^"]*)"/g)) {
    assert.match(address!, /^[/#]/, address);
  }
});

Deno.test("the package's files are packed for who takes that, whole for who does not, and kept by their version", async () => {
  await using gw = await gateway();
  const text = await (await gw.http("/docs", { as: null })).text();
  const [, script] = /data-library="([^"]*)"/.exec(text)!;
  const headers = { "accept-encoding": "gzip, br" };
  const packed = await gw.http(script!, { as: null, headers });
  assert.equal(packed.headers.get("content-encoding"), "gzip");
  assert.match(packed.headers.get("cache-control")!, /immutable/);
  assert.equal(packed.headers.get("content-type"), "text/javascript; charset=utf-8");
  const unpacked = await new Response(packed.body!.pipeThrough(new DecompressionStream("gzip"))).text();
  const whole = await gw.http("/docs/swagger-ui-bundle.js", {
    as: null,
    headers: { "accept-encoding": "br" },
  });
  assert.equal(whole.headers.get("content-encoding"), null);
  assert.equal(whole.headers.get("cache-control"), "no-cache");
  assert.equal(whole.headers.get("vary"), "Accept-Encoding");
  assert.equal(await whole.text(), unpacked);
  const sheet = await gw.http("/docs/swagger-ui.css", { as: null, headers });
  assert.equal(sheet.headers.get("content-type"), "text/css; charset=utf-8");
  await sheet.body?.cancel();
  for (const name of ["swagger-ui-bundle.js.map", "package.json", "..%2fdocs.js"]) {
    const refused = await gw.http(`/docs/${name}`, { as: null });
    assert.equal(refused.status, 404, name);
    await refused.body?.cancel();
  }
});
