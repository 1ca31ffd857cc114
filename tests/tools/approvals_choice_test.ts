/** Who approves a change set leaves items out: what remains is carried out as it was shown, and everybody is told which were not. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { Spending } from "../../store/store.ts";
import type { Args } from "../cms_kit.ts";
import { approver, ask, type Asked, asking, confirm, refused } from "./_approvals.ts";
import type { World } from "./_stand_in.ts";

interface Item {
  readonly item: number;
  readonly state: string;
  readonly reason?: string;
}
interface Ended {
  readonly set_id: string;
  readonly state: string;
  readonly verified: boolean | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly Item[];
  readonly summary?: string;
  readonly replayed?: boolean;
}

const create = (title: string, site_id = "open") => ({
  tool: "create_draft",
  arguments: { site_id, title, content_html: "<p>x</p>" },
});
const update = (at: World, title: string) => ({
  tool: "update_draft",
  arguments: { site_id: "open", post_id: at.draft.id, title },
});
const order = (changes: readonly unknown[]): Args => ({ title: "A set", changes });
const three = (at: World) => order([create("One", "acme"), update(at, "Two"), create("Three", "editor")]);
const asked = (at: World, args: Args) => ask(at, args, "prepare_changes");
const statesOf = (answer: unknown) => (answer as Ended).items.map(({ item, state }) => [item, state]);
const titles = (at: World) => [...at.cms.state.posts.values()].map(({ title }) => title);

/** The token's own read. */
const reads = <T>(at: World, tool: string, args: Args) => at.kit.gw.call<T>(tool, args, { as: "asks" });

Deno.test("what is left out is not done, the rest is, and every answer says so", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const waits = await asked(at, three(at));
  const { id } = waits.approval;
  const { result: { preview } } = await bea.show(id);
  const done = await bea.approve(id, preview!.shown, [2]);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  const answer = done.result.answer as Ended;
  const states = [[1, "done"], [2, "left_out"], [3, "done"]];
  assert.deepEqual([answer.state, answer.verified, statesOf(answer)], ["ended", true, states]);
  assert.deepEqual(answer.counts, { done: 2, left_out: 1 });
  assert.equal(answer.summary, "2 of 3 items are done; who approved the set left out item 2");
  assert.match(answer.items[1]!.reason!, /left it out/);
  assert.deepEqual([at.kit.writes, at.draft.title], [2, "Before"]);
  assert.deepEqual(done.result.approval.items_left_out, [2]);

  const again = await confirm(at, waits, three(at), "prepare_changes");
  assert.ok("value" in again, JSON.stringify(again));
  const repeated = again.value as Ended;
  assert.deepEqual([repeated.replayed, statesOf(repeated)], [true, states]);
  const told = await reads<{ state: string; items_left_out: number[]; answer: Ended }>(at, "get_approval", {
    approval_id: id,
  });
  assert.deepEqual([told.state, told.items_left_out, statesOf(told.answer)], ["approved", [2], states]);
  const set = await reads<Ended>(at, "get_change_set", { set_id: answer.set_id });
  assert.deepEqual([set.counts, statesOf(set)], [answer.counts, states]);
  const rows = (await at.kit.gw.audit()).filter(({ approved_by }) => approved_by !== undefined);
  assert.deepEqual(rows.map(({ items_left_out }) => items_left_out), rows.map(() => [2]));
  assert.ok(rows.length >= 3);
  const { changes } = await reads<{ changes: Args[] }>(at, "list_changes", { site_id: "acme" });
  assert.deepEqual(changes[0]!["items_left_out"], [2]);
  assert.equal(at.kit.writes, 2, "and nothing more was sent");
});

Deno.test("what differs in an item that is left out stops nothing: edited, gone, or on a site that is frozen", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const drifts: Readonly<Record<string, () => unknown>> = {
    edited: () => at.edit(at.draft, { title: "A person's" }),
    published: () => at.edit(at.draft, { status: "publish" }),
    frozen: () => at.kit.gw.store.freezes.set({ scope: "site", id: "open", by: "x", reason: null }),
  };
  for (const [name, drifts_] of Object.entries(drifts)) {
    const waits = await asked(at, order([create(`First ${name}`, "acme"), update(at, `Second ${name}`)]));
    const { id } = waits.approval;
    const shown = (await bea.show(id)).result.preview!.shown;
    const before = at.kit.writes;
    await drifts_();
    const whole = await bea.approve(id, shown);
    assert.notEqual(whole.status, 200, name);
    assert.equal(at.kit.writes, before);
    const done = await bea.approve(id, shown, [2]);
    assert.deepEqual(
      statesOf(done.result?.answer),
      [[1, "done"], [2, "left_out"]],
      JSON.stringify(done.error),
    );
    assert.equal(at.kit.writes, before + 1);
    at.edit(at.draft, { status: "draft" });
  }
});

