/** A connection as KV keeps it: what is plain, what is sealed, what people may see of it. */
import { freshness, isOver } from "./account_clock.ts";
import type { AccountRecord, Connection, NoToken, ReconnectReason, RefreshAnswer } from "./account_types.ts";
import type { Sealed, Sealer } from "./seal.ts";

/** The last moment a Date can hold. */
const TIME_MAX = 8.64e15;
const TOKEN_BYTES_MAX = 8 * 1024;
const SCOPES_BYTES_MAX = 8 * 1024;
const ACCOUNT_CHARACTERS_MAX = 320;
/** A hundred years. */
const SECONDS_MAX = 100 * 366 * 24 * 60 * 60;

/** What is sealed. */
export interface AccountTokens {
  readonly refresh: string | null;
  readonly access: string | null;
  /** Refresh tokens of answers that came too late to be the record's own, newest last. */
  readonly spares: readonly string[];
}

/** Where a connection is kept. */
export const accountKey = (user_id: string, kind: string): [string, string, string] => [
  "accounts",
  user_id,
  kind,
];

/** Seals tokens for one connection; they open for no other, an earlier one of the same user and kind included. */
export function sealTokens(
  sealer: Pick<Sealer, "seal">,
  key: readonly string[],
  id: string,
  tokens: AccountTokens,
): Promise<Sealed> {
  return sealer.seal(JSON.stringify(tokens), [...key, id]);
}

/** The tokens again; throws E_INTERNAL as Sealer.unseal does. */
export async function openTokens(
  sealer: Pick<Sealer, "unseal">,
  key: readonly string[],
  record: AccountRecord,
): Promise<AccountTokens> {
  return JSON.parse(await sealer.unseal(record.sealed, [...key, record.id]));
}

const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isNumber = (value: unknown) => typeof value === "number" && Math.abs(value) <= TIME_MAX;
const orNull = (fits: (value: unknown) => boolean) => (value: unknown) => value === null || fits(value);
const has = (shape: Record<string, (value: unknown) => boolean>) => (value: unknown): boolean =>
  typeof value === "object" && value !== null &&
  Object.entries(shape).every(([name, fits]) => fits((value as Record<string, unknown>)[name]));
const isBytes = (value: unknown) => value instanceof Uint8Array;

const isAccountRecord = has(
  {
    id: isText,
    account: isText,
    account_id: (value) => value === undefined || value === null || isText(value),
    scopes: isTexts,
    generation: isNumber,
    reconnect: orNull(has({ reason: isText, since: isNumber })),
    access: orNull(has({ obtained_at: isNumber, expires_at: orNull(isNumber) })),
    refreshable: (value) => typeof value === "boolean",
    refresh_expires_at: orNull(isNumber),
    lease: orNull(has({ holder: isText, taken_at: isNumber, ends_at: isNumber })),
    tries: isNumber,
    retry_at: orNull(isNumber),
    forced_at: orNull(isNumber),
    created_at: isNumber,
    updated_at: isNumber,
    refreshed_at: orNull(isNumber),
    sealed: has({ key: isText, iv: isBytes, data: isBytes }),
  } satisfies Record<keyof AccountRecord, (value: unknown) => boolean>,
);

/** The record a KV value is; null for a damaged one. */
export function readRecord(value: unknown): AccountRecord | null {
  return isAccountRecord(value) ? value as AccountRecord : null;
}

const WHY: Readonly<Record<ReconnectReason, string>> = {
  refused:
    "the other side no longer accepts it (access was withdrawn, a password changed, or it went unused for too long)",
  answer_lost:
    "its refresh token was refused after an earlier refresh that failed or whose answer never arrived here; " +
    "that answer may have held the token's replacement",
  expired: "its time is over and it cannot be renewed without its person",
  unreadable:
    "what is stored of it cannot be opened; put back the key of ENCRYPTION_KEYS it was sealed with if there was another",
};

