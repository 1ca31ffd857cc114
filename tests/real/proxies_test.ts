/** The configurations of proxies that the documentation shows, as printed, in nginx and Caddy before a gateway. */
import assert from "node:assert/strict";
import { newAuthority } from "../authority.ts";
import { listen } from "../e2e/mcp_start.ts";
import { freePort } from "../e2e/mcp_outside.ts";
import { gateway, type Kit, site } from "../kit.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = await Deno.readTextFile(new URL("docs/CONFIGURATION.md", ROOT));
const MIB = 1024 * 1024;
/** The largest body that a tool takes. */
const LARGEST = 140 * MIB;

/** The block of the page in that language. */
function shown(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(PAGE) ?? [];
  assert.ok(text, `the page shows no ${language}`);
  return text;
}

function replaced(text: string, changes: readonly [string, string][]): string {
  for (const [from] of changes) assert.ok(text.includes(from), `the page does not say ${from}`);
  return changes.reduce((changed, [from, to]) => changed.replace(from, to), text);
}

/** What is asked of a proxy: where it listens, where it passes on to, and a folder of its own. */
interface Asked {
  readonly port: number;
  readonly upstream: number;
  readonly folder: string;
}

/** How each is made of what the page shows: addresses and files are changed, and nothing else. */
const PROXIES: Readonly<Record<string, (asked: Asked) => { text: string; args: string[] }>> = {
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
};

/** Whether the program is there. */
async function isInstalled(program: string): Promise<boolean> {
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
interface Place {
  readonly kit: Kit;
  readonly baseUrl: string;
  /** The requests that reached it, newest last. */
  readonly requests: Request[];
  /** Through the proxy; the certificate is judged. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** Set for requests that a test answers itself, in the gateway's place. */
type Answer = (request: Request) => Response | Promise<Response>;

async function behind(
  proxy: string,
  work: (place: Place, instead: (path: string, answer: Answer) => void) => Promise<void>,
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
  const { text, args } = PROXIES[proxy]!({ port, upstream: upstream.port, folder });
  await Deno.writeTextFile(`${folder}/config`, text);
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
      settings: { baseUrl, trustedProxies: [{ address: "127.0.0.1", bits: 32 }] },
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

/** A body of so many bytes, made as it is read. */
function bodyOf(bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      const size = Math.min(left, MIB);
      left -= size;
      controller.enqueue(new Uint8Array(size));
    },
  });
}

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

for (const proxy of Object.keys(PROXIES)) {
  const ignore = Deno.env.get("CI") !== "true" && !await isInstalled(proxy);
  const at = ignore ? `${proxy} (not run: it is not installed)` : proxy;

  Deno.test({
    name: `behind ${at}, set up as the page shows, clients find the gateway by its own address`,
    ignore,
    fn: () =>
      behind(proxy, async ({ kit, baseUrl, requests, ask }) => {
        const headers = { "content-type": "application/json" };
        const refused = await ask("/mcp", { method: "POST", headers, body: LIST });
        assert.equal(refused.status, 401, await refused.text());
        const pointer = `${baseUrl}/.well-known/oauth-protected-resource/mcp`;
        assert.equal(refused.headers.get("www-authenticate"), `Bearer resource_metadata="${pointer}"`);
        assert.equal((await (await ask(pointer.slice(baseUrl.length))).json()).resource, `${baseUrl}/mcp`);
        const authorization = `Bearer ${kit.token()}`;
        const listed = await ask("/mcp", {
          method: "POST",
          headers: { ...headers, authorization, "x-forwarded-for": "198.51.100.9" },
          body: LIST,
        });
        assert.equal(listed.status, 200, await listed.text());
        const { headers: passed } = requests.at(-1)!;
        assert.equal(`https://${passed.get("host")}`, baseUrl);
        assert.equal(
          passed.get("x-forwarded-for")!.split(",").at(-1)!.trim(),
          "127.0.0.1",
          "the client's own",
        );
        const form = await ask("/admin/sign-in", { method: "POST", headers: { origin: baseUrl } });
        assert.doesNotMatch(await form.text(), /is not this gateway/);
      }),
  });

  Deno.test({
    name: `behind ${at}, set up as the page shows, events come as they happen and the largest upload fits`,
    ignore,
    fn: () =>
      behind(proxy, async ({ ask }, instead) => {
        const heard = Promise.withResolvers<void>();
        const events = new TextEncoder();
        instead("/events", () => {
          const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
            async start(controller) {
              controller.enqueue(events.encode("data: one\n\n"));
              await heard.promise; // what is held back would never be heard
              controller.enqueue(events.encode("data: two\n\n"));
              controller.close();
            },
          });
          return new Response(body, { headers: { "content-type": "text/event-stream" } });
        });
        const reader = (await ask("/events")).body!.pipeThrough(new TextDecoderStream()).getReader();
        assert.equal((await reader.read()).value, "data: one\n\n");
        heard.resolve();
        assert.equal((await reader.read()).value, "data: two\n\n");
        await reader.cancel();
        instead("/upload", async ({ body }) => {
          let bytes = 0;
          for await (const piece of body!) bytes += piece.length;
          return new Response(String(bytes));
        });
        const sent = await ask("/upload", { method: "POST", body: bodyOf(LARGEST) });
        assert.deepEqual([sent.status, await sent.text()], [200, String(LARGEST)]);
      }),
  });
}
