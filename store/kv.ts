/** Opens the store on Deno KV. */
import { CLOCK, type Clock, delay } from "../core/async.ts";
import { LIMITS } from "../core/model.ts";
import { GatewayError } from "../core/errors.ts";
import { quotedLine } from "../core/one_line.ts";
import type { Delay } from "./account_clock.ts";
import { ConnectLinks } from "./connect_links.ts";
import { Changes } from "./changes.ts";
import { Consents } from "./consents.ts";
import { Attempts, Challenges } from "./attempts.ts";
import { Budgets } from "./budgets.ts";
import { Allowances } from "./allowances.ts";
import { Accounts } from "./accounts.ts";
import { Approvals } from "./approvals.ts";
import { Audit } from "./audit/audit.ts";
import { auditKeysOf } from "./audit/keys.ts";
import { Anchors } from "./audit/anchor.ts";
import { Erasures } from "./erasures.ts";
import { foreignNow } from "./foreign_records.ts";
import { goOnFrom } from "./audit/horizon.ts";
import { Versions } from "./cache.ts";
import { Database } from "./database.ts";
import { Devices, Signatures } from "./signatures.ts";
import { channelOf, isFile, isHere, isKept, nameOf, placeText, underName } from "./engines.ts";
import { Invitations } from "./invitations.ts";
import { KnownStores } from "./known_stores.ts";
import { Leases } from "./leases.ts";
import { OAuthClients } from "./oauth_clients.ts";
import { OAuthGrants } from "./oauth_grants.ts";
import { openToOthers } from "./store_file.ts";
import { LostFile, OpenedFile } from "./opened_file.ts";
import { countedOf } from "./mark.ts";
import type { Seen } from "./registered_kind.ts";
import { OPEN_DEADLINE_MS, type Opened, type Opening, openMarked, within } from "./opening.ts";
import { Paces } from "./paces.ts";
import { PersonSessions } from "./person_sessions.ts";
import { ManagedFiles } from "./managed_files.ts";
import { Previews } from "./previews.ts";
import { Freezes } from "./freezes.ts";
import { Projects } from "./projects.ts";
import { registeredKv } from "./registered_kv.ts";
import { Sealer } from "./seal.ts";
import { type SealedRecord, sealedRecords } from "./sealed_kinds.ts";
import { Sets } from "./sets.ts";
import { Sessions } from "./sessions.ts";
import { SignIns } from "./sign_ins.ts";
import { Sites } from "./sites.ts";
import type { SiteShape, Store } from "./store.ts";
import { Snapshots } from "./snapshots.ts";
import type { Kv } from "./store_timeout.ts";
import { Tokens } from "./tokens.ts";
import { ToolCatalogs } from "./tool_catalogs.ts";
import { Trials } from "./trials.ts";
import { Users } from "./users.ts";
import { Webhooks } from "./webhooks.ts";

const PING_DEADLINE_MS = 2000;

/** How to open a store. */
export interface StoreOptions {
  /** A place as KV_PATH names it (the folder of a file is made); left out, the host's KV. */
  path?: string;
  /** The setting that names the place, for messages; KV_PATH when left out. */
  named?: string;
  /** 32-byte keys for credentials: the first seals, all open. */
  keys: readonly Uint8Array[];
  /** What a site's record is made of. */
  siteShape: SiteShape;
  /** What token texts begin with. */
  tokenPrefix: string;
  /** For how many days a change can be taken back; 0 keeps nothing, LIMITS.UNDO_DAYS when left out. */
  undoDays?: number;
  /** The time records carry; the system's clock when left out. Audit rows must carry the same clock's time. */
  now?: () => number;
  /** Milliseconds that never go back, by which caches age; `performance.now` when left out. */
  elapsed?: () => number;
  /** What says that an operation takes too long; the process's when left out. */
  clock?: Clock;
  /** Opens the KV; that of the place when left out. */
  open?: Opening["open"];
  /** Puts something around the KV that was opened. */
  around?: (kv: Deno.Kv) => Deno.Kv;
  /** Is told of what fails beside what was asked for; nobody when left out. */
  log?: (event: Record<string, unknown>) => void;
  /** Is told how long each commit took, and whether it was made. */
  committed?: (isMade: boolean, seconds: number) => void;
  /** Is told how long each read took. */
  read?: (seconds: number) => void;
  /** How calls wait for one another's refresh of an account; by a timer when left out. */
  delay?: Delay;
  /** The folder that remembers which files have held a store, so that a missing one is refused; none when left out. */
  known?: string;
  /** How long opening may take, waiting for a lock included. */
  deadline_ms?: number;
}

