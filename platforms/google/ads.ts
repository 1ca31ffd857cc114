/** Reports of the site's Google Ads customer (docs/upstreams/google.md). */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { rowMoney } from "./ads_money.ts";
import { foreign } from "./errors.ts";
import { checkQuery } from "./gaql.ts";
import { customerOf } from "./routes.ts";
import type { Asked, GoogleWire } from "./wire.ts";

/** What was found. */
export interface AdsReport {
  readonly customer_id: string;
  /** What amounts are in, and whose days are counted; null where Google did not say. */
  readonly currency: string | null;
  readonly time_zone: string | null;
  /** As Google writes them, but for counts and amounts, which are numbers. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows there were, those that are left out included. */
  readonly row_count: number;
  readonly truncated: boolean;
  readonly field_mask: string | null;
  readonly notes?: readonly string[];
}

/** What holds of all of a customer's amounts and days. */
type Facts = Pick<AdsReport, "currency" | "time_zone" | "notes">;

const FACTS_MS = 60 * 60 * 1000;
const FACTS_QUERY = "SELECT customer.currency_code, customer.time_zone FROM customer LIMIT 1";

/** Some of its batches; the rows hold what a query names. */
export const BATCH = z.object({
  results: z.array(z.record(z.string(), z.unknown())).nullish(),
  fieldMask: z.string().nullish(),
});
/** A row that says what a customer's amounts and days are in. */
export const CUSTOMER = z.object({
  customer: z.object({ currencyCode: z.string().nullish(), timeZone: z.string().nullish() }).nullish()
    .catch(null),
});
/** The batches of a stream. */
export const STREAM = z.array(BATCH);

/** What an operator sets in place of a developer token, which Google ignores since 2026-09-09: the header is left out. */
const NO_DEVELOPER_TOKEN = "none";

/** The header that Google Ads takes and ignores until a later major version refuses it; none where the operator set none. */
export function developerHeader(developer: string | null): Readonly<Record<string, string>> {
  return developer && developer !== NO_DEVELOPER_TOKEN ? { "developer-token": developer } : {};
}

/** The customer of one site. */
export class Ads {
  constructor(private readonly wire: GoogleWire) {}

  /** The rows of a query, up to `max_rows`. Throws E_BAD_INPUT, E_UPSTREAM, E_ADS_NOT_LINKED. */
  async search(query: string, max_rows: number): Promise<AdsReport> {
    const customer_id = customerOf(this.wire.ctx.site);
    checkQuery(query, customer_id);
    const batches = await this.stream(STREAM, query, customer_id);
    const all = batches.flatMap(({ results }) => results ?? []);
    const other = all.map((row) => otherCustomer(row, customer_id)).find((one) => one !== null);
    if (other) throw foreign(this.wire.service, `another customer (${other})`);
    const mask = batches.map(({ fieldMask }) => fieldMask).find((one) => one);
    const { notes, ...known } = await this.#facts(customer_id);
    return {
      customer_id,
      ...known,
      rows: all.slice(0, max_rows).map((one) => {
        const row = numbered(one) as Record<string, unknown>;
        const money = rowMoney(row, known.currency);
        return Object.keys(money).length === 0 ? row : { ...row, money };
      }),
      row_count: all.length,
      truncated: all.length > max_rows,
      field_mask: mask ?? null,
      ...(notes ? { notes } : {}),
    };
  }

  /** The batches of a query that was checked. */
  async stream<T>(shape: z.ZodType<T>, query: string, customer_id: string): Promise<T> {
    const { site, settings } = this.wire.ctx;
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
    return await this.wire.read(shape, asked);
  }

  /** Known for an hour. A report without them is better than none, so a failure is a note. */
  async #facts(customer_id: string): Promise<Facts> {
    try {
      return await this.wire.ctx.cache.once(`ads customer ${customer_id}`, FACTS_MS, async () => {
        const batches = await this.stream(STREAM, FACTS_QUERY, customer_id);
        const row = batches.flatMap(({ results }) => results ?? [])[0] ?? {};
        const other = otherCustomer(row, customer_id);
        if (other) throw foreign(this.wire.service, `another customer (${other})`);
        const { customer } = CUSTOMER.parse(row);
        return { currency: customer?.currencyCode ?? null, time_zone: customer?.timeZone ?? null };
      });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      const why = `The customer's currency and time zone could not be read: ${thrown.message}`;
      return { currency: null, time_zone: null, notes: [why] };
    }
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
