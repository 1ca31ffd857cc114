/** Searches that led to the site's pages, from its property in Google Search Console (docs/upstreams/google.md). */
import { z } from "zod";
import { LIMITS } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { unreadable } from "./errors.ts";
import { searchSiteOf } from "./routes.ts";
import type { Asked, GoogleWire } from "./wire.ts";

/** One condition on what is counted. */
export interface SearchFilter {
  readonly dimension: string;
  readonly operator?: string | undefined;
  readonly expression: string;
}

/** What is asked of the searches. */
export interface SearchQuery {
  readonly start_date: string;
  readonly end_date: string;
  readonly dimensions: readonly string[];
  readonly type?: string;
  readonly filters?: readonly SearchFilter[] | undefined;
  readonly row_limit: number;
  readonly start_row?: number;
  readonly data_state?: string;
  readonly aggregation_type?: string;
}

/** One line: what it is about, in the order of the dimensions, and what was counted. */
export interface SearchRow {
  readonly keys: readonly string[];
  readonly clicks: number;
  readonly impressions: number;
  /** Clicks per impression, 0 to 1. */
  readonly ctr: number;
  /** Null where Google counts none, as in Discover and Google News. */
  readonly position: number | null;
}

/** What was found. */
export interface Searches {
  readonly site_url: string;
  readonly rows: readonly SearchRow[];
  readonly response_aggregation_type: string | null;
  readonly row_count: number;
  /** Whether there are more rows than were asked for, and where they begin. */
  readonly truncated: boolean;
  readonly next_start_row: number | null;
  /** The first day whose figures are still growing, where one was asked for. */
  readonly first_incomplete_date?: string;
}

/** Rows that Google gives at most. */
const ROWS_MAX = 25_000;

const number = z.union([z.number(), z.string()]).nullish();
/** A reply; what is not named here is dropped. */
export const SEARCH_REPLY = z.object({
  rows: z.array(z.object({
    keys: z.array(z.string()).nullish(),
    clicks: number,
    impressions: number,
    ctr: number,
    position: number,
  })).nullish(),
  responseAggregationType: z.string().nullish(),
  metadata: z.object({
    firstIncompleteDate: z.string().nullish(),
  })
    .nullish(),
});

/** The reference calls the first day that is not whole first_incomplete_date, and the client libraries firstIncompleteDate. */
const READ_REPLY = z.preprocess((reply) => {
  if (!isFields(reply) || !isFields(reply["metadata"])) return reply;
  const { first_incomplete_date, ...metadata } = reply["metadata"];
  return { ...reply, metadata: { firstIncompleteDate: first_incomplete_date, ...metadata } };
}, SEARCH_REPLY);

/** The body of a query. */
export function searchRequest(query: SearchQuery) {
  const { filters = [] } = query;
  return {
    startDate: query.start_date,
    endDate: query.end_date,
    dimensions: [...query.dimensions],
    type: query.type ?? "web",
    ...(filters.length > 0
      ? {
        dimensionFilterGroups: [{
          groupType: "and",
          filters: filters.map(({ dimension, operator = "equals", expression }) => ({
            dimension,
            operator,
            expression,
          })),
        }],
      }
      : {}),
    aggregationType: query.aggregation_type ?? "auto",
    dataState: query.data_state ?? "final",
    rowLimit: query.row_limit,
    startRow: query.start_row ?? 0,
  };
}

/** The search property of one site. */
export class SearchConsole {
  constructor(private readonly wire: GoogleWire) {}

  /** Searches by those dimensions. Throws E_UPSTREAM, E_ANALYTICS_ACCOUNT_NOT_LINKED, E_SEARCH_NOT_LINKED. */
  async query(query: SearchQuery): Promise<Searches> {
    const { site, settings } = this.wire.ctx;
    const site_url = searchSiteOf(site);
    const asked: Asked = {
      method: "POST",
      url: `${settings.SEARCH_API_BASE}/sites/${encodeURIComponent(site_url)}/searchAnalytics/query`,
      // One row more than is shown tells whether there are more.
      json: searchRequest({ ...query, row_limit: Math.min(query.row_limit + 1, ROWS_MAX) }),
      effect: "read",
      max_bytes: LIMITS.REPORT_BYTES,
    };
    const reply = await this.wire.read(READ_REPLY, asked);
    const wrong = (what: string) => unreadable(this.wire.service, asked, what);
    // Without rows it says by what it counted still.
    if (!reply.rows && !reply.responseAggregationType) {
      throw wrong("it has no rows, and does not say what it counted");
    }
    const rows = (reply.rows ?? []).map((row) => {
      const keys = row.keys ?? [];
      if (keys.length !== query.dimensions.length) {
        throw wrong("a row has not as many keys as there are dimensions");
      }
      const [clicks, impressions, ctr, position] = [row.clicks, row.impressions, row.ctr, row.position].map(
        (one) => {
          const value = one === null || one === undefined || one === "" ? Number.NaN : Number(one);
          return Number.isFinite(value) ? value : null;
        },
      ) as [number | null, number | null, number | null, number | null];
      // Of Discover and Google News the position is left out; nothing else ever is.
      const places = query.type !== "discover" && query.type !== "googleNews";
      if (clicks === null || impressions === null || ctr === null || places && position === null) {
        throw wrong(`a row lacks one of clicks, impressions${places ? ", ctr and position" : " and ctr"}`);
      }
      return { keys, clicks, impressions, ctr, position };
    });
    const shown = rows.slice(0, query.row_limit);
    // Of a page as large as there can be nothing tells whether it is the last.
    const truncated = rows.length > shown.length || shown.length === ROWS_MAX;
    const incomplete = reply.metadata?.firstIncompleteDate;
    return {
      site_url,
      rows: shown,
      response_aggregation_type: reply.responseAggregationType ?? null,
      row_count: shown.length,
      truncated,
      next_start_row: truncated ? (query.start_row ?? 0) + shown.length : null,
      ...(incomplete ? { first_incomplete_date: incomplete } : {}),
    };
  }
}
