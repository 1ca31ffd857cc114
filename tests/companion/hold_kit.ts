/** A WordPress whose calls are held, on SQLite or MariaDB, with a tool server that does all it should not. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { CmsLogin } from "../../sandbox/wordpress/start.ts";
import { startWordPress } from "../wordpress.ts";
import { Mariadb, mariadbMissing } from "./mariadb.ts";
import {
  type Answer,
  Companion,
  fixture,
  ignore as noPhp,
  type Json,
  type PairedKey,
  PLUGIN,
  signature,
} from "./site.ts";

/** The databases. */
export const ENGINES = ["sqlite", "innodb"] as const;
/** One of them. */
export type Engine = typeof ENGINES[number];

const missing = await mariadbMissing();

/** Whether the tests of an engine are left out here; never with CI=true. */
export function ignored(engine: Engine): boolean {
  return noPhp || (engine === "innodb" && missing !== null && Deno.env.get("CI") !== "true");
}

/** The end of the name of a test. */
export function where(engine: Engine): string {
  const on = engine === "sqlite" ? "on SQLite" : "on MariaDB";
  return ignored(engine) ? `${on} (not run: ${missing ?? "no PHP"})` : on;
}

/** What is told of a held call. */
export interface Told {
  readonly id: string;
  readonly outcome: string;
  readonly why: string | null;
  readonly digest: string;
  readonly labels: string[];
  readonly effects: {
    label: string;
    what: string;
    change: string;
    table: string | null;
    key: string | null;
    post: Json | null;
    fields: { name: string; from: string | null; to: string | null; cut?: boolean }[];
  }[];
  readonly answer: { status: number; body: Json } | null;
}

/** What became of a call, in a line: status, code or reason, outcome of the header. */
export function became({ status, body, headers }: Answer): unknown[] {
  const data = (body["data"] ?? {}) as Json;
  const held = /^\w+/.exec(headers.get("x-site-ops-held") ?? "")?.[0] ?? null;
  return [status, data["reason"] ?? body["code"] ?? null, held];
}

/** What is told in an answer, dry or refused. */
export function told({ body }: Answer): Told {
  return (body["hold"] ?? (body["data"] as Json)["hold"]) as Told;
}

/** All that a site keeps. */
export interface State {
  readonly tables: Record<string, string[]>;
  readonly files: Record<string, string>;
}

/** An id of a held call. */
export function newId(): string {
  return randomBytes(16).toString("hex");
}

/** Registers a test on some databases, or on both. */
export type OnEach = (
  name: string,
  fn: (site: Held, engine: Engine) => Promise<void>,
  engines?: readonly Engine[],
) => void;

/** The tests of one file, each of them on both databases; the sites start before them, with these plugins too, and stop after them. */
export function heldSuite(...more: string[]): OnEach {
  const sites = new Map<Engine, Held>();
  Deno.test.beforeAll(async () => {
    for (const engine of ENGINES) if (!ignored(engine)) sites.set(engine, await Held.start(engine, more));
  });
  Deno.test.afterAll(async () => {
    for (const site of sites.values()) await site.stop();
  });
  return (name, fn, engines = ENGINES) => {
    for (const engine of engines) {
      Deno.test({
        name: `${name}, ${where(engine)}`,
        ignore: ignored(engine),
        fn: () => fn(sites.get(engine)!, engine),
      });
    }
  };
}

/** A site with a connected gateway. */
export class Held implements AsyncDisposable {
  private constructor(
    readonly wp: Companion,
    readonly key: PairedKey,
    private readonly server: Mariadb | null,
  ) {}

  /** Starts one, with the folders of more plugins. */
  static async start(engine: Engine, more: readonly string[] = []): Promise<Held> {
    const server = engine === "innodb" ? await Mariadb.start("site") : null;
    try {
      const plugins = [PLUGIN, fixture("peek"), fixture("hold-acts"), ...more];
      const site = await startWordPress({ plugins, database: server?.database("site") ?? null });
      const wp = new Companion(site);
      const paired = await wp.call("admin", "POST", "/gateways", { name: "Test" });
      assert.equal(paired.status, 201, JSON.stringify(paired.body));
      return new Held(wp, paired.body as unknown as PairedKey, server);
    } catch (thrown) {
      await server?.stop();
      throw thrown;
    }
  }

  /** An act, plainly. */
  plain(act: string, args: Json = {}, login: CmsLogin = "admin"): Promise<Answer> {
    return this.wp.send(login, "POST", "/wp-json/acts/v1/run", { act, ...args });
  }

  /** An act under this header. */
  async ask(act: string, args: Json, hold: string): Promise<Answer> {
    const body = { act, ...args };
    const headers = signature(this.key, "POST", "/acts/v1/run", { body, hold });
    return await this.wp.send("admin", "POST", "/wp-json/acts/v1/run", body, headers);
  }

  /** An act in a dry run. */
  dry(act: string, args: Json = {}, more = ""): Promise<Answer> {
    return this.ask(act, args, `dry; id=${newId()}${more}`);
  }

  /** An act that stays where it does nothing but this. */
  hold(act: string, args: Json, allow: string, more = ""): Promise<Answer> {
    return this.ask(act, args, `hold; id=${newId()}; allow=${allow}${more}`);
  }

  /** Runs SQL plainly. */
  async sql(statement: string): Promise<unknown> {
    return (await this.wp.peek({ db: ["query", statement] })).result;
  }

  /** All that the site keeps. */
  async state(): Promise<State> {
    return (await this.wp.send("admin", "POST", "/wp-json/acts/v1/state", {})).body as unknown as State;
  }

  /** The title of a post, as it is stored. */
  async title(id: number): Promise<unknown> {
    return (await this.wp.peek({ id })).post["post_title"];
  }

  /** Does something that must leave the site as it was; its answer. */
  async leavesNothing(act: () => Promise<Answer>): Promise<Answer> {
    const before = await this.state();
    const answer = await act();
    const after = await this.state();
    if (JSON.stringify(before) !== JSON.stringify(after)) assert.deepEqual(after, before);
    return answer;
  }

  async stop(): Promise<void> {
    await this.wp.site.stop();
    await this.server?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
