/** A small read of each Google service, held against what its client reads (docs/upstreams/google.md). */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { See } from "../_connector/operator.ts";
import { Ads, BATCH, CUSTOMER } from "./ads.ts";
import { Analytics, REPORT_REPLY } from "./analytics.ts";
import { Drive } from "./drive.ts";
import { FILE_REPLY, LIST_REPLY } from "./drive_shapes.ts";
import { customerOf } from "./routes.ts";
import { SEARCH_REPLY, SearchConsole } from "./search_console.ts";
import { Sheets, VALUES_REPLY } from "./sheets.ts";
import { type GoogleContext, GoogleWire } from "./wire.ts";

const DAY_MS = 86_400_000;
/** Search Console has a day's figures some days later. */
const [FROM_DAYS, TO_DAYS] = [10, 3];
const ROWS = 5;

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const days = (ctx: GoogleContext) => ({
  start_date: day(ctx.now() - FROM_DAYS * DAY_MS),
  end_date: day(ctx.now() - TO_DAYS * DAY_MS),
});

/** One report by day. */
export async function analytics(ctx: GoogleContext, see: See): Promise<void> {
  const client = new Analytics(new GoogleWire(ctx, "analytics"));
  const query = { ...days(ctx), metrics: ["sessions"], dimensions: ["date"], limit: ROWS };
  await see("a report", REPORT_REPLY, () => client.report(query));
}

/** One list of days. */
export async function search(ctx: GoogleContext, see: See): Promise<void> {
  const client = new SearchConsole(new GoogleWire(ctx, "search"));
  await see(
    "searches by day",
    SEARCH_REPLY,
    () => client.query({ ...days(ctx), dimensions: ["date"], row_limit: ROWS }),
  );
}

const ADS_QUERY = "SELECT customer.id, customer.currency_code, customer.time_zone, metrics.clicks, " +
  "metrics.cost_micros FROM customer LIMIT 1";
/** Whole numbers come as texts, and are read as either. */
const count = z.union([z.string(), z.number()]).nullish();
const ADS_BATCHES = z.array(BATCH.extend({
  results: z.array(CUSTOMER.extend({ metrics: z.object({ clicks: count, costMicros: count }).nullish() }))
    .nullish(),
}));

/** The customer's own row. */
export async function ads(ctx: GoogleContext, see: See): Promise<void> {
  const client = new Ads(new GoogleWire(ctx, "ads"));
  const ask = (shape: typeof ADS_BATCHES) => client.stream(shape, ADS_QUERY, customerOf(ctx.site));
  await see("the customer's row", ADS_BATCHES, ask);
}

/** The first cells of the first spreadsheet. Throws E_NOT_SUPPORTED where none is named. */
export async function sheets(ctx: GoogleContext, see: See): Promise<void> {
  const [spreadsheet_id] = (ctx.site?.spreadsheet_ids ?? []).filter((id) => id !== "*");
  if (spreadsheet_id === undefined) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      "The site may read every spreadsheet of the account and names none, so there is none to ask for",
    );
  }
  const client = new Sheets(new GoogleWire(ctx, "sheets"));
  const range = { spreadsheet_id, range: "A1:B2", major_dimension: "ROWS" };
  await see("values of a range", VALUES_REPLY, () => client.values(range));
}

/** Each with the fields that are asked for. */
const FOLDER_REPLY = FILE_REPLY.pick({
  id: true,
  name: true,
  mimeType: true,
  webViewLink: true,
  trashed: true,
});
const FILES_REPLY = LIST_REPLY.extend({
  files: z.array(FILE_REPLY.omit({ trashed: true, sha256Checksum: true })).nullish(),
});

/** The site's folder, and some of its files. */
export async function storage(ctx: GoogleContext, see: See): Promise<void> {
  const client = new Drive(new GoogleWire(ctx, "storage"));
  await see("the folder", FOLDER_REPLY, () => client.folder());
  await see("files of the folder", FILES_REPLY, () => client.list(ROWS));
}
