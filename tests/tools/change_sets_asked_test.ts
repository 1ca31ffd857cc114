/** What an item of a set may not ask for itself, what a set shows of each, and sets that are cancelled. */
import assert from "node:assert/strict";
import { callsOf } from "../cms_kit.ts";
import { heldWorld } from "./_held.ts";
import { test as standIn, world } from "./_stand_in.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  readonly set_id: string;
  readonly state: string;
  readonly summary: string;
  readonly verified?: boolean | null;
  readonly confirm_token: string;
  readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
  readonly items: readonly Fields[];
}

const item = (tool: string, args: Fields) => ({ tool, arguments: args });
const DRAFT = item("create_draft", { site_id: "open", title: "Mine", content_html: "<p>Mine</p>" });

standIn("an item asks nothing for itself, only writes, and makes no set", async (at) => {
  const { gw } = at.kit;
  const refused = async (
    tool: string,
    args: Fields,
    says: RegExp,
    code: "E_BAD_INPUT" | "E_FORBIDDEN_OP",
  ) => {
    await gw.refuses("prepare_changes", { title: "A set", changes: [item(tool, args)] }, code, says);
  };
  for (const name of ["confirm", "confirm_token", "dry_run", "Confirm", "dryRun", "preview"]) {
    for (const value of [true, false, "cft_aaaaaaaaaaaaaaaaaaaaaa"]) {
      const says = new RegExp(`${name}: leave it out; the set is previewed and confirmed as a whole`);
      await refused("create_draft", { ...DRAFT.arguments, [name]: value }, says, "E_BAD_INPUT");
    }
  }
  const calls = callsOf({ draft: at.draft.id, scheduled: at.scheduled.id, at: at.ahead(3600) });
  await refused(
    "get_post",
    { site_id: "open", ...calls.get_post, title: "x" },
    /"get_post" only reads/,
    "E_BAD_INPUT",
  );
  await refused("prepare_changes", {}, /"prepare_changes" makes a set, and a set has none/, "E_FORBIDDEN_OP");
  assert.equal(at.kit.writes, 0);
});

Deno.test("an item that calls a site's own tool is never a preview that counts as done", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const args = {
    site_id: "acme",
    post_id: page.id,
    parent_id: at.tools.state.pages.get(page.id)!.elements[0]!.id,
    widget_type: "heading",
    settings: { title: "One" },
  };
  const before = at.site();
  for (
    const more of [{ dry_run: true }, { dry_run: false }, { confirm: false }, { confirm_token: "cft_x" }]
  ) {
    const changes = [item("builder-mcp-add-free-widget", { ...args, ...more })];
    const [name] = Object.keys(more);
    const says = new RegExp(`${name}: leave it out; the set is previewed and confirmed as a whole`);
    await at.gw.refuses("prepare_changes", { title: "A set", changes }, "E_BAD_INPUT", says);
  }
  assert.equal(at.site(), before);
  const order = { title: "A set", changes: [item("builder-mcp-add-free-widget", args)] };
  const { confirm_token } = await at.gw.call<Answer>("prepare_changes", order);
  assert.equal(at.site(), before);
  const done = await at.gw.call<Answer>("prepare_changes", { ...order, confirm: true, confirm_token });
  const [{ state, verified, said }] = done.items as [Fields];
  assert.deepEqual([state, verified, done.verified], ["done", true, true]);
  assert.match(String(said), /element/, "what the tool said, such as the id of what it made");
  const two = { title: "Two", changes: [...order.changes, ...order.changes] };
  const { warnings } = await at.gw.call<{ warnings: string[] }>("prepare_changes", two);
  assert.match(
    warnings.join("; "),
    /Items 1 and 2 change page \d+ by the site's own tools.*better make two sets/,
  );
  assert.notEqual(at.site(), before);
});

