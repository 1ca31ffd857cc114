/** What a person approved is taken back from its page: asked for, shown, and approved as every other write. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { operator, plain, said } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

const LIST = "/admin/approvals";
type Approver = Awaited<ReturnType<typeof approver>>;

/** A request that the person has approved on its page. */
async function approved(at: World, { browser }: Approver, args: Args = edit(at), tool = "update_draft") {
  const path = `${LIST}/${(await ask(at, args, tool)).approval.id}`;
  await browser.open(path);
  const done = await browser.submit(`${path}/approve`, {});
  assert.match(plain(done.text), /Approved by/, said(done));
  return path;
}

/** What stands on the site, and how often it was written to. */
const state = (at: World) => ({ title: at.draft.title, writes: at.kit.writes });

Deno.test("a person asks for it back on its page, is shown what would stand there again, and only a yes does it", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const path = await approved(at, bea);
  assert.deepEqual(state(at), { title: "From an agent", writes: 1 });
  const asked = await bea.browser.submit(`${path}/undo`, {});
  assert.notEqual(asked.path, path);
  assert.match(asked.title, /^Take back a change on /);
  assert.match(asked.text, /<del>From an agent<\/del>[\s\S]*<ins>Before<\/ins>/);
  assert.match(plain(asked.text), /Asked by bea@agency\.example on these pages/);
  assert.deepEqual(state(at), { title: "From an agent", writes: 1 }, "asking has written nothing");
  await bea.browser.open(path);
  assert.equal((await bea.browser.submit(`${path}/undo`, {})).path, asked.path, "asked again it is the same");
  const done = await bea.browser.submit(`${asked.path}/approve`, {});
  assert.match(plain(done.text), /Approved by bea@agency\.example.*Verified: the site's own answer/);
  assert.equal(at.draft.title, "Before");
  const told = await bea.browser.open(path);
  assert.match(plain(told.text), /It was taken back since, by request \w{26}/);
  assert.doesNotMatch(told.text, /\/undo"/);
  const rows = (await at.kit.gw.audit()).filter(({ tool, outcome }) =>
    tool === "undo_change" && outcome === "made"
  );
  assert.deepEqual(
    rows.map((row) => [row.door, row.token_id, row.token_name, row.owner_user_id, row.approved_by]),
    [["admin", bea.user.id, "bea@agency.example", bea.user.id, "bea@agency.example"]],
  );
  const again = await bea.browser.submit(`${asked.path}/undo`, {}).catch(() => null);
  assert.equal(again, null, "of a page that it does not show");
  await bea.browser.open(asked.path);
  const redo = await bea.browser.submit(`${asked.path}/undo`, {});
  await bea.browser.submit(`${redo.path}/approve`, {});
  assert.equal(at.draft.title, "From an agent", "taking back can be taken back");
});

Deno.test("what somebody changed since is not taken back: refused where it is asked for, and where it is approved", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const path = await approved(at, bea);
  const asked = await bea.browser.submit(`${path}/undo`, {});
  at.edit(at.draft, { title: "By a person" });
  const late = await bea.browser.submit(`${asked.path}/approve`, {});
  assert.equal(late.status, 409);
  assert.match(said(late), /"title" changed since/);
  assert.deepEqual(state(at), { title: "By a person", writes: 1 });
  await bea.browser.open(path);
  const refused = await bea.browser.submit(`${path}/undo`, {});
  assert.match(said(refused), /"title" changed since/);
  assert.match(refused.text, /Approved by/, "the page is shown again");
  assert.equal(at.kit.writes, 1);
});

Deno.test("who may not approve on every site is given no way to, nor is who asked; under four eyes it takes another person", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const [ann, ben] = [
    await approver(at, "ann@agency.example", { approve_sites: [] }),
    await approver(at, "ben@agency.example"),
  ];
  const token = (await at.kit.gw.store.tokens.list()).find(({ name }) => name === "asks")!;
  await at.kit.gw.store.tokens.update(token.id, { owner_user_id: ann.user.id } as never);
  const path = await approved(at, bea);
  await at.kit.gw.store.sites.update("open", { four_eyes: true });
  const fields = new URLSearchParams({ site: "open" });
  for (const who of [ann]) {
    const csrf = /name="csrf" value="([^"]+)"/.exec((await who.browser.open("/admin/tokens")).text)![1]!;
    const sent = await who.browser.post(`${path}/undo`, new URLSearchParams({ csrf, site: "open" }));
    assert.ok([403, 404].includes(sent.status), String(sent.status));
  }
  assert.equal((await bea.browser.post(`${path}/undo`, fields)).status, 403, "without the form's proof");
  await bea.browser.open(path);
  const asked = await bea.browser.submit(`${path}/undo`, {});
  assert.match(plain(asked.text), /another person than the one whose client asked must approve/);
  await ben.browser.open(asked.path);
  await at.kit.gw.store.tokens.revoke(token.id);
  const done = await ben.browser.submit(`${asked.path}/approve`, {});
  assert.match(plain(done.text), /Approved by ben@/, "though the token that wrote it is revoked");
  assert.equal(at.draft.title, "Before");
});

