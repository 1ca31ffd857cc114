/** The pages of the audit and of changes: who sees which row, the filters, one row opened, what is taken back and how. */
import assert from "node:assert/strict";
import { encodeTime } from "ulid";
import type { AuditRow, User } from "../../core/model.ts";
import { gateway, type Kit, NOW, site } from "../kit.ts";
import { PersonBrowser, plain, said, signedIn, unescaped } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";
import { world } from "../tools/_stand_in.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>\u202eabc`;
const idAt = (n: number) => encodeTime(NOW - n * 1000, 10) + String(n).padStart(16, "0");

/** A row of a call `n` seconds ago. */
async function called(gw: Kit, n: number, more: Partial<AuditRow> = {}): Promise<string> {
  const id = idAt(n);
  await gw.store.audit.append({
    ...{ id, request_id: id, at: new Date(NOW - n * 1000).toISOString(), door: "mcp", tool: "update_draft" },
    ...{ token_id: "t", token_name: "an agent", owner_user_id: null, site_id: "one", tier: 1 },
    ...{ arguments: { title: "New" }, status: "ok", error: null, duration_ms: 5 },
    ...more,
  });
  return id;
}

const opened = async () => await gateway({ sites: [site("one", "cms"), site("two", "static")] });
const made = { outcome: "made", changes: [{ field: "title", from: "Old", to: "New" }] } as const;
const shown = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/href="\/admin\/audit\/([0-9A-Z]{26})"/g)].map(([, id]) => id);

Deno.test("each row is seen by the master token, its person, and admins of all its sites; to others it is not there", async () => {
  await using gw = await opened();
  const mia = await signedIn(gw, "mia@agency.example", { role: "member", allowed_sites: ["*"] });
  const all = await signedIn(gw, "adam@agency.example", { role: "admin", allowed_sites: ["*"], max_risk: 2 });
  const two = await signedIn(gw, "sue@agency.example", {
    role: "admin",
    allowed_sites: ["two"],
    max_risk: 2,
  });
  const master = await masterBrowser(gw);
  const of = ({ id }: User) => ({ owner_user_id: id });
  const table: [Partial<AuditRow>, readonly boolean[]][] = [
    [{}, [true, true, false, false]],
    [{ site_id: "two" }, [true, true, true, false]],
    [{ site_id: "two", target_site_id: "one" }, [true, true, false, false]],
    [{ site_id: "two", calls: [{ tool: "x", site_id: "one", tier: 1, error: null }] }, [
      true,
      true,
      false,
      false,
    ]],
    [{ site_id: null, tool: "user.create" }, [true, false, false, false]],
    [of(mia.user), [true, true, false, true]],
    [{ ...of(mia.user), site_id: null }, [true, false, false, true]],
    [{ ...of(two.user), site_id: "one" }, [true, true, true, false]],
  ];
  for (const [n, [more, expected]] of table.entries()) {
    const id = await called(gw, 1000 + n, { ...made, ...more });
    const browsers = [master, all.browser, two.browser, mia.browser];
    for (const [at, browser] of browsers.entries()) {
      const name = `${JSON.stringify(more)} ${at}`;
      const isSeen = expected[at]!;
      assert.equal((await browser.open(`/admin/audit/${id}`)).status, isSeen ? 200 : 404, name);
      for (const path of ["/admin/audit", "/admin/changes"]) {
        const page = await browser.open(path);
        assert.equal(page.status, 200);
        assert.equal(shown(page).includes(id), isSeen, `${path} ${name}`);
      }
    }
  }
  for (const path of ["", "/newer", `/${idAt(1000)}`]) {
    const page = await new PersonBrowser(gw).open(`/admin/audit${path}`);
    assert.ok(path === "/newer" ? page.status === 401 : page.title === "Sign in", path);
  }
  const asked = await mia.browser.open(`/admin/audit?person=${all.user.id}`);
  assert.deepEqual(shown(asked), []);
  assert.equal((await master.open("/admin/audit/nothing")).status, 404);
  assert.equal(gw.requests.length, 0);
});

