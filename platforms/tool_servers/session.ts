/** The sessions of a site's tool servers: opened one after another, used by every call of the process, opened again when lost. */
import { LIMITS, PROGRAM, VERSION as GATEWAY_VERSION } from "../../core/model.ts";
import { ToolServerError, unreadable } from "./errors.ts";
import { placesOf } from "./servers.ts";
import type { ServerRef } from "./types.ts";
import { ask, type Endpoint, notify, type Question, type Reply, type ToolServerContext } from "./wire.ts";

/** The version that is asked for; every server known so far speaks it. */
const VERSION = "2025-06-18";
/** Versions in which listing and calling tools are the same. */
const VERSIONS: ReadonlySet<unknown> = new Set([VERSION, "2025-11-25", "2025-03-26", "2024-11-05"]);
const CLIENT = { name: PROGRAM, version: GATEWAY_VERSION };
const ANSWER_BYTES = 256 * 1024;
/** A server that does not take a notice in that time is asked without. */
const NOTICE_MS = 5000;

/**
 * Asks a server within its session. A session that was lost is opened again once, because nothing was run then.
 * Throws ToolServerError, E_UPSTREAM.
 */
export async function askInSession(
  ctx: ToolServerContext,
  ref: ServerRef,
  question: Question,
): Promise<Reply> {
  // Whoever says so in other words than the protocol's may stand in between: a write may have been run.
  const isRunTwice = ({ rpc }: ToolServerError) => question.effect === "write" && rpc === null;
  return await inSession(ctx, ref, (at) => ask(ctx, at, question), isRunTwice);
}

/** Works within a session, again in a new one where it was lost, unless `mayHaveRun` says what that could do twice. */
export async function inSession<T>(
  ctx: ToolServerContext,
  ref: ServerRef,
  work: (at: Endpoint) => Promise<T>,
  mayHaveRun: (lost: ToolServerError) => boolean | Promise<boolean>,
): Promise<T> {
  const at = await sessionOf(ctx, ref);
  try {
    return await work(at);
  } catch (thrown) {
    if (!(thrown instanceof ToolServerError) || !thrown.lostSession(at.session)) throw thrown;
    const key = keyOf(ref);
    // Another call may have opened a new one meanwhile.
    if (ctx.cache.get<Endpoint>(key) === at) ctx.cache.drop(key);
    if (await mayHaveRun(thrown)) throw thrown;
    return await work(await openedSession(ctx, ref));
  }
}

const keyOf = ({ source, server }: ServerRef) => `session ${source} ${server}`;

/** The CRM's server needs no session (docs/upstreams/tool_servers.md, "The CRM's server"): it is not asked for one first. */
async function sessionOf(ctx: ToolServerContext, ref: ServerRef): Promise<Endpoint> {
  const [url] = placesOf(ref, ctx);
  if (ref.source === "crm" && url !== undefined) {
    return ctx.cache.get<Endpoint>(keyOf(ref)) ?? { ref, url, version: VERSION, session: null };
  }
  return await openedSession(ctx, ref);
}

async function openedSession(ctx: ToolServerContext, ref: ServerRef): Promise<Endpoint> {
  return await ctx.cache.once(keyOf(ref), LIMITS.TOOL_SESSION_MS, () => inTurn(ctx, () => open(ctx, ref)));
}

/** Of sessions that are opened at the same time a WordPress can lose one: those of a site are opened one after another. */
async function inTurn<T>({ cache }: ToolServerContext, work: () => Promise<T>): Promise<T> {
  const before = cache.get<Promise<unknown>>("opening") ?? Promise.resolve();
  const mine = before.then(work);
  cache.set("opening", mine.catch(() => {}), Infinity);
  return await mine;
}

async function open(ctx: ToolServerContext, ref: ServerRef): Promise<Endpoint> {
  const places = placesOf(ref, ctx);
  for (const [nth, url] of places.entries()) {
    try {
      return await initialize(ctx, ref, url);
    } catch (thrown) {
      const elsewhere = thrown instanceof ToolServerError && thrown.isAbsent && !thrown.isRouteless;
      if (!elsewhere || nth === places.length - 1) throw thrown;
    }
  }
  throw new ToolServerError(
    `The site has no tool server "${ref.server}"`,
    404,
    null,
    "rest_no_route",
    { outcome: "none" },
  );
}

async function initialize(ctx: ToolServerContext, ref: ServerRef, url: string): Promise<Endpoint> {
  const { result, headers } = await ask(ctx, { ref, url, version: null, session: null }, {
    method: "initialize",
    params: { protocolVersion: VERSION, capabilities: {}, clientInfo: CLIENT },
    effect: "read",
    shared: true,
    max_bytes: ANSWER_BYTES,
    deadline_ms: LIMITS.UPSTREAM_DEADLINE_MS,
  });
  const { protocolVersion: version } = result;
  const session = headers.get("mcp-session-id");
  const out = { method: "POST", url, effect: "read" } as const;
  if (session !== null && !/^[\x21-\x7e]{1,1024}$/.test(session)) {
    throw unreadable(ref, out, "its session is not one of visible characters");
  }
  if (typeof version !== "string" || !VERSIONS.has(version)) {
    throw unreadable(ref, out, "it speaks a version of the protocol that the gateway does not");
  }
  const at = { ref, url, version, session };
  if (session !== null) await initialized(ctx, at);
  return at;
}

/** A strict server hears nothing else in a session before it. */
const initialized = (ctx: ToolServerContext, at: Endpoint) =>
  notify(ctx, at, {
    method: "notifications/initialized",
    effect: "read",
    shared: true,
    max_bytes: ANSWER_BYTES,
    deadline_ms: NOTICE_MS,
  });
