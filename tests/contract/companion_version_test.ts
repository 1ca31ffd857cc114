/** The companion plugin's version rises with its files: else a site that has the older ones is never offered the newer. */
import assert from "node:assert/strict";
import { pluginHash, pluginVersion } from "../../companion/build.ts";
import { isOlder } from "../../platforms/wordpress/companion/plugin.ts";

const ROOT = new URL("../../", import.meta.url);
const KEPT = "companion/versions.json";
type Versions = Readonly<Record<string, string>>;

/** What a commit has there; nothing where it is not in this clone, or has no such file. */
async function versionsOf(commit: string): Promise<Versions> {
  const { success, stdout } = await new Deno.Command("git", {
    args: ["show", `${commit}:${KEPT}`],
    cwd: ROOT,
    stderr: "null",
  }).output();
  return success ? JSON.parse(new TextDecoder().decode(stdout)) : {};
}

/** The versions whose files another commit has otherwise. */
const changed = (now: Versions, before: Versions) =>
  Object.keys(before).filter((version) => now[version] !== before[version]);

const now: Versions = JSON.parse(await Deno.readTextFile(new URL(KEPT, ROOT)));

Deno.test("the plugin's files are those of its version", async () => {
  const [version, hash] = [await pluginVersion(), await pluginHash()];
  assert.equal(
    now[version],
    hash,
    "the plugin's files have changed: raise its version (site-ops.php twice, readme.txt with a line of its changelog, " +
      `COMPANION_VERSION in platforms/wordpress/companion/plugin.ts), and add it last to ${KEPT} with the hash that is there now`,
  );
  assert.equal(Object.keys(now).at(-1), version, "the newest version stands last");
  const readme = await Deno.readTextFile(new URL("companion/site-ops/readme.txt", ROOT));
  assert.equal(/== Changelog ==\s+= (\S+) =/.exec(readme)?.[1], version);
});

Deno.test("versions rise, and the files of one that was committed stay what they were", async () => {
  const versions = Object.keys(now);
  assert.ok(versions.every((version, at) => at === 0 || isOlder(versions[at - 1]!, version)));
  for (const commit of ["HEAD", "HEAD^"]) {
    assert.deepEqual(changed(now, await versionsOf(commit)), [], commit);
  }
  assert.deepEqual(changed({ "1.6.0": "b" }, { "1.6.0": "a" }), ["1.6.0"], "another hash for it is found");
});
