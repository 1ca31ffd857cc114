/** Runs the makers' command-line tools from npm, at the versions and hashes that mcp_tools.lock holds. */
import { folder } from "../folder.ts";

/** How such a tool ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The tools, pinned. */
const TOOLS = {
  inspector: "npm:@modelcontextprotocol/inspector@2.12.0",
  openapi: "npm:openapi-typescript@7.13.0",
  heyapi: "npm:@hey-api/openapi-ts@0.99.0",
  orval: "npm:orval@8.38.0",
  remote: "npm:mcp-remote@0.15.1",
  conformance: "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
} as const;

const beside = (name: string) => new URL(name, import.meta.url).pathname;

/** What is loaded before one; of TypeScript the newest, which would be taken, has no such interface any more. */
const BEFORE: { readonly [tool in keyof typeof TOOLS]?: readonly string[] } = {
  inspector: [beside("inspector_preload.ts")],
  heyapi: ["npm:typescript@5.9.3"],
};

/** Runs one in a folder of its own to its end. */
export function runTool(tool: keyof typeof TOOLS, ...args: string[]): Promise<Ended> {
  return followTool(tool, args, () => {});
}

/** The same; `heard` is given what it has printed so far, each time there is more. */
export async function followTool(
  tool: keyof typeof TOOLS,
  args: readonly string[],
  heard: (stdout: string) => void,
): Promise<Ended> {
  await using place = await folder();
  const process = startTool(tool, args, { cwd: place.path, stdin: "null" });
  const texts = await Promise.all([whole(process.stdout, heard), whole(process.stderr, () => {})]);
  return { code: (await process.status).code, stdout: texts[0], stderr: texts[1] };
}

/** Starts one, whose streams the caller reads. */
export function startTool(
  tool: keyof typeof TOOLS,
  args: readonly string[],
  { env, ...options }: Deno.CommandOptions,
): Deno.ChildProcess {
  const before = (BEFORE[tool] ?? []).flatMap((module) => ["--preload", module]);
  const pinned = ["--config", beside("mcp_tools.json"), "--lock", beside("mcp_tools.lock"), "--frozen"];
  return new Deno.Command(Deno.execPath(), {
    ...options,
    args: ["run", "-A", "--quiet", ...pinned, ...before, TOOLS[tool], ...args],
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function whole(stream: ReadableStream<Uint8Array>, heard: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) heard(text += decoder.decode(chunk, { stream: true }));
  return text;
}

/** A port that was free a moment ago. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}
