/** `freeze`, `unfreeze`. */
import type { Freeze } from "../core/model.ts";
import type { Call, Command, Options } from "./command.ts";
import { nameOf, placeText } from "./freezes.ts";
import { cell, CommandError } from "./terminal.ts";

const WHERE: Options = {
  site: { value: "id", help: "this site" },
  project: { value: "id", help: "every site of this project" },
  all: { help: "every site" },
};

/** The place that the options name; null where they name none. */
function placeOf({ words }: Call): { readonly scope: string; readonly id?: string } | null {
  const places = [
    ...["site", "project"].flatMap((scope) => {
      const id = words.text(scope);
      return id === undefined ? [] : [{ scope, id }];
    }),
    ...words.on("all") ? [{ scope: "all" }] : [],
  ];
  if (places.length > 1) throw new CommandError("--site, --project, --all: give one of them");
  return places[0] ?? null;
}

const freezeIt: Command = {
  words: ["freeze"],
  summary: "Let nothing be written on a site, a project or anywhere; or list what is frozen",
  options: { ...WHERE, reason: { value: "text", help: "why; everyone whose write is refused reads it" } },
  notes: "Reads go on. It holds on every instance within a second, until unfreeze lifts it.",
  async run(call) {
    const { api, show, words } = call;
    const place = placeOf(call);
    if (place === null) {
      if (words.text("reason") !== undefined) {
        throw new CommandError("--reason: goes with --site, --project or --all");
      }
      return show(
        await api.call("GET", "freezes") as { freezes: Freeze[] },
        ({ freezes }) =>
          freezes.length === 0
            ? "Nothing is frozen.\n"
            : freezes.map((one) => `${frozenLine(one)}.\n`).join(""),
      );
    }
    const body = { ...place, reason: words.text("reason") ?? null };
    show(await api.call("POST", "freezes", body) as Freeze, (done) => `${frozenLine(done)}.\n`);
  },
};

const unfreeze: Command = {
  words: ["unfreeze"],
  summary: "Let writes go on where they were frozen",
  options: WHERE,
  async run(call) {
    const place = placeOf(call);
    if (place === null) throw new CommandError("--site, --project, --all: give one of them");
    call.show(
      await call.api.call("POST", "freezes/lift", place) as Freeze,
      (done) =>
        done.scope === "all"
          ? "The freeze of every site is lifted. Sites and projects that were frozen by themselves still are; freeze lists them.\n"
          : `The freeze of ${placeText(done)} is lifted.\n`,
    );
  },
};

/** A freeze in a sentence, without its full stop. */
export const frozenLine = (one: Freeze): string =>
  `${nameOf(one)} is frozen by ${cell(one.by)} since ${one.since}${
    one.reason === null ? "" : `: ${cell(one.reason)}`
  }`;

/** The commands about freezes. */
export const FREEZE_COMMANDS: readonly Command[] = [freezeIt, unfreeze];
