/** One WordPress site: a fresh copy of the seed, served by PHP on a free port, gone without a trace when stopped. */
import type { CmsLogin, CmsSandbox, CmsUser } from "./sandbox.ts";
import { runPhp, script } from "./php.ts";
import { cacheFolder, seed } from "./seed.ts";

/** A database of a running MariaDB, empty; the account is its owner's. */
export interface SiteDatabase {
  /** `localhost:<path of a socket>` or `<host>:<port>`. */
  readonly host: string;
  readonly name: string;
  readonly user: string;
  readonly password: string;
}

/** How a site is set up. */
export interface SiteOptions {
  /** In place of SQLite. */
  readonly database?: SiteDatabase;
  readonly plugins: readonly string[];
  readonly environment: "local" | "production";
  readonly plain_permalinks: boolean;
  /** The second site of a network of sites, at `/two`. */
  readonly network: boolean;
  readonly workers: number;
  readonly say: (line: string) => void;
}

/** What WordPress and its plugins write to: copied, while everything else is a second name of the seed's file. */
const OWN = new Set(["wp-content/database", "wp-content/uploads", "wp-config.php"]);

async function copyTree(from: string, to: string, link: boolean, below = ""): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const path = below === "" ? name : `${below}/${name}`;
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    if (isDirectory) await copyTree(source, target, link && !OWN.has(path), path);
    else if (link && !OWN.has(path)) Deno.linkSync(source, target);
    else await Deno.copyFile(source, target);
  }
}

async function addPlugins(site: string, folders: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const folder of folders) {
    const name = folder.replace(/\/+$/, "").split("/").at(-1)!;
    await copyTree(folder, `${site}/wp-content/plugins/${name}`, false);
    names.push(name);
  }
  return names;
}

async function replaceConfig(site: string, change: (text: string) => string): Promise<void> {
  const path = `${site}/wp-config.php`;
  await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
}

/** A text of a configuration without its definitions of that beginning, with others at its front. */
function defining(text: string, values: Readonly<Record<string, string>>, without: string): string {
  const kept = text.split("\n").filter((line) => !line.startsWith(`define( '${without}`));
  const lines = Object.entries(values).map(([name, value]) => `define( '${name}', ${value} );`);
  return [kept[0], ...lines, ...kept.slice(1)].join("\n");
}

/** Installs the copy once more, into another database than the seed's. */
async function useDatabase(site: string, database: SiteDatabase): Promise<Record<CmsLogin, CmsUser>> {
  const values = {
    DB_NAME: `'${database.name}'`,
    DB_USER: `'${database.user}'`,
    DB_PASSWORD: `'${database.password}'`,
    DB_HOST: `'${database.host}'`,
    DB_CHARSET: "'utf8mb4'",
    DB_COLLATE: "''",
  };
  await replaceConfig(site, (text) => defining(text, values, "DB_"));
  await Deno.remove(`${site}/wp-content/db.php`);
  return JSON.parse(await runPhp([script("install.php"), site], "WordPress could not be installed"));
}

/** Makes a network of the copy, whose sites are known by host and port. */
async function makeNetwork(site: string, host: string): Promise<void> {
  const failing = "The sandbox's WordPress could not be made a network";
  await runPhp([script("network.php"), site, host, "make"], failing);
  const values = {
    WP_ALLOW_MULTISITE: "true",
    MULTISITE: "true",
    SUBDOMAIN_INSTALL: "false",
    DOMAIN_CURRENT_SITE: `'${host}'`,
    PATH_CURRENT_SITE: "'/'",
    SITE_ID_CURRENT_SITE: "1",
    BLOG_ID_CURRENT_SITE: "1",
  };
  // Each site of a network has addresses of its own.
  const own = (text: string) => defining(defining(text, values, "WP_HOME'"), {}, "WP_SITEURL'");
  await replaceConfig(site, own);
  await runPhp([script("network.php"), site, host, "fill"], failing);
}

/** The keeper's first line: the port, or what went wrong. */
async function firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream.values({ preventCancel: true })) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0]!;
}

/** A served folder: the port, and how to end it. */
interface Served {
  readonly port: number;
  stop(): Promise<void>;
}

