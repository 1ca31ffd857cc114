/** The pages on which people try tools: what may be chosen, how arguments are filled in, and that a press writes once. */
import assert from "node:assert/strict";
import { ChangingSource, offer } from "../changing_source.ts";
import { gateway, site } from "../kit.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { served } from "../tools/_served.ts";
import { world } from "../tools/_stand_in.ts";
import { bytesOf, PersonBrowser, plain, said, signedIn, unescaped } from "./kit.ts";
import { before, calls, formAt, TRY, UNDO } from "./try_kit.ts";
import { masterBrowser } from "./master_kit.ts";

Deno.test("tools are grouped as the catalogue groups them, found by words, and only those of the site's kind and the person", async () => {
  await using gw = await gateway({ sites: [site("one", "cms"), site("two", "static"), site("far", "cms")] });
  const { browser } = await signedIn(gw, "mia@agency.example", {
    role: "member",
    allowed_sites: ["one", "two"],
    max_risk: 1,
  });
  const cms = await browser.open(`${TRY}?site=one`);
  assert.equal(cms.status, 200);
  assert.match(plain(cms.text), /Articles, their images and categories .*update_draft/);
  assert.doesNotMatch(cms.text, /tool=(?:write_static_file|publish_post|call_write_tool)"|>far</);
  assert.ok(bytesOf(cms.text) < 100_000);
  const files = await browser.open(`${TRY}?site=two`);
  assert.doesNotMatch(files.text, /update_draft/);
  const found = await browser.open(`${TRY}?site=one&q=write+a+new+article`);
  assert.match(plain(found.text), /Tools for “write a new article” .*create_draft/);
  assert.ok(found.text.length < cms.text.length);
  for (
    const [path, status] of [[formAt("update_draft", "far"), 403], [
      formAt("publish_post", "one"),
      400,
    ]] as const
  ) {
    assert.equal((await browser.open(path)).status, status, path);
  }
  assert.equal((await browser.open(formAt("nothing_such", "one"))).status, 404);
  assert.equal((await new PersonBrowser(gw).open(`${TRY}?site=one`)).title, "Sign in");
  assert.equal(gw.requests.length, 0);
});

Deno.test("a read is answered as facts and as JSON, kept for its session, and not run again by a reload", async () => {
  await using at = await world();
  const { user, browser } = await before(at, "get_post");
  assert.match(browser.page!.text, /arg\.post_id/);
  const page = await browser.submit(TRY, { "arg.post_id": String(at.draft.id), max_risk: "0" });
  assert.equal(page.status, 200, plain(page.text));
  assert.match(page.path, /^\/admin\/try\/[0-9A-Z]{26}$/);
  assert.match(plain(page.text), /What it answered .*Before/);
  const sent = at.cms.requests.length;
  assert.match((await browser.open(page.path)).text, /What it answered/);
  assert.equal(at.cms.requests.length, sent);
  const [row] = await calls(at);
  assert.deepEqual(
    [row!.tool, row!.owner_user_id, row!.status, row!.site_id, row!.door],
    ["get_post", user.id, "ok", "open", "admin"],
  );
  assert.match(page.text, new RegExp(`/admin/audit/${row!.request_id}`));
  const text = unescaped(page.text);
  assert.match(text, /-H "Authorization: Bearer \$TOKEN"/);
  assert.match(text, /"method": "tools\/call"/);
  const other = await signedIn(at.kit.gw, "bob@agency.example", {
    role: "member",
    allowed_sites: ["*"],
    max_risk: 3,
  });
  assert.equal((await other.browser.open(page.path)).status, 404);
});

Deno.test("the token of a trial is for its person, tool and site, has no text, and ends with time and with the session", async () => {
  await using at = await world();
  const { user, browser } = await before(at, "get_post");
  const { path } = await browser.submit(TRY, { "arg.post_id": String(at.draft.id), max_risk: "0" });
  const [row] = await calls(at);
  const token = await at.kit.gw.store.tokens.get(row!.token_id);
  const { allowed_sites, allowed_tools, max_risk, skip_write_confirm, confirm_policy, owner_user_id } =
    token!;
  assert.deepEqual(
    { allowed_sites, allowed_tools, max_risk, skip_write_confirm, confirm_policy, owner_user_id },
    {
      ...{ allowed_sites: ["open"], allowed_tools: ["get_post"], max_risk: 0, skip_write_confirm: false },
      ...{ confirm_policy: "preview", owner_user_id: user.id },
    },
  );
  assert.equal(Date.parse(token!.expires_at!) - at.kit.gw.clock.now, 15 * 60_000);
  assert.deepEqual((await at.kit.gw.store.tokens.list()).filter(({ name }) => name === "Try"), []);
  const made = (await at.kit.gw.audit()).find(({ tool }) => tool === "token.create");
  assert.equal(made?.owner_user_id, user.id);
  at.kit.gw.clock.now += 15 * 60_000;
  assert.equal((await browser.open(path)).status, 404);
});

Deno.test("what is wrong with arguments stands at its field, what was typed stays, and nothing is sent", async () => {
  await using at = await world();
  const { browser } = await before(at, "list_posts");
  const table: [string, Record<string, string>, RegExp][] = [
    ["get_post", {}, /post_id is required/],
    ["get_post", { "arg.post_id": "no id!" }, /post_id: expected/],
    ["list_content", { "arg.per_page": "many" }, /per_page: expected a whole number/],
    ["get_post", { as_json: "{" }, /It is not a JSON object/],
    ["get_post", { as_json: '{"posst_id": 1}' }, /unknown argument, did you mean post_id/],
    ["get_post", { "arg.post_id": "1", max_risk: "4" }, /max_risk: expected a whole number from 0 to 3/],
  ];
  for (const [tool, fields, expected] of table) {
    await browser.open(formAt(tool));
    const page = await browser.submit(TRY, { max_risk: "0", ...fields });
    const name = `${tool} ${JSON.stringify(fields)}`;
    assert.equal(page.status, 400, name);
    assert.match(unescaped(page.text), expected, name);
    assert.match(page.text, /Nothing was sent to the site/, name);
    const { max_risk: _, ...typed } = fields as Record<string, string>;
    for (const value of Object.values(typed)) assert.ok(unescaped(page.text).includes(value), name);
  }
  await browser.open(formAt("get_post"));
  const { text } = await browser.submit(TRY, { "arg.post_id": "no id!", max_risk: "0" });
  assert.match(text, /aria-describedby="arg\.post_id-hint arg\.post_id-error"/);
  await browser.open(formAt("update_draft"));
  const write = await browser.submit(TRY, {
    "arg.post_id": "no id!",
    "arg.title": "x".repeat(2001),
    max_risk: "1",
  });
  for (const name of ["post_id", "title"]) assert.match(write.text, new RegExp(`id="arg\\.${name}-error"`));
  assert.equal(at.cms.requests.length, 0);
});

Deno.test("a write is shown first; its button writes once, however often and wherever it is pressed", async () => {
  await using at = await world();
  const { user, browser } = await before(at, "update_draft");
  const shown = await browser.submit(TRY, {
    "arg.post_id": String(at.draft.id),
    "arg.title": "After <b>it</b>",
    max_risk: "1",
  });
  assert.match(plain(shown.text), /Nothing was changed yet.*Now Then/);
  assert.ok(shown.text.includes("After") && !shown.text.includes("<b>it"));
  assert.equal(at.kit.writes, 0);
  const action = `${shown.path}/confirm`;
  const token = /name="confirm_token" value="([^"]+)"/.exec(shown.text)![1]!;
  const wrong = await browser.submit(action, { confirm_token: "cft_other" });
  assert.match(said(wrong), /not that of what was shown/);
  assert.equal(at.kit.writes, 0);
  await browser.open(shown.path);
  const tab = browser.stolen(); // another tab of the same browser
  await tab.open(shown.path);
  const [done, second] = await Promise.all([browser.submit(action, {}), tab.submit(action, {})]);
  assert.match(plain(done.text), /carried out/);
  assert.match(plain(second.text), /carried out/);
  await browser.open(shown.path);
  assert.equal(browser.page!.text.includes(token), false);
  assert.equal(at.kit.writes, 1);
  assert.equal(at.draft.title, "After <b>it</b>");
  const made = (await calls(at)).filter(({ outcome, repeats }) =>
    outcome === "made" && repeats === undefined
  );
  assert.deepEqual(made.map(({ tool, owner_user_id }) => [tool, owner_user_id]), [["update_draft", user.id]]);
});

