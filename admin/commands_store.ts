/** `store …`: the file of the store, which these commands open themselves; all others ask a running gateway. */
import { counted, formOf } from "../core/one_line.ts";
import { GatewayError } from "../core/errors.ts";
import {
  HOW_TO_LOAD,
  HOW_TO_MAKE,
  isDatabase,
  keys,
  placeNamed,
  shownAddress,
  storePlace,
  Wrong,
} from "../core/env_values.ts";
import { quoted } from "../core/fields.ts";
import { databaseOf, placeGiven } from "../core/settings.ts";
import type { NamedPlace } from "../store/copying.ts";
import { hasStore, KNOWN_STORES_PATH } from "../store/known_stores.ts";
import type { Condition, StoreFile } from "../store/maintenance.ts";
import type { AuditVerdict } from "../store/store.ts";
import type { Call, Command } from "./command.ts";
import { verdictText } from "./commands_audit.ts";
import { cell, CommandError } from "./terminal.ts";

const NOTES =
  "The store is what KV_PATH names, else the database of DATABASE_URL, else data/gateway.sqlite3, as for task start " +
  "(task dev leaves DATABASE_URL alone); a gateway on it need not run.";
const STOPPED = "Stop every gateway on the store first.";

/** Imported when needed: it opens databases, as no other command does. */
const maintenance = () => import("../store/maintenance.ts");

const init: Command = {
  words: ["store", "init"],
  local: true,
  summary: "Make an empty store, on purpose, where there is none",
  options: {},
  notes:
    `${NOTES} The gateway makes its first store by itself, and refuses to start where one was and is missing.`,
  async run(call) {
    const store = storeOf(call);
    const aside = await refusing(store, async () => (await maintenance()).initStore(store));
    call.show({ path: store.path, aside }, ({ path }) => `${path} is an empty store.\n${movedTo(aside)}`);
  },
};

const backup: Command = {
  words: ["store", "backup"],
  local: true,
  subject: { name: "file", help: "a new file (else in data/copies/, named by the time)", optional: true },
  summary: "Copy the store, while the gateway runs or not",
  options: { to: { value: "file", help: "the same, as an option" } },
  notes:
    `${NOTES} A file whose name ends in .ndjson is a portable backup, which can be put back at any place: an entry a line. Any ` +
    "other file is a copy of the store's file, as it is at one moment; a store that is no file has portable backups only. " +
    "Keep ENCRYPTION_KEYS somewhere else than the copies: without them no credential can be opened. What is damaged is named " +
    "and, from a portable backup, left out; the backup is made all the same, and the command ends with 1.",
  async run(call) {
    const store = place(call);
    const { subject, text } = { subject: call.words.subject, text: call.words.text("to") };
    if (subject !== "" && text !== undefined) {
      throw new CommandError("<file> and --to are the same; give one of them");
    }
    const file = subject || text;
    const made = await refusing(store, async () => {
      const { backUpStore } = await maintenance();
      const told = (entries: number) => call.terminal.status?.(`${entriesOf(entries)} written`);
      return await backUpStore(store, file, told);
    });
    call.show({ ok: isWhole(made), ...made }, ({ copy, entries, unsettled = [] }) => {
      const what = entries === undefined ? "copy" : `backup of ${entriesOf(entries)}`;
      const moved = unsettled.map((kind) =>
        `The ${kind} was changed all the while it was read; make another backup soon.\n`
      );
      return `${copy} is a ${what} of ${shownPlace(store.path)}.\n${moved.join("")}` +
        conditionText(
          made,
          "The store is damaged; the backup was made all the same:",
          "See what else is damaged",
        );
    });
    return isWhole(made) ? 0 : 1;
  },
};

const entriesOf = (count: number): string => counted(count, "entry", "entries");

const RAW =
  "The copy was not made by store backup: where a gateway ran meanwhile, what it wrote last is not in it. An anchor from " +
  "after the copy tells (audit verify --anchor data/anchors.ndjson).\n";

