/** Long texts, sealed in pieces of which each fits into one value. */
import type { Database } from "./database.ts";
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

/** The text of so many pieces; null where one of them is gone. `sealedOf` finds one in what is kept under its key. */
export async function ofPieces(
  db: Database,
  sealer: Pick<Sealer, "unseal">,
  keyOf: (n: number) => string[],
  count: number,
  sealedOf = (value: unknown) => value as Sealed,
): Promise<string | null> {
  let text = "";
  for (let n = 0; n < count; n++) {
    const key = keyOf(n);
    const { value } = await db.kv.get(key);
    if (value === null) return null;
    text += await sealer.unseal(sealedOf(value), key);
  }
  return text;
}
