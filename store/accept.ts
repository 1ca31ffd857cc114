/** What of a store's records is not as the gateway wrote it, and an operator's word that it is right all the same. */
import { CLOCK } from "../core/async.ts";
import type { AuditRow } from "../core/model.ts";
import { Audit } from "./audit/audit.ts";
import { auditKeysOf } from "./audit/keys.ts";
import { Database } from "./database.ts";
import { assertAlone, isFile, nameOf } from "./engines.ts";
import { KnownStores } from "./known_stores.ts";
import type { StoreFile } from "./maintenance.ts";
import {
  assertOwn,
  hasProvenAudit,
  isRegistered,
  proveOthers,
  readMark,
  sayPutBack,
  wanted,
} from "./mark.ts";
import { MARK_KEY } from "./damage.ts";
import { commitInTurn } from "./database.ts";
import { openBare } from "./opening.ts";
import { registeredKv } from "./registered_kv.ts";
import { signAll } from "./registered_kind.ts";
import { Sealer } from "./seal.ts";
import { stampAll } from "./stamped_kv.ts";
import { isReadable, refusal, sizeOf } from "./store_file.ts";
import { foreignRecords } from "./foreign_records.ts";

/** The row of the audit that says which records an operator accepted, without a gateway. */
const acceptedRow = (id: string, records: readonly string[]): AuditRow => ({
  id,
  at: new Date().toISOString(),
  door: "admin",
  request_id: id,
  token_id: "master",
  token_name: "store accept-records",
  owner_user_id: null,
  site_id: null,
  tool: "store.accept_records",
  tier: null,
  arguments: { records },
  status: "ok",
  error: null,
  duration_ms: null,
});

/**
 * Has the gateway take the records of a store that nobody uses for its own, as they are; an entry in the audit says which
 * were not. Without `confirm` nothing is changed. Answers what was not as it wrote it. Throws a GatewayError where the store is in use, or its keys are others.
 */
export async function acceptRecords(store: StoreFile, confirm: boolean): Promise<string[]> {
  const { path, known, notice } = store;
  if (isFile(path) && (await sizeOf(path) ?? 0) === 0) {
    throw refusal(`KV_PATH: there is no store at "${path}"`);
  }
  if (isFile(path)) await isReadable(path, () => new KnownStores(known).has(path), ACCEPT);
  await using kv = await openBare(path);
  await assertAlone(kv, path, ACCEPT, notice);
  const sealer = await Sealer.open(store.keys);
  const entry = await readMark(kv);
  await assertOwn(kv, sealer, entry.value, nameOf(path)).catch((error) => {
    if (isRegistered(entry.value)) throw error; // one of an older form is accepted with what it is the mark of
  });
  const faults = isRegistered(entry.value)
    ? await foreignRecords(kv, sealer)
    : ["No register proves the records of this store, or its mark does not say so any more"];
  const seen = await new KnownStores(known).seen(path);
  if (faults.length === 0 && seen !== null) faults.push(OLDER);
  if (!confirm) return faults;
  await signAll(kv, sealer.records, false);
  if (!hasProvenAudit(entry.value)) await proveOthers(kv, sealer);
  await stampAll(kv, sealer.records, ({ judged }) => judged !== "proven", Date.now());
  const mark = await wanted(entry.value, sealer);
  if (mark !== entry.value) await commitInTurn(kv.atomic().check(entry).set(MARK_KEY, mark));
  await sayPutBack(kv, sealer, { now: store.now, seen });
  const db = new Database(kv, Date.now, CLOCK.elapsed);
  const audit = new Audit(db, await auditKeysOf(registeredKv(kv, sealer.records), kv, sealer, Date.now));
  await audit.append(acceptedRow(db.newId(), faults));
  await audit.close();
  await new KnownStores(known).add(path);
  return faults;
}

const ACCEPT = "accept its records";
const OLDER =
  "All records are as the gateway wrote them; they may be older than this machine has seen them, as a copy's are";
