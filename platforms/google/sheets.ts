/** Values of a spreadsheet that the site may read (docs/upstreams/google.md). */
import { z } from "zod";
import { unreadable } from "./errors.ts";
import { assertReadable } from "./routes.ts";
import type { Asked, GoogleWire } from "./wire.ts";

/** Which values, and how they are written. */
export interface RangeQuery {
  readonly spreadsheet_id: string;
  readonly range: string;
  readonly major_dimension: string;
  readonly value_render_option?: string | undefined;
  readonly date_time_render_option?: string | undefined;
}

/** The values; rows may end before the range does. */
export interface SheetValues {
  readonly spreadsheet_id: string;
  readonly range: string;
  readonly major_dimension: string;
  readonly values: readonly (readonly unknown[])[];
}

/** A reply; what is not named here is dropped. */
export const VALUES_REPLY = z.object({
  range: z.string().nullish(),
  majorDimension: z.string().nullish(),
  values: z.array(z.array(z.unknown())).nullish(),
});

/** The path's parts and the query of a read. */
export function valuesRequest(query: RangeQuery) {
  return {
    spreadsheetId: query.spreadsheet_id,
    range: query.range,
    majorDimension: query.major_dimension,
    ...(query.value_render_option ? { valueRenderOption: query.value_render_option } : {}),
    ...(query.date_time_render_option ? { dateTimeRenderOption: query.date_time_render_option } : {}),
  };
}

/** The spreadsheets of one site. */
export class Sheets {
  constructor(private readonly wire: GoogleWire) {}

  /** The values of a range. Throws E_SCOPE_DENIED, E_UPSTREAM, E_ANALYTICS_ACCOUNT_NOT_LINKED. */
  async values(query: RangeQuery): Promise<SheetValues> {
    const { site, settings } = this.wire.ctx;
    assertReadable(site, query.spreadsheet_id);
    const { spreadsheetId, range, ...rest } = valuesRequest(query);
    const path = `${spreadsheetId}/values/${encodeURIComponent(range)}`;
    const url = `${settings.SHEETS_API_BASE}/spreadsheets/${path}?${new URLSearchParams(rest)}`;
    const asked: Asked = { method: "GET", url, effect: "read" };
    const reply = await this.wire.read(VALUES_REPLY, asked);
    if (!reply.values && !reply.range) {
      throw unreadable(this.wire.service, asked, "it has no values, and names no range");
    }
    return {
      spreadsheet_id: query.spreadsheet_id,
      range: reply.range ?? range,
      major_dimension: reply.majorDimension ?? query.major_dimension,
      values: reply.values ?? [],
    };
  }
}