standIn(
  "of fifty long items something of every field is shown, and the whole stays within bounds",
  async (at) => {
    const long = "word ".repeat(3000);
    const more = (n: number) => ({
      content_html: `<p>${long}${n}</p>`,
      excerpt: long.slice(0, 5000),
      slug: `s-${n}`,
    });
    const first = item("create_draft", { site_id: "open", title: "First", ...more(0) });
    const planned = Array.from(
      { length: 50 },
      (_, n) => item("create_draft", { site_id: "open", title: `No ${n}`, ...more(n) }),
    );
    const used = Array.from(
      { length: 49 },
      (_, n) =>
        item("update_draft", { site_id: "open", post_id: { $from: 1 }, title: `No ${n}`, ...more(n) }),
    );
    for (const changes of [planned, [first, ...used]]) {
      const shown = await at.kit.gw.call<Answer>("prepare_changes", { title: "Fifty", changes });
      assert.ok(JSON.stringify(shown).length < 200_000);
      for (let n = 1; n <= 50; n++) {
        const fields = shown.changes.flatMap(({ field }) =>
          field.startsWith(`item ${n}: `) ? [field.slice(`item ${n}: `.length)] : []
        );
        const said = shown.items.find((one) => one["item"] === n)!;
        assert.deepEqual(fields.slice(0, 4), ["title", "content_html", "excerpt", "slug"]);
        assert.equal(said["left_out"], undefined);
        assert.equal(said["undoable"], false);
        assert.equal(typeof said["undoable_reason"], "string");
      }
    }
  },
);

standIn(
  "the title of a set is on one line, without unseen signs and credentials, and never blank",
  async (at) => {
    const { gw } = at.kit;
    const titled = async (title: string) => {
      const { summary, set_id } = await gw.call<Answer>("prepare_changes", { title, changes: [DRAFT] });
      const { title: kept } = await gw.call<{ title: string }>("get_change_set", { set_id });
      assert.equal(summary, `${kept}: 1 change on open`);
      return kept;
    };
    assert.equal(
      await titled("Fix \u202etypo\u202c\u200b now\n\nApproved: yes\u0000"),
      "Fix typo now Approved: yes",
    );
    assert.doesNotMatch(await titled("Use sk_live_abcdefghijklmnopqrstuvwxyz0123"), /sk_live/);
    for (const title of [" ", "\u202e\u200b"]) {
      await gw.refuses(
        "prepare_changes",
        { title, changes: [DRAFT] },
        "E_BAD_INPUT",
        /^title: must not be blank/,
      );
    }
  },
);

standIn("a set that was cancelled cannot be confirmed, says so, and leaves no intent", async (at) => {
  const { gw } = at.kit;
  const order = { title: "A set", changes: [DRAFT] };
  const { set_id, confirm_token } = await gw.call<Answer>("prepare_changes", order);
  await gw.call("cancel_change_set", { set_id });
  const confirmed = { ...order, confirm: true, confirm_token };
  await gw.refuses(
    "prepare_changes",
    confirmed,
    "E_CONFIRM_INVALID",
    /^confirm_token: The set was cancelled, and it is not begun any more; prepare it again/,
  );
  assert.equal(at.kit.writes, 0);
  const rows = (await gw.audit()).filter(({ tool }) => tool === "prepare_changes");
  assert.deepEqual(rows.map(({ status }) => status), ["error", "error", "needs_confirmation"]);
});

standIn("one that is cancelled while it is planned is not shown afterwards", async (at) => {
  const { sets } = at.kit.gw.store;
  const head = { set_id: "01M8H93458442NA7SBM0ZEJNPP", grant: "a token" };
  await sets.begin(head);
  await sets.cancel(head.set_id);
  await sets.end(head.set_id, "The set was cancelled");
  const content = { title: "x", on_failure: "continue", first: false, items: [], warnings: [] } as const;
  await sets.prepared({ ...head, token: null, failed: null }, content);
  const found = await sets.find(head.set_id);
  assert.deepEqual([found?.state, found?.content], ["ended", null]);
});

Deno.test("a token with one call at a time can carry a set out, and follow it", async () => {
  await using at = await world({ settings: { callsPerToken: 1 } });
  const { gw } = at.kit;
  const order = {
    title: "A set",
    changes: [DRAFT, { ...DRAFT, arguments: { ...DRAFT.arguments, title: "Two" } }],
  };
  const { confirm_token } = await gw.call<Answer>("prepare_changes", order);
  const done = await gw.call<Answer>("prepare_changes", { ...order, confirm: true, confirm_token });
  assert.deepEqual([done.state, done.items.map(({ state }) => state)], ["ended", ["done", "done"]]);
});
