/** How a person connects an account: what can be asked for, the vendor's consent page, and what its answer becomes. */
import type { ConnectorContext } from "./context.ts";

/** A right that can be asked for. */
export interface Right {
  /** As the vendor spells it. */
  readonly scope: string;
  /** What it lets the gateway do, for the person who grants it; begins with a verb. */
  readonly meaning: string;
}

/** What a consent page is asked with. */
export interface ConsentRequest {
  readonly redirect_uri: string;
  readonly state: string;
  /** Of PKCE, by S256; a vendor without it leaves it out. */
  readonly code_challenge: string;
  /** As the vendor spells them. */
  readonly scopes: readonly string[];
  /** The account that was connected before, where there is one. */
  readonly login_hint: string | null;
}

/** What came back from the consent page. */
export interface ConsentAnswer {
  /** The query of the callback; its `state` is known to be the one that was sent. */
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly redirect_uri: string;
  readonly code_verifier: string;
  /** What was asked for. */
  readonly scopes: readonly string[];
}

/** What a person granted. */
export interface Granted {
  /** What the account is called for people, an e-mail address as a rule. */
  readonly account: string;
  /** The vendor's id of it, which stays when the name changes; null where the vendor gives none. */
  readonly account_id: string | null;
  readonly access_token: string;
  /** Seconds; null where the vendor does not say. */
  readonly expires_in: number | null;
  /** Left out where the vendor has none: the connection then ends with its access token. */
  readonly refresh_token?: string;
  /** Seconds until the refresh token itself ends, where the vendor says so. */
  readonly refresh_expires_in?: number | null;
  /** As the vendor spells them: what was granted, which may be less than was asked for. */
  readonly scopes: readonly string[];
}

/** The tokens of a connection that ends; null where they cannot be read any more. */
export interface EndedTokens {
  readonly refresh_token: string | null;
  readonly access_token: string | null;
}

/** A vendor's consent. Its contexts are the gateway's own: no site, and a deadline of their own. */
export interface ConnectionSpec<Settings = Readonly<Record<string, string | null>>> {
  /** Who asks the person to sign in, as people call it. */
  readonly vendor: string;
  /** What can be asked for, by the words that operators use. */
  readonly rights: Readonly<Record<string, Right>>;
  /** Where a person sees and withdraws what was granted. */
  readonly manage_url: string;
  /** Refuses with E_MISSING_SECRET a gateway whose operator has not registered it with the vendor; sends nothing. */
  assertConfigured(settings: Settings): void;
  /** The address of the consent page. */
  authorize(ctx: ConnectorContext<Settings>, request: ConsentRequest): string | Promise<string>;
  /** Exchanges the answer for tokens. Throws E_UPSTREAM with a sentence for the person. */
  exchange(ctx: ConnectorContext<Settings>, answer: ConsentAnswer): Promise<Granted>;
  /** Ends at the vendor what was granted; also resolves where it had ended already. Throws E_UPSTREAM. */
  revoke(ctx: ConnectorContext<Settings>, tokens: EndedTokens): Promise<void>;
}