Deno.test("what a trial has changed is taken back by another, from its page and from its row, by its person alone", async () => {
  await using at = await world({ realClock: true });
  const { browser } = await before(at, "update_draft");
  const shown = await browser.submit(TRY, {
    "arg.post_id": String(at.draft.id),
    "arg.title": "After",
    max_risk: "1",
  });
  const done = await browser.submit(`${shown.path}/confirm`, {});
  assert.equal(at.draft.title, "After");
  assert.match(plain(done.text), /The way back .*Take it back/);
  const [row] = (await calls(at)).filter(({ outcome }) => outcome === "made");
  const other = await signedIn(at.kit.gw, "ed@agency.example", {
    role: "member",
    allowed_sites: ["*"],
    max_risk: 3,
  });
  const csrf = /name="csrf" value="([^"]+)"/.exec((await other.browser.open(TRY)).text)![1]!;
  const forged = await other.browser.post(
    UNDO,
    new URLSearchParams({ csrf, request_id: row!.request_id }),
  );
  assert.equal(forged.status, 404);
  await browser.open(`/admin/audit/${row!.request_id}`);
  const back = await browser.submit(UNDO, {});
  assert.match(plain(back.text), /Nothing was changed yet/, plain(back.text));
  assert.match(plain((await browser.submit(`${back.path}/confirm`, {})).text), /carried out/);
  assert.equal(at.draft.title, "Before");
});

