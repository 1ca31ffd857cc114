/** An admin API over the gateway's own store in memory, with a clock that stands. */
import assert from "node:assert/strict";
import { adminApp, type AdminPorts } from "../../../admin/api.ts";
import { pagesApp } from "../../../console/admin/app.ts";
import type { ConnectionsPort } from "../../../admin/connection_ports.ts";
import type { Code } from "../../../core/errors.ts";
import type { AuditRow, CredentialKind, Site } from "../../../core/model.ts";
import { CONNECTORS, SITE_SHAPE } from "../../connectors.ts";
import { openStore } from "../../../store/kv.ts";
import type { SiteInput, Store } from "../../../store/store.ts";
import { openMemory } from "../../memory_kv.ts";
import { fakeAudit } from "./fake_audit.ts";
import { fakeRetention } from "./fake_retention.ts";
import { SNAPSHOTS } from "./fake_snapshots.ts";
import { words } from "../../words.ts";

const unasked = () => Promise.reject(new Error("nothing asks for that of connected accounts"));
/** Nobody has connected anything. */
const NO_CONNECTIONS: ConnectionsPort = {
  kinds: () => [],
  list: () => Promise.resolve([]),
  start: unasked,
  disconnect: unasked,
};

export const MASTER = "master-token-of-the-tests-0123456789";

/** An answer of the API, and its body read as JSON; an empty object where it was none. */
interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    readonly ok?: boolean;
    readonly result?: unknown;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** A site as the API shows it: of its credentials only which there are. */
export interface ShownSite extends Omit<Site, "credentials" | "credentials_version"> {
  readonly credentials: Readonly<Record<CredentialKind, boolean>>;
}

/** The tools the kit's gateway has. */
const TOOLS = words("list_sites get_post create_draft forms_get-submissions builder-mcp-list-pages");

const NO_TRIALS = () => Promise.reject(new Error("nothing is tried here"));
const noTools = () => Promise.reject(new Error("nothing asks for sites' own tools"));
/** Of sites' own tools none is held back, which is all that is asked of them. */
const NO_TOOLS = {
  list: noTools,
  show: noTools,
  approve: noTools,
  withdraw: noTools,
  refresh: noTools,
  held: () => Promise.resolve([]),
  unheld: () => Promise.resolve([]),
  unanswered: () => Promise.resolve([]),
  waiting: () => Promise.resolve([]),
  try: () => Promise.reject(new Error("nothing is tried here")),
};

/** When a kit's clock stands. */
export const NOW = "2026-11-21T10:00:00.000Z";

/** What a kit's store holds beside what the API made of it. */
interface Kept extends Store {
  /** What was handed to `sites.create` and `sites.update`. */
  readonly written: SiteInput[];
  /** Rows of its audit, oldest first. */
  readonly rows: AuditRow[];
}

/** The store of a gateway, but for its audit; no clock of the process looks after it, so nobody needs to close it. */
async function opened(now: () => number): Promise<Kept> {
  const store = await openStore({
    path: ":memory:",
    open: openMemory,
    keys: [new Uint8Array(32).fill(1)],
    siteShape: SITE_SHAPE,
    tokenPrefix: "gate",
    clock: { elapsed: () => 0, every: () => () => {} },
    now,
  });
  const written: SiteInput[] = [];
  const rows: AuditRow[] = [];
  const { sites } = store;
  const [create, update] = [sites.create.bind(sites), sites.update.bind(sites)];
  sites.create = async (input) => {
    const made = await create(input);
    if (made) written.push(input);
    return made;
  };
  sites.update = (id, patch, judge) => (written.push(patch), update(id, patch, judge));
  return { ...store, audit: fakeAudit(rows), written, rows };
}

