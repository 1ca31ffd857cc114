/** The pages of sites: who sees them, what the forms keep and refuse, and that nothing is sent before a button is pressed. */
import assert from "node:assert/strict";
import { pageWords } from "../../console/admin/words.ts";
import { gateway, type Kit, MASTER, site } from "../kit.ts";
import { listed } from "../fake_tool_servers.ts";
import { HEADING, open } from "../guard/proxied_kit.ts";
import { StepsTaken } from "../steps_taken.ts";
import { PersonBrowser, plain, said, signedIn, unescaped } from "./kit.ts";

const HOSTILE = `"><script>alert(1)</script><b x='`;
const ADMIN = { role: "admin", allowed_sites: ["*"], max_risk: 2 } as const;
const ADD = "/admin/sites/new";
const CMS = { platform: "cms", id: "acme", name: "Acme", base_url: "https://acme.example" };

/** A browser that has signed in with the master token. */
async function masterBrowser(gw: Kit): Promise<PersonBrowser> {
  const browser = new PersonBrowser(gw);
  await browser.open("/admin/login");
  await browser.submit("/admin/login/form", { master_token: MASTER });
  return browser;
}

/** Sends the form with that action as a browser does: with all that stands in it, and what is typed. */
async function send(
  browser: PersonBrowser,
  action: string,
  typed: Record<string, string | readonly string[]>,
) {
  const [form] = new RegExp(`<form[^>]*action="${action.replace("?", "\\?")}"[\\s\\S]*?</form>`).exec(
    browser.page!.text,
  ) ?? [""];
  const stands: Record<string, string[]> = {};
  const add = (name: string, value: string) => (stands[name] ??= []).push(unescaped(value));
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(input)![1]!;
    const isBox = input.includes('type="checkbox"');
    if (!isBox || input.includes("checked")) add(name, / value="([^"]*)"/.exec(input)?.[1] ?? "");
  }
  for (const [, name, options] of form.matchAll(/<select[^>]*name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g)) {
    const all = [...options!.matchAll(/<option value="([^"]*)"( selected)?/g)];
    add(name!, (all.find(([, , is]) => is) ?? all[0])![1]!);
  }
  for (const [, name, text] of form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>([\s\S]*?)<\/textarea>/g)) {
    add(name!, text!);
  }
  return await browser.submit(action, { ...stands, ...typed });
}

const opened = async () => await gateway({ sites: [site("one", "cms"), site("two", "static")] });
const settings = async (gw: Kit, id: string) => (await gw.store.sites.get(id))!;

