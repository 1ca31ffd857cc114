/** Anchors: how far every chain of the audit and every register was at a moment, to be kept elsewhere and compared with later. */
import { dirname } from "node:path";
import { GatewayError } from "../../core/errors.ts";
import { quoted } from "../../core/fields.ts";
import { isFields } from "../../core/values.ts";
import type { Audit } from "./audit.ts";
import type { Head } from "./segment.ts";
import type { Database } from "../database.ts";
import { faultText } from "../registers.ts";
import { numbersOf } from "../registered_kind.ts";
import type { RecordKeys } from "../seal.ts";
import type { Anchor, AnchorStore, AuditVerdict } from "../store.ts";

/** What an anchor calls itself. */
const KIND = "site-ops-anchor";
const LIST_BATCH = 500;

/** Where a machine keeps the anchors that it has made, a line each, from the folder the gateway is started in. */
export const ANCHORS_PATH = "data/anchors.ndjson";

/** Adds an anchor to the file of this machine, which its owner alone may read. */
export async function keepAnchor(line: string): Promise<void> {
  await Deno.mkdir(dirname(ANCHORS_PATH), { recursive: true, mode: 0o700 });
  await Deno.writeTextFile(ANCHORS_PATH, line, { append: true, mode: 0o600 });
}

/** The AnchorStore of a database. */
export class Anchors implements AnchorStore {
  constructor(
    private readonly db: Database,
    private readonly audit: Audit,
    private readonly keys: RecordKeys,
    private readonly storeId: string,
  ) {}

  async make(): Promise<Anchor> {
    await this.audit.flush();
    const dropped = await this.#ends("checkpoint");
    const heads: Record<string, { n: number; hash: string }> = {};
    for (const [writer, { n, hash }] of await this.#ends("head")) {
      if (n > (dropped.get(writer)?.n ?? 0)) heads[writer] = { n, hash };
    }
    const anchor = {
      kind: KIND,
      store: this.storeId,
      at: this.db.timestamp(),
      heads,
      registers: await numbersOf(this.db.kv, this.keys),
      key: this.keys.first,
    } as const;
    return { ...anchor, mac: this.keys.mac(anchor.key, textOf(anchor)).toString("hex") };
  }

  async verify(anchor: Anchor): Promise<AuditVerdict> {
    if (anchor.store !== this.storeId) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `anchor: it is of another store (${quoted(anchor.store)}), and this one is ${
          quoted(this.storeId)
        }; give an ` +
          "anchor of this store",
      );
    }
    if (!this.keys.knows(anchor.key)) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `anchor: it cannot be verified, for it was made under key ${
          quoted(anchor.key)
        }, which ENCRYPTION_KEYS lacks; add ` +
          "that key, or give a newer anchor",
      );
    }
    if (!this.keys.isMac(anchor.key, bytesOf(anchor.mac), textOf(anchor))) {
      throw new GatewayError(
        "E_BAD_INPUT",
        "anchor: it was changed since it was made; give it as it was printed",
      );
    }
    const verdict = await this.audit.verify({ anchor });
    const now = await numbersOf(this.db.kv, this.keys).catch(() => null);
    const older = Object.entries(anchor.registers)
      .filter(([kind, n]) => now !== null && (now[kind] ?? 0) < n)
      .map(([kind, n]) =>
        `The ${kind} are older than at ${anchor.at}: change ${now![kind] ?? 0}, and they were at ${n}`
      );
    const lost = now === null ? [faultText("register", "records")] : [];
    const faults = [...verdict.faults, ...older, ...lost];
    return { ...verdict, ok: faults.length === 0, faults, anchored: anchor.at };
  }

  async #ends(kind: "head" | "checkpoint"): Promise<Map<string, Head>> {
    const all = new Map<string, Head>();
    const listed = this.db.kv.list<Head>({ prefix: ["audit", kind] }, { batchSize: LIST_BATCH });
    for await (const { key, value } of listed) {
      if (isFields(value) && Number.isSafeInteger(value["n"])) {
        all.set(String(key[2]), value as unknown as Head);
      }
    }
    return all;
  }
}

/** What the proof of an anchor is of. */
function textOf({ kind, store, at, heads, registers, key }: Omit<Anchor, "mac">): string {
  const sorted = <T>(fields: Readonly<Record<string, T>>) =>
    Object.entries(fields).sort(([one], [other]) => one < other ? -1 : 1);
  return JSON.stringify([
    kind,
    store,
    at,
    sorted(heads).map(([writer, { n, hash }]) => [writer, n, hash]),
    sorted(registers),
    key,
  ]);
}

function bytesOf(hex: string): Uint8Array {
  try {
    return Uint8Array.fromHex(hex);
  } catch {
    return new Uint8Array();
  }
}
