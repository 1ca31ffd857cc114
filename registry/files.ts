/** The files that boot joins by their paths, imported all at once, and what is said when they do not fit together. */

/** A file `<group>/<name>`. */
export interface Found {
  readonly group: string;
  readonly name: string;
  readonly url: URL;
}

/** Thrown when what is on disk does not make a registry; the message has a line per fault, `file: reason`. */
export class RegistryError extends Error {
  constructor(what: string, readonly faults: readonly string[]) {
    super(`The ${what} cannot be loaded:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.name = "RegistryError";
  }
}

/** The files `<group>/<name><ending>` below a folder; folders and files that begin with "_" are helpers. A missing folder is empty. */
export async function find(folder: URL, ending: string): Promise<Found[]> {
  const found: Found[] = [];
  for (const group of await list(folder)) {
    if (!group.isDirectory || group.name.startsWith("_")) continue;
    const url = new URL(`${group.name}/`, folder);
    for (const file of await list(url)) {
      if (!file.isFile || !file.name.endsWith(ending) || file.name.startsWith("_")) continue;
      const name = file.name.slice(0, -ending.length);
      found.push({ group: group.name, name, url: new URL(file.name, url) });
    }
  }
  return found.sort((a, b) => a.url.href < b.url.href ? -1 : 1);
}

/** The file of that name in each folder below a folder. */
export async function findIn(folder: URL, name: string): Promise<Found[]> {
  return (await find(folder, name)).filter((file) => file.name === "");
}

async function list(folder: URL): Promise<Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Whether the process had no descriptor left to read a file with: that says nothing of the file, and ends by itself. */
export const isOutOfFiles = (error: unknown): boolean => String(error).includes("Too many open files");

/** The first line of what was thrown. */
export const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0];

/**
 * The default exports of the modules, by address. They are imported through one module made for it, because the
 * runtime looks at the whole graph anew for each import of its own: some 4 ms each, for a hundred tools more than all
 * the rest of the boot. Null where one of them cannot be imported: imported one by one, it can be named.
 */
export async function importAll(urls: readonly URL[]): Promise<ReadonlyMap<string, unknown> | null> {
  const lines = urls.map(({ href }, at) => `import * as m${at} from ${JSON.stringify(href)};`);
  const names = urls.map((_, at) => `m${at}.default`);
  const text = `${lines.join("\n")}\nexport default [${names.join(", ")}];\n`;
  const joined = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    const modules: unknown[] = (await import(joined)).default;
    return new Map(urls.map(({ href }, at) => [href, modules[at]]));
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(joined);
  }
}
