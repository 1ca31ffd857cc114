/** `keys status`, `keys reseal`: which of ENCRYPTION_KEYS a store needs, and sealing all of it under the first. */
import { counted, formOf } from "../core/one_line.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { KeyStatus, Resealed } from "../store/keys.ts";
import type { Command } from "./command.ts";
import { refusing, storeOf } from "./commands_store.ts";
import { cell } from "./terminal.ts";

const NOTES = "The store is what KV_PATH names, as for the store commands; gateways on it may run.";

const status: Command = {
  words: ["keys", "status"],
  local: true,
  summary: "Show under which of ENCRYPTION_KEYS the store is sealed, by kind of record",
  options: {},
  notes: `${NOTES} A key is shown by an id that is made of it; nothing of the key is shown.`,
  async run(call) {
    const store = storeOf(call);
    const found = await refusing(store, async () => await (await import("../store/keys.ts")).statusOf(store));
    call.show(found, statusText);
    return found.missing.length === 0 ? 0 : 1;
  },
};

function statusText({ keys, counts, without_place, unused, missing }: KeyStatus): string {
  const role = (key: string) =>
    key === keys[0] ? "the first key" : keys.includes(key) ? "an older key" : "a key that is not set";
  const width = Math.max(0, ...counts.map(({ kind }) => kind.length));
  const rows = counts.map(({ kind, how, key, records }) =>
    `  ${cell(kind).padEnd(width)}  ${how}  ${String(records).padStart(9)}  ${cell(key)}, ${role(key)}\n`
  );
  const left = counts.some(({ key, records }) => key !== keys[0] && (records > 0 || keys.includes(key)));
  return rows.join("") +
    (without_place === 0
      ? ""
      : `${counted(without_place, "credential")} ${
        formOf(without_place, "does", "do")
      } not name the place that ${formOf(without_place, "it is", "they are")} for.\n`) +
    (left || without_place > 0 ? "To seal all under the first key: deno task admin keys reseal\n" : "") +
    unused.map((key) => `Nothing needs key ${cell(key)}; it can be taken out of ENCRYPTION_KEYS.\n`).join(
      "",
    ) +
    missing.map((key) => `ENCRYPTION_KEYS lacks key ${cell(key)}.\n`).join("");
}

/** `siteShape` says which credentials go to the address of their site. */
function resealWith(connectors: Connectors): Command {
  return {
    words: ["keys", "reseal"],
    local: true,
    summary: "Seal everything under the first of ENCRYPTION_KEYS, while gateways run or not",
    options: {},
    notes:
      `${NOTES} Each gateway on it must have the new key already. A run that was cut off goes on with the same command. ` +
      "Ends with 1 where something does not open.",
    async run(call) {
      const store = storeOf(call);
      const told = (records: number) => call.terminal.status?.(`${counted(records, "record")} sealed anew`);
      const { addressBound } = connectors.siteShape();
      const done = await refusing(
        store,
        async () => await (await import("../store/keys.ts")).resealStore(store, { addressBound, told }),
      );
      call.show(done, resealedText);
      return Object.keys(done.closed).length === 0 ? 0 : 1;
    },
  };
}

function resealedText({ resealed, proven, closed }: Resealed): string {
  const total = Object.values(resealed).reduce((sum, records) => sum + records, 0);
  const kinds = Object.entries(resealed).map(([kind, records]) => `  ${cell(kind)}: ${records}\n`).join("");
  const left = Object.entries(closed).map(([kind, records]) =>
    `  ${cell(kind)}: ${records} ${formOf(records, "does", "do")} not open; set ${
      formOf(records, "it", "them")
    } again, or add the key that ${formOf(records, "it is", "they are")} sealed under\n`
  );
  return `${counted(total, "record")} ${formOf(total, "was", "were")} sealed anew, and ${
    counted(proven, "proof")
  } made anew.\n${kinds}${left.join("")}` +
    "See which keys are needed still: deno task admin keys status\n";
}

/** The commands on keys. */
export const keyCommands = (connectors: Connectors): readonly Command[] => [status, resealWith(connectors)];