Deno.test("each page of sites is for admins of that site and the master token", async () => {
  await using gw = await opened();
  const all = await signedIn(gw, "adam@agency.example", ADMIN);
  const some = await signedIn(gw, "sue@agency.example", { ...ADMIN, allowed_sites: ["two"] });
  const member = await signedIn(gw, "mia@agency.example", { role: "member", allowed_sites: ["*"] });
  const master = await masterBrowser(gw);
  const pages: [string, readonly number[]][] = [
    ["/admin/sites", [200, 200, 200, 403]],
    ["/admin/sites/one", [200, 200, 404, 403]],
    ["/admin/sites/one/edit", [200, 200, 404, 403]],
    ["/admin/sites/two", [200, 200, 200, 403]],
    ["/admin/sites/new", [200, 200, 403, 403]],
    ["/admin/sites/new?platform=cms", [200, 200, 403, 403]],
    ["/admin/sites/one/remove", [200, 403, 403, 403]],
    ["/admin/sites/one/tools/forms_list", [404, 403, 403, 403]],
    ["/admin/sites/none", [404, 404, 404, 403]],
  ];
  for (const [path, expected] of pages) {
    const got = [];
    for (const browser of [master, all.browser, some.browser, member.browser]) {
      got.push((await browser.open(path)).status);
    }
    assert.deepEqual(got, expected, path);
  }
  assert.equal((await new PersonBrowser(gw).open("/admin/sites/one")).title, "Sign in");
  assert.doesNotMatch((await some.browser.open("/admin/sites")).text, /\/admin\/sites\/one"/);
  assert.equal(gw.requests.length, 0);
});

Deno.test("a site is added with what its kind needs; its flags are the master token's, its secret is shown nowhere", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  await master.open(`${ADD}?platform=cms`);
  assert.match(plain(master.page!.text), /Posts and pages may be published/);
  const page = await send(master, ADD, {
    ...CMS,
    "credentials.cms.username": "gateway",
    "credentials.cms.application_password": "abcd efgh ijkl",
    "flags.allow_publish": "true",
    "seo.enabled": "true",
    confirm_policy: "preview",
  });
  assert.equal(page.status, 200, said(page));
  assert.equal(page.title, "Acme");
  assert.doesNotMatch(page.text, /abcd efgh/);
  const made = await settings(gw, "acme");
  assert.deepEqual([
    made.flags.allow_publish,
    made.flags.allow_crm_write,
    made.confirm_policy,
    made.seo.enabled,
  ], [
    true,
    false,
    "preview",
    true,
  ]);
  assert.deepEqual(made.available_builders, ["block"]);
  assert.deepEqual(await gw.store.sites.secret("acme", "cms"), {
    username: "gateway",
    application_password: "abcd efgh ijkl",
  });
  const form = await master.open("/admin/sites/acme/edit");
  assert.doesNotMatch(form.text, /abcd efgh/);
  assert.match(plain(form.text), /It is set, and shown to nobody/);
  const { browser } = await signedIn(gw, "adam@agency.example", ADMIN);
  const theirs = await browser.open("/admin/sites/acme/edit");
  assert.doesNotMatch(theirs.text, /name="flags\./);
  const forced = await send(browser, "/admin/sites/acme/edit", {
    "flags.allow_crm_write": "true",
    name: "Acme 2",
  });
  assert.equal(forced.title, "Acme 2");
  assert.equal((await settings(gw, "acme")).flags.allow_crm_write, false);
  assert.equal(gw.requests.length, 0, "saving sends nothing");
  const row = (await gw.audit()).find(({ tool }) => tool === "site.create")!;
  assert.doesNotMatch(JSON.stringify(row), /abcd efgh/);
});

Deno.test("what is wrong stands beside its field, what was typed stays, and nothing is stored or sent", async () => {
  await using gw = await opened();
  const { browser } = await signedIn(gw, "adam@agency.example", ADMIN);
  await browser.open(`${ADD}?platform=cms`);
  const page = await send(browser, ADD, {
    ...CMS,
    id: "Not An Id",
    name: HOSTILE,
    base_url: "ftp://acme.example",
    repo: HOSTILE,
    account_user_id: "nobody@agency.example",
    "credentials.cms.application_password": "written down",
  });
  assert.equal(page.status, 400);
  assert.match(page.text, /id="account_user_id-error">Nobody here has that e-mail address/);
  await send(browser, ADD, {
    ...CMS,
    id: "Not An Id",
    base_url: "ftp://acme.example",
    repo: "",
    account_user_id: "",
  });
  assert.match(browser.page!.text, /id="id-error"/);
  assert.match(browser.page!.text, /id="base_url-error"/);
  assert.match(browser.page!.text, /value="Not An Id"/);
  assert.match(unescaped(page.text), /value=""><script>alert\(1\)/);
  for (const text of ["<script>alert", "written down"]) assert.ok(!page.text.includes(text), text);
  await send(browser, ADD, { ...CMS, "credentials.cms.application_password": "alone" });
  assert.match(browser.page!.text, /id="credentials.cms.username-error"/);
  const taken = await send(browser, ADD, { ...CMS, id: "one", "credentials.cms.application_password": "" });
  assert.match(taken.text, /id="id-error">&quot;one&quot; is taken/);
  assert.deepEqual((await gw.store.sites.list()).map(({ id }) => id), ["one", "two"]);
  assert.equal(gw.requests.length, 0);
});

Deno.test("who changes a site second is told what changed meanwhile, and overwrites nothing unseen", async () => {
  await using gw = await opened();
  const first = await masterBrowser(gw);
  const { browser: second } = await signedIn(gw, "adam@agency.example", ADMIN);
  const edit = "/admin/sites/one/edit";
  await first.open(edit);
  await second.open(edit);
  await send(first, edit, { name: "First", repo: "acme/first", "flags.allow_publish": "true" });
  const told = await send(second, edit, { name: "Second", repo: "" });
  assert.equal(told.status, 409);
  assert.match(plain(told.text), /Name: was .*?, is First\. You have Second, which would take its place/);
  assert.match(plain(told.text), /Repository: was nothing, is acme\/first\. /);
  assert.equal((await settings(gw, "one")).name, "First");
  await send(second, edit, { name: "Second", repo: "acme/first" });
  const now = await settings(gw, "one");
  assert.deepEqual([now.name, now.repo, now.flags.allow_publish], ["Second", "acme/first", true]);
  await second.open(edit);
  await gw.store.sites.update("one", { credentials: { cms: { username: "x", application_password: "y" } } });
  assert.match(plain((await send(second, edit, { name: "Third" })).text), /such as a password/);
  assert.equal((await settings(gw, "one")).name, "Second");
});

Deno.test("a session that ends while a form is open loses nothing that was typed but secrets", async () => {
  await using gw = await opened();
  const { browser, user } = await signedIn(gw, "adam@agency.example", ADMIN);
  await browser.open(`${ADD}?platform=cms`);
  const live = browser.cookies.get("gateway_person")!;
  browser.cookies.delete("gateway_person");
  const typed = {
    ...CMS,
    name: HOSTILE,
    repo: "acme/site",
    "credentials.cms.application_password": "typed once",
  };
  const ended = await send(browser, ADD, typed);
  assert.deepEqual([ended.status, ended.title], [401, "Your session has ended"]);
  assert.doesNotMatch(ended.text, /the secret|<script>/);
  assert.equal((await send(browser, `${ADD}?again`, {})).title, "Your session has ended");
  browser.cookies.set("gateway_person", live);
  const back = await send(browser, `${ADD}?again`, {});
  assert.match(back.text, /value="acme\/site"/);
  assert.match(plain(back.text), /You are signed in again/);
  assert.equal(await gw.store.sites.get("acme"), null);
  const foreign = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
  assert.equal((await browser.post(`${ADD}?again`, new URLSearchParams(CMS), foreign)).status, 403);
  await browser.open(`${ADD}?platform=cms`);
  await send(browser, ADD, { ...CMS, name: "Acme" });
  assert.equal((await settings(gw, "acme")).name, "Acme");
  assert.ok(user.id);
});

Deno.test("no form of sites is taken without its proof, and none from elsewhere", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  const before = JSON.stringify(await gw.store.sites.list());
  const posts = ["new", "one/edit", "one/test", "one/freeze", "one/lift", "one/pair", "one/remove"]
    .concat("one/tools/refresh", "one/tools/x/approve", "one/tools/x/withdraw");
  for (const path of posts) {
    const body = new URLSearchParams({ ...CMS, confirm: "one", csrf: "made-up" });
    assert.equal((await master.post(`/admin/sites/${path}`, body)).status, 403, path);
    const foreign = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
    await master.open("/admin/sites/one/edit");
    const proof = /name="csrf" value="([^"]*)"/.exec(master.page!.text)![1]!;
    body.set("csrf", proof);
    assert.equal((await master.post(`/admin/sites/${path}`, body, foreign)).status, 403, path);
  }
  assert.equal(JSON.stringify(await gw.store.sites.list()), before);
  assert.deepEqual(await gw.store.freezes.list(), []);
  assert.equal(gw.requests.length, 0);
});

