/** Long texts, sealed in pieces of which each fits into one value. */
import { AGAIN, type Database, untilSettled } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";

/** A sealed piece fits into one value, whatever its characters are. */
const PIECE_CHARACTERS = 16 * 1024;
/** So many pieces fit into one commit. */
const PIECES_PER_COMMIT = 8;

/** A piece as it is to be committed. */
export interface Piece {
  readonly key: string[];
  readonly value: unknown;
  readonly expireIn: number;
}

/** The text in pieces; `keyOf` is the key of the piece of that number, from 0 on. */
export async function inPieces(
  sealer: Pick<Sealer, "seal">,
  keyOf: (n: number) => string[],
  text: string,
  expireIn: number,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const key = keyOf(pieces.length);
    pieces.push({ key, value: await sealer.seal(text.slice(at, at + PIECE_CHARACTERS), key), expireIn });
  }
  return pieces;
}

/** Commits them, a few at a time: they are durable once this resolves. */
export async function keepPieces(db: Database, pieces: readonly Piece[]): Promise<void> {
  for (let at = 0; at < pieces.length; at += PIECES_PER_COMMIT) {
    const atomic = db.kv.atomic();
    for (const { key, value, expireIn } of pieces.slice(at, at + PIECES_PER_COMMIT)) {
      atomic.set(key, value, { expireIn });
    }
    await db.commit(atomic);
  }
}

/** Keeps them for that long from now on, as they are. Answers whether all of them are still there. */
export async function prolongPieces(
  db: Database,
  keyOf: (n: number) => string[],
  count: number,
  expireIn: number,
): Promise<boolean> {
  for (let n = 0; n < count; n += PIECES_PER_COMMIT) {
    const keys = Array.from({ length: Math.min(PIECES_PER_COMMIT, count - n) }, (_, at) => keyOf(n + at));
    const isThere = await untilSettled(async () => {
      const atomic = db.kv.atomic();
      for (const entry of await db.kv.getMany(keys)) {
        if (entry.value === null) return false;
        atomic.check(entry).set(entry.key, entry.value, { expireIn });
      }
      return (await db.commit(atomic)).ok || AGAIN;
    });
    if (!isThere) return false;
  }
  return true;
}

/** The text of so many pieces; null where one of them is gone. `sealedOf` finds one in what is kept under its key. */
export async function ofPieces(
  db: Database,
  sealer: Pick<Sealer, "unseal">,
  keyOf: (n: number) => string[],
  count: number,
  sealedOf = (value: unknown) => value as Sealed,
): Promise<string | null> {
  let text = "";
  for (let n = 0; n < count; n += PIECES_PER_COMMIT) {
    const keys = Array.from({ length: Math.min(PIECES_PER_COMMIT, count - n) }, (_, at) => keyOf(n + at));
    for (const { key, value } of await db.kv.getMany(keys)) {
      if (value === null) return null;
      text += await sealer.unseal(sealedOf(value), key as string[]);
    }
  }
  return text;
}
