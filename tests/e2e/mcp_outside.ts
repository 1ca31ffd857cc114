/** Runs the makers' command-line tools from npm, at the versions and hashes that mcp_tools.lock holds. */

/** How such a tool ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The tools, pinned. */
export const TOOLS = {
  inspector: "npm:@modelcontextprotocol/inspector@2.12.0",
  openapi: "npm:openapi-typescript@7.13.0",
  conformance: "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
} as const;

const beside = (name: string) => new URL(name, import.meta.url).pathname;

/** Runs one in a folder of its own to its end. */
export async function runTool(tool: keyof typeof TOOLS, ...args: string[]): Promise<Ended> {
  const cwd = await Deno.makeTempDir();
  try {
    const pinned = ["--config", beside("mcp_tools.json"), "--lock", beside("mcp_tools.lock"), "--frozen"];
    const command = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", ...pinned, TOOLS[tool], ...args],
      cwd,
      env: { NO_COLOR: "1" },
      stdin: "null",
    });
    const { code, stdout, stderr } = await command.output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}
