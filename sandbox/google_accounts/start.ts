/** A stand-in for Google's authorization server: a consent page, codes, tokens and their end, strict in all of it. */
import { createHash } from "node:crypto";
import { html, json, redirect } from "../core/answers.ts";
import type { CommonFault } from "../core/faults.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { Call, StandInOptions } from "../core/vendor.ts";
import { type Code, type Grant, Grants, type Holder, type Person } from "./grants.ts";

export type { Holder, Person } from "./grants.ts";

/** What it has rights for; any other is refused. */
export const SCOPES = [
  "https://www.googleapis.com/auth/analytics.readonly",
  "https://www.googleapis.com/auth/webmasters.readonly",
  "https://www.googleapis.com/auth/spreadsheets.readonly",
  "https://www.googleapis.com/auth/adwords",
  "https://www.googleapis.com/auth/drive.file",
] as const;
const IDENTITY = ["openid", "https://www.googleapis.com/auth/userinfo.email"];

/** What it does otherwise, where a test says so. */
export interface Ways {
  /** A code yields no refresh token, as where the person had agreed before and was not asked again. */
  no_refresh_token?: boolean;
  /** Each refresh replaces the refresh token; the one before it dies. */
  rotates?: boolean;
  /** Who answers and identity tokens say they come from. Default: where it runs. */
  issuer?: string;
}

/** A client as it was registered. */
export interface Client {
  readonly id: string;
  readonly secret: string;
  /** To the letter. */
  readonly redirect_uris: string[];
}

/** What was granted, as a client gets it from a token request. */
export interface Tokens {
  readonly account: string;
  readonly account_id: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scopes: readonly string[];
}

/** A running stand-in. */
export interface Accounts extends Service<RecordedRequest, CommonFault> {
  readonly client: Client;
  readonly people: Person[];
  readonly ways: Ways;
  /** What the gateway is set to, to reach it. */
  readonly env: Readonly<Record<string, string>>;
  /** Whose an access token is; null for one that is unknown, too old or ended. */
  holder(access_token: string): Holder | null;
  /** What a person who ticks that would have granted, without the pages. */
  grant(email: string, scopes?: readonly string[]): Tokens;
  /** The person withdraws everything. */
  withdraw(email: string): void;
  /** The person's access tokens are refused from now on. */
  expireAccess(email: string): void;
  /** How many grants of that person live. */
  living(email: string): number;
}

/** A consent page that was shown and not answered yet. */
interface Pending {
  readonly query: URLSearchParams;
  readonly scopes: readonly string[];
}

/** Its pages and its routes. */
class AccountServer {
  readonly people: Person[] = [{ sub: "10001", email: "ann@agency.example" }, {
    sub: "10002",
    email: "bob@agency.example",
  }];
  readonly client: Client = {
    id: `${crypto.randomUUID()}.apps.example`,
    secret: crypto.randomUUID(),
    redirect_uris: [],
  };
  readonly ways: Ways = {};
  readonly #grants: Grants;
  readonly #now: () => number;
  readonly #base: () => string;
  readonly #pending = new Map<string, Pending>();

  constructor(grants: Grants, now: () => number, base: () => string) {
    this.#grants = grants;
    this.#now = now;
    this.#base = base;
  }

  handle({ request, url, bytes }: Call): Response | Promise<Response> {
    const form = new URLSearchParams(new TextDecoder().decode(bytes));
    switch (`${request.method} ${url.pathname}`) {
      case "GET /o/oauth2/v2/auth":
        return this.#authorize(url.searchParams);
      case "POST /consent":
        return this.#consent(form);
      case "POST /token":
        return this.#token(request, form);
      case "POST /revoke":
        return this.#grants.revoke(form.get("token") ?? "")
          ? json({})
          : json({ error: "invalid_token" }, 400);
      default:
        return json({ error: "not_found" }, 404);
    }
  }