const restore: Command = {
  words: ["store", "restore"],
  local: true,
  subject: { name: "copy", help: "a file that store backup made" },
  summary: "Put a copy in the place of the store",
  options: {},
  notes:
    `${NOTES} ${STOPPED} What is there is moved into a new folder beside it; a store that is no file must be empty. A copy of ` +
    "another gateway, of other keys or of a version that this one cannot open is refused, and everything stays as it was. The " +
    "copy is checked and its audit verified; where anything is wrong with it that is said, and the command ends with 1.",
  async run(call) {
    const store = storeOf(call);
    const told = (entries: number) => call.terminal.status?.(`${entriesOf(entries)} put back`);
    const restored = await refusing(
      store,
      async () => (await maintenance()).restoreStore(store, call.words.subject, told),
    );
    const ok = isWhole(restored);
    call.show(
      { ok, path: shownPlace(store.path), ...restored },
      ({ path, aside }) =>
        `${path} is the copy now${ok ? "; start the gateway" : ""}.\n` +
        movedTo(aside) + (restored.raw ? RAW : "") +
        conditionText(
          restored,
          "The copy is damaged:",
          "Put back another copy, or see what is left of this one",
        ),
    );
    return ok ? 0 : 1;
  },
};

const MIB = 2 ** 20;
const size = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

const compact: Command = {
  words: ["store", "compact"],
  local: true,
  summary: "Give back to the disk what is free in the store's file, as after retention",
  options: {},
  notes: `${NOTES} ${STOPPED} It needs as much room again while it runs; a kill leaves the store as it was.`,
  async run(call) {
    const store = place(call);
    const { before, after } = await refusing(store, async () => (await maintenance()).compactStore(store));
    call.show(
      { path: store.path, before, after },
      ({ path }) => `${path} had ${size(before)} and has ${size(after)}.\n`,
    );
  },
};

const acceptKeys: Command = {
  words: ["store", "accept-keys"],
  local: true,
  summary: "Let a store whose ENCRYPTION_KEYS are lost for good start under the ones that are set now",
  options: {},
  notes:
    `${NOTES} ${STOPPED} What was sealed under the lost keys stays lost: gateway health names it afterwards.`,
  async run(call) {
    const store = storeOf(call);
    await refusing(store, async () => (await maintenance()).acceptKeys(store));
    call.show(
      { path: store.path },
      ({ path }) =>
        `${path} opens under these ENCRYPTION_KEYS; once the gateway runs, gateway health names what must be set again.\n`,
    );
  },
};

const check: Command = {
  words: ["store", "check"],
  local: true,
  summary:
    "Check the store's file, every entry, what is sealed and the audit; ends with 1 where anything is wrong",
  options: {
    after: { value: "id", help: "verify the audit only behind that segment, as where it was cut off" },
  },
  notes:
    `${NOTES} It reads everything and changes nothing. What cannot be read is named by the keys on either side.`,
  async run(call) {
    const store = storeOf(call);
    const { path, keys, named } = store;
    const { status } = call.terminal;
    const found = await refusing(store, async () =>
      (await import("../store/check.ts")).checkStore({
        path,
        named,
        keys,
        now: Date.now,
        after: call.words.text("after"),
        read: (entries) => status?.(`${entriesOf(entries)} read`),
        told: (segments, newest) =>
          status?.(`${counted(segments, "segment")} of the audit verified, up to ${newest}`),
      }));
    call.show(
      found,
      ({ ok, entries, faults, audit }) =>
        `${ok ? "Whole" : isOfKeys(found) ? "Not to be opened" : "Damaged"}: ${entriesOf(entries)} of ${
          shownPlace(path)
        } ${formOf(entries, "was", "were")} read.\n` +
        faultLines(faults) +
        (audit === null ? "" : `The audit: ${verdictText(audit)}`) +
        (ok || isOfKeys(found)
          ? ""
          : "What was copied before is put back with: deno task admin store restore\n"),
    );
    return found.ok ? 0 : 1;
  },
};

