/** explain_call: says what a call would meet as the call itself would say it, sends nothing, and leaves no trace of it. */
import assert from "node:assert/strict";
import { CLOCK } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import { FLAGS } from "../../core/model.ts";
import { posts } from "../../platforms/_content/posts.ts";
import type { Http } from "../../platforms/_http/http.ts";
import type { ExplainedStep, Explanation } from "../../registry/tool.ts";
import { ChangingSource, offer } from "../changing_source.ts";
import type { Args } from "../cms_kit.ts";
import { filled, type Shape } from "../filled_arguments.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";
import { linked, SETTINGS } from "../linked_sites.ts";
import { openMemory } from "../memory_kv.ts";
import { scenes } from "../scenes.ts";

const source = new ChangingSource(
  offer("shop-find", ["acme", "bolt"]),
  offer("shop-put", ["acme", "careful", "human"], {
    writes: true,
    flags: [{ flag: "allow_crm_write", live: false }, { flag: "allow_publish", live: true }],
    raises: ({ text }) => text === "loud" ? [{ flags: ["allow_publish"], because: "its text is loud" }] : [],
  }),
  offer("shop-secret", ["bolt"]),
  offer("shop-asks", ["acme"], {
    async check(_, ctx) {
      await (await ctx.use(posts)).listDrafts({ page: 1, per_page: 1 });
    },
  }),
  offer("shop-delete", ["acme"], { hidden: "its name says that it deletes" }),
);
const OPEN = { allow_publish: true, allow_crm_write: true };
const OPTIONS: KitOptions = {
  sources: [source],
  settings: { rateLimitToken: 0, rateLimitSite: 0 },
  sites: [
    site("acme", "cms", { repo: "acme/site" }),
    site("bolt", "cms"),
    site("careful", "cms", { flags: OPEN, confirm_policy: "preview" }),
    site("human", "cms", { flags: OPEN, confirm_policy: "human" }),
    site("built", "static"),
  ],
  tokens: {
    drafts: { allowed_sites: ["acme"], max_risk: 1 },
    reads: { allowed_sites: ["acme"], allowed_tools: ["explain_call", "list_drafts"], max_risk: 0 },
    skipping: { skip_write_confirm: true },
  },
};
const test = scenes(() => gateway(OPTIONS));

const explain = (gw: Kit, tool: string, args: Args, as?: string, site_id = "acme") =>
  gw.call<Explanation>("explain_call", { site_id, tool, arguments: args }, { as });
const refusedIn = ({ steps }: Explanation) => steps.find(({ verdict }) => verdict === "refused");
const named = (steps: readonly ExplainedStep[]) =>
  steps.map((one) => `${one.number} ${one.step} ${one.verdict}`);

test("a write that may go on is told step by step, through both doors alike", async (gw) => {
  const args = { post_id: 7 };
  const [rest, mcp] = await Promise.all(
    (["rest", "mcp"] as const).map((door) =>
      gw.call<Explanation>("explain_call", { site_id: "careful", tool: "publish_post", arguments: args }, {
        door,
      })
    ),
  );
  assert.deepEqual(rest, mcp);
  assert.deepEqual({ ...rest!, steps: named(rest!.steps) }, {
    tool: "publish_post",
    site_id: "careful",
    passed: true,
    tier: 3,
    steps: [
      "5 scope passed",
      "6 super_admin passed",
      "7 risk passed",
      "8 arguments passed",
      "9 site passed",
      "10 risk passed",
      "10 rate passed",
      "11 platform passed",
      "12 flags passed",
      "12 check passed",
      "13 links passed",
      "14 plan depends on the live state",
    ],
    flags: [{ flag: "allow_publish", set: true, needed: true }],
    confirm: { needed: true, policy: "preview" },
  });
  assert.deepEqual(gw.requests, []);
});

test("a refusal has the code and the message of the call itself, and what is behind it is not reached", async (gw) => {
  const args = { post_id: 7 };
  const told = await explain(gw, "publish_post", args);
  const message = await gw.refuses("publish_post", { site_id: "acme", ...args }, "E_PUBLISH_NOT_ALLOWED");
  assert.deepEqual(told.steps.slice(8), [
    { number: 12, step: "flags", verdict: "refused", code: "E_PUBLISH_NOT_ALLOWED", message },
    { number: 12, step: "check", verdict: "not reached" },
    { number: 13, step: "links", verdict: "not reached" },
  ]);
  assert.deepEqual([told.passed, told.tier, told.confirm], [false, 3, { needed: true, policy: "flag" }]);
  assert.deepEqual(told.flags, [{ flag: "allow_publish", set: false, needed: true }]);
});

