/** A request as the egress judges it in service: the connector's origins, then its policy. */
import assert from "node:assert/strict";
import { egress } from "../../../guard/egress.ts";
import type { Site } from "../../../core/model.ts";
import type { Connector } from "../../../platforms/_connector/connector.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";

/** What a judgement stands on beside the request. */
export interface Judging {
  readonly granted?: (grant: PublishGrant) => boolean;
  readonly now?: number;
  /** Whether an operator cleans. */
  readonly cleaning?: true;
  readonly settings?: Readonly<Record<string, string | null>>;
}

/** The settings of a connector as they stand where the operator set none. */
function defaults({ settings = {} }: Connector): Record<string, string | null> {
  return Object.fromEntries(Object.entries(settings).map(([name, one]) => [name, one.default]));
}

/** Throws E_FORBIDDEN_OP where the request would not be sent for that site, or for the gateway itself without one. */
export function judge(
  connector: Connector,
  site: Site | undefined,
  out: Outgoing,
  judging: Judging = {},
): void {
  const { granted = () => false, now = 0, settings, cleaning } = judging;
  const ctx = {
    site,
    settings: { ...defaults(connector), ...settings },
    now,
    ...cleaning ? { cleaning } : {},
  };
  const origins = connector.origins?.(ctx) ?? [];
  egress({ connector, origins, ctx, granted }, out);
}

/** "passes", or the message that the request is refused with, which is an E_FORBIDDEN_OP. */
export function verdict(connector: Connector, site: Site, out: Outgoing, judging: Judging = {}): string {
  try {
    judge(connector, site, out, judging);
    return "passes";
  } catch (thrown) {
    assert.equal((thrown as { code?: string }).code, "E_FORBIDDEN_OP", String(thrown));
    return (thrown as Error).message;
  }
}
