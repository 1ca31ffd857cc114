/** OAuth in tests: a gateway, a person who has signed in, and a client that goes the whole way without a browser. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { User } from "../../core/model.ts";
import type { UserInput } from "../../store/store.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** Where the kit's gateway is reached. */
export const BASE = "http://127.0.0.1:8000";
export const REDIRECT = "https://client.example/callback";
export const VERIFIER = "verifier-of-the-tests-0123456789-abcdefghijklmnop";
export const CHALLENGE = hash("sha256", VERIFIER, "base64url");
const CSRF = "csrf-of-the-tests";

/** An answer as JSON, with its status. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** What a client is given. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly token_type: string;
  readonly scope: string;
}

/** A gateway with a person at a browser. */
export interface World extends AsyncDisposable {
  readonly gw: Kit;
  readonly user: User;
  /** Set to null for a browser in which nobody has signed in. */
  who: User | null;
  /** One request of a browser; nothing is followed. */
  browse(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, form: Record<string, string> | URLSearchParams | string): Promise<Answered>;
  register(metadata?: Record<string, unknown>): Promise<Answered>;
  /** The address of a request, what it holds changed by `more`; undefined leaves out. */
  address(client_id: string, more?: Record<string, string | undefined>): string;
  /** Opens the request and answers its form. */
  consent(address: string, choice?: Record<string, string | string[]>): Promise<Response>;
  /** The code that the person's yes gives. */
  code(client_id: string, more?: Record<string, string | undefined>): Promise<string>;
  exchange(client_id: string, code: string, more?: Record<string, string>): Promise<Answered>;
  refresh(client_id: string, refresh_token: string, more?: Record<string, string>): Promise<Answered>;
  /** The whole way with a client of its own. */
  connect(choice?: Record<string, string | string[]>): Promise<Tokens & { client_id: string }>;
  /** A request with an access token. */
  with(token: string, path: string, init?: RequestInit): Promise<Answered>;
}

/** Opens it, with the sites acme and other; the person may use both up to `grants`. */
export async function oauth(options: KitOptions = {}, grants: UserInput = {}): Promise<World> {
  const people = new Map<string, User | null>();
  const gw = await gateway({
    sites: [site("acme", "cms"), site("other", "cms")],
    ...options,
    signedIn: async () => {
      const now = people.get("now") ?? null;
      const user = now && await gw.store.users.get(now.id);
      return user && { user, session_id: "session", csrf: CSRF };
    },
  });
  const made = await gw.store.users.create({
    email: "ann@gateway.example",
    role: "member",
    allowed_sites: ["*"],
    max_risk: 3,
    ...grants,
  });
  assert.ok(made);
  people.set("now", made);
  const json = async (response: Response): Promise<Answered> => {
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const world: World = {
    gw,
    user: made,
    get who() {
      return people.get("now") ?? null;
    },
    set who(user) {
      people.set("now", user);
    },
    browse: (path, init = {}) => gw.http(path.replace(BASE, ""), { redirect: "manual", as: null, ...init }),
    async post(path, form) {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const body = String(
        form instanceof URLSearchParams || typeof form === "string" ? form : new URLSearchParams(form),
      );
      return await json(await gw.http(path, { method: "POST", as: null, headers, body }));
    },
    async register(metadata = {}) {
      return await json(
        await gw.http("/oauth/register", {
          method: "POST",
          as: null,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ client_name: "Helper", redirect_uris: [REDIRECT], ...metadata }),
        }),
      );
    },
    address(client_id, more = {}) {
      const query = {
        response_type: "code",
        client_id,
        redirect_uri: REDIRECT,
        state: "state-1",
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
        resource: `${BASE}/mcp`,
        ...more,
      };
      const given = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string][];
      return `/oauth/authorize?${new URLSearchParams(given)}`;
    },
    async consent(address, choice = {}) {
      const page = await (await world.browse(address)).text();
      return await world.browse(address, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", origin: BASE },
        body: filledIn(page, choice),
      });
    },
    async code(client_id, more) {
      const response = await world.consent(world.address(client_id, more));
      assert.equal(response.status, 303, await response.text());
      const code = new URL(response.headers.get("location")!).searchParams.get("code");
      assert.ok(code);
      return code;
    },
    exchange: (client_id, code, more = {}) =>
      world.post("/oauth/token", {
        grant_type: "authorization_code",
        client_id,
        code,
        redirect_uri: REDIRECT,
        code_verifier: VERIFIER,
        ...more,
      }),
    refresh: (client_id, refresh_token, more = {}) =>
      world.post("/oauth/token", { grant_type: "refresh_token", client_id, refresh_token, ...more }),
    async connect(choice = {}) {
      const { client_id } = (await world.register()).body;
      const response = await world.consent(world.address(client_id), choice);
      const code = new URL(response.headers.get("location")!).searchParams.get("code")!;
      const { status, body } = await world.exchange(client_id, code);
      assert.equal(status, 200, JSON.stringify(body));
      return { ...body, client_id };
    },
    async with(token, path, init = {}) {
      const headers = { ...init.headers, authorization: `Bearer ${token}` };
      return await json(await gw.http(path, { ...init, as: null, headers }));
    },
    [Symbol.asyncDispose]: () => gw[Symbol.asyncDispose](),
  };
  return world;
}

/**
 * The form of a page as a person sends it: what is ticked, the sites `acme` where nothing is said, a client that confirms
 * its changes itself, and a yes.
 */
export function filledIn(page: string, choice: Record<string, string | string[]> = {}): URLSearchParams {
  const form = new URLSearchParams();
  for (const [tag] of page.matchAll(/<input [^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(tag)?.[1];
    const value = /value="([^"]*)"/.exec(tag)?.[1] ?? "on";
    const sent = !/type="(checkbox|radio)"/.test(tag) || /\bchecked\b/.test(tag);
    if (name !== undefined && sent) form.append(name, value);
  }
  for (const [, name, options] of page.matchAll(/<select[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g)) {
    const chosen = /value="([^"]*)"\s+selected/.exec(options!)?.[1];
    if (chosen !== undefined) form.set(name!, chosen);
  }
  for (
    const [name, value] of Object.entries({ sites: "acme", confirm_policy: [], answer: "allow", ...choice })
  ) {
    form.delete(name);
    for (const one of [value].flat()) form.append(name, one);
  }
  return form;
}

/** Says yes on the page of consent at an address, and answers where the browser is led; nothing is followed. */
export async function allowed(page: URL, choice: Record<string, string | string[]> = {}): Promise<URL> {
  const body = filledIn(await (await fetch(page)).text(), choice);
  const init = { method: "POST", body, headers: { origin: page.origin }, redirect: "manual" } as const;
  const response = await fetch(page, init);
  const said = await response.text();
  assert.equal(response.status, 303, said);
  return new URL(response.headers.get("location")!);
}

/** A test in such a world of its own. */
export const test = scenes(() => oauth());
