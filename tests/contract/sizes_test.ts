/** The house rule on functions: none has more than 60 lines. */
import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
/** A function does one thing; what is longer does two. */
const FUNCTION_LINES_MAX = 60;
/** The head of a function, a method or a function that a name is given to. */
const FUNCTION_HEAD =
  /^(?:(?:export )?(?:default )?(?:async )?function\b|(?:export )?const \w+[^=]* = (?:async )?(?:\(|\w+ =>)|(?!(?:if|for|while|switch|return|await|catch|throw|super|new|typeof)\b)(?:(?:static|private|readonly|async|get|set|override) )*#?\w+(?:<[^>]*>)?\(.*[{(]$)/;
/** Rows of made-up data, and the routes of stand-ins: this list may only get shorter. */
const LONG_FUNCTIONS = [
  "bench/tools.ts: contests",
  "sandbox/demo_guide.ts: guide",
  "sandbox/duda/api.ts: dudaApi",
  "sandbox/google/analytics.ts: runReport",
  "sandbox/google_accounts/start.ts: startAccounts",
  "sandbox/highlevel/seed.ts: seeded",
  "sandbox/highlevel/seed_messages.ts: addMessages",
  "sandbox/meta_ads/start.ts: startMeta",
  "sandbox/topic_map/api.ts: reads",
  "sandbox/world.ts: registerSites",
];

/** The functions of a module that are too long, as the formatter lays them out: each ends where its first line began. */
function longFunctions(path: string, text: string): string[] {
  const lines = text.split("\n");
  const depth = (line: string) => line.length - line.trimStart().length;
  return lines.flatMap((line, start) => {
    if (!FUNCTION_HEAD.test(line.trim())) return [];
    const end = lines.findIndex((one, at) =>
      at > start && one !== "" && depth(one) === depth(line) && !/^\s*[)\]}].*(?:[{(]|=>)$/.test(one)
    );
    if (end - start + 1 <= FUNCTION_LINES_MAX) return [];
    const name = line.trim().replace(
      /^(?:export |default |async |function\*? |const |static |private )+/,
      "",
    );
    return [`${path}: ${/^#?\w*/.exec(name)![0]}`];
  });
}

Deno.test("no function has grown too long", async () => {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"],
    cwd: ROOT,
  }).output();
  const paths = new TextDecoder().decode(stdout).trim().split("\n").sort()
    .filter((path) => !/^tests\/|\.gen\.ts$/.test(path));
  assert.ok(paths.length > 500);
  const found = await Promise.all(paths.map(async (path) => {
    const text = await Deno.readTextFile(new URL(path, ROOT)).catch(() => ""); // taken out, not committed yet
    return longFunctions(path, text);
  }));
  assert.deepEqual(found.flat(), LONG_FUNCTIONS);
});
