/** A tool of a site's own server on its page: run dry, let through where the dry run succeeds; what is wrong is said and nothing typed is lost. */
import assert from "node:assert/strict";
import { heldWorld } from "../tools/_held.ts";
import { plain, said, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

/** A tool that no manifest knows. */
const POST = "builder-mcp-create-post";
const PAGE = `/admin/sites/acme/tools/${POST}`;
const NEW = { class: "write", effect: "new", page: "" };

Deno.test("a tool is run dry on its page: what it would change is shown, and nothing is kept", async () => {
  await using at = await heldWorld();
  const before = at.site();
  const browser = await masterBrowser(at.gw);
  const opened = await browser.open(PAGE);
  assert.match(plain(opened.text), /Try it, or let it through/);
  assert.match(plain(opened.text), /Its arguments \(JSON Schema\)/);
  assert.deepEqual(at.calls(), [], "opening the page asks the site nothing");
  const tried = await browser.submit(`${PAGE}/try`, {
    ...NEW,
    arguments: '{"title": "New <b>one</b>", "status": "draft"}',
  });
  const text = plain(tried.text);
  assert.match(text, /Run dry; nothing was kept\. It would have made post \d+/i);
  assert.match(text, /nothing New <b>one<\/b>/);
  assert.doesNotMatch(tried.text, /<b>one/);
  assert.equal(at.site(), before);
  assert.match(at.calls()[0]!, /^dry; /);
  await at.gw.refuses(POST, { site_id: "acme", title: "New" }, "E_TOOL_NOT_FOUND");
});

Deno.test("what a dry run is refused with stands on the page with what was typed; nothing is sent for no JSON", async () => {
  await using at = await heldWorld();
  const browser = await masterBrowser(at.gw);
  await browser.open(PAGE);
  for (const typed of ["{title: 1}", "[]", "", '"text"']) {
    const page = await browser.submit(`${PAGE}/try`, { ...NEW, arguments: typed });
    assert.equal(page.status, 400);
    assert.match(said(page), /^arguments: expected an object of JSON/);
    assert.match(page.text, /<option value="new" selected/);
    assert.match(plain(page.text), new RegExp(typed.slice(1, 5)));
  }
  assert.deepEqual(at.calls(), []);
  const live = '{"title": "New", "status": "publish"}';
  for (const verb of ["try", "approve"]) {
    const page = await browser.submit(`${PAGE}/${verb}`, { ...NEW, arguments: live });
    assert.equal(page.status, 403);
    assert.match(plain(page.text), /would have.*publish/);
  }
  await at.gw.refuses(POST, { site_id: "acme", title: "New" }, "E_TOOL_NOT_FOUND");
  const done = await browser.submit(`${PAGE}/approve`, { ...NEW, arguments: '{"title": "New"}' });
  assert.match(plain(done.text), /The tool is let through on this site/);
  assert.equal((await at.gw.proven(POST, { site_id: "acme", title: "New" })).proof.verified, true);
});

Deno.test("only the master token runs a tool dry", async () => {
  await using at = await heldWorld();
  const { browser } = await signedIn(at.gw, "ada@agency.example", { role: "admin", allowed_sites: ["*"] });
  const { text } = await browser.open("/admin/sites/acme");
  const [, name, value] = /<input type="hidden" name="([^"]*)" value="([^"]*)"/.exec(text)!;
  const body = new URLSearchParams({ [name!]: value!, ...NEW, arguments: "{}" });
  const refused = await browser.post(`${PAGE}/try`, body);
  assert.equal(refused.status, 403);
  assert.deepEqual(at.calls(), []);
});