/** The refusal of a connection that must be made again. */
export function reconnect(
  key: readonly string[],
  reason: ReconnectReason,
  since: number | null,
): Extract<NoToken, { state: "reconnect" }> {
  return {
    state: "reconnect",
    reason,
    since: since === null ? null : iso(since),
    message: `Connection "${key[2]}" of user "${key[1]}" must be connected again: ${WHY[reason]}`,
  };
}

function why(
  key: readonly string[],
  reason: ReconnectReason,
  since: number | null,
): NonNullable<Connection["reconnect"]> {
  const { state: _state, ...rest } = reconnect(key, reason, since);
  return rest;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const orIso = (ms: number | null): string | null => ms === null ? null : iso(ms);

const UNREADABLE: Omit<Connection, "user_id" | "kind" | "reconnect"> = {
  id: "",
  account: "",
  account_id: null,
  scopes: [],
  renewable: false,
  generation: 0,
  state: "reconnect",
  expires_at: null,
  refresh_expires_at: null,
  created_at: iso(0),
  updated_at: iso(0),
  refreshed_at: null,
};

/** What people may see of a record, and of a damaged one (null) what its key tells; `opens`: its tokens can be read. */
export function toConnection(
  key: readonly string[],
  record: AccountRecord | null,
  opens: boolean,
  now: number,
): Connection {
  const [, user_id = "", kind = ""] = key;
  if (record === null) return { ...UNREADABLE, user_id, kind, reconnect: why(key, "unreadable", null) };
  const { access, refresh_expires_at } = record;
  const over = isOver(record, now) && freshness(record, now, 0) === "stale";
  const computed = !opens ? "unreadable" : over ? "expired" : null;
  const ended = record.reconnect ?? (computed && { reason: computed, since: null } as const);
  return {
    id: record.id,
    user_id,
    kind,
    account: record.account,
    account_id: record.account_id ?? null,
    scopes: [...record.scopes],
    renewable: record.refreshable,
    generation: record.generation,
    state: ended === null ? "ok" : "reconnect",
    reconnect: ended && why(key, ended.reason, ended.since),
    expires_at: orIso(access?.expires_at ?? null),
    refresh_expires_at: orIso(refresh_expires_at),
    created_at: iso(record.created_at),
    updated_at: iso(record.updated_at),
    refreshed_at: orIso(record.refreshed_at),
  };
}

/** When something ends that lives for that many seconds from now. */
export function endOf(seconds: number | null | undefined, now: number): number | null {
  return seconds === null || seconds === undefined ? null : now + seconds * 1000;
}

/** What is wrong with an upstream's answer, beginning with the field; null for one that can be kept. */
export function answerFault(answer: RefreshAnswer): string | null {
  if (!isToken(answer.access_token)) return `access_token: ${TOKEN_RULE}`;
  if (answer.refresh_token !== undefined && !isToken(answer.refresh_token)) {
    return `refresh_token: ${TOKEN_RULE}`;
  }
  for (const field of ["expires_in", "refresh_expires_in"] as const) {
    const seconds = answer[field] ?? 0;
    if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= SECONDS_MAX)) {
      return `${field}: must be 0 to ${SECONDS_MAX} seconds`;
    }
  }
  const scopes = answer.scopes ?? [];
  if (!isTexts(scopes) || bytes(JSON.stringify(scopes)) > SCOPES_BYTES_MAX) {
    return `scopes: must be a list of texts and may have ${SCOPES_BYTES_MAX} bytes together`;
  }
  return null;
}

/** What is wrong with the name of an account; null for a good one. */
export function accountFault(account: string): string | null {
  return account.length <= ACCOUNT_CHARACTERS_MAX
    ? null
    : `account: at most ${ACCOUNT_CHARACTERS_MAX} characters`;
}

const TOKEN_RULE = `must not be empty and may have ${TOKEN_BYTES_MAX} bytes`;

/** Whether a text can be kept as a token. */
export function isToken(text: unknown): text is string {
  return typeof text === "string" && text !== "" && bytes(JSON.stringify(text)) <= TOKEN_BYTES_MAX;
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