  #authorize(query: URLSearchParams): Response {
    if (query.get("client_id") !== this.client.id) return wrongPage("invalid_client");
    if (!this.client.redirect_uris.includes(query.get("redirect_uri") ?? "")) {
      return wrongPage("redirect_uri_mismatch");
    }
    const scopes = (query.get("scope") ?? "").split(" ").filter((one) => one !== "");
    const known: readonly string[] = [...SCOPES, ...IDENTITY, "email"];
    const fault = query.get("response_type") !== "code"
      ? "invalid_request"
      : !query.get("state") || query.get("code_challenge_method") !== "S256" || !query.get("code_challenge")
      ? "invalid_request"
      : scopes.length === 0 || scopes.some((one) => !known.includes(one))
      ? "invalid_scope"
      : null;
    if (fault !== null) return wrongPage(fault);
    const id = crypto.randomUUID();
    this.#pending.set(id, { query, scopes });
    const hint = query.get("login_hint");
    const order = [...this.people].sort((a, b) => Number(b.email === hint) - Number(a.email === hint));
    return consentPage(id, order, scopes.filter((one) => (SCOPES as readonly string[]).includes(one)));
  }

  #consent(form: URLSearchParams): Response {
    const id = form.get("request") ?? "";
    const asked = this.#pending.get(id);
    if (asked === undefined) return wrongPage("this page was answered already");
    this.#pending.delete(id);
    const { query, scopes } = asked;
    const to = new URL(query.get("redirect_uri")!);
    to.searchParams.set("state", query.get("state")!);
    to.searchParams.set("iss", this.ways.issuer ?? this.#base());
    if (form.get("answer") !== "allow") {
      to.searchParams.set("error", "access_denied");
      return redirect(to.href);
    }
    const person = this.people.find(({ email }) => email === form.get("account"));
    if (person === undefined) return wrongPage("nobody is signed in");
    const ticked = [...IDENTITY, ...scopes.filter((one) => form.getAll("scope").includes(one))];
    const grant = this.#grants.agree(person, ticked);
    const granted = query.get("include_granted_scopes") === "true" ? grant.scopes : ticked;
    const offline = query.get("access_type") === "offline";
    to.searchParams.set("scope", granted.join(" "));
    to.searchParams.set(
      "code",
      this.#grants.code({
        grant,
        scopes: granted,
        redirect_uri: query.get("redirect_uri")!,
        challenge: query.get("code_challenge"),
        refreshable: offline && (query.get("prompt") === "consent" || !grant.refreshed_once),
      }),
    );
    return redirect(to.href);
  }

  async #token(request: Request, form: URLSearchParams): Promise<Response> {
    if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) {
      return refused("invalid_request", "expected a form");
    }
    if (form.get("client_id") !== this.client.id || form.get("client_secret") !== this.client.secret) {
      return json({ error: "invalid_client", error_description: "The OAuth client was not found." }, 401);
    }
    switch (form.get("grant_type")) {
      case "authorization_code":
        return await this.#exchange(form);
      case "refresh_token":
        return this.#refresh(form.get("refresh_token") ?? "");
      default:
        return refused("unsupported_grant_type", "");
    }
  }

  async #exchange(form: URLSearchParams): Promise<Response> {
    const code = this.#grants.codes.get(form.get("code") ?? "");
    if (code === undefined || code.used || !code.grant.alive || this.#now() >= code.expires_at) {
      return refused("invalid_grant", "Malformed auth code.");
    }
    if (form.get("redirect_uri") !== code.redirect_uri) return refused("redirect_uri_mismatch", "");
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (challenge !== code.challenge) return refused("invalid_grant", "Invalid code verifier.");
    code.used = true;
    const { person } = code.grant;
    const signed = await idToken(
      { iss: this.ways.issuer ?? this.#base(), aud: this.client.id, ...person },
      this.#now(),
    );
    return json({
      ...this.#tokensOf(code.grant, code, code.refreshable && !this.ways.no_refresh_token),
      token_type: "Bearer",
      id_token: signed,
    });
  }

  #tokensOf(grant: Grant, { scopes }: Pick<Code, "scopes">, refreshable: boolean) {
    const made = { ...this.#grants.access(grant, scopes), scope: scopes.join(" ") };
    return refreshable ? { ...made, refresh_token: this.#grants.refreshToken(grant, scopes) } : made;
  }

  #refresh(text: string): Response {
    const found = this.#grants.byRefresh(text);
    if (found === null) return refused("invalid_grant", "Token has been expired or revoked.");
    if (this.ways.rotates) this.#grants.endRefresh(text);
    return json({ ...this.#tokensOf(found.grant, found, this.ways.rotates === true), token_type: "Bearer" });
  }

  /** What a person who ticks that would have granted, without the pages. */
  grant(email: string, scopes: readonly string[] = SCOPES): Tokens {
    const person = this.people.find((one) => one.email === email);
    if (person === undefined) throw new Error(`nobody here is ${email}`);
    const all = [...IDENTITY, ...scopes];
    const grant = this.#grants.agree(person, all);
    const made = this.#grants.access(grant, all);
    const refresh_token = this.#grants.refreshToken(grant, all);
    return { account: email, account_id: person.sub, ...made, refresh_token, scopes: all };
  }
}

/** Starts it on a free port of 127.0.0.1. */
export function startAccounts(options: StandInOptions = {}): Accounts {
  const now = (): number => running.clock.now();
  const grants = new Grants(now);
  const server = new AccountServer(grants, now, (): string => running.base_url);
  const running = startService<RecordedRequest, CommonFault>(options, {
    handle: (call) => server.handle(call),
    isWrite: ({ method }) => method === "POST",
    records_answers: true,
  });
  const { client, people, ways } = server;
  return Object.defineProperties(running, {
    client: { value: client },
    people: { value: people },
    ways: { value: ways },
    env: {
      value: {
        ACCOUNT_AUTH_URL: `${running.base_url}/o/oauth2/v2/auth`,
        ACCOUNT_TOKEN_URL: `${running.base_url}/token`,
        ACCOUNT_REVOKE_URL: `${running.base_url}/revoke`,
        ACCOUNT_CLIENT_ID: client.id,
        ACCOUNT_CLIENT_SECRET: client.secret,
      },
    },
    holder: { value: (text: string) => grants.holder(text) },
    grant: { value: (email: string, scopes?: readonly string[]) => server.grant(email, scopes) },
    withdraw: { value: (email: string) => grants.withdraw(email) },
    expireAccess: { value: (email: string) => grants.expireAccess(email) },
    living: { value: (email: string) => grants.living(email) },
  }) as Accounts;
}

const refused = (error: string, error_description: string): Response =>
  json({ error, error_description }, 400);

let key: Promise<CryptoKeyPair> | undefined;

const text = (value: unknown) => base64url(new TextEncoder().encode(JSON.stringify(value)));
const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Who somebody is, for one client, for an hour. */
async function idToken(
  { iss, aud, sub, email }: { iss: string; aud: string; sub: string; email: string },
  now: number,
): Promise<string> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  };
  const { privateKey } = await (key ??= crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]));
  const iat = Math.floor(now / 1000);
  const claims = { iss, aud, azp: aud, sub, email, email_verified: true, iat, exp: iat + 3600 };
  const signed = `${text({ alg: "RS256", typ: "JWT", kid: "stand-in" })}.${text(claims)}`;
  const bytes = new TextEncoder().encode(signed);
  const signature = new Uint8Array(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", privateKey, bytes));
  return `${signed}.${base64url(signature)}`;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const page = (title: string, body: string, status: number) =>
  html(
    `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>` +
      `<h1>${escaped(title)}</h1>${body}`,
    status,
  );

/** The page; every box is ticked at first, and `openid` and `email` have none. */
function consentPage(request: string, people: readonly Person[], scopes: readonly string[]): Response {
  const accounts = people.map(({ email }, at) =>
    `<p><label><input type="radio" name="account" value="${escaped(email)}"${at === 0 ? " checked" : ""}> ` +
    `${escaped(email)}</label></p>`
  );
  const boxes = scopes.map((scope) =>
    `<p><label><input type="checkbox" name="scope" value="${escaped(scope)}" checked> ` +
    `${escaped(scope)}</label></p>`
  );
  return page(
    "A stand-in for the sign-in of Google",
    `<form method="post" action="/consent"><input type="hidden" name="request" value="${request}">` +
      `${accounts.join("")}${boxes.join("")}` +
      '<button name="answer" value="allow" id="allow">Allow</button> ' +
      '<button name="answer" value="deny" id="deny">Cancel</button></form>',
    200,
  );
}

/** What is shown to the person and never sent on: the client itself is wrong. */
const wrongPage = (what: string): Response => page(`Error 400: ${what}`, "", 400);
