/** Versions of the store are compared for equality and never ordered: not every engine counts them upwards. */
import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
/** What orders two texts. */
const ORDERING = [
  " < ",
  " > ",
  " <= ",
  " >= ",
  "localeCompare",
  ".sort(",
  ".toSorted(",
  "Math.max",
  "Math.min",
];

/** The modules of the service. */
async function modules(): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "*.ts", "*.tsx"], cwd: ROOT })
    .output();
  const all = new TextDecoder().decode(stdout).split("\n");
  return all.filter((path) => path !== "" && !path.startsWith("tests/") && !path.startsWith("bench/"));
}

Deno.test("no module orders versions, and none reads them apart", async () => {
  const faults: string[] = [];
  let lines = 0;
  for (const path of await modules()) {
    for (const [at, line] of (await Deno.readTextFile(new URL(path, ROOT))).split("\n").entries()) {
      if (!line.includes("versionstamp")) continue;
      lines++;
      const words = line.replaceAll("=>", "").replaceAll("Promise<", "").replaceAll("Map<", "");
      if (
        ORDERING.some((sign) => words.includes(sign)) ||
        /versionstamp\)?\.(slice|at|charAt|startsWith)/.test(words)
      ) {
        faults.push(`${path}:${at + 1}: ${line.trim()}`);
      }
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(lines > 30, "they are looked for where they are");
});
