/** The inbox and the page of a request: what a person reads, and decides by forms, without scripts. */
import assert from "node:assert/strict";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import { PersonBrowser, said, unescaped } from "./kit.ts";

const INBOX = "/admin/approvals";
const textOf = (html: string) => unescaped(html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "));

Deno.test("the inbox lists what waits for the person, with its count, and is narrowed by what is chosen", async () => {
  await using at = await asking();
  const { browser } = await approver(at);
  const { browser: other } = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const first = await ask(at);
  at.kit.gw.clock.now += 90 * 60_000;
  await ask(at, { site_id: "open", title: "New", content_html: "<p>x</p>" }, "create_draft");
  const page = await browser.open(INBOX);
  assert.match(page.text, /<title>Approvals \(2\) · /);
  assert.ok(page.text.includes(`href="${INBOX}/${first.approval.id}"`));
  assert.match(
    page.headers.get("content-security-policy")!,
    /^default-src 'none'; style-src 'self'; form-action/,
  );
  assert.match((await browser.open(`${INBOX}?age=hour`)).title, /^Approvals \(1\)$/);
  assert.match((await browser.open(`${INBOX}?age=day`)).text, /Nothing fits what was chosen/);
  assert.match((await browser.open(`${INBOX}?site=acme`)).title, /\(0\)/);
  assert.match((await browser.open(`${INBOX}?client=asks&tier=1`)).title, /\(2\)/);
  const nothing = await other.open(INBOX);
  assert.match(nothing.text, /Nothing waits for you/);
  assert.match((await other.open(`${INBOX}/${first.approval.id}`)).title, /There is no such page/);
});

Deno.test("of very many the oldest are shown, on a page that stays small", async () => {
  const tokens = {
    a: { confirm_policy: "human" },
    b: { confirm_policy: "human" },
    c: { confirm_policy: "human" },
  } as const;
  await using at = await asking({ tokens });
  for (const as of Object.keys(tokens)) {
    for (let n = 0; n < 70; n++) await ask(at, edit(at, { title: `${as} ${n}` }), "update_draft", as);
  }
  const { browser } = await approver(at);
  const page = await browser.open(INBOX);
  assert.equal(page.title, "Approvals (210)");
  assert.match(page.text, /10 more are not shown; narrow the list/);
  assert.ok(page.text.length < 100_000, String(page.text.length));
});

Deno.test("signed out the link of a request leads to the sign-in and shows nothing of it", async () => {
  await using at = await asking();
  const asked = await ask(at, edit(at, { title: "A secret plan" }));
  const stranger = new PersonBrowser(at.kit.gw);
  const page = await stranger.open(asked.approval.url, { stay: true });
  assert.deepEqual([page.status, page.path], [
    303,
    `/admin/sign-in?next=${encodeURIComponent(`${INBOX}/${asked.approval.id}`)}`,
  ]);
  assert.ok(!(await stranger.open(asked.approval.url)).text.includes("secret plan"));
});

Deno.test("the page of a request marks the words that change, says who asks, and a form carries it out", async () => {
  await using at = await asking();
  const { browser } = await approver(at);
  const asked = await ask(at, edit(at, { title: "Before <b>noon</b>\u202e", excerpt: "" }));
  const path = `${INBOX}/${asked.approval.id}`;
  const page = await browser.open(path);
  assert.match(page.text, /<ins><span class="heard">comes:<\/span>/);
  const text = textOf(page.text);
  assert.match(text, /Before/);
  assert.ok(
    text.includes("<b>noon</b>⟨U+202E⟩"),
    "markup and what turns a line around are shown, and do nothing",
  );
  assert.match(text, /Who asks asks /);
  assert.match(text, /tier 1: drafts/);
  assert.ok(!page.text.includes(asked.confirm_token));
  const done = await browser.submit(`${path}/approve`, {});
  assert.deepEqual([done.status, done.path], [200, path]);
  assert.match(
    textOf(done.text),
    /It was approved by bea@agency\.example at .* the site holds what was asked for/,
  );
  assert.equal(at.kit.writes, 1);
  assert.doesNotMatch(done.text, /action="[^"]*\/(approve|reject)"/);
});

Deno.test("what changed while the page was open is shown again, and decided then", async () => {
  await using at = await asking();
  const { browser } = await approver(at);
  const asked = await ask(at);
  const path = `${INBOX}/${asked.approval.id}`;
  await browser.open(path);
  at.edit(at.draft, { title: "A person's own" });
  const again = await browser.submit(`${path}/approve`, {});
  assert.equal(again.status, 409);
  assert.match(said(again), /is not what you were shown any more/);
  assert.match(textOf(again.text), /A person's own/);
  assert.equal(at.kit.writes, 0);
  await browser.submit(`${path}/approve`, {});
  assert.deepEqual([at.kit.writes, at.draft.title], [1, "From an agent"]);
});

Deno.test("what visitors get at once takes the site's id, typed; a no takes words, or none", async () => {
  await using at = await asking();
  const { browser } = await approver(at);
  const args = { site_id: "open", post_id: at.draft.id };
  const path = `${INBOX}/${(await ask(at, args, "publish_post")).approval.id}`;
  await browser.open(path);
  const refused = await browser.submit(`${path}/approve`, { typed: "acme" });
  assert.match(said(refused), /^The site, typed: type open; nothing was written/);
  assert.equal(at.kit.writes, 0);
  await browser.submit(`${path}/approve`, { typed: "open" });
  assert.equal(at.draft.status, "publish");
  const other = `${INBOX}/${(await ask(at, edit(at), "revise_published")).approval.id}`;
  await browser.open(other);
  const no = await browser.submit(`${other}/reject`, { words: "Not <now>" });
  assert.match(textOf(no.text), /It was rejected by bea@agency\.example at .*: Not <now>/);
});

Deno.test("a form of another site, or without its proof, decides nothing", async () => {
  await using at = await asking();
  const { browser } = await approver(at);
  const asked = await ask(at);
  const path = `${INBOX}/${asked.approval.id}`;
  const { text } = await browser.open(path);
  const shown = /name="shown" value="([^"]*)"/.exec(text)![1]!;
  const bare = await browser.post(`${path}/approve`, new URLSearchParams({ shown }));
  assert.equal(bare.status, 403);
  const foreign = await browser.submit(`${path}/reject`, {}, { headers: { origin: "https://evil.example" } })
    .catch(() => null);
  assert.ok(foreign === null || foreign.status === 403);
  assert.equal((await at.kit.gw.store.approvals.find(asked.approval.id))!.state, "pending");
  assert.equal(at.kit.writes, 0);
});
