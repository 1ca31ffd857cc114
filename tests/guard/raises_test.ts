/** Steps 12 and 14a: what a call's arguments or its plan make of it is judged by ceiling and flags before any preview. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { asked, state } from "../fixtures/raised/tools/raised/raise_it.ts";
import type { Explanation } from "../../registry/tool.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";
import { parted } from "../proof.ts";
import { scenes } from "../scenes.ts";

const OPTIONS: KitOptions = {
  roots: [new URL("../fixtures/toys/", import.meta.url), new URL("../fixtures/raised/", import.meta.url)],
  sites: [
    site("bare", "cms"),
    site("open", "cms", { flags: { allow_publish: true, allow_seo_on_published: true } }),
  ],
  tokens: { drafts: { max_risk: 1 }, two: { max_risk: 2 }, three: { max_risk: 3 } },
};
const call = (args: Args) => ({ site_id: "open", confirm: true, ...args });
const newest = async (gw: Kit) => (await gw.audit())[0]!;

const REFUSED: readonly [
  what: string,
  args: Args,
  as: string,
  code: Code,
  status: string,
  says: RegExp,
  plans: number,
][] = [
  [
    "arguments above the ceiling",
    { early: 2 },
    "drafts",
    "E_SCOPE_DENIED",
    "risk_capped",
    /tier 2 call here, because its arguments say so, and the token's max_risk is 1/,
    0,
  ],
  [
    "a plan above the ceiling",
    { late: 3 },
    "two",
    "E_SCOPE_DENIED",
    "risk_capped",
    /tier 3 call here, because its plan found so, and/,
    1,
  ],
  [
    "a flag that the site lacks",
    { flag: "allow_publish", site_id: "bare" },
    "all",
    "E_PUBLISH_NOT_ALLOWED",
    "error",
    /because its plan needs that/,
    1,
  ],
  [
    "a flag with a code of its own",
    { flag: "allow_seo_on_published", site_id: "bare" },
    "all",
    "E_FORBIDDEN_OP",
    "error",
    /needs allow_seo_on_published on site "bare"/,
    1,
  ],
  [
    "a publishing flag under a lower ceiling",
    { flag: "allow_publish" },
    "two",
    "E_SCOPE_DENIED",
    "risk_capped",
    /tier 3 call/,
    1,
  ],
  ["a flag the manifest does not name", { flag: "allow_crm_write" }, "all", "E_INTERNAL", "error", /./, 1],
];

const test = scenes(() => gateway(OPTIONS));

for (const [what, args, as, code, status, says, plans] of REFUSED) {
  test(`${what}: refused through both doors with and without confirm, and nothing runs`, async (gw) => {
    Object.assign(asked, { plan: 0, run: 0 });
    for (const confirm of [true, false]) {
      await gw.refuses("raise_it", { ...call(args), confirm }, code, says, { as });
      const row = await newest(gw);
      assert.deepEqual([row.status, row.error, row._published], [status, code, undefined]);
    }
    assert.deepEqual(asked, { plan: 4 * plans, run: 0 });
  });
}

for (const door of DOORS) {
  test(`a preview through ${door} has the tier that was found, and says why first`, async (gw) => {
    const args = { ...call({ early: 2, late: 3, seen: true }), confirm: false };
    const preview = await gw.call<Args>("raise_it", args, { door, as: "three" });
    assert.deepEqual([preview["tier"], preview["warnings"]], [
      3,
      ["its arguments say so", "its plan found so", "visitors see it", "Mind the step"],
    ]);
    const row = await newest(gw);
    assert.deepEqual([row.status, row.tier, row._published], ["needs_confirmation", 3, undefined]);
  });

  test(`a call through ${door} that may run has the right its plan asked for, and is audited as published`, async (gw) => {
    const done = await gw.call("raise_it", call({ flag: "allow_publish", seen: true }), {
      door,
      as: "three",
    });
    assert.deepEqual(parted(done).done, { granted: true });
    const row = await newest(gw);
    assert.deepEqual([row.status, row.tier, row._published], ["ok", 3, true]);
    const late = await gw.call("raise_it", call({ late: 2 }), { door, as: "two" });
    assert.deepEqual(parted(late).done, { granted: false });
    assert.equal((await newest(gw))._published, undefined);
  });
}

test("a raise below what the call already is lowers nothing", async (gw) => {
  await gw.call("raise_it", call({ early: 3, late: 2 }), { as: "three" });
  assert.equal((await newest(gw)).tier, 3);
  await gw.refuses("raise_it", call({ early: 3, late: 1 }), "E_SCOPE_DENIED", { as: "two" });
});

test("explained, a call is judged by its arguments, and what its plan may find depends on the live state", async (gw) => {
  Object.assign(asked, { plan: 0, run: 0 });
  const explain = (args: Args, as: string, site_id = "open") =>
    gw.call<Explanation>("explain_call", { site_id, tool: "raise_it", arguments: args }, { as });
  const { passed, tier, steps, flags } = await explain(
    { early: 2, late: 4, flag: "allow_publish" },
    "two",
    "bare",
  );
  assert.deepEqual([passed, tier], [true, 2]);
  assert.deepEqual(steps.slice(-4), [
    { number: 12, step: "risk", verdict: "passed", because: "its arguments say so" },
    { number: 12, step: "flags", verdict: "passed", because: "its arguments say so" },
    { number: 13, step: "links", verdict: "passed" },
    { number: 14, step: "plan", verdict: "depends on the live state" },
  ]);
  const needed = "depends on the live state";
  assert.deepEqual(flags, [
    { flag: "allow_publish", set: false, needed },
    { flag: "allow_seo_on_published", set: false, needed },
  ]);
  const capped = await explain({ early: 3 }, "two");
  assert.deepEqual([capped.passed, capped.tier], [false, 3]);
  const [risk, links] = capped.steps.slice(-2);
  assert.deepEqual([risk!.number, risk!.step, risk!.code, links!.verdict], [
    12,
    "risk",
    "E_SCOPE_DENIED",
    "not reached",
  ]);
  assert.match(risk!.message!, /tier 3 call here, because its arguments say so/);
  assert.deepEqual(capped.flags?.map((one) => [one.set, one.needed]), Array(2).fill([true, "not reached"]));
  assert.deepEqual(asked, { plan: 0, run: 0 });
});

for (
  const [what, more, says] of [
    ["a higher tier", { tier: 3 }, /it would be of tier 3, not 1/],
    ["a further flag", { flag: "allow_seo_on_published" }, /it needs allow_seo_on_published as well/],
  ] as const
) {
  Deno.test(`a plan that finds ${what} than was shown is refused, of a call and of a set's item, and nothing runs`, async () => {
    await using gw = await gateway(OPTIONS);
    const args = { site_id: "open" };
    const set = { title: "A set", changes: [{ tool: "raise_it", arguments: args }] };
    const tokenOf = async (tool: string, args: Args) =>
      (await gw.call<{ confirm_token: string }>(tool, args)).confirm_token;
    const single = { ...args, confirm: true, confirm_token: await tokenOf("raise_it", args) };
    const whole = { ...set, confirm: true, confirm_token: await tokenOf("prepare_changes", set) };
    const before = asked.run;
    Object.assign(state, more);
    try {
      await gw.fails("raise_it", single, "E_STALE_PREVIEW", says);
      type Told = { items: { state: string; error: { code: string; message: string } }[] };
      const { items: [item] } = await gw.call<Told>("prepare_changes", whole);
      assert.deepEqual([item!.state, item!.error.code], ["failed", "E_STALE_PREVIEW"]);
      assert.match(item!.error.message, says);
      assert.equal(asked.run, before);
    } finally {
      delete state.tier;
      delete state.flag;
    }
  });
}
