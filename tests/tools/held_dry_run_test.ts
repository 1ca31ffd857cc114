/** Dry runs of a site's own tools: what they would change is shown, and confirmed they change exactly that, or nothing. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { publishNow } from "../../sandbox/wordpress_standin/state.ts";
import type { CallOptions } from "../kit.ts";
import { ask } from "../operator.ts";
import { type Args, type HeldWorld, heldWorld } from "./_held.ts";

const ADD = "builder-mcp-add-free-widget";
const DOORS = ["rest", "mcp"] as const;

/** What a preview answers. */
interface Preview {
  readonly needs_confirmation: true;
  readonly tool: string;
  readonly tier: number;
  readonly summary: string;
  readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
  readonly revision: string;
  readonly confirm_token: string;
  readonly next: string;
  readonly warnings: readonly string[];
}

const add = (at: HeldWorld, post_id: number, more: Args = {}): Args => ({
  site_id: "acme",
  post_id,
  parent_id: at.tools.state.pages.get(post_id)!.elements[0]!.id,
  widget_type: "heading",
  settings: { title: "Hello", align: "left" },
  ...more,
});
const shown = (at: HeldWorld, tool: string, args: Args, options?: CallOptions) =>
  at.gw.call<Preview>(tool, args, options);
const modes = (at: HeldWorld) => at.calls().map((one) => one.slice(0, 4));

Deno.test("dry_run shows what the tool would change and changes nothing; confirmed it changes exactly that", async () => {
  for (const door of DOORS) {
    await using at = await heldWorld();
    const page = at.tools.page({ title: "About" });
    const args = add(at, page.id);
    const before = at.site();
    const preview = await shown(at, ADD, { ...args, dry_run: true }, { door });
    assert.equal(at.site(), before);
    assert.deepEqual([preview.needs_confirmation, preview.tool, preview.tier], [true, ADD, 2]);
    assert.match(preview.summary, /^Run builder-mcp-add-free-widget on acme: changed /);
    assert.ok(preview.changes.some(({ to }) => /Hello/.test(JSON.stringify(to))), JSON.stringify(preview));
    assert.match(preview.next, /without dry_run/);
    assert.deepEqual(preview.warnings, [], "that a write writes is no news");
    assert.match(preview.revision, /^rev_/);
    const [row] = await at.gw.audit();
    assert.deepEqual([row!.status, row!.outcome], ["needs_confirmation", undefined]);
    const confirmed = { ...args, confirm: true, confirm_token: preview.confirm_token };
    const { proof } = await at.gw.proven(ADD, confirmed, { door });
    assert.equal(proof.verified, true);
    assert.notEqual(at.site(), before);
    const [dry, held] = at.calls();
    const id = /^dry; id=([0-9a-f]{32})/.exec(dry!)![1]!;
    assert.match(held!, new RegExp(`^hold; id=[0-9a-f]{32}; allow=draft,own; of=${page.id}; expect=${id}; `));
    const after = at.site();
    const again = await at.gw.proven(ADD, confirmed, { door });
    assert.deepEqual(again.proof.request_id, proof.request_id, "the first answer again");
    assert.deepEqual([at.site(), modes(at)], [after, ["dry;", "hold"]], "it is carried out once");
  }
});

Deno.test("a preview warns of an argument that the site's tool may ignore", async () => {
  await using at = await heldWorld();
  const args = add(at, at.tools.page({ title: "About" }).id, { setting: {}, dry_run: true });
  const { warnings } = await shown(at, ADD, args);
  assert.deepEqual(warnings, [
    "setting: the site's own tool names no such argument, and may have ignored it; did you mean settings",
  ]);
});

Deno.test("arguments given in another order are the same call", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const { settings, ...args } = add(at, page.id);
  const { confirm_token } = await shown(at, ADD, { ...args, settings, dry_run: true });
  const turned = { settings: Object.fromEntries(Object.entries(settings as Args).toReversed()), ...args };
  await at.gw.proven(ADD, { ...turned, confirm: true, confirm_token });
});