Deno.test("rows are found by each filter of the address, and what is wrong with one is said", async () => {
  await using gw = await opened();
  const { user } = await signedIn(gw, "mia@agency.example", { role: "member", allowed_sites: ["*"] });
  const master = await masterBrowser(gw);
  const set = idAt(9000);
  const id = await called(gw, 500, {
    ...{ ...made, site_id: "two", tool: "publish_post", status: "error", token_id: "other" },
    ...{
      token_name: "the other",
      owner_user_id: user.id,
      client_id: "https://c.example/x",
      set_id: set,
      item: 2,
    },
  });
  await called(gw, 400);
  const time = (n: number) => new Date(NOW - n * 1000).toISOString();
  const found = [
    "site=two",
    "tool=publish_post",
    "status=error",
    "outcome=made",
    "person=mia@agency.example&site=two",
    `person=${user.id}&site=two`,
    "client=https://c.example/x",
    "token=the other",
    `set=${set}`,
    `from=${time(501)}&to=${time(499)}`,
  ];
  for (const query of found) {
    const page = await master.open(`/admin/audit?${query}`);
    assert.deepEqual(shown(page), [id], `${query} ${said(page)}`);
    for (const [, value] of new URLSearchParams(query)) {
      assert.ok(page.text.includes(`value="${value}"`), `${query} stays in the form`);
    }
  }
  const day = time(500).slice(0, 10);
  const ofDay = await master.open(`/admin/audit?set=${set}&from=${day}&to=${day}`);
  assert.deepEqual(shown(ofDay), [id], "until a day has that day in it");
  assert.match(ofDay.text, new RegExp(`<input id="to" name="to" type="date" value="${day}"`));
  assert.deepEqual(shown(await master.open(`/admin/audit?set=${set}&to=1999-12-31`)), []);
  for (
    const query of ["status=none", "site=Not An Id", "from=yesterday", "person=no@agency.example", "cursor=x"]
  ) {
    const page = await master.open(`/admin/audit?${query}`);
    assert.equal(page.status, 400, query);
    assert.ok(said(page).includes(query.split("=")[0]!), said(page));
  }
  const newer = await master.open(`/admin/audit/newer?site=one&since=${idAt(400)}`);
  assert.deepEqual(JSON.parse(newer.text), { count: 0, most: 50 });
  await called(gw, 300);
  const one = await master.open(`/admin/audit/newer?site=one&since=${idAt(400)}`);
  assert.equal(JSON.parse(one.text).count, 1);
  assert.match(unescaped((await master.open("/admin/audit?site=two")).text), /audit\.ndjson\?site_id=two"/);
  const lines = await master.api("GET", "audit?site_id=two");
  assert.equal(lines.status, 200);
});

Deno.test("a long audit is paged by its cursor, also for who sees few of its rows", async () => {
  await using gw = await opened();
  const { browser } = await signedIn(gw, "sue@agency.example", {
    role: "admin",
    allowed_sites: ["two"],
    max_risk: 2,
  });
  const own: string[] = [];
  for (let n = 1; n <= 330; n++) {
    const id = await called(gw, 2000 - n, { site_id: n % 3 === 0 ? "two" : "one" });
    if (n % 3 === 0) own.unshift(id);
  }
  const met: (string | undefined)[] = [];
  for (let path: string | undefined = "/admin/audit?tool=update_draft"; path !== undefined;) {
    const page = await browser.open(path);
    assert.ok(shown(page).length <= 50);
    met.push(...shown(page));
    const older: RegExpExecArray | null = /href="([^"]*)">Older</.exec(page.text);
    path = older === null ? undefined : unescaped(older[1]!);
  }
  assert.deepEqual(met, own);
});

