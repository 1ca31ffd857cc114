/** Orders that are no change set: each bad input is named with what is allowed, and nothing is written. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { type Change, create, rename, SetWorld } from "../sets_kit.ts";
import { scenes } from "../scenes.ts";

const MIB = 1024 * 1024;
const TOKEN = {
  name: "other",
  env: "dev",
  allowed_sites: ["*"],
  allowed_tools: ["*"],
  max_risk: 4,
  skip_write_confirm: false,
  owner_user_id: null,
} as const;
const test = scenes(() => SetWorld.open());
const order = (changes: readonly Change[], more: Record<string, unknown> = {}) => ({
  title: "A set",
  changes,
  ...more,
});
const many = (count: number) => Array.from({ length: count }, (_, n) => create("a", `Post ${n}`));

/** What is wrong, by what it is called: the order, the code, and what is said of it. */
const ROWS: readonly (readonly [
  what: string,
  order: (at: SetWorld) => Record<string, unknown>,
  code: string,
  says: RegExp,
])[] = [
  ["51 items", () => order(many(51)), "E_BAD_INPUT", /changes.*50/],
  ["no item", () => order([]), "E_BAD_INPUT", /changes/],
  ["no title", () => ({ changes: many(1) }), "E_BAD_INPUT", /title is required/],
  [
    "a tool that there is not",
    () => order([{ tool: "nope", arguments: {} }]),
    "E_TOOL_NOT_FOUND",
    /item 1 \(nope\)/,
  ],
  [
    "a tool that only reads",
    () => order([{ tool: "list_drafts", arguments: { site_id: "a" } }]),
    "E_BAD_INPUT",
    /item 1 \(list_drafts\): E_BAD_INPUT, "list_drafts" only reads/,
  ],
  [
    "a set in a set",
    () => order([{ tool: "prepare_changes", arguments: order(many(1)) }]),
    "E_FORBIDDEN_OP",
    /item 1 \(prepare_changes\).*makes a set, and a set has none within it/,
  ],
  [
    "the end of a set in a set",
    () => order([{ tool: "cancel_change_set", arguments: { set_id: "0".repeat(26) } }]),
    "E_BAD_INPUT",
    /"cancel_change_set" only reads|"cancel_change_set" writes nothing/,
  ],
  [
    "a confirmation of one item",
    () => order([create("a", "One", { confirm: true })]),
    "E_BAD_INPUT",
    /item 1 .*confirm: leave it out; the set is previewed and confirmed as a whole/,
  ],
  [
    "a reference to a later item",
    () => order([rename("a", { $from: 2 }, "x"), create("a", "One")]),
    "E_BAD_INPUT",
    /item 1 .*post_id: "\$from" is 2, and this is item 1; name one that comes before it/,
  ],
  [
    "a reference to itself",
    () => order([rename("a", { $from: 1 }, "x")]),
    "E_BAD_INPUT",
    /"\$from" is 1, and this is item 1/,
  ],
  [
    "a reference to item 0, and to a part of one",
    () => order([create("a", "One"), rename("a", { $from: 0 }, "x"), rename("a", { $from: 1.5 }, "x")]),
    "E_BAD_INPUT",
    /item 2 .*"\$from" is 0.*item 3 .*the number of an earlier item/,
  ],
  [
    "a reference with something beside it",
    () =>
      order([create("a", "One"), {
        ...rename("a", 1, "x"),
        arguments: { site_id: "a", post_id: { $from: 1, or: 2 }, title: "x" },
      }]),
    "E_BAD_INPUT",
    /item 2 .*nothing beside it/,
  ],
  [
    "a reference to an item of another site",
    () => order([create("b", "One"), rename("a", { $from: 1 }, "x")]),
    "E_BAD_INPUT",
    /item 2 .*item 1 makes it on site "b", and this item is of another/,
  ],
  [
    "a reference to an item that makes nothing",
    (at) => order([rename("a", at.draft("a", "Old").id, "New"), rename("a", { $from: 1 }, "x")]),
    "E_BAD_INPUT",
    /item 2 .*item 1 is "update_draft", which makes nothing new; give the id itself/,
  ],
  [
    "a reference to an item that is refused itself",
    () => order([{ tool: "nope", arguments: { site_id: "a" } }, rename("a", { $from: 1 }, "x")]),
    "E_BAD_INPUT",
    /item 1 \(nope\): E_TOOL_NOT_FOUND.*item 2 .*item 1 is refused itself/,
  ],
  [
    "a reference as text where an id is expected",
    () =>
      order([create("a", "One"), {
        tool: "update_draft",
        arguments: { site_id: "a", post_id: '{"$from": 1}', title: "x" },
      }]),
    "E_BAD_INPUT",
    /item 2 .*post_id/,
  ],
  [
    "a reference within a text",
    () =>
      order([create("a", "One"), create("a", "Two", { content_html: '<a href="/?p={"$from": 1}">x</a>' })]),
    "E_BAD_INPUT",
    /item 2 .*content_html: "\$from" stands within a text/,
  ],
  [
    "a reference within a list",
    () => order([create("a", "One"), create("a", "Two", { tags: [{ $from: 1 }] })]),
    "E_BAD_INPUT",
    /item 2 .*tags: "\$from" stands within it/,
  ],
  [
    "a reference for an argument that is no id",
    () => order([create("a", "One"), create("a", "Two", { title: { $from: 1 } })]),
    "E_BAD_INPUT",
    /item 2 .*title: "\$from" stands for an id, which this argument of "create_draft" is not/,
  ],
  [
    "a reference for the site",
    () =>
      order([create("a", "One"), {
        tool: "create_draft",
        arguments: { site_id: { $from: 1 }, title: "x", content_html: "x" },
      }]),
    "E_BAD_INPUT",
    /item 2 .*site_id/,
  ],
  [
    "an argument that there is not, on one of three",
    () => order([create("a", "One"), create("b", "Two", { titel: "x" }), create("a", "Three")]),
    "E_BAD_INPUT",
    /1 of 3 items cannot be done.*item 2 .*titel: unknown argument, did you mean title/,
  ],
  [
    "items that are refused for different reasons are all named",
    () =>
      order([
        create("nowhere", "One"),
        { tool: "nope", arguments: {} },
        create("a", "Three"),
        create("a", "", {}),
      ]),
    "E_BAD_INPUT",
    /3 of 4 items cannot be done.*item 1 .*E_NOT_FOUND.*item 2 \(nope\): E_TOOL_NOT_FOUND.*item 4/,
  ],
  [
    "for_each with a site named twice",
    () =>
      order([{ tool: "create_draft", arguments: { title: "x", content_html: "x" } }], {
        for_each: { sites: ["a", "a"] },
      }),
    "E_BAD_INPUT",
    /for_each\.sites: a site is named twice/,
  ],
  [
    "for_each with a site in the arguments",
    () => order(many(1), { for_each: { sites: ["a", "b"] } }),
    "E_BAD_INPUT",
    /changes\[0\]\.arguments\.site_id: leave it out; for_each names the sites/,
  ],
  [
    "for_each that makes more than 50",
    () =>
      order(Array(26).fill({ tool: "create_draft", arguments: { title: "x", content_html: "x" } }), {
        for_each: { sites: ["a", "b"] },
      }),
    "E_BAD_INPUT",
    /for_each: 26 changes on 2 sites are 52, more than the 50 .*make several sets/,
  ],
  [
    "for_each with a value that there is not",
    () =>
      order([{ tool: "create_draft", arguments: { title: "{{site.owner}}", content_html: "x" } }], {
        for_each: { sites: ["a"] },
      }),
    "E_BAD_INPUT",
    /\{\{site\.owner\}\}: there is no such value; there are \{\{site\.name\}\}/,
  ],
  [
    "for_each with a value that a site has not",
    () =>
      order([{ tool: "create_draft", arguments: { title: "{{project.name}}", content_html: "x" } }], {
        for_each: { sites: ["a"] },
      }),
    "E_BAD_INPUT",
    /\{\{project\.name\}\}: site "Site a" has none; leave it out/,
  ],
  [
    "for_each with a site that there is not",
    () =>
      order([{ tool: "create_draft", arguments: { title: "x", content_html: "x" } }], {
        for_each: { sites: ["a", "nowhere"] },
      }),
    "E_NOT_FOUND",
    /item 2 .*nowhere/,
  ],
];

