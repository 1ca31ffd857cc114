/** What of every kind of record is a site's or a person's, and what becomes of it where that is erased. */
import { isFields } from "../core/values.ts";
import type { CachedKind } from "./cache.ts";
import { sha256 } from "./database.ts";

/** What is erased. */
export interface Erased {
  readonly kind: "site" | "user";
  readonly id: string;
  /** Other texts by which it is known: of a person each e-mail address, of a site its address. */
  readonly names: readonly string[];
  /** Ids of the tokens and grants that are the person's. */
  readonly tokens: readonly string[];
  /** What the site is linked to and no other site is: a repository, accounts. */
  readonly links: readonly string[];
}

/** What becomes of a record: undefined leaves it, null deletes it, anything else takes its place. */
export type Rule = (key: readonly string[], value: unknown, of: Erased, now: string) => unknown;

/** Of one kind of record, for a site and for a person; a text says why there is nothing to do. */
export interface Decision {
  readonly site: Rule | string;
  readonly user: Rule | string;
  /** Its look-ups are cached under that version. */
  readonly cached?: CachedKind;
}

const NOBODYS = "it names no site and no person";
const HASHES = "it holds hashes that say nothing of it";
const OF_A_SITE = "it is a site's";
const OF_A_PERSON = "it is a person's";
/** `erasures.ts` goes over these itself. */
const ITSELF = "erasures.ts";

const at = (n: number): Rule => (key, _, { id }) => key[n] === id ? null : undefined;
const field = (name: string): Rule => (_, value, { id }) =>
  isFields(value) && value[name] === id ? null : undefined;
const ofToken = (n: number): Rule => (key, _, { tokens }) => tokens.includes(key[n]!) ? null : undefined;

/** What in a record lists sites. */
const SITE_LISTS = ["allowed_sites", "approve_sites"];

/** A record that lists sites, without that one. */
const unlisted: Rule = (_, value, { id }) => {
  if (!isFields(value)) return undefined;
  const lists = SITE_LISTS.flatMap((name) => {
    const list = value[name];
    return Array.isArray(list) && list.includes(id) ? [[name, list.filter((one) => one !== id)]] : [];
  });
  return lists.length === 0 ? undefined : { ...value, ...Object.fromEntries(lists) };
};

/** A token of a trial is for its site alone, or for few, and goes with one of them. */
const naming: Rule = (_, value, { id }) =>
  isFields(value) && Array.isArray(value["allowed_sites"]) && value["allowed_sites"].includes(id)
    ? null
    : undefined;

/** What lists the site among those it touches. */
const touching: Rule = (_, value, { id }) =>
  isFields(value) && Array.isArray(value["sites"]) && value["sites"].includes(id) ? null : undefined;
/** What is a token's of the person. */
const ofGrant: Rule = (_, value, { tokens }) =>
  isFields(value) && tokens.includes(String(value["grant"])) ? null : undefined;

/** A request without the name of that person, who decided or edited it; undefined where that is somebody else. */
function unnamed(value: Readonly<Record<string, unknown>>, id: string) {
  const isTheirs = (by: unknown) => isFields(by) && by["user_id"] === id;
  const erased = (by: unknown) => isTheirs(by) ? { by: "(erased)", user_id: null } : by;
  const { decided: by, editors } = value;
  const all: readonly unknown[] = Array.isArray(editors) ? editors : [];
  if (![by, ...all].some(isTheirs)) return undefined;
  return {
    ...value,
    ...by === undefined ? {} : { decided: erased(by) },
    ...all.length === 0 ? {} : { editors: all.map(erased) },
  };
}

/** What waits goes with its token, and stays without the name of who edited it. */
const waits: Rule = (key, value, of, now) => {
  const gone = ofToken(1)(key, value, of, now);
  return gone === null || !isFields(value) ? gone : unnamed(value, of.id);
};

/** A request that the person asked for goes; where the person decided it stays without the name. */
const decided: Rule = (key, value, of, now) => {
  if (!isFields(value)) return undefined;
  if (value["owner_user_id"] === of.id || ofGrant(key, value, of, now) === null) return null;
  return unnamed(value, of.id);
};

/** A token for no site is worth nothing, and ends. */
const narrowed: Rule = (key, value, of, now) => {
  const left = unlisted(key, value, of, now);
  if (!isFields(left) || (left["allowed_sites"] as unknown[]).length > 0) return left;
  return { ...left, revoked_at: left["revoked_at"] ?? now };
};

/** A code is for what was granted. */
const code: Decision = {
  site: (key, value, of, now) => {
    if (!isFields(value) || !isFields(value["order"])) return undefined;
    const { order } = value;
    const granted = unlisted(key, order["granted"], of, now);
    return granted === undefined ? undefined : { ...value, order: { ...order, granted } };
  },
  user: (key, value, of, now) => {
    const order = isFields(value) ? value["order"] : undefined;
    return isFields(order) ? field("user_id")(key, order["granted"], of, now) : undefined;
  },
  cached: "oauth",
};

/** A site that is bound to the person's accounts is so no longer. */
const unbound: Rule = (_, value, { id }) => {
  if (!isFields(value)) return undefined;
  const left = Object.entries(value).map(([name, one]) => [name, name !== "id" && one === id ? null : one]);
  return Object.values(value).includes(id) ? Object.fromEntries(left) : undefined;
};

const site = (n = 1): Decision => ({ site: at(n), user: OF_A_SITE });
const user = (rule: Rule = at(1)): Decision => ({ site: OF_A_PERSON, user: rule });
const none = (why = NOBODYS): Decision => ({ site: why, user: why });

