/** Connecting accounts in tests: a gateway over the stand-in of the authorization server, and browsers without a screen. */
import assert from "node:assert/strict";
import { type Accounts, startAccounts } from "../../sandbox/google_accounts/start.ts";
import type { ConnectionKind, ConnectionView, Ended } from "../../identity/connections/connections.ts";
import type { User } from "../../core/model.ts";
import { gateway, type Kit, type KitOptions, MASTER, NOW } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** Where the kit's gateway is reached. */
export const BASE = "http://127.0.0.1:8000";
export const CALLBACK = `${BASE}/connect/callback`;

/** An answer of the admin API; what of it there is, a test knows. */
export interface AdminAnswer {
  readonly status: number;
  readonly result: {
    readonly link: string;
    readonly rights: string[];
    readonly connections: ConnectionView[];
    readonly kinds: ConnectionKind[];
  } & Ended;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A gateway whose accounts are the stand-in's, with two users. */
export interface World extends AsyncDisposable {
  readonly gw: Kit;
  readonly accounts: Accounts;
  readonly ann: User;
  readonly bob: User;
  /** One call of the admin API. */
  admin(method: string, path: string, body?: unknown): Promise<AdminAnswer>;
  /** A new link for that user. */
  link(user: User, scopes?: readonly string[]): Promise<string>;
}

/** Opens it. */
export async function world(options: KitOptions = {}): Promise<World> {
  const accounts = startAccounts({ now: (): number => gw?.clock.now ?? NOW });
  accounts.client.redirect_uris.push(CALLBACK);
  const gw: Kit = await gateway({
    ...options,
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    settings: { ...options.settings, upstream: { ...accounts.env, ...options.settings?.upstream } },
  });
  const user = async (name: string) => {
    const made = await gw.store.users.create({
      email: `${name}@gateway.example`,
      role: "member",
      allowed_sites: ["*"],
      max_risk: 4,
    });
    assert.ok(made);
    return made;
  };
  const admin: World["admin"] = async (method, path, body) => {
    const response = await gw.http(`/admin/api/${path}`, {
      method,
      as: null,
      headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...await response.json() };
  };
  return {
    gw,
    accounts,
    ann: await user("ann"),
    bob: await user("bob"),
    admin,
    async link({ id }, scopes) {
      const { result, error } = await admin("POST", "connections", { user: id, kind: "google", scopes });
      assert.equal(error, undefined);
      return result.link;
    },
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await accounts.stop();
    },
  };
}

/** A page that a browser was shown. */
export interface Shown {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly title: string;
}

/** What a person does at the consent page. */
export interface Choice {
  readonly answer?: "allow" | "deny";
  readonly account?: string;
  /** The scopes left ticked, by the end of their addresses; all of them where it is left out. */
  readonly tick?: readonly string[];
}

/** A browser as far as this needs one: cookies by path, redirects followed, forms filled in. */
export class Browser {
  readonly #cookies = new Map<string, { value: string; path: string }>();
  /** The cookies it was given, as they were written. */
  readonly given: string[] = [];

  constructor(
    private readonly gw: Pick<Kit, "http">,
    private readonly headers: Record<string, string> = { "sec-fetch-mode": "navigate" },
  ) {}

  /** Opens an address, wherever it leads. */
  async open(url: string): Promise<Shown> {
    for (let hops = 0; hops < 5; hops++) {
      const response = await this.#get(url);
      const to = response.headers.get("location");
      if (to === null) return await shown(response, url);
      await response.body?.cancel();
      url = new URL(to, url).href;
    }
    throw new Error("redirected without end");
  }

  /** Opens a link and goes on to the consent page. */
  async begin(link: string): Promise<Shown> {
    const page = await this.open(link);
    const next = /<a href="([^"]+)"/.exec(page.text)?.[1];
    assert.ok(next, `${page.title}: nowhere to go`);
    return await this.open(new URL(next, link).href);
  }

  /** Answers the consent page; the address that leads back is not opened yet. */
  async answer(consent: Shown, { answer = "allow", account, tick }: Choice = {}): Promise<string> {
    const form = new URLSearchParams();
    form.set("request", /name="request" value="([^"]+)"/.exec(consent.text)![1]!);
    form.set("account", account ?? /name="account" value="([^"]+)"/.exec(consent.text)![1]!);
    for (const [, scope] of consent.text.matchAll(/name="scope" value="([^"]+)"/g)) {
      if (tick === undefined || tick.some((end) => scope!.endsWith(end))) form.append("scope", scope!);
    }
    form.set("answer", answer);
    const response = await fetch(
      new URL("/consent", consent.url),
      { method: "POST", body: form, redirect: "manual" },
    );
    await response.body?.cancel();
    const to = response.headers.get("location");
    assert.ok(to, `the consent page answered ${response.status}`);
    return to;
  }

  /** The whole way. */
  async connect(link: string, choice: Choice = {}): Promise<Shown> {
    return await this.open(await this.answer(await this.begin(link), choice));
  }

  async #get(url: string): Promise<Response> {
    if (!url.startsWith(`${BASE}/`)) return await fetch(url, { redirect: "manual" });
    const path = url.slice(BASE.length);
    const cookie = [...this.#cookies].filter(([, one]) => path.startsWith(one.path))
      .map(([name, { value }]) => `${name}=${value}`).join("; ");
    const response = await this.gw.http(
      path,
      { as: null, headers: { ...this.headers, ...(cookie === "" ? {} : { cookie }) }, redirect: "manual" },
    );
    for (const line of response.headers.getSetCookie()) {
      this.given.push(line);
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.#cookies.set(name!, { value: value!, path: /; Path=([^;]+)/.exec(line)?.[1] ?? "/" });
    }
    return response;
  }
}

async function shown(response: Response, url: string): Promise<Shown> {
  const text = await response.text();
  return { status: response.status, url, text, title: /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? "" };
}

/** A test in such a world of its own. */
export const test = scenes(() => world());
