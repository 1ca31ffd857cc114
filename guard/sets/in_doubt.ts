/** Items of a set that were begun and have not said how they ended, and what an operator found of those. */
import type { Resolution } from "../../core/model.ts";
import type { ConsentStore, SetItem, SetResult } from "../../store/store.ts";
import { nameOfTicket, type Ticket } from "../consent/consent_call.ts";

/** What it looks at. */
export interface InDoubtPorts {
  readonly store: {
    readonly consents: Pick<ConsentStore, "find">;
    readonly audit: { resolution(request_id: string): Promise<Resolution | null> };
  };
}

type Results = ReadonlyMap<number, SetResult>;

/** The request that has spent an item's consent first; null where none has. */
export async function firstRequest(
  { store }: { readonly store: Pick<InDoubtPorts["store"], "consents"> },
  ticket: Pick<Ticket, "set_id" | "item">,
): Promise<string | null> {
  return (await store.consents.find(nameOfTicket(ticket)))?.request_id ?? null;
}

/** The items whose write was begun and that have no result: with the request of each, by which the audit knows it. */
export async function begunItems(
  { store }: InDoubtPorts,
  set_id: string,
  items: readonly SetItem[],
  results: Results,
): Promise<Map<number, string>> {
  const found = await Promise.all(
    items.filter(({ item }) => !results.has(item)).map(async ({ item }) => {
      const consent = await store.consents.find(nameOfTicket({ set_id, item }));
      // One that has ended since the results were read was begun as well.
      return consent?.begun && consent.request_id !== null ? [item, consent.request_id] as const : null;
    }),
  );
  return new Map(found.filter((one) => one !== null));
}

/** What is known of an item that was cut off. */
export const cutOff = (item: number, request_id: string): SetResult => ({
  item,
  state: "unknown",
  request_id,
  answer: {
    reason:
      "It was begun and has not said how it ended, and it is not carried out twice: look at the site, or ask the " +
      `gateway's operator what became of request "${request_id}"`,
  },
  left: null,
});

/** The results, those that nobody knew the end of as the gateway's operator has found it. */
export async function asFound({ store }: InDoubtPorts, results: Results): Promise<Map<number, SetResult>> {
  const found = await Promise.all(
    [...results.values()].map(async (result) => {
      const { state, request_id } = result;
      const resolution = state !== "unknown" || request_id === null
        ? null
        : await store.audit.resolution(request_id);
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