Deno.test("a row is opened to what was asked, decided and changed; markup and hidden signs stand there as text", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  const id = await called(gw, 100, {
    ...{ tool: HOSTILE, token_name: HOSTILE, arguments: { [HOSTILE]: HOSTILE }, error: HOSTILE },
    ...{ outcome: "unknown", changes: [{ field: HOSTILE, from: HOSTILE, to: HOSTILE }], client_id: HOSTILE },
    ...{ approved_by: HOSTILE, shown_to: HOSTILE, approval_id: HOSTILE, set_id: HOSTILE, result_id: HOSTILE },
    ...{ made: [{ what: HOSTILE, id: HOSTILE, name: HOSTILE }], carried_out: [HOSTILE], paths: [HOSTILE] },
    ...{ calls: [{ tool: HOSTILE, site_id: HOSTILE, tier: 1, error: HOSTILE }], _published: true },
  });
  for (const path of [`/admin/audit/${id}`, "/admin/audit", "/admin/changes"]) {
    const { text, status } = await master.open(path);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /<img|\u202e/, path);
    assert.match(text, /&lt;img src=x/, path);
  }
  const text = plain((await master.open(`/admin/audit/${id}`)).text);
  for (
    const says of [
      "Nobody knows whether",
      "Approved by",
      "Visitors got it at once",
      "Record it",
      "drafts (T1)",
    ]
  ) {
    assert.ok(text.includes(says), says);
  }
});

Deno.test("what was found of a write in doubt is recorded with the master token, and stays typed where it is wrong", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  const { browser } = await signedIn(gw, "adam@agency.example", { role: "admin", allowed_sites: ["*"] });
  const id = await called(gw, 100, { ...made, outcome: "unknown" });
  const [page, resolve] = [`/admin/audit/${id}`, `/admin/audit/${id}/resolve`];
  const theirs = await browser.open(page);
  assert.match(plain(theirs.text), /tell whoever holds the master token/);
  const csrf = /name="csrf" value="([^"]*)"/.exec((await browser.open("/admin/account")).text)![1]!;
  const body = new URLSearchParams({ csrf, found: "made", note: "it is there" });
  assert.equal((await browser.post(resolve, body)).status, 403);
  await master.open(page);
  const wrong = await master.submit(resolve, { found: "none", note: " " });
  assert.equal(wrong.status, 400);
  assert.match(plain(wrong.text), /Expected a text of 1 to 500 characters/);
  assert.match(wrong.text, /value="none"[^>]* checked/);
  const unchosen = await master.submit(resolve, { note: HOSTILE });
  assert.match(plain(unchosen.text), /Choose one of them\./);
  assert.doesNotMatch(unchosen.text, /<img/);
  const done = await master.submit(resolve, { found: "none", note: "Opened the post: the old title" });
  assert.match(plain(done.text), /found it not made: Opened the post: the old title/);
  assert.equal(done.text.includes("Record it"), false);
  const again = await master.post(resolve, new URLSearchParams({ found: "made", note: "x" }));
  assert.equal(again.status, 403, "without its proof");
  assert.equal(gw.requests.length, 0);
});

Deno.test("taking back needs the proof of the form and our own pages; refused it sends nothing", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  const { browser } = await signedIn(gw, "adam@agency.example", {
    role: "admin",
    allowed_sites: ["*"],
    max_risk: 2,
  });
  const UNDO = "/admin/changes/undo";
  const proofOf = (page: { readonly text: string }) => /name="csrf" value="([^"]*)"/.exec(page.text)![1]!;
  const id = await called(gw, 100, made);
  const fields = { request_id: id };
  const foreign = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
  const csrf = proofOf(await master.open("/admin/changes"));
  const theirs = proofOf(await browser.open("/admin/changes"));
  const rows = (await gw.audit()).length;
  const table = [
    [master, { ...fields, csrf: "made-up" }, {}, 403],
    [master, { ...fields }, {}, 403],
    [master, { ...fields, csrf }, foreign, 403],
    [browser, { request_id: "x", csrf: theirs }, {}, 404],
    [master, { csrf, request_id: "x" }, {}, 404],
    [master, { csrf }, {}, 400],
  ] as const;
  for (const [who, body, options, status] of table) {
    assert.equal(
      (await who.post(UNDO, new URLSearchParams(body), options)).status,
      status,
      JSON.stringify(body),
    );
  }
  assert.equal((await gw.audit()).length, rows, "no tool was called");
  const kept = await master.post(UNDO, new URLSearchParams({ csrf, ...fields }));
  assert.equal(kept.title, "It was not taken back");
  assert.match(plain(kept.text), /nothing is kept/);
  assert.equal(gw.requests.length, 0);
});

