/** The real site generator, at the versions and hashes that astro_lock.json holds, and what it publishes. */

const LOCK = new URL("astro_lock.json", import.meta.url);

/** Where packages that were installed are kept between runs: a folder of that name in the user's cache. */
export async function cacheFolder(name: string): Promise<string> {
  const cache = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  const folder = `${cache}/site-ops-gateway/${name}`;
  await Deno.mkdir(folder, { recursive: true });
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...more, NO_COLOR: "1", ASTRO_TELEMETRY_DISABLED: "1" };
  const child = new Deno.Command(command, { args: [...args], cwd, env, stdin: "null" });
  const { success, stdout, stderr } = await child.output();
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  if (!success) throw new Error(`${command} ${args.join(" ")} failed: ${said}`);
  return said;
}

async function install(): Promise<string> {
  const lock = await Deno.readTextFile(LOCK);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lock)));
  const cache = await cacheFolder("astro");
  const folder = `${cache}/${hash.toHex().slice(0, 12)}`;
  // The lock falls with the process that holds it; only what is installed to its end gets the name.
  using file = await Deno.open(`${cache}/lock`, { create: true, write: true });
  await file.lock(true);
  if (await exists(folder)) return `${folder}/node_modules`;
  const part = await Deno.makeTempDir({ dir: cache, prefix: "part-" });
  const { dependencies } = JSON.parse(lock).packages[""];
  await Deno.writeTextFile(`${part}/package.json`, JSON.stringify({ private: true, dependencies }));
  await Deno.writeTextFile(`${part}/package-lock.json`, lock);
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], part);
  await Deno.rename(part, folder);
  return `${folder}/node_modules`;
}

let installed: Promise<string> | undefined;

/** A package of the lock. */
interface Locked {
  readonly version: string;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

/** What projects depend on at first, by name, as the lock has it, and everything that comes with that. */
export async function locked(): Promise<{ own: Record<string, Locked>; all: Locked[] }> {
  const { packages: { "": { dependencies }, ...rest } } = JSON.parse(await Deno.readTextFile(LOCK));
  const own = Object.keys(dependencies).map((name) => [name, rest[`node_modules/${name}`]]);
  return { own: Object.fromEntries(own), all: Object.values(rest) };
}

/** Builds the project in `dir` into `dist/` there, as that branch. Answers what the build said; throws with it when it fails. */
export async function buildProject(dir: string, branch = "main"): Promise<string> {
  const packages = await (installed ??= install());
  // Links one by one: what the build keeps beside them is the project's own.
  await Deno.mkdir(`${dir}/node_modules`);
  for await (const { name } of Deno.readDir(packages)) {
    if (name.startsWith(".")) continue;
    await Deno.symlink(`${packages}/${name}`, `${dir}/node_modules/${name}`);
  }
  return await run(Deno.execPath(), ["run", "-A", "node_modules/astro/bin/astro.mjs", "build"], dir, {
    CF_PAGES_BRANCH: branch,
  });
}

/** The bytes a visitor gets of a route of a built project; null when there is no such page. */
export async function published(dir: string, route: string): Promise<Uint8Array | null> {
  const name = route === "/404" ? "404.html" : `${route === "/" ? "" : `${route.slice(1)}/`}index.html`;
  try {
    return await Deno.readFile(`${dir}/dist/${name}`);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return null;
    throw thrown;
  }
}

/** Writes files of a project into `dir`, and their folders. */
export async function writeProject(
  dir: string,
  files: readonly { readonly path: string; readonly content: string }[],
): Promise<void> {
  for (const { path, content } of files) {
    await Deno.mkdir(`${dir}/${path.slice(0, path.lastIndexOf("/") + 1)}`, { recursive: true });
    await Deno.writeTextFile(`${dir}/${path}`, content);
  }
}