test("flags that only the plan may need depend on the live state; behind a refusal they are not reached", async (gw) => {
  const told = await explain(gw, "update_draft", { post_id: 7, title: "x" });
  assert.deepEqual([told.passed, told.tier, told.confirm], [true, 1, { needed: true, policy: "flag" }]);
  const redirect = { source: "/a", destination: "/b" };
  const live = await explain(gw, "set_seo_redirect", redirect, undefined, "careful");
  const of = (needed: string) => [{ flag: "allow_seo_on_published", set: false, needed }];
  const passed = refusedIn(live) === undefined;
  assert.deepEqual(live.flags, of(passed ? "depends on the live state" : "not reached"));
  const refused = await explain(
    gw,
    "set_seo_redirect",
    { source: "/a", destination: "/a" },
    undefined,
    "careful",
  );
  if (refusedIn(refused)?.step === "check") assert.deepEqual(refused.flags, of("not reached"));
});

test("a read needs no flag, no plan and no confirmation; a tool without a site has none", async (gw) => {
  const read = await explain(gw, "list_drafts", {}, "reads");
  assert.deepEqual([read.passed, read.tier, read.flags, read.confirm], [true, 0, [], { needed: false }]);
  assert.equal(read.steps.at(-1)!.step, "links");
  const placeless = await explain(gw, "list_sites", {});
  assert.deepEqual([placeless.passed, placeless.site_id], [true, null]);
  assert.equal((await explain(gw, "explain_call", { tool: "x", arguments: {} })).passed, true);
});

test("who may not use a tool learns no more of it than by calling it", async (gw) => {
  const told = await explain(gw, "publish_post", { post_id: 7 }, "reads");
  assert.deepEqual([told.passed, told.tier, told.flags, told.confirm], [false, null, null, null]);
  assert.equal(refusedIn(told)?.number, 5);
  const capped = await explain(gw, "publish_post", { post_id: 7 }, "drafts");
  assert.deepEqual([capped.tier, capped.flags, capped.confirm], [3, null, null]);
  assert.equal(refusedIn(capped)?.number, 7);
  for (const site_id of ["bolt", "nowhere"]) { // one that is there, and one that is not
    const args = { tool: "list_drafts", arguments: {} };
    await gw.refuses("explain_call", { site_id, ...args }, "E_SCOPE_DENIED", /is outside/, { as: "drafts" });
    const moved = await explain(gw, "deploy_md_to_site", { path: "a.md", target_site_id: site_id }, "drafts");
    const { number, code, message } = refusedIn(moved)!;
    assert.deepEqual([number, code], [9, "E_SCOPE_DENIED"]);
    assert.equal(
      message,
      `target_site_id: the site "${site_id}" is outside what the token may use; list_sites names those inside`,
    );
    assert.equal(moved.site_id, "acme");
  }
  const unseen = await gw.refuses("shop-secret", { text: "a" }, "E_TOOL_NOT_FOUND", { as: "drafts" });
  const asked = { site_id: "acme", tool: "shop-secret", arguments: { text: "a" } };
  assert.equal(await gw.refuses("explain_call", asked, "E_TOOL_NOT_FOUND", { as: "drafts" }), unseen);
});

test("what is misspelt or missing is named with the nearest there is", async (gw) => {
  const whole = { site_id: "acme", tool: "list_drafts", arguments: {} };
  const refuses = (args: Args, says: RegExp) => gw.refuses("explain_call", args, "E_BAD_INPUT", says);
  await refuses({ site_id: "acme", arguments: {} }, /^tool is required/);
  await refuses({ site_id: "acme", tool: "list_drafts" }, /^arguments is required/);
  await refuses({ site_id: "acme", tol: "list_drafts", arguments: {} }, /did you mean tool/);
  await refuses({ site_id: "acme", tool: "list_drafts", argument: {} }, /did you mean arguments/);
  for (const wrong of ["{}", [], null, 1]) {
    await refuses({ ...whole, arguments: wrong }, /^arguments: expected/);
  }
  await refuses(
    { ...whole, arguments: { site_id: "bolt" } },
    /^arguments\.site_id: "bolt" is not .* "acme"; leave it out/,
  );
  await refuses({ tool: "list_drafts", arguments: {} }, /^site_id is required/);
  assert.equal((await explain(gw, "list_drafts", { site_id: "acme" })).passed, true);
  await gw.refuses(
    "explain_call",
    { ...whole, tool: "publish_pots" },
    "E_TOOL_NOT_FOUND",
    /did you mean .*"publish_post"/,
  );
  await gw.refuses(
    "explain_call",
    { ...whole, tool: "shop-delete" },
    "E_FORBIDDEN_OP",
    /"shop-delete" is refused/,
  );
  const { number, message } = refusedIn(await explain(gw, "update_draft", { post_id: 7, titel: "x" }))!;
  assert.equal(number, 8);
  assert.match(message!, /titel: unknown argument, did you mean title/);
  const words = refusedIn(await explain(gw, "update_draft", { post_id: 7, status: "publish" }))!;
  assert.equal(words.code, "E_FORBIDDEN_OP");
});

