/** The write-confirm gate: who may pass it, and what is seen instead. */
import assert from "node:assert/strict";
import { mayWrite, meetsPolicy, preview, underProjects } from "../../../guard/consent/confirm.ts";
import { shownChanges } from "../../../guard/consent/preview_changes.ts";
import type { ConfirmPolicy } from "../../../core/model.ts";
import { site } from "../platforms/_site.ts";
import { caller } from "./_callers.ts";

const gated = (who: ReturnType<typeof caller>, confirm: boolean, dryRun = false) => ({
  caller: who,
  input: { confirm, dryRun },
});
const sites = (...policies: ConfirmPolicy[]) => policies.map((confirm_policy) => site({ confirm_policy }));

Deno.test("only confirm: true asks for the write, or a super-admin token that may skip it, and a dry run never does", () => {
  const skipping = { skip_write_confirm: true };
  assert.equal(mayWrite(gated(caller(), true)), true);
  assert.equal(mayWrite(gated(caller(), false)), false);
  assert.equal(mayWrite(gated(caller(skipping), false)), true);
  assert.equal(mayWrite(gated(caller(skipping, {}), false)), false, "a user's token that claims it does not");
  for (const who of [caller(), caller(skipping)]) assert.equal(mayWrite(gated(who, true, true)), false);
});

Deno.test("of a site's policy and its project's the stricter one holds, whichever asks for it", async () => {
  for (
    const [own, projects, strictest] of [
      ["flag", "human", "human"],
      ["human", "flag", "human"],
      ["preview", "flag", "preview"],
      ["preview", "human", "human"],
    ] as const
  ) {
    const store = {
      get: () => Promise.resolve({ id: "p", name: "P", created_at: "", confirm_policy: projects }),
    };
    const [found] = await underProjects(store, [site({ project_id: "p", confirm_policy: own })]);
    assert.equal(found!.confirm_policy, strictest, `${own} and ${projects}`);
  }
});

const POLICIES: [token: ConfirmPolicy, site: ConfirmPolicy, bound: boolean, passes: boolean][] = [
  ["flag", "flag", false, true],
  ["flag", "flag", true, true],
  ["preview", "flag", false, false],
  ["preview", "flag", true, true],
  ["flag", "preview", false, false],
  ["flag", "preview", true, true],
  ["human", "flag", true, false],
  ["flag", "human", true, false],
];

for (const [token, at, bound, passes] of POLICIES) {
  const what = `${bound ? "with" : "without"} a confirm_token`;
  Deno.test(`a token's policy ${token} and a site's ${at}: a call ${what} ${passes ? "passes" : "is previewed"}`, () => {
    for (const all of [sites(at), sites(at, "flag"), sites("flag", at)]) {
      assert.equal(meetsPolicy(caller({ confirm_policy: token }), all, bound), passes);
    }
    const skipping = caller({ confirm_policy: token, skip_write_confirm: true });
    assert.equal(
      meetsPolicy(skipping, sites(at), bound),
      token !== "human" && at !== "human",
      "a token that skips the gate skips the preview, and never a person's approval",
    );
  });
}

Deno.test("a preview shows what would change and how to go on, with credentials taken out and no echo of arguments", () => {
  const secret = `gate_dev_${"s".repeat(43)}`;
  const plan = {
    summary: `Write "${secret}"`,
    changes: [{ field: "title", from: null, to: secret }],
    revision: { part: "a part that only the revision holds" },
    warnings: ["Somebody has it open"],
    state: { hidden: true },
  };
  const call = {
    tool: "toy",
    tier: 1,
    plan,
    changes: plan.changes,
    revision: plan.revision,
    warnings: plan.warnings,
    calls: [],
    offered: false,
    dryRun: false,
  } as const;
  const token = "cft_0123456789012345678901";
  const seen = preview(call, { site: "acme", highestTier: 1, setbacks: [], allFinal: null }, {
    token,
    expires_at: 0,
    isKept: true,
  });
  assert.deepEqual([seen.needs_confirmation, seen.tool, seen.site_id, seen.tier], [true, "toy", "acme", 1]);
  assert.equal(seen.summary, 'Write "[redacted]"');
  assert.deepEqual(seen.changes[0], { field: "title", from: null, to: "[redacted]" });
  assert.deepEqual([seen.confirm_token, seen.expires_at], [token, "1970-01-01T00:00:00.000Z"]);
  assert.match(seen.revision ?? "", /^rev_[0-9a-f]{22}$/);
  assert.match(seen.next, /confirm: true and this confirm_token before it expires$/);
  assert.deepEqual(seen.warnings, [
    "Somebody has it open",
    "title: what looks like a credential is shown as [redacted], and the site gets it as it was sent",
  ]);
  assert.equal("arguments" in seen, false);
  for (const hidden of [secret, "a part that only", "hidden"]) {
    assert.ok(!JSON.stringify(seen).includes(hidden), hidden);
  }
});

const LONG = Array.from({ length: 4000 }, (_, at) => `word${at}`).join(" ");

Deno.test("of long texts the parts around what differs are shown, never two equal heads", () => {
  const from = `${LONG} It costs $10 today.`;
  const { changes } = shownChanges([{ field: "content_html", from, to: `${LONG} It costs $1000 today.` }]);
  const shown = changes[0] as { from: string; to: string } & typeof changes[0];
  assert.match(shown.from, /\$10 today/);
  assert.match(shown.to, /\$1000 today/);
  assert.notEqual(shown.from, shown.to);
  assert.ok(shown.from.length + shown.to.length < 600);
});

Deno.test("two edits far apart are both shown", () => {
  const { changes } = shownChanges([{ field: "f", from: `old ${LONG} old`, to: `new ${LONG} fresh` }]);
  const shown = changes[0] as { from: string; to: string } & typeof changes[0];
  assert.match(shown.to, /^new [\s\S]* … [\s\S]* fresh$/);
});

Deno.test("texts that have nothing in common, and very long ones, stay within the budget and say what is left out", () => {
  const other = LONG.replaceAll("word", "other");
  for (
    const [from, to] of [[LONG, other], [`<p>${"x".repeat(300_000)}</p>`, `<p>${"y".repeat(300_000)}</p>`]]
  ) {
    const { changes } = shownChanges([{ field: "f", from, to }]);
    const text = JSON.stringify(changes);
    assert.ok(text.length < 8 * 1024, `${text.length}`);
    assert.match(text, /left out/);
  }
});

Deno.test("more changes than a preview holds are named as left out", () => {
  const changes = Array.from(
    { length: 40 },
    (_, at) => ({ field: `f${at}`, from: null, to: "z".repeat(5000) }),
  );
  const shown = shownChanges(changes);
  assert.ok(JSON.stringify(shown).length < 34 * 1024);
  assert.match(shown.left_out ?? "", /^\d+ more changes, beginning with f\d+/);
});
