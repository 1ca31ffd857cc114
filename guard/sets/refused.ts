/** What a set is refused with: items that cannot be done, each named, and a choice of items that cannot be left out. */
import { counted, formOf } from "../../core/one_line.ts";
import { clipped, type Code, GatewayError } from "../../core/errors.ts";
import { cut } from "../../core/values.ts";
import type { SetOrder } from "../../registry/set_port.ts";
import type { SetItem } from "../../store/store.ts";

/** Of what is refused each is named, with so much of its reason. */
const REASON_CHARACTERS = 400;

/** An item that cannot be done. */
export interface RefusedItem {
  readonly item: number;
  readonly tool: string;
  readonly failure: GatewayError;
}

/** One refusal of all of them: with their code where it is the same of all, else with E_BAD_INPUT. */
export function refusal(
  refused: readonly RefusedItem[],
  { changes, refused: besideOf }: Pick<SetOrder, "changes" | "refused">,
): GatewayError {
  const sorted = refused.toSorted((a, b) => a.item - b.item);
  const codes = new Set(sorted.map(({ failure }) => failure.code));
  const audits = new Set(sorted.map(({ failure }) => failure.audit));
  const code: Code = codes.size === 1 ? [...codes][0]! : "E_BAD_INPUT";
  const reasons = Map.groupBy(
    sorted,
    ({ tool, failure }) => `(${clipped(tool)}): ${failure.code}, ${cut(failure.message, REASON_CHARACTERS)}`,
  );
  const named = [...reasons].map(([reason, all]) =>
    `${formOf(all.length, "item")} ${all.map(({ item }) => item).join(", ")} ${reason}`
  );
  const beside = besideOf === undefined ? "" : `; ${besideOf(sorted.map(({ item }) => item))}`;
  const [{ failure: { upstream, retryAfter } }] = sorted as [typeof sorted[number]];
  return new GatewayError(
    code,
    `${sorted.length} of ${counted(changes.length, "item")} cannot be done, and nothing was changed; ${
      named.join("; ")
    }${beside}`,
    {
      outcome: "none",
      ...codes.size === 1 ? { upstream, retryAfter } : {},
      ...audits.size === 1 ? { audit: [...audits][0] } : {},
    },
  );
}

const bad = (message: string) => new GatewayError("E_BAD_INPUT", `without: ${message}`, { outcome: "none" });

/** Throws E_BAD_INPUT for items that the set does not have, and where nothing would remain of it. */
export function checkLeftOut(without: ReadonlySet<number>, count: number): void {
  const none = [...without].find((item) => !Number.isInteger(item) || item < 1 || item > count);
  if (none !== undefined) throw bad(`there is no item ${none} in this set, which has ${count}`);
  if (without.size === count) throw bad("all items are left out, which is a no; reject the request instead");
}

/** Throws E_BAD_INPUT, naming each, where an item remains that another one is needed for which is left out. */
export function checkRemaining(
  items: readonly Pick<SetItem, "item" | "uses" | "follows">[],
  without: ReadonlySet<number>,
): void {
  const lost = new Set(without);
  const said: string[] = [];
  for (const { item, uses, follows } of items) {
    const from = Object.values(uses).find((one) => lost.has(one));
    const after = follows != null && lost.has(follows) ? follows : undefined;
    if (from === undefined && after === undefined) continue;
    lost.add(item);
    said.push(
      from === undefined
        ? `item ${item} can only be done once item ${after} is`
        : `item ${item} takes the id that item ${from} makes`,
    );
  }
  if (said.length === 0) return;
  const also = [...lost].filter((one) => !without.has(one));
  throw bad(
    `${said.join(", and ")}; leave out ${formOf(also.length, "item")} ${
      also.join(", ")
    } as well, or keep what ` +
      `${formOf(also.length, "it needs", "they need")}. Nothing was written`,
  );
}
