/** A terminal in this process, in front of the admin API with one site. */
import assert from "node:assert/strict";
import type { Terminal } from "../../../admin/terminal.ts";
import { runCommand } from "../../../admin/commands.ts";
import { CONNECTORS } from "../../connectors.ts";
import { kit, MASTER } from "./kit.ts";

/** An API with a site, and a terminal to call it from: `run` any command, `good` and `bad` ones with their exit code checked. */
export async function openTerminal(
  change: Partial<Terminal> = {},
  env: Record<string, string> = { MASTER_TOKEN: MASTER },
  ports: Parameters<typeof kit>[0] = {},
) {
  const gw = await kit(ports);
  const site = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.test" };
  await gw.ok("POST", "/admin/api/sites", site);
  gw.store.written.length = 0;
  const asked: Request[] = [];
  async function run(...args: string[]) {
    let out = "";
    let err = "";
    const decoder = new TextDecoder();
    const code = await runCommand(args, {
      env: (name) => env[name],
      stdin: () => Promise.resolve("piped secret\n"),
      out: (text) => void (out += typeof text === "string" ? text : decoder.decode(text, { stream: true })),
      err: (text) => void (err += text),
      fetch: (request) => {
        asked.push(request);
        return gw.app.request(request);
      },
      read: (file) => Deno.readTextFile(file),
      kept: () => null,
      wait: () => Promise.resolve(false),
      ...change,
    }, CONNECTORS);
    return { code, out, err };
  }
  async function good(...args: string[]) {
    const { code, out, err } = await run(...args);
    assert.equal(code, 0, err);
    return { out, err };
  }
  async function bad(...args: string[]): Promise<string> {
    const { code, out, err } = await run(...args);
    assert.equal(code, 1, out);
    assert.equal(out, "");
    assert.equal(err.trimEnd().split("\n").length, 1, err);
    return err.trimEnd();
  }
  return { ...gw, run, good, bad, asked, env };
}
