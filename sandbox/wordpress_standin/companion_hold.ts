/** The companion plugin's hold on the stand-in: pairing, signatures, held runs on a snapshot of the site, and receipts. */
import { randomBytes } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { fault, needs } from "./companion.ts";
import { type Asking, type Paired, sha, unpairedOf, verify } from "./companion_hold_keys.ts";
import { asPlainCall, type Order, orderOf } from "./companion_hold_order.ts";
import { type HeldRow, labelled, rowsOf, takeSnapshot, valuesOf } from "./companion_hold_rows.ts";
import { addSetbacks, type Kept, keptOf as setbackOf } from "./companion_hold_setback.ts";
import { RestError } from "./errors.ts";
import { can } from "./people.ts";
import { type Ask, json, type RestEnv, route } from "./rest.ts";
import { addPost } from "./state.ts";
import type { WordPressStandIn } from "./start.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What goes wrong with the next held call. */
export type HoldFault =
  /** It is kept, and the answer does not say so. */
  | "no_receipt"
  /** It is not kept, and the answer does not say so. */
  | "lost"
  /** It is kept, and a proxy answers in place of the site. */
  | "cut_off"
  /**
   * It is kept, and the answer is that of a lost session: 404 as the protocol has it (2025-06-18, "Session Management") with
   * the code of the official SDK's servers. That a site keeps the call before it is our own assumption, never seen.
   */
  | "no_session"
  /** Something was written past the hold. */
  | "escaped"
  | "unsupported"
  | "busy"
  /** Another writer came in between. */
  | "meanwhile";

interface Run {
  readonly kind: "kept" | "dry";
  readonly user_id: number;
  readonly key_id: string;
  readonly about: string;
  readonly digest: string;
  readonly labels: readonly string[];
  readonly effects: readonly HeldRow[];
  readonly setback?: Kept | undefined;
  acknowledged: boolean;
}

/**
 * The plugin's side of a stand-in; a test may change it while the site runs. Routes, headers and codes are those of
 * docs/upstreams/wordpress.md, "Held calls"; the plugin itself is tried in tests/companion/ and tests/real/.
 */
export interface CompanionHold {
  readonly gateways: Paired[];
  readonly runs: Map<string, Run>;
  /** The headers of the held calls so far. */
  readonly asked: string[];
  version: string;
  /** Methods of held calls that it takes beside those of the tool servers. */
  methods: readonly string[];
  /** Why the host cannot hold; null where it can. */
  why: string | null;
  /** Whether its self-test finds what it made. */
  leaks: boolean;
  /** How often a receipt is said to be under way. */
  running: number;
  /** A code that an administrator made; used once. */
  code: string | null;
  /** Tables of the tool server's own that each run writes. */
  own_tables: readonly string[];
  /** Goes wrong with the next held call. */
  fault: HoldFault | null;
  /** Whether the plugin is switched off, so that its header means nothing: as seen of WordPress in tests/real/held_writes_test.ts. */
  isGone: boolean;
  /** A lie that is told in place of the next held call, which is taken back and not run, by the call's id. */
  answers: ((id: string) => Fields) | null;
  /** Happens between the tool's write and the comparison. */
  during: () => void;
  /** Whether it says what would set a call back, as the plugin does from version 1.5.0 on. */
  sets_back: boolean;
  /** What its images are signed with. */
  readonly salt: string;
  /** What else of the site a run is compared by. */
  readonly more: (() => Readonly<Record<string, unknown>>)[];
  /** In front of the routes whose requests can be held. */
  readonly middleware: MiddlewareHandler<RestEnv>;
  /** What the plugin's report says of it to who asks. */
  report(ask: Ask): Fields;
}

/** How many gateways an account may have (the same page, "Connecting"). */
const GATEWAYS_MAX = 8;
const ALWAYS = ["cache", "own", "revision"];