Deno.test("what differs in an item that remains is refused, whatever is left out", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const { approval: { id } } = await asked(at, three(at));
  const shown = (await bea.show(id)).result.preview!.shown;
  at.edit(at.draft, { title: "A person's" });
  refused(await bea.approve(id, shown, [1]), "E_STALE_PREVIEW", /not what you were shown/);
  assert.equal(at.kit.writes, 0);
});

/** Ten items of which the fourth makes what the eighth and, by that, nobody else uses; the ninth follows the seventh. */
const ten = (at: World) =>
  order([
    create("1"),
    create("2"),
    create("3"),
    { tool: "create_taxonomy", arguments: { site_id: "open", taxonomy: "tag", name: "Made" } },
    { tool: "create_page_draft", arguments: { site_id: "open", title: "Above", content_html: "<p>x</p>" } },
    {
      tool: "create_page_draft",
      arguments: { site_id: "open", title: "Below", content_html: "<p>x</p>", parent_id: { $from: 5 } },
    },
    { tool: "publish_post", arguments: { site_id: "open", post_id: at.draft.id } },
    { tool: "publish_page", arguments: { site_id: "open", page_id: { $from: 6 } } },
    {
      tool: "revise_published",
      arguments: { site_id: "open", post_id: at.draft.id, title: "After it is live" },
    },
    create("10"),
  ]);

/** Choices that are refused, and what the refusal says. */
const REFUSED: Readonly<Record<string, readonly [without: readonly number[], says: RegExp]>> = {
  "an item that one that remains refers to": [
    [6],
    /^without: item 8 takes the id that item 6 makes; leave out item 8 as well, or keep what it needs/,
  ],
  "an item at the head of a chain": [
    [1, 2, 3, 4, 5, 10],
    /^without: item 6 takes the id that item 5 makes, and item 8 takes the id that item 6 makes; leave out items 6, 8 as/,
  ],
  "an item that another one follows": [
    [7],
    /^without: item 9 can only be done once item 7 is; leave out item 9 as well/,
  ],
  "all items": [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], /^without: all items are left out, which is a no/],
  "an item that there is not": [[11], /^without: there is no item 11 in this set, which has 10/],
  "no number": [[0], /without/],
};

Deno.test("ten items, one of which is referred to: what cannot be left out alone is refused by name, and nothing is sent", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const waits = await asked(at, ten(at));
  const { id } = waits.approval;
  const shown = (await bea.show(id)).result.preview!.shown;
  for (const [name, [without, says]] of Object.entries(REFUSED)) {
    refused(await bea.approve(id, shown, without), "E_BAD_INPUT", says);
    assert.equal((await at.kit.gw.store.approvals.find(id))!.state, "pending", name);
    assert.equal(at.kit.writes, 0, name);
  }
  const before = titles(at).length;
  const done = await bea.approve(id, shown, [6, 8, 7, 9, 4, 4]);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  assert.deepEqual(done.result.approval.items_left_out, [4, 6, 7, 8, 9]);
  assert.deepEqual((done.result.answer as Ended).counts, { done: 5, left_out: 5 });
  assert.deepEqual([titles(at).length - before, at.draft.status], [5, "draft"]);
});

Deno.test("of a single call nothing can be left out", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const { approval: { id } } = await ask(at);
  const shown = (await bea.show(id)).result.preview!.shown;
  refused(await bea.approve(id, shown, [1]), "E_BAD_INPUT", /^without: the request is of one call/);
  assert.equal(at.kit.writes, 0);
});

Deno.test("who may not approve on a site whose items are left out decides nothing", async () => {
  await using at = await asking();
  const cal = await approver(at, "cal@agency.example", { approve_sites: ["open"] });
  const { approval: { id } } = await asked(at, three(at));
  const { status } = await cal.approve(id, "set.1.,1xxxxxxxxxxxxxxxxxxxxxx,", [1, 3]);
  assert.ok([403, 404].includes(status), String(status));
  assert.equal(at.kit.writes, 0);
});

Deno.test("of two people with different choices at once exactly one choice is carried out", async () => {
  for (let n = 0; n < 4; n++) {
    await using at = await asking();
    const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
    const waits = await asked(at, three(at));
    const { id } = waits.approval;
    const shown = (await bea.show(id)).result.preview!.shown;
    const choices = [() => bea.approve(id, shown, [1]), () => cal.approve(id, shown, [2, 3])];
    await Promise.all((n % 2 ? choices : choices.toReversed()).map((act) => act()));
    const { decided, items_left_out } = (await at.kit.gw.store.approvals.find(id))!;
    const isBeas = decided!.by === "bea@agency.example";
    assert.deepEqual(items_left_out, isBeas ? [1] : [2, 3]);
    const told = await confirm(at, waits, three(at), "prepare_changes");
    assert.ok("value" in told, JSON.stringify(told));
    const expected = isBeas ? ["left_out", "done", "done"] : ["done", "left_out", "left_out"];
    assert.deepEqual(statesOf(told.value).map(([, state]) => state), expected);
    assert.equal(at.kit.writes, isBeas ? 2 : 1);
  }
});

