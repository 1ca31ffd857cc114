/** The portable backup as a file: a header, an entry a line, and at the end how many there are and the hash of all before. */
import { createHash, type Hash } from "node:crypto";
import { dirname } from "node:path";
import { serialize } from "node:v8";
import { GatewayError } from "../core/errors.ts";
import { VERSION } from "../core/model.ts";
import { makeFile, makeFolder } from "./file_owner.ts";
import { isOfMark, type Laid } from "./intake.ts";
import { keyBytes } from "./key_bytes.ts";
import { isMark, type StoreMark } from "./mark.ts";
import { tagged, untagged } from "./portable.ts";
import { messageOf, refusal } from "./store_file.ts";

/** What such a file calls itself, and the number of its own format. */
const KIND = "site-ops-store";
export const BACKUP_FORMAT = 1;

const FLUSH_BYTES = 256 * 1024;
/** A value has 64 KiB at most, and no text of it is sixteen times as long. */
const LINE_BYTES_MAX = 1024 * 1024;
/** What Deno KV takes, and how much longer a value is when it is kept than its text at most (a number of three signs has nine bytes). */
const KEY_BYTES_MAX = 2048;
const VALUE_BYTES_MAX = 65_536;
const SERIALIZED_GROWTH_MAX = 4;
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { fatal: true });

/** The first line. */
export interface Header {
  readonly kind: typeof KIND;
  readonly format: number;
  readonly store: string;
  readonly store_format: number;
  readonly lowest: StoreMark["lowest"];
  /** The id of the key that the store's mark is sealed under. */
  readonly key: string;
  readonly made_at: string;
  readonly made_by: string;
}

/** The header of a backup that is made of that store now. */
export const headerOf = ({ id, format, lowest, check }: StoreMark, now: number): Header => ({
  kind: KIND,
  format: BACKUP_FORMAT,
  store: id,
  store_format: format,
  lowest,
  key: check.key,
  made_at: new Date(now).toISOString(),
  made_by: VERSION,
});

/** How far a file is written. */
interface Place {
  readonly offset: number;
  readonly hash: Hash;
  readonly entries: number;
}

/** A backup that is being written. */
export class BackupWriter implements Disposable {
  #hash = createHash("sha256");
  #offset = 0;
  #entries = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  private constructor(private readonly file: Deno.FsFile) {}

