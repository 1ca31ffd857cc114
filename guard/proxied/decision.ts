/** Keeps what an operator decides of sites' own tools, audited before and after, and says whether it holds. */
import { GatewayError, isStoreGone } from "../../core/errors.ts";
import type { Store, ToolDecision } from "../../store/store.ts";
import type { ProxyClass } from "../../platforms/tool_servers/types.ts";
import { type Actor, adminRow, OPERATOR, tookSince } from "../audit/admin_row.ts";
import type { JudgedTool } from "./judge.ts";

/** What it stands on. */
export interface DecisionPorts {
  readonly store: Pick<Store, "toolCatalogs" | "audit">;
  now(): number;
  newId(): string;
}

/** A decision before it is made. */
export type Subject = Omit<ToolDecision, "verdict" | "by" | "at" | "why">;

/** Of a tool whose class nobody has chosen. */
export const UNKNOWN: ProxyClass = { writes: true, effect: "site" };

/** A tool, as it is decided on. */
export function subjectOf({ catalog, listed, class: chosen }: JudgedTool): Subject {
  const { site_id, source, server, bound_to } = catalog;
  const { writes, effect, page = null } = chosen ?? UNKNOWN;
  return { site_id, source, server, bound_to, name: listed.name, hash: listed.hash, writes, effect, page };
}

/** What was decided, and by whom. */
export interface Order {
  /** For the audit. */
  readonly order: object;
  /** The operator where it is left out. */
  readonly by?: Actor;
  /** Why a tool is held back; a sentence's part. */
  readonly why?: string;
}

type Verdict = Exclude<ToolDecision["verdict"], "unreadable">;
const ACTIONS: Readonly<Record<Verdict, string>> = {
  approved: "tool.approve",
  withdrawn: "tool.withdraw",
  held: "tool.hold",
};

const LOOK = "deno task admin tool-server list shows what is approved";
const NOT_KNOWN = `It is not known whether the decision holds; ${LOOK}`;

/** Decides that of all subjects, or of none. Throws E_INTERNAL, which says whether the decision holds. */
export async function decide(
  { store: { toolCatalogs, audit }, now, newId }: DecisionPorts,
  verdict: Verdict,
  subjects: readonly Subject[],
  { order, by = OPERATOR, why }: Order,
): Promise<void> {
  const row = adminRow(newId(), by, now(), ACTIONS[verdict], order);
  await said(
    "The audit log cannot be written, so nothing was decided",
    audit.append({ ...row, status: "started" }),
  );
  const at = new Date(now()).toISOString();
  const more = { verdict, by: by.token_name, at, ...(why === undefined ? {} : { why }) };
  const decisions = subjects.map((one) => ({ ...one, ...more }));
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
    audit.append({ ...row, duration_ms: tookSince(row, now()) }),
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

/** What holding back stands on. */
export interface HoldPorts {
  readonly store: Pick<Store, "toolCatalogs" | "audit">;
  /** What becomes of every tool of every server. */
  judged(): Promise<readonly JudgedTool[]>;
  now(): number;
  newId(): string;
  log(event: Record<string, unknown>): void;
}

/** The gateway itself. */
export const GATEWAY: Actor = { token_id: "gateway", token_name: "gateway", owner_user_id: null };

/**
 * Holds the tool of that name back at all servers of the site that list it, because of `what` it did, a sentence's part.
 * Whether it is held back then: false where the store or the audit failed, which is logged. Never throws.
 */
export async function holdBack(
  ports: HoldPorts,
  { site_id, name }: { readonly site_id: string; readonly name: string },
  what: string,
): Promise<boolean> {
  try {
    const own = (await ports.judged()).filter((one) => one.name === name && one.catalog.site_id === site_id);
    // Of calls at the same time the first has held it back already.
    const open = own.filter(({ decision }) =>
      decision?.verdict !== "held" && decision?.verdict !== "withdrawn"
    );
    if (own.length === 0) throw new Error(`"${name}" is listed no more`);
    const order = { name, sites: [site_id], because: what };
    if (open.length > 0) await decide(ports, "held", open.map(subjectOf), { order, by: GATEWAY, why: what });
    return true;
  } catch (fault) {
    ports.log({ event: "tool_hold_failed", site_id, tool: name, because: what, cause: String(fault) });
    return false;
  }
}
