/** Git objects: in memory until somebody works in the repository's folder, then loose files; what others brought, through git. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";

/** The kinds of git objects. */
export type ObjectType = "blob" | "tree" | "commit" | "tag";

/** An object as stored. */
export interface GitObject {
  readonly type: ObjectType;
  readonly body: Uint8Array;
}

/** Runs git in a repository; resolves to its output, whatever the exit code. */
export type RunGit = (
  args: readonly string[],
  input?: Uint8Array,
) => Promise<{ code: number; stdout: Uint8Array; stderr: string }>;

const TYPES: ReadonlySet<string> = new Set(["blob", "tree", "commit", "tag"]);
/** Bytes of an object that is kept in memory as well. */
const SMALL = 16 * 1024;
const SHA = /^[0-9a-f]{40}$/;

/** Whether a text is a full object name. */
export function isSha(text: unknown): text is string {
  return typeof text === "string" && SHA.test(text);
}

/** `<type> <size>\0<body>`, or `<sha> <type> <size>\n<body>` of cat-file, taken apart. */
function split(
  bytes: Uint8Array,
  end: number,
  words: (head: string[]) => string | undefined,
): GitObject | null {
  const at = bytes.indexOf(end);
  const type = at < 0 ? undefined : words(new TextDecoder().decode(bytes.subarray(0, at)).split(" "));
  if (type === undefined || !TYPES.has(type)) return null;
  return { type: type as ObjectType, body: bytes.subarray(at + 1) };
}

/** The objects of one repository. */
export class Objects {
  readonly #sizes = new Map<string, number>();
  readonly #small = new Map<string, GitObject>();
  /** All of them while nothing is on disk. */
  #held: Map<string, GitObject> | null = new Map();
  #parts = 0;
  /** Bytes of all bodies written here. */
  written = 0;

  constructor(readonly folder: string, readonly git: RunGit) {}

  #file(sha: string): string {
    return `${this.folder}/${sha.slice(0, 2)}/${sha.slice(2)}`;
  }

  /** Remembers what a name stands for, as it never changes: a small object whole, of others the size. */
  #know(sha: string, object: GitObject | null): GitObject | null {
    if (object === null) return null;
    this.#sizes.set(sha, object.body.length);
    if (object.body.length <= SMALL) this.#small.set(sha, { type: object.type, body: object.body.slice() });
    return object;
  }

  /** Stores an object and answers its name. What is there already stays as it is. */
  async write(type: ObjectType, body: Uint8Array): Promise<string> {
    const head = new TextEncoder().encode(`${type} ${body.length}\0`);
    const sha = createHash("sha1").update(head).update(body).digest("hex");
    if (this.#held) {
      if (this.#held.has(sha)) return sha;
      this.#held.set(sha, { type, body: body.slice() });
      this.written += body.length;
      return sha;
    }
    const file = this.#file(sha);
    if (await Deno.stat(file).then(() => true, () => false)) return sha;
    await this.#store(sha, Buffer.concat([head, body]));
    this.written += body.length;
    this.#know(sha, { type, body });
    return sha;
  }

  async #store(sha: string, bytes: Uint8Array): Promise<void> {
    const file = this.#file(sha);
    const folder = file.slice(0, -39);
    // Each time: `git gc` takes empty folders away.
    await Deno.mkdir(folder, { recursive: true });
    const part = `${folder}/tmp_obj_${++this.#parts}`;
    await Deno.writeFile(part, deflateSync(bytes, { level: 1 }), { mode: 0o444 });
    await Deno.rename(part, file);
  }

  /** Writes all that is held into the folder; what is added meanwhile too. */
  async store(): Promise<void> {
    for (const [sha, object] of this.#held ?? []) {
      const head = new TextEncoder().encode(`${object.type} ${object.body.length}\0`);
      await this.#store(sha, Buffer.concat([head, object.body]));
      this.#know(sha, object);
    }
  }

  /** From here on the folder holds them. */
  release(): void {
    this.#held = null;
  }

  /** The full names of those in memory that begin so. */
  named(beginning: string): string[] {
    return [...this.#held?.keys() ?? []].filter((sha) => sha.startsWith(beginning));
  }

  /** An object by its full name; null when there is none. */
  async read(sha: string): Promise<GitObject | null> {
    if (!isSha(sha)) return null;
    if (this.#held) return this.#held.get(sha) ?? null;
    const known = this.#small.get(sha);
    if (known !== undefined) return known;
    try {
      return this.#know(sha, split(inflateSync(await Deno.readFile(this.#file(sha))), 0, ([type]) => type));
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
    // Somebody may have pushed a pack.
    const { stdout } = await this.git(["cat-file", "--batch"], new TextEncoder().encode(`${sha}\n`));
    const found = split(stdout, 10, (head) => head.length === 3 ? head[1] : undefined);
    return this.#know(sha, found && { type: found.type, body: found.body.subarray(0, -1) });
  }

  /** An object of one kind by its full name; null when there is none of that kind. */
  async readAs(type: ObjectType, sha: string): Promise<Uint8Array | null> {
    const found = await this.read(sha);
    return found?.type === type ? found.body : null;
  }

  /** The bytes an object has by its full name; null when there is none. */
  async size(sha: string): Promise<number | null> {
    return this.#sizes.get(sha) ?? (await this.read(sha))?.body.length ?? null;
  }
}
