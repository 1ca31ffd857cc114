/** The pages of approvals: what is asked is read, decided, and told of, by who may; every word of a site is text. */
import assert from "node:assert/strict";
import { approver, ask, type Asked, asking, confirm, edit } from "../tools/_approvals.ts";
import { heldWorld } from "../tools/_held.ts";
import { operator, PersonBrowser, plain, said, signedIn, unescaped } from "./kit.ts";

const LIST = "/admin/approvals";
/** Elements of somebody else, and signs that turn or hide a text; pictures and frames of ours are below the request. */
const ALIEN =
  /<script|<(img|iframe) (?!src="\/admin\/approvals\/\w+\/(pictures|documents)\/\w+" )|[\u202e\u2066\u200b]/;

Deno.test("a request is read on its page, approved, and what came of it stands there; the agent is told the same", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at, edit(at, { title: "After", content_html: "<p>Old and new</p>" }));
  const path = `${LIST}/${asked.approval.id}`;
  const list = await bea.browser.open(LIST);
  assert.match(list.text, /<title>\(1\) Approvals · /);
  assert.ok(list.text.includes(`href="${path}"`));
  const page = await bea.browser.open(path);
  assert.equal(page.title, 'Change the draft post "Before" on open');
  assert.match(page.text, /<del>Before<\/del>[\s\S]*<ins>After<\/ins>/);
  assert.match(page.text, /&lt;p&gt;Old<ins> and new<\/ins>&lt;\/p&gt;/);
  assert.match(plain(page.text), /Visitors get nothing of it until somebody publishes it/);
  assert.match(plain(page.text), /Asked by the token “asks”/);
  assert.equal(page.headers.get("cache-control"), "no-store");
  assert.doesNotMatch(page.text, /cft_|<script/);
  assert.equal(at.kit.writes, 0);
  const done = await bea.browser.submit(`${path}/approve`, {});
  assert.equal(done.path, path, "led back to the page of the request");
  assert.match(
    plain(done.text),
    /Approved by bea@agency\.example.*Verified.*You are shown what would stand there again.*Take it back/,
  );
  assert.doesNotMatch(done.text, /\/approve"/);
  assert.equal(at.draft.title, "After");
  const told = await confirm(at, asked, edit(at, { title: "After", content_html: "<p>Old and new</p>" }));
  assert.equal("code" in told, false);
  assert.match((await bea.browser.open(`${LIST}?state=decided`)).text, new RegExp(asked.approval.id));
  assert.match((await bea.browser.open(LIST)).text, /<title>Approvals · [\s\S]*Nothing waits for a person/);
});

Deno.test("where something goes live the name of the site is typed; a no goes with words, in one line", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at, { site_id: "open", post_id: at.draft.id }, "publish_post");
  const path = `${LIST}/${asked.approval.id}`;
  const page = await bea.browser.open(path);
  assert.match(plain(page.text), /Visitors get it as soon as you approve it.*What visitors see differently/);
  for (const typed of ["", "acme", "op en"]) {
    const refused = await bea.browser.submit(`${path}/approve`, { typed });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /id="typed-error">Type “open”, so that it is the site you mean</);
  }
  assert.equal(at.draft.status, "draft");
  const live = await bea.browser.submit(`${path}/approve`, { typed: "  OPEN " });
  assert.match(plain(live.text), /Approved by bea@.*Live: visitors get it/);
  assert.match(live.text, /Its address: <a href="https?:\/\/[^"]+" rel="noopener noreferrer"/);
  assert.equal(at.draft.status, "publish");

  const other = await ask(at, { site_id: "open", title: "New", content_html: "<p>x</p>" }, "create_draft");
  const there = `${LIST}/${other.approval.id}`;
  await bea.browser.open(there);
  const long = await bea.browser.submit(`${there}/reject`, { words: "x".repeat(1001) });
  assert.equal(long.status, 400);
  assert.match(long.text, /id="words-error">/);
  const no = await bea.browser.submit(`${there}/reject`, {
    words: "Not <b>now</b>\r\n\r\n wait for\nthe relaunch",
  });
  assert.match(plain(no.text), /Rejected by bea@.*“Not <b>now<\/b> wait for the relaunch”/);
  assert.doesNotMatch(no.text, /<b>/);
});

Deno.test("markup, turned texts and hidden signs of a request or its site are shown as text", async () => {
  await using at = await asking();
  const bea = await approver(at);
  at.edit(at.draft, { content: "<p>old</p>\u202e<img src=x onerror=alert(1)>" });
  const title = '"><script>alert(1)</script>\u202eevil\u200b';
  const asked = await ask(at, edit(at, { title, content_html: "<p>new</p><iframe src=//x></iframe>\u2066" }));
  for (const query of ["", "?view=side", "?whole=1", "?view=side&whole=1"]) {
    const { text } = await bea.browser.open(`${LIST}/${asked.approval.id}${query}`);
    assert.doesNotMatch(text, ALIEN);
    assert.match(text, /<span class="sign">U\+202E turned right to left<\/span>/);
    assert.match(unescaped(text), /<script>alert\(1\)<\/script>/);
  }
  for (const path of [LIST, `${LIST}/together?id=${asked.approval.id}`]) {
    const { text } = await bea.browser.open(path);
    const foreign = text.replace(/<script type="module" src="\/admin\/assets\/[^"]*"><\/script>/, "");
    assert.doesNotMatch(foreign, ALIEN);
  }
});

