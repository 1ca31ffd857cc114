/** A no to a request: it spends what a yes would, so that of all who decide at once one does. */
import { GatewayError } from "../../core/errors.ts";
import { type Approval, LIMITS } from "../../core/model.ts";
import type { ConsentRecord, Run, Spending, Store } from "../../store/store.ts";

/** What it depends on. */
export interface NoPorts {
  readonly store: {
    readonly approvals: Pick<Store["approvals"], "find">;
    readonly consents: Pick<Store["consents"], "find" | "spend">;
  };
  now(): number;
}

/** What somebody is told who decides on a request that was decided, or has ended, before. */
export const decidedAlready = ({ state, decided, decided_at, words, edited_to }: Approval): GatewayError =>
  new GatewayError(
    "E_STALE_PREVIEW",
    state === "expired"
      ? `The request cannot be decided any more: ${words ?? "nobody decided on it within its 7 days"}`
      : `The request was ${edited_to === undefined ? state : "edited"} already, by ${
        decided?.by ?? "somebody"
      } at ${decided_at}${
        edited_to === undefined ? "" : `, which made request ${edited_to}`
      }; nothing was done now`,
    { outcome: "none" },
  );

/** Whether what was asked can be read at all; else the name of its consent is lost as well. */
export const isReadable = ({ confirm_token }: Approval): boolean => confirm_token !== "";

/** What is said of a request that cannot be read. */
export const UNREADABLE = {
  code: "E_MISSING_SECRET",
  message:
    "what was asked cannot be read: ENCRYPTION_KEYS lacks the key that it was sealed under, or it was damaged; " +
    "nothing was written. The operator can add the key; else reject it and have it asked for anew",
} as const;

/** Whether nobody has decided: nobody has spent it, or who began to was cut off before anything was written. */
const isFree = ({ state, begun, deadline }: ConsentRecord, now: number): boolean =>
  state === "open" || (state === "running" && !begun && now > (deadline ?? 0));

/** Spends the consent of a request for a no, whose answer is to be committed with a row. Throws E_STALE_PREVIEW. */
export async function spendForNo({ store, now }: NoPorts, approval: Approval, run: Run): Promise<Spending> {
  const { approvals, consents } = store;
  const found = await consents.find(approval.confirm_token);
  if (approval.state === "pending" && found !== null && isFree(found, now())) {
    const { name, content: { set: _, ...content } } = found; // a set that was to be begun is not, and tells nothing
    const expires_at = now() + LIMITS.IDEMPOTENCY_MS;
    const spending: Spending = { name, content, found, expires_at, frees_until: null };
    if (await consents.spend([spending], run)) return spending;
  }
  throw decidedAlready(await approvals.find(approval.id) ?? approval);
}
