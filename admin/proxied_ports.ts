/** What the admin side is given of sites' own tools, and shows. */
import type { ToolState } from "../registry/proxies.ts";

/** What a tool touches. */
export interface ToolClassReport {
  readonly writes: boolean;
  readonly effect: string;
  readonly page?: string;
}

/** A tool as some sites list it, word for word the same. */
export interface ToolReport {
  readonly name: string;
  readonly upstream_name: string;
  readonly source: string;
  readonly server: string;
  readonly state: ToolState;
  readonly reason: string | null;
  readonly class: ToolClassReport | null;
  readonly hash: string;
  readonly sites: readonly string[];
  readonly changes: readonly string[] | null;
}

/** A tool with all that is to be read of it. */
export interface ToolTextReport extends ToolReport {
  readonly text: string | null;
  readonly shown: { readonly description: string; readonly input_schema: Record<string, unknown> } | null;
}

/** A tool server of a site. */
export interface ToolServerReport {
  readonly site_id: string;
  readonly source: string;
  readonly server: string;
  readonly fetched_at: string | null;
  readonly age_seconds: number | null;
  readonly failure: string | null;
  readonly listed: number;
  readonly states: Readonly<Partial<Record<ToolState, number>>>;
}

/** An approval, as it is asked for. */
export interface ApprovalOrder {
  readonly name: string;
  readonly sites: readonly string[];
  readonly hash: string;
  readonly class?: "read" | "write";
  readonly effect?: "read" | "page" | "new" | "record" | "site";
  readonly page?: string;
}

/** Sites' own tools, for an operator; what `guard/proxied_desk.ts` promises. */
export interface ProxiedToolsPort {
  list(query: { site_id?: string; state?: ToolState; name?: string }): Promise<{
    readonly servers: readonly ToolServerReport[];
    readonly tools: readonly ToolReport[];
  }>;
  show(name: string, site_id?: string): Promise<{ readonly tools: readonly ToolTextReport[] }>;
  approve(order: ApprovalOrder): Promise<{ readonly tools: readonly ToolReport[] }>;
  withdraw(name: string, sites: readonly string[]): Promise<{ readonly tools: readonly ToolReport[] }>;
  refresh(site_id: string): Promise<{ readonly servers: readonly ToolServerReport[] }>;
}