Deno.test("a refusal is a sentence with its code, and says what became of the change", async () => {
  await using at = await world();
  const { browser } = await before(at, "update_draft");
  const capped = await browser.submit(TRY, {
    "arg.post_id": String(at.draft.id),
    "arg.title": "x",
    max_risk: "0",
  });
  assert.match(plain(capped.text), /E_SCOPE_DENIED/);
  assert.equal((await calls(at))[0]!.status, "risk_capped");
  assert.equal(at.cms.requests.length, 0);
  await browser.open(formAt("update_draft"));
  const shown = await browser.submit(TRY, {
    "arg.post_id": String(at.draft.id),
    "arg.title": "x",
    max_risk: "1",
  });
  at.edit(at.draft, { title: "Somebody else's" });
  const stale = await browser.submit(`${shown.path}/confirm`, {});
  assert.match(plain(stale.text), /E_STALE_PREVIEW/);
  assert.match(stale.text, /\/admin\/try\?from=/);
  const again = await browser.open(`${TRY}?from=${shown.path.slice(TRY.length + 1)}`);
  assert.match(again.text, /name="arg\.title"[\s\S]*?>\s*x|value="x"/);
  assert.equal(at.kit.writes, 0);
});

Deno.test("posts from elsewhere, of another session, and of one that has ended send nothing", async () => {
  await using at = await world();
  const { browser } = await before(at, "update_draft");
  const fields = { "arg.post_id": String(at.draft.id), "arg.title": "After", max_risk: "1" };
  const shown = await browser.submit(TRY, fields);
  const action = `${shown.path}/confirm`;
  const sent = at.cms.requests.length;
  const elsewhere = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
  assert.equal((await browser.submit(action, {}, elsewhere)).status, 403);
  await browser.open(formAt("update_draft"));
  assert.equal((await browser.submit(TRY, fields, elsewhere)).status, 403);
  await browser.open(shown.path);
  assert.equal((await browser.submit(action, { csrf: "forged" })).status, 403);
  const other = await signedIn(at.kit.gw, "bob@agency.example", {
    role: "admin",
    allowed_sites: ["*"],
    max_risk: 3,
  });
  const csrf = /name="csrf" value="([^"]+)"/.exec((await other.browser.open(TRY)).text)![1]!;
  assert.equal(
    (await other.browser.post(action, new URLSearchParams({ csrf, confirm_token: "x" }))).status,
    404,
  );
  const thief = browser.stolen();
  await thief.open(formAt("update_draft"));
  await browser.open("/admin");
  await browser.submit("/admin/sign-out", {});
  const ended = await thief.submit(TRY, fields);
  assert.equal(ended.title, "Your session has ended");
  assert.ok(ended.text.includes("After"), "what was typed is not lost");
  assert.equal(at.cms.requests.length, sent);
});