/** Installs the routes on a running stand-in, before those that are held are added. */
export function addCompanionHold(site: WordPressStandIn): CompanionHold {
  const { app, state } = site;
  const hold: CompanionHold = {
    gateways: [],
    runs: new Map(),
    asked: [],
    version: "1.5.0",
    methods: ["site-ops/tools/call"],
    why: null,
    leaks: false,
    running: 0,
    code: null,
    own_tables: [],
    fault: null,
    isGone: false,
    answers: null,
    during: () => {},
    sets_back: true,
    salt: randomBytes(32).toString("hex"),
    more: [],
    middleware: (c, next) => held(site, hold, c, next),
    report(ask) {
      const unpaired = unpairedOf(hold.gateways, state.now(), ask);
      const why = hold.why ?? unpaired;
      return {
        active: why === null,
        // null where the host cannot (Hold_Host::support() of companion/site-ops).
        engine: hold.why === null ? "innodb" : null,
        version: hold.version,
        methods: hold.methods,
        why,
        paired: unpaired === null,
      };
    },
  };
  addPairing(site, hold);
  addSetbacks(site, hold);
  app.use("/site-ops/v1/hold-test", hold.middleware);
  route(app, ["POST"], "/site-ops/v1/hold-test", () => ({}), (ask) => {
    if (!ask.headers.has("x-site-ops-hold")) {
      throw fault("not_allowed", 403, "The test writes only where it is held");
    }
    const author = ask.person!.id;
    const { id } = addPost(state, { type: "post", author, title: "Site Ops hold test", status: "draft" });
    return { body: { post_id: id } };
  });
  route(
    app,
    ["GET"],
    "/site-ops/v1/hold-test/:post_id{[0-9]+}",
    () => ({ post_id: { type: "integer" } }),
    (ask) => {
      needs(ask, "edit_posts");
      return { body: { exists: hold.leaks || state.posts.has(ask.params["post_id"] as number) } };
    },
  );
  return hold;
}

function addPairing({ app, state }: WordPressStandIn, hold: CompanionHold): void {
  const text = { type: "string" } as const;
  route(
    app,
    ["POST"],
    "/site-ops/v1/gateways",
    () => ({ name: { ...text, required: true }, code: text }),
    (ask) => {
      needs(ask, "edit_posts");
      const { person, params } = ask;
      if (hold.gateways.filter(({ user_id }) => user_id === person!.id).length >= GATEWAYS_MAX) {
        throw fault(
          "pairing_limit",
          409,
          `This account has ${GATEWAYS_MAX} connected gateways, disconnect one`,
        );
      }
      const isCode = hold.code !== null && params["code"] === hold.code;
      if (!isCode && (params["code"] !== undefined || !can(person, "manage_options"))) {
        throw fault(
          "pairing_code",
          403,
          'Press "Connect a gateway" under Tools, Site Ops, and send its code',
        );
      }
      hold.code = isCode ? null : hold.code;
      const [key_id, key] = [randomBytes(8).toString("hex"), randomBytes(32).toString("hex")];
      hold.gateways.push({ key_id, key, name: String(params["name"]), user_id: person!.id });
      return { body: { key_id, key }, status: 201 };
    },
  );
  const path = "/site-ops/v1/holds/:id{[0-9a-f]{32}}";
  const sign: MiddlewareHandler<RestEnv> = async (c, next) => {
    verify(hold.gateways, state.now(), c.req.method, c.req.path, c.env.carried.ask);
    await next();
  };
  app.on("GET", path, sign, (c) => {
    const id = c.req.param("id")!;
    if (hold.running > 0) {
      hold.running--;
      return json({ id, outcome: "running" }, 200);
    }
    const { digest, labels, effects, setback } = keptOf(hold, id, c.env.carried.ask);
    return json({
      id,
      outcome: "committed",
      digest,
      labels,
      effects,
      ...(c.env.carried.ask.query.has("setback") ? { setback } : {}),
      at: new Date(state.now()).toISOString(),
    }, 200);
  });
  app.on("POST", `${path}/acknowledged`, sign, (c) => {
    keptOf(hold, c.req.param("id")!, c.env.carried.ask).acknowledged = true;
    return json({ id: c.req.param("id"), acknowledged: true }, 200);
  });
}

