/** Serves a folder as Pages serves what a build left in it: addresses without endings, `_headers`, and its page for what is not there. */
import { type Incoming, listen, type Server } from "../core/server.ts";

/*
 * developers.cloudflare.com/pages/configuration/serving-pages and …/headers, read in November 2026: `/a.html` and
 * `/a/index.html` redirect to `/a` and `/a/`; an unknown address gets the nearest `404.html` above it, and the start page
 * where there is none at all. Previews are not for search engines (…/preview-deployments).
 */

const TYPES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  css: "text/css; charset=utf-8",
  gif: "image/gif",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webp: "image/webp",
  woff2: "font/woff2",
  xml: "application/xml",
};

/** What `_headers` and `_redirects` say is obeyed and not served. */
const SETTINGS: ReadonlySet<string> = new Set(["_headers", "_redirects"]);

/** A server of files, whose folder may become another one. */
export interface FileServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly origin: string;
  /** Serves another folder from the next request on. */
  show(folder: string): void;
}

/** Lines of `_headers` for the addresses that fit a pattern. */
interface Rule {
  readonly fits: RegExp;
  readonly lines: readonly (readonly [name: string, value: string | null])[];
}

function rulesOf(text: string): Rule[] {
  const rules: { fits: RegExp; lines: [string, string | null][] }[] = [];
  for (const line of text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"))) {
    if (!/^\s/.test(line)) {
      const parts = line.trim().split(/(\*|:[A-Za-z]\w*)/).map((part, at) =>
        at % 2 === 0 ? RegExp.escape(part) : part === "*" ? ".*" : "[^/]+"
      );
      rules.push({ fits: new RegExp(`^${parts.join("")}$`), lines: [] });
      continue;
    }
    const [, gone, name = "", value = ""] = /^\s+(! )?([^:\s]+)(?::\s*(.*))?$/.exec(line) ?? [];
    if (name !== "") rules.at(-1)?.lines.push([name, gone === undefined ? value.trim() : null]);
  }
  return rules;
}

async function text(path: string): Promise<string> {
  return await Deno.readTextFile(path).catch(() => "");
}

/** The bytes of a file below the folder; null where there is none, or where a link leads out of it. */
async function fileIn(folder: string, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (SETTINGS.has(path.slice(1))) return null;
  try {
    const [root, real] = await Promise.all([Deno.realPath(folder), Deno.realPath(folder + path)]);
    if (!real.startsWith(`${root}/`) || !(await Deno.stat(real)).isFile) return null;
    return await Deno.readFile(real);
  } catch {
    return null;
  }
}

function answer(path: string, bytes: Uint8Array<ArrayBuffer>, status = 200): Response {
  const type = TYPES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
  return new Response(bytes, {
    status,
    headers: { "content-type": type, "cache-control": "public, max-age=0, must-revalidate" },
  });
}

const moved = (to: string) => new Response(null, { status: 308, headers: { location: to } });

async function missing(folder: string, path: string): Promise<Response> {
  for (let above = path; above !== "";) {
    above = above.slice(0, above.lastIndexOf("/"));
    const found = await fileIn(folder, `${above}/404.html`);
    if (found !== null) return answer("404.html", found, 404);
  }
  const home = await fileIn(folder, "/index.html");
  return home ? answer("index.html", home) : new Response("Not found", { status: 404 });
}

async function served(folder: string, path: string): Promise<Response> {
  if (/(^|\/)\.\.(\/|$)|[\\\0]/.test(path)) return await missing(folder, "/");
  if (path.endsWith("/index.html")) return moved(path.slice(0, -"index.html".length));
  if (path.endsWith("/")) {
    const found = await fileIn(folder, `${path}index.html`);
    if (found !== null) return answer("index.html", found);
    const flat = path.slice(0, -1);
    return await fileIn(folder, `${flat}.html`) ? moved(flat) : await missing(folder, path);
  }
  const exact = await fileIn(folder, path);
  if (exact !== null && path.endsWith(".html")) return moved(path.slice(0, -".html".length));
  if (exact !== null) return answer(path, exact);
  const page = await fileIn(folder, `${path}.html`);
  if (page !== null) return answer(".html", page);
  return await fileIn(folder, `${path}/index.html`) ? moved(`${path}/`) : await missing(folder, path);
}

/** Decoded; the address of the start page where it cannot be. */
function pathOf(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return "/";
  }
}

const EMPTY = "<!doctype html><title>Nothing yet</title><p>Nothing is deployed here yet.";

/** Serves the folder on a free port of 127.0.0.1, or says that there is none yet; as a preview it asks search engines to stay away. */
export function startFiles(first: string | null, { preview = false } = {}): FileServer {
  let folder = first;
  const handle = async ({ request }: Incoming): Promise<Response> => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response("Method not allowed", { status: 405, headers: { allow: "GET, HEAD" } });
    }
    if (folder === null) {
      return new Response(EMPTY, { status: 404, headers: { "content-type": TYPES["html"]! } });
    }
    const path = pathOf(new URL(request.url).pathname);
    const response = await served(folder, path);
    if (preview) response.headers.set("x-robots-tag", "noindex");
    for (const { fits, lines } of rulesOf(await text(`${folder}/_headers`))) {
      if (!fits.test(path)) continue;
      for (const [name, value] of lines) {
        if (value === null) response.headers.delete(name);
        else response.headers.set(name, value);
      }
    }
    return response;
  };
  const server: Server = listen(handle);
  return {
    origin: server.origin,
    show: (next) => void (folder = next),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
