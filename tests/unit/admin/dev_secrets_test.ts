/** Secrets of dev and demo are made once and kept to their owner. */
import assert from "node:assert/strict";
import { devEnvironment, keepDevSecrets, readDevSecrets } from "../../../admin/dev_secrets.ts";
import { readSettings } from "../../../core/settings.ts";

function inFolder(work: (path: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    work(`${folder}/data/secrets.json`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("secrets are made once, with mode 0600, and fit the settings", () => {
  inFolder((path) => {
    assert.equal(readDevSecrets(path), null);
    const made = keepDevSecrets(path);
    assert.deepEqual(keepDevSecrets(path), made);
    assert.deepEqual(readDevSecrets(path), made);
    if (Deno.build.os !== "windows") assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
    assert.deepEqual([...Deno.readDirSync(path.replace(/\/[^/]+$/, ""))].map((entry) => entry.name), [
      "secrets.json",
    ]);
    const settings = readSettings(devEnvironment(() => undefined, () => false, path), "dev", []);
    assert.equal(settings.masterToken, made.MASTER_TOKEN);
    assert.equal(settings.encryptionKeys.length, 1);
  });
});

Deno.test("what the environment gives is taken, and then no file is made", () => {
  inFolder((path) => {
    const env = devEnvironment((name) => `${name} of the environment`, () => false, path);
    assert.equal(env("MASTER_TOKEN"), "MASTER_TOKEN of the environment");
    assert.equal(env("PORT"), "PORT of the environment");
    assert.equal(readDevSecrets(path), null);
    assert.equal(devEnvironment(() => undefined, () => false, path)("PORT"), undefined);
    assert.equal(readDevSecrets(path), null);
  });
});

Deno.test("a file that holds something else is told, never overwritten", () => {
  inFolder((path) => {
    keepDevSecrets(path);
    for (
      const text of ["", "{", "null", "[]", '{"MASTER_TOKEN":"x"}', '{"MASTER_TOKEN":1,"ENCRYPTION_KEYS":2}']
    ) {
      Deno.writeTextFileSync(path, text);
      assert.throws(
        () => keepDevSecrets(path),
        /does not hold MASTER_TOKEN and ENCRYPTION_KEYS: mend it, or remove it/,
      );
      assert.equal(Deno.readTextFileSync(path), text);
    }
  });
});
