/** People in tests: users who are invited and sign in, and browsers without a screen. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import type { UserInput } from "../../store/store.ts";
import { acceptKeys } from "../../store/maintenance.ts";
import { gateway, type Kit, MASTER, NOW } from "../kit.ts";

export const BASE = "http://127.0.0.1:8000";
/** A passphrase that may be chosen. */
export const PASSPHRASE = "seven green lamps hum";

/** A page as a browser was given it. */
export interface Shown {
  readonly status: number;
  /** Where the browser is now, without the origin. */
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly title: string;
}

/** What else a browser sends. */
export interface SendOptions {
  readonly headers?: Record<string, string>;
  /** Left as it is: an answer that leads on is not followed. */
  readonly stay?: boolean;
}

/** A browser as far as these tests need one: cookies, forms with the proof of the page they stand on, redirects. */
export class PersonBrowser {
  readonly cookies = new Map<string, string>();
  /** The cookies it was given, as they were written. */
  readonly given: string[] = [];
  /** The page it shows. */
  page: Shown | null = null;

  constructor(private readonly gw: Pick<Kit, "http">) {}

  /** Opens an address, wherever it leads. */
  async open(path: string, options: SendOptions = {}): Promise<Shown> {
    return await this.#send(path.replace(BASE, ""), { headers: options.headers }, options);
  }

  /** Sends a form of the page it shows: the first whose action that is, or a button's of it, with the fields it has and those given. */
  async submit(
    action: string,
    fields: Record<string, string | readonly string[]>,
    options: SendOptions = {},
  ): Promise<Shown> {
    const forms = [...(this.page?.text ?? "").matchAll(/<form[^>]*action="([^"]*)"[\s\S]*?<\/form>/g)];
    const form = forms.find(([, to]) => unescaped(to!) === action) ??
      forms.find(([text]) => text.includes(`formaction="${action}"`));
    assert.ok(form, `${this.page?.path} has no form to ${action}`);
    const body = new URLSearchParams();
    for (const [, name, value] of form[0].matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
      body.set(name!, unescaped(value!));
    }
    // Boxes that are ticked, and belong to the form from elsewhere on the page.
    const id = /^<form[^>]* id="([^"]*)"/.exec(form[0])?.[1];
    for (const [box] of this.page!.text.matchAll(/<input type="checkbox"[^>]*>/g)) {
      const of = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(box)?.[1];
      if (id === undefined || of("form") !== id || of("checked") === undefined) continue;
      body.append(of("name")!, unescaped(of("value")!));
    }
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name);
      for (const one of typeof value === "string" ? [value] : value) body.append(name, one);
    }
    return await this.post(action, body, options);
  }

  /** Sends fields as they are. */
  async post(path: string, body: URLSearchParams, options: SendOptions = {}): Promise<Shown> {
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      origin: BASE,
      "sec-fetch-site": "same-origin",
      ...options.headers,
    };
    return await this.#send(path, { method: "POST", headers, body: body.toString() }, options);
  }

  /** A call of the admin API with the cookies. */
  async api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await this.gw.http(`/admin/api/${path}`, {
      method,
      as: null,
      headers: { "content-type": "application/json", origin: BASE, cookie: this.#cookie(), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { result, error } = await response.json();
    return { status: response.status, result, error } as ApiAnswer;
  }

  /** The way of somebody who signs in. */
  async signIn(email: string, passphrase: string = PASSPHRASE): Promise<Shown> {
    await this.open("/admin/sign-in");
    return await this.submit("/admin/sign-in", { email, passphrase });
  }

  /** The way of somebody who was invited. */
  async join(link: string, passphrase: string = PASSPHRASE): Promise<Shown> {
    await this.open(link);
    return await this.submit(link.replace(BASE, ""), { passphrase, again: passphrase });
  }

  /** Its cookies, in another browser. */
  stolen(): PersonBrowser {
    const thief = new PersonBrowser(this.gw);
    for (const [name, value] of this.cookies) thief.cookies.set(name, value);
    return thief;
  }

  #cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async #send(path: string, init: RequestInit, { stay = false }: SendOptions): Promise<Shown> {
    for (let hops = 0; hops < 5; hops++) {
      const headers = { ...init.headers as Record<string, string>, cookie: this.#cookie() };
      const response = await this.gw.http(path, { ...init, as: null, headers });
      for (const line of response.headers.getSetCookie()) {
        this.given.push(line);
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value === "") this.cookies.delete(name!);
        else this.cookies.set(name!, value!);
      }
      const text = await response.text();
      const to = response.headers.get("location");
      if (to === null || stay) {
        const title = unescaped(/<h1>([\s\S]*?)<\/h1>/.exec(text)?.[1] ?? "");
        return this.page = {
          status: response.status,
          path: to ?? path,
          headers: response.headers,
          text,
          title,
        };
      }
      path = new URL(to, BASE).href.slice(BASE.length);
      init = {};
    }
    throw new Error("redirected without end");
  }
}

