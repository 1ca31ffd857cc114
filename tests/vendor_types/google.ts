/** Our requests and what we read of replies, beside the types Google generates: a field it does not have fails to check. */
import type { analyticsdata_v1beta as analytics } from "@googleapis/analyticsdata";
import type { drive_v3 as drive } from "@googleapis/drive";
import type { searchconsole_v1 as searchconsole } from "@googleapis/searchconsole";
import type { sheets_v4 as sheets } from "@googleapis/sheets";
import type { z } from "zod";
import type { REPORT_REPLY, reportRequest } from "../../platforms/google/analytics.ts";
import type { folderRequest, listRequest } from "../../platforms/google/drive.ts";
import type {
  FILE_REPLY,
  FOLDER,
  LIST_REPLY,
  LISTED,
  MADE,
  READ,
} from "../../platforms/google/drive_shapes.ts";
import type { fileRequest } from "../../platforms/google/drive_write.ts";
import type { Filter, FilterExpression, OrderBy } from "../../platforms/google/filters.ts";
import type { SITES } from "../../platforms/google/linkable.ts";
import type { SEARCH_REPLY, searchRequest } from "../../platforms/google/search_console.ts";
import type { VALUES_REPLY, valuesRequest } from "../../platforms/google/sheets.ts";
import type { None, Strangers, Unanswered } from "./strangers.ts";

/** What a parser takes. */
type Read<Shape extends z.ZodType> = z.input<Shape>;

/** The words of a list in one text. */
type Words<Text extends string> = Text extends `${infer One},${infer Rest}` ? One | Words<Rest> : Text;

/** Requests: no field of ours is unknown to Google, or of another type there. */
export type Requests = [
  None<Strangers<ReturnType<typeof reportRequest>, analytics.Schema$RunReportRequest>>,
  None<Strangers<Filter, analytics.Schema$Filter>>,
  None<Strangers<FilterExpression, analytics.Schema$FilterExpression>>,
  None<Strangers<OrderBy, analytics.Schema$OrderBy>>,
  None<Strangers<ReturnType<typeof searchRequest>, searchconsole.Schema$SearchAnalyticsQueryRequest>>,
  None<Strangers<ReturnType<typeof valuesRequest>, sheets.Params$Resource$Spreadsheets$Values$Get>>,
  None<Strangers<ReturnType<typeof fileRequest>, drive.Schema$File>>,
  None<Strangers<ReturnType<typeof folderRequest>, drive.Schema$File>>,
  // Numbers and truths are texts in a query.
  None<Unanswered<ReturnType<typeof listRequest>, drive.Params$Resource$Files$List>>,
  None<Exclude<Words<typeof LISTED | typeof MADE | typeof READ | typeof FOLDER>, keyof drive.Schema$File>>,
];

/** What the reference has since 14 September 2026, and version 10.0.0 of the types has not (docs/upstreams/google.md). */
interface SinceThen {
  readonly metadata?: { readonly dataTruncationReasons?: { readonly dataTruncationDate?: string | null }[] };
}

/** Replies: no field that we read is unknown to Google, and what Google answers can be parsed. */
export type Replies = [
  None<Unanswered<Read<typeof REPORT_REPLY>, analytics.Schema$RunReportResponse & SinceThen>>,
  None<Unanswered<Read<typeof SEARCH_REPLY>, searchconsole.Schema$SearchAnalyticsQueryResponse>>,
  None<Unanswered<Read<typeof SITES>, searchconsole.Schema$SitesListResponse>>,
  None<Unanswered<Read<typeof VALUES_REPLY>, sheets.Schema$ValueRange>>,
  None<Unanswered<Read<typeof FILE_REPLY>, drive.Schema$File>>,
  None<Unanswered<Read<typeof LIST_REPLY>, drive.Schema$FileList>>,
];

/** Whether a value of one type can be given where the other is wanted. */
type Given<Theirs, Ours> = [Theirs] extends [Ours] ? never : "what Google answers cannot be parsed";

export type Parsed = [
  None<Given<analytics.Schema$RunReportResponse, Read<typeof REPORT_REPLY>>>,
  None<Given<searchconsole.Schema$SearchAnalyticsQueryResponse, Read<typeof SEARCH_REPLY>>>,
  None<Given<sheets.Schema$ValueRange, Read<typeof VALUES_REPLY>>>,
  None<Given<drive.Schema$File, Read<typeof FILE_REPLY>>>,
  None<Given<drive.Schema$FileList, Read<typeof LIST_REPLY>>>,
];

type Wrong = { readonly dateRanges: { readonly startDay: string }[]; readonly limits: string };
type Fields = { readonly files: { readonly mimetype: string }[] };

/** That it is noticed: a misspelt field, however deep, a wrong type, and a reply that cannot be parsed. */
export type Noticed = [
  // @ts-expect-error: startDay and limits are misspelt
  None<Strangers<Wrong, analytics.Schema$RunReportRequest>>,
  // @ts-expect-error: limit is a text there
  None<Strangers<{ limit: number }, analytics.Schema$RunReportRequest>>,
  // @ts-expect-error: mimetype is misspelt
  None<Unanswered<Fields, drive.Schema$FileList>>,
  // @ts-expect-error: a name may be missing
  None<Given<drive.Schema$File, { name: string }>>,
];
