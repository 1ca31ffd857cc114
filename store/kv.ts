/** Opens the store on Deno KV, and says in plain words why it cannot. */
import { dirname } from "node:path";
import { GatewayError } from "../errors.ts";
import { CLOCK, type Clock, pauseFor } from "../lib/async.ts";
import { LIMITS } from "../model.ts";
import type { Delay } from "./account_clock.ts";
import { ConnectLinks } from "./connect_links.ts";
import { Consents } from "./consents.ts";
import { Attempts, Challenges } from "./attempts.ts";
import { Allowances } from "./allowances.ts";
import { Accounts } from "./accounts.ts";
import { Audit } from "./audit.ts";
import { ConfigVersion } from "./cache.ts";
import { commitInTurn, Database, inTurn, isLocked } from "./database.ts";
import { Invitations } from "./invitations.ts";
import { Leases } from "./leases.ts";
import { OAuthClients } from "./oauth_clients.ts";
import { OAuthGrants } from "./oauth_grants.ts";
import { Paces } from "./paces.ts";
import { PROBE_KEY } from "./patience.ts";
import { PersonSessions } from "./person_sessions.ts";
import { Previews } from "./previews.ts";
import { Projects } from "./projects.ts";
import { Sealer } from "./seal.ts";
import { Sessions } from "./sessions.ts";
import { SignIns } from "./sign_ins.ts";
import { Sites } from "./sites.ts";
import type { SiteShape, Store } from "./store.ts";
import { Snapshots } from "./snapshots.ts";
import { Tokens } from "./tokens.ts";
import { ToolCatalogs } from "./tool_catalogs.ts";
import { Users } from "./users.ts";

const OPEN_DEADLINE_MS = 8000;
const PING_DEADLINE_MS = 2000;

/** How to open a store. */
export interface StoreOptions {
  /** A file (its folder is made), ":memory:", or the https address of a KV Connect server; left out, the host's KV. */
  path?: string;
  /** 32-byte keys for credentials: the first seals, all open. */
  keys: readonly Uint8Array[];
  /** What a site's record is made of. */
  siteShape: SiteShape;
  /** What token texts begin with. */
  tokenPrefix: string;
  /** The time records carry; the system's clock when left out. Audit rows must carry the same clock's time. */
  now?: () => number;
  /** Milliseconds that never go back, by which caches age; `performance.now` when left out. */
  elapsed?: () => number;
  /** What says that an operation takes too long; the process's when left out. */
  clock?: Clock;
  /** Puts something around the KV that was opened. */
  around?: (kv: Deno.Kv) => Deno.Kv;
  /** Is told of what fails beside what was asked for; nobody when left out. */
  log?: (event: Record<string, unknown>) => void;
  /** How calls wait for one another's refresh of an account; by a timer when left out. */
  delay?: Delay;
  /** How long opening may take, waiting for a lock included. */
  deadline_ms?: number;
}

/**
 * Opens the store and makes sure that it can be written. Throws a GatewayError with one sentence that names KV_PATH
 * or ENCRYPTION_KEYS and says what to do.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const sealer = await Sealer.open(options.keys);
  const opened = await openKv(options.path, options.deadline_ms ?? OPEN_DEADLINE_MS);
  const kv = options.around?.(opened) ?? opened;
  const clock = options.clock ?? CLOCK;
  const db = new Database(kv, options.now ?? Date.now, options.elapsed ?? clock.elapsed, clock);
  const version = new ConfigVersion(db);
  const accounts = new Accounts(db, sealer, options.delay ?? pauseFor);
  const audit = new Audit(db, options.log);
  const personSessions = new PersonSessions(db);
  const signIns = new SignIns(db, sealer, personSessions);
  let closing: Promise<void> | null = null;
  return {
    tokens: new Tokens(db, version, options.tokenPrefix),
    sites: new Sites(db, version, sealer, options.siteShape),
    projects: new Projects(db, version),
    users: new Users(db, version),
    accounts,
    connectLinks: new ConnectLinks(db, sealer),
    sessions: new Sessions(db),
    signIns,
    invitations: new Invitations(db, signIns),
    personSessions,
    attempts: new Attempts(db),
    challenges: new Challenges(db),
    previews: new Previews(db),
    consents: new Consents(db, sealer),
    oauthClients: new OAuthClients(db),
    oauthGrants: new OAuthGrants(db, version, sealer),
    leases: new Leases(db),
    paces: new Paces(db),
    allowances: new Allowances(db),
    snapshots: new Snapshots(db),
    toolCatalogs: new ToolCatalogs(db),
    audit,
    async ping() {
      await within(PING_DEADLINE_MS, db.probe(), "The store does not answer");
    },
    close() {
      return closing ??= Promise.allSettled([accounts.finish(LIMITS.ACCOUNTS_FINISH_MS), audit.close()])
        .then(([, audited]) => {
          db.close();
          if (audited.status === "rejected") throw audited.reason;
        });
    },
  };
}

async function openKv(path: string | undefined, deadline_ms: number): Promise<Deno.Kv> {
  const remote = path === undefined || /^https?:/.test(path);
  let wanted = true;
  const opening = async () => {
    if (!remote && path !== ":memory:") await makeFolder(dirname(path));
    // Two processes that make the file at once lock each other out for a moment.
    const kv = await inTurn(() => Deno.openKv(path), () => wanted);
    try {
      await probe(kv);
      return kv;
    } catch (error) {
      kv.close();
      throw error;
    }
  };
  const opened = opening();
  try {
    return await within(deadline_ms, opened, "database is locked");
  } catch (cause) {
    wanted = false;
    opened.then((kv) => kv.close(), () => {});
    throw new GatewayError("E_INTERNAL", `KV_PATH: ${explain(cause, path)}`, { cause });
  }
}

/** A process may be allowed the file and not its folder, which then is there already (launch.ts) or opening says why. */
async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 }); // the store is nobody else's to read
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

/** Reads and writes, so that a file nobody may write is found at once. */
async function probe(kv: Deno.Kv): Promise<void> {
  await inTurn(() => kv.get(PROBE_KEY));
  await commitInTurn(kv.atomic().delete(PROBE_KEY));
}

async function within<T>(ms: number, work: Promise<T>, late: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(late)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function explain(cause: unknown, path: string | undefined): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const store = path === undefined ? "the host's KV" : `"${path}"`;
  if (/not a database|malformed|corrupt/.test(message)) {
    return `${store} is no database or is damaged; put back a copy, or move the file away to start empty`;
  }
  if (isLocked(cause)) {
    return `${store} is locked by another process; end that one (or wait for it) and start again`;
  }
  if (cause instanceof Deno.errors.NotCapable) {
    return `${store} is outside what this process may read and write; allow its folder, or name another file`;
  }
  if (/ACCESS_TOKEN/.test(message)) return `${store} needs its access token in DENO_KV_ACCESS_TOKEN`;
  if (path !== undefined && /^https?:/.test(path)) {
    return `${store} does not answer as a KV server; check the address, DENO_KV_ACCESS_TOKEN and the network`;
  }
  return `${store} cannot be opened or written (${message}); name a file in a folder this process may write`;
}
