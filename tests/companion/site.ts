/** A real WordPress with the companion plugin, and asking it. */
import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type CmsLogin, type CmsSandbox, phpMissing } from "../../sandbox/wordpress/start.ts";
import { type Answer, Asker, cut, type Json } from "../sandbox/asker.ts";
import { startWordPress } from "../wordpress.ts";

export { type Answer, cut, type Json };

const missing = await phpMissing();

/** Whether tests of a real WordPress are left out here; never with CI=true. */
export const ignore = missing !== null && Deno.env.get("CI") !== "true";

/** The end of the name of a test that needs a real WordPress. */
export const on = ignore ? `on a real WordPress (not run: ${missing})` : "on a real WordPress";

/** The folder of the plugin. */
export const PLUGIN = fileURLToPath(new URL("../../companion/site-ops", import.meta.url));

/** The folder of a stand-in plugin, or of the test helper. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/cms_plugins/${name}`, import.meta.url));
}

/** Stand-ins by the name of what they stand in for. */
export type StandIn = "yoast" | "rankmath" | "seopress" | "elementor" | "schemapro" | "shop";

/** What the test helper tells of a post and of options. */
export interface Peeked {
  readonly id: number;
  readonly post: Json;
  readonly meta: Json;
  readonly options: Json;
  /** What the database or the function answered, where `db` (a method of $wpdb and a statement) or `call` was asked for. */
  readonly result: unknown;
}

/** A key that a gateway got when it was connected. */
export interface PairedKey {
  readonly key_id: string;
  readonly key: string;
}

/** What of a signed request may be chosen. */
export interface Signing {
  readonly body?: Json;
  /** The value of X-Site-Ops-Hold. */
  readonly hold?: string;
  /** Seconds since 1970. Default now. */
  readonly t?: number;
  /** Route and body that are signed in place of those sent. */
  readonly signed?: { readonly route?: string; readonly body?: string; readonly hold?: string };
}

/** The headers of a signed request. */
export function signature(key: PairedKey, method: string, route: string, asked: Signing = {}) {
  const { body, hold = "", t = Math.floor(Date.now() / 1000), signed = {} } = asked;
  const text = signed.body ?? (body === undefined ? "" : JSON.stringify(body));
  const hash = createHash("sha256").update(text).digest("hex");
  const lines = ["v1", method, signed.route ?? route, hash, signed.hold ?? hold, String(t)];
  const sig = createHmac("sha256", Buffer.from(key.key, "hex")).update(lines.join("\n")).digest("hex");
  return {
    "x-site-ops-signature": `v1; key=${key.key_id}; t=${t}; sig=${sig}`,
    ...(hold === "" ? {} : { "x-site-ops-hold": hold }),
  };
}

/** A person at the admin screens: cookies and forms. */
export class Screens {
  private readonly cookies = new Map<string, string>([["wordpress_test_cookie", "WP+Cookie+check"]]);
  private constructor(private readonly base: string) {}

  /** Logs in; the sandbox's passwords are made of the names. */
  static async login(site: CmsSandbox, name: CmsLogin): Promise<Screens> {
    const screens = new Screens(site.base_url);
    const form = { log: name, pwd: `${name}-password`, testcookie: "1" };
    await screens.ask("/wp-login.php", new URLSearchParams(form));
    return screens;
  }

