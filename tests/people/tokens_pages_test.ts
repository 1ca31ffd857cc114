/** Tokens at size: sites by project, groups in words, what is kept, what is said beside the button, the list. */
import assert from "node:assert/strict";
import { PAGE_SITES } from "../../console/site_picks.ts";
import { clientSetups } from "../../console/admin/client_setups.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { masterBrowser } from "./master_kit.ts";
import { joined, person, unescaped } from "./kit.ts";
import { fieldsOn, pressing } from "./token_form_kit.ts";

const PATH = "/admin/tokens";
const press = pressing(PATH);

/** Sites of two projects and of none. */
async function withProjects(): Promise<Kit> {
  const names = Array.from({ length: 100 }, (_, n) => `shop-${String(n).padStart(3, "0")}`);
  const gw = await gateway({
    sites: names.map((id, n) =>
      site(id, "cms", { name: `Shop ${n}`, project_id: n < 60 ? "north" : n < 90 ? "south" : null })
    ),
  });
  await gw.store.projects.create({ id: "north", name: "North", confirm_policy: "flag" });
  await gw.store.projects.create({ id: "south", name: "South", confirm_policy: "flag" });
  return gw;
}

const summaryOf = (text: string) => unescaped(/data-summary[^>]*>([^<]*)</.exec(text)?.[1] ?? "");
const shownSites = (text: string) =>
  [...text.matchAll(/name="allowed_sites" value="([^"*]+)"/g)].map(([, id]) => id);

Deno.test("sites are found, paged and chosen by project without scripts; what is ticked is what is stored", async () => {
  await using gw = await withProjects();
  const browser = await masterBrowser(gw);
  const page = await browser.open(PATH);
  assert.equal(shownSites(page.text).length, PAGE_SITES);
  assert.match(page.text, /A site that is added to a project later is not chosen by itself/);
  const second = await press(browser, { allowed_sites_go: "page 2", name: "by hand" });
  assert.deepEqual([second.status, second.title], [200, "Make a token"]);
  assert.equal(shownSites(second.text)[0], `shop-${String(2 * PAGE_SITES).padStart(3, "0")}`);
  assert.match(second.text, /name="name" type="text" value="by hand"/);
  await press(browser, { allowed_sites_go: "all south" });
  const found = await press(browser, { allowed_sites_q: "shop-001", do: "enter" });
  assert.deepEqual(shownSites(found.text), ["shop-001"], "Enter in the filter finds, and makes nothing");
  assert.match(found.text, /30 of 100 sites are chosen; 1 fits/);
  await press(browser, { allowed_sites: "shop-001" });
  assert.equal(browser.page!.title, "Your new token");
  const [token] = (await gw.store.tokens.list()).filter(({ name }) => name === "by hand");
  assert.deepEqual(token!.allowed_sites, [
    "shop-001",
    ...Array.from({ length: 30 }, (_, n) => `shop-0${60 + n}`),
  ]);
  await gw.store.sites.create({ ...site("later", "cms"), project_id: "south" });
  assert.equal((await gw.store.tokens.get(token!.id))!.allowed_sites.includes("later"), false);
  await browser.open(`${PATH}/${token!.id}`);
  const less = await press(browser, { allowed_sites_go: "none south" }, `${PATH}/${token!.id}`);
  assert.match(less.text, /1 of 101 sites is chosen|1 of 101 sites are chosen/);
  assert.match((await press(browser, {}, `${PATH}/${token!.id}`)).text, /The token is changed/);
  assert.deepEqual((await gw.store.tokens.get(token!.id))!.allowed_sites, ["shop-001"]);
});