Deno.test("the test is run by its button alone, in the name of who pressed it, and says what the tools say", async () => {
  await using gw = await opened();
  await gw.store.sites.update("one", {
    base_url: "https://93.184.216.34",
    credentials: { cms: { username: "x", application_password: "y" } },
  });
  const { browser, user } = await signedIn(gw, "adam@agency.example", ADMIN);
  await browser.open("/admin/sites/one");
  assert.equal(gw.requests.length, 0);
  const tested = await browser.submit("/admin/sites/one/test", {});
  assert.equal(tested.status, 200);
  assert.ok(gw.requests.length > 0, plain(tested.text));
  assert.match(plain(tested.text), /What was found, what is to do/);
  assert.match(
    tested.text,
    /If it is wanted: <a href="\/admin\/sites\/[a-z]+\/edit">change the site&#39;s settings<\/a>/,
  );
  assert.doesNotMatch(tested.text, /deno task admin site update/);
  const rows = (await gw.audit()).filter(({ tool }) => ["ping_site", "diagnose_site"].includes(tool));
  assert.deepEqual(rows.map(({ owner_user_id, door }) => [owner_user_id, door]), [
    [user.id, "admin"],
    [user.id, "admin"],
  ]);
  const requests = gw.requests.length;
  const list = await browser.open("/admin/sites");
  assert.match(plain(list.text), /answers|failed/);
  assert.equal(gw.requests.length, requests);
});

