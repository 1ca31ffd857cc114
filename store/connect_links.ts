/** One-time links for connecting an account: bound to the first browser, each way to the consent page taken once. */
import { lasts } from "../core/lasting.ts";
import { LIMITS } from "../core/model.ts";
import type {
  Attempt,
  ConnectLink,
  ConnectLinkStore,
  ConnectPurpose,
  FoundLink,
  Presented,
  Returned,
} from "./connect_link_types.ts";
import { AGAIN, type Database, sha256, untilSettled } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { randomText } from "./tokens.ts";

/** The value of `["connect_links", id]`. */
interface KeptLink extends ConnectPurpose {
  /** SHA-256 of the cookie of the browser that opened it. */
  readonly browser: string | null;
  readonly done: boolean;
  readonly expires_at: number;
}

/** The value of `["connect_states", hash of the state]`. */
interface KeptState {
  readonly link: string;
  readonly expires_at: number;
  /** The code verifier; null once it came back. */
  readonly sealed: Sealed | null;
}

/** So long is remembered what came of a link, to say so to whoever opens it again. */
const REMEMBERED_MS = 24 * 60 * 60_000;

const linkKey = (id: string) => ["connect_links", id];
const stateKey = (state: string) => ["connect_states", sha256(state)];

/** The ConnectLinkStore of a database. */
export class ConnectLinks implements ConnectLinkStore {
  constructor(private readonly db: Database, private readonly sealer: Pick<Sealer, "seal" | "unseal">) {}

  async create({ user_id, kind, rights }: ConnectPurpose): Promise<{ link: ConnectLink; text: string }> {
    const text = randomText();
    const id = sha256(text);
    const expires_at = this.db.now() + LIMITS.CONNECT_LINK_MS;
    const kept: KeptLink = { user_id, kind, rights: [...rights], browser: null, done: false, expires_at };
    await this.db.commit(this.db.kv.atomic().set(linkKey(id), kept, { expireIn: REMEMBERED_MS }));
    return { link: shown(id, kept), text };
  }

  async find(text: string, presented: Presented): Promise<FoundLink | null> {
    const id = sha256(text);
    const { value } = await this.db.kv.get<KeptLink>(linkKey(id));
    if (value === null) return null;
    const link = shown(id, value);
    return {
      link,
      browser: value.browser === null ? "none" : isOwn(value, link, presented) ? "own" : "other",
    };
  }

  async bind(id: string): Promise<string | null> {
    const cookie = randomText();
    const bound = await this.#change(
      id,
      (kept) => kept.browser === null ? { ...kept, browser: sha256(cookie) } : null,
    );
    return bound ? cookie : null;
  }

  async begin(id: string): Promise<Attempt | null> {
    const { value } = await this.db.kv.get<KeptLink>(linkKey(id));
    if (value === null || value.done) return null;
    const [state, code_verifier] = [randomText(), randomText()];
    const key = stateKey(state);
    const kept: KeptState = {
      link: id,
      expires_at: this.db.now() + LIMITS.CONNECT_LINK_MS,
      sealed: await this.sealer.seal(code_verifier, key),
    };
    await this.db.commit(this.db.kv.atomic().set(key, kept, { expireIn: REMEMBERED_MS }));
    return { state, code_verifier };
  }

  async take(state: string, presented: Presented): Promise<Returned> {
    const key = stateKey(state);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<KeptState>(key);
      if (entry.value === null) return { outcome: "unknown", link: null };
      const { link: id, sealed, expires_at } = entry.value;
      const { value } = await this.db.kv.get<KeptLink>(linkKey(id));
      if (value === null) return { outcome: "unknown", link: null };
      const link = shown(id, value);
      if (!isOwn(value, link, presented)) return { outcome: "other", link };
      if (sealed === null) return { outcome: "used", link };
      if (!lasts(expires_at, LIMITS.CONNECT_LINK_MS, this.db.now())) return { outcome: "expired", link };
      const code_verifier = await this.sealer.unseal(sealed, key);
      const taken: KeptState = { ...entry.value, sealed: null };
      const change = this.db.kv.atomic().check(entry).set(key, taken, { expireIn: REMEMBERED_MS });
      return (await this.db.commit(change)).ok ? { outcome: "taken", link, code_verifier } : AGAIN;
    });
  }

  async finish(id: string): Promise<boolean> {
    return await this.#change(id, (kept) => kept.done ? null : { ...kept, done: true });
  }

  async reopen(id: string): Promise<void> {
    await this.#change(id, (kept) => ({ ...kept, done: false }));
  }

  /** Whether the change was made; `to` answers null where it must not be. */
  async #change(id: string, to: (kept: KeptLink) => KeptLink | null): Promise<boolean> {
    const key = linkKey(id);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<KeptLink>(key);
      const next = entry.value && to(entry.value);
      if (next === null) return false;
      const change = this.db.kv.atomic().check(entry).set(key, next, { expireIn: REMEMBERED_MS });
      return (await this.db.commit(change)).ok || AGAIN;
    });
  }
}

function shown(id: string, { user_id, kind, rights, browser, done, expires_at }: KeptLink): ConnectLink {
  const state = done ? "done" : browser === null ? "new" : "opened";
  return { id, user_id, kind, rights, state, expires_at };
}

function isOwn({ browser }: KeptLink, link: ConnectLink, presented: Presented): boolean {
  const cookie = presented(link);
  return browser !== null && cookie !== undefined && sha256(cookie) === browser;
}