test("a site's own tool is explained as far as the steps go", async (gw) => {
  const read = await explain(gw, "shop-find", { text: "a" });
  assert.deepEqual([read.passed, read.tier, read.confirm], [true, 0, { needed: false }]);
  const put = await explain(gw, "shop-put", { text: "a" });
  assert.deepEqual([refusedIn(put)?.code, put.tier], ["E_CRM_WRITE_NOT_ALLOWED", 2]);
  assert.deepEqual(put.flags, [
    { flag: "allow_crm_write", set: false, needed: true },
    { flag: "allow_publish", set: false, needed: "not reached" },
  ]);
  assert.deepEqual(put.confirm, { needed: false, policy: "flag" });
  const live = "depends on the live state";
  for (const [at, needed] of [["careful", live], ["human", true]] as const) {
    const quiet = await explain(gw, "shop-put", { text: "a" }, undefined, at);
    assert.deepEqual([quiet.passed, quiet.tier, quiet.flags?.[1]?.needed], [true, 2, live]);
    assert.equal(quiet.confirm?.needed, needed);
  }
  const loud = await explain(gw, "shop-put", { text: "loud" }, undefined, "careful");
  assert.deepEqual([loud.tier, loud.flags?.map(({ needed }) => needed)], [3, [true, true]]);
  assert.deepEqual(loud.steps.filter(({ because }) => because !== undefined), [
    { number: 12, step: "risk", verdict: "passed", because: "its text is loud" },
    { number: 12, step: "flags", verdict: "passed", because: "its text is loud" },
  ]);
  assert.deepEqual(refusedIn(await explain(gw, "shop-put", { text: "a" }, undefined, "bolt"))?.number, 9);
});

test("a check that asks the site after all is stopped before anything leaves, and is a fault of the gateway's", async (gw) => {
  const call = { site_id: "acme", tool: "shop-asks", arguments: { text: "a" } };
  await gw.refuses("explain_call", call, "E_INTERNAL");
  assert.deepEqual(gw.requests, []);
  assert.match(String(gw.logged.at(-1)?.["cause"]), /only explained sends nothing/);
});

test("a token that skips the confirmation need not confirm", async (gw) => {
  const told = await explain(gw, "publish_post", { post_id: 7 }, "skipping", "careful");
  assert.deepEqual(told.confirm, { needed: false, policy: "preview" });
});

test("one row, of the explanation, is all that is left of it", async (gw) => {
  const password = "hunter2-hunter2";
  const args = { title: "T", content_html: "<p>x</p>", password };
  await explain(gw, "create_draft", args);
  const [row, ...more] = await gw.audit();
  assert.deepEqual(more, []);
  const { tool, site_id, tier, status, error, outcome, calls, result_id } = row!;
  assert.deepEqual([tool, site_id, tier, status, error], ["explain_call", "acme", 0, "ok", null]);
  assert.deepEqual([outcome, calls, result_id, row!.target_site_id], Array(4).fill(undefined));
  assert.ok(!JSON.stringify(row).includes(password));
});

Deno.test("of a site's rate the explanation takes its own call, and none for the call it explains", async () => {
  const storage = { clock: { ...CLOCK, elapsed: () => 0 } };
  await using gw = await gateway({ ...OPTIONS, storage, settings: { rateLimitToken: 0, rateLimitSite: 3 } });
  const told = () => explain(gw, "list_drafts", {});
  assert.equal((await told()).passed, true);
  assert.equal((await told()).passed, true);
  const { number, step, code, message } = refusedIn(await told())!; // which took the last
  assert.deepEqual([number, step, code], [10, "rate", "E_RATE_LIMITED"]);
  assert.match(message!, /^The site has used its 3 calls a minute; try again in 20 s/);
  const asked = { site_id: "acme", tool: "list_drafts", arguments: {} };
  await gw.refuses("explain_call", asked, "E_RATE_LIMITED", { door: "rest" });
  const moved = { path: "a.md", target_site_id: "acme" };
  assert.equal(refusedIn(await explain(gw, "deploy_md_to_site", moved, undefined, "bolt"))?.step, "rate");
  for (let times = 0; times < 9; times++) await gw.end("list_sites", {});
});