/** The committed call of that id, where the asking gateway made it; its signature was judged before. */
function keptOf(hold: CompanionHold, id: string, { headers, person }: Asking): Run {
  const run = hold.runs.get(id);
  if (run?.kind !== "kept" || run.user_id !== person?.id) {
    throw fault("hold_not_found", 404, `No held call ${id} was committed`);
  }
  if (headers.get("x-site-ops-signature")!.includes(`key=${run.key_id};`)) return run;
  throw fault("hold_other_key", 403, "Another key of this account made the held call");
}

/** The preview that a call must equal is not known; nothing was run, and no header says so. */
function noPreview(id: string): Error {
  const why = "There is no such preview of this call, or it is too old";
  const none = { id, outcome: "rolled_back", why, digest: "", labels: [], effects: [], answer: null };
  return fault("held", 409, why, {
    reason: "no_such_preview",
    labels: [],
    over: [],
    differs: null,
    hold: none,
  });
}

async function held(
  site: WordPressStandIn,
  hold: CompanionHold,
  c: Parameters<MiddlewareHandler<RestEnv>>[0],
  next: () => Promise<void>,
): Promise<Response | void> {
  const { ask } = c.env.carried;
  const text = ask.headers.get("x-site-ops-hold");
  if (text === null || hold.isGone) return await next();
  const key = verify(hold.gateways, site.state.now(), c.req.method, c.req.path, ask);
  hold.asked.push(text);
  const order = orderOf(text);
  const wrong = hold.fault;
  hold.fault = null;
  if (wrong === "unsupported") throw fault("hold_unsupported", 501, "The database cannot hold");
  if (wrong === "busy") throw new RestError("site_ops_busy", "Another held call is running", 503);
  if (hold.runs.has(order.id)) throw fault("hold_used", 409, "The id was used before");
  const about = [key.key_id, key.user_id, c.req.path, sha(ask.bytes)].join(" ");
  const dry = order.expect === null ? undefined : hold.runs.get(order.expect);
  if (order.expect !== null && (dry?.kind !== "dry" || dry.about !== about)) throw noPreview(order.id);
  if (hold.answers !== null) {
    const lie = hold.answers(order.id);
    hold.answers = null;
    const header = { "x-site-ops-held": `rolled_back; id=${order.id}; digest=a` };
    return json(lie, "hold" in lie ? 200 : 409, header);
  }
  const before = takeSnapshot(site.state, hold.more);
  const was = valuesOf(site.state, hold.more);
  c.env.carried = { ...c.env.carried, ask: { ...ask, bytes: asPlainCall(ask.bytes) } };
  await next();
  const status = c.res.status;
  const body = await c.res.clone().json().catch(() => null) as Fields | null;
  const is = valuesOf(site.state, hold.more);
  const effects = labelled(rowsOf(was), rowsOf(is), order, hold.own_tables);
  const setback = hold.sets_back ? setbackOf(hold.salt, effects, was, is) : undefined;
  const ended = verdictOf(hold, order, { about, effects, isFailed: isFailed(status, body), wrong });
  const { digest, labels } = ended;
  if (ended.outcome === "rolled_back") before.restore();
  const { user_id, key_id } = key;
  const run = { user_id, key_id, about, digest, labels, effects, setback, acknowledged: false };
  if (order.mode === "dry" ? ended.why === "" : ended.outcome === "committed") {
    hold.runs.set(order.id, { kind: order.mode === "dry" ? "dry" : "kept", ...run });
  }
  hold.during();
  c.res = answerOf(c.res, order, { ...ended, effects, setback, answer: { status, body } }, wrong);
}

/** What a tool says of its own failure. */
function isFailed(status: number, body: Fields | null): boolean {
  const result = body?.["result"] as Fields | undefined;
  return status >= 400 || body?.["error"] !== undefined || result?.["isError"] === true;
}

