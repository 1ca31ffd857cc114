/** Which records of a store are not as the gateway wrote them, of every kind that is proven. */
import { counted, formOf } from "../core/one_line.ts";
import type { Database } from "./database.ts";
import { UNREADABLE } from "./damage.ts";
import { hasProvenAudit, isRegistered, readMark } from "./mark.ts";
import { toPortable } from "./portable.ts";
import { listKind } from "./registered_kind.ts";
import { faultText, ForeignRecord, REGISTERED, UnknownKey } from "./registers.ts";
import type { Sealer } from "./seal.ts";
import { judgeStamped, STAMPED } from "./stamped_kv.ts";
import { messageOf } from "./store_file.ts";
import type { Kv } from "./store_timeout.ts";

/** A key of no record: reading it proves the register alone. */
const NO_RECORD = "-";

/** Of one kind of record so many faults are named, and the rest counted. */
const NAMED_MAX = 20;

/** What is wrong with the records of a store by their registers, a sentence each; nothing where it has none yet. */
export async function foreignRecords(
  kv: Pick<Kv, "get" | "getMany" | "list">,
  sealer: Sealer,
): Promise<string[]> {
  const mark = await readMark(kv).catch(() => null);
  if (mark !== null && !isRegistered(mark.value)) return [];
  const said: string[] = [];
  const closed = new Map<string, string[]>();
  for (const kind of REGISTERED) {
    try {
      const { found } = await listKind(kv, sealer.records, { prefix: [kind] });
      const gone = found.filter(({ key }) => key === null).length;
      const named = found.filter(({ key }) => key !== null);
      said.push(...named.slice(0, NAMED_MAX).map(({ key, fault }) => faultText(fault, toPortable(key))));
      const more = named.length - NAMED_MAX;
      if (more > 0) said.push(`${more} more of the ${kind} are not as the gateway wrote them`);
      if (gone > 0) said.push(`${gone} of the ${kind} were removed, and not by the gateway`);
    } catch (error) {
      if (error instanceof ForeignRecord) said.push(faultText(error.fault, kind));
      else if (error instanceof UnknownKey) closed.set(error.key, [...closed.get(error.key) ?? [], kind]);
      else said.push(messageOf(error));
    }
  }
  said.push(...[...closed].map(([key, kinds]) => new UnknownKey(kinds, key).message));
  return mark !== null && hasProvenAudit(mark.value) ? [...said, ...await foreignStamped(kv, sealer)] : said;
}

/** The same for records that carry their proof. */
async function foreignStamped(kv: Pick<Kv, "list">, sealer: Sealer): Promise<string[]> {
  const said: string[] = [];
  let closed = 0;
  for (const kind of STAMPED) {
    let wrong = 0;
    for await (const { key, value } of kv.list({ prefix: [kind] })) {
      if (value === UNREADABLE) continue;
      const { judged } = judgeStamped(sealer.records, key, value);
      if (judged === "closed") closed++;
      if (judged === "wrong" && ++wrong <= NAMED_MAX) said.push(faultText("changed", toPortable(key)));
    }
    if (wrong > NAMED_MAX) {
      said.push(
        `${wrong - NAMED_MAX} more of the ${kind} ${
          formOf(wrong - NAMED_MAX, "is", "are")
        } not as the gateway wrote ${formOf(wrong - NAMED_MAX, "it", "them")}`,
      );
    }
  }
  return closed === 0 ? said : [
    ...said,
    `${counted(closed, "record")} ${
      formOf(closed, "is", "are")
    } proven under keys that ENCRYPTION_KEYS lacks; ${
      formOf(closed, "its session or client is", "their sessions and clients are")
    } refused`,
  ];
}

/** The same of the store that this process has open, which also knows a register that was newer when it last saw it. */
export async function foreignNow(db: Database, sealer: Sealer): Promise<string[]> {
  const said = new Set(await foreignRecords(db.unproven, sealer));
  for (const kind of REGISTERED) {
    await db.kv.get([kind, NO_RECORD]).catch((error) => {
      if (!(error instanceof ForeignRecord)) throw error;
      if (error.fault === "register") said.add(faultText(error.fault, kind));
    });
  }
  return [...said];
}
