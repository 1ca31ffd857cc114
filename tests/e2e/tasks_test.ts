/** What the tasks of deno.json print beside their own words: nothing. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { copyProject } from "./copy.ts";
import { environment, withoutDownloads } from "./running.ts";

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a task; what Deno itself says is left out: the line in which `deno task` names the command, and what it downloads. */
async function task(
  folder: string,
  args: readonly string[],
  env: Record<string, string | null> = {},
): Promise<Said> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", ...args],
    cwd: folder,
    env: environment(folder, { NO_COLOR: "1", ...env }),
    clearEnv: true,
    stdin: "null",
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  assert.match(err, new RegExp(`^Task ${args[0]} .*\\n`));
  return { code, stdout: out, stderr: withoutDownloads(err.slice(err.indexOf("\n") + 1)) };
}

const NO_SECRETS = { MASTER_TOKEN: null, ENCRYPTION_KEYS: null };

Deno.test("no task prints a warning or any other line that is not its own", async (t) => {
  await using copy = await copyProject();
  const { folder } = copy;
  const quiet: readonly (readonly [args: string[], code: number, stdout: RegExp])[] = [
    [["admin", "--help"], 0, /token create/],
    [["new"], 1, /^Name the tool as <group>\/<tool>/],
    [["new", "hello/say_hello"], 0, /^wrote manifests\/hello\/say_hello\.yaml\n/],
    [["gen"], 0, /^/],
    [["companion"], 0, /^companion\/dist\/site-ops\.zip: version /],
    [["test", "tests/unit/core/nearest_test.ts"], 0, /^\d+ passed, 0 failed\n$/m],
  ];
  for (const [args, code, stdout] of quiet) {
    await t.step(args.join(" "), async () => {
      const said = await task(folder, args);
      assert.deepEqual([said.code, said.stderr], [code, ""], said.stdout);
      assert.match(said.stdout, stdout);
    });
  }
  await t.step("start with settings that are missing", async () => {
    const said = await task(folder, ["start"], NO_SECRETS);
    assert.deepEqual([said.code, said.stdout], [1, ""]);
    assert.match(
      said.stderr,
      /^These settings cannot be used:\n {2}MASTER_TOKEN: .*\n {2}ENCRYPTION_KEYS: .*\n$/,
    );
  });
  await t.step("dev with a setting that is wrong", async () => {
    const said = await task(folder, ["dev"], { ...NO_SECRETS, PORT: "eighty" });
    assert.deepEqual([said.code, said.stdout], [1, ""]);
    assert.match(said.stderr, /^These settings cannot be used:\n {2}PORT: .*\n$/);
  });
  await t.step("demo with a setting that is wrong, on a machine without git, php and npm", async () => {
    const said = await task(folder, ["demo"], { PORT: "eighty", PATH: dirname(Deno.execPath()) });
    assert.deepEqual([said.code, said.stderr], [1, ""]);
    assert.match(said.stdout, /^These settings cannot be used:\n {2}PORT: .*\n$/);
  });
});

Deno.test("what Deno says of a download is left out, and nothing else is", () => {
  const download = "https://packages.example/zod";
  const said = `\x1b[32mDownload\x1b[0m ${download}\nDownload ${download}\nwarning: Download it\n`;
  assert.equal(withoutDownloads(said), "warning: Download it\n");
});
