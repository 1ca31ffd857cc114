/** The page of a change set: each item with its changes and a box; what is not ticked is left out, and the page says what became of it. */
import assert from "node:assert/strict";
import { approver, ask, asking } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { openTerminal } from "../unit/admin/open_terminal.ts";
import { MASTER } from "../kit.ts";
import { plain, said } from "./kit.ts";

const LIST = "/admin/approvals";
const create = (title: string, site_id: string) => ({
  tool: "create_draft",
  arguments: { site_id, title, content_html: `<p>${title}</p>` },
});
const update = (at: World, more: object) => ({
  tool: "update_draft",
  arguments: { site_id: "open", post_id: at.draft.id, ...more },
});
const publish = (at: World) => ({
  tool: "publish_post",
  arguments: { site_id: "open", post_id: at.draft.id },
});
const asked = async (at: World, changes: readonly unknown[]) =>
  (await ask(at, { title: "A set", changes }, "prepare_changes")).approval.id;

/** Sends the form of a yes with those boxes ticked. */
const sent = (
  { browser }: Awaited<ReturnType<typeof approver>>,
  path: string,
  keep: readonly number[],
  more: Readonly<Record<string, string>> = {},
) => browser.submit(path, { keep: keep.map(String), ...more });

/** The boxes of a page, and which are ticked. */
const boxes = (text: string) =>
  [...text.matchAll(/<input type="checkbox" [^>]*name="keep" value="(\d+)" form="yes"( checked="")?/g)]
    .map(([, item, checked]) => [Number(item), checked !== undefined]);

Deno.test("each item stands with its changes and a box; what is not ticked is not done, which the page says", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const long = `<p>${"Old and so on. ".repeat(400)}</p>`;
  at.edit(at.draft, { content: long });
  const id = await asked(at, [
    create("Of acme", "acme"),
    update(at, { content_html: long.replace("Old and", "New and") }),
    create("Of editor", "editor"),
  ]);
  const path = `${LIST}/${id}`;
  const page = await bea.browser.open(path);
  assert.deepEqual(boxes(page.text), [[1, true], [2, true], [3, true]]);
  assert.match(
    page.text,
    /<del>Old<\/del><ins>New<\/ins> and so on/,
    "a text of an item is compared by words",
  );
  assert.match(plain(page.text), /Carry out item 1.*Of acme.*Carry out item 2.*Carry out item 3.*Of editor/);
  assert.match(plain(page.text), /Items whose box is not ticked above are left out/);
  assert.doesNotMatch(page.text, /<script/);
  assert.equal((await bea.browser.submit(`${path}/approve`, { shown: "set.1.1x,1x,1x" })).status, 409);
  const done = await sent(bea, `${path}/approve`, [1, 3]);
  const said = plain(done.text);
  assert.match(said, /Approved by bea@agency\.example at [^.]*, without item 2\./);
  assert.match(said, /2 of 3 items are done; who approved the set left out item 2/);
  assert.match(
    said,
    /Item 1, create_draft on acme: done.*Item 2, update_draft on open: left out.*Item 3, .*: done/,
  );
  assert.deepEqual([at.kit.writes, at.draft.content], [2, long]);
});

Deno.test("an item that one that remains needs is named in a sentence, and the boxes stay as they were", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const page = (title: string, more: object = {}) => ({
    tool: "create_page_draft",
    arguments: { site_id: "open", title, content_html: "<p>x</p>", ...more },
  });
  const id = await asked(at, [
    page("Above"),
    page("Below", { parent_id: { $from: 1 } }),
    create("Free", "acme"),
  ]);
  const path = `${LIST}/${id}`;
  const refusals: readonly (readonly [keep: readonly number[], says: RegExp])[] = [
    [
      [2],
      /^Item 2 takes the id that item 1 makes; leave out item 2 as well, or keep what it needs\. Nothing was/,
    ],
    [[], /^All items are left out, which is a no; reject the request instead/],
  ];
  for (const [keep, says] of refusals) {
    await bea.browser.open(path);
    const refused = await sent(bea, `${path}/approve`, keep);
    assert.equal(refused.status, 400);
    assert.match(said(refused), says);
    assert.deepEqual(boxes(refused.text), [1, 2, 3].map((item) => [item, keep.includes(item)]));
    assert.equal(at.kit.writes, 0);
  }
  await bea.browser.open(path);
  at.edit(at.draft, { title: "By a person" });
  const done = await sent(bea, `${path}/approve`, [3]);
  assert.match(plain(done.text), /without items 1, 2\./);
  assert.equal(at.kit.writes, 1);
});

Deno.test("the site's name is typed where something that remains goes live, and only there", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const path = `${LIST}/${await asked(at, [update(at, { title: "Live soon" }), publish(at)])}`;
  const page = await bea.browser.open(path);
  assert.match(plain(page.text), /Type “open” to approve.*If all that goes live is left out, type nothing/);
  assert.doesNotMatch(page.text, /id="typed"[^>]* required/);
  const whole = await sent(bea, `${path}/approve`, [1, 2], { typed: "" });
  assert.deepEqual([whole.status, at.kit.writes], [400, 0]);
  assert.match(whole.text, /id="typed-error">Type “open”/);
  const live = await sent(bea, `${path}/approve`, [2], { typed: "" });
  assert.deepEqual([live.status, at.kit.writes], [400, 0]);
  assert.deepEqual(boxes(live.text), [[1, false], [2, true]]);
  const done = await sent(bea, `${path}/approve`, [1], { typed: "" });
  assert.match(plain(done.text), /without item 2/);
  assert.deepEqual([at.draft.title, at.draft.status], ["Live soon", "draft"]);
  assert.match(
    (await bea.browser.open(`${LIST}/${await asked(at, [publish(at)])}`)).text,
    /id="typed"[^>]* required/,
  );
});

