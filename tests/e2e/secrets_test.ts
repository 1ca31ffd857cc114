/** The secrets of a start, made and read by the commands that README.md and docs/CONFIGURATION.md print. */
import assert from "node:assert/strict";
import { readSettings } from "../../core/settings.ts";
import { CONNECTORS } from "../connectors.ts";
import { inFolder } from "./running.ts";

const page = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
/** The lines of a page that make the file and that read it. */
const linesOf = (path: string) =>
  page(path).split("\n").map((line) => line.trim())
    .filter((line) => /^(\[ -e \.env \]|chmod 600 \.env$|set -a; )/.test(line));

/** Runs them in a folder, with this Deno in the place of the one that npx brings; what the environment is then. */
async function shell(cwd: string, lines: readonly string[]): Promise<Map<string, string>> {
  const script = [...lines.map((line) => line.replaceAll("npx -y deno@2.9", Deno.execPath())), "env -0"];
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
    args: ["-ec", script.join("\n")],
    cwd,
    clearEnv: true,
    env: { PATH, HOME, NO_COLOR: "1" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const pairs = new TextDecoder().decode(stdout).split("\0").filter((pair) => pair.includes("="));
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

Deno.test("the secrets are made once, stay what they are, and start a gateway", async () => {
  const lines = linesOf("docs/CONFIGURATION.md");
  assert.deepEqual(lines.length, 3);
  const [make, close, read] = lines;
  assert.deepEqual(linesOf("README.md"), [make, close, read, read]);
  await inFolder(async (folder) => {
    const first = await shell(folder, lines);
    const { encryptionKeys, masterToken } = readSettings(
      (name) => first.get(name),
      "start",
      CONNECTORS.settings,
    );
    assert.deepEqual(encryptionKeys.map(({ length }) => length), [32]);
    assert.equal(masterToken, first.get("MASTER_TOKEN"));
    assert.equal(Deno.statSync(`${folder}/.env`).mode! & 0o777, 0o600);
    const key = "-----BEGIN RSA PRIVATE KEY-----\\nab+/c=\\n-----END RSA PRIVATE KEY-----";
    Deno.writeTextFileSync(`${folder}/.env`, `REPO_APP_PRIVATE_KEY='${key}'\n`, { append: true });
    const again = await shell(folder, lines);
    assert.equal(again.get("MASTER_TOKEN"), masterToken, "made once");
    const { upstream } = readSettings((name) => again.get(name), "start", CONNECTORS.settings);
    assert.equal(upstream["REPO_APP_PRIVATE_KEY"], key.replaceAll("\\n", "\n"));
  });
});

Deno.test("the example of settings can be read as it stands and with every line switched on", async () => {
  await inFolder(async (folder) => {
    const example = page(".env.example");
    for (const text of [example, example.replace(/^#(?=[A-Z_]+=)/gm, "")]) {
      Deno.writeTextFileSync(`${folder}/.env`, text);
      await shell(folder, [linesOf("README.md").at(-1)!]);
    }
  });
});
