/** Reports of the site's Google Ads customer (docs/upstreams/google.md). */
import { z } from "zod";
import { LIMITS } from "../../core/model.ts";
import { foreign } from "./errors.ts";
import { checkQuery } from "./gaql.ts";
import { customerOf } from "./routes.ts";
import type { Asked, GoogleWire } from "./wire.ts";

/** What was found. */
export interface AdsReport {
  readonly customer_id: string;
  /** As Google writes them, but for counts and amounts, which are numbers. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows there were, those that are left out included. */
  readonly row_count: number;
  readonly truncated: boolean;
  readonly field_mask: string | null;
}

const BATCH = z.object({
  results: z.array(z.record(z.string(), z.unknown())).nullish(),
  fieldMask: z.string().nullish(),
});
/** The batches of a stream. */
export const STREAM = z.array(BATCH);

/** What an operator sets in place of a developer token where Google wants none any more: the header is left out. */
export const NO_DEVELOPER_TOKEN = "none";

/** The header that Google Ads still takes; none where the operator set that none is wanted. */
export function developerHeader(developer: string | null): Readonly<Record<string, string>> {
  return developer && developer !== NO_DEVELOPER_TOKEN ? { "developer-token": developer } : {};
}

/** The customer of one site. */
export class Ads {
  constructor(private readonly wire: GoogleWire) {}

  /** The rows of a query, up to `max_rows`. Throws E_BAD_INPUT, E_UPSTREAM, E_ADS_NOT_LINKED. */
  async search(query: string, max_rows: number): Promise<AdsReport> {
    const { site, settings } = this.wire.ctx;
    const customer_id = customerOf(site);
    checkQuery(query, customer_id);
    const manager = site?.ads_login_customer_id?.replaceAll("-", "");
    const asked: Asked = {
      method: "POST",
      url: `${settings.ADS_API_BASE}/customers/${customer_id}/googleAds:searchStream`,
      headers: {
        ...(manager ? { "login-customer-id": manager } : {}),
        ...developerHeader(settings.ADS_DEVELOPER_TOKEN),
      },
      json: { query },
      effect: "read",
      max_bytes: LIMITS.REPORT_BYTES,
    };
    const batches = await this.wire.read(STREAM, asked);
    const all = batches.flatMap(({ results }) => results ?? []);
    const other = all.map((row) => otherCustomer(row, customer_id)).find((one) => one !== null);
    if (other) throw foreign(this.wire.service, `another customer (${other})`);
    const mask = batches.map(({ fieldMask }) => fieldMask).find((one) => one);
    return {
      customer_id,
      rows: all.slice(0, max_rows).map((row) => numbered(row) as Record<string, unknown>),
      row_count: all.length,
      truncated: all.length > max_rows,
      field_mask: mask ?? null,
    };
  }
}

/** The customer that a row says it is of, where that is another one. */
function otherCustomer(value: unknown, own: string, name = ""): string | null {
  if (typeof value === "string") {
    const [, id] = /^resourceName$/.test(name) ? /^customers\/(\d+)/.exec(value) ?? [] : [];
    return id !== undefined && id !== own ? id : null;
  }
  if (typeof value !== "object" || value === null) return null;
  for (const [key, one] of Object.entries(value)) {
    if (name === "customer" && key === "id" && String(one) !== own) return String(one);
    const found = otherCustomer(one, own, key);
    if (found !== null) return found;
  }
  return null;
}

/** Whole numbers come as texts: those of metrics, and amounts in micros, are made numbers; ids stay texts. */
function numbered(value: unknown, name = "", inMetrics = false): unknown {
  if (typeof value === "string") {
    const counts = inMetrics || name.endsWith("Micros");
    return counts && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  }
  if (Array.isArray(value)) return value.map((one) => numbered(one, name, inMetrics));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [key, one],
    ) => [key, numbered(one, key, inMetrics || name === "" && key === "metrics")]),
  );
}
