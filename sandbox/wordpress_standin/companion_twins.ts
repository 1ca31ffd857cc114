/** The companion plugin's guarded routes beside those of posts, on the stand-in: each is the twin of a route of its own. */
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { fault } from "./companion.ts";
import { wallTime } from "./dates.ts";
import { invalidParams } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { type Answer, type Ask, type RestEnv, route } from "./rest.ts";

/** A route that is written, and what its guard compares. */
export interface Twin {
  /** Below the plugin's namespace, `:id` for the number of a post. */
  readonly path: string;
  /** The arguments of GET and of POST. */
  readonly asks: ParamRules;
  readonly takes: ParamRules;
  /** What a request finds; refuses who may not ask. */
  state(ask: Ask): Record<string, unknown>;
  /** The same in parts. */
  parts(ask: Ask): Record<string, unknown>;
  /** Further parts, as hashes. */
  hashed?(ask: Ask): Record<string, string>;
  write(ask: Ask): Answer;
  /** What stands after a write that makes something, by its answer. */
  after?(ask: Ask, written: Record<string, unknown>): Record<string, unknown>;
}

const EXPECTED: ParamRules = { expected: { type: "object", required: true } };

function hashes(twin: Twin, ask: Ask): Record<string, string> {
  const hash = (value: unknown) => createHash("sha256").update(JSON.stringify(value ?? "")).digest("hex");
  const parts = Object.entries(twin.parts(ask)).map(([name, value]) => [name, hash(value)]);
  return { ...twin.hashed?.(ask), ...Object.fromEntries(parts) };
}

/** Installs the guarded twins of routes. */
export function addTwins(app: Hono<RestEnv>, twins: readonly Twin[]): void {
  for (const twin of twins) {
    const path = `/site-ops/v1/guarded/${twin.path.replace(":id", ":id{[0-9]+}")}`;
    route(app, ["GET"], path, () => twin.asks, (ask) => ({
      body: { state: twin.state(ask), parts: hashes(twin, ask), changed: changed(ask), editing: null },
    }));
    route(app, ["POST"], path, () => ({ ...twin.takes, ...EXPECTED }), (ask) => write(twin, ask));
  }
}

function changed({ params, state }: Ask): unknown {
  const post = state.posts.get(params["id"] as number);
  return post ? { by: null, at: wallTime(post.modified, "UTC") } : null;
}

function write(twin: Twin, ask: Ask): Answer {
  twin.state(ask);
  const expected = ask.params["expected"] as Record<string, string>;
  if (Object.keys(expected).length === 0) {
    throw invalidParams(new Map([["expected", { code: "x", message: "nothing is expected" }]]));
  }
  const now = hashes(twin, ask);
  const differ = Object.keys(expected).filter((name) => now[name] !== expected[name]);
  if (differ.length > 0) {
    throw fault("stale", 409, `Not as expected any more: ${differ.join(", ")}`, {
      differ,
      changed: changed(ask),
    });
  }
  const written = twin.write(ask).body as Record<string, unknown>;
  return { body: { written, state: twin.after?.(ask, written) ?? twin.state(ask) } };
}
