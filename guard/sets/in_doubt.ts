/** Items of a set that were begun and have not said how they ended, and what an operator found of those. */
import type { Resolution } from "../../core/model.ts";
import type { SetItem, SetResult, Store } from "../../store/store.ts";
import { ticketName } from "../consent/consent_call.ts";

/** Where it is looked for what an earlier run of a set has left. */
export interface DoubtStore {
  readonly sets: Pick<Store["sets"], "result">;
  readonly consents: Pick<Store["consents"], "find">;
}

/**
 * What an earlier run has left of an item: its result as it was kept; `unknown` where its write was begun and has not said
 * how it ended; null where nothing was begun.
 */
export async function leftBefore(
  { sets, consents }: DoubtStore,
  set_id: string,
  item: number,
): Promise<SetResult | null> {
  const record = await consents.find(ticketName({ set_id, item }));
  const kept = await sets.result(set_id, item);
  if (kept !== null || record === null || record.state !== "running" || !record.begun) return kept;
  const message =
    `Request "${record.request_id}" was begun and has not said how it ended, and it is not carried out twice; look at ` +
    "the site, or ask the gateway's operator what became of that request";
  const answer = { error: { code: "E_OUTCOME_UNKNOWN", message }, outcome: "unknown" };
  return { item, state: "unknown", request_id: record.request_id, answer, left: null };
}

/** The same of all items without a result. */
export async function leftOf(
  store: DoubtStore,
  set_id: string,
  items: readonly SetItem[],
  results: ReadonlyMap<number, SetResult>,
): Promise<Map<number, SetResult>> {
  const missing = items.filter(({ item }) => !results.has(item));
  const left = await Promise.all(missing.map(({ item }) => leftBefore(store, set_id, item)));
  return new Map(left.filter((one) => one !== null).map((one) => [one.item, one]));
}

/** The results, those that nobody knew the end of as the gateway's operator has found it. */
export async function asFound(
  { audit }: { readonly audit: Pick<Store["audit"], "resolution"> },
  results: ReadonlyMap<number, SetResult>,
): Promise<Map<number, SetResult>> {
  const found = await Promise.all(
    [...results.values()].map(async (result) => {
      const { state, request_id } = result;
      const resolution = state !== "unknown" || request_id === null
        ? null
        : await audit.resolution(request_id);
      return [result.item, resolution === null ? result : resolved(result, resolution)] as const;
    }),
  );
  return new Map(found);
}

function resolved(result: SetResult, { found, at }: Resolution): SetResult {
  const said = `The gateway's operator found at ${at} that it was`;
  if (found === "made") {
    const answer = { verified: null, verified_reason: `${said} carried out` };
    return { ...result, state: "done", answer };
  }
  return { ...result, state: "failed", answer: { reason: `${said} not carried out` } };
}