for (const [what, make, code, says] of ROWS) {
  test(`${what}: refused at both doors, nothing written`, async (at) => {
    const args = make(at);
    for (const door of ["rest", "mcp"] as const) {
      await at.refuses(args, code, says, { door });
      await at.refuses({ ...args, confirm: true }, code, says, { door });
    }
    assert.deepEqual((await at.one.kit.audit()).filter(({ status }) => status === "started"), []);
  });
}

test("a set whose arguments are too many bytes is refused with the way out, however they were made", async (at) => {
  const text = "x".repeat(MIB);
  const says = /make several sets/;
  const whole = order(
    Array.from({ length: 40 }, (_, n) => create("a", `Large ${n}`, { content_html: text })),
  );
  await at.refuses(whole, "E_PAYLOAD_TOO_LARGE", /over 6144 KiB, .*; send less/);
  const five = order(whole.changes.slice(0, 5));
  await at.refuses(five, "E_PAYLOAD_TOO_LARGE", new RegExp(`${LIMITS.SET_BYTES}; make several sets`));
  const each = [{ tool: "create_draft", arguments: { title: "Large", content_html: text } }];
  const sites = Array.from({ length: 40 }, (_, n) => `s-${n}`);
  await at.refuses(order(each, { for_each: { sites } }), "E_PAYLOAD_TOO_LARGE", says);
  assert.deepEqual(at.one.kit.requests, [], "nothing was sent");
});