Deno.test("a tool with arguments of those names gets its own, and the gateway is asked beside them", async () => {
  for (const door of DOORS) {
    await using at = await heldWorld();
    const structure = [{ type: "container", settings: {}, children: [] }];
    const args = { site_id: "acme", title: "New", structure };
    const own = await at.gw.call<Args>("builder-mcp-build-page", { ...args, dry_run: true }, { door });
    assert.equal(own.dry_run, true, "the tool's own answer");
    const asking = { ...args, confirm: false };
    assert.equal((await shown(at, "builder-mcp-build-page", asking, { door })).needs_confirmation, true);
    const before = at.site();
    const asks = { dry_run: true };
    const { confirm_token } = await shown(at, "builder-mcp-build-page", args, { door, asks });
    assert.equal(at.site(), before);
    const confirmed = { door, asks: { confirm: true, confirm_token } };
    await at.gw.proven("builder-mcp-build-page", args, confirmed);
    assert.notEqual(at.site(), before);
    const message = await at.gw.refuses(
      ADD,
      { ...add(at, at.tools.page({ title: "B" }).id), confirm: true },
      "E_BAD_INPUT",
      { door, asks: { confirm: false } },
    );
    assert.match(message, /^confirm: is given twice/);
  }
});

Deno.test("under the policy preview each write is shown first, of a token and of a site", async () => {
  await using at = await heldWorld({
    kit: { tokens: { careful: { confirm_policy: "preview" }, skips: { skip_write_confirm: true } } },
  });
  const page = at.tools.page({ title: "About" });
  const args = add(at, page.id);
  const before = at.site();
  const as = "careful";
  for (const more of [{}, { confirm: true }, { confirm: false }]) {
    const preview = await shown(at, ADD, { ...args, ...more }, { as });
    assert.equal(preview.needs_confirmation, true);
  }
  assert.deepEqual([at.site(), modes(at)], [before, ["dry;", "dry;", "dry;"]]);
  const { confirm_token } = await shown(at, ADD, args, { as });
  await at.gw.proven(ADD, { ...args, confirm: true, confirm_token }, { as });
  await at.gw.store.sites.update("acme", { confirm_policy: "preview" });
  assert.equal((await shown(at, ADD, args)).needs_confirmation, true);
  assert.equal((await at.gw.proven(ADD, args, { as: "skips" })).proof.verified, true);
});

Deno.test("where a person must approve, a write is shown, and what cannot be shown is not written", async () => {
  for (const hold of [null, "MyISAM tables cannot be held"]) {
    await using at = await heldWorld({ kit: { tokens: { watched: { confirm_policy: "human" } } } });
    at.hold.why = hold;
    const page = at.tools.page({ title: "About" });
    const before = at.site();
    const args = { ...add(at, page.id), confirm: true };
    const as = "watched";
    if (hold === null) assert.equal((await shown(at, ADD, args, { as })).needs_confirmation, true);
    else await at.gw.refuses(ADD, args, "E_FORBIDDEN", /person must approve/, { as });
    assert.equal(at.site(), before);
  }
});

Deno.test("what a person was shown of a held call is what is kept: by that person's dry run, whatever became of the agent's", async () => {
  await using at = await heldWorld({ kit: { tokens: { watched: { confirm_policy: "human" } } } });
  const page = at.tools.page({ title: "About" });
  const args = add(at, page.id);
  const asked = await shown(at, ADD, args, { as: "watched" }) as Preview & { approval: { id: string } };
  const path = `approvals/${asked.approval.id}`;
  at.hold.runs.clear(); // days later the site has forgotten it
  const show = async () =>
    (await ask<{ preview: Preview & { shown: string } }>(at.gw, "GET", path)).result.preview;
  const preview = await show();
  assert.deepEqual(preview.changes[0], asked.changes[0]);
  const before = at.site();
  Object.assign(at.tools.state.pages.get(page.id)!.elements[0]!.settings, { title: "A person's" });
  const stale = await ask(at.gw, "POST", `${path}/approve`, { shown: preview.shown });
  assert.equal(stale.error?.code, "E_STALE_PREVIEW", JSON.stringify(stale));
  assert.notEqual(at.site(), before, "that person's edit stands");
  const { result, error } = await ask<{ answer: { verified: boolean } }>(at.gw, "POST", `${path}/approve`, {
    shown: (await show()).shown,
  });
  assert.equal(result?.answer.verified, true, JSON.stringify(error));
  const call = { ...args, confirm: true, confirm_token: asked.confirm_token };
  const ends = at.calls().length;
  await at.gw.proven(ADD, call, { as: "watched" });
  assert.equal(at.calls().length, ends, "it is told again, and not run");
});

