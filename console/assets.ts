/** The stylesheet, the scripts and the mark of the pages, served by the gateway itself. */
import { hash } from "node:crypto";
import type { Context } from "hono";
import { onDemand } from "../core/async.ts";

const FILES = {
  "style.css": "text/css",
  "passkeys.js": "text/javascript",
  "approvals.js": "text/javascript",
  "audit.js": "text/javascript",
  "forms.js": "text/javascript",
  "times.js": "text/javascript",
  "docs.js": "text/javascript",
  "docs.css": "text/css",
  "mark.svg": "image/svg+xml",
} as const;
/** What a page may ask for. */
export type Asset = keyof typeof FILES;
/** Where they are; to be mounted with `assetRoute`. */
export const ASSETS_PATH = "/admin/assets";
const VERSION_CHARACTERS = 12;
const KEPT_SECONDS = 31_536_000;

/** A file, and a name for its present contents. */
interface Read {
  readonly text: string;
  readonly version: string;
}

const read = onDemand(async (): Promise<Readonly<Record<Asset, Read>>> => {
  const entries = Object.keys(FILES).map(async (name) => {
    const text = await Deno.readTextFile(new URL(name, import.meta.url));
    return [name, { text, version: hash("sha256", text).slice(0, VERSION_CHARACTERS) }];
  });
  return Object.fromEntries(await Promise.all(entries));
});

/** The addresses of the assets; each changes with its file. */
export async function assetAddresses(): Promise<Readonly<Record<Asset, string>>> {
  const files = Object.entries(await read());
  return Object.fromEntries(
    files.map(([name, { version }]) => [name, `${ASSETS_PATH}/${name}?v=${version}`]),
  ) as Record<Asset, string>;
}

/** Answers an asset; null for a name that is none. */
export async function asset(c: Context, name: string): Promise<Response | null> {
  if (!Object.hasOwn(FILES, name)) return null;
  const { text, version } = (await read())[name as Asset];
  const lasts = c.req.query("v") === version;
  c.header("Cache-Control", lasts ? `public, max-age=${KEPT_SECONDS}, immutable` : "no-cache");
  c.header("Content-Type", `${FILES[name as Asset]}; charset=utf-8`);
  c.header("X-Content-Type-Options", "nosniff");
  return c.body(text);
}
