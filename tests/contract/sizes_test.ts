/** The house rules on sizes: no function has more than 60 lines, and few modules are so small that they serve one other. */
import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
/** A function does one thing; what is longer does two. */
const FUNCTION_LINES_MAX = 60;
/** The head of a function, a method or a function that a name is given to. */
const FUNCTION_HEAD =
  /^(?:(?:export )?(?:default )?(?:async )?function\b|(?:export )?const \w+[^=]* = (?:async )?(?:\(|\w+ =>)|(?!(?:if|for|while|switch|return|await|catch|throw|super|new|typeof)\b)(?:(?:static|private|readonly|async|get|set|override) )*#?\w+(?:<[^>]*>)?\(.*[{(]$)/;

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

/** The project's modules outside of tests, with their texts; what is generated is not among them. */
async function modules(): Promise<[path: string, text: string][]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"],
    cwd: ROOT,
  }).output();
  const paths = new TextDecoder().decode(stdout).trim().split("\n").sort()
    .filter((path) => !/^tests\/|\.gen\.ts$/.test(path));
  const all = await Promise.all(paths.map(async (path): Promise<[string, string]> => {
    return [path, await Deno.readTextFile(new URL(path, ROOT)).catch(() => "")];
  }));
  return all.filter(([, text]) => text !== ""); // the others were taken out, which is not committed yet
}

Deno.test("no function has grown too long", async () => {
  const all = await modules();
  assert.ok(all.length > 500);
  assert.deepEqual(all.flatMap(([path, text]) => longFunctions(path, text)), []);
});

/** What is so short serves another module most often, and is read with it. */
const SMALL_LINES = 40;
const SMALL_MODULES_MAX = 60;

Deno.test("few modules are so small that they serve one other: join a new one to what it serves", async () => {
  const small = (await modules()).filter(([path, text]) =>
    path.endsWith(".ts") && !/^(tools|bench)\//.test(path) && text.split("\n").length - 1 <= SMALL_LINES
  );
  assert.ok(small.length <= SMALL_MODULES_MAX, small.map(([path]) => path).join("\n"));
});
