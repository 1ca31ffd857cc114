/** What the pages say of versions is what the code does: the number, the formats of the store, and where each can be got. */
import assert from "node:assert/strict";
import { VERSION } from "../../core/model.ts";
import { STORE_FORMAT, wanted } from "../../store/mark.ts";
import { Sealer } from "../../store/seal.ts";

const ROOT = new URL("../../", import.meta.url);
const page = (name: string) => Deno.readTextFile(new URL(name, ROOT));

const CHANGES = await page("CHANGELOG.md");
const UPGRADING = await page("docs/UPGRADING.md");

/** The versions that the CHANGELOG has, newest first, each with its text. */
const told = CHANGES.split(/^## /m).slice(1).map((part) => {
  const end = part.indexOf("\n");
  return { version: part.slice(0, end), text: part.slice(end) };
});

/** The rows of UPGRADING's table: a format, the version that brought it, and which versions open it. */
const formats = [...UPGRADING.matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \|/gm)]
  .map(([, format, first, opened]) => ({ format: Number(format), first: first!, opened: opened! }));

async function git(...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args, cwd: ROOT, stderr: "null" }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** A clone without its history has one commit alone, and the way to an earlier version is not in it. */
const isShallow = await git("rev-parse", "--is-shallow-repository") !== "false";

Deno.test("the CHANGELOG begins with the version that runs, and has every number since 0.1.0 once, as a number alone", () => {
  const versions = told.map(({ version }) => version);
  assert.equal(versions[0], VERSION);
  const minor = Number(VERSION.split(".")[1]);
  assert.deepEqual(versions, Array.from({ length: minor }, (_, below) => `0.${minor - below}.0`));
});

Deno.test("each format of the store has a version: UPGRADING's table, the CHANGELOG and the mark of a store agree", async () => {
  assert.deepEqual(
    formats.map(({ format }) => format),
    Array.from({ length: STORE_FORMAT }, (_, at) => at + 1),
  );
  const sealer = await Sealer.open([new Uint8Array(32)]);
  const { format, lowest } = await wanted(null, sealer);
  assert.deepEqual(formats.at(-1), {
    format,
    first: VERSION,
    opened: `${lowest.version} and later`,
  }, "a version rises with the format, and only with it");
  for (const { format, first } of formats.slice(1)) {
    const { text } = told.find(({ version }) => version === first)!;
    assert.match(text, /^\n\n\*\*Before you upgrade\*\*: make a copy of the store\./, first);
    const said = /It gets format (\d+)/.exec(text)?.[1];
    if (format > 2) assert.equal(said, String(format), `${first} says which format the store gets`);
  }
});

Deno.test("no page promises a tag or a release that the repository does not have", async () => {
  const tags = await git("tag", "--list");
  const paths = (await git("ls-files", "*.md")).split("\n").filter((path) =>
    !path.startsWith("docs/decisions/")
  );
  assert.ok(paths.includes("docs/OPERATING.md") && paths.includes("CHANGELOG.md"));
  for (const path of paths) {
    const text = await page(path);
    assert.doesNotMatch(text, /not released|unreleased/i, path);
    if (tags === "") assert.doesNotMatch(text, /--tags\b|commit or tag|a tag:/, path);
  }
});

Deno.test({
  name:
    "the command that UPGRADING prints names the last commit of each earlier version, with that version's format",
  ignore: isShallow,
  async fn() {
    const printed = /^git rev-parse .*$/m.exec(UPGRADING)![0];
    assert.ok(printed.includes('"0.5.0"') && printed.includes("origin/HEAD"));
    for (const { format, first } of formats.slice(1, -1)) {
      const command = printed.replace("0.5.0", first).replace("origin/HEAD", "HEAD");
      const { stdout } = await new Deno.Command("sh", { args: ["-c", command], cwd: ROOT }).output();
      const commit = new TextDecoder().decode(stdout).trim();
      const code = await git("show", `${commit}:core/model.ts`) +
        await git("show", `${commit}:store/mark.ts`);
      assert.ok(code.includes(`VERSION = "${first}"`), `${command} names ${commit}`);
      assert.ok(code.includes(`STORE_FORMAT = ${format};`), commit);
    }
  },
});