const acceptRecords: Command = {
  words: ["store", "accept-records"],
  local: true,
  summary:
    "Show which records the gateway did not write as they are; with --confirm it takes them for its own",
  options: { confirm: { help: "accept them all, and say so in the audit" } },
  notes:
    `${NOTES} ${STOPPED} The gateway refuses tokens, sites, users and what else says who may do what where somebody else ` +
    "wrote them. Accept them only once you know who did, as after a backup was put back by other means.",
  async run(call) {
    const store = storeOf(call);
    const confirm = call.words.on("confirm");
    const faults = await refusing(
      store,
      async () => (await import("../store/accept.ts")).acceptRecords(store, confirm),
    );
    call.show({ path: shownPlace(store.path), accepted: confirm, faults }, ({ path }) => {
      const found = faults.length === 0
        ? `All records of ${path} are as the gateway wrote them.\n`
        : faultLines(faults);
      return found +
        (confirm
          ? `The records of ${path} are accepted as they are; start the gateway.\n`
          : faults.length === 0
          ? ""
          : "To accept them: deno task admin store accept-records --confirm\n");
    });
    return confirm || faults.length === 0 ? 0 : 1;
  },
};

/** Whether nothing is wrong but that the keys are not those of the store: nothing of it is damaged then. */
const isOfKeys = (
  { faults, audit }: { readonly faults: readonly string[]; readonly audit: AuditVerdict | null },
) => audit?.ok === true && faults.length > 0 && faults.every((fault) => fault.includes("ENCRYPTION_KEYS"));

const copy: Command = {
  words: ["store", "copy"],
  local: true,
  subject: {
    name: "from",
    help:
      "the store: a file, the address of a database, or KV_PATH or DATABASE_URL for what that variable names",
  },
  second: { name: "to", help: "an empty place, named in the same way, which becomes the same store" },
  summary: "Copy the store to another place, as from a file to a database or back",
  options: {},
  notes:
    `${
      STOPPED.replace("store", "two")
    } A copy that was cut off goes on with the same command. At the end both places are compared, ` +
    "and the audit is verified; then set KV_PATH to the new place. Needs the ENCRYPTION_KEYS of the store.",
  async run(call) {
    const [from, to] = [
      placeOfCopy(call, "<from>", call.words.subject),
      placeOfCopy(call, "<to>", call.words.second!),
    ];
    const copied = await refusing(AS_SAID, async () =>
      (await import("../store/copying.ts")).copyStoreTo({
        from,
        to,
        keys: keysOf(call),
        now: Date.now,
        known: KNOWN_STORES_PATH,
        notice: noticeOf(call),
        told: (what, entries) => call.terminal.status?.(`${entriesOf(entries)} ${what}`),
      }));
    call.show({ ok: isWhole(copied), ...copied }, ({ entries, compared, faults, audit }) => {
      const width = Math.max(...compared.map(({ kind }) => kind.length));
      const rows = compared.map(({ kind, entries, sha256 }) =>
        `  ${cell(kind).padEnd(width)}  ${String(entries).padStart(9)}  ${sha256}\n`
      );
      return `${entriesOf(entries)} ${formOf(entries, "is", "are")} the same at both places, ${
        shownPlace(from.path)
      } and ${shownPlace(to.path)}:\n${rows.join("")}` +
        (faults.length === 0 ? "" : `Both are damaged:\n${faultLines(faults)}`) +
        `The audit there: ${verdictText(audit)}` +
        "Set KV_PATH to the new place before the gateway starts; the store it came from stays as it was.\n";
    });
    return isWhole(copied) ? 0 : 1;
  },
};

/** Whether nothing is wrong with it. */
const isWhole = ({ faults, audit }: Condition) => faults.length === 0 && audit.ok;

const faultLines = (faults: readonly string[]) => faults.map((fault) => `  ${cell(fault)}\n`).join("");

/** What is wrong with what was made, under that heading, and how to see more. */
function conditionText(condition: Condition, heading: string, next: string): string {
  const { faults, audit } = condition;
  return (faults.length === 0 ? "" : `${heading}\n${faultLines(faults)}`) +
    `The audit: ${verdictText(audit)}` +
    (isWhole(condition) ? "" : `${next} with: deno task admin store check\n`);
}

