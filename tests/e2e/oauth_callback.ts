/** The callback of a client in a process of its own: what was kept on standard input, what came of it on its output. */
import { CLIENTS, type Kept } from "./oauth_client.ts";

/** What the callback is given. */
export interface Given {
  /** A name of `CLIENTS`. */
  readonly client: string;
  readonly url: string;
  readonly kept: Kept;
  /** What the browser brought back. */
  readonly answer: string;
}

/** What came of it. */
export interface Said {
  readonly kept: Kept;
  /** The names of the tools that it was listed. */
  readonly tools: readonly string[];
}

/** Handles the callback in a process of its own; rejects with what it said where it fails. */
export async function calledBack(given: Given): Promise<Said> {
  const args = ["run", "-A", "--quiet", "--lock=tests/deno.lock", "--frozen", import.meta.filename!];
  const process = new Deno.Command(Deno.execPath(), {
    args,
    cwd: new URL("../../", import.meta.url),
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(given)));
  await writer.close();
  const { code, stdout, stderr } = await process.output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

if (import.meta.main) {
  const { client, url, kept, answer }: Given = await new Response(Deno.stdin.readable).json();
  const stranger = CLIENTS[client]!(url, undefined, undefined, kept);
  const connected = await stranger.goOn(new URLSearchParams(answer));
  const { tools } = await connected.listTools();
  await connected.close();
  const said: Said = { kept, tools: tools.map(({ name }) => name) };
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(said)));
  Deno.exit(0);
}
