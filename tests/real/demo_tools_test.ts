/** Every tool can be tried on what `deno task demo` starts: each is called there as a newcomer would. */
import assert from "node:assert/strict";
import { DEV_SECRETS_PATH, readDevSecrets } from "../../admin/dev_secrets.ts";
import { phpMissing } from "../../sandbox/wordpress/start.ts";
import { copyProject } from "../e2e/copy.ts";
import type { Args } from "../cms_kit.ts";
import { rows } from "../contract/golden.ts";
import { callEach, type Result } from "../demo_calls.ts";

const missing = await phpMissing();
const ignore = missing !== null && Deno.env.get("CI") !== "true";
const on = ignore ? `a real WordPress (not run: ${missing})` : "a real WordPress";
const READY_MS = 120_000;

/** A running demo. */
class Demo implements AsyncDisposable {
  constructor(
    readonly child: Deno.ChildProcess,
    readonly address: string,
    readonly token: string,
    readonly section: string,
    readonly master: string,
  ) {}

  /** Starts it in a folder, on a free port. */
  static async start(cwd: string): Promise<Demo> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "gateway/launch.ts", "demo", "sandbox/world.ts"],
      cwd,
      env: { PORT: "0", WP_SEED: "data/wordpress", WP_TREE: "" }, // it may read its own folder alone
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS);
    const said = Promise.withResolvers<string>();
    read(child.stdout, said.resolve);
    const text = await said.promise;
    clearTimeout(timer);
    const address = /^The gateway answers at (http:\/\/[\d.:]+)\./m.exec(text)?.[1];
    const token = /Bearer (gate_dev_\S+)'/.exec(text)?.[1];
    const section = /saved section is (\S+)\.$/m.exec(text)?.[1];
    if (!address || !token || !section) {
      await child.status;
      assert.fail(`the demo did not start: ${text}`);
    }
    const { MASTER_TOKEN: master } = readDevSecrets(`${cwd}/${DEV_SECRETS_PATH}`)!;
    return new Demo(child, address, token, section, master);
  }

  /** A change with the master token. */
  async operate(method: string, path: string, body: object): Promise<void> {
    const response = await fetch(`${this.address}/admin/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.master}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200, await response.text());
  }

  /** What was refused, a sentence each. */
  readonly refusals: string[] = [];

  /** What a tool answers, asked through REST and MCP in turn; nothing where it refuses, which is noted. */
  async call(tool: string, args: Args = {}): Promise<Result> {
    const params = { name: tool, arguments: args };
    if (this.#calls++ % 2 === 0) {
      const { ok, result, error } = await this.#ask(`/api/v1/tools/${tool}`, args);
      return ok ? result : this.#refused(tool, `${error?.code}: ${error?.message}`);
    }
    const { result } = await this.#ask("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const { text } = result.content[0];
    return result.isError ? this.#refused(tool, text) : JSON.parse(text);
  }
  #calls = 0;

  /** Waits until the newest build of the static site is over, two minutes at most. */
  async built(): Promise<void> {
    for (let look = 0; look < 3; look++) {
      const { status } = await this.call("check_static_deploy", { site_id: "demo-static", wait_seconds: 40 });
      if (["success", "failure", "canceled"].includes(String(status))) return;
    }
  }

  #refused(tool: string, why: string): Result {
    this.refusals.push(`${tool}: ${why}`);
    return {};
  }

  async #ask(path: string, body: unknown) {
    const response = await fetch(`${this.address}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return await response.json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGINT");
    const { code } = await this.child.status;
    assert.equal(code, 0, "the demo ends well");
  }
}

/** Reads what the demo says; `ready` gets all of it once it has said everything, or has ended. */
async function read(stdout: ReadableStream<Uint8Array>, ready: (text: string) => void): Promise<void> {
  let text = "";
  for await (const part of stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("Ctrl-C stops")) ready(text);
  }
  ready(text);
}

Deno.test({
  name: `on ${on}: every tool is tried on the demo, and none is refused`,
  ignore,
  async fn() {
    await using copy = await copyProject(["tests", "bench", "docs"]);
    await using demo = await Demo.start(copy.folder);
    const tried = new Set<string>();
    await callEach((tool, args) => {
      tried.add(tool);
      return demo.call(tool, args);
    }, {
      section: demo.section,
      now: Date.now,
      built: () => demo.built(),
      policy: (id, confirm_policy) => demo.operate("PATCH", `sites/${id}`, { confirm_policy }),
    });
    assert.deepEqual(demo.refusals, []);
    assert.deepEqual([...tried].sort(), (await rows()).map(({ name }) => name).sort());
  },
});
