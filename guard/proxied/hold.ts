/** Holds a site's own tool back because of what a call of it did: durably, audited, and released by an operator alone. */
import type { Store } from "../../store/store.ts";
import type { Actor } from "../audit/admin_row.ts";
import { decide, subjectOf } from "./decision.ts";
import type { JudgedTool } from "./judge.ts";

/** What it stands on. */
export interface HoldPorts {
  readonly store: Pick<Store, "toolCatalogs" | "audit">;
  /** What becomes of every tool of every server. */
  judged(): Promise<readonly JudgedTool[]>;
  now(): number;
  newId(): string;
  log(event: Record<string, unknown>): void;
}

/** The gateway itself. */
const GATEWAY: Actor = { token_id: "gateway", token_name: "gateway", owner_user_id: null };

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
