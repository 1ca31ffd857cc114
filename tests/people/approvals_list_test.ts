/** The list of approvals, several decided together, and pages that stay small whatever fills them. */
import assert from "node:assert/strict";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import { bytesOf, plain, said } from "./kit.ts";

const LIST = "/admin/approvals";

Deno.test("a long text has a bounded page and is approved where all of it was shown", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const content_html = "<p>All of this is new &amp; long.</p>\n".repeat(6000);
  const asked = await ask(at, edit(at, { content_html }));
  const path = `${LIST}/${asked.approval.id}`;
  const page = await bea.browser.open(path);
  assert.ok(bytesOf(page.text) < 100_000, `${bytesOf(page.text)}`);
  assert.match(plain(page.text), /characters have no room here\. Show all of it/);
  assert.doesNotMatch(page.text, /action="[^"]*\/approve"/);
  assert.match(page.text, /action="[^"]*\/reject"/);
  const whole = await bea.browser.open(`${path}?whole=1`);
  assert.ok(bytesOf(whole.text) > 200_000);
  assert.match(plain((await bea.browser.submit(`${path}/approve`, {})).text), /Approved by bea@/);
  assert.equal(at.draft.content, content_html);
});

Deno.test("a page stays small whatever fills it: signs that stand as their numbers, many fields, many marks", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const fills = ["\u202e<&".repeat(20_000), "a b ".repeat(20_000), "<p>\u0627</p>\u200b\n".repeat(8000)];
  at.edit(at.draft, { content: "a c ".repeat(20_000) });
  for (const content_html of fills) {
    const asked = await ask(
      at,
      edit(at, { content_html, tags: Array.from({ length: 50 }, (_, n) => `t${n}\u202e`) }),
    );
    for (const view of ["inline", "side"]) {
      const { text } = await bea.browser.open(`${LIST}/${asked.approval.id}?view=${view}`);
      assert.ok(bytesOf(text) < 100_000, `${view}: ${bytesOf(text)}`);
      assert.match(plain(text), /characters have no room here/);
    }
  }
});

Deno.test("of a long text with few changes the page shows those, with what stands around them", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const text = Array.from(
    { length: 4000 },
    (_, at) => `<p>Sentence ${at} of a text that stays as it is.</p>\n`,
  ).join("");
  at.edit(at.draft, { content: text });
  const content_html = text.replace("Sentence 2000 of", "Line 2000 of");
  const asked = await ask(at, edit(at, { content_html }));
  for (const view of ["inline", "side"]) {
    const { text: page } = await bea.browser.open(`${LIST}/${asked.approval.id}?view=${view}`);
    assert.match(page, /<del>Sentence<\/del>[\s\S]*<ins>Line<\/ins>/);
    assert.match(plain(page), /characters stay as they are/);
    assert.ok(bytesOf(page) < 20_000, `${bytesOf(page)}`);
    assert.match(page, /\/approve"/);
  }
});

Deno.test("the list is narrowed by site, project, person, client, age and tier, and has pages", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const { gw } = at.kit;
  await gw.store.projects.create({ id: "north", name: "<North>" });
  await gw.store.sites.update("open", { project_id: "north" });
  for (let n = 0; n < 24; n++) await ask(at, edit(at, { title: `Number ${n}` }));
  gw.clock.now += 2 * 3600_000 - 1000;
  await ask(at, { site_id: "acme", title: "On acme", content_html: "<p>x</p>" }, "create_draft");
  const ids = async (query: string) =>
    [...(await bea.browser.open(`${LIST}${query}`)).text.matchAll(/name="id" value="(\w+)"/g)].length;
  assert.deepEqual(
    await Promise.all(
      ["", "?page=2", "?page=99", "?site=acme", "?site=open", "?project=north", "?waits=1"].map(ids),
    ),
    [20, 5, 5, 1, 20, 20, 20],
  );
  assert.deepEqual(
    await Promise.all(
      ["?waits=24", "?tier=1", "?tier=3", "?person=-", "?person=nobody", "?client=nobody"].map(ids),
    ),
    [0, 20, 0, 20, 0, 0],
  );
  const page = await bea.browser.open(`${LIST}?project=north&chosen=all`);
  assert.match(page.text, /<title>\(25\) /);
  assert.match(page.text, /&lt;North&gt;/);
  assert.equal(page.text.match(/checked/g)?.length, 20);
  assert.ok(bytesOf(page.text) < 100_000);
  await bea.browser.open(`${LIST}?project=%22%3E%3Cscript%3E&page=-1`);
  assert.equal(bea.browser.page!.text.match(/<script/g)?.length, 1, "the one of ours");
});

Deno.test("many are looked at and decided together: each as it was shown, what goes wrong by its name", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const one = await ask(at, { site_id: "acme", title: "First", content_html: "<p>x</p>" }, "create_draft");
  const two = await ask(at, { site_id: "open", title: "Second", content_html: "<p>x</p>" }, "create_draft");
  const three = await ask(at);
  const ids = [one, two, three].map(({ approval }) => approval.id);
  const together = `${LIST}/together`;
  const query = new URLSearchParams(ids.map((id) => ["id", id]));
  const page = await bea.browser.open(`${together}?${query}`);
  assert.equal(page.title, "3 requests");
  assert.match(plain(page.text), /First.*Second.*Your decision on 3 requests/);
  const fields = (name: string) =>
    [...page.text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, "g"))].map(([, value]) => value!)
      .slice(0, 3);
  at.edit(at.draft, { title: "By a person" });
  const done = await bea.browser.submit(`${together}/approve`, { id: fields("id"), shown: fields("shown") });
  assert.equal(done.status, 200);
  assert.match(plain(done.text), /2 of 3 are decided/);
  assert.match(said(done), /is not what you were shown any more, so nothing was written/);
  assert.equal(at.draft.title, "By a person");
  assert.deepEqual(
    await Promise.all(ids.map(async (id) => (await at.kit.gw.store.approvals.find(id))!.state)),
    ["approved", "approved", "pending"],
  );
  await bea.browser.open(`${together}?${query}`);
  const no = await bea.browser.submit(`${together}/reject`, { words: "Not these" });
  assert.match(plain(no.text), /Rejected by bea@.*“Not these”/);
});

Deno.test("together as well the site is typed where something goes live; none, too many and unknown ones are refused", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const live = await ask(at, { site_id: "open", post_id: at.draft.id }, "publish_post");
  const draft = await ask(at, { site_id: "acme", title: "First", content_html: "<p>x</p>" }, "create_draft");
  const together = `${LIST}/together`;
  const query = new URLSearchParams([live, draft].map(({ approval }) => ["id", approval.id]));
  const page = await bea.browser.open(`${together}?${query}`);
  const all = (name: string) =>
    [...page.text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, "g"))].map(([, value]) => value!)
      .slice(0, 2);
  const fields = { id: all("id"), shown: all("shown") };
  const refused = await bea.browser.submit(`${together}/approve`, { ...fields, typed: "acme" });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /id="typed-error">Type “open”/);
  assert.deepEqual([at.kit.writes, at.draft.status], [0, "draft"]);
  const done = await bea.browser.submit(`${together}/approve`, { ...fields, typed: "open" });
  assert.match(plain(done.text), /2 of 2 are decided/);
  assert.equal((await bea.browser.open(together)).status, 400);
  assert.equal((await bea.browser.open(`${together}?id=nothing`)).status, 404);
  const many = new URLSearchParams(Array.from({ length: 21 }, (_, n) => ["id", `x${n}`]));
  assert.match(said(await bea.browser.open(`${together}?${many}`)), /20 are decided together at most/);
});
