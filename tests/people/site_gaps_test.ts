/** What a site's pages lack, on its page: read by a button alone, in the name of who pressed it, weakest first, each with what mends it. */
import assert from "node:assert/strict";
import { type Pages, visited } from "../tools/_visited.ts";
import { bytesOf, plain, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

const SITE = "/admin/sites/files";
const GAPS = `${SITE}/gaps`;
const TEXT = "We clean and mend roofs of every kind in the whole county. ".repeat(30);
const sitemap = (paths: readonly string[]) => () =>
  new Response(
    `<urlset>${paths.map((path) => `<url><loc>https://files.example${path}</loc></url>`).join("")}</urlset>`,
    { headers: { "content-type": "application/xml" } },
  );
const SCHEMA =
  '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing"}</script>';
const good = (name: string) => () =>
  `<html><head><title>${name} of the county</title><meta name="description" content="All of ${name}">` +
  `${SCHEMA}</head><body><h1>${name}</h1><p>${TEXT}</p></body></html>`;
const HOSTILE = "<title>&lt;script&gt;alert(1)&lt;/script&gt; a title</title><h1>A</h1><p>short</p>";
const PAGES: Pages = {
  "/sitemap.xml": sitemap(["/", "/weak/", "/gone/"]),
  "/": good("Roofs"),
  "/weak/": () => HOSTILE,
};

Deno.test("gaps are read by the button alone, the weakest page first, with words and what mends each", async () => {
  await using at = await visited(PAGES);
  const { browser, user } = await signedIn(at, "ada@agency.example", {
    role: "admin",
    allowed_sites: ["files"],
  });
  const opened = await browser.open(SITE);
  assert.match(plain(opened.text), /Nothing is asked before you press this/);
  assert.deepEqual(at.asked, []);
  const page = await browser.submit(GAPS, {});
  const text = plain(page.text);
  assert.equal(page.status, 200);
  assert.match(text, /3 of 3 pages, the weakest first/);
  assert.ok(text.indexOf("a title") > 0 && text.indexOf("no description") > 0);
  assert.match(text, /leads to nothing/);
  assert.match(page.text, /href="\/docs#write_static_file"/);
  assert.doesNotMatch(page.text, /<script>alert/);
  assert.ok(at.asked.length > 2);
  assert.ok(bytesOf(page.text) < 60_000);
  const [row] = await at.audit();
  assert.deepEqual([row!.tool, row!.site_id, row!.owner_user_id], ["audit_seo", "files", user.id]);
});

Deno.test("the next pages are read by their own button; where nothing is lacking the page says so", async () => {
  const paths = Array.from({ length: 14 }, (_, n) => `/p${n}/`);
  const pages = Object.fromEntries(paths.map((path, n) => [path, good(`Work number ${n}`)]));
  await using at = await visited({ "/sitemap.xml": sitemap(paths), "/": good("Home"), ...pages });
  const browser = await masterBrowser(at);
  await browser.open(SITE);
  const first = await browser.submit(GAPS, {});
  assert.match(plain(first.text), /Nothing is lacking on these 10 pages/);
  const [form] = /<input type="hidden" name="page" value="2"/.exec(first.text) ?? [];
  assert.ok(form, "there is a button for the next pages");
  const next = await browser.submit(GAPS, { page: "2" });
  assert.match(plain(next.text), /Nothing is lacking on these 5 pages/);
  for (const page of ["-1", "x", "0.5"]) assert.equal((await browser.submit(GAPS, { page })).status, 200);
});

Deno.test("what the tool refuses is said on the page, and a member or another site's admin sends nothing", async () => {
  await using at = await visited({ "*": () => new Response("no", { status: 500 }) });
  const browser = await masterBrowser(at);
  await browser.open(SITE);
  const told = await browser.submit(GAPS, {});
  assert.equal(told.status, 200);
  assert.match(
    plain(told.text),
    /hidden behind a wall the site answers visitors with an error .*; see the site's error log/,
  );
  await at.store.sites.update("files", { base_url: "https://files.example/" });
  await at.store.freezes.set({ scope: "site", id: "files", by: "ada", reason: null });
  assert.equal((await browser.submit(GAPS, {})).status, 200, "a freeze stops no reading");
  const asked = at.asked.length;
  for (const role of ["member", "admin"] as const) {
    const { browser: other } = await signedIn(at, `${role}@agency.example`, {
      role,
      allowed_sites: ["acme"],
    });
    const { text } = await other.open("/admin/account");
    const [, name, value] = /<input type="hidden" name="([^"]*)" value="([^"]*)"/.exec(text)!;
    const refused = await other.post(GAPS, new URLSearchParams({ [name!]: value! }));
    assert.ok([403, 404].includes(refused.status), String(refused.status));
  }
  assert.equal(at.asked.length, asked);
});
