/** Who may use the admin API: the master token, a session that was opened with it, or a person who has signed in. */
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { parse } from "hono/utils/cookie";
import { isSecret } from "../core/credentials.ts";
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import { loginBody } from "./bodies.ts";
import { answer, bodyText, jsonObject, mediaType } from "./exchange.ts";
import { assertOwnPages } from "../identity/origin.ts";
import { checked } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { type AdminCaller, admit, callerOfPerson, MASTER } from "../identity/rights.ts";
import { type MasterSessions, Visitors } from "../identity/visitors.ts";
import { isLoopback } from "../core/env_values.ts";
import { NOBODY } from "../identity/rights.ts";

/** Name of the session cookie. */
export const SESSION_COOKIE = "gateway_session";
const COOKIE_PATH = "/admin";
const MINUTE_MS = 60_000;

/** Signing in with the master token, and the sessions that begin so. */
export interface MasterSignIn extends MasterSessions {
  /** Begins a session; answers when it ends, ISO 8601. Throws E_AUTH, E_RATE_LIMITED. */
  signIn(c: Context, token: string): Promise<string>;
  /** Ends every session of the master token. */
  endAll(c: Context): Promise<void>;
}

/** The way in and out, and the check before every route of the API. */
export interface AdminGate {
  readonly master: MasterSignIn;
  readonly login: (c: Context) => Promise<Response>;
  readonly logout: (c: Context) => Promise<Response>;
  /** Throws E_AUTH, E_RATE_LIMITED, E_FORBIDDEN (a change by cookie from elsewhere, or more than a person may), E_BAD_INPUT (and not as JSON). */
  readonly check: MiddlewareHandler;
}

/** Makes the gate. */
export function adminGate(ports: AdminPorts): AdminGate {
  const matches = isSecret(ports.masterToken);
  const wrong = wrongAttempts(ports);
  const callers = callersOf(ports, matches, wrong);
  const master = masterSignIn(ports, matches, wrong);
  return {
    master,
    login: async (c) => {
      assertOwnPages(c, ports.baseUrl, false);
      return answer(c, { expires_at: await master.signIn(c, await presented(c.req.raw)) });
    },
    logout: async (c) => {
      assertOwnPages(c, ports.baseUrl, false);
      await master.end(c);
      return answer(c, {});
    },
    check: async (c, next) => {
      const header = c.req.header("authorization");
      admit(c, header !== undefined ? await callers.byBearer(header) : await callers.byCookie(c));
      await next();
    },
  };
}

function masterSignIn(
  ports: AdminPorts,
  matches: (token: string) => boolean,
  wrong: Wrong,
): MasterSignIn {
  const { store: { sessions }, masterToken } = ports;
  const of: MasterSignIn["of"] = async (request) => {
    const text = parse(request.headers.get("cookie") ?? "", SESSION_COOKIE)[SESSION_COOKIE];
    return text && await sessions.valid(text, masterToken) ? text : null;
  };
  return {
    of,
    async signIn(c, token) {
      if (!matches(token)) {
        await wrong();
        throw new GatewayError("E_AUTH", "That is not the master token");
      }
      const text = await sessions.create(LIMITS.MASTER_SESSION_MS, masterToken);
      await ports.record(MASTER.actor, "session.sign_in", { method: "master token" });
      setCookie(c, SESSION_COOKIE, text, { ...flags(ports), maxAge: LIMITS.MASTER_SESSION_MS / 1000 });
      return new Date(ports.now() + LIMITS.MASTER_SESSION_MS).toISOString();
    },
    async end(c) {
      const text = await of(c.req.raw);
      if (text !== null) {
        await sessions.end(text, masterToken);
        await ports.record(MASTER.actor, "session.sign_out", {});
      }
      if (getCookie(c, SESSION_COOKIE) !== undefined) deleteCookie(c, SESSION_COOKIE, flags(ports));
    },
    async endAll(c) {
      await sessions.endAll();
      await ports.record(MASTER.actor, "session.end", { sessions: "all of the master token" });
      deleteCookie(c, SESSION_COOKIE, flags(ports));
    },
  };
}

