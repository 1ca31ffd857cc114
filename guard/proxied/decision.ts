/** Keeps what an operator decides of sites' own tools, audited before and after, and says whether it holds. */
import { GatewayError } from "../../errors.ts";
import type { Store, ToolDecision } from "../../store/store.ts";
import { adminRow, OPERATOR } from "../admin_row.ts";
import { isStoreGone } from "../store_faults.ts";

/** What it stands on. */
export interface DecisionPorts {
  readonly store: Pick<Store, "toolCatalogs" | "audit">;
  now(): number;
  newId(): string;
}

/** A decision before it is made. */
export type Subject = Omit<ToolDecision, "verdict" | "by" | "at">;

const LOOK = "deno task admin tool-server list shows what is approved";
const NOT_KNOWN = `It is not known whether the decision holds; ${LOOK}`;

/** Decides that of all subjects, or of none. Throws E_INTERNAL, which says whether the decision holds. */
export async function decide(
  { store: { toolCatalogs, audit }, now, newId }: DecisionPorts,
  verdict: ToolDecision["verdict"],
  subjects: readonly Subject[],
  what: object,
): Promise<void> {
  const action = verdict === "approved" ? "tool.approve" : "tool.withdraw";
  const row = adminRow(newId(), OPERATOR, now(), action, what);
  await said(
    "The audit log cannot be written, so nothing was decided",
    audit.append({ ...row, status: "started" }),
  );
  const at = new Date(now()).toISOString();
  const decisions = subjects.map((one) => ({ ...one, verdict, by: OPERATOR.token_name, at }));
  try {
    await toolCatalogs.decide(decisions);
  } catch (cause) {
    // A commit that fails may have been carried out all the same.
    if (!await said(NOT_KNOWN, standing(toolCatalogs, decisions))) {
      // One that the store has not answered may be carried out later.
      if (isStoreGone(cause)) throw new GatewayError("E_INTERNAL", NOT_KNOWN, { cause });
      await audit.append({ ...row, status: "error", error: "E_INTERNAL" }).catch(() => {}); // it says the same
      throw new GatewayError("E_INTERNAL", "The store failed, and nothing was decided; try again", { cause });
    }
  }
  await said(
    `The decision holds, but its audit row could not be completed; ${LOOK}`,
    audit.append({ ...row, duration_ms: now() - Date.parse(row.at) }),
  );
}

/** The tools as they are after a decision. Throws E_INTERNAL, which says that it holds. */
export const afterwards = <T>(tools: Promise<T>): Promise<T> =>
  said(`The decision holds, but the tools cannot be listed just now; ${LOOK}`, tools);

/** The same, or E_INTERNAL with that sentence. */
async function said<T>(sentence: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new GatewayError("E_INTERNAL", sentence, { cause });
  }
}

async function standing(
  toolCatalogs: Store["toolCatalogs"],
  wanted: readonly ToolDecision[],
): Promise<boolean> {
  const keyOf = (one: ToolDecision) =>
    JSON.stringify([one.site_id, one.source, one.server, one.name, one.verdict, one.at]);
  const kept = new Set((await toolCatalogs.decisions()).map(keyOf));
  return wanted.every((one) => kept.has(keyOf(one)));
}