Deno.test("a site frozen meanwhile, a person who lost the right, one who is gone: nothing goes back", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const bea = await approver(at);
  const path = await approved(at, bea);
  const asked = await bea.browser.submit(`${path}/undo`, {});
  await operator(gw, "POST", "freezes", { scope: "site", id: "open", reason: "x" });
  assert.match(said(await bea.browser.submit(`${asked.path}/approve`, {})), /is frozen/);
  await bea.browser.open(path);
  assert.match(said(await bea.browser.submit(`${path}/undo`, {})), /is frozen/);
  await operator(gw, "POST", "freezes/lift", { scope: "site", id: "open" });
  const ben = await approver(at, "ben@agency.example");
  await ben.browser.open(asked.path);
  await gw.store.users.update(bea.user.id, { approve_sites: [] });
  const ended = await ben.browser.submit(`${asked.path}/approve`, {});
  assert.match(plain(ended.text), /Ended undecided.*does not stand any more/);
  assert.deepEqual(state(at), { title: "From an agent", writes: 1 });
  await ben.browser.open(path);
  const theirs = await ben.browser.submit(`${path}/undo`, {});
  await gw.store.users.remove(ben.user.id);
  await gw.gateway.approvals.run();
  const kept = await gw.store.approvals.find(theirs.path.split("/").at(-1)!);
  assert.equal(kept!.state, "expired");
  assert.equal(at.kit.writes, 1);
});

Deno.test("of a set each site goes back by itself, with all that was done there", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const order = {
    title: "A set",
    changes: [
      { tool: "update_draft", arguments: { site_id: "open", post_id: at.draft.id, title: "From a set" } },
      { tool: "update_draft", arguments: { site_id: "open", post_id: at.draft.id, excerpt: "Of a set" } },
      { tool: "create_draft", arguments: { site_id: "acme", title: "New", content_html: "<p>x</p>" } },
    ],
  };
  const path = await approved(at, bea, order, "prepare_changes");
  assert.equal(at.draft.title, "From a set");
  at.kit.gw.clock.now += 2 * 24 * 3600_000;
  const { browser } = await approver(at, "ben@agency.example"); // bea's session has ended
  const page = await browser.open(path);
  assert.match(
    plain(page.text),
    /Take it back on open.*It cannot be taken back on acme\. What is made new stays/,
  );
  const asked = await browser.submit(`${path}/undo`, { site: "open" });
  assert.match(asked.title, /^Take back 2 changes on /);
  const done = await browser.submit(`${asked.path}/approve`, {});
  assert.match(plain(done.text), /Approved by ben@/);
  assert.deepEqual([at.draft.title, at.draft.excerpt], ["Before", "Short"]);
  assert.match(plain((await browser.open(path)).text), /It was taken back on open since/);
});

Deno.test("where nothing is kept the page says so, and nothing can be asked for", async () => {
  await using at = await asking({ settings: { undoDays: 0 } });
  const bea = await approver(at);
  const path = await approved(at, bea);
  const page = await bea.browser.open(path);
  assert.match(plain(page.text), /It cannot be taken back by the gateway/);
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)![1]!;
  const sent = await bea.browser.post(`${path}/undo`, new URLSearchParams({ csrf, site: "open" }));
  assert.match(said(sent), /nothing is kept that could go back/);
  assert.equal(at.kit.writes, 1);
});

Deno.test("who signed in with the master token is given the command that takes it back", async () => {
  await using at = await asking();
  const master = await masterBrowser(at.kit.gw);
  const call = `${LIST}/${(await ask(at)).approval.id}`;
  await master.open(call);
  const done = await master.submit(`${call}/approve`, {});
  assert.match(
    plain(done.text),
    /Approved by master token.*npx -y deno@2\.9 task admin undo 01\w{24} --site open/,
  );
  const set = await ask(
    at,
    { title: "A set", changes: [{ tool: "update_draft", arguments: edit(at, { title: "Of a set" }) }] },
    "prepare_changes",
  );
  const path = `${LIST}/${set.approval.id}`;
  await master.open(path);
  assert.match(
    plain((await master.submit(`${path}/approve`, {})).text),
    /task admin undo --set 01\w{24} --site open/,
  );
});
