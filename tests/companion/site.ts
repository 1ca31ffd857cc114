/** A real WordPress with the companion plugin, and asking it. */
import { fileURLToPath } from "node:url";
import { type CmsLogin, phpMissing, startCms } from "../../sandbox/wordpress/start.ts";
import { type Answer, Asker, cut, type Json } from "../sandbox/asker.ts";

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
}

/** A running site with the plugin. */
export class Companion extends Asker {
  /** Starts one; the stand-ins come with it. */
  static async start(...standIns: StandIn[]): Promise<Companion> {
    const plugins = [PLUGIN, fixture("peek"), ...standIns.map((name) => fixture(`${name}-standin`))];
    return new Companion(await startCms({ kind: "wordpress", plugins }));
  }

  /** A call below `/wp-json/site-ops/v1`. */
  call(login: CmsLogin | null, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(login, method, `/wp-json/site-ops/v1${path}`, body);
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

/** The rows an answer holds under a name. */
export function rows({ body }: Answer, name: "entries" | "redirects"): Json[] {
  return (body as Json)[name] as Json[];
}
