/** The companion plugin is compiled, without a fault or anything deprecated, by every PHP that sites run: builds of PHP from npm (tests/php_versions/). */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { PLUGIN } from "./site.ts";

const FOLDER = fileURLToPath(new URL("../php_versions", import.meta.url));

interface Linted {
  readonly version: string;
  readonly files: number;
  readonly faults: Readonly<Record<string, string>>;
}

async function lint(version: string, folder: string): Promise<Linted> {
  const args = [
    "run",
    "-A",
    "--quiet",
    "--config",
    `${FOLDER}/deno.json`,
    `${FOLDER}/lint.ts`,
    version,
    folder,
  ];
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr).slice(-800));
  return JSON.parse(new TextDecoder().decode(stdout));
}

for (const version of ["7.4", "8.0", "8.1", "8.2", "8.3", "8.4", "8.5"]) {
  Deno.test(`PHP ${version} finds no fault and nothing deprecated in any file of the companion plugin`, async () => {
    const { version: ran, files, faults } = await lint(version, PLUGIN);
    assert.ok(ran.startsWith(`${version}.`) && files > 70, `${ran}, ${files} files`);
    assert.deepEqual(faults, {});
  });
}

Deno.test("a file that is newer than the version, and one that is deprecated there, are found", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/union.php`, "<?php\nfunction f( int|string $a ) {}\n");
    await Deno.writeTextFile(`${folder}/order.php`, "<?php\nfunction f( $a = 1, $b ) {}\n");
    await Deno.mkdir(`${folder}/includes`);
    assert.deepEqual(Object.keys((await lint("7.4", folder)).faults), ["union.php"]);
    await Deno.writeTextFile(
      `${folder}/includes/class-a.php`,
      "<?php\nclass A { function f( A $a = null ) {} }\n",
    );
    assert.deepEqual(Object.keys((await lint("8.5", folder)).faults), ["order.php", "all classes"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
