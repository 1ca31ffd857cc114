/** When entries of the kinds that go by themselves go, by what they hold. */
import { LIMITS, OAUTH_LIMITS, PEOPLE_LIMITS } from "../core/model.ts";
import { PROBE_MS } from "./store_timeout.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const GRANT_MS = Math.max(...OAUTH_LIMITS.GRANT_DAYS) * DAY_MS;

/** What a record holds. */
export type Fields = Readonly<Record<string, unknown>>;

/** When such an entry goes, in milliseconds since the epoch; null where what it holds does not say. */
type End = (value: Fields, key: Deno.KvKey) => number | null;

/** A finite number; null for anything else. */
export const numberOr = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
const timeOr = (value: unknown) => numberOr(typeof value === "string" ? Date.parse(value) : null);
const later = (at: number | null, ms: number) => at === null ? null : at + ms;

/** What the record names, and so long beyond. */
const named = (field: string, beyond_ms = 0): End => (value) => later(numberOr(value[field]), beyond_ms);
/** The end of the day in the key, and so long beyond. */
const dayIn = (at: number, beyond_ms: number): End => (_, key) => later(timeOr(key[at]), DAY_MS + beyond_ms);
const notRecorded: End = () => null;

function endOfGrant({ ended_at, expires_at }: Fields): number | null {
  return later(timeOr(ended_at) ?? numberOr(expires_at), OAUTH_LIMITS.ENDED_KNOWN_MS);
}

/** A code that was redeemed is kept as its grant is. */
function endOfCode({ grant_id, order, expires_at }: Fields): number | null {
  if (typeof grant_id !== "string") return later(numberOr(expires_at), OAUTH_LIMITS.CODE_MS);
  const granted = (order as { granted?: Fields } | undefined)?.granted;
  return granted === undefined ? null : endOfGrant(granted);
}

/**
 * The kinds of entry that go by themselves (SCHEMA.md), by the first part of their keys: how what they hold tells when,
 * and the longest that one is kept at all, which holds where it does not tell. All others are kept until somebody deletes them.
 */
const ENDS: Readonly<Record<string, readonly [end: End, longest_ms: number]>> = {
  sessions: [named("ends_at"), LIMITS.SESSION_MS],
  person_sessions: [named("ends_at"), LIMITS.SESSION_MS],
  person_sessions_by_hash: [notRecorded, LIMITS.SESSION_MS],
  preview_names: [notRecorded, 10 * MINUTE_MS],
  trial_tokens: [notRecorded, LIMITS.UNDO_DAYS_MAX * DAY_MS],
  trials: [named("ends_at"), LIMITS.TRIAL_MS],
  managed_files: [notRecorded, LIMITS.MANAGED_FILE_DAYS * DAY_MS],
  consents: [named("expires_at"), LIMITS.APPROVAL_MS + LIMITS.IDEMPOTENCY_MS],
  approvals: [named("asked_at", LIMITS.APPROVAL_KNOWN_MS), LIMITS.APPROVAL_KNOWN_MS],
  approval_pieces: [notRecorded, LIMITS.APPROVAL_MS],
  approvals_waiting: [notRecorded, LIMITS.APPROVAL_MS],
  webhook_deliveries: [notRecorded, LIMITS.WEBHOOK_KEPT_MS],
  webhooks_waiting: [notRecorded, LIMITS.WEBHOOK_KEPT_MS],
  consent_answers: [notRecorded, LIMITS.IDEMPOTENCY_MS],
  changes: [named("expires_at"), LIMITS.UNDO_DAYS_MAX * DAY_MS],
  change_pieces: [notRecorded, LIMITS.UNDO_DAYS_MAX * DAY_MS],
  sets: [named("expires_at"), 2 * LIMITS.SET_KEPT_MS],
  set_pieces: [notRecorded, 2 * LIMITS.SET_KEPT_MS],
  set_results: [notRecorded, 2 * LIMITS.SET_KEPT_MS],
  consent_signs: [notRecorded, 10 * MINUTE_MS],
  leases: [named("ends_at"), HOUR_MS],
  budgets: [notRecorded, 3 * MINUTE_MS],
  paces: [notRecorded, 25 * HOUR_MS],
  probe: [notRecorded, PROBE_MS],
  invitations: [named("expires_at", WEEK_MS), PEOPLE_LIMITS.INVITATION_MS + WEEK_MS],
  invitation_of: [notRecorded, PEOPLE_LIMITS.INVITATION_MS + WEEK_MS],
  attempts: [notRecorded, PEOPLE_LIMITS.SIGN_IN_WINDOW_MS],
  challenges: [notRecorded, 2 * PEOPLE_LIMITS.CHALLENGE_MS],
  allowances: [dayIn(3, 3 * DAY_MS), 3 * DAY_MS],
  kept: [named("expires_at"), LIMITS.SNAPSHOT_DAYS_KEPT * DAY_MS],
  kept_parts: [notRecorded, DAY_MS],
  snapshots: [dayIn(3, LIMITS.SNAPSHOT_DAYS_KEPT * DAY_MS), LIMITS.SNAPSHOT_DAYS_KEPT * DAY_MS],
  snapshot_runs: [dayIn(2, LIMITS.SNAPSHOT_DAYS_KEPT * DAY_MS), LIMITS.SNAPSHOT_DAYS_KEPT * DAY_MS],
  connect_links: [named("expires_at", DAY_MS), DAY_MS],
  connect_states: [named("expires_at", DAY_MS), DAY_MS],
  oauth_clients: [named("expires_at"), OAUTH_LIMITS.USED_CLIENT_MS + GRANT_MS],
  oauth_client_places: [notRecorded, OAUTH_LIMITS.UNUSED_CLIENT_MS],
  oauth_codes: [endOfCode, GRANT_MS + OAUTH_LIMITS.ENDED_KNOWN_MS],
  oauth_grants: [endOfGrant, GRANT_MS + OAUTH_LIMITS.ENDED_KNOWN_MS],
  oauth_grants_by_user: [notRecorded, GRANT_MS + OAUTH_LIMITS.ENDED_KNOWN_MS],
  oauth_families: [notRecorded, GRANT_MS + OAUTH_LIMITS.ENDED_KNOWN_MS],
  oauth_refresh: [notRecorded, OAUTH_LIMITS.REFRESH_KNOWN_MS],
  oauth_access: [named("expires_at"), OAUTH_LIMITS.ACCESS_MS],
};

/** Whether entries of that kind go by themselves. */
export const isPassing = (kind: Deno.KvKeyPart | undefined): boolean =>
  typeof kind === "string" && Object.hasOwn(ENDS, kind);

/** When an entry goes at the latest, by its kind and what it holds, in milliseconds since the epoch; null where it stays. */
export function endOf(key: Deno.KvKey, value: unknown, now: number): number | null {
  if (!isPassing(key[0])) return null;
  const [end, longest_ms] = ENDS[key[0] as string]!;
  return end(typeof value === "object" && value !== null ? value as Fields : {}, key) ?? now + longest_ms;
}