Deno.test("groups are ticked in words, sensitive ones by nobody but a person, and the sentence says what is reached", async () => {
  await using gw = await withProjects();
  const browser = await masterBrowser(gw);
  const page = await browser.open(PATH);
  const ticked = fieldsOn(page.text).getAll("groups");
  assert.ok(ticked.includes("posts") && ticked.includes("seo"));
  for (const sensitive of ["crm", "social", "analytics"]) assert.ok(!ticked.includes(sensitive), sensitive);
  assert.match(
    summaryOf(page.text),
    /^Reads, and writes drafts, on no site, with \d+ tools\. No customers' data/,
  );
  await press(browser, { allowed_sites_go: "all north" });
  const said = await press(browser, { look: "1", groups: "crm", max_risk: "0", days: "30" });
  assert.match(
    summaryOf(said.text),
    /^Reads, and changes nothing, on 60 sites of one project, with \d+ tools\. Reaches data of customers, messages to people and payments\. Expires on \d{4}-\d\d-\d\d\.$/,
  );
  const fields = fieldsOn(said.text);
  fields.set("name", "customers");
  fields.set("tool_names", "list_sites\nget_post");
  await browser.post(PATH, fields);
  const token = (await gw.store.tokens.list()).find(({ name }) => name === "customers")!;
  const crm = token.allowed_tools.filter((name) => name.startsWith("crm_") || name.startsWith("forms_"));
  assert.deepEqual(token.allowed_tools, [...crm, "list_sites", "get_post"]);
  assert.equal(Date.parse(token.expires_at!) - gw.clock.now, 30 * 24 * 60 * 60_000);
  const again = await browser.open(`${PATH}/${token.id}`);
  assert.deepEqual(fieldsOn(again.text).getAll("groups"), ["crm"]);
  assert.equal(fieldsOn(again.text).get("tool_names"), "list_sites, get_post");
});

Deno.test("a token works until a day is over that was chosen, such as until Friday", async () => {
  await using gw = await withProjects();
  const browser = await masterBrowser(gw);
  await browser.open(PATH);
  const day = new Date(gw.clock.now + 5 * 24 * 60 * 60_000).toISOString().slice(0, 10);
  const said = await press(browser, { look: "1", allowed_sites_go: "all north", until: day });
  assert.ok(summaryOf(said.text).endsWith(`Expires on ${day}.`), summaryOf(said.text));
  const wrong = await press(browser, { name: "freelancer", until: "Friday" });
  assert.match(wrong.text, /Choose the last day from the calendar/);
  const past = await press(browser, { name: "freelancer", until: "2020-01-01" });
  assert.match(past.text, /is not in the future/);
  await press(browser, { name: "freelancer", until: day });
  const token = (await gw.store.tokens.list()).find(({ name }) => name === "freelancer")!;
  assert.equal(token.expires_at, `${day}T23:59:59.000Z`);
  const calls = `href="/admin/audit?token=${token.id}"`;
  assert.ok((await browser.open(`${PATH}/${token.id}`)).text.includes(calls), "from the token to its calls");
  await gw.store.tokens.revoke(token.id);
  assert.ok((await browser.open(`${PATH}?state=ended`)).text.includes(calls), "also once it is revoked");
});

Deno.test("what is typed and ticked outlives the session, and somebody else's change is not overwritten", async () => {
  await using gw = await withProjects();
  const ann = await person(gw, "ann@agency.example", {
    allowed_sites: ["shop-001", "shop-070"],
    max_risk: 1,
  });
  const browser = await joined(gw, ann);
  const page = await browser.open(PATH);
  assert.deepEqual(
    shownSites(page.text),
    ["shop-001", "shop-070"],
    "only what the person may use is offered",
  );
  assert.match(page.text, /You may go up to “drafts”/);
  assert.doesNotMatch(page.text, /every site, also those to come/);
  const cookies = new Map(browser.cookies);
  browser.cookies.clear();
  const ended = await press(browser, { name: "kept", allowed_sites: "shop-070" });
  assert.deepEqual([ended.status, ended.title], [401, "Your session has ended"]);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  const back = await browser.submit(`${PATH}?again`, {});
  assert.deepEqual([back.title, fieldsOn(back.text).get("name")], ["Make a token", "kept"]);
  assert.deepEqual(fieldsOn(back.text).getAll("allowed_sites"), ["shop-070"]);
  assert.deepEqual(
    (await gw.store.tokens.list()).filter(({ owner_user_id }) => owner_user_id === ann.id),
    [],
  );
  await press(browser, {});
  assert.equal(browser.page!.title, "Your new token");
  const token = (await gw.store.tokens.list()).find(({ name }) => name === "kept")!;
  await browser.open(`${PATH}/${token.id}`);
  await gw.store.tokens.update(token.id, { name: "changed meanwhile" });
  const over = await press(browser, { name: "mine" }, `${PATH}/${token.id}`);
  assert.match(over.text, /Somebody else changed this token meanwhile/);
  assert.equal((await gw.store.tokens.get(token.id))!.name, "changed meanwhile");
});