test("three of 1 MiB are one set, kept and carried out whole", async (at) => {
  const changes = Array.from(
    { length: 3 },
    (_, n) => create("a", `Large ${n}`, { content_html: "x".repeat(MIB - 1024) }),
  );
  const { confirmed, shown } = await at.shown(changes);
  assert.ok(JSON.stringify(shown).length < 64 * 1024, "the preview is bounded");
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(done.counts, { done: 3 });
});

test("who may do less than an item asks for is refused the set, with the tier and every item named", async (at) => {
  const { text } = await at.one.kit.store.tokens.create({
    ...TOKEN,
    allowed_sites: ["a"],
    max_risk: 1,
  });
  const { id } = at.draft("a", "Old");
  const changes = [
    create("a", "Fine"),
    { tool: "publish_post", arguments: { site_id: "a", post_id: id } },
    create("b", "Elsewhere"),
  ];
  await at.refuses(order(changes), "E_SCOPE_DENIED", /2 of 3 items .*item 2 \(publish_post\).*item 3 /, {
    token: text,
  });
  await at.refuses(order([changes[1]!]), "E_PUBLISH_NOT_ALLOWED", /item 1 \(publish_post\).*allow_publish/);
});

test("a set is its token's own: another token neither sees, cancels nor confirms it", async (at) => {
  const { shown: { set_id }, confirmed } = await at.shown([create("a", "One"), create("b", "Two")]);
  const others = [
    { allowed_sites: ["*"], super_admin: false },
    { allowed_sites: ["a"], super_admin: true }, // it may do everything, on the one site
  ];
  for (const more of others) {
    const { text: token } = await at.one.kit.store.tokens.create({ ...TOKEN, ...more });
    await at.refuses({ set_id }, "E_NOT_FOUND", /no change set/, { token }, "get_change_set");
    await at.refuses({ set_id }, "E_NOT_FOUND", /no change set/, { token }, "cancel_change_set");
    await at.refuses(confirmed, "E_CONFIRM_INVALID", /another token/, { token });
  }
  await at.refuses({ set_id: "0".repeat(26) }, "E_NOT_FOUND", /no change set/, {}, "get_change_set");
  assert.equal((await at.call("get_change_set", { set_id })).state, "prepared");
});

test("a confirmed call with other changes, another title, or another order is refused", async (at) => {
  const changes = [create("a", "One"), create("b", "Two")];
  const { confirmed } = await at.shown(changes);
  const others = [
    { ...confirmed, changes: changes.toReversed() },
    { ...confirmed, changes: [changes[0], create("b", "Else")] },
    { ...confirmed, title: "Else" },
    { ...confirmed, on_failure: "continue" },
    { ...confirmed, first: 1 },
  ];
  for (const other of others) await at.refuses(other, "E_CONFIRM_INVALID", /other arguments/);
  const done = await at.call("prepare_changes", { ...confirmed, wait_seconds: 40 });
  assert.deepEqual(done.counts, { done: 2 }, "how long its answer is waited for is no part of it");
});
