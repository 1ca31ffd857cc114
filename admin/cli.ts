/** `deno task admin`: manages a running gateway, and the file of its store, from the command line. */
import { readConnectors } from "../registry/connectors.ts";
import { runCommand } from "./commands.ts";
import { type DevSecrets, readDevSecrets } from "./dev_secrets.ts";
import { CommandError, type Terminal } from "./terminal.ts";
import { readSecret } from "./typed.ts";

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string | Uint8Array): void {
  let rest = typeof text === "string" ? new TextEncoder().encode(text) : text;
  while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
}

function kept(name: keyof DevSecrets): string | null {
  try {
    return readDevSecrets()?.[name] ?? null;
  } catch (cause) {
    throw new CommandError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Throws what the disk refuses. */
async function keep(folder: string, text: string): Promise<string> {
  const place = new URL(`../data/${folder}/`, import.meta.url);
  await Deno.mkdir(place, { recursive: true, mode: 0o700 });
  const name = `${new Date().toISOString().replaceAll(":", "-")}.json`;
  await Deno.writeTextFile(new URL(name, place), text, { createNew: true, mode: 0o600 });
  return `data/${folder}/${name}`;
}

const terminal: Terminal = {
  env: (name) => Deno.env.get(name),
  stdin: () => readSecret(Deno.stdin, (text) => writeAll(Deno.stderr, text)),
  out: (text) => writeAll(Deno.stdout, text),
  err: (text) => writeAll(Deno.stderr, text),
  status: Deno.stderr.isTerminal() ? (text) => writeAll(Deno.stderr, `${text}\n`) : undefined,
  fetch: (request) => fetch(request),
  keep,
  read: (file) => Deno.readTextFile(file),
  kept,
  wait: (ms) => new Promise((resolve) => setTimeout(() => resolve(true), ms)),
};

if (import.meta.main) {
  try {
    Deno.exitCode = await runCommand(
      Deno.args,
      terminal,
      await readConnectors([new URL("../", import.meta.url)]),
    );
  } catch (fault) {
    // A reader such as `head` that has seen enough.
    if (!(fault instanceof Deno.errors.BrokenPipe)) throw fault;
  }
}
