/** Real processes of main.ts under the permissions they are served with, and what they are asked. */
import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import type { AuditRow } from "../../core/model.ts";
import { folderOnDisk } from "../folder.ts";

const ROOT = new URL("../../", import.meta.url);
/** The master token of every process. */
export const MASTER = "master-token-of-the-tests-0123456789abcdef";
/** The key credentials are sealed with. */
export const KEY = new Uint8Array(32).fill(7);

const READY_MS = 30_000;
/** How long a process that was told to stop may take, before it is killed: a test fails then, and does not hang. */
const STOPPED_MS = 120_000;

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An answer of either API; `result` is what the caller knows it to be, absent where the call was refused. */
export interface Answered<Result = unknown> {
  readonly status: number;
  readonly result: Result;
  readonly error?: { readonly code: string; readonly message: string; readonly outcome?: string };
}

/** Whether Deno itself says that line: the first run with an empty cache downloads what the lock file names. */
const isDownload = (line: string) => stripVTControlCharacters(line).startsWith("Download http");

/** What a program said on standard error, without the lines in which Deno says what it downloads. */
export const withoutDownloads = (stderr: string): string =>
  stderr.split("\n").filter((line) => !isDownload(line)).join("\n");

/** What was said beside the line of a first start, that it made its store. */
export const beyondFirst = (stderr: string): string =>
  stderr.replace(/^\{"at":"[^"]+","event":"store_made","path":"[^"]+"\}\n/, "");

/** A gateway in a process of its own; killed at the end of the block if nobody ended it. */
export class Running implements AsyncDisposable {
  readonly ended: Promise<Ended>;
  readonly #child: Deno.ChildProcess;
  readonly #address = Promise.withResolvers<string | null>();
  #logged = "";

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    const out = collect(child.stdout, (text) => {
      const address = /^The gateway answers at (\S+)$/m.exec(text)?.[1];
      if (address) this.#address.resolve(address);
    });
    const err = collect(child.stderr, (text) => this.#logged = text);
    this.ended = Promise.all([child.status, out, err]).then(([{ code, signal }, stdout, stderr]) => {
      this.#address.resolve(null);
      return { code, signal, stdout, stderr: withoutDownloads(stderr) };
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** What it has said on standard error so far. */
  get logged(): string {
    return this.#logged;
  }

  /** Where it answers; fails the test when it ends instead, or takes too long. */
  async address(): Promise<string> {
    const timer = setTimeout(() => this.#address.resolve(null), READY_MS);
    const address = await this.#address.promise;
    clearTimeout(timer);
    if (address !== null) return address;
    this.kill("SIGKILL");
    assert.fail(`the gateway did not start: ${(await this.ended).stderr}`);
  }

  kill(signal: Deno.Signal): void {
    try {
      this.#child.kill(signal);
      if (signal === "SIGKILL") return;
      const timer = setTimeout(() => this.kill("SIGKILL"), STOPPED_MS);
      void this.ended.finally(() => clearTimeout(timer));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended
    }
  }

  /** One request with a JSON body, if any, as a token. */
  async ask<Result>(
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ): Promise<Answered<Result>> {
    const response = await fetch(`${await this.address()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, ...await response.json() };
  }

  /** The admin API's answer; a refusal fails the test. */
  async admin<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    const { result, error } = await this.ask<Result>(method, `/admin/api${path}`, MASTER, body);
    assert.equal(error, undefined);
    return result;
  }

  call<Result>(token: string, tool: string, args: Record<string, unknown>): Promise<Answered<Result>> {
    return this.ask("POST", `/api/v1/tools/${tool}`, token, args);
  }

  /** A token that may do everything. */
  async token(): Promise<{ token: string; token_id: string }> {
    return await this.admin("POST", "/tokens", {
      name: "e2e",
      env: "dev",
      allowed_sites: ["*"],
      allowed_tools: ["*"],
      max_risk: 4,
      owner_user_id: null,
    });
  }

  async audit(): Promise<AuditRow[]> {
    const { rows } = await this.admin<{ rows: AuditRow[] }>("GET", "/audit?limit=100");
    return rows.filter(({ door }) => door !== "admin");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.ended;
  }
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  told?: (text: string) => unknown,
): Promise<string> {
  let text = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    text += piece;
    told?.(text);
  }
  return text;
}

/** What `deno task start` runs. */
const AS_TASK = ["-A", "gateway/launch.ts", "serve", "main.ts"];

/** The environment of a gateway with its store in that folder; null takes a variable out. */
export function environment(
  folder: string,
  env: Record<string, string | null> = {},
): Record<string, string> {
  const whole: Record<string, string | null> = {
    HOME: Deno.env.get("HOME") ?? null,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? null,
    PATH: Deno.env.get("PATH") ?? null,
    KV_PATH: `${folder}/gateway.sqlite3`,
    PORT: "0",
    MASTER_TOKEN: MASTER,
    ENCRYPTION_KEYS: KEY.toBase64(),
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    ...env,
  };
  return Object.fromEntries(
    Object.entries(whole).filter((pair): pair is [string, string] => pair[1] !== null),
  );
}

/** How a process differs from the one `deno task start` starts. */
export interface Start {
  /** Other arguments of `deno run`. */
  readonly run?: readonly string[];
  /** Another copy of the project. */
  readonly cwd?: URL | string;
  /** It may have so many files and connections open and no more. */
  readonly descriptors?: number;
}

/** Starts a process as `deno task start` does. */
export function start(
  folder: string,
  env: Record<string, string | null> = {},
  { run = AS_TASK, cwd = ROOT, descriptors }: Start = {},
): Running {
  const command = [Deno.execPath(), "run", "--frozen", ...run];
  if (descriptors) command.unshift("/bin/sh", "-c", `ulimit -n ${descriptors}; exec "$@"`, "sh");
  const [program, ...args] = command;
  return new Running(
    new Deno.Command(program!, {
      args,
      cwd,
      env: environment(folder, env),
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn(),
  );
}

/** Runs a test in a folder of its own, which is removed. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  await using place = await folderOnDisk();
  await work(place.path);
}

/** Asks again and again until the answer fits; answers when it did, in milliseconds. Fails after the deadline. */
export async function until(fits: () => Promise<boolean>, deadlineMs: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const asked = performance.now() - began;
    if (await fits()) return asked;
    assert.ok(asked < deadlineMs, `nothing changed within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Runs a program to its end with what it is to read, and answers what it said. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, env, stdin }: { cwd: string; env: Record<string, string>; stdin: string },
): Promise<{ code: number; out: string; err: string }> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A program that reads none of it may have ended before.
  await writer.write(new TextEncoder().encode(stdin)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}