/** What the store holds beside the audit, and what counts calls. */
async function kept(kv: Deno.Kv): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { key, versionstamp } of kv.list({ prefix: [] })) {
    if (!/audit|budgets|token_uses/.test(String(key[0]))) all.push([key, versionstamp]);
  }
  return all;
}

/** Every built-in tool on a site of every kind that is linked to everything, with as few arguments as there may be. */
async function everyCall(gw: Kit, flags: boolean): Promise<{ tool: string; args: Args; site_id: string }[]> {
  const sites = [...(await linked(gw)).values()];
  const all = Object.fromEntries(FLAGS.map((flag) => [flag, flags]));
  for (const { id } of sites) await gw.store.sites.update(id, { flags: all });
  // A stand-in's call is that of the tool that it names.
  const own = gw.gateway.catalog.entries().filter(({ manifest }) => manifest.forwards === undefined);
  return own.flatMap(({ name: tool, definition }) => {
    const { site_id: _, ...args } = filled(definition.input_schema as Shape);
    if ("target_site_id" in args) args["target_site_id"] = "bad-cms";
    if (tool === "explain_call") args["tool"] = "list_sites";
    // Its plan takes the steps of each.
    if (tool === "prepare_changes") {
      args["changes"] = [{ tool: "update_draft", arguments: { site_id: "bad-cms", post_id: 1, title: "x" } }];
    }
    return sites.map(({ id }) => ({ tool, args, site_id: id }));
  });
}

/** What looks further than at a site: at what the gateway keeps, or at the calls of a set. */
const OF_GATEWAY = [
  ...["get_approval", "get_change_set", "cancel_change_set", "prepare_changes", "publish_static_preview"],
  "propose_static_changes",
];

for (const flags of [true, false]) {
  const how = `on sites with ${flags ? "every flag" : "no flag"}`;
  Deno.test(`every built-in tool ${how}: nothing is sent or kept, and the call itself ends as it was told`, async () => {
    let kv: Deno.Kv | undefined;
    const left: string[] = [];
    const wayOut: Http = {
      send({ method, url }) {
        left.push(`${method} ${url}`);
        return Promise.reject(new GatewayError("E_UPSTREAM", "It does not answer"));
      },
    };
    await using gw = await gateway({
      wayOut,
      storage: { open: async (path?: string) => kv = await openMemory(path) },
      settings: { rateLimitToken: 0, rateLimitSite: 0, upstream: SETTINGS },
    });
    const calls = await everyCall(gw, flags);
    const before = await kept(kv!);
    const told: Explanation[] = [];
    for (const { tool, args, site_id } of calls) {
      told.push(await explain(gw, tool, args, undefined, site_id));
      assert.deepEqual(left, [], `${tool} on ${site_id}`);
    }
    assert.deepEqual(await kept(kv!), before);
    const refused = told.flatMap((one, at) => one.passed ? [] : [{ ...calls[at]!, as: refusedIn(one)! }]);
    for (const { tool, args, site_id, as } of refused) {
      const ending = await gw.end(tool, { ...args, site_id });
      assert.ok("code" in ending, `${tool} on ${site_id} is refused as ${as.code}`);
      assert.deepEqual([as.code, as.message], [ending.code, ending.message], `${tool} on ${site_id}`);
      assert.deepEqual(left, [], `${tool} on ${site_id}`);
    }
    const passed = calls.filter((_, at) => told[at]!.passed);
    assert.ok(passed.length > 200 && refused.length > 150, `${passed.length} and ${refused.length}`);
    const asking = new Set<string>();
    for (const { tool, args, site_id } of passed) {
      const ending = await gw.end(tool, { ...args, site_id });
      if (left.splice(0).length > 0) asking.add(tool);
      else if (OF_GATEWAY.includes(tool)) assert.ok("code" in ending, tool);
      // A quota that was used up by the call before is behind these steps.
      else assert.ok("value" in ending || ending.code === "E_UPSTREAM", `${tool} on ${site_id}`);
    }
    assert.ok(asking.size > 60, `${asking.size}`);
  });
}
