/** Words of the house: names and phrases that were given up for the field's own terms do not come back. */
import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);

/** A name or phrase that is not used, and what is written in its place. */
type Row = readonly [refused: RegExp, instead: string];

/** Identifiers, in code alone. */
const NAMES: readonly Row[] = [
  [/\bUNKEPT\b/, "AUDIT_FAILED"],
  [/\bfailedHaving\b/, "withPartialResult"],
  [/\blookAt\b/, "inspectionHint, or what is read"],
  [/\bcountsAs\b/, "effectivePlatform"],
  [/\bhandedOn\b/, "filterListedTools"],
  [/\bputBack\b/, "toUpstreamArguments"],
  [/\bmadeOnce(PerName)?\b/, "memoize, memoizeByName"],
  [/\bturnOf\b/, "lockKey"],
  [/\bovertime\b/, "cleanup"],
  [/\bendsAt\b/, "deadline"],
  [/\btogether\(/, "allOrThrow"],
  [/\borAborted\b/, "abortable"],
  [/\bpauseFor\b/, "delay"],
  [/\btakeBack\b|\bTakenBack\b/, "revert, Reverted"],
  [/\bUNSAID\b/, "COMMIT_UNKNOWN"],
  [/\bctx\.note\b/, "ctx.annotate"],
  [/\bReach\b/, "ConnectorContext"],
  [/\b(interface|class|type) Look\b|\b(Post|Page)Look\b/, "what was read: StateRead, ReadRecord"],
  [/\bseenOf\b|\bCmsSeen\b/, "toSnapshot, StateSnapshot"],
  [/\bRelied\b(?! on)/, "DependsOn"],
  [/\b(l|pageL|mediaL)osses\b/, "differences"],
  [/=== 1 \? "" : "s"|> 1 \? "s" : ""/, "counted or formOf of core/one_line.ts"],
];

/** Phrases of messages, comments, names of tests and pages. */
const PHRASES: readonly Row[] = [
  [/holds only blanks/, "must not be blank"],
  [/half a character/, "unpaired surrogate"],
  [/\ba way on\b/, "next step"],
  [/\btold as\b(?! \w+\))/, "reported as"],
  [/is never carried out/, "is refused"],
  [/ in it says why/, "the name contains …"],
  [/is more than a draft/, 'is not allowed; use "draft" or "pending"'],
  [/is never given up/, "always, keep"],
  [/\begress look\b/, "egress policy"],
  [/\bwalks? (the|each|every) (line|steps?)\b|\b[Tt]he line every call\b/, "the pipeline, takes the steps"],
  [/The house as built|The way of one call/, "Architecture, Request lifecycle"],
];

/** Paths of modules. */
const PATHS: readonly Row[] = [
  [/^guard\/.*\/(desk|due|kept)\.ts$/, "operator.ts, schedule.ts, save_catalog.ts"],
  [/^platforms\/_content\/content\.ts$/, "posts.ts"],
  [/^store\/patience\.ts$/, "store_timeout.ts"],
  [/^platforms\/wordpress\/(.*\/)?wire\.ts$/, "wordpress_client.ts"],
  [/^platforms\/github\/(first|busy|absent)\.ts$/, "initial_commit.ts, rate_limit.ts, not_found.ts"],
];

/** Words of others, and what is generated. */
const NOT_OURS =
  /^(tests\/(fixtures|vendor_types|golden)\/|docs\/upstreams\/)|\.(lock|json|css|svg|png)$|\.gen\.ts$/;
const OWN = "tests/contract/words_test.ts";

async function texts(): Promise<[path: string, text: string][]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: ROOT,
  }).output();
  const paths = new TextDecoder().decode(stdout).split("\0")
    .filter((path) => path !== "" && path !== OWN && !NOT_OURS.test(path));
  const read = paths.map(async (path) => {
    const bytes = await Deno.readFile(new URL(path, ROOT)).catch(() => null);
    return bytes === null || bytes.includes(0)
      ? []
      : [[path, new TextDecoder().decode(bytes)] as [string, string]];
  });
  return (await Promise.all(read)).flat();
}

Deno.test("names and phrases that were given up do not come back", async () => {
  const all = await texts();
  assert.ok(all.length > 1000);
  const found = all.flatMap(([path, text]) => {
    const rows = /\.tsx?$/.test(path) ? [...NAMES, ...PHRASES] : PHRASES;
    const said = rows.filter(([refused]) => refused.test(text));
    const placed = PATHS.filter(([refused]) => refused.test(path));
    return [...said, ...placed].map(([refused, instead]) => `${path}: ${refused.source} (write ${instead})`);
  });
  assert.deepEqual(found, []);
});

/** A count before a plural, of what commands print: of one it would read "1 rows". */
const COUNTED = /\$\{(?!max\b)[a-z][\w.]*\} (rows|entries|segments|writers|records|proofs|changes)\b/g;

Deno.test("what commands print of a count is right for one as well", async () => {
  const all = (await texts()).filter(([path]) => /^(admin|store)\/.*\.ts$/.test(path));
  assert.ok(all.length > 100);
  const found = all.flatMap(([path, text]) =>
    [...text.matchAll(COUNTED)].map(([said]) => `${path}: ${said}`)
  );
  assert.deepEqual(found, [], 'counted(count, "row") of core/one_line.ts says "1 row"');
});
