/** The places a store can be at: what kind of place an address names, how it is opened, and how messages name it. */
import type { Channel } from "./cache.ts";
import { delay } from "../core/async.ts";
import { isDatabase, placeNamed, shownAddress } from "../core/env_values.ts";
import { GatewayError } from "../core/errors.ts";
import { HOW_TO_MEND, isDamage, rootOf } from "./database.ts";
import { isUnreadable, namingDamage, openFileToRead } from "./file_kv.ts";
import type { Other, Telling } from "./postgres/kv.ts";
import { openRoomy, placeOf } from "./roomy_kv.ts";
import { messageOf } from "./store_file.ts";

/** Whether that is the address of a KV Connect server. */
export const isAddress = (path: string | undefined): path is string =>
  path !== undefined && /^https?:/.test(path);

/** Whether that is a file on this machine. */
export const isFile = (path: string | undefined): path is string =>
  path !== undefined && path !== ":memory:" && !isAddress(path) && !isDatabase(path);

/** Whether the engine of that place runs in the process that opens it. */
export const isHere = (path: string | undefined): boolean => path === ":memory:" || isFile(path);

/** Whether that is a place that this machine remembers once it has held a store. */
export const isKept = (path: string | undefined): path is string => isFile(path) || isDatabase(path);

/** How messages name a store; never with a password. */
export function nameOf(path: string | undefined): string {
  if (path === undefined) return "the host's KV";
  if (isDatabase(path)) return shownAddress(path);
  const url = isAddress(path) ? URL.parse(path) : null;
  if (url === null || (url.username === "" && url.password === "")) return `"${path}"`;
  url.username = url.password = "";
  return `"${url.href}"`;
}

/** What a store is kept in, as messages say it. */
export const placeText = (path: string | undefined): string =>
  isFile(path)
    ? `the file ${nameOf(path)}`
    : isDatabase(path)
    ? `the database ${nameOf(path)}`
    : path === undefined || path === ":memory:"
    ? "the gateway's KV"
    : `the server ${nameOf(path)}`;

/** Waits for work at a place that this setting or argument named: a refusal that is about the place says so. */
export async function underName<T>(work: Promise<T>, name: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const message = placeNamed(error.message, name);
    throw message === error.message ? error : error.saying(message);
  }
}

/** What the engine of a KV may tell beside what is stored; null where it tells nothing. */
export const tellingOf = (kv: Deno.Kv): Telling | null => "others" in kv ? kv as Deno.Kv & Telling : null;

/** One who has ended just now is seen for a moment more: it is looked so often, so long apart. */
const LOOKS = 10;
const BETWEEN_LOOKS_MS = 100;

/**
 * Refuses a store that others have open, with who that is; `then` is what the operator wants to do. Of a file it is known
 * before it is opened. Where nobody can tell, `notice` is given a sentence that says so.
 */
export async function assertAlone(
  kv: Deno.Kv,
  path: string,
  then: string,
  notice: (sentence: string) => void = () => {},
): Promise<void> {
  if (isFile(path)) return;
  let others: readonly Other[] | null = null;
  for (let looks = 0; looks < LOOKS; looks++) {
    others = await tellingOf(kv)?.others() ?? null;
    if (others === null || others.length === 0) break;
    await delay(BETWEEN_LOOKS_MS);
  }
  if (others === null) {
    notice(`Whether a gateway runs on ${nameOf(path)} cannot be told; make sure that none does.`);
  } else if (others.length > 0) throw new GatewayError("E_INTERNAL", inUse(path, others, then));
}

/** Each address once, with its connections. */
function inUse(path: string, others: readonly Other[], then: string): string {
  const by = Map.groupBy(others, ({ address }) => address);
  const all = [...by].map(([address, own]) => {
    const since = own.map(({ since }) => since).filter((since) => since !== null).sort()[0];
    const processes = own.map(({ process }) => process).sort((one, other) => one - other);
    return `${address ?? "an address that it does not show"}${
      since === undefined ? "" : ` since ${since}`
    } ` +
      `(its ${processes.length === 1 ? "process" : "processes"} ${processes.join(", ")})`;
  });
  return `KV_PATH: ${nameOf(path)} is in use by ${
    all.join(" and ")
  }; stop every gateway on it, then ${then}, or where ` +
    `a machine that is gone left a connection behind, end it in the database: ` +
    `select pg_terminate_backend(${others[0]!.process})`;
}

/** The channel of a KV; null where its engine has none. */
export const channelOf = (kv: Deno.Kv): Channel | null => "onTold" in kv ? kv as Deno.Kv & Channel : null;

/**
 * Opens the KV of a file, ":memory:", a KV Connect server, a PostgreSQL database, or of the host where no place is given.
 * Rejects as the engine does.
 */
export async function openPlace(path: string | undefined): Promise<Deno.Kv> {
  if (isFile(path)) return namingDamage(await openRoomy(placeOf(path)), path);
  if (!isDatabase(path)) return namingDamage(await Deno.openKv(path), null);
  const { openPostgres } = await import("./postgres/kv.ts");
  return await openPostgres(path);
}

/** Opens such a place for reading alone: nothing is made or changed there. Rejects as the engine does. */
export async function openPlaceToRead(path: string): Promise<Deno.Kv> {
  if (isFile(path)) return openFileToRead(path);
  if (!isDatabase(path)) return await openPlace(path);
  const { openPostgres } = await import("./postgres/kv.ts");
  return await openPostgres(path, { wanted: "there" });
}

/** What SQLite says of a disk, or a right, that it lacks in the middle of the work, and the runtime of the operating system. */
const OF_DISK = ["disk is full", "disk I/O error", "readonly database", "(os error "];

/**
 * What is said where a database, KV or the system does not do what a command needs of it in the middle of the work; null for
 * all else.
 */
export function faultOfEngine(thrown: unknown): string | null {
  const root = rootOf(thrown);
  const said = messageOf(root);
  if (OF_DISK.some((words) => said.includes(words))) {
    return `Nothing more could be read or written (${said}); see to the disk, its room and its rights, and run the command again`;
  }
  const isOfServer = (root as { severity?: unknown } | null)?.severity !== undefined;
  if (!isOfServer && !isDamage(thrown) && !isUnreadable(root)) return null;
  return `The store could not be read or written to the end (${said}); ${HOW_TO_MEND}`;
}