/** The record of a yes with a choice, as a process that was killed right after spending it has left it. */
async function killed(at: World, { confirm_token: name }: Asked) {
  const { consents } = at.kit.gw.store;
  const found = (await consents.find(name))!;
  const content = { ...found.content, set: "01M7YRRT80M56J0VS44FYMMFQ8" };
  const spending: Spending = { name, found, content, expires_at: found.expires_at, frees_until: null };
  const run = { request_id: "01M7YRRT80M56J0VS44FYMMFQ8", deadline: at.kit.gw.clock.now - 1000 };
  assert.ok(await consents.spend([spending], run));
}

Deno.test("killed between decision and write: the choice is nobody's, another is carried out, or a no holds", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const one = await asked(at, three(at));
  await killed(at, one);
  const early = await confirm(at, one, three(at), "prepare_changes");
  assert.equal("code" in early && early.code, "E_APPROVAL_PENDING");
  const done = await bea.approve(one.approval.id, undefined, [1, 3]);
  assert.deepEqual(
    statesOf(done.result?.answer),
    [[1, "left_out"], [2, "done"], [3, "left_out"]],
    JSON.stringify(done.error),
  );
  assert.deepEqual([at.kit.writes, at.draft.title], [1, "Two"]);

  const two = await asked(at, order([create("Four"), create("Five")]));
  await killed(at, two);
  assert.equal((await bea.reject(two.approval.id, "no")).status, 200);
  const told = await confirm(at, two, order([create("Four"), create("Five")]), "prepare_changes");
  assert.equal("code" in told && told.code, "E_APPROVAL_REJECTED");
  assert.equal(at.kit.writes, 1);
});

Deno.test("a set of which one item cannot be done any more is looked at, and approved, without it", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const post = addPost(at.cms.state, { type: "post", author: 2, title: "Goes", content: "<p>x</p>" });
  const goes = { tool: "update_draft", arguments: { site_id: "open", post_id: post.id, title: "New" } };
  const { approval: { id } } = await asked(at, order([create("One"), goes]));
  at.edit(post, { status: "trash" });
  const whole = await bea.show(id);
  assert.match(whole.result.refused!.message, /item 2 \(update_draft\)/);
  const path = `approvals/${id}?without=2`;
  const rest = await bea.browser.api("GET", path) as Awaited<ReturnType<typeof bea.show>>;
  assert.deepEqual(rest.result.preview!.items!.map(({ item }) => item), [1]);
  const shown = rest.result.preview!.shown;
  refused(await bea.approve(id, shown), "E_FORBIDDEN_OP", /item 2/);
  assert.equal(at.kit.writes, 0);
  const done = await bea.approve(id, shown, [2]);
  assert.deepEqual(statesOf(done.result?.answer), [[1, "done"], [2, "left_out"]], JSON.stringify(done.error));
  for (const without of ["x", "1,,2", "1.5", "-1", "2,9"]) {
    const { approval: other } = await asked(at, order([create(without), goes].slice(0, 1)));
    const answer = await bea.browser.api("GET", `approvals/${other.id}?without=${without}`);
    const said = answer.status === 400 ? answer.error!.message : answer.result.refused.message;
    assert.match(said, /without: (expected numbers of items|there is no item)/, without);
  }
});

Deno.test("cut off between the intent and the first item: the agent's confirm carries out what was chosen, and nothing else", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const waits = await asked(at, three(at));
  const { id } = waits.approval;
  const shown = (await bea.show(id)).result.preview!.shown;
  const { sets, audit } = at.kit.gw.store;
  const [start, append] = [sets.start.bind(sets), audit.append.bind(audit)];
  sets.start = () => Promise.reject(new Error("killed"));
  audit.append = (row, beside) =>
    row.status === "started" ? append(row, beside) : Promise.reject(new Error("killed"));
  const cut = await bea.approve(id, shown, [1]);
  assert.equal(cut.error?.code, "E_INTERNAL");
  [sets.start, audit.append] = [start, append];
  const { state, items_left_out } = (await at.kit.gw.store.approvals.find(id))!;
  assert.deepEqual([state, items_left_out, at.kit.writes], ["approved", [1], 0]);
  const told = await confirm(at, waits, three(at), "prepare_changes");
  assert.ok("value" in told, JSON.stringify(told));
  assert.deepEqual(statesOf(told.value), [[1, "left_out"], [2, "done"], [3, "done"]]);
  const rows = (await at.kit.gw.audit()).filter(({ item }) => item !== undefined);
  assert.deepEqual(rows.map(({ approved_by }) => approved_by), rows.map(() => "bea@agency.example"));
  assert.equal(at.kit.writes, 2);
});
