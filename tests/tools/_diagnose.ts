/** What a diagnosis is expected to say of checks, asked for by their names through both doors. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";

/** One check as it is answered. */
export interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  readonly next_step: string | null;
}

/** Whether a check is met, what its detail says, and what its next step, which a check that is met has none of. */
export type Seen =
  | readonly [ok: true, detail: RegExp]
  | readonly [
    ok: false | null,
    detail: RegExp,
    next: RegExp,
  ];

type Both = <T>(tool: string, args: Args) => Promise<T>;

/** Every check of a site, by name; each says something, and what to do where it is not met. */
export async function diagnose(both: Both, args: Args): Promise<Record<string, Check>> {
  const { checks, ...rest } = await both<{ checks: Check[]; site_id: string; platform: string }>(
    "diagnose_site",
    args,
  );
  assert.deepEqual(Object.keys(rest), ["site_id", "platform"]);
  for (const { name, ok, detail, next_step } of checks) {
    assert.match(detail, /\S[^.]$/, name);
    assert.equal(next_step === null, ok === true, `${name} names a next step where there is one to take`);
    assert.doesNotMatch(
      `${detail} ${next_step ?? ""}`.trim(),
      /\.$|Basic |Bearer |undefined|\[object|null\b/,
      name,
    );
  }
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

/** Asserts what the checks of those names say, asking for them alone. */
export async function says(both: Both, site_id: string, expected: Readonly<Record<string, Seen>>) {
  const found = await diagnose(both, { site_id, checks: Object.keys(expected) });
  assert.deepEqual(Object.keys(found).toSorted(), Object.keys(expected).toSorted());
  for (const [name, [ok, detail, next]] of Object.entries(expected)) {
    const check = found[name]!;
    assert.equal(check.ok, ok, `${name} of ${site_id}: ${check.detail}`);
    assert.match(check.detail, detail, name);
    if (next) assert.match(check.next_step ?? "", next, name);
  }
}
