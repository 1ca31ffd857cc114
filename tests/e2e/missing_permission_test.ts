/** A setting that the permission list does not name is refused at boot, in a sentence that says what mends it. */
import assert from "node:assert/strict";
import { copyProject } from "./copy.ts";
import { inFolder, start } from "./running.ts";

const LACKING = ["REPO_APP_ID", "AUDIT_RETENTION_DAYS"];

Deno.test("a setting whose name deno.json lacks is refused at boot by name, without a prompt or a stack trace", async () => {
  await using copy = await copyProject(["tests", "bench", "sandbox", "docs"]);
  const path = `${copy.folder}/deno.json`;
  const config = JSON.parse(await Deno.readTextFile(path));
  const { serve } = config.permissions;
  serve.env = serve.env.filter((name: string) => !LACKING.includes(name));
  await Deno.writeTextFile(path, JSON.stringify(config));
  await inFolder(async (folder) => {
    await using gateway = start(folder, { REPO_APP_ID: "7", NO_COLOR: "1" }, { cwd: copy.folder });
    const { code, signal, stdout, stderr } = await gateway.ended;
    assert.deepEqual([code, signal, stdout], [1, null, ""]);
    for (const name of LACKING) {
      assert.match(
        stderr,
        new RegExp(
          `^  ${name}: the gateway has no permission to read it; run deno task gen, which writes it into deno\\.json$`,
          "m",
        ),
      );
    }
    assert.equal(stderr.match(/no permission to read it/g)?.length, LACKING.length);
    assert.doesNotMatch(stderr, /\n\s+at |Allow\?|┏|NotCapable/);
  });
});