Deno.test("the master token tries with a super-admin token of fifteen minutes, in its own name", async () => {
  await using at = await world();
  const browser = await masterBrowser(at.kit.gw);
  assert.match(plain((await browser.open(TRY)).text), /The master token is no person/);
  await browser.open(formAt("get_post"));
  const page = await browser.submit(TRY, { "arg.post_id": String(at.draft.id), max_risk: "0" });
  assert.match(plain(page.text), /What it answered/);
  const [row] = await calls(at);
  assert.equal(row!.owner_user_id, null);
  const token = await at.kit.gw.store.tokens.get(row!.token_id);
  assert.equal(token!.super_admin, true);
  assert.equal((await masterBrowser(at.kit.gw).then((one) => one.open(page.path))).status, 404);
  const none = await gateway();
  await using _ = none;
  const empty = await (await masterBrowser(none)).open(TRY);
  assert.match(plain(empty.text), /There is no site to try a tool on/);
});

Deno.test("a site's own tool is tried too: a write without a preview is asked for before it is sent, and sent once", async () => {
  const ran: unknown[] = [];
  const big = {
    rows: Array.from({ length: 30_000 }, (_, n) => ({ n, text: `<img src=x onerror=alert(${n})>\u202e` })),
  };
  const source = new ChangingSource(
    offer("forms_list", ["one"], { run: () => big }),
    offer("forms_send", ["one"], { writes: true, run: (args) => (ran.push(args), { sent: true }) }),
  );
  await using gw = await gateway({ sites: [site("one", "cms")], sources: [source] });
  const { browser } = await signedIn(gw, "mia@agency.example", {
    role: "member",
    allowed_sites: ["*"],
    max_risk: 3,
  });
  await browser.open(formAt("forms_list", "one"));
  const read = await browser.submit(TRY, { "arg.text": "all", max_risk: "2" });
  assert.match(plain(read.text), /the first 25 of 30000/);
  assert.ok(bytesOf(read.text) < 100_000, String(bytesOf(read.text)));
  assert.doesNotMatch(read.text, /<img/);
  await browser.open(formAt("forms_send", "one"));
  const asked = await browser.submit(TRY, { "arg.text": "hello", max_risk: "2" });
  assert.match(plain(asked.text), /Nothing was sent yet/);
  assert.deepEqual(ran, []);
  const tab = browser.stolen();
  await tab.open(asked.path);
  const action = `${asked.path}/confirm`;
  await Promise.all([browser.submit(action, {}), tab.submit(action, {})]);
  assert.deepEqual(ran, [{ text: "hello" }]);
});