Deno.test("a new token is printed for each client, once, at the address of its one site", async () => {
  await using gw = await withProjects();
  const browser = await masterBrowser(gw);
  await browser.open(PATH);
  const made = await press(browser, { name: "one", allowed_sites: "shop-003" });
  const text = /<code class="secret">([^<]+)<\/code>/.exec(made.text)![1]!;
  const shown = unescaped(made.text);
  const style = await Deno.readTextFile(new URL("../../console/style.css", import.meta.url));
  for (const { id, name } of clientSetups("", "", "")) {
    assert.ok(made.text.includes(`<label for="client-${id}">${name}</label>`), name);
    assert.ok(style.includes(`.switched:has(#client-${id}:checked) > [data-client="${id}"]`), name);
  }
  const url = "http://127.0.0.1:8000/mcp?site=shop-003";
  const codes = [...made.text.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code]) =>
    unescaped(code!)
  );
  const json = codes.filter((code) => code.startsWith("{")).map((code) => JSON.parse(code));
  const server = { url, headers: { Authorization: `Bearer ${text}` } };
  assert.deepEqual(json[1], { mcpServers: { "site-operations": server } });
  assert.deepEqual(json[2], { servers: { "site-operations": { type: "http", ...server } } });
  assert.ok(shown.includes(`claude mcp add --transport http site-operations '${url}'`));
  assert.doesNotMatch((await browser.open(PATH)).text, new RegExp(text));
});

Deno.test("two thousand tokens are pages of 25, searched and narrowed by their state", async () => {
  await using gw = await withProjects();
  for (let n = 0; n < 2000; n++) {
    await gw.store.tokens.create({
      ...{ name: `agent ${n}`, env: "prod", allowed_sites: [`shop-0${n % 90 + 10}`], allowed_tools: ["*"] },
      ...{ max_risk: 1, skip_write_confirm: false, owner_user_id: null, super_admin: false },
      ...n < 3 && { expires_at: new Date(gw.clock.now + (n === 0 ? -1000 : 1000)).toISOString() },
    });
  }
  const browser = await masterBrowser(gw);
  const page = await browser.open(PATH);
  assert.ok(page.text.length < 60_000, String(page.text.length));
  assert.equal([...page.text.matchAll(/<tr role="row">/g)].length, 26);
  const next = /href="([^"]*after=[^"]*)"/.exec(page.text)![1]!;
  assert.match((await browser.open(unescaped(next))).text, /agent 1974[\s\S]*First page/);
  assert.match((await browser.open(`${PATH}?q=agent+1234`)).text, /1 token that fit/);
  assert.match((await browser.open(`${PATH}?state=ended`)).text, /agent 0<[\s\S]*expired/);
  assert.match((await browser.open(`${PATH}?q=agent+1&state=working`)).text, /ends soon|works/);
});

Deno.test("of 10,000 sites a page has few, weighs little, and too many at once are refused with what is allowed", async () => {
  await using gw = await gateway({ sites: [] });
  await gw.store.projects.create({ id: "all", name: "All", confirm_policy: "flag" });
  for (let n = 0; n < 10_000; n++) {
    await gw.store.sites.create({
      ...site(`s${n}`, "cms", { name: `Site ${n}` }),
      project_id: n < 1000 ? "all" : null,
    });
  }
  const browser = await masterBrowser(gw);
  await browser.open(PATH);
  const page = await press(browser, { allowed_sites_q: "site 77", allowed_sites_go: "find" });
  assert.ok(page.text.length < 60_000, String(page.text.length));
  assert.equal(shownSites(page.text).length, PAGE_SITES);
  const many = await press(browser, { allowed_sites_go: "all all" });
  assert.match(
    many.text,
    /That would be 1000 sites, and at most 400 can be chosen one by one\. Nothing was added/,
  );
  assert.match(many.text, /0 of 10000 sites are chosen/);
});