/**
 * Opens the store and makes sure that it can be written, by this version and under these keys. Throws a GatewayError
 * with one sentence that names the setting of the place or ENCRYPTION_KEYS and says what to do.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const sealer = await Sealer.open(options.keys);
  const signatures = new Signatures(options.keys);
  const { kv: opened, mark, check } = await openKnown(options, sealer);
  const file = await OpenedFile.at(options.path);
  const clock = options.clock ?? CLOCK;
  const db = databaseOf(options, { opened, clock, file, sealer });
  check?.found.then((damage) => damage === null || db.closed || db.foundDamage(damage));
  await goOnFrom(db);
  const versions = new Versions(db, { channel: channelOf(opened), storeId: mark.id });
  const accounts = new Accounts(db, sealer, options.delay ?? delay);
  const audit = new Audit(db, await auditKeysOf(db.kv, db.unproven, sealer, db.now), options.log);
  const leases = new Leases(db);
  const personSessions = new PersonSessions(db);
  const tokens = new Tokens(db, versions.of("tokens"), options.tokenPrefix);
  const signIns = new SignIns(db, sealer, personSessions);
  let closing: Promise<void> | null = null;
  return {
    tokens,
    sites: new Sites(db, versions.of("sites"), sealer, options.siteShape),
    projects: new Projects(db, versions.of("projects")),
    freezes: new Freezes(db, versions.of("sites")),
    users: new Users(db, versions.of("users")),
    accounts,
    ...sealedRecordsOf(db, sealer),
    ...plainRecordsOf(db),
    signIns,
    invitations: new Invitations(db, signIns),
    personSessions,
    challenges: new Challenges(db, signatures),
    devices: new Devices(signatures, db.now),
    trials: new Trials(db, sealer),
    changes: new Changes(db, sealer, options.undoDays ?? LIMITS.UNDO_DAYS),
    oauthGrants: new OAuthGrants(db, versions.of("oauth"), sealer),
    callersVersion: versions.numbering("tokens", "users", "oauth"),
    leases,
    erasures: new Erasures({ db, sealer, versions, audit, leases }),
    budgets: new Budgets(db, options.path !== ":memory:", clock),
    toolCatalogs: new ToolCatalogs(db, versions.of("tool_catalogs")),
    audit,
    anchors: new Anchors(db, audit, sealer.records, mark.id),
    lacksKeyOfStore: () => versions.sealedUnder !== null && !sealer.knows(versions.sealedUnder),
    missingKeys: (most) => missingKeys(db, sealer, most),
    foreignRecords: () => foreignNow(db, sealer),
    ping: (writes) => ping(db, versions, file, writes),
    close() {
      check?.stop();
      const ends = [audit.close(), accounts.finish(LIMITS.ACCOUNTS_FINISH_MS), tokens.finish()] as const;
      return closing ??= Promise.allSettled(ends)
        .then(async ([audited]) => {
          await remember(options, () => countedOf(db.kv, sealer, mark));
          await db.close();
          if (audited.status === "rejected") throw audited.reason;
        });
    },
  };
}

/** The records that need no more than a database. */
const plainRecordsOf = (db: Database) => ({
  sessions: new Sessions(db),
  attempts: new Attempts(db),
  previews: new Previews(db),
  managedFiles: new ManagedFiles(db),
  oauthClients: new OAuthClients(db),
  paces: new Paces(db),
  allowances: new Allowances(db),
  snapshots: new Snapshots(db),
});

