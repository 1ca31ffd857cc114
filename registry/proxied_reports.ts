/** What an operator reads of sites' own tools and of their servers, and how one is approved. */
import type { Change, Flag } from "../core/model.ts";
import type { ProxyClass } from "../platforms/tool_servers/types.ts";
import type { ToolState } from "./proxies.ts";

/** A tool as some sites' servers list it, word for word the same. */
export interface ToolReport {
  readonly name: string;
  readonly upstream_name: string;
  readonly source: string;
  readonly server: string;
  readonly state: ToolState;
  readonly reason: string | null;
  /** What its name says that is to be looked out for before it is approved; null where it says nothing of the kind. */
  readonly caution: string | null;
  readonly class: ProxyClass | null;
  /** What an approval must name; empty where the tool cannot be approved. */
  readonly hash: string;
  readonly sites: readonly string[];
  /** What changed since it was pinned or approved; null where it did not, or that is not kept. */
  readonly changes: readonly string[] | null;
}

/** A tool with all that an operator reads before approving it. */
export interface ToolTextReport extends ToolReport {
  /** As its server lists it; null where that was not kept. */
  readonly text: string | null;
  /** As callers are or would be shown it, once it is approved. */
  readonly shown: { readonly description: string; readonly input_schema: Record<string, unknown> } | null;
}

/** A tool server of a site, and when it last answered. */
export interface ToolServerReport {
  readonly site_id: string;
  readonly source: string;
  readonly server: string;
  readonly fetched_at: string | null;
  readonly age_seconds: number | null;
  readonly failure: string | null;
  readonly listed: number;
  readonly states: Readonly<Partial<Record<ToolState, number>>>;
  /** Why the site does not hold what its tools write, a sentence's part; null where it does, or was not asked yet. */
  readonly unheld: string | null;
}

/** A site whose tools' writes are only held to their types, for it does not hold them. */
export interface UnheldSite {
  readonly site_id: string;
  /** A sentence's part: no companion plugin. */
  readonly because: string;
}

/** A site whose tool servers did not answer. */
export interface UnansweredSite {
  readonly site_id: string;
  readonly because: string;
}

/** A tool of a site's own server that no agent can call until somebody has looked at it. */
export interface WaitingTool {
  readonly site_id: string;
  readonly name: string;
}

/** What a dry run of a tool showed an operator. */
export interface ToolTrial {
  readonly site_id: string;
  readonly name: string;
  /** What it would do, a sentence's part. */
  readonly summary: string;
  readonly changes: readonly Change[];
  /** How much of the changes is left out, where any is. */
  readonly left_out?: string;
  readonly warnings: readonly string[];
  /** Flags of the site that such a call needs, and those of them that the site lacks. */
  readonly needs: readonly Flag[];
  readonly missing: readonly Flag[];
}

/** A dry run, as it is asked for. */
export interface TrialOrder {
  readonly name: string;
  readonly site_id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly class?: "read" | "write";
  readonly effect?: ProxyClass["effect"];
  readonly page?: string;
}

/** A tool that is held back on a site because of what a call of it did. */
export interface HeldTool {
  readonly site_id: string;
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** What it did, a sentence's part: made page 12 public. */
  readonly because: string;
}

/** An approval, as it is asked for. */
export interface ApprovalOrder {
  readonly name: string;
  readonly sites: readonly string[];
  readonly hash: string;
  readonly class?: "read" | "write";
  readonly effect?: ProxyClass["effect"];
  readonly page?: string;
  /** What a dry run is made with first; the tool is let through only where that succeeds on each of the sites. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}
