/** `deno task test`: runs every test file and closes with the real counts on a plain line. */

const ROOT = new URL("../", import.meta.url);

interface Counts {
  passed: number;
  failed: number;
  ignored: number;
}

/** The counts of a run, from the runner's own closing line; null when it printed none. */
export function countsOf(output: string): Counts | null {
  // deno-lint-ignore no-control-regex
  const plain = output.replace(/\x1b\[[0-9;]*m/g, "");
  const line = /^(?:ok|FAILED) \| (\d+) passed.*\| (\d+) failed(?:.*\| (\d+) ignored)?.*$/m.exec(plain);
  if (!line) return null;
  return { passed: Number(line[1]), failed: Number(line[2]), ignored: Number(line[3] ?? 0) };
}

async function run(args: readonly string[]): Promise<{ code: number; counts: Counts | null }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--quiet", "--lock=tests/deno.lock", "--frozen", ...args],
    cwd: ROOT,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    Deno.stdout.writeSync(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  return { code: (await child.status).code, counts: countsOf(output) };
}

if (import.meta.main) {
  const { code, counts } = await run(Deno.args.length ? Deno.args : ["--parallel", "tests/"]);
  const { passed, failed, ignored } = counts ?? { passed: 0, failed: 1, ignored: 0 };
  const skipped = ignored ? `, ${ignored} skipped` : "";
  Deno.stdout.writeSync(new TextEncoder().encode(`${passed} passed, ${failed} failed${skipped}\n`));
  Deno.exit(code || (counts ? 0 : 1));
}