async function serve(run: string, options: SiteOptions, wanted: number): Promise<Served> {
  // Its own process group: a Ctrl-C in the terminal reaches the owner only, and the owner's end reaches the keeper.
  const keeper = new Deno.Command("php", {
    args: [script("keeper.php"), run, script("router.php"), String(wanted)],
    env: { PHP_CLI_SERVER_WORKERS: String(options.workers), WP_ENVIRONMENT_TYPE: options.environment },
    detached: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const stop = async () => {
    await keeper.stdin.close();
    await keeper.stdout.cancel();
    await keeper.status;
  };
  const line = await firstLine(keeper.stdout);
  if (/^\d+$/.test(line)) return { port: Number(line), stop };
  await stop();
  throw new Error(`The server of the sandbox's WordPress did not start: ${line || "no reason given"}`);
}

async function removeRun(run: string): Promise<void> {
  try {
    await Deno.remove(run, { recursive: true });
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}

async function mustAnswer(url: string, run: string): Promise<void> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.ok) return;
  const log = await Deno.readTextFile(`${run}/debug.log`).catch(() => "");
  const reason = log.trim().split("\n").at(-1) || text.replaceAll(/<[^>]*>/g, " ").trim().slice(0, 300);
  throw new Error(`The sandbox's WordPress answers ${response.status}: ${reason}`);
}

/** What is done to a copy before it is served: database, network, plugins, permalinks. Its users, where they are other ones. */
async function ready(
  site: string,
  host: string,
  options: SiteOptions,
): Promise<Record<CmsLogin, CmsUser> | null> {
  const users = options.database ? await useDatabase(site, options.database) : null;
  if (options.network) await makeNetwork(site, host);
  const plugins = await addPlugins(site, options.plugins);
  if (plugins.length > 0 || options.plain_permalinks) {
    const { plain_permalinks } = options;
    const asked = JSON.stringify({ plugins, plain_permalinks, host, path: `${pathOf(options)}/` });
    await runPhp([script("prepare.php"), site, asked], "The sandbox's WordPress could not be readied");
  }
  return users;
}

const HOST = "127.0.0.1";
/** Ports that the system gives no connection of its own accord. */
const [PORT_MIN, PORT_COUNT] = [20_000, 10_000];

/** A port on which nobody listens. */
function freePort(): number {
  for (;;) {
    try {
      const port = PORT_MIN + Math.floor(Math.random() * PORT_COUNT);
      using listener = Deno.listen({ hostname: HOST, port });
      return listener.addr.port;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AddrInUse)) throw thrown;
    }
  }
}

const pathOf = ({ network }: SiteOptions) => network ? "/two" : "";

/** Starts a site and resolves once it has answered. Throws an Error that says what failed, leaving nothing behind. */
export async function startSite(options: SiteOptions): Promise<CmsSandbox> {
  const cache = await cacheFolder();
  const { folder, users: seeded } = await seed(cache, options.say);
  await Deno.mkdir(`${cache}/runs`, { recursive: true });
  const run = await Deno.makeTempDir({ dir: `${cache}/runs`, prefix: "site-" });
  // A network knows its sites by their port, before it is served.
  const wanted = options.network ? freePort() : 0;
  let served: Served | undefined;
  let users = seeded;
  let base_url: string;
  try {
    await copyTree(`${folder}/site`, `${run}/site`, true);
    users = await ready(`${run}/site`, wanted ? `${HOST}:${wanted}` : HOST, options) ?? seeded;
    served = await serve(run, options, wanted);
    base_url = `http://${HOST}:${served.port}${pathOf(options)}`;
    await mustAnswer(`${base_url}/?rest_route=/&_fields=name`, run);
  } catch (thrown) {
    await served?.stop();
    await removeRun(run);
    throw thrown;
  }
  const { stop: end } = served;
  let stopped: Promise<void> | undefined;
  const stop = () => stopped ??= end().then(() => removeRun(run));
  return {
    kind: "wordpress",
    base_url,
    plain_permalinks: options.plain_permalinks,
    users,
    async runCron() {
      const response = await fetch(`${base_url}/wp-cron.php?doing_wp_cron`);
      await response.body?.cancel();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