Deno.test("a site is frozen and lifted on its page, and removed by typing its id with the master token alone", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  await master.open("/admin/sites/one");
  const frozen = await master.submit("/admin/sites/one/freeze", { reason: HOSTILE });
  assert.match(plain(frozen.text), /The site "one" is frozen by master token/);
  assert.doesNotMatch(frozen.text, /<script>/);
  await master.submit("/admin/sites/one/lift", {});
  assert.deepEqual(await gw.store.freezes.list(), []);
  const may = { role: "member", allowed_sites: ["one", "two"], max_risk: 1 } as const;
  await gw.store.users.create({ ...may, email: "both@agency.example" });
  const { text } = await master.open("/admin/sites/one/remove?counted");
  assert.match(plain(text), /What What becomes of it How many .*sites is deleted 1 /);
  assert.match(plain(text), /users stays, without the name of the site 1 /);
  await master.open("/admin/sites/one/remove");
  assert.match(
    (await master.submit("/admin/sites/one/remove", { confirm: "One" })).text,
    /nothing was removed/,
  );
  assert.ok(await gw.store.sites.get("one"));
  assert.match(
    plain((await master.submit("/admin/sites/one/remove", { confirm: "one" })).text),
    /The site is removed/,
  );
  assert.equal(await gw.store.sites.get("one"), null);
  const rows = (await gw.audit()).map(({ tool }) => tool);
  for (const tool of ["freeze", "unfreeze", "site.remove"]) assert.ok(rows.includes(tool), rows.join());
});

Deno.test("the list is searched and paged by its address", async () => {
  const many = Array.from(
    { length: 120 },
    (_, at) => site(`s${String(at).padStart(3, "0")}`, at % 2 ? "cms" : "static"),
  );
  await using gw = await gateway({ sites: many });
  const master = await masterBrowser(gw);
  const shown = async (query: string) => {
    const { text } = await master.open(`/admin/sites${query}`);
    return [...text.matchAll(/href="\/admin\/sites\/(s\d+)"/g)].map(([, id]) => id!);
  };
  const first = await shown("");
  assert.deepEqual([first.length, first[0], first.at(-1)], [50, "s000", "s049"]);
  const next = /href="([^"]*after=[^"]*)"/.exec(master.page!.text)![1]!;
  assert.equal((await shown(unescaped(next).slice("/admin/sites".length)))[0], "s050");
  assert.equal((await shown("?after=s100")).length, 19);
  assert.deepEqual(await shown("?q=S11&platform=cms"), ["s111", "s113", "s115", "s117", "s119"]);
  assert.deepEqual(await shown(`?q=${encodeURIComponent(HOSTILE)}`), []);
  assert.doesNotMatch(master.page!.text, /<script>alert/);
  assert.ok(!master.page!.text.includes(MASTER) && master.page!.path.startsWith("/admin"));
});

