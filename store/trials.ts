/** Trials of tools on the console: the token each is run with, which nobody can send, and what was tried, sealed in pieces. */
import { isSuperAdmin, LIMITS, type Token } from "../core/model.ts";
import { checkSize, type Database } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { inPieces, keepPieces, ofPieces } from "./sealed_pieces.ts";
import type { KeptTrial, NewTrialToken, TrialStore } from "./store.ts";
import { tokenKey, TRIAL_TOKEN } from "./tokens.ts";

/** A piece, as KV keeps it; whose it is stands beside it, so that it goes where that is erased. */
interface KeptPiece extends Omit<KeptTrial, "id"> {
  readonly count: number;
  readonly sealed: Sealed;
}

const pieceKey = (id: string) => (n: number) => ["trials", id, String(n)];
const DAY_MS = 24 * 60 * 60_000;
/** As long as what was changed with it can be kept, so that erasing its person finds it. */
const TOKEN_MS = LIMITS.UNDO_DAYS_MAX * DAY_MS;

/** The TrialStore of a database. */
export class Trials implements TrialStore {
  constructor(private readonly db: Database, private readonly sealer: Sealer) {}

  async begin(input: NewTrialToken): Promise<Token> {
    const token: Token = {
      ...input,
      id: `${TRIAL_TOKEN}${this.db.newId()}`,
      env: "prod",
      skip_write_confirm: false,
      confirm_policy: "preview",
      super_admin: isSuperAdmin(input),
      created_at: this.db.timestamp(),
      revoked_at: null,
      expires_at: new Date(this.db.now() + LIMITS.TRIAL_MS).toISOString(),
    };
    checkSize(token);
    await this.db.commit(this.db.kv.atomic().set(tokenKey(token.id), token, { expireIn: TOKEN_MS }));
    return token;
  }

  async keep({ id, ...of }: KeptTrial, text: string): Promise<void> {
    const pieces = await inPieces(this.sealer, pieceKey(id), text, LIMITS.TRIAL_MS);
    const count = pieces.length;
    await keepPieces(
      this.db,
      pieces.map((piece) => ({ ...piece, value: { ...of, count, sealed: piece.value as Sealed } })),
    );
  }

  async find(id: string): Promise<KeptTrial & { readonly text: string } | null> {
    const { value } = await this.db.kv.get<KeptPiece>(pieceKey(id)(0));
    if (value === null || this.db.now() >= value.ends_at) return null;
    const { session, user_id, sites, ends_at, count } = value;
    const sealedIn = (piece: unknown) => (piece as KeptPiece).sealed;
    const text = await ofPieces(this.db, this.sealer, pieceKey(id), count, sealedIn);
    return text === null ? null : { id, session, user_id, sites, ends_at, text };
  }
}