/** A change set goes as a whole where one of its sites does, or whoever made it. */
const ofSet: Decision = {
  site: touching,
  user: (key, value, of, now) => {
    const gone = ofGrant(key, value, of, now);
    if (gone !== undefined || !isFields(value)) return gone;
    const { approved } = value;
    const isTheirs = isFields(approved) && of.names.includes(String(approved["approved_by"]));
    return isTheirs ? { ...value, approved: { ...approved, approved_by: "(erased)" } } : undefined;
  },
};

/**
 * Every kind of record, by the first part of its key. A test holds it complete: whoever stores something new decides here,
 * and in docs/PRIVACY.md, what becomes of it.
 */
export const DECISIONS: Readonly<Record<string, Decision>> = {
  store: none(),
  versions: none(),
  registers: none(HASHES),
  sealing: none(),
  probe: none(),
  erasures: none(ITSELF),
  audit: none(ITSELF),
  // First of all, so that no call begins any more.
  sites: { site: at(1), user: unbound, cached: "sites" },
  credentials: { ...site(), cached: "sites" },
  freezes: {
    site: (key, _, { id }) => key[1] === "site" && key[2] === id ? null : undefined,
    // It goes on without the person's name.
    user: (_, value, { names }) =>
      isFields(value) && names.includes(String(value["by"])) ? { ...value, by: "(erased)" } : undefined,
    cached: "sites",
  },
  tokens: { site: narrowed, user: field("owner_user_id"), cached: "tokens" },
  trial_tokens: { site: naming, user: field("owner_user_id") },
  trials: { site: touching, user: field("user_id") },
  token_uses: { site: "it is a token's", user: ofToken(1) },
  tokens_by_hash: {
    site: "the token stays, without the site",
    user: (_, value, { tokens }) => tokens.includes(String(value)) ? null : undefined,
    cached: "tokens",
  },
  users: { site: unlisted, user: at(1), cached: "users" },
  users_by_email: { ...user((_, value, { id }) => value === id ? null : undefined), cached: "users" },
  projects: none("it groups sites, and has a name of its own"),
  sessions: none("they are those of the master token"),
  previews: { site: at(2), user: ofToken(1) },
  preview_names: {
    site: (_, value, { id }) => String(value).endsWith(` ${id}`) ? null : undefined,
    user: (_, value, { tokens }) => tokens.includes(String(value).split(" ")[0]!) ? null : undefined,
  },
  managed_files: {
    site: (key, _, { links }) => links.some((one) => one.toLowerCase() === key[1]) ? null : undefined,
    user: HASHES,
  },
  consents: none(ITSELF),
  consent_answers: none(ITSELF),
  consent_signs: none(ITSELF),
  approvals: { site: touching, user: decided },
  approval_pieces: { site: touching, user: ofGrant },
  approvals_waiting: { site: touching, user: waits },
  webhooks: none("it is a project's, or for every site, and names neither a site nor a person"),
  webhook_deliveries: { site: touching, user: "what is sent names no person" },
  webhooks_waiting: { site: touching, user: "what is sent names no person" },
  webhook_marks: { site: at(2), user: at(2) },
  sets: ofSet,
  set_pieces: ofSet,
  set_results: ofSet,
  changes: none(ITSELF),
  change_pieces: none(ITSELF),
  leases: {
    site: (key, _, { id, names }) =>
      [id, ...names].some((one) => key[1]!.startsWith(`${one} `)) ? null : undefined,
    user: (key, _, { id }) => key[1]!.includes(id) ? null : undefined,
  },
  paces: none(HASHES),
  budgets: {
    site: (key, _, { id }) => key[1] === "site" && key[2] === id ? null : undefined,
    user: (key, _, { tokens }) => key[1] === "token" && tokens.includes(key[2]!) ? null : undefined,
  },
  sign_ins: user(),
  passkeys: user((_, value, { id }) => value === id ? null : undefined),
  invitations: user((_, value, { id }) =>
    isFields(value) && [value["user_id"], value["by"]].includes(id) ? null : undefined
  ),
  invitation_of: user(),
  person_sessions: user(),
  person_sessions_by_hash: user(field("user_id")),
  sessions_ended: user(),
  attempts: none(HASHES),
  challenges: none(HASHES),
  allowances: {
    site: (key, _, { id, links }) => [id, ...links].includes(key[2]!) ? null : undefined,
    user: OF_A_SITE,
  },
  kept: {
    site: (_, value, { links }) =>
      isFields(value) && links.some((one) => sha256(one) === value["of"]) ? null : undefined,
    user: OF_A_SITE,
  },
  kept_parts: none("parts without a head run out within three hours"),
  snapshots: site(2),
  snapshot_runs: none("it holds numbers"),
  tool_catalogs: { ...site(), cached: "tool_catalogs" },
  tool_pins: { ...site(), cached: "tool_catalogs" },
  tool_catalog_parts: none(ITSELF),
  tool_decisions: { ...site(), cached: "tool_catalogs" },
  tool_texts: none(ITSELF),
  accounts: user(),
  connect_links: user(field("user_id")),
  connect_states: none(HASHES),
  oauth_clients: none("programs register themselves"),
  oauth_client_places: none("programs register themselves"),
  oauth_registrations: none(),
  oauth_codes: code,
  oauth_grants: { site: unlisted, user: field("user_id"), cached: "oauth" },
  oauth_grants_by_user: { ...user(), cached: "oauth" },
  oauth_families: { ...user(ofToken(1)), cached: "oauth" },
  oauth_refresh: {
    ...user((_, value, { tokens }) => tokens.includes(String(value)) ? null : undefined),
    cached: "oauth",
  },
  oauth_access: {
    ...user((_, value, { tokens }) =>
      isFields(value) && tokens.includes(String(value["grant_id"])) ? null : undefined
    ),
    cached: "oauth",
  },
};
