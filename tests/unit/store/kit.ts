/** What the tests of the store share: stores in memory and on files, clocks that are set, rows, other processes. */
import type { AuditRow } from "../../../core/model.ts";
import { Audit } from "../../../store/audit/audit.ts";
import { AuditKeys } from "../../../store/audit/keys.ts";
import { Database, type KvTraits } from "../../../store/database.ts";
import { openStore, type StoreOptions } from "../../../store/kv.ts";
import { signAll } from "../../../store/registered_kind.ts";
import { RecordKeys } from "../../../store/seal.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import type { NewToken, Store } from "../../../store/store.ts";
import { instead } from "../../instead.ts";

export const START = Date.parse("2026-03-01T12:00:00.000Z");
export const KEY = new Uint8Array(32).fill(7);

/** What proves the audits that tests make without a store. */
export const AUDIT_KEYS = AuditKeys.of([new Uint8Array(32).fill(5)]);

/** What a client of Ann's is granted; until when, a test says. */
export const GRANTED = {
  user_id: "ann",
  client_id: "client",
  client_name: "Helper",
  redirect_host: "client.example",
  allowed_sites: ["acme"],
  groups: ["posts"],
  max_risk: 1,
} as const;

/** A clock that stands until it is moved. */
export class Clock {
  ms = START;
  now = (): number => this.ms;
}

/** A store that is closed at the end of the block. */
export async function open(options: Partial<StoreOptions> = {}): Promise<Store & AsyncDisposable> {
  const store = await openStore({
    path: ":memory:",
    keys: [KEY],
    siteShape: SITE_SHAPE,
    tokenPrefix: "gate",
    ...options,
  });
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

/** Has the gateway take what a test wrote into the file past it for its own, as an operator would. */
export async function proveAnew(path: string, keys: readonly Uint8Array[] = [KEY]): Promise<void> {
  const kv = await Deno.openKv(path);
  await signAll(kv, new RecordKeys(keys), false);
  kv.close();
}

/** An audit on a KV of its own, closed at the end of the block. */
export interface Bench extends AsyncDisposable {
  readonly kv: Deno.Kv;
  readonly db: Database;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** An audit in memory; `wrap` may stand between it and the KV. */
export async function bench(
  wrap: (kv: Deno.Kv) => Deno.Kv = (kv) => kv,
  traits: KvTraits = {},
): Promise<Bench> {
  const kv = await Deno.openKv(":memory:");
  const clock = new Clock();
  const db = new Database(wrap(kv), clock.now, clock.now, undefined, traits);
  const audit = new Audit(db, AUDIT_KEYS);
  return {
    kv,
    db,
    audit,
    clock,
    async [Symbol.asyncDispose]() {
      await audit.close();
      db.close();
    },
  };
}

/** A KV whose commits go through `commit`, which may fail before or after calling the real one. */
export function interfere(
  kv: Deno.Kv,
  commit: (
    real: () => ReturnType<Deno.AtomicOperation["commit"]>,
  ) => ReturnType<Deno.AtomicOperation["commit"]>,
): Deno.Kv {
  return instead(kv, {
    atomic() {
      const atomic = kv.atomic();
      const real = atomic.commit.bind(atomic);
      atomic.commit = () => commit(real);
      return atomic;
    },
  });
}

/** An audit row; what is not given is plain. */
export function row(id: string, fields: Partial<AuditRow> = {}): AuditRow {
  return {
    id,
    at: new Date(START).toISOString(),
    door: "rest",
    request_id: `request-${id}`,
    token_id: "token-1",
    token_name: "Token one",
    owner_user_id: null,
    site_id: "acme",
    tool: "create_draft",
    tier: 1,
    arguments: { title: "Hello" },
    status: "ok",
    error: null,
    duration_ms: 5,
    ...fields,
  };
}

/** A token to make; what is not given allows all. */
export function newToken(fields: Partial<NewToken> = {}): NewToken {
  return {
    name: "Token",
    env: "prod",
    allowed_sites: ["*"],
    allowed_tools: ["*"],
    max_risk: 4,
    skip_write_confirm: false,
    owner_user_id: null,
    ...fields,
  };
}

export { folder } from "../../folder.ts";

/** Another process running a script of children/, spoken to by lines. */
export class Child implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #stopped = false;

  constructor(script: string, ...args: string[]) {
    const file = new URL(`children/${script}`, import.meta.url).pathname;
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--config", config, file, ...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#lines = lines(this.#process.stdout);
  }

  /** The next line it prints; empty when it ended. */
  async line(): Promise<string> {
    return (await this.#lines.next()).value ?? "";
  }

  /** Writes a line to its input. */
  async say(line: string): Promise<void> {
    const writer = this.#process.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`${line}\n`));
    writer.releaseLock();
  }

  /** Ends it at once, as a crash would. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Closes its input and waits until it ended; how it did. */
  async end(): Promise<Deno.CommandStatus> {
    if (!this.#stopped) {
      this.#stopped = true;
      await this.#process.stdin.close().catch(() => {});
      while (!(await this.#lines.next()).done);
    }
    return await this.#process.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

/** Everything an export yields. */
export async function collect(pieces: AsyncIterable<string>): Promise<Record<string, unknown>[]> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** Changes the text of a stored segment. */
export async function edit(kv: Deno.Kv, key: Deno.KvKey, change: (text: string) => string): Promise<void> {
  const { value } = await kv.get<Uint8Array>(key);
  await kv.set(key, new TextEncoder().encode(change(new TextDecoder().decode(value ?? undefined))));
}

/** All keys under a prefix. */
export async function keys(kv: Deno.Kv, ...prefix: string[]): Promise<Deno.KvKey[]> {
  const found: Deno.KvKey[] = [];
  for await (const { key } of kv.list({ prefix })) found.push(key);
  return found;
}

/** Makes a user with something sealed of each kind that a person has, and a webhook. Answers the user's id. */
export async function sealSome(
  store: Pick<Store, "users" | "signIns" | "accounts" | "webhooks">,
): Promise<string> {
  const user = await store.users.create({
    email: "a@b.example",
    role: "member",
    allowed_sites: [],
    max_risk: 0,
  });
  const passphrase = { algorithm: "scrypt", n: 2, r: 1, p: 1, salt: "", hash: "" } as const;
  await store.signIns.change(user!.id, () => ({ passphrase, passkeys: [] }));
  const grant = { access_token: "a", expires_in: 60, refresh_token: "r", scopes: [], account: "x" };
  await store.accounts.connect(user!.id, "google", grant);
  const hook = { name: "h", project_id: null, url: "https://hooks.example/x", events: [] } as const;
  await store.webhooks.create({ ...hook, format: "standard" });
  return user!.id;
}
