/** nginx and Caddy before a gateway, with the configurations that the documentation shows, or others. */
import assert from "node:assert/strict";
import type { Settings } from "../../core/settings.ts";
import { newAuthority } from "../authority.ts";
import { listen } from "../e2e/mcp_start.ts";
import { freePort } from "../e2e/mcp_outside.ts";
import { gateway, type Kit, site } from "../kit.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = await Deno.readTextFile(new URL("docs/CONFIGURATION.md", ROOT));
/** The block of the page in that language. */
function shown(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(PAGE) ?? [];
  assert.ok(text, `the page shows no ${language}`);
  return text;
}

type Changes = readonly (readonly [from: string, to: string])[];

function replaced(text: string, changes: Changes): string {
  for (const [from] of changes) assert.ok(text.includes(from), `the page does not say ${from}`);
  return changes.reduce((changed, [from, to]) => changed.replace(from, to), text);
}

/** What is asked of a proxy: where it listens, where it passes on to, and a folder of its own. */
interface Asked {
  readonly port: number;
  readonly upstream: number;
  readonly folder: string;
}

type Made = (asked: Asked) => { text: string; args: string[] };

/** How each is made of what the page shows: addresses and files are changed, and nothing else. */
const PROXIES = {
  nginx({ port, upstream, folder }) {
    const server = replaced(shown("nginx"), [
      ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
      ["/etc/ssl/gateway.example.pem", `${folder}/cert.pem`],
      ["/etc/ssl/private/gateway.example.key", `${folder}/key.pem`],
      ["127.0.0.1:8000", `127.0.0.1:${upstream}`],
    ]);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((one) => `${one}_temp_path ${folder}/${one};`).join(" ");
    const http = `http { access_log off; ${paths}\n${server}}`;
    const text = `daemon off; master_process off; pid ${folder}/pid; error_log stderr;\nevents {}\n${http}\n`;
    return { text, args: ["-p", folder, "-c", `${folder}/config`] };
  },
  caddy({ port, upstream, folder }) {
    const site = replaced(shown("caddy"), [
      [
        "gateway.example {",
        `https://127.0.0.1:${port} {\n\ttls ${folder}/cert.pem ${folder}/key.pem\n\tbind 127.0.0.1`,
      ],
      ["127.0.0.1:8000", `127.0.0.1:${upstream}`],
    ]);
    const text = `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`;
    return { text, args: ["run", "--adapter", "caddyfile", "--config", `${folder}/config`] };
  },
} as const satisfies Readonly<Record<string, Made>>;
export type Proxy = keyof typeof PROXIES;

/** Whether the program is there. */
async function isThere(program: string): Promise<boolean> {
  try {
    const asked = new Deno.Command(program, {
      args: [program === "nginx" ? "-v" : "version"],
      stderr: "null",
    });
    return (await asked.output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A gateway behind a proxy, and what reaches it. */
export interface Place {
  readonly kit: Kit;
  readonly baseUrl: string;
  /** The requests that reached it, newest last. */
  readonly requests: Request[];
  /** Through the proxy; the certificate is judged. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** Set for requests that a test answers itself, in the gateway's place. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** What is not as the page shows it. */
export interface Otherwise {
  /** In the proxy's own configuration. */
  readonly changes?: Changes;
  readonly settings?: Partial<Settings>;
}

/** Starts a gateway behind a proxy. */
export async function behind(
  proxy: Proxy,
  work: (place: Place, instead: (path: string, answer: Answer) => void) => Promise<void>,
  { changes = [], settings = {} }: Otherwise = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const opened = Promise.withResolvers<Kit>();
  const requests: Request[] = [];
  const answers = new Map<string, Answer>();
  const upstream = await listen(async () => {
    const { gateway } = await opened.promise;
    return (request, info) => {
      requests.push(request);
      return answers.get(new URL(request.url).pathname)?.(request) ?? gateway.fetch(request, info);
    };
  });
  const port = freePort();
  const baseUrl = `https://127.0.0.1:${port}`;
  const { text, args } = PROXIES[proxy]({ port, upstream: upstream.port, folder });
  await Deno.writeTextFile(`${folder}/config`, replaced(text, changes));
  const authority = await newAuthority();
  const { cert, key } = await authority.issue(["127.0.0.1"]);
  await Deno.writeTextFile(`${folder}/cert.pem`, cert);
  await Deno.writeTextFile(`${folder}/key.pem`, key);
  const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const process = new Deno.Command(proxy, { args, env, stdout: "null", stderr: "piped" }).spawn();
  const said = new Response(process.stderr).text();
  using client = Deno.createHttpClient({ caCerts: [authority.pem], http2: false });
  try {
    await using kit = await gateway({
      realClock: true,
      sites: [site("acme", "cms")],
      settings: { baseUrl, trustedProxies: [{ address: "127.0.0.1", bits: 32 }], ...settings },
    });
    opened.resolve(kit);
    const ask = (path: string, init: RequestInit = {}) => fetch(`${baseUrl}${path}`, { ...init, client });
    await listens(port, async () => `${proxy} does not listen: ${(process.kill(), await said)}`);
    await work({ kit, baseUrl, requests, ask }, (path, answer) => void answers.set(path, answer));
  } finally {
    ended(process);
    await Promise.all([process.status, said]);
    await upstream.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Ends a process that may have ended. */
function ended(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Resolves when somebody listens there. */
async function listens(port: number, otherwise: () => Promise<string>): Promise<void> {
  for (const began = performance.now(); performance.now() - began < 20_000;) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    }
  }
  assert.fail(await otherwise());
}

/** Whether tests of that proxy are left out: where it is not installed, but on a runner, and what their names say then. */
async function absent(proxy: Proxy): Promise<{ proxy: Proxy; ignore: boolean; at: string }> {
  const ignore = Deno.env.get("CI") !== "true" && !await isThere(proxy);
  return { proxy, ignore, at: ignore ? `${proxy} (not run: it is not installed)` : proxy };
}

/** Each proxy, and whether it can be tried here. */
export const TRIED = await Promise.all((Object.keys(PROXIES) as Proxy[]).map(absent));
