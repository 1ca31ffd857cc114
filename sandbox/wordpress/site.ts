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
  readonly workers: number;
  readonly say: (line: string) => void;
}

/** What WordPress writes to: copied, while everything else is a second name of the seed's file. */
const OWN = new Set(["wp-content/database", "wp-content/uploads"]);

async function copyTree(from: string, to: string, link: boolean, below = ""): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const path = below === "" ? name : `${below}/${name}`;
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    if (isDirectory) await copyTree(source, target, link && !OWN.has(path), path);
    else if (link) Deno.linkSync(source, target);
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

/** Installs the copy once more, into another database than the seed's. */
async function useDatabase(site: string, database: SiteDatabase): Promise<Record<CmsLogin, CmsUser>> {
  const values = {
    DB_NAME: database.name,
    DB_USER: database.user,
    DB_PASSWORD: database.password,
    DB_HOST: database.host,
    DB_CHARSET: "utf8mb4",
    DB_COLLATE: "",
  };
  const text = await Deno.readTextFile(script("config.php"));
  const lines = Object.entries(values).map(([name, value]) => `define( '${name}', '${value}' );\n`);
  const config = text.replaceAll(/^define\( 'DB_.*\n/gm, "").replace(
    "<?php\n",
    () => `<?php\n${lines.join("")}`,
  );
  // Removed first: both are second names of the seed's files.
  for (const name of ["wp-config.php", "wp-content/db.php"]) await Deno.remove(`${site}/${name}`);
  await Deno.writeTextFile(`${site}/wp-config.php`, config);
  return JSON.parse(await runPhp([script("install.php"), site], "WordPress could not be installed"));
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

async function serve(run: string, options: SiteOptions): Promise<Served> {
  // Its own process group: a Ctrl-C in the terminal reaches the owner only, and the owner's end reaches the keeper.
  const keeper = new Deno.Command("php", {
    args: [script("keeper.php"), run, script("router.php")],
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

/** Starts a site and resolves once it has answered. Throws an Error that says what failed, leaving nothing behind. */
export async function startSite(options: SiteOptions): Promise<CmsSandbox> {
  const cache = await cacheFolder();
  const { folder, users: seeded } = await seed(cache, options.say);
  await Deno.mkdir(`${cache}/runs`, { recursive: true });
  const run = await Deno.makeTempDir({ dir: `${cache}/runs`, prefix: "site-" });
  let served: Served | undefined;
  let users = seeded;
  try {
    await copyTree(`${folder}/site`, `${run}/site`, true);
    if (options.database) users = await useDatabase(`${run}/site`, options.database);
    const plugins = await addPlugins(`${run}/site`, options.plugins);
    if (plugins.length > 0 || options.plain_permalinks) {
      const asked = JSON.stringify({ plugins, plain_permalinks: options.plain_permalinks });
      await runPhp(
        [script("prepare.php"), `${run}/site`, asked],
        "The sandbox's WordPress could not be readied",
      );
    }
    served = await serve(run, options);
    await mustAnswer(`http://127.0.0.1:${served.port}/?rest_route=/&_fields=name`, run);
  } catch (thrown) {
    await served?.stop();
    await removeRun(run);
    throw thrown;
  }
  const { port, stop: end } = served;
  const base_url = `http://127.0.0.1:${port}`;
  let stopped: Promise<void> | undefined;
  const stop = () => stopped ??= end().then(() => removeRun(run));
  return {
    kind: "wordpress",
    base_url,
    users,
    async runCron() {
      const response = await fetch(`${base_url}/wp-cron.php?doing_wp_cron`);
      await response.body?.cancel();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
