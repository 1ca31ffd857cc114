/** Of random frontmatter only what is changed is another: every byte before and behind it is as it was. */
import assert from "node:assert/strict";
import { readDocument, withDeployment, withKey } from "../../../tools/markdown/_frontmatter.ts";

/** Numbers below one, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Keys as people and their editors write them; each its lines, without the last line end. */
const OTHERS: readonly (readonly string[])[] = [
  ["title: >", "  A title that somebody", "  broke  where it", "", "  suited them"],
  ["title: >-", "  folded", "  # no comment", ""],
  ["title: |+", "  kept", "", ""],
  ["title: 'it''s", "  quoted over", "", "  lines' # why"],
  ['title: "tab\\t \\u263A over \\', '  lines"'],
  ["title:   plain text", "  that goes on  # and ends"],
  ["# a note of its own", "title:  A   # spaced"],
  ["tags: [ a,b ,", "  c ] # odd"],
  ["tags:", "- a", "-   b # two", "# between", "- {x: 1,  y: 2}"],
  ["list:", "    - deep", "    -", "      k:   v"],
  ["'quoted key' :  1.50", ""],
  ["date: 2026-01-02", "empty:", "nothing: ~  # none"],
  ["anchor: &x {a: 1}", "alias:   *x"],
  ["", "", "# blank lines before", "emoji: \u{1f600} # \u00e9e\u0301"],
];

/** What stands at a status, and what must stand there once it is live. */
const STATUSES: readonly (readonly [from: string, to: string])[] = [
  ["status: draft", "status: live"],
  ["status:   draft   # why", "status:   live   # why"],
  ["status: 'draft'", "status: live"],
  ['"status":\t"dra\\u0066t" # x', '"status":\tlive # x'],
  ["status:", "status: live"],
  ["status: # none", "status: live # none"],
  ["status: ~", "status: live"],
  ["status: >\n  in\n  review", "status: live"],
  ["status: |- # why\n  draft", "status: live # why"],
  ["status: 'in\n  review'", "status: live"],
  ["status: in\n  review", "status: live"],
  ["status: [a, b]", "status: live"],
  ["status : 7", "status : live"],
];

const BODIES = ["", "Body", "Body\n\n---\nstatus: draft\n---\n", "  \r\n\tmixed\n\rends\u2028"];
const ENTRY = {
  site_id: "a",
  type: "post",
  id: 7,
  url: "https://a.example/?p=7#x",
  deployed_at: "2026-01-01",
};

/** A document whose block is those lines, as an editor with those line ends saves it. */
interface Shape {
  readonly bom: string;
  readonly newline: string;
  readonly body: string;
}

function wrapped(block: string, { bom, newline, body }: Shape): string {
  const text = `---\n${block}---`.replaceAll("\n", newline);
  return `${bom}${text}${body === "" ? "" : newline + body}`;
}

/** Random frontmatter: what stands before a status, what behind it, and how it is saved. */
function shapesOf(
  seed: number,
): { before: string; after: string; shape: Shape; pick<T>(of: readonly T[]): T } {
  const next = numbers(seed);
  const pick = <T>(of: readonly T[]) => of[Math.floor(next() * of.length)]!;
  const keys = (from: readonly (readonly string[])[]) =>
    from.map((lines) => lines.map((one) => `${one}\n`).join(""));
  const chosen = OTHERS.filter(() => next() < 0.3).toSorted(() => next() - 0.5);
  // No key twice.
  const names = new Set<string>();
  const fit = chosen.filter((lines) => {
    const own = lines.flatMap((one) => one.match(/^['"\w][^:]*:/)?.[0] ?? []);
    if (own.some((name) => names.has(name))) return false;
    own.forEach((name) => names.add(name));
    return true;
  });
  const at = Math.floor(next() * (fit.length + 1));
  return {
    before: keys(fit.slice(0, at)).join(""),
    after: keys(fit.slice(at)).join(""),
    shape: { bom: pick(["", "\ufeff"]), newline: pick(["\n", "\r\n"]), body: pick(BODIES) },
    pick,
  };
}

const SEEDS = Array.from({ length: 400 }, (_, at) => at * 7919 + 1);

Deno.test("a status is set and every other byte kept, however the rest is written", () => {
  const changed = new Set<string>();
  for (const seed of SEEDS) {
    const { before, after, shape, pick } = shapesOf(seed);
    const [from, to] = pick(STATUSES);
    const text = wrapped(`${before}${from}\n${after}`, shape);
    const wanted = wrapped(`${before}${to}\n${after}`, shape);
    assert.equal(withKey(text, "status", "live", "path"), wanted, `seed ${seed}`);
    changed.add(from);
  }
  assert.equal(changed.size, STATUSES.length, "each way to write a status was tried");
});

Deno.test("a status that is not there is one more line, and nothing else", () => {
  for (const seed of SEEDS) {
    const { before, after, shape } = shapesOf(seed);
    const text = wrapped(before + after, shape);
    const wanted = wrapped(`${before}${after}status: live\n`, shape);
    assert.equal(withKey(text, "status", "live", "path"), wanted, `seed ${seed}`);
  }
});

const LISTS: readonly string[] = [
  "",
  "deployments:\n",
  "deployments: # none\n",
  "deployments: []\n",
  "deployments: ~\n",
  "deployments: [{id:  1}]\n",
  "deployments:\n- id:   1 # one\n",
  "deployments:\n    - id: 1\n      note: >\n        folded\n        text\n",
];

Deno.test("a deployment is one more entry, and what was there before is there as it was", () => {
  for (const seed of SEEDS) {
    const { before, after, shape, pick } = shapesOf(seed);
    const list = pick(LISTS);
    const text = wrapped(before + list + after, shape);
    const done = withDeployment(text, ENTRY, "path");
    const head = wrapped(before, { ...shape, body: "" }).slice(0, -3);
    assert.ok(done.startsWith(head), `seed ${seed}: what stands before`);
    const tail = wrapped(after, shape).slice(shape.bom.length + `---${shape.newline}`.length);
    if (list !== "") assert.ok(done.endsWith(tail), `seed ${seed}: what stands behind`);
    else {assert.ok(
        done.startsWith(wrapped(before + after, { ...shape, body: "" }).slice(0, -3)),
        `seed ${seed}`,
      );}
    const { deployments, ...rest } = readDocument(done, "path").frontmatter;
    const { deployments: old, ...same } = readDocument(text, "path").frontmatter;
    assert.deepEqual(rest, same, `seed ${seed}`);
    assert.deepEqual(deployments, [...(old ?? []) as unknown[], ENTRY], `seed ${seed}`);
  }
});
