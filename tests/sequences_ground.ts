/** What sequences of calls are played on: a site's cells, who changes them, and what of that is allowed. */
import type { NewSite } from "../store/store.ts";
import type { KitOptions } from "./kit.ts";
import type { Dice } from "./tools/_crm_dice.ts";

export type Args = Readonly<Record<string, unknown>>;
/** All that stands on a site, by what it is called. */
export type Cells = Readonly<Record<string, string>>;
/** Those that became another: what they were and what they are. */
export type Changed = ReadonlyMap<string, readonly [string | undefined, string | undefined]>;

/** A call that writes. */
export interface Write {
  readonly tool: string;
  readonly args: Args;
}

/** A site, as far as a sequence has to know it. */
export interface Ground {
  readonly sites: readonly NewSite[];
  readonly settings?: KitOptions["settings"];
  cells(): Promise<Cells>;
  write(dice: Dice, n: number): Write;
  person(dice: Dice, n: number): Promise<void>;
  /** Whether the call may have changed it; `fields` are what its preview named, null where none was shown. */
  may(write: Write, fields: readonly string[] | null, cell: string, before: Cells): boolean;
  /** Whether visitors get it. */
  isPublic(cell: string, cells: Cells): boolean;
  /** Whether the tool may change what visitors get. */
  publishes(write: Write): boolean;
  /** What stays where a change goes back: numbers of uses, things it made; what it was before that. */
  stays(cell: string, was: string | undefined): boolean;
  /** What a caller was shown of it, who was shown all that stood there then. */
  shown(cell: string, at: Cells): string | undefined;
}

/** Which cells became another. */
export function between(before: Cells, after: Cells): Changed {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Map(
    [...names].filter((name) => before[name] !== after[name])
      .map((name) => [name, [before[name], after[name]]] as const),
  );
}

/** What a caller has asked for, once or more often, with what it holds to have it done once. */
export interface Intent {
  readonly write: Write;
  readonly as: string;
  readonly token: string | null;
  readonly key: string | undefined;
  /** What was shown, and what stood there then. */
  readonly shown: { readonly fields: readonly string[]; readonly at: Cells } | null;
  readonly approval: string | null;
  decided: "no" | "yes" | null;
  /** How often it changed something, and whether that was cut short: a set of calls goes on when it is confirmed again. */
  wrote: number;
  cut?: Changed;
  answer: unknown;
}

/** What a call changed. */
export interface Made {
  readonly id: string;
  readonly as: string;
  readonly write: Write;
  readonly changed: Changed;
  readonly undoable: boolean;
  readonly set: string | null;
  /** How many calls it was. */
  readonly items: number;
  undone: boolean;
}
