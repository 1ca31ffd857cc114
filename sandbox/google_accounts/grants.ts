/** What the accounts have granted: codes, refresh tokens and access tokens, and how each of them dies. */

/** Somebody with an account. */
export interface Person {
  readonly sub: string;
  readonly email: string;
}

/** What a person agreed to: every token of it dies with it. */
export interface Grant {
  readonly person: Person;
  scopes: readonly string[];
  alive: boolean;
  /** Whether a refresh token was handed out before, and none is again without being asked for. */
  refreshed_once: boolean;
}

/** A code on its way, taken once. */
export interface Code {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  readonly redirect_uri: string;
  readonly challenge: string | null;
  readonly refreshable: boolean;
  readonly expires_at: number;
  used: boolean;
}

interface Token {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  readonly expires_at: number;
  alive: boolean;
}

/** Who an access token is for, and what it may do. */
export interface Holder extends Person {
  readonly scopes: readonly string[];
}

const ACCESS_SECONDS = 3599;
const CODE_MS = 10 * 60_000;

/** Everything that was granted to one client. */
export class Grants {
  readonly codes = new Map<string, Code>();
  readonly #byPerson = new Map<string, Grant>();
  readonly #refresh = new Map<string, Token>();
  readonly #access = new Map<string, Token>();

  constructor(readonly now: () => number) {}

  /** The person agrees; what was granted before stays granted. */
  agree(person: Person, scopes: readonly string[]): Grant {
    const standing = this.#byPerson.get(person.sub);
    if (standing?.alive) {
      standing.scopes = [...new Set([...standing.scopes, ...scopes])];
      return standing;
    }
    const grant: Grant = { person, scopes: [...scopes], alive: true, refreshed_once: false };
    this.#byPerson.set(person.sub, grant);
    return grant;
  }

  code(made: Omit<Code, "expires_at" | "used">): string {
    const text = `4/${crypto.randomUUID()}`;
    this.codes.set(text, { ...made, expires_at: this.now() + CODE_MS, used: false });
    return text;
  }

  /** A new access token, and how many seconds it lives. */
  access(grant: Grant, scopes: readonly string[]): { access_token: string; expires_in: number } {
    const access_token = `ya29.${crypto.randomUUID()}`;
    const expires_at = this.now() + ACCESS_SECONDS * 1000;
    this.#access.set(access_token, { grant, scopes, expires_at, alive: true });
    return { access_token, expires_in: ACCESS_SECONDS };
  }

  refreshToken(grant: Grant, scopes: readonly string[]): string {
    const text = `1//${crypto.randomUUID()}`;
    this.#refresh.set(text, { grant, scopes, expires_at: Infinity, alive: true });
    grant.refreshed_once = true;
    return text;
  }

  /** The grant behind a refresh token that still works. */
  byRefresh(text: string): { grant: Grant; scopes: readonly string[] } | null {
    return this.#living(this.#refresh.get(text));
  }

  /** Ends one refresh token, as where it was replaced. */
  endRefresh(text: string): void {
    const token = this.#refresh.get(text);
    if (token) token.alive = false;
  }

  /** Whose an access token is; null for one that is unknown, too old or ended. */
  holder(text: string): Holder | null {
    const token = this.#living(this.#access.get(text));
    return token && { ...token.grant.person, scopes: token.scopes };
  }

  /** Ends the whole grant behind either token; false where none is behind it any more. */
  revoke(text: string): boolean {
    const token = this.#living(this.#refresh.get(text)) ?? this.#living(this.#access.get(text));
    if (token) token.grant.alive = false;
    return token !== null;
  }

  /** The person withdraws everything, in the account's own pages. */
  withdraw(email: string): void {
    for (const grant of this.#byPerson.values()) if (grant.person.email === email) grant.alive = false;
  }

  /** Access tokens of that person count no more; what they can be made from does. */
  expireAccess(email: string): void {
    for (const token of this.#access.values()) if (token.grant.person.email === email) token.alive = false;
  }

  /** How many grants of that person live. */
  living(email: string): number {
    return [...this.#byPerson.values()].filter((one) => one.alive && one.person.email === email).length;
  }

  #living(token: Token | undefined): Token | null {
    return token?.alive && token.grant.alive && this.now() < token.expires_at ? token : null;
  }
}
