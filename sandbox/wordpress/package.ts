/** Getting WordPress and its SQLite driver out of the npm package that carries both. */

const PACKAGE = "@wp-playground/wordpress-builds@0.9.19";

/** The two archives wanted: where each lies in the package, and what it must be. */
export const ARCHIVES = {
  "wordpress.zip": {
    path: "package/src/wordpress/wp-6.5.zip",
    sha256: "264f163157658da2a4df8f9979f527fc806fd963039b4a14062ab99e8f44ecd9",
  },
  "sqlite-driver.zip": {
    path: "package/src/sqlite-database-integration/sqlite-database-integration.zip",
    sha256: "fd6f40639954a24161f465620837326a75e0bb43029f9e734e64418d991001b2",
  },
} as const;

/** The name of an archive. */
export type ArchiveName = keyof typeof ARCHIVES;

const BLOCK = 512;

/** Files of a gzipped tar that `wanted` names; reads no further than it must. */
export async function untar(
  packed: ReadableStream<Uint8Array<ArrayBuffer>>,
  wanted: ReadonlySet<string>,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const found = new Map<string, Uint8Array<ArrayBuffer>>();
  const ascii = new TextDecoder("latin1");
  const text = (block: Uint8Array, from: number, size: number) =>
    ascii.decode(block.subarray(from, from + size)).replace(/\0.*$/s, "");
  const header = new Uint8Array(BLOCK);
  let filled = 0;
  let left = 0; // bytes of the current file, padding included
  let body: Uint8Array<ArrayBuffer> | null = null;
  let at = 0;
  for await (const chunk of packed.pipeThrough(new DecompressionStream("gzip"))) {
    for (let position = 0; position < chunk.length;) {
      if (left > 0) {
        const size = Math.min(left, chunk.length - position);
        if (body !== null && at < body.length) {
          body.set(chunk.subarray(position, position + Math.min(size, body.length - at)), at);
          at += size;
        }
        left -= size;
        position += size;
        if (left === 0 && found.size === wanted.size) return found;
        continue;
      }
      const size = Math.min(BLOCK - filled, chunk.length - position);
      header.set(chunk.subarray(position, position + size), filled);
      filled += size;
      position += size;
      if (filled < BLOCK) continue;
      filled = 0;
      const prefix = text(header, 345, 155);
      const name = (prefix && `${prefix}/`) + text(header, 0, 100);
      const length = parseInt(text(header, 124, 12).trim() || "0", 8);
      left = Math.ceil(length / BLOCK) * BLOCK;
      body = wanted.has(name) ? new Uint8Array(length) : null;
      at = 0;
      if (body !== null) found.set(name, body);
    }
  }
  return found;
}

async function hex256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

async function pack(folder: string): Promise<string> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("npm", {
      args: ["pack", "--silent", "--pack-destination", folder, PACKAGE],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    throw new Error("npm is not installed; it is needed once, to get WordPress", { cause: thrown });
  }
  const name = new TextDecoder().decode(output.stdout).trim().split("\n").at(-1);
  if (output.success && name) return `${folder}/${name}`;
  const complaint = new TextDecoder().decode(output.stderr).trim().slice(0, 300);
  throw new Error(`npm could not get ${PACKAGE}: ${complaint || "no reason given"}`);
}

/** Writes both archives into `folder`, checked against their hashes. Takes 158 MB of disk there while it works. */
export async function getArchives(folder: string): Promise<void> {
  const tarball = await pack(folder);
  const file = await Deno.open(tarball);
  const paths = new Set<string>(Object.values(ARCHIVES).map(({ path }) => path));
  const found = await untar(file.readable, paths);
  await Deno.remove(tarball);
  for (const [name, { path, sha256 }] of Object.entries(ARCHIVES)) {
    const bytes = found.get(path);
    if (bytes === undefined) throw new Error(`${PACKAGE} holds no "${path}"`);
    if (await hex256(bytes) !== sha256) {
      throw new Error(`"${path}" of ${PACKAGE} is not the file it was; not used`);
    }
    await Deno.writeFile(`${folder}/${name}`, bytes);
  }
}