Deno.test("a token that is saved as it is stays as it is, its end too: whole records are compared", async () => {
  await using gw = await withProjects();
  const { id: owner_user_id } = await person(gw, "mia@agency.example", { allowed_sites: ["*"], max_risk: 3 });
  const master = await masterBrowser(gw);
  const own = await person(gw, "own@agency.example", { allowed_sites: ["*"], max_risk: 3 });
  const browser = await joined(gw, own);
  for (const [who, owner] of [[master, owner_user_id], [browser, own.id]] as const) {
    const { token } = await gw.store.tokens.create({
      ...{ name: "ends", env: "prod", allowed_sites: ["shop-001"], allowed_tools: ["get_post"], max_risk: 1 },
      ...{ skip_write_confirm: false, confirm_policy: "preview", listing: "all", owner_user_id: owner },
      expires_at: new Date(gw.clock.now + 86_400_000).toISOString(),
    });
    const before = await gw.store.tokens.get(token.id);
    const path = `${PATH}/${token.id}`;
    await who.open(path);
    assert.match((await press(who, {}, path)).text, /The token is changed/);
    assert.deepEqual(await gw.store.tokens.get(token.id), before);
    await who.open(path);
    await press(who, { name: "renamed" }, path);
    assert.deepEqual(await gw.store.tokens.get(token.id), { ...before, name: "renamed" });
  }
});

Deno.test("of two who change one token at once the second keeps what the first has set, and is told what that was", async () => {
  await using gw = await withProjects();
  const { token } = await gw.store.tokens.create({
    ...{ name: "shared", env: "prod", allowed_sites: ["shop-001", "shop-002"], allowed_tools: ["get_post"] },
    ...{
      max_risk: 1,
      skip_write_confirm: false,
      confirm_policy: "flag",
      listing: "all",
      owner_user_id: null,
    },
    super_admin: false,
  });
  const path = `${PATH}/${token.id}`;
  const [first, second] = [await masterBrowser(gw), await masterBrowser(gw)];
  await first.open(path);
  await second.open(path);
  await press(first, { confirm_policy: "human", allowed_sites: "shop-001", tool_names: "get_page" }, path);
  const told = await press(second, { name: "renamed", max_risk: "0" }, path);
  assert.equal(told.status, 400);
  assert.match(
    told.text,
    /Somebody else changed this token meanwhile: its sites, its tools, what a change needs\./,
  );
  assert.equal((await gw.store.tokens.get(token.id))!.name, "shared", "nothing was saved yet");
  await press(second, {}, path);
  const { name, max_risk, confirm_policy, allowed_sites } = (await gw.store.tokens.get(token.id))!;
  assert.deepEqual(
    { name, max_risk, confirm_policy, allowed_sites },
    { name: "renamed", max_risk: 0, confirm_policy: "human", allowed_sites: ["shop-001"] },
  );
});