/** An answer of the admin API; what of it there is, a test knows. */
interface ApiAnswer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly result: any;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Text as a reader sees it. */
export function unescaped(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** The text of a page, each blank once. */
export const plain = (html: string): string => unescaped(html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " "));

/** How many bytes a page has. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The problem that a page names. */
export const said = ({ text }: Shown): string =>
  unescaped(/<div class="notice problem"[^>]*><p>([^<]*)</.exec(text)?.[1] ?? "");

/** The gateway as somebody at a network address reaches it. */
export const reaching = (gw: Pick<Kit, "gateway">) => (hostname: string) => ({
  http: async (path: string, init?: RequestInit) => {
    const info = { remoteAddr: { transport: "tcp", hostname, port: 1 } } as const;
    return await gw.gateway.fetch(new Request(`${BASE}${path}`, init), info);
  },
});

/** A member of every site unless `grants` says otherwise. */
export async function person(gw: Kit, email: string, grants: UserInput = {}): Promise<User> {
  const user = await gw.store.users.create({
    role: "member",
    allowed_sites: ["*"],
    max_risk: 2,
    ...grants,
    email,
  });
  assert.ok(user, "the e-mail is free");
  return user;
}

/** A browser of a new user with those grants, in which the user has signed in. */
export async function signedIn(gw: Kit, email: string, grants: UserInput) {
  const user = await person(gw, email, grants);
  const session = { user_id: user.id, method: "passkey", agent: "" } as const;
  const made = await gw.store.personSessions.create(session, await gw.store.personSessions.mark(user.id));
  const browser = new PersonBrowser(gw);
  browser.cookies.set("gateway_person", made!.text);
  return { user, browser };
}

/** A call of the admin API with the master token. */
export async function operator(gw: Pick<Kit, "http">, method: string, path: string, body?: unknown) {
  const response = await gw.http(`/admin/api/${path}`, {
    method,
    as: null,
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { result, error } = await response.json();
  return { status: response.status, result, error } as ApiAnswer;
}

/** The link of a new invitation. */
export async function invited(gw: Pick<Kit, "http">, user: User): Promise<string> {
  const { result } = await operator(gw, "POST", `users/${user.id}/invite`, {});
  return result.link;
}

/** A browser in which that user has just joined. */
export async function joined(gw: Kit, user: User): Promise<PersonBrowser> {
  const browser = new PersonBrowser(gw);
  const page = await browser.join(await invited(gw, user));
  assert.equal(page.status, 200, page.text);
  return browser;
}

/** A gateway on a store in a folder of its own, whose keys were lost and replaced as its operator does it. */
export async function withLostKeys(kvPath: string): Promise<Kit> {
  const encryptionKeys = [new Uint8Array(32).fill(9)];
  await acceptKeys({ path: kvPath, keys: encryptionKeys, now: NOW, known: `${kvPath}-known` });
  return await gateway({ settings: { kvPath, encryptionKeys } });
}