const movedTo = (aside: string | null) => aside === null ? "" : `What was there is in ${aside}.\n`;

const noticeOf = ({ terminal }: Call) => (sentence: string) => terminal.err(`${sentence}\n`);

/** Where the store is, by the rule of `task start`. */
function place(call: Call): Omit<StoreFile, "keys"> & NamedPlace {
  const { env } = call.terminal;
  // A command runs on no host of a KV: there it is the default.
  const given = placeGiven(
    (name) => name.startsWith("DENO_DEPLOY") ? undefined : env(name),
    "start",
    hasStore,
  );
  if ("fault" in given) throw new CommandError(given.fault);
  const path = asStore(given.name, readPlace(given.name, given.text!));
  return { path, named: given.name, now: Date.now(), known: KNOWN_STORES_PATH, notice: noticeOf(call) };
}

/** Without the password of an address. */
export const shownPlace = (path: string) => isDatabase(path) ? shownAddress(path) : path;

const readPlace = (name: string, text: string): string =>
  read(name, text, storePlace, text.includes("@") ? null : text);

/** Refuses the name of a portable backup for a store's: it would be called damaged, or become a file that no command puts back. */
function asStore(named: string, path: string): string {
  if (path.includes("://") || !path.endsWith(".ndjson")) return path;
  throw new CommandError(
    `${named}: ${
      quoted(path)
    } is the name of a portable backup, not of a store; deno task admin store backup <file> makes one ` +
      "of the store that KV_PATH names, and store restore <file> puts it back there",
  );
}

/** A place of a copy; the name of a variable is what it names, for a command line is no place for a password. */
function placeOfCopy(call: Call, named: string, word: string): NamedPlace {
  if (word === "KV_PATH") {
    const given = place(call); // of a host that sets DATABASE_URL in its place, that
    if (given.named === "DATABASE_URL" || call.terminal.env(word)?.trim()) return given;
    throw new CommandError("KV_PATH: not set; set it to the place that is meant, or name the place itself");
  }
  if (word !== "DATABASE_URL") return { named, path: asStore(named, readPlace(named, word)) };
  const path = databaseOf(call.terminal.env);
  if (path !== null) return { named: word, path };
  throw new CommandError("DATABASE_URL: names no database; set it to postgres://user:password@host/database");
}

/** The store that the settings name, with its keys. */
export const storeOf = (call: Call): StoreFile & NamedPlace => ({ ...place(call), keys: keysOf(call) });

function keysOf(call: Call): Uint8Array<ArrayBuffer>[] {
  const text = call.terminal.env("ENCRYPTION_KEYS")?.trim() || call.terminal.kept("ENCRYPTION_KEYS");
  if (!text) {
    throw new CommandError(
      `ENCRYPTION_KEYS: not set; ${HOW_TO_LOAD}; before the first start, ${HOW_TO_MAKE}`,
    );
  }
  return read("ENCRYPTION_KEYS", text, keys, null);
}

function read<T>(name: string, text: string, as: (text: string) => T, shown: string | null = text): T {
  try {
    return as(text);
  } catch (fault) {
    if (!(fault instanceof Wrong)) throw fault;
    throw new CommandError(`${name}: ${fault.sentence(shown)}`);
  }
}

/** Of a copy, which names each of its two places itself. */
const AS_SAID = { named: "KV_PATH" };

/** Waits for work on a place; what is refused says by which name the place was given. */
export async function refusing<T>({ named }: Pick<NamedPlace, "named">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof Deno.errors.NotCapable) {
      throw new CommandError(
        "A file below /dev, /proc or /sys is outside what a command may read and write; name another place",
        { cause: fault },
      );
    }
    const said = fault instanceof GatewayError
      ? placeNamed(fault.message, named)
      : (await maintenance()).faultOfEngine(fault);
    if (said === null) throw fault;
    throw new CommandError(said, { cause: fault });
  }
}

/** The commands on the store itself. */
export const STORE_COMMANDS: readonly Command[] = [
  backup,
  restore,
  check,
  copy,
  compact,
  init,
  acceptKeys,
  acceptRecords,
];