  /** Opens a screen, or sends a form to it, and follows where it leads; the HTML. */
  async ask(path: string, body?: FormData | URLSearchParams): Promise<string> {
    const response = await fetch(new URL(path, this.base), {
      method: body === undefined ? "GET" : "POST",
      headers: { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      body,
      redirect: "manual",
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(";")[0]!.split("=") as [string, string];
      this.cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    return location === null ? text : await this.ask(location);
  }
}

/** A running site with the plugin. */
export class Companion extends Asker {
  /** Starts one; the stand-ins come with it. */
  static async start(...standIns: StandIn[]): Promise<Companion> {
    const plugins = [PLUGIN, fixture("peek"), ...standIns.map((name) => fixture(`${name}-standin`))];
    return new Companion(await startWordPress({ plugins }));
  }

  /** A call below `/wp-json/site-ops/v1`. */
  call(login: CmsLogin | null, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(login, method, `/wp-json/site-ops/v1${path}`, body);
  }

  /** A signed call below `/wp-json/site-ops/v1`. */
  signed(
    login: CmsLogin,
    key: PairedKey,
    method: string,
    path: string,
    asked: Signing = {},
  ): Promise<Answer> {
    const headers = signature(key, method, `/site-ops/v1${path.split("?")[0]}`, asked);
    return this.send(login, method, `/wp-json/site-ops/v1${path}`, asked.body, headers);
  }

  /** What is stored; with `post`, `meta` or `options` it is put there first. */
  async peek(body: Json): Promise<Peeked> {
    return (await this.send("admin", "POST", "/wp-json/peek/v1/ask", body)).body as unknown as Peeked;
  }

  /** An image of the media library, whose file need not be there: its number and address. */
  async image(name: string): Promise<{ readonly id: number; readonly url: string }> {
    const file = `2026/01/${name}.png`;
    const { id } = await this.peek({
      post: {
        post_type: "attachment",
        post_status: "inherit",
        post_mime_type: "image/png",
        post_title: name,
      },
    });
    await this.peek({ id, meta: { _wp_attached_file: file } });
    return { id, url: `${this.site.base_url}/wp-content/uploads/${file}` };
  }

  /** A page or post that is published by WordPress's own means; its number. */
  async published(type: "pages" | "posts" = "pages"): Promise<number> {
    const id = await this.draft("ed", {}, type);
    await this.publish(id, type);
    return id;
  }

  /** Publishes by WordPress's own means; the address. */
  async publish(id: unknown, type: "pages" | "posts" = "pages"): Promise<string> {
    const { body } = await this.rest("ed", "POST", `/${type}/${id}`, { status: "publish" });
    return body["link"] as string;
  }

  /** The text of a page as anybody gets it. */
  async text(url: string): Promise<string> {
    const response = await fetch(new URL(url, this.site.base_url));
    return await response.text();
  }

  /** Where an address leads: status and location, followed no further. */
  async leads(path: string): Promise<unknown[]> {
    const { status, headers } = await this.send(null, "GET", path);
    return [status, headers.get("location")];
  }
}

/** What names and runs the tests of a module that share a site: it is started before the first and stopped after the last. */
export function suite(start: () => Promise<Companion>): (name: string, fn: () => Promise<void>) => void {
  let started: Companion | undefined;
  Deno.test.beforeAll(async () => {
    if (!ignore) started = await start();
  });
  Deno.test.afterAll(async () => await started?.site.stop());
  return (name, fn) => Deno.test({ name: `${name}, ${on}`, ignore, fn });
}

/** The SEO plugins whose stand-ins keep fields. */
export type SeoPlugin = "yoast" | "rankmath" | "seopress";

/** As `suite`, with a site of each SEO plugin, started together; a test says whose site it gets. */
export function seoSuite(): (plugin: SeoPlugin, name: string, fn: (wp: Companion) => Promise<void>) => void {
  const started = new Map<SeoPlugin, Companion>();
  Deno.test.beforeAll(async () => {
    if (ignore) return;
    const plugins: SeoPlugin[] = ["yoast", "rankmath", "seopress"];
    await Promise.all(plugins.map(async (plugin) => started.set(plugin, await Companion.start(plugin))));
  });
  Deno.test.afterAll(async () => {
    await Promise.all([...started.values()].map(({ site }) => site.stop()));
  });
  return (plugin, name, fn) =>
    Deno.test({ name: `${plugin}: ${name}, ${on}`, ignore, fn: () => fn(started.get(plugin)!) });
}

/** The rows an answer holds under a name. */
export function rows({ body }: Answer, name: "entries" | "redirects"): Json[] {
  return (body as Json)[name] as Json[];
}
