/** How a person connects: the consent page, the code, the token for two hours and the one for sixty days. */
import { createHmac } from "node:crypto";
import { json, redirect } from "../core/answers.ts";
import { bad, only, Refusal } from "./answers.ts";
import type { Person, World } from "./world.ts";

/** A token that was given. */
export interface Token {
  readonly person: Person;
  readonly scopes: readonly string[];
  readonly issued_at: number;
  readonly expires_at: number;
  /** Set once it is dead before its time: the subcode that says why. */
  dead?: number;
}
interface Code {
  readonly person: Person;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly until: number;
  used: boolean;
}

const SHORT_MS = 2 * 60 * 60_000;
const LONG_MS = 60 * 24 * 60 * 60_000;
const CODE_MS = 10 * 60_000;
/** How long data may be read after the person agreed. */
const DATA_MS = 90 * 24 * 60 * 60_000;

/** What people agreed to, and the tokens there are. */
export class Consents {
  readonly tokens = new Map<string, Token>();
  readonly #codes = new Map<string, Code>();
  /** Who sits before the consent page, and what they do there. */
  visitor: { person: Person; agrees: boolean; refuses: readonly string[] };
  /** Whether an exchange says how long its token lives. */
  tells_expiry = true;

  constructor(readonly world: World, readonly now: () => number) {
    this.visitor = { person: world.people[0]!, agrees: true, refuses: [] };
  }

  /** A token as if a person had connected. */
  issue(person: Person, scopes: readonly string[], life_ms: number): string {
    const text = `EAAB${crypto.randomUUID().replaceAll("-", "")}${crypto.randomUUID().replaceAll("-", "")}`;
    const now = this.now();
    this.tokens.set(text, { person, scopes, issued_at: now, expires_at: now + life_ms });
    return text;
  }

  /** The consent page: sends the visitor's browser back with their answer. */
  dialog(query: URLSearchParams): Response {
    only(query, ["client_id", "redirect_uri", "state", "response_type", "scope", "auth_type"]);
    const [client, to] = [query.get("client_id"), query.get("redirect_uri") ?? ""];
    if (client !== this.world.app.id) throw new Refusal(101, "Error validating application");
    if (!/^https?:\/\//.test(to)) throw bad("redirect_uri is not an absolute address");
    const back = new URL(to);
    back.searchParams.set("state", query.get("state") ?? "");
    const { person, agrees, refuses } = this.visitor;
    if (!agrees) {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_reason", "user_denied");
      back.searchParams.set("error_description", "Permissions error");
      return redirect(`${back}#_=_`);
    }
    const asked = (query.get("scope") ?? "").split(/[, ]+/).filter(Boolean);
    const scopes = ["public_profile", ...asked.filter((one) => !refuses.includes(one))];
    const code = crypto.randomUUID();
    this.#codes.set(code, { person, redirect_uri: to, scopes, until: this.now() + CODE_MS, used: false });
    back.searchParams.set("code", code);
    return redirect(`${back}#_=_`);
  }

  /** A code for a token that lives shortly, or such a token for one that lives long. */
  exchange(query: URLSearchParams): Response {
    const long = query.get("grant_type") === "fb_exchange_token";
    only(
      query,
      long
        ? ["grant_type", "client_id", "client_secret", "fb_exchange_token"]
        : ["client_id", "client_secret", "redirect_uri", "code"],
    );
    const { app } = this.world;
    if (query.get("client_id") !== app.id) throw new Refusal(101, "Error validating application");
    if (query.get("client_secret") !== app.secret) throw new Refusal(1, "Error validating client secret.");
    const [person, scopes] = long ? this.#ofToken(query) : this.#ofCode(query);
    const life = long ? LONG_MS : SHORT_MS;
    const access_token = this.issue(person, scopes, life);
    return json({
      access_token,
      token_type: "bearer",
      ...(this.tells_expiry ? { expires_in: Math.round(life / 1000) - 56 } : {}),
    });
  }

  #ofToken(query: URLSearchParams): [Person, readonly string[]] {
    const { person, scopes } = this.valid(query.get("fb_exchange_token") ?? "");
    return [person, scopes];
  }

  #ofCode(query: URLSearchParams): [Person, readonly string[]] {
    const code = this.#codes.get(query.get("code") ?? "");
    if (code === undefined) throw bad("Invalid verification code format.");
    if (code.used) throw bad("This authorization code has been used.", 36009);
    if (code.until <= this.now()) throw bad("This authorization code has expired.", 36007);
    if (code.redirect_uri !== query.get("redirect_uri")) {
      throw bad(
        "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in " +
          "the OAuth dialog request",
        36008,
      );
    }
    code.used = true;
    return [code.person, code.scopes];
  }

  /** What a token is, told to the app itself. */
  debug(query: URLSearchParams, bearer: string | null): Response {
    only(query, ["input_token", "access_token"]);
    const { app } = this.world;
    const asker = query.get("access_token") ?? bearer;
    if (asker !== `${app.id}|${app.secret}`) throw new Refusal(190, "Invalid OAuth access token signature.");
    const token = this.tokens.get(query.get("input_token") ?? "");
    if (token === undefined) {
      return json({
        data: { is_valid: false, scopes: [], error: { code: 190, message: "Malformed access token" } },
      });
    }
    const seconds = (ms: number) => Math.floor(ms / 1000);
    return json({
      data: {
        app_id: app.id,
        application: app.name,
        type: "USER",
        user_id: token.person.id,
        is_valid: token.dead === undefined && token.expires_at > this.now(),
        issued_at: seconds(token.issued_at),
        expires_at: seconds(token.expires_at),
        data_access_expires_at: seconds(token.issued_at + DATA_MS),
        scopes: token.scopes,
      },
    });
  }

  /** The token of that text, if it can be used. */
  valid(text: string): Token {
    const token = this.tokens.get(text);
    if (token === undefined) throw new Refusal(190, "Invalid OAuth access token - Cannot parse access token");
    if (token.dead !== undefined) {
      throw new Refusal(190, "Error validating access token: The session has been invalidated", {
        subcode: token.dead,
      });
    }
    if (token.expires_at <= this.now()) {
      const at = new Date(token.expires_at).toUTCString();
      throw new Refusal(190, `Error validating access token: Session has expired on ${at}`, { subcode: 463 });
    }
    return token;
  }

  /** Refuses a wrong proof that the app's secret is known, and a missing one where the app demands it. */
  proven(text: string, proof: string | null, demanded: boolean): void {
    if (proof === null) {
      if (demanded) throw bad("API calls from the server require an appsecret_proof argument");
      return;
    }
    const right = createHmac("sha256", this.world.app.secret).update(text).digest("hex");
    if (proof !== right) throw bad("Invalid appsecret_proof provided in the API argument");
  }
}
