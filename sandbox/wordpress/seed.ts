/** The seed: one installed WordPress per machine, from which every site is copied. */
import { type Unzipped, unzipSync } from "fflate";
import type { CmsLogin, CmsUser } from "./sandbox.ts";
import { type ArchiveName, ARCHIVES, getArchives } from "./package.ts";
import { runPhp, script } from "./php.ts";

/** An installed WordPress: `folder/site` is its root, never to be changed. */
export interface Seed {
  readonly folder: string;
  readonly users: Record<CmsLogin, CmsUser>;
}

const TEXTS = { "wp-config.php": "config.php", "wp-content/db.php": "db.php" } as const;
const OFFLINE = "wp-content/mu-plugins/00-offline.php";

/** Where seeds and running sites live: `WP_SEED`, else a folder in the user's cache. Created when missing. */
export async function cacheFolder(): Promise<string> {
  const named = Deno.env.get("WP_SEED");
  const home = Deno.env.get("HOME");
  const cache = Deno.env.get("XDG_CACHE_HOME") || (home ? `${home}/.cache` : undefined);
  if (!named && cache === undefined) {
    throw new Error("WP_SEED must name a folder to keep WordPress in, for HOME is not set");
  }
  const folder = named || `${cache}/site-ops-gateway/wordpress`;
  await Deno.mkdir(folder, { recursive: true });
  return await Deno.realPath(folder);
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}

/** A new folder to build `name` in; what crashed builders left of theirs is removed. Only under the lock. */
async function partOf(cache: string, name: string): Promise<string> {
  for await (const entry of Deno.readDir(cache)) {
    if (entry.name.startsWith(`${name}.part-`)) {
      await Deno.remove(`${cache}/${entry.name}`, { recursive: true });
    }
  }
  return await Deno.makeTempDir({ dir: cache, prefix: `${name}.part-` });
}

/** The folder of another WordPress than the one that is packed: `WP_TREE`; null for none. */
const otherTree = () => Deno.env.get("WP_TREE") || null;

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

/** A name that changes with everything the seed is made of, so that a changed text is never served from an old seed. */
async function seedName(): Promise<string> {
  const names = ["config.php", "db.php", "offline.php", "install.php"];
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(script(name))));
  const tree = otherTree();
  const version = tree === null ? [] : [tree, await Deno.readTextFile(`${tree}/wp-includes/version.php`)];
  const parts = [...Object.values(ARCHIVES).map(({ sha256 }) => sha256), ...texts, ...version];
  const bytes = new TextEncoder().encode(parts.join("\0"));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `seed-${hash.toHex().slice(0, 12)}`;
}

async function archives(cache: string): Promise<string> {
  const name = `archives-${ARCHIVES["wordpress.zip"].sha256.slice(0, 12)}`;
  if (await exists(`${cache}/${name}`)) return `${cache}/${name}`;
  const part = await partOf(cache, name);
  await getArchives(part);
  await Deno.rename(part, `${cache}/${name}`);
  return `${cache}/${name}`;
}

async function unzip(folder: string, name: ArchiveName): Promise<Unzipped> {
  return unzipSync(await Deno.readFile(`${folder}/${name}`), {
    // The archive carries an old ready-made database, over which the installer would stumble.
    filter: (file) => !file.name.startsWith("wp-content/database/"),
  });
}

async function writeTree(root: string, files: Iterable<readonly [string, Uint8Array]>): Promise<void> {
  const made = new Set<string>();
  for (const [name, bytes] of files) {
    if (name === "" || name.endsWith("/")) continue;
    const path = `${root}/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) await Deno.mkdir(folder, { recursive: true });
    made.add(folder);
    await Deno.writeFile(path, bytes);
  }
}

async function build(cache: string, folder: string): Promise<void> {
  const from = await archives(cache);
  const site = `${folder}/site`;
  const tree = otherTree();
  if (tree === null) await writeTree(site, Object.entries(await unzip(from, "wordpress.zip")));
  else await copyFolder(tree, site);
  const driver = Object.entries(await unzip(from, "sqlite-driver.zip"))
    .map(([name, bytes]) => [name.replace(/^[^/]+\//, ""), bytes] as const);
  await writeTree(`${site}/wp-content/sqlite-driver`, driver);
  for (const path of ["database", "uploads", "mu-plugins"]) {
    await Deno.mkdir(`${site}/wp-content/${path}`, { recursive: true });
  }
  for (const [to, text] of Object.entries(TEXTS)) await Deno.copyFile(script(text), `${site}/${to}`);
  await Deno.copyFile(script("offline.php"), `${site}/${OFFLINE}`);
  const users = await runPhp([script("install.php"), site], "WordPress could not be installed");
  JSON.parse(users);
  await Deno.writeTextFile(`${folder}/users.json`, users);
}

/** Which seeds this process has built or found. */
const known = new Map<string, Promise<Seed>>();

async function find(cache: string, say: (line: string) => void): Promise<Seed> {
  const name = await seedName();
  const folder = `${cache}/${name}`;
  if (!await exists(folder)) {
    // The lock falls with the process that holds it; only a finished seed ever gets its name.
    using lock = await Deno.open(`${cache}/lock`, { create: true, write: true });
    await lock.lock(true);
    if (!await exists(folder)) {
      say("Getting WordPress ready; this happens once on a machine and takes some ten seconds");
      // Named by chance: an orphan of a crashed builder may still be writing into the folder of its own.
      const part = await partOf(cache, name);
      await build(cache, part);
      await Deno.rename(part, folder);
    }
  }
  const users = JSON.parse(await Deno.readTextFile(`${folder}/users.json`)) as Record<CmsLogin, CmsUser>;
  return { folder, users };
}

/**
 * The seed of this machine, made on first use: needs npm and some ten seconds then. Any number of callers in any number
 * of processes may ask at once; one of them builds. Throws an Error saying what was lacking.
 */
export async function seed(cache: string, say: (line: string) => void): Promise<Seed> {
  const found = known.get(cache) ?? find(cache, say);
  known.set(cache, found);
  try {
    return await found;
  } catch (thrown) {
    known.delete(cache);
    throw thrown;
  }
}