Deno.test("the token of what calls other tools is for those, on the sites that its arguments name", async () => {
  await using at = await world();
  const { browser } = await before(at, "prepare_changes");
  const item = {
    tool: "update_draft",
    arguments: { site_id: "open", post_id: at.draft.id, title: "In a set" },
  };
  const fields = { "arg.title": "A set", "arg.changes": JSON.stringify([item]), max_risk: "1" };
  const shown = await browser.submit(TRY, fields);
  assert.match(plain(shown.text), /What it would change .*In a set/, plain(shown.text));
  const [row] = await calls(at);
  const token = await at.kit.gw.store.tokens.get(row!.token_id);
  assert.deepEqual(token!.allowed_tools, ["prepare_changes", "update_draft"]);
  assert.deepEqual(token!.allowed_sites, ["open"]);
  await browser.submit(`${shown.path}/confirm`, {});
  assert.equal(at.draft.title, "In a set");
});

Deno.test("where a person must approve, what waits ends with the session that it was tried in", async () => {
  await using at = await world();
  await at.kit.gw.store.sites.update("open", { confirm_policy: "human" });
  const { browser } = await before(at, "update_draft");
  const shown = await browser.submit(TRY, {
    "arg.post_id": String(at.draft.id),
    "arg.title": "After",
    max_risk: "1",
  });
  assert.match(plain(shown.text), /A person has to approve it/);
  const [id] = /\/admin\/approvals\/[0-9A-Z]{26}/.exec(shown.text)!;
  const master = await masterBrowser(at.kit.gw);
  assert.match(plain((await master.open(id)).text), /Approve/);
  await browser.submit("/admin/sign-out", {});
  assert.match(plain((await master.open(id)).text), /does not stand any more/);
  assert.equal(at.kit.writes, 0);
});

Deno.test("what a CRM's own tool would send is shown first where its site asks for it, and is sent once", async () => {
  for (const asks of [{ confirm_proxied: true }, { confirm_policy: "human" }] as const) {
    await using at = await served();
    await at.gw.store.sites.update("crm", asks);
    const { browser } = await signedIn(at.gw, "mia@agency.example", {
      role: "member",
      allowed_sites: ["*"],
      max_risk: 3,
    });
    const tool = "conversations_send-a-new-message";
    const sent = () => at.hosted.ran.filter((one) => one.tool === tool).length;
    await browser.open(formAt(tool, "crm"));
    const message = {
      type: "SMS",
      subType: "SMS",
      contactId: "contact-1",
      status: "pending",
      message: "At 9",
    };
    const shown = await browser.submit(TRY, { as_json: JSON.stringify(message), max_risk: "2" });
    assert.match(plain(shown.text), /Nothing was changed yet.*Recipient nothing .*<.*At 9/);
    assert.equal(sent(), 0);
    if ("confirm_policy" in asks) {
      assert.match(plain(shown.text), /A person has to approve it/);
      continue;
    }
    const action = `${shown.path}/confirm`;
    const tab = browser.stolen();
    await tab.open(shown.path);
    const both = await Promise.all([browser.submit(action, {}), tab.submit(action, {})]);
    for (const page of both) assert.match(plain(page.text), /carried out/);
    assert.equal(sent(), 1);
  }
});

Deno.test("where the site does not hold what was sent, the page does not call it carried out", async () => {
  await using at = await world({ realClock: true });
  const { browser } = await before(at, "prepare_changes");
  const item = (post_id: number, title: string) => ({
    tool: "update_draft",
    arguments: { site_id: "open", post_id, title },
  });
  const second = addPost(at.cms.state, { type: "post", author: 2, title: "Second", slug: "second" });
  const changes = JSON.stringify([item(at.draft.id, "In a set"), item(second.id, "In it too")]);
  const fields = { "arg.title": "A set", "arg.changes": changes, max_risk: "2" };
  const shown = await browser.submit(TRY, fields);
  assert.match(plain(shown.text), /Nothing was changed yet/, plain(shown.text));
  at.cms.inject({ kind: "answer", status: 400, body: { code: "no", message: "No" } }, { method: "POST" });
  const done = await browser.submit(`${shown.path}/confirm`, {});
  assert.match(plain(done.text), /It was sent\. Not all of it is as it was asked for/, plain(done.text));
  assert.doesNotMatch(plain(done.text), /It was carried out/);
});
