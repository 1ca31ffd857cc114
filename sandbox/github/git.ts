/** The `git` binary: run it, and make with it the folder of a bare repository. */
import type { RunGit } from "./objects.ts";

// A machine's own settings and hooks must not change what is tested; nothing here has to outlive a loss of power.
const ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.fsync",
  GIT_CONFIG_VALUE_0: "none",
};

/** Runs git; with `input` on its standard input. */
export async function runGit(args: readonly string[], input?: Uint8Array): ReturnType<RunGit> {
  const command = new Deno.Command("git", {
    args: [...args],
    env: ENV,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    // A git that has had enough closes its input: its exit code tells.
    await writer.write(input).then(() => writer.close()).catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  return { code, stdout, stderr: new TextDecoder().decode(stderr).trim() };
}

/** What stands in a folder; nothing where there is none, or where it is a file. */
export async function entries(folder: string): Promise<Deno.DirEntry[]> {
  return await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
}

/** What `git init` makes, by path: bytes, or null for a folder, which comes before what is in it. */
type Blank = readonly (readonly [string, Uint8Array | null])[];

/** What `git init` made, per default branch: so that not every repository costs a process. */
const BLANKS = new Map<string, Blank>();

async function init(folder: string, branch: string): Promise<Blank> {
  const made = await runGit([
    "init",
    "--bare",
    "--quiet",
    "--template=",
    `--initial-branch=${branch}`,
    folder,
  ]);
  if (made.code !== 0) throw new Error(`git init failed: ${made.stderr}`);
  const found: [string, Uint8Array | null][] = [["", null]];
  for (const [name] of found) {
    for (const one of await entries(`${folder}${name}`)) {
      const path = `${name}/${one.name}`;
      found.push([path, one.isDirectory ? null : await Deno.readFile(`${folder}${path}`)]);
    }
  }
  return found;
}

/** Makes an empty bare repository, whose default branch is `branch`. */
export async function initBare(folder: string, branch: string): Promise<void> {
  const blank = BLANKS.get(branch);
  if (blank === undefined) BLANKS.set(branch, await init(folder, branch));
  for (const [name, bytes] of blank ?? []) {
    if (bytes === null) await Deno.mkdir(`${folder}${name}`, { recursive: true });
    else await Deno.writeFile(`${folder}${name}`, bytes);
  }
}