Deno.test("a token whose person may do less by now shows what it can, loses the rest by saving, and no more", async () => {
  await using gw = await withProjects();
  const mia = await person(gw, "mia@agency.example", { allowed_sites: ["*"], max_risk: 3 });
  const made = {
    name: "mine",
    env: "prod",
    allowed_tools: ["get_post"],
    max_risk: 3,
    skip_write_confirm: false,
    confirm_policy: "preview",
    listing: "all",
    owner_user_id: mia.id,
    super_admin: false,
  } as const;
  const some = await gw.store.tokens.create({ ...made, allowed_sites: ["shop-001", "shop-002", "shop-003"] });
  const every = await gw.store.tokens.create({ ...made, allowed_sites: ["*"] });
  await gw.store.users.update(mia.id, { allowed_sites: ["shop-001", "shop-002"], max_risk: 2 });
  const browser = await joined(gw, mia);
  const [text] = [(await browser.open(`${PATH}/${some.token.id}`)).text];
  assert.match(
    unescaped(text),
    /It has 1 more that is not there any more, or not its person's; saving takes it away/,
  );
  for (const { token } of [some, every]) {
    const path = `${PATH}/${token.id}`;
    await browser.open(path);
    const saved = await press(browser, { name: "renamed" }, path);
    assert.match(saved.text, /The token is changed/, saved.text);
    const { name, max_risk, allowed_sites } = (await gw.store.tokens.get(token.id))!;
    assert.deepEqual(
      { name, max_risk, allowed_sites: allowed_sites.toSorted() },
      { name: "renamed", max_risk: 2, allowed_sites: ["shop-001", "shop-002"] },
    );
  }
});

Deno.test("a token is made to show first what sites' own tools would write; a person cannot take that away", async () => {
  await using gw = await withProjects();
  const mia = await person(gw, "mia@agency.example", { allowed_sites: ["shop-001"], max_risk: 3 });
  const browser = await joined(gw, mia);
  await browser.open(PATH);
  await press(browser, { name: "careful", allowed_sites: "shop-001", confirm_proxied: "true" });
  const token = (await gw.store.tokens.list()).find(({ name }) => name === "careful");
  assert.equal(token!.confirm_proxied, true);
  const path = `${PATH}/${token!.id}`;
  assert.match(
    unescaped((await browser.open(path)).text),
    /What sites' own tools would write is shown first/,
  );
  await press(browser, { name: "renamed" }, path);
  await browser.open(path);
  const less = await press(browser, { confirm_proxied: "" }, path);
  assert.equal(less.status, 400);
  assert.deepEqual(await gw.store.tokens.get(token!.id), { ...token, name: "renamed" });
  const master = await masterBrowser(gw);
  await master.open(path);
  await press(master, { confirm_proxied: "" }, path);
  assert.equal((await gw.store.tokens.get(token!.id))!.confirm_proxied, false);
});

Deno.test("a form that is sent again, by a reload or from an earlier page, makes no second token", async () => {
  await using gw = await withProjects();
  const mia = await person(gw, "mia@agency.example", { allowed_sites: ["shop-001"], max_risk: 3 });
  const browser = await joined(gw, mia);
  await browser.open(PATH);
  const form = fieldsOn(browser.page!.text);
  form.set("name", "once");
  form.set("allowed_sites", "shop-001");
  const made = async () => (await gw.store.tokens.list()).filter(({ name }) => name === "once").length;
  gw.clock.now += 1000;
  assert.equal((await browser.post(PATH, form)).title, "Your new token");
  const again = await browser.post(PATH, form);
  assert.equal(again.status, 400);
  assert.match(again.text, /the form was sent twice/);
  assert.equal(await made(), 1);
  form.set("name", "further");
  assert.equal((await browser.post(PATH, form)).title, "Your new token", "another name is another token");
  await browser.open(PATH);
  await press(browser, { name: "once", allowed_sites: "shop-001" });
  assert.equal(await made(), 2, "and a new form makes another");
});

Deno.test("the form of a token that is sent twice blames nobody else", async () => {
  await using gw = await withProjects();
  const mia = await person(gw, "mia@agency.example", { allowed_sites: ["shop-001"], max_risk: 3 });
  const browser = await joined(gw, mia);
  await browser.open(PATH);
  await press(browser, { name: "before", allowed_sites: "shop-001" });
  const { id } = (await gw.store.tokens.list()).find(({ name }) => name === "before")!;
  await browser.open(`${PATH}/${id}`);
  const form = fieldsOn(browser.page!.text);
  form.set("name", "after");
  for (const time of ["once", "twice"]) {
    const page = await browser.post(`${PATH}/${id}`, form);
    assert.match(page.text, /The token is changed/, time);
  }
});