/** An API to call, and what stands behind it. */
export async function kit(ports: Partial<AdminPorts> = {}) {
  const clock = { now: Date.parse(NOW) };
  const store = await opened(() => clock.now);
  const reports: [string, unknown][] = [];
  const recorded: Parameters<AdminPorts["record"]>[] = [];
  const app = adminApp({
    store,
    masterToken: MASTER,
    tokenPrefix: "gate",
    baseUrl: "http://127.0.0.1:8000",
    privateUpstreams: ["cms.internal"],
    connectors: CONNECTORS,
    overview: () => Promise.reject(new Error("nothing asks for the repository app")),
    setUp: () => Promise.reject(new Error("nothing is made for a site")),
    linkable: () => Promise.reject(new Error("nothing is listed to link")),
    probe: () => Promise.reject(new Error("nothing is probed")),
    previews: {
      list: () => Promise.reject(new Error("no preview branch is listed")),
      clean: () => Promise.reject(new Error("no preview branch is deleted")),
    },
    pair: () => Promise.reject(new Error("nothing is paired")),
    connections: () => Promise.resolve(NO_CONNECTIONS),
    clients: () => Promise.reject(new Error("nothing asks for clients")),
    proxiedTools: () => Promise.resolve(NO_TOOLS),
    metrics: () => Promise.resolve(""),
    problems: () => Promise.resolve([]),
    toolNames: () => Promise.resolve(TOOLS),
    toolGroups: () => Promise.resolve([{ name: "posts", tools: TOOLS }]),
    record: (...row) => Promise.resolve(void recorded.push(row)),
    retention: fakeRetention(),
    erasing: {
      preview: () => Promise.reject(new Error("nothing is erased")),
      erase: () => Promise.reject(new Error("nothing is erased")),
      settlesAt: () => Promise.resolve(null),
    },
    approvals: {
      list: () => Promise.resolve([]),
      waiting: () => Promise.resolve(() => []),
      show: () => Promise.reject(new Error("nothing is shown")),
      askUndo: () => Promise.reject(new Error("nothing is taken back")),
      approve: () => Promise.reject(new Error("nothing is approved")),
      reject: () => Promise.reject(new Error("nothing is rejected")),
      texts: () => Promise.reject(new Error("nothing is edited")),
      edit: () => Promise.reject(new Error("nothing is edited")),
    },
    views: () => Promise.reject(new Error("nothing is looked at")),
    trials: NO_TRIALS,
    webhooks: {
      test: () => Promise.reject(new Error("nothing is sent")),
      resend: () => Promise.reject(new Error("nothing is sent")),
      judge: () => Promise.resolve(),
    },
    changes: () => Promise.reject(new Error("no change is listed")),
    changeOf: () => Promise.reject(new Error("no change is listed")),
    operate: () => Promise.reject(new Error("no tool is called")),
    jobs: () => [],
    versions: () => Promise.resolve([]),
    proxies: () => [],
    doubts: { resolve: () => Promise.reject(new Error("nothing is in doubt")) },
    snapshots: () => Promise.resolve(SNAPSHOTS),
    figures: () => Promise.resolve([]),
    now: () => clock.now,
    clock: { elapsed: () => 0, every: () => () => {} },
    stopping: new AbortController().signal,
    report: (id, thrown) => reports.push([id, thrown]),
    ...ports,
  }, (all, master) => Promise.resolve(pagesApp(all, master)));
  async function raw(path: string, init: RequestInit = {}): Promise<Reply> {
    const response = await app.request(`http://127.0.0.1:8000${path}`, init);
    const text = await response.text();
    const json = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : {} };
  }
  function call(method: string, path: string, body?: unknown, headers: HeadersInit = {}): Promise<Reply> {
    return raw(path, {
      method,
      headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }
  async function ok<Result = Record<string, unknown>>(method: string, path: string, body?: unknown) {
    const reply = await call(method, path, body);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.ok, true);
    return reply.body.result as Result;
  }
  async function refused(code: Code, method: string, path: string, body?: unknown): Promise<string> {
    return told(await call(method, path, body), code);
  }
  return { app, store, clock, recorded, reports, raw, call, ok, refused };
}

const STATUS: Partial<Record<Code, number>> = {
  E_BAD_JSON: 400,
  E_BAD_INPUT: 400,
  E_AUTH: 401,
  E_FORBIDDEN: 403,
  E_NOT_FOUND: 404,
  E_PAYLOAD_TOO_LARGE: 413,
  E_RATE_LIMITED: 429,
  E_INTERNAL: 500,
};

/** The message of a refusal, which must have that code and its status. */
export function told(reply: Reply, code: Code): string {
  const { ok, error } = reply.body;
  assert.ok(error, reply.text);
  assert.deepEqual([ok, error.code, reply.status], [false, code, STATUS[code]], reply.text);
  const { message } = error;
  assert.ok(!message.endsWith("."), message);
  assert.ok(!/\bat .*\.ts/.test(message), message);
  return message;
}

/** A row of the audit. */
export function auditRow(facts: Partial<AuditRow> & { id: string }): AuditRow {
  return {
    at: "2026-11-21T09:00:00.000Z",
    door: "rest",
    request_id: "r",
    token_id: "t1",
    token_name: "writer",
    owner_user_id: null,
    site_id: "acme",
    tool: "get_post",
    tier: 0,
    arguments: {},
    status: "ok",
    error: null,
    duration_ms: 3,
    ...facts,
  };
}