Deno.test("what was changed meanwhile is said on opening, and between opening and pressing it is shown again", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at);
  const path = `${LIST}/${asked.approval.id}`;
  assert.doesNotMatch((await bea.browser.open(path)).text, /was changed since the agent asked/);
  at.edit(at.draft, { title: "By a person" });
  const late = await bea.browser.submit(`${path}/approve`, {});
  assert.equal(late.status, 409);
  assert.match(said(late), /is not what you were shown any more, so nothing was written/);
  assert.match(late.text, /was changed since the agent asked/);
  assert.match(plain(late.text), /By a person/);
  assert.deepEqual([at.kit.writes, at.draft.title], [0, "By a person"]);
  assert.match((await bea.browser.open(path)).text, /was changed since the agent asked/);
  const done = await bea.browser.submit(`${path}/approve`, {});
  assert.match(plain(done.text), /Approved by bea@/, "what the page shows by now is what is approved");
});

Deno.test("two people: the second is shown what the first decided; a right that is gone finds nothing", async () => {
  await using at = await asking();
  const [bea, ben] = [await approver(at), await approver(at, "ben@agency.example")];
  const eve = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const asked = await ask(at);
  const path = `${LIST}/${asked.approval.id}`;
  await bea.browser.open(path);
  await ben.browser.open(path);
  assert.equal((await eve.browser.open(path)).status, 404);
  assert.equal((await eve.browser.open(LIST)).text.includes(asked.approval.id), false);
  assert.match(plain((await bea.browser.submit(`${path}/reject`, { words: "no" })).text), /Rejected by bea@/);
  const second = await ben.browser.submit(`${path}/approve`, {});
  assert.match(said(second), /was rejected already, by bea@agency\.example/);

  const other = await ask(at, edit(at, { title: "Other" }));
  const there = `${LIST}/${other.approval.id}`;
  await bea.browser.open(there);
  await at.kit.gw.store.users.update(bea.user.id, { approve_sites: [] });
  assert.equal((await bea.browser.submit(`${there}/approve`, {})).status, 404);
  assert.equal(at.kit.writes, 0);
});

Deno.test("a form of another site, or without its proof, decides nothing", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at);
  const one = `${LIST}/${asked.approval.id}`;
  const page = await bea.browser.open(one);
  const policy = page.headers.get("content-security-policy")!;
  assert.match(policy, /^default-src 'none'; style-src 'self'; form-action 'self';/);
  const shown = /name="shown" value="([^"]*)"/.exec(page.text)![1]!;
  const together = `${LIST}/together`;
  const fields = { id: asked.approval.id, shown };
  for (const path of [`${one}/approve`, `${one}/reject`, `${together}/approve`, `${together}/reject`]) {
    assert.equal((await bea.browser.post(path, new URLSearchParams(fields))).status, 403, path);
    await bea.browser.open(path.startsWith(one) ? one : `${together}?id=${fields.id}`);
    const crossed = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
    assert.equal((await bea.browser.submit(path, fields, crossed)).status, 403, path);
  }
  assert.equal((await at.kit.gw.store.approvals.find(asked.approval.id))!.state, "pending");
  assert.equal(at.kit.writes, 0);
});

Deno.test("signed out the link of a request leads to the sign-in and shows nothing of it", async () => {
  await using at = await asking();
  const asked = await ask(at, edit(at, { title: "A secret plan" }));
  const stranger = new PersonBrowser(at.kit.gw);
  for (
    const path of [asked.approval.url, LIST, `${LIST}/together?id=${asked.approval.id}`, `${LIST}/nothing`]
  ) {
    const page = await stranger.open(path, { stay: true });
    const next = encodeURIComponent(path.replace("http://127.0.0.1:8000", ""));
    assert.deepEqual([page.status, page.path], [303, `/admin/sign-in?next=${next}`]);
    assert.ok(!(await stranger.open(path)).text.includes("secret plan"));
  }
  const bea = await approver(at);
  await bea.browser.open(`${LIST}/${asked.approval.id}`);
  bea.browser.cookies.clear();
  const out = await bea.browser.submit(`${LIST}/${asked.approval.id}/approve`, {});
  assert.deepEqual([out.title, at.kit.writes], ["Sign in", 0]);
  assert.ok(out.text.includes(`value="${LIST}/${asked.approval.id}"`), "and back to the request");
});