interface Ended {
  readonly outcome: "rolled_back" | "committed";
  readonly why: string;
  readonly digest: string;
  readonly labels: readonly string[];
  readonly over: readonly string[];
}

function verdictOf(hold: CompanionHold, order: Order, run: {
  readonly about: string;
  readonly effects: readonly HeldRow[];
  readonly isFailed: boolean;
  readonly wrong: HoldFault | null;
}): Ended {
  const { effects } = run;
  const labels = [...new Set(effects.map(({ label }) => label))].sort();
  const digest = sha(plain(effects));
  const over = [...new Set(effects.filter((one) => !isAllowed(one, order)).map(({ label }) => label))].sort();
  const ended = (why: string): Ended => ({
    outcome: why === "" && run.wrong !== "lost" ? "committed" : "rolled_back",
    why,
    digest,
    labels,
    over,
  });
  if (run.isFailed) return ended("tool_failed");
  if (run.wrong === "meanwhile") return ended("meanwhile");
  if (order.mode === "dry") return { ...ended(""), outcome: "rolled_back" };
  if (order.expect !== null) {
    const dry = hold.runs.get(order.expect);
    if (dry?.digest !== digest) return ended("stale");
  }
  return ended(over.length > 0 ? "not_allowed" : "");
}

function isAllowed({ label, post, change }: HeldRow, { allow, of }: Order): boolean {
  if (ALWAYS.includes(label)) return true;
  if (label !== "draft") return allow.includes(label);
  if (post?.is_new === true || (change === "made" && post === null)) return allow.includes("draft-new");
  return allow.includes("draft") && (of === null || post?.id === of);
}

/** Effects as they are compared: without what is new each time. */
function plain(effects: readonly HeldRow[]): string {
  const names = new Map<string, string>();
  const named = (token: string) => {
    const name = names.get(token) ?? `token-${names.size + 1}`;
    names.set(token, name);
    return name;
  };
  const fresh = effects.filter(({ post }) => post?.is_new).map(({ post }) => String(post!.id));
  const text = JSON.stringify(effects.filter(({ label }) => !["own", "cache"].includes(label)));
  const ids = fresh.reduce((one, id) => one.replaceAll(new RegExp(`\\b${id}\\b`, "g"), named(id)), text);
  return ids.replaceAll(/\b[0-9a-f]{7}\b/g, named);
}

function answerOf(
  own: Response,
  { mode, id }: Order,
  ended: Ended & {
    readonly effects: readonly HeldRow[];
    readonly setback?: Kept | undefined;
    readonly answer: unknown;
  },
  wrong: HoldFault | null,
): Response {
  const { outcome, why, digest, labels, over, effects, setback, answer } = ended;
  const header = { "x-site-ops-held": `${outcome}; id=${id}; digest=${digest}` };
  const shown = effects.map(({ post, ...one }) => ({
    ...one,
    post: post && { ...post, is_new: undefined },
  }));
  const hold = {
    id,
    outcome,
    why: why === "" ? null : why,
    digest,
    labels,
    effects: shown.slice(0, 200),
    setback,
    answer,
  };
  if (wrong === "escaped") {
    const body = fault("hold_escaped", 409, "Something was written past the hold").body();
    return json(body, 409, { "x-site-ops-held": `escaped; id=${id}` });
  }
  if (wrong === "cut_off") return new Response("<html>504 Gateway Time-out</html>", { status: 504 });
  if (wrong === "no_session") {
    return json({ jsonrpc: "2.0", id: 1, error: { code: -32001, message: "Session not found" } }, 404);
  }
  if (mode === "dry") return json({ hold }, 200, header);
  if (wrong === "no_receipt" || wrong === "lost") return own;
  if (outcome === "rolled_back") {
    const data = { reason: why, labels, over, differs: why === "stale" ? "The text differs" : null, hold };
    return json(fault("held", 409, `The call was taken back: ${why}`, data).body(), 409, header);
  }
  const kept = new Response(own.body, own);
  kept.headers.set("x-site-ops-held", header["x-site-ops-held"]);
  return kept;
}
