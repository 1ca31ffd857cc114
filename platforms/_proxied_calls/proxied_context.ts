/** What a call of a proxied tool stands on: the call's site, its clients, and what is known of the site's tools. */
import type { Change, Flag, Site, Tier, Token } from "../../core/model.ts";
import type { Capability, Connector } from "../_connector/connector.ts";
import type { PublishGrant } from "../_http/request.ts";
import type { SiteOffer, ToolServers } from "../tool_servers/types.ts";

/** What a call holds while nobody else changes the same. */
export interface Turn {
  /** Whether another call was waited for. */
  readonly waited: boolean;
  renew(): Promise<boolean>;
}

/** What of who calls is judged. */
export interface ProxyCaller {
  readonly token: Pick<Token, "allowed_tools">;
  readonly maxRisk: Tier;
}

/** What of a call is used. */
export interface ProxyContext {
  readonly site: Site;
  readonly caller: ProxyCaller;
  now(): number;
  use<Client>(wanted: Connector<Client> | Capability<Client>): Promise<Client>;
  readonly grant?: PublishGrant;
  /** Whether what a site's own tool would write is to be shown before it is sent, by the gateway where the site cannot. */
  readonly showsOwn: boolean;
  annotate(facts: {
    readonly result_id?: string | number;
    readonly changes?: readonly Change[];
    readonly _published?: true | null;
  }): void;
  exclusively<Result>(name: string, work: (turn: Turn) => Promise<Result>): Promise<Result>;
}

/** What the gateway knows beside the tool itself. */
export interface ProxyPorts {
  /** The tool servers of the call's site. */
  servers(ctx: ProxyContext): Promise<ToolServers>;
  /** Every tool of a site that may be called, of all its servers. */
  offersOf(siteId: string): Iterable<SiteOffer>;
  /** Pairs the call's site with the gateway, unless it is already. Throws what the site refuses with. */
  pair(ctx: ProxyContext): Promise<void>;
  /** Tells the operator's log that nobody knows what a held call of the tool did. */
  alarm(ctx: ProxyContext, tool: SiteOffer, why: string): void;
  /**
   * Holds the tool back on the call's site until an operator has looked; `what` it did is a sentence's part. Durable once
   * it resolves; false where the store failed, which is logged.
   */
  hold(ctx: ProxyContext, tool: SiteOffer, what: string): Promise<boolean>;
}

/** Why a call counts for more than its tool says. */
export interface ProxyRaise {
  readonly tier?: Tier;
  readonly flags?: readonly Flag[];
  readonly code?: "E_PUBLISH_NOT_ALLOWED";
  readonly published?: boolean;
  readonly because: string;
}
