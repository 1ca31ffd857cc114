/** Asking a CMS over its REST routes, and cutting answers down to what can be compared. */
import { Buffer } from "node:buffer";
import type { CmsLogin, CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { words } from "../words.ts";

/** A JSON object. */
export interface Json {
  [key: string]: unknown;
}

/** An answer; `body` is empty where it was not JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json & Json[];
}

/** One question and its right answer. */
export interface Probe {
  /** A sentence. */
  readonly name: string;
  readonly ask: (site: Asker) => Promise<unknown>;
  readonly expect: unknown;
}

/** The path of a REST route: as a parameter where permalinks are plain. */
function plainly(path: string): string {
  const [route, query] = path.slice("/wp-json".length).split("?");
  return `/index.php?rest_route=${route || "/"}${query === undefined ? "" : `&${query}`}`;
}

/** Sends requests to one site as one of its users. */
export class Asker {
  constructor(readonly site: CmsSandbox) {}

  #address(path: string): string {
    const isRoute = this.site.plain_permalinks === true && path.startsWith("/wp-json");
    return `${this.site.base_url}${isRoute ? plainly(path) : path}`;
  }

  async send(
    login: CmsLogin | null,
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const headers = new Headers(more);
    if (login !== null) {
      const { username, application_password } = this.site.users[login];
      headers.set(
        "authorization",
        `Basic ${Buffer.from(`${username}:${application_password}`).toString("base64")}`,
      );
    }
    const raw = body instanceof Uint8Array || typeof body === "string";
    if (body !== undefined && !raw) headers.set("content-type", "application/json");
    const response = await fetch(this.#address(path), {
      method,
      headers,
      body: body === undefined ? undefined : raw ? body as BodyInit : JSON.stringify(body),
      redirect: "manual",
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.includes("json") && text !== "";
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : {} };
  }

  /** A call below `/wp-json/wp/v2`. */
  rest(login: CmsLogin | null, method: string, path: string, body?: unknown, more?: Record<string, string>) {
    return this.send(login, method, `/wp-json/wp/v2${path}`, body, more);
  }

  /** A fresh draft's id. */
  async draft(login: CmsLogin, fields: Json = {}, type = "posts"): Promise<number> {
    const made = await this.rest(login, "POST", `/${type}`, { title: "A draft", status: "draft", ...fields });
    return made.body["id"] as number;
  }

  /** Creates a draft and applies each change in turn; the statuses it went through. */
  async states(type: string, ...changes: Json[]): Promise<unknown[]> {
    const id = await this.draft("ed", {}, type);
    const out: unknown[] = [];
    for (const change of changes) {
      const { body } = await this.rest("ed", "POST", `/${type}/${id}`, change);
      out.push(body["status"] ?? body["code"]);
    }
    return out;
  }
}

/** `date_gmt` that many seconds from now. */
export function ahead(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19);
}

/** Status and error code, or status and the chosen fields. */
export function cut({ status, body }: Answer, ...fields: string[]): unknown[] {
  if (typeof body["code"] === "string") return [status, body["code"]];
  return [
    status,
    ...fields.map((field) => field.split(".").reduce<unknown>((at, key) => (at as Json)?.[key], body)),
  ];
}

/** What one parameter did wrong: message and code. */
export function detail({ body }: Answer, param: string): unknown {
  const data = body["data"] as { params: Json; details: Record<string, Json> };
  return [data.params[param], data.details[param]?.["code"]];
}

/** What newer versions add to records, which nobody here reads: the stand-ins answer as 6.5 does. */
const SINCE_6_5 = words(
  "class_list exif_orientation filename filesize image_output_format image_quality image_save_progressive",
);

/** The names of what a record holds, in order, as far as all versions have them. */
export const keysOf = (body: Json): string =>
  Object.keys(body).filter((name) => !SINCE_6_5.includes(name)).sort().join(" ");
