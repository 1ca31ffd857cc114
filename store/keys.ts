/** What an operator does with the keys of a store: seeing what needs which, and sealing all under the first. */
import { isFile, nameOf } from "./engines.ts";
import { Expiries } from "./expiry.ts";
import type { StoreFile } from "./maintenance.ts";
import { assertFormat, assertOwn, readLaying, readMark } from "./mark.ts";
import { openBare, openToRead } from "./opening.ts";
import { canReseal, type KeyStatus, keyStatus, reseal, type Resealed } from "./reseal.ts";
import { Sealer } from "./seal.ts";
import { placeFor } from "./sites.ts";
import { refusal, sizeOf } from "./store_file.ts";

export type { KeyStatus, Resealed };

type Named = Pick<StoreFile, "path" | "keys">;

/** Which keys a store is sealed and proven under. Throws a GatewayError where there is no store. */
export async function statusOf({ path, keys }: Named): Promise<KeyStatus> {
  assertKept(path);
  await using kv = await openToRead(path);
  return await keyStatus(kv, await Sealer.open(keys));
}

/** What resealing needs beside the store. */
export interface Told {
  /** The kinds of credential that go to the address of their site. */
  readonly addressBound: readonly string[];
  readonly told?: (records: number) => void;
}

/**
 * Seals and proves everything of a store under the first key; gateways on it may run. Throws a GatewayError where there is
 * no store, none of the keys opens it, or a record is not as the gateway wrote it.
 */
export async function resealStore({ path, keys }: Named, { addressBound, told }: Told): Promise<Resealed> {
  assertKept(path);
  if (isFile(path) && (await sizeOf(path) ?? 0) === 0) {
    throw refusal(`KV_PATH: there is no store at "${path}"`);
  }
  await using kv = await openBare(path);
  const sealer = await Sealer.open(keys);
  const { value: mark } = await readMark(kv);
  if (mark === null || await readLaying(kv) !== null) {
    throw refusal(`KV_PATH: there is no store in ${nameOf(path)}`);
  }
  assertFormat(mark, { name: nameOf(path) });
  await assertOwn(kv, sealer, mark, nameOf(path));
  if (!await canReseal(kv)) {
    throw refusal(
      `KV_PATH: ${nameOf(path)} is of an older version; start this version of the gateway on it once`,
    );
  }
  using expiries = await Expiries.of(kv, path, Date.now);
  const to = (kind: string, base_url: string | null) => placeFor(addressBound, kind, base_url);
  return await reseal(kv, { sealer, expiries, placeFor: to, now: Date.now, told });
}

function assertKept(path: string): void {
  if (path === ":memory:") {
    throw refusal('KV_PATH: ":memory:" is kept by the gateway alone; it has no keys to change');
  }
}