/** What happens between the preview and its confirmation, and how that is refused. */
const BETWEEN: readonly (readonly [
  what: string,
  deed: (at: HeldWorld, id: number) => unknown,
  Code,
  RegExp,
  more?: Args,
])[] = [
  [
    "somebody edits the page",
    (at, id) => void (at.tools.state.pages.get(id)!.elements[0]!.settings = { title: "A person's" }),
    "E_STALE_PREVIEW",
    /nothing was changed/,
  ],
  ["other arguments are sent", () => {}, "E_CONFIRM_INVALID", /settings/, { settings: { title: "Other" } }],
  [
    "the site forgets what was shown",
    (at) => at.hold.runs.clear(),
    "E_STALE_PREVIEW",
    /The preview is too old.*nothing was changed/,
  ],
  [
    "the site is disconnected",
    (at) => at.hold.gateways.splice(0),
    "E_STALE_PREVIEW",
    /does not hold .* any more \(.*connect the gateway again/,
  ],
  [
    "the page is published",
    (at, id) => publishNow(at.cms.state, at.cms.state.posts.get(id)!),
    "E_FORBIDDEN_OP",
    /published/,
  ],
];

Deno.test("what was shown never widens, and a call that would do something else changes nothing", async () => {
  for (const [what, deed, code, says, more = {}] of BETWEEN) {
    for (const door of DOORS) {
      await using at = await heldWorld();
      const page = at.tools.page({ title: "About" });
      const args = add(at, page.id);
      const { confirm_token } = await shown(at, ADD, { ...args, dry_run: true }, { door });
      await deed(at, page.id);
      at.gw.clock.now += 11_000;
      const before = at.site();
      const confirmed = { ...args, ...more, confirm: true, confirm_token };
      const { code: was, message, outcome = "none" } = await at.gw.end(ADD, confirmed, { door }) as Args;
      assert.deepEqual([what, door, was, outcome], [what, door, code, "none"], String(message));
      assert.match(String(message), says);
      assert.equal(at.site(), before, what);
    }
  }
});

Deno.test("a flag that is taken away after the preview is missing at the write", async () => {
  await using at = await heldWorld();
  const colors = [{ _id: "primary", title: "Primary", color: "#123456" }];
  const args = { site_id: "open", colors };
  const preview = await shown(at, "builder-mcp-update-global-colors", { ...args, dry_run: true });
  assert.equal(preview.tier, 3);
  assert.ok(preview.warnings.some((one) => /Visitors see this at once/.test(one)), preview.warnings.join());
  await at.gw.store.sites.update("open", { flags: { allow_publish: false } });
  const before = at.site();
  const confirmed = { ...args, confirm: true, confirm_token: preview.confirm_token };
  await at.gw.refuses("builder-mcp-update-global-colors", confirmed, "E_PUBLISH_NOT_ALLOWED");
  assert.equal(at.site(), before);
});

Deno.test("a dry run of what the write would be refused for is refused alike", async () => {
  for (const door of DOORS) {
    await using at = await heldWorld();
    const page = at.tools.page({ title: "About" });
    await at.gw.proven(ADD, add(at, page.id));
    const { pages } = at.tools.state;
    const set = pages.set.bind(pages);
    pages.set = (id, one) => {
      pages.set = set;
      publishNow(at.cms.state, at.cms.state.posts.get(page.id)!);
      return set(id, one);
    };
    const before = at.site();
    const ending = await at.gw.end(ADD, { ...add(at, page.id), dry_run: true }, { door }) as Args;
    assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED", String(ending.message));
    assert.equal(at.site(), before);
    const failed = await at.gw.end(ADD, { ...add(at, page.id, { widget_type: "no" }), dry_run: true }, {
      door,
    });
    assert.equal((failed as Args).code, "E_TOOL_ERROR");
    assert.equal(at.site(), before);
  }
});

Deno.test("a dry run that the site could not keep either is no preview, for nobody could confirm it", async () => {
  for (const door of DOORS) {
    await using at = await heldWorld();
    const page = at.tools.page({ title: "About" });
    await at.gw.proven(ADD, add(at, page.id));
    at.hold.fault = "meanwhile";
    const before = at.site();
    const says = /cannot be shown.*"meanwhile".*nothing was changed/;
    await at.gw.refuses(ADD, { ...add(at, page.id), dry_run: true }, "E_TOOL_ERROR", says, { door });
    assert.equal(at.site(), before);
    assert.equal((await shown(at, ADD, { ...add(at, page.id), dry_run: true }, { door })).tier, 2);
  }
});

Deno.test("a dry run that does not say that it was taken back is in doubt, and the tool is held back", async () => {
  for (const fault of ["escaped", "cut_off"] as const) {
    await using at = await heldWorld();
    const page = at.tools.page({ title: "About" });
    await at.gw.proven(ADD, add(at, page.id));
    at.hold.fault = fault;
    // What a site does that lost its plugin while it was asked.
    if (fault === "cut_off") at.hold.during = () => void (at.hold.why = "the plugin is gone");
    const ending = await at.gw.end(ADD, { ...add(at, page.id), dry_run: true }) as Args;
    assert.deepEqual([ending.code, ending.outcome], ["E_UPSTREAM", "unknown"], String(ending.message));
    assert.match(String(ending.message), /held back/);
    assert.ok(at.gw.logged.some(({ event }) => event === "held_call_in_doubt"));
    await at.gw.refuses(ADD, add(at, page.id), "E_BAD_INPUT", /does not offer/);
  }
});

Deno.test("a dry run that is cut off kept nothing where the site still holds", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  await at.gw.proven(ADD, add(at, page.id));
  const before = at.site();
  at.hold.fault = "cut_off";
  const ending = await at.gw.end(ADD, { ...add(at, page.id), dry_run: true }) as Args;
  assert.deepEqual([ending.code, ending.outcome], ["E_UPSTREAM", "none"], String(ending.message));
  assert.equal(at.site(), before);
  await at.gw.proven(ADD, add(at, page.id));
});