/** Who sends a request, by what it proves: the master token, its session, or a person's. */
function callersOf(ports: AdminPorts, matches: (token: string) => boolean, wrong: Wrong) {
  const visitors = new Visitors(ports);
  return { byBearer, byCookie };

  async function byBearer(header: string): Promise<AdminCaller> {
    const token = /^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? "";
    if (matches(token)) return MASTER;
    await wrong();
    const known = token.startsWith(`${ports.tokenPrefix}_`) || token.startsWith("oat_");
    throw new GatewayError(
      "E_AUTH",
      known
        ? "That token calls tools; the admin API needs the master token"
        : "The Authorization header does not hold the master token (Bearer <MASTER_TOKEN>)",
    );
  }

  async function byCookie(c: Context): Promise<AdminCaller> {
    const text = getCookie(c, SESSION_COOKIE);
    const caller = text && await ports.store.sessions.valid(text, ports.masterToken)
      ? MASTER
      : await ofPerson(c, Boolean(text));
    if (c.req.method === "GET" || c.req.method === "HEAD") return caller;
    assertOwnPages(c, ports.baseUrl, true);
    if (mediaType(c.req.raw) !== "application/json") {
      throw new GatewayError("E_BAD_INPUT", "Content-Type: a change by cookie is sent as application/json");
    }
    return caller;
  }

  async function ofPerson(c: Context, had: boolean): Promise<AdminCaller> {
    const person = await visitors.person(c.req.raw);
    if (person !== null) return callerOfPerson(person.user);
    throw new GatewayError(
      "E_AUTH",
      had
        ? "The session has ended; sign in again"
        : "Send Authorization: Bearer <MASTER_TOKEN>, or sign in first",
    );
  }
}

function flags(ports: AdminPorts) {
  const secure = !isLoopback(new URL(ports.baseUrl).hostname);
  return { httpOnly: true, sameSite: "Strict", secure, path: COOKIE_PATH } as const;
}

/** Counts a wrong credential. Throws E_RATE_LIMITED. */
type Wrong = () => Promise<void>;

/**
 * Counts wrong credentials; throws E_RATE_LIMITED where a minute holds too many already, and the first of those is
 * audited. Only wrong ones are counted and refused: a master token has 32 characters or more and is not found by trying,
 * whereas an operator locked out by somebody else's attempts would be harmed.
 */
function wrongAttempts({ now, record }: Pick<AdminPorts, "now" | "record">): Wrong {
  let times: number[] = [];
  let told = -Infinity;
  return async () => {
    const at = now();
    times = times.filter((time) => Math.abs(at - time) < MINUTE_MS);
    if (times.length < LIMITS.LOGIN_ATTEMPTS_PER_MINUTE) return void times.push(at);
    if (Math.abs(at - told) >= MINUTE_MS) {
      told = at;
      const ending = { status: "denied", error: "E_RATE_LIMITED" } as const;
      await record(NOBODY, "session.sign_in", { method: "master token" }, ending);
    }
    const seconds = Math.max(1, Math.ceil((times[0]! + MINUTE_MS - at) / 1000));
    throw new GatewayError("E_RATE_LIMITED", `Too many wrong credentials; try again in ${seconds} s`, {
      retryAfter: seconds,
    });
  };
}

/** The master token in a login, sent as JSON or as a form: anybody may send one, so little of it is read. */
async function presented(request: Request): Promise<string> {
  switch (mediaType(request)) {
    case "application/json":
      return checked(loginBody, await jsonObject(request, LIMITS.LOGIN_BODY_BYTES)).master_token;
    case "application/x-www-form-urlencoded":
      return checked(
        loginBody,
        Object.fromEntries(new URLSearchParams(await bodyText(request, LIMITS.LOGIN_BODY_BYTES))),
      ).master_token;
    default:
      throw new GatewayError(
        "E_BAD_INPUT",
        "Content-Type: expected application/json or application/x-www-form-urlencoded",
      );
  }
}