Deno.test("between opening and pressing: what drifted is shown anew with the choice, and a set that cannot be done whole is shown without", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const path = `${LIST}/${await asked(at, [
    create("One", "acme"),
    update(at, { title: "Two" }),
    create("3", "acme"),
  ])}`;
  await bea.browser.open(path);
  at.edit(at.draft, { title: "By a person" });
  const late = await sent(bea, `${path}/approve`, [1, 2]);
  assert.deepEqual([late.status, boxes(late.text)], [409, [[1, true], [3, false], [2, true]]]);
  assert.match(said(late), /is not what you were shown any more/);
  at.edit(at.draft, { status: "trash" });
  const gone = await bea.browser.open(path);
  assert.match(plain(gone.text), /It cannot be carried out now:.*item 2.*Look at it without these items/);
  assert.doesNotMatch(gone.text, /\/approve"/);
  const rest = await bea.browser.open(`${path}?without=2`);
  assert.deepEqual(boxes(rest.text), [[1, true], [3, true]]);
  assert.match(plain(rest.text), /Item 2 is left out here\. Show the whole set/);
  const done = await sent(bea, `${path}/approve`, [1]);
  assert.match(plain(done.text), /without items 2, 3\./);
  assert.equal(at.kit.writes, 1);
});

Deno.test("what nobody sees is in no box: a set cut for room has none, and on the page of several a set is decided whole", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const id = await asked(at, [
    create("One", "acme"),
    update(at, { content_html: "<p>x</p>".repeat(20_000) }),
  ]);
  const cut = await bea.browser.open(`${LIST}/${id}`);
  assert.match(plain(cut.text), /characters have no room here/);
  assert.doesNotMatch(cut.text, /action="[^"]*\/approve"/);
  assert.match((await bea.browser.open(`${LIST}/${id}?whole=1`)).text, /action="[^"]*\/approve"/);
  const small = await asked(at, [create("One", "acme"), create("Two", "acme")]);
  const together = await bea.browser.open(`${LIST}/together?id=${small}`);
  assert.deepEqual(boxes(together.text), []);
});

Deno.test("the command leaves items out by their numbers, and says so", async () => {
  await using at = await asking();
  const cli = await openTerminal(
    { fetch: (request) => Promise.resolve(at.kit.gw.gateway.fetch(request)) },
    { MASTER_TOKEN: MASTER },
  );
  const id = await asked(at, [create("One", "acme"), create("Two", "acme"), create("Three", "acme")]);
  const { out } = await cli.good("approvals", "show", id);
  const shown = /--shown (\S+)/.exec(out)![1]!;
  assert.match(
    await cli.bad("approvals", "approve", id, "--shown", shown, "--without", "2,x"),
    /--without: give the numbers of items/,
  );
  assert.match(
    await cli.bad("approvals", "approve", id, "--shown", shown, "--without", "1,2,3"),
    /E_BAD_INPUT: without: all items are left out/,
  );
  assert.equal(at.kit.writes, 0);
  assert.match(
    (await cli.good("approvals", "show", id, "--without", "3")).out,
    /2 changes on acme, 1 left out/,
  );
  const done = (await cli.good("approvals", "approve", id, "--shown", shown, "--without", "2,3")).out;
  assert.match(done, /It is approved by master token.*\nLeft out: items 2, 3\./);
  assert.equal(at.kit.writes, 1);
});

Deno.test("of a set of which an item is in doubt the page does not say that its site holds something else", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const id = await asked(at, [update(at, { title: "Lost on the way" })]);
  await bea.browser.open(`${LIST}/${id}`);
  at.cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
  const done = await sent(bea, `${LIST}/${id}/approve`, [1]);
  const told = plain(done.text);
  assert.match(told, /Item 1, update_draft on open: unknown/);
  assert.match(told, /Not all of it was done as asked: what became of each item stands above/);
  assert.doesNotMatch(told, /holds something else/);
  assert.match(done.text, /class="notice problem" role="alert"/);
});

Deno.test("an item that replaces a text says where, how often and how it is written there", async () => {
  await using at = await asking();
  const bea = await approver(at);
  at.edit(at.draft, { title: "Zeppelin", content: "<p>zeppelin and ZEPPELIN</p>" });
  const order = { site_id: "open", find: "Zeppelin", replace: "Airship" };
  const { approval } = await ask(at, order, "replace_text");
  const page = plain((await bea.browser.open(`${LIST}/${approval.id}`)).text);
  const { id } = at.draft;
  const where = `Of post:${id}:title, post:${id}:content_html (2 times, written "zeppelin", "ZEPPELIN").`;
  assert.ok(page.includes(where), page);
});
