/** Who looks at a page: a person with a session, whoever signed in with the master token, or somebody without; and the proof that a form is one of ours. */
import { hash, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { parse } from "hono/utils/cookie";
import { bodyError, readText } from "../core/body.ts";
import { GatewayError } from "../core/errors.ts";
import { LIMITS, PEOPLE_LIMITS, type User } from "../core/model.ts";
import type { PersonSession, SessionMark, SignInMethod, Store } from "../store/store.ts";
import { assertOwnPages } from "./origin.ts";
import { type AdminCaller, callerOfPerson, MASTER } from "./rights.ts";

/** Name of the cookie of a person's session; over https with the prefix `__Host-`. */
const PERSON_COOKIE = "gateway_person";
/** Name of the cookie that forms of somebody without a session are bound to. */
const FORM_COOKIE = "gateway_form";
/** Name, before that of a user, of the cookie that a browser is known by from which the user has signed in. */
const DEVICE_COOKIE = "gateway_device";
/** Field of a form that proves that one of our pages made it, for this browser. */
export const CSRF_FIELD = "csrf";
const RANDOM_BYTES = 32;

/** Somebody at a browser. */
export interface Visitor {
  /** Who has signed in; null for somebody who has not, and for the master token. */
  readonly user: User | null;
  /** With whose rights what is done here is done; null for somebody who has not signed in. */
  readonly caller: AdminCaller | null;
  readonly session: PersonSession | null;
  /** What a form of this browser must carry. */
  readonly csrf: string;
}

/** Somebody who has signed in: a person, or whoever holds the master token. */
export interface Person extends Visitor {
  readonly caller: AdminCaller;
}

/** A person, who has an account of his or her own. */
export interface AccountHolder extends Person {
  readonly user: User;
  readonly session: PersonSession;
  /** The id of the session. */
  readonly session_id: string;
}

/** Whether it is a person, who has an account; the master token has none. */
export const isAccountHolder = (person: Person): person is AccountHolder =>
  person.user !== null && person.session !== null;

/** Sessions that were begun with the master token. */
export interface MasterSessions {
  /** What the cookie of a valid one holds; null without one. */
  of(request: Request): Promise<string | null>;
  /** Ends the one of this browser, and takes its cookie back. */
  end(c: Context): Promise<void>;
}

/** Who has just proven to be a user, and the mark of the user's sessions before that was judged. */
export interface SignedIn {
  readonly user: User;
  readonly mark: SessionMark;
}

/** What visitors are known by. */
export interface VisitorPorts {
  readonly store: Pick<Store, "personSessions" | "users" | "devices">;
  /** Where people reach the gateway, without a trailing slash. */
  readonly baseUrl: string;
  /** Left out where the master token is nobody. */
  readonly master?: MasterSessions;
}

/** Knows visitors by their cookies. */
export class Visitors {
  readonly #secure: boolean;

  constructor(private readonly ports: VisitorPorts) {
    this.#secure = new URL(ports.baseUrl).protocol === "https:";
  }

  /** Who sends this; gives somebody without a session a cookie for forms. */
  async visit(c: Context): Promise<Visitor> {
    const person = await this.signedIn(c.req.raw);
    if (person !== null) return person;
    const known = this.#read(c.req.raw, FORM_COOKIE);
    const secret = known ?? randomText();
    if (known === undefined) this.#write(c, FORM_COOKIE, secret);
    return { user: null, caller: null, session: null, csrf: csrfOf(secret) };
  }

  /** Who has signed in, with the master token or as a person; null for somebody who has not. Sets no cookie. */
  async signedIn(request: Request): Promise<Person | null> {
    const text = await this.ports.master?.of(request) ?? null;
    if (text === null) return await this.person(request);
    return { user: null, caller: MASTER, session: null, csrf: csrfOf(text) };
  }

  /** The person who has signed in; null for somebody who has not. Sets no cookie. */
  async person(request: Request): Promise<AccountHolder | null> {
    const text = this.#read(request, PERSON_COOKIE);
    return text === undefined ? null : await this.#person(text);
  }

  /**
   * The fields of a form. Throws E_FORBIDDEN unless one of our pages made it for this browser, E_PAYLOAD_TOO_LARGE,
   * E_BAD_INPUT where it is no form.
   */
  async form(c: Context, visitor: Visitor): Promise<URLSearchParams> {
    const form = await this.#readForm(c, PEOPLE_LIMITS.FORM_BYTES, false);
    if (this.isOwn(form, visitor)) return form;
    throw tooOld();
  }

  /**
   * The fields of a form that a page of ours has sent, as the browser says, made for whichever session: what was typed can be
   * shown again, and nothing may be done with it before `isOwn` says so. Throws what `form` does. Without `proof` a browser
   * that says nothing of where it comes from is let through, for what `isOwn` judges.
   */
  async fields(c: Context, limit: number, proof = true): Promise<URLSearchParams> {
    return await this.#readForm(c, limit, proof);
  }

  /** Whether one of our pages made the form for this browser, as it is signed in now. */
  isOwn(form: URLSearchParams, visitor: Visitor): boolean {
    return isSame(form.get(CSRF_FIELD) ?? "", visitor.csrf);
  }

  async #readForm(c: Context, limit: number, proof: boolean): Promise<URLSearchParams> {
    assertOwnPages(c, this.ports.baseUrl, proof);
    const type = (c.req.header("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
    if (type !== "application/x-www-form-urlencoded") {
      throw new GatewayError("E_BAD_INPUT", "Content-Type: expected application/x-www-form-urlencoded");
    }
    const read = await readText(c.req.raw, limit);
    if ("fault" in read) throw bodyError(read, limit);
    return new URLSearchParams(read.text);
  }

  /**
   * Begins a session under a new cookie; the one the browser had, if any, ends. Throws E_AUTH where all sessions of the
   * user were ended since the mark.
   */
  async signIn(c: Context, { user, mark }: SignedIn, method: SignInMethod): Promise<void> {
    await this.#endOwn(c);
    const agent = c.req.header("user-agent") ?? "";
    const made = await this.ports.store.personSessions.create({ user_id: user.id, method, agent }, mark);
    if (made === null) {
      throw new GatewayError("E_AUTH", "You were signed out everywhere at this moment; sign in again");
    }
    this.#write(c, PERSON_COOKIE, made.text, LIMITS.SESSION_MS / 1000);
    this.#write(
      c,
      deviceCookie(user.id),
      this.ports.store.devices.create(user.id),
      PEOPLE_LIMITS.DEVICE_MS / 1000,
    );
    this.#forget(c, FORM_COOKIE);
  }

  /** The name of the browser where that user has signed in from it before; else null. */
  deviceOf(request: Request, user_id: string): string | null {
    const text = this.#read(request, deviceCookie(user_id));
    return text === undefined ? null : this.ports.store.devices.find(text, user_id);
  }

  /** Ends the session of this browser, and takes its cookies back, but for the one that it is known by. */
  async signOut(c: Context): Promise<void> {
    await this.#endOwn(c);
    this.#forget(c, PERSON_COOKIE);
    this.#forget(c, FORM_COOKIE);
  }

  /** Ends the session that a person has in this browser. */
  async signOutPerson(c: Context): Promise<void> {
    await this.#endPerson(c);
    this.#forget(c, PERSON_COOKIE);
    this.#forget(c, FORM_COOKIE);
  }

  async #endOwn(c: Context): Promise<void> {
    await this.ports.master?.end(c);
    await this.#endPerson(c);
  }

  async #endPerson(c: Context): Promise<void> {
    const text = this.#read(c.req.raw, PERSON_COOKIE);
    const session = text === undefined ? null : await this.ports.store.personSessions.find(text);
    if (session !== null) await this.ports.store.personSessions.end(session.user_id, session.id);
  }

  async #person(text: string): Promise<AccountHolder | null> {
    const session = await this.ports.store.personSessions.find(text);
    const user = session && await this.ports.store.users.get(session.user_id);
    return session && user &&
      { user, caller: callerOfPerson(user), session, session_id: session.id, csrf: csrfOf(text) };
  }

  #read(request: Request, name: string): string | undefined {
    const full = this.#secure ? `__Host-${name}` : name;
    return parse(request.headers.get("cookie") ?? "", full)[full] || undefined;
  }

  #write(c: Context, name: string, value: string, maxAge?: number): void {
    // Lax: a client that leads its person to a consent page comes from another site.
    setCookie(c, name, value, { httpOnly: true, sameSite: "Lax", maxAge, ...this.#place() });
  }

  #forget(c: Context, name: string): void {
    deleteCookie(c, name, this.#place());
  }

  /** With the prefix a browser takes a cookie from this host alone, not from a sibling of it. */
  #place() {
    return this.#secure ? { prefix: "host", path: "/", secure: true } as const : { path: "/" } as const;
  }
}

/** A form that no page of ours has made for this session. */
export const tooOld = (): GatewayError =>
  new GatewayError(
    "E_FORBIDDEN",
    "The form is too old, or was made for another browser; go back, reload the page and send it again",
  );

/** Made of the cookie, which scripts cannot read, so that no record of it is needed. */
function csrfOf(secret: string): string {
  return hash("sha256", `form\n${secret}`, "base64url");
}

/** Each user has one of their own, so that several can share a browser; it does not say who. */
const deviceCookie = (user_id: string) => `${DEVICE_COOKIE}_${hash("sha256", user_id).slice(0, 16)}`;

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(one), digest(other));
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