Deno.test("a tool that reads from other hosts is shown and carried out where the gateway knows it as one", async () => {
  await using at = await heldWorld();
  const before = at.site();
  const args = { site_id: "acme", url: "https://images.example/a.jpg" };
  const preview = await shown(at, "builder-mcp-sideload-image", { ...args, dry_run: true });
  assert.equal(at.site(), before);
  assert.match(at.calls()[0]!, /^dry; .*http=get/);
  const confirmed = { ...args, confirm: true, confirm_token: preview.confirm_token };
  assert.equal((await at.gw.proven("builder-mcp-sideload-image", confirmed)).proof.verified, true);
});

Deno.test("where a site cannot show a write first it is refused, and nothing is written", async () => {
  for (const options of [{ paired: [], bare: true } as const, {}]) {
    await using at = await heldWorld(options);
    if (!("bare" in options)) at.hold.why = "MyISAM tables cannot be held";
    const page = at.tools.page({ title: "About" });
    const before = at.site();
    for (const more of [{ dry_run: true }, { confirm: false }]) {
      const says = /no preview: the site does not hold .*(no companion plugin|MyISAM)/;
      await at.gw.refuses(ADD, { ...add(at, page.id), ...more }, "E_NOT_SUPPORTED", says);
    }
    const asks = { dry_run: true };
    await at.gw.refuses(ADD, add(at, page.id), "E_NOT_SUPPORTED", { asks });
    assert.deepEqual([at.site(), at.tools.ran.filter(({ tool }) => /widget/.test(tool))], [before, []]);
    await at.gw.store.sites.update("acme", { confirm_policy: "preview" });
    const { proof } = await at.gw.proven(ADD, add(at, page.id));
    assert.equal(proof.verified, null, "without a hold a proxied tool has no confirm gate");
  }
});

Deno.test("what only reads takes a dry run for what it is, and what is asked within a run tool asks nobody", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const read = { site_id: "acme", post_id: page.id };
  const plain = await at.gw.call("builder-mcp-get-page-structure", read);
  for (const more of [{ dry_run: true }, { confirm: true }]) {
    assert.deepEqual(await at.gw.call("builder-mcp-get-page-structure", { ...read, ...more }), plain);
  }
  const { site_id: _, ...parameters } = add(at, page.id);
  const before = at.site();
  const run = (more: Args, outer: Args = {}) => ({
    site_id: "acme",
    ability_name: "emcp-tools/add-free-widget",
    parameters: { ...parameters, ...more },
    ...outer,
  });
  const tool = "mcp-adapter-execute-ability";
  for (const more of [{ dry_run: true }, { confirm: false }, { confirm_token: "cft_x" }]) {
    const says = /^parameters\.(dry_run|confirm|confirm_token): .*itself/;
    await at.gw.refuses(tool, run(more), "E_BAD_INPUT", says);
  }
  const preview = await shown(at, tool, run({}, { dry_run: true }));
  assert.equal(at.site(), before);
  const confirmed = run({}, { confirm: true, confirm_token: preview.confirm_token });
  assert.equal((await at.gw.proven(tool, confirmed)).proof.verified, true);
});

Deno.test("values that are neither true nor false are refused before anything is sent", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const sent = at.gw.requests.length;
  for (const more of [{ dry_run: "yes" }, { confirm: 1 }, { confirm_token: 7 }]) {
    await at.gw.refuses(
      ADD,
      { ...add(at, page.id), ...more },
      "E_BAD_INPUT",
      /^(dry_run|confirm|confirm_token): /,
    );
  }
  assert.equal(at.gw.requests.length, sent);
});
