/** Where the preview of a static site is deployed stands on the page of a request, as the hosting reports it. */
import assert from "node:assert/strict";
import { previewAddress } from "../../platforms/cloudflare_pages/client.ts";
import { world } from "../tools/_deploy.ts";
import { plain, signedIn } from "./kit.ts";

const LIST = "/admin/approvals";
const LINK = /<a href="([^"]*)" rel="noopener noreferrer" target="_blank">/;

Deno.test("the newest preview that stands is linked by its own address; one that failed, or is not known, is not", async () => {
  await using here = await world();
  const { at: { gw }, hosting } = here;
  const { text } = await gw.store.tokens.create({
    ...{ name: "asks", env: "prod", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 3 },
    ...{ super_admin: false, skip_write_confirm: false, confirm_policy: "human", owner_user_id: null },
  });
  const { browser } = await signedIn(gw, "bea@agency.example", { approve_sites: ["*"] });
  const asked = await gw.http("/api/v1/tools/create_static_route", {
    method: "POST",
    headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
    body: JSON.stringify({ site_id: "built", route: "new", html: "<h1>New</h1>" }),
  });
  const path = `${LIST}/${(await asked.json()).result.approval.id}`;
  const page = await browser.open(path);
  assert.doesNotMatch(page.text, LINK);
  assert.match(page.text, /<iframe src="[^"]*\/documents\/0"/, "the page itself is drawn");
  const commit = "0123456789abcdef0123456789abcdef01234567";
  hosting.deploy("site", { branch: "mcp/spring", commit });
  hosting.deploy("site", { branch: "main", commit });
  hosting.clock.advance(120);
  const known = await browser.open(path);
  assert.equal(LINK.exec(known.text)?.[1], "https://mcp-spring.site.pages.dev/");
  assert.match(plain(known.text), /of the branch mcp\/spring, commit 0123456, 2026-05-04 12:0\d UTC/);
  hosting.deploy("site", { branch: "mcp/later", commit, outcome: { kind: "failure", stage: "build" } });
  hosting.clock.advance(120);
  assert.doesNotMatch((await browser.open(path)).text, LINK);
  hosting.inject({ kind: "refused", status: 500 }, { times: 9 });
  const down = await browser.open(path);
  assert.deepEqual([down.status, LINK.test(down.text)], [200, false], "a hosting that fails holds nobody up");
  hosting.clear();
  const made = await browser.submit(`${path}/approve`, {});
  assert.match(plain(made.text), /Approved by bea@/);
  assert.doesNotMatch(made.text, LINK, "it is not built yet");
  hosting.clock.advance(120);
  const built = await browser.open(path);
  assert.match(LINK.exec(built.text)?.[1] ?? "", /^https:\/\/mcp-[\w-]+\.site\.pages\.dev\/$/);
  assert.match(plain(built.text), /What was written, as the hosting reports it/);
});

Deno.test("only what can be a preview of the site is linked", () => {
  const base = "https://www.acme.example/";
  const rows: readonly [given: string | null, address: string | null][] = [
    ["https://a.site.pages.dev", "https://a.site.pages.dev/"],
    ["https://preview.www.acme.example/x", "https://preview.www.acme.example/x"],
    ["https://www.acme.example", "https://www.acme.example/"],
    ["http://a.site.pages.dev", null],
    ["https://a.site.pages.dev:8443", null],
    ["https://user:pass@a.site.pages.dev", null],
    ["https://pages.dev.evil.example", null],
    ["https://evilpages.dev", null],
    ["https://evilwww.acme.example", null],
    ["https://127.0.0.1", null],
    ["javascript:alert(1)//.pages.dev", null],
    ["//a.site.pages.dev", null],
    ["", null],
    [null, null],
  ];
  for (const [given, address] of rows) assert.equal(previewAddress(given, base), address, String(given));
  assert.equal(previewAddress("https://www.acme.example", null), null);
});