/** The records that need no more than a database and what seals. */
const sealedRecordsOf = (db: Database, sealer: Sealer) => ({
  connectLinks: new ConnectLinks(db, sealer),
  consents: new Consents(db, sealer),
  approvals: new Approvals(db, sealer),
  sets: new Sets(db, sealer),
  webhooks: new Webhooks(db, sealer),
});

/** What a database is made of. */
interface Parts {
  readonly opened: Deno.Kv;
  readonly clock: Clock;
  readonly file: OpenedFile | null;
  readonly sealer: Sealer;
}

function databaseOf(options: StoreOptions, { opened, clock, file, sealer }: Parts): Database {
  const { path, now = Date.now, elapsed = clock.elapsed, open, around, log, committed, read } = options;
  const isInProcess = isHere(path) && open === undefined && around === undefined;
  const traits = { stands: () => file?.check(), log, committed, read, isInProcess, place: placeText(path) };
  const registered = { ...traits, around: (kv: Kv) => registeredKv(kv, sealer.records) };
  return new Database(around?.(opened) ?? opened, now, elapsed, clock, registered);
}

/** Resolves where the store can be read, is the one that was opened, and lasts; says in a sentence why it does not. */
async function ping(
  db: Database,
  versions: Versions,
  file: OpenedFile | null,
  writes = false,
): Promise<void> {
  const work = Promise.all([db.probe(writes), versions.refresh(), (async () => await file?.check())()]);
  await within(PING_DEADLINE_MS, work, "does not answer").catch(unwell);
}

/** Says in a sentence for operators what is wrong, and what follows from it. */
function unwell(error: unknown): never {
  if (error instanceof GatewayError) throw error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof LostFile) throw new GatewayError("E_INTERNAL", message, { cause: error });
  throw new GatewayError(
    "E_INTERNAL",
    `The store fails (${
      quotedLine(message)
    }), so calls are refused; they are carried out again by themselves once it keeps what is ` +
      "written: see to its disk, its folder's rights, or the server it is on",
    { cause: error },
  );
}

/** Opens the KV, and remembers the file that it is. */
async function openKnown(options: StoreOptions, sealer: Sealer): Promise<Opened> {
  const { path, open, log } = options;
  const known = options.known === undefined ? undefined : new KnownStores(options.known);
  const deadline_ms = options.deadline_ms ?? OPEN_DEADLINE_MS;
  const opening = openMarked({ path, open, sealer, known, deadline_ms });
  const opened = await underName(opening, options.named ?? "KV_PATH");
  if (!opened.isNew && opened.signed !== null) log?.({ event: "records_proven", records: opened.signed });
  if (opened.isNew && known !== undefined && isKept(path)) {
    log?.({ event: "store_made", path: isFile(path) ? path : nameOf(path) });
  }
  await remember(options, () => Promise.resolve(opened.seen));
  const wide = isFile(path) ? await openToOthers(path) : [];
  for (const message of wide) log?.({ event: "store_open_to_others", message });
  return opened;
}

/** Remembers how far the registers of the store have counted, so that an older copy of it is known for one. */
async function remember({ path, known, log }: StoreOptions, seen: () => Promise<Seen>): Promise<void> {
  if (known === undefined || !isKept(path)) return;
  await seen().then((now) => new KnownStores(known).add(path, now))
    .catch((error) => log?.({ event: "store_not_remembered", cause: String(error) }));
}

/** What only a key that is missing would open, also among records that are not as the gateway wrote them. */
async function missingKeys(db: Database, sealer: Sealer, most = Infinity): Promise<SealedRecord[]> {
  const found: SealedRecord[] = [];
  for await (const record of sealedRecords(db.unproven)) {
    if (sealer.knows(record.key)) continue;
    if (found.push(record) >= most) break;
  }
  return found;
}
