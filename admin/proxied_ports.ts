/** What the admin side is given of sites' own tools. */
import type {
  ApprovalOrder,
  HeldTool,
  ToolReport,
  ToolServerReport,
  ToolTextReport,
} from "../registry/proxied_reports.ts";
import type { ToolState } from "../registry/proxies.ts";

/** Sites' own tools, for an operator; what `guard/proxied/operator.ts` promises. */
export interface ProxiedToolsPort {
  list(query: { site_id?: string; state?: ToolState; name?: string }): Promise<{
    readonly servers: readonly ToolServerReport[];
    readonly tools: readonly ToolReport[];
  }>;
  show(name: string, site_id?: string): Promise<{ readonly tools: readonly ToolTextReport[] }>;
  approve(order: ApprovalOrder): Promise<{ readonly tools: readonly ToolReport[] }>;
  withdraw(name: string, sites: readonly string[]): Promise<{ readonly tools: readonly ToolReport[] }>;
  held(): Promise<readonly HeldTool[]>;
  refresh(site_id: string): Promise<{ readonly servers: readonly ToolServerReport[] }>;
}