  /** A new file that its owner alone may read. Throws a GatewayError where one is there already. */
  static async create(path: string, header: Header): Promise<BackupWriter> {
    await makeFolder(dirname(path));
    let file: Deno.FsFile;
    try {
      await makeFile(path);
      file = await Deno.open(path, { write: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      throw refusal(`"${path}" is there already; name another file`);
    }
    const writer = new BackupWriter(file);
    await writer.#line(header);
    return writer;
  }

  get entries(): number {
    return this.#entries;
  }

  /** Writes an entry. */
  async put({ key, value, ends_at }: Laid): Promise<void> {
    this.#entries++;
    await this.#line([key.map(tagged), tagged(value), ...ends_at === null ? [] : [ends_at]]);
  }

  /** Where it is now, to go back to. */
  here(): Place {
    return { offset: this.#offset, hash: this.#hash.copy(), entries: this.#entries };
  }

  /** Takes away what was written since. */
  async goBack({ offset, hash, entries }: Place): Promise<void> {
    await this.#flush();
    await this.file.truncate(offset);
    await this.file.seek(offset, Deno.SeekMode.Start);
    this.#offset = offset;
    this.#hash = hash.copy();
    this.#entries = entries;
  }

  /** Writes the last line, with what was wrong with the store; the file is whole then, and on the disk. */
  async finish(faults: readonly string[] = []): Promise<void> {
    const sha256 = this.#hash.copy().digest("hex");
    await this.#line({ entries: this.#entries, sha256, ...faults.length > 0 && { faults } });
    await this.#flush();
    await this.file.sync();
  }

  async #line(value: unknown): Promise<void> {
    const line = ENCODER.encode(`${JSON.stringify(value)}\n`);
    this.#hash.update(line);
    this.#offset += line.length;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes >= FLUSH_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    for (let line of this.#waiting) {
      while (line.length > 0) line = line.subarray(await this.file.write(line));
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  [Symbol.dispose](): void {
    this.file.close();
  }
}

/** A line of a file, with its number from 1. */
interface Line {
  readonly nth: number;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** A backup that is read, as often as is wanted. */
export class BackupReader {
  private constructor(
    readonly path: string,
    readonly header: Header,
    readonly entries: number,
    readonly sha256: string,
    readonly mark: StoreMark,
    /** What was wrong with the store that it was made of, a sentence each. */
    readonly faults: readonly string[],
  ) {}

  /**
   * Reads all of it once. Throws a GatewayError where it is no backup, of a newer format, only a part, was changed, or holds
   * what no store would keep.
   */
  static async open(path: string): Promise<BackupReader> {
    let header: Header | null = null;
    let last: Line | null = null;
    let mark: StoreMark | null = null;
    let fault: unknown = null;
    const hash = createHash("sha256");
    for await (const line of linesOf(path)) {
      if (last !== null) hash.update(last.bytes);
      if (header === null) header = asHeader(path, line.text);
      else if (!line.text.startsWith("{")) {
        try {
          const { key, value } = entryOf(path, line);
          if (line.nth === 2 && isOfMark(key) && isMark(value)) mark = value;
        } catch (error) {
          fault ??= error; // where a part is missing or was changed, that is what is wrong
        }
      }
      last = line;
    }
    if (header === null) throw refusal(`"${path}" is empty; name a backup of a store`);
    const end = last && asEnd(last.text);
    if (!end || !last?.text.startsWith("{")) {
      throw refusal(`"${path}" is only a part of a backup: its last line is missing; take another one`);
    }
    if (end.entries !== last.nth - 2 || end.sha256 !== hash.digest("hex")) {
      throw refusal(`"${path}" is damaged or was changed: its hash is another one; take another backup`);
    }
    if (fault !== null) throw fault;
    if (mark === null) {
      throw refusal(`"${path}", line 2, is not the mark of a store; take another backup`);
    }
    return new BackupReader(path, header, end.entries, end.sha256, mark, end.faults);
  }

  /** The entries behind the first so many, the mark of the store among them. Throws a GatewayError for what is none. */
  async *read(after = 0): AsyncGenerator<Laid> {
    for await (const line of linesOf(this.path)) {
      if (line.nth > after + 1 && line.nth <= this.entries + 1) yield entryOf(this.path, line);
    }
  }
}

/** Throws a GatewayError for what no store would keep. */
function entryOf(path: string, { nth, text }: Line): Laid {
  try {
    const line: unknown = JSON.parse(text);
    if (!Array.isArray(line)) throw new TypeError("it is no list");
    const [key, value, ends_at = null] = line;
    const entry = { key: untagged(key) as Deno.KvKey, value: untagged(value), ends_at };
    const fault = faultOf(entry, text);
    if (fault === null) return entry;
    throw new TypeError(fault);
  } catch (cause) {
    throw refusal(
      `"${path}", line ${nth}, is no entry of a backup (${messageOf(cause)}); take another one`,
      cause,
    );
  }
}

/** Why no store would keep that entry, which is read from that text; null where one would. */
function faultOf({ key, value, ends_at }: Laid, text: string): string | null {
  if (!Array.isArray(key) || key.length === 0 || !key.every(isKeyPart)) return "its key is none";
  if (keyBytes(key).length > KEY_BYTES_MAX) return "its key is too long";
  if (ends_at !== null && !Number.isFinite(ends_at)) return "its time is none";
  const mayBeLong = text.length > VALUE_BYTES_MAX / SERIALIZED_GROWTH_MAX;
  return mayBeLong && bytesOf(value) > VALUE_BYTES_MAX ? "its value is too long" : null;
}

const isKeyPart = (part: unknown) =>
  ["string", "number", "bigint", "boolean"].includes(typeof part) || part instanceof Uint8Array;

const bytesOf = (value: unknown) => value instanceof Uint8Array ? value.length : serialize(value).length;

function asHeader(path: string, text: string): Header {
  const header = parsed(text) as Partial<Header> | null;
  if (header?.kind !== KIND || typeof header.format !== "number") {
    throw refusal(`"${path}" is no backup of a store; name a file that store backup made`);
  }
  if (header.format > BACKUP_FORMAT) {
    throw refusal(
      `"${path}" is a backup of format ${header.format}, made by version ${header.made_by}, and this is ${VERSION} ` +
        `(format ${BACKUP_FORMAT}); put it back with that version`,
    );
  }
  return header as Header;
}

interface End {
  readonly entries: number;
  readonly sha256: string;
  readonly faults: readonly string[];
}

function asEnd(text: string): End | null {
  const end = parsed(text) as { entries?: unknown; sha256?: unknown; faults?: unknown } | null;
  if (typeof end?.entries !== "number" || typeof end.sha256 !== "string") return null;
  const faults = Array.isArray(end.faults) ? end.faults.filter((fault) => typeof fault === "string") : [];
  return { entries: end.entries, sha256: end.sha256, faults };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Lines as they are, line feeds included. Throws a GatewayError where it cannot be read as lines of text. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  let rest: Uint8Array<ArrayBufferLike> = new Uint8Array();
  let nth = 0;
  try {
    using file = await Deno.open(path);
    for await (const chunk of file.readable) {
      let bytes: Uint8Array<ArrayBufferLike> = rest.length === 0 ? chunk : joined(rest, chunk);
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
        const line = bytes.subarray(0, end + 1);
        yield { nth: ++nth, bytes: line, text: DECODER.decode(line) };
        bytes = bytes.subarray(end + 1);
      }
      rest = bytes;
      if (rest.length > LINE_BYTES_MAX) throw new Error("a line is too long");
    }
    if (rest.length > 0) yield { nth: ++nth, bytes: rest, text: DECODER.decode(rest) };
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    if (cause instanceof Deno.errors.NotFound) {
      throw refusal(`"${path}" does not exist; name a backup`, cause);
    }
    throw refusal(`"${path}" cannot be read as a backup (${messageOf(cause)})`, cause);
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
