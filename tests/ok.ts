/** `deno task ok`: what every commit must pass; with paths, of those paths and of what was changed only. */

const ROOT = new URL("../", import.meta.url);

/** What was changed or added since the last commit: it is checked together with the paths. */
async function changed(): Promise<string[]> {
  const args = ["ls-files", "--modified", "--others", "--exclude-standard", "--deduplicate"];
  const { stdout } = await new Deno.Command("git", { args, cwd: ROOT }).output();
  const paths = new TextDecoder().decode(stdout).split("\n").filter((path) => path !== "");
  const exists = (path: string) => Deno.stat(new URL(path, ROOT)).then(() => true, () => false);
  return (await Promise.all(paths.map(async (path) => await exists(path) ? [path] : []))).flat();
}

/** The checks in their order; the first that fails ends the task. */
async function commands(paths: readonly string[]): Promise<string[][]> {
  const looked = paths.length === 0 ? [] : [...paths, ...await changed()];
  const modules = looked.filter((path) => paths.includes(path) || /\.tsx?$/.test(path));
  return [
    ["fmt", "--check", "--quiet", "--permit-no-files", ...looked],
    ["lint", "--quiet", "--permit-no-files", ...modules],
    ["check", "--quiet", "--lock=tests/deno.lock", ...modules],
    ["run", "-A", "gateway/launch.ts", "generate", "registry/generate.ts", "--check"],
    ["run", "-A", "gateway/launch.ts", "test", "tests/run.ts", ...paths],
  ];
}

if (import.meta.main) {
  for (const args of await commands(Deno.args)) {
    const { code } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).spawn().status;
    if (code !== 0) Deno.exit(code);
  }
}