Deno.test("who asked sees the request and who decides on it, and under four eyes cannot approve it", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const [ann, bea] = [await approver(at, "ann@agency.example"), await approver(at)];
  const { text } = await gw.store.tokens.create({
    ...{
      name: "hers",
      env: "prod",
      allowed_sites: ["*"],
      allowed_tools: ["*"],
      max_risk: 2,
      super_admin: false,
    },
    ...{ skip_write_confirm: false, confirm_policy: "human", owner_user_id: ann.user.id },
  });
  const response = await gw.http("/api/v1/tools/update_draft", {
    method: "POST",
    headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
    body: JSON.stringify(edit(at)),
  });
  const path = `${LIST}/${(await response.json()).result.approval.id}`;
  await gw.store.sites.update("open", { four_eyes: true });
  const page = await ann.browser.open(path);
  assert.match(plain(page.text), /another person than the one whose client asked must approve/);
  assert.doesNotMatch(page.text, /action="[^"]*\/(approve|reject)"/);
  const list = await ann.browser.open(LIST);
  assert.match(list.text, /<title>Approvals · /);
  assert.match(plain(list.text), /1 request waits; you may decide on none/);
  await bea.browser.open(path);
  const csrf = /name="csrf" value="([^"]+)"/.exec(list.text)![1]!;
  const sent = await ann.browser.post(`${path}/approve`, new URLSearchParams({ csrf, shown: "x.1" }));
  assert.equal(sent.status, 403);
  assert.match(said(sent), /another person than the one whose client asked must approve/);
  assert.match(plain(bea.browser.page!.text), /Asked by the token “hers”, for ann@agency\.example/);
  assert.match(plain((await bea.browser.submit(`${path}/approve`, {})).text), /Approved by bea@/);
  const told = await ann.browser.open(path);
  assert.match(plain(told.text), /Approved by bea@agency\.example/);
});

Deno.test("what cannot be carried out while the page is open says why, and can be rejected all the same", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at);
  const path = `${LIST}/${asked.approval.id}`;
  await bea.browser.open(path);
  await operator(at.kit.gw, "POST", "freezes", { scope: "site", id: "open", reason: "the <relaunch>" });
  const frozen = await bea.browser.submit(`${path}/approve`, {});
  assert.match(said(frozen), /the <relaunch>/);
  assert.doesNotMatch(frozen.text, /\/approve"/);
  assert.match(
    plain((await bea.browser.open(path)).text),
    /It cannot be carried out now: Site "open" is frozen/,
  );
  const no = await bea.browser.submit(`${path}/reject`, {});
  assert.match(plain(no.text), /Rejected by bea@/);

  await operator(at.kit.gw, "POST", "freezes/lift", { scope: "site", id: "open" });
  const late = await ask(at, edit(at, { title: "Late" }));
  const there = `${LIST}/${late.approval.id}`;
  await bea.browser.open(there);
  at.kit.gw.clock.now += 3600_000;
  const token = (await at.kit.gw.store.tokens.list()).find(({ name }) => name === "asks")!;
  await at.kit.gw.store.tokens.revoke(token.id);
  const ended = await bea.browser.submit(`${there}/approve`, {});
  assert.match(plain(ended.text), /Ended undecided at .*does not stand any more/);
  assert.doesNotMatch(ended.text, /action="[^"]*\/(approve|reject)"/);
  assert.equal(at.kit.writes, 0);
});

Deno.test("a call of a site's own tool is read by its dry run, and its effects are kept as they were shown", async () => {
  await using at = await heldWorld({ kit: { tokens: { watched: { confirm_policy: "human" } } } });
  const { browser } = await signedIn(at.gw, "bea@agency.example", { approve_sites: ["*"] });
  const page = at.tools.page({ title: "About" });
  const args = {
    ...{ site_id: "acme", post_id: page.id, widget_type: "heading" },
    parent_id: at.tools.state.pages.get(page.id)!.elements[0]!.id,
    settings: { title: "New <b>", align: "left" },
  };
  const asked = await at.gw.call<Asked>("builder-mcp-add-free-widget", args, { as: "watched" });
  const path = `${LIST}/${asked.approval.id}`;
  const shown = await browser.open(path);
  assert.match(plain(shown.text), /New <b>/);
  assert.doesNotMatch(shown.text, /was changed since the agent asked/);
  const before = at.site();
  const done = await browser.submit(`${path}/approve`, {});
  assert.match(plain(done.text), /Approved by bea@.*Verified/);
  assert.notEqual(at.site(), before);
});

Deno.test("a write that failed is told of on the page: it waits on, or nobody knows", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const path = `${LIST}/${(await ask(at)).approval.id}`;
  await bea.browser.open(path);
  at.cms.inject({ kind: "answer", status: 400, body: { code: "no", message: "No <b>" } }, { method: "POST" });
  const waits = await bea.browser.submit(`${path}/approve`, {});
  assert.match(said(waits), /400/);
  at.cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
  const unknown = await bea.browser.submit(`${path}/approve`, {});
  assert.match(said(unknown), /the outcome is unknown/);
  const page = await bea.browser.open(path);
  assert.match(plain(page.text), /Approved by bea@.*It failed:.*Nobody knows whether it was done/);
  assert.match(
    plain((await bea.browser.open(`${LIST}?state=decided`)).text),
    /nobody knows whether it was done/,
  );
});
