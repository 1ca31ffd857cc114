/** The pages of people: who sees whom, what an admin may give, what is refused stores nothing, and nobody overwrites another unseen. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import type { AdminPorts } from "../../admin/ports.ts";
import { changeUser } from "../../admin/users.ts";
import { callerOfPerson } from "../../identity/rights.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { masterBrowser } from "./master_kit.ts";
import { joined, person, PersonBrowser, plain, said, signedIn, unescaped } from "./kit.ts";

const HOSTILE = `"><script>alert(1)</script>@x.example`;
const ADMIN = { role: "admin", allowed_sites: ["*"], max_risk: 2 } as const;
const NEW = "/admin/users/new";
const opened = async () => await gateway({ sites: [site("one", "cms"), site("two", "static")] });
const users = async (gw: Kit) => JSON.stringify(await gw.store.users.list());
const rows = async (gw: Kit, tool: string) => (await gw.audit()).filter((row) => row.tool === tool);
const kept = async (gw: Kit, { id }: User) => (await gw.store.users.get(id))!;

Deno.test("each page of people is for the master token and for admins of that person", async () => {
  await using gw = await opened();
  const mia = await signedIn(gw, "mia@agency.example", {
    role: "member",
    allowed_sites: ["one"],
    max_risk: 1,
  });
  const app = await person(gw, "app@agency.example", { allowed_sites: ["one"], approve_sites: ["*"] });
  const all = await signedIn(gw, "adam@agency.example", ADMIN);
  const some = await signedIn(gw, "sue@agency.example", { ...ADMIN, allowed_sites: ["two"] });
  const master = await masterBrowser(gw);
  const of = ({ id }: User, more = "") => `/admin/users/${id}${more}`;
  const pages: [string, readonly number[]][] = [
    ["/admin/users", [200, 200, 200, 403]],
    [NEW, [200, 200, 200, 403]],
    [of(mia.user), [200, 200, 403, 403]],
    [of(mia.user, "/remove"), [200, 200, 403, 403]],
    [of(app), [200, 403, 403, 403]],
    [of(app, "/remove"), [200, 403, 403, 403]],
    [of(all.user), [200, 200, 403, 403]],
    [of(all.user, "/remove"), [200, 403, 403, 403]],
    ["/admin/users/none", [404, 404, 404, 403]],
    ["/admin/users/%3Cb%3E", [404, 404, 404, 403]],
  ];
  for (const [path, expected] of pages) {
    const got = [];
    for (const browser of [master, all.browser, some.browser, mia.browser]) {
      got.push((await browser.open(path)).status);
    }
    assert.deepEqual(got, expected, path);
    assert.equal((await new PersonBrowser(gw).open(path)).title, "Sign in", path);
  }
  const listed = plain((await all.browser.open("/admin/users")).text);
  assert.match(listed, /mia@agency\.example/);
  assert.doesNotMatch(listed, /app@agency|sue@agency/);
  assert.match(plain((await master.open("/admin/users?q=app+member")).text), /1 person who fit/);
});

Deno.test("what a person may not do to people is refused, and nothing is stored", async () => {
  await using gw = await opened();
  const mia = await signedIn(gw, "mia@agency.example", {
    role: "member",
    allowed_sites: ["one"],
    max_risk: 1,
  });
  const app = await person(gw, "app@agency.example", { allowed_sites: ["one"], approve_sites: ["*"] });
  const { browser: admin } = await signedIn(gw, "sue@agency.example", { ...ADMIN, allowed_sites: ["two"] });
  const master = await masterBrowser(gw);
  const before = await users(gw);
  const actions = ["", "/invite", "/withdraw", "/sign-out", "/remove"];
  const paths = [mia.user, app].flatMap(({ id }) => actions.map((one) => `/admin/users/${id}${one}`));
  for (const [who, from] of [[admin, NEW], [mia.browser, "/admin/tokens"]] as const) {
    await who.open(from);
    const [, csrf] = /name="csrf" value="([^"]*)"/.exec(who.page!.text)!;
    const body = {
      csrf: csrf!,
      email: "x@agency.example",
      allowed_sites: "two",
      max_risk: "4",
      confirm: "x",
    };
    for (const path of [...paths, NEW]) {
      assert.equal((await who.post(path, new URLSearchParams(body), { stay: true })).status, 403, path);
    }
  }
  await master.open(`/admin/users/${mia.user.id}`);
  for (const path of paths) {
    const forged = await master.post(path, new URLSearchParams({ csrf: "x", confirm: "x" }), { stay: true });
    assert.equal(forged.status, 403, path);
    const out = await new PersonBrowser(gw).post(path, new URLSearchParams({ csrf: "x" }), { stay: true });
    assert.ok([303, 401].includes(out.status), `${path}: ${out.status}`);
  }
  assert.equal(await users(gw), before);
  assert.deepEqual(await rows(gw, "user.create"), []);
  assert.equal((await mia.browser.open("/admin/tokens")).status, 200, "still signed in");
  assert.equal(gw.requests.length, 0);
});

Deno.test("an admin gives what he or she has, and no more, whatever the form says", async () => {
  await using gw = await opened();
  const { browser } = await signedIn(gw, "sue@agency.example", { ...ADMIN, allowed_sites: ["two"] });
  const form = await browser.open(NEW);
  assert.doesNotMatch(form.text, /name="role"|name="approve_sites"|value="one"|value="\*"/);
  assert.match(plain(form.text), /Read what the token's sites show/);
  const fine = { email: "joe@agency.example", allowed_sites: "two", max_risk: "1" };
  const refused: [Record<string, string | string[]>, RegExp, number][] = [
    [{ role: "admin" }, /only the master token makes an admin/, 403],
    [{ approve_sites: "two" }, /only the master token says who approves/, 403],
    [{ allowed_sites: ["one", "two"] }, /users of his or her own sites only/, 403],
    [{ max_risk: "3" }, /3 is beyond your own ceiling, 2/, 403],
    [{ email: HOSTILE.replace("@", " ") }, /expected an e-mail address/i, 400],
    [{ email: "sue@agency.example" }, /is another user's/, 400],
    [{ max_risk: "x" }, /whole number from 0 to 4/, 400],
  ];
  const before = await users(gw);
  for (const [more, why, status] of refused) {
    await browser.open(NEW);
    const page = await browser.submit(NEW, { ...fine, ...more });
    assert.equal(page.status, status, JSON.stringify(more));
    assert.match(unescaped(plain(page.text)), why);
    assert.doesNotMatch(page.text, /<script>alert/);
    assert.match(page.text, /id="email" name="email"[^>]* value="/);
  }
  assert.equal(await users(gw), before);
  await browser.open(NEW);
  const made = await browser.submit(NEW, fine);
  assert.equal(made.title, "The invitation", said(made));
  const joe = (await gw.store.users.byEmail("joe@agency.example"))!;
  assert.deepEqual([joe.role, joe.allowed_sites, joe.max_risk], ["member", ["two"], 1]);
});

Deno.test("a person is invited by a link that is shown once, sent again, withdrawn, signed out and removed", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  await master.open(NEW);
  const page = await master.submit(NEW, {
    email: "joe@agency.example",
    role: "member",
    allowed_sites: "one",
    max_risk: "1",
  });
  const linkOf = (text: string) => /<code class="secret">([^<]+)<\/code>/.exec(text)![1]!;
  const joe = (await gw.store.users.byEmail("joe@agency.example"))!;
  const at = `/admin/users/${joe.id}`;
  const own = await master.open(at);
  assert.doesNotMatch(own.text, /admin\/invitation/);
  assert.match(plain(own.text), /invited until/);
  const again = linkOf((await master.submit(`${at}/invite`, {})).text);
  assert.match((await new PersonBrowser(gw).open(linkOf(page.text))).text, /another|newer|replaced/i);
  await master.open(at);
  assert.match(plain((await master.submit(`${at}/withdraw`, {})).text), /is withdrawn/);
  const late = await new PersonBrowser(gw).open(again);
  assert.doesNotMatch(late.text, /name="passphrase"/);
  assert.doesNotMatch(plain(master.page!.text), /invited until/);
  const third = linkOf((await master.submit(`${at}/invite`, {})).text);
  const browser = new PersonBrowser(gw);
  await browser.join(third);
  assert.equal((await browser.open("/admin/tokens")).title, "Tokens");
  assert.match(plain((await master.open(at)).text), /signed in/);
  await master.submit(`${at}/sign-out`, {});
  assert.equal((await browser.open("/admin/tokens")).title, "Sign in");
  await browser.signIn("joe@agency.example");
  await master.open(`${at}/remove`);
  const kept = await master.submit(`${at}/remove`, { confirm: "joe" });
  assert.equal(kept.status, 400);
  assert.match(unescaped(plain(kept.text)), /exactly as it is written; nobody was removed/);
  assert.notEqual(await gw.store.users.get(joe.id), null);
  const gone = await master.submit(`${at}/remove`, { confirm: "joe@agency.example" });
  assert.match(plain(gone.text), /The person is removed/);
  assert.equal(await gw.store.users.get(joe.id), null);
  assert.equal((await browser.open("/admin/tokens")).title, "Sign in");
  assert.equal((await rows(gw, "user.invite")).length, 4, "three links and a withdrawal");
  assert.doesNotMatch(JSON.stringify(await gw.audit()), /admin\/invitation/);
});

Deno.test("a change is made once: nobody overwrites another unseen, and what was typed stays", async () => {
  await using gw = await opened();
  const joe = await person(gw, "joe@agency.example", { allowed_sites: ["one"], max_risk: 1 });
  const at = `/admin/users/${joe.id}`;
  const [first, second] = [await masterBrowser(gw), await masterBrowser(gw)];
  await first.open(at);
  await second.open(at);
  const form = { email: joe.email, role: "member", allowed_sites: ["one"], max_risk: "1" };
  assert.match(plain((await first.submit(at, form)).text), /Nothing was changed/);
  assert.deepEqual(await rows(gw, "user.change"), []);
  const done = await first.submit(at, { ...form, max_risk: "3", approve_sites: "one" });
  assert.match(plain(done.text), /The person is changed/, said(done));
  const stale = await second.submit(at, { ...form, allowed_sites: ["one", "two"] });
  assert.match(plain(stale.text), /somebody else changed this person/);
  const now = async () => {
    const { allowed_sites, max_risk, approve_sites } = await kept(gw, joe);
    return [allowed_sites, max_risk, approve_sites];
  };
  assert.deepEqual(await now(), [["one"], 3, ["one"]]);
  assert.match(stale.text, /name="allowed_sites" value="two" type="checkbox" checked/);
  const wrong = await second.submit(at, { ...form, approve_sites: "two" });
  assert.equal(wrong.status, 400);
  assert.match(plain(wrong.text), /on sites of allowed_sites only/);
  await second.submit(at, { ...form, allowed_sites: ["one", "two"], approve_sites: ["one", "two"] });
  assert.deepEqual(await now(), [["one", "two"], 1, ["one", "two"]]);
  const [last] = (await rows(gw, "user.change")).toSorted((a, b) => a.at < b.at ? 1 : -1);
  assert.doesNotMatch(JSON.stringify(last), /"email"/);
});

Deno.test("tokens and clients of a person are the person's and the master token's to see", async () => {
  await using gw = await opened();
  const mia = await signedIn(gw, "mia@agency.example", {
    role: "member",
    allowed_sites: ["one"],
    max_risk: 1,
  });
  const { browser: admin } = await signedIn(gw, "adam@agency.example", ADMIN);
  await gw.store.tokens.create({
    name: `<b>mia's</b>`,
    env: "prod",
    allowed_sites: ["one"],
    allowed_tools: ["*"],
    max_risk: 1,
    skip_write_confirm: false,
    owner_user_id: mia.user.id,
    super_admin: false,
  });
  const at = `/admin/users/${mia.user.id}`;
  const theirs = await admin.open(at);
  assert.doesNotMatch(theirs.text, /mia&#39;s|mia's/);
  assert.match(plain(theirs.text), /and the master token see the tokens and clients/);
  const all = await (await masterBrowser(gw)).open(at);
  assert.match(all.text, /&lt;b&gt;mia/);
  assert.doesNotMatch(all.text, /<b>mia/);
});

Deno.test("markup in an e-mail address is text, and two thousand people are pages of fifty", async () => {
  await using gw = await opened();
  const bad = await person(gw, HOSTILE);
  const master = await masterBrowser(gw);
  for (const path of ["/admin/users", `/admin/users/${bad.id}`, `/admin/users/${bad.id}/remove`]) {
    const { text, status } = await master.open(path);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /<script>alert/, path);
  }
  const grants = { role: "member", allowed_sites: ["one"], max_risk: 1 } as const;
  for (let at = 0; at < 120; at++) await gw.store.users.create({ ...grants, email: `p${at}@agency.example` });
  const { text } = await master.open("/admin/users");
  assert.ok(text.length < 100_000);
  const next = unescaped(/<a href="([^"]*after=[^"]*)"/.exec(text)![1]!);
  const seen = new Set<string>();
  for (let to: string | undefined = "/admin/users"; to;) {
    const page: string = (await master.open(to)).text;
    for (const [, id] of page.matchAll(/href="\/admin\/users\/([^"/]+)"/g)) seen.add(id!);
    to = unescaped(/<a href="([^"]*after=[^"]*)">Next/.exec(page)?.[1] ?? "") || undefined;
  }
  assert.ok(next.startsWith("/admin/users?after="));
  assert.equal(seen.size, 121 + 1, "with the button to invite");
  assert.ok(await joined(gw, bad));
});

Deno.test("somebody who became an approver meanwhile is no longer an admin's to change", async () => {
  await using gw = await opened();
  const { user } = await signedIn(gw, "adam@agency.example", ADMIN);
  const joe = await person(gw, "joe@agency.example", { allowed_sites: ["one"], max_risk: 1 });
  const { users: stored, sites } = gw.store;
  const users = {
    get: (id: string) => stored.get(id),
    async update(...[id, patch, judge]: Parameters<typeof stored.update>) {
      await stored.update(id, { approve_sites: ["one"] });
      return await stored.update(id, patch, judge);
    },
  };
  const ports = { store: { users, sites }, record: () => assert.fail("nothing was done") };
  await assert.rejects(
    changeUser(ports as unknown as AdminPorts, callerOfPerson(user), joe.id, { max_risk: 2 }),
    /may approve/,
  );
  assert.equal((await kept(gw, joe)).max_risk, 1);
});

Deno.test("sites of a person are ticked by project and paged, each list on its own, and nothing ticked is lost", async () => {
  const sites = Array.from(
    { length: 60 },
    (_, n) => site(`s${n + 10}`, "cms", { project_id: n < 20 ? "north" : null }),
  );
  await using gw = await gateway({ sites });
  await gw.store.projects.create({ id: "north", name: "North", confirm_policy: "flag" });
  const browser = await masterBrowser(gw);
  await browser.open("/admin/users/new");
  const form = { email: "joe@agency.example", role: "member", max_risk: "1", approve_sites: "s10" };
  const shown = await browser.submit("/admin/users/new", { ...form, allowed_sites_go: "all north" });
  assert.match(shown.text, /20 of 60 sites are chosen[\s\S]*1 of 60 sites are chosen/);
  assert.match(shown.text, /value="joe@agency\.example"/);
  assert.equal((await gw.store.users.list()).length, 0);
  const north = sites.slice(0, 20).map(({ id }) => id);
  await browser.submit("/admin/users/new", { ...form, allowed_sites: north });
  const [joe] = await gw.store.users.list();
  assert.deepEqual([joe!.allowed_sites, joe!.approve_sites], [north, ["s10"]]);
});