Deno.test("the master token is shown what would be put back, and only its confirmation does it", async () => {
  await using at = await world({ realClock: true });
  const args = { site_id: "open", post_id: at.draft.id, title: "From an agent", confirm: true };
  await at.kit.gw.call("update_draft", args);
  const { request_id } = (await at.kit.gw.audit()).find(({ outcome }) => outcome === "made")!;
  const master = await masterBrowser(at.kit.gw);
  const list = await master.open("/admin/changes");
  assert.ok(shown(list).includes(request_id), said(list));
  const writes = at.kit.writes;
  const asked = await master.submit("/admin/changes/undo", {});
  assert.equal(asked.title, "Take it back?", said(asked));
  assert.match(plain(asked.text), /From an agent.*Before/);
  assert.equal(at.kit.writes, writes, "showing has written nothing");
  const forged = new URLSearchParams({ confirm_token: "made-up" });
  forged.set("csrf", /name="csrf" value="([^"]*)"/.exec(asked.text)![1]!);
  assert.notEqual((await master.post(`${asked.path}/confirm`, forged)).status, 200);
  assert.equal(at.kit.writes, writes);
  await master.open(asked.path);
  const done = await master.submit(`${asked.path}/confirm`, {});
  assert.equal(done.title, "Taken back", said(done));
  assert.equal(at.draft.title, "Before");
  const row = await master.open(`/admin/audit/${request_id}`);
  assert.match(plain(row.text), /Taken back by \w{26}/);
  assert.match(plain(row.text), /Before.*From an agent/);
});

Deno.test("where nobody knows what became of it, the page does not say that it was not taken back", async () => {
  await using at = await world({ realClock: true });
  const args = { site_id: "open", post_id: at.draft.id, title: "From an agent", confirm: true };
  await at.kit.gw.call("update_draft", args);
  const master = await masterBrowser(at.kit.gw);
  await master.open("/admin/changes");
  const asked = await master.submit("/admin/changes/undo", {});
  at.cms.inject({ kind: "answer", status: 500, body: {}, applied: true }, { method: "POST" });
  const failed = await master.submit(`${asked.path}/confirm`, {});
  assert.equal(at.draft.title, "Before", "it was taken back all the same");
  assert.equal(failed.title, "It is not known whether it was taken back", said(failed));
});

Deno.test("the changes of a site and of days are a file, whose cells no spreadsheet runs; a person gets his or her own", async () => {
  await using gw = await gateway({ sites: [site("one", "cms"), site("two", "cms")] });
  const { user, browser } = await signedIn(gw, "mia@agency.example", { allowed_sites: ["one"] });
  const change = { ...made, tool: "update_draft", token_name: '=cmd|"x"' };
  const first = await called(gw, 86_400, { ...change, site_id: "one", owner_user_id: user.id });
  const other = await called(gw, 86_401, { ...change, site_id: "two" });
  await called(gw, 86_400 * 40, { ...change, site_id: "one" });
  const master = await masterBrowser(gw);
  const day = new Date(NOW - 86_400_000).toISOString().slice(0, 10);
  const list = await master.open(`/admin/changes?site=one&from=${day}&to=${day}`);
  const [, href] = /<a href="(\/admin\/changes\/file\.csv[^"]*)"/.exec(list.text)!;
  const file = await master.open(href!.replaceAll("&amp;", "&"));
  assert.equal(file.headers.get("content-type"), "text/csv; charset=utf-8");
  const lines = file.text.trimEnd().split("\r\n");
  assert.equal(lines.length, 2);
  assert.match(lines[1]!, new RegExp(`^"${day} [^"]*","one","update_draft",.*"'=cmd\\|""x""".*"${first}"$`));
  assert.ok((await master.open("/admin/changes/file.csv")).text.includes(other));
  const own = (await browser.open("/admin/changes/file.csv")).text;
  assert.ok(own.includes(first) && !own.includes(other));
});