Deno.test("of 10,000 sites the first page is made of few steps for each", async () => {
  const many = Array.from({ length: 10_000 }, (_, at) => site(`s${at}`, at % 2 ? "cms" : "static"));
  await using gw = await gateway({ sites: many });
  const master = await masterBrowser(gw);
  assert.equal((await master.open("/admin/sites?q=s1")).status, 200);
  using steps = await StepsTaken.started();
  const taken = await steps.of([() => master.open("/admin/sites?q=s1")]);
  assert.ok(taken < 200 * many.length, `${taken} steps for ${many.length} sites`);
});

Deno.test("a held tool is read, approved as it was shown, and withdrawn on its page, with the master token alone", async () => {
  const words = { description: `List ${HOSTILE}`, hints: { read_only: true } } as const;
  await using at = await open({ acme: [HEADING, listed("emcp-tools-list-media", words)] });
  const master = await masterBrowser(at.gw);
  const page = "/admin/sites/acme/tools/builder-mcp-list-media";
  assert.match(plain((await master.open("/admin/sites/acme")).text), /builder-mcp-list-media held/);
  const shown = await master.open(page);
  assert.doesNotMatch(shown.text, /<script>alert/);
  const stale = await master.submit(`${page}/approve`, { hash: "0".repeat(64), class: "read" });
  assert.equal(stale.status, 409);
  const done = await master.submit(`${page}/approve`, { class: "read" });
  assert.match(plain(done.text), /The tool is let through on this site.*builder-mcp-list-media approved/);
  await master.open(page);
  assert.match(
    plain((await master.submit(`${page}/withdraw`, {})).text),
    /The tool is taken away on this site/,
  );
  const { browser } = await signedIn(at.gw, "adam@agency.example", ADMIN);
  assert.equal((await browser.open(page)).status, 403);
  assert.doesNotMatch((await browser.open("/admin/sites/acme")).text, /builder-mcp-list-media/);
});

Deno.test("a site's page names people by their e-mail addresses, and no command where it has a form", async () => {
  await using gw = await opened();
  const { user } = await signedIn(gw, "ann@agency.example", ADMIN);
  await gw.store.sites.update("one", { account_user_id: user.id });
  const master = await masterBrowser(gw);
  const page = await master.open("/admin/sites/one");
  assert.match(plain(page.text), /Whose Google account is used: ann@agency\.example/);
  assert.ok(page.text.includes('href="/admin/audit?site=one"'));
  await master.open("/admin/sites/one/edit");
  const saved = await send(master, "/admin/sites/one/edit", { confirm_policy: "human", four_eyes: "true" });
  assert.match(plain(saved.text), /nobody may approve what is asked for here; give somebody that right\./);
  assert.doesNotMatch(saved.text, /--approve-sites|user update/);
});

Deno.test("a sentence that names a command is worded for a page", () => {
  const why = "not paired: run deno task admin site pair a-1, or its first write pairs it";
  assert.equal(pageWords(why), "not paired: pair it on the site's page, or its first write pairs it");
  assert.equal(pageWords("Connect it: deno task admin connection start --user u"), "Connect it");
  assert.equal(pageWords("As it is"), "As it is");
});

Deno.test("the form of a site that is sent twice blames nobody else", async () => {
  await using gw = await opened();
  const browser = await masterBrowser(gw);
  await browser.open("/admin/sites/one/edit");
  const tab = browser.stolen();
  await tab.open("/admin/sites/one/edit");
  assert.match((await send(browser, "/admin/sites/one/edit", { name: "New" })).text, /The site is changed/);
  const again = await send(tab, "/admin/sites/one/edit", { name: "New" });
  assert.match(again.text, /Nothing was changed: the form said what is set already/);
});
