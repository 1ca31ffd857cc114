/** What calls have changed, as a file of comma-separated values: for a spreadsheet, and for a client who asks. */
import type { Context } from "hono";
import { type Asked, auditPageFor, auditQueryOf } from "../../admin/audit_pages.ts";
import type { AdminPorts } from "../../admin/ports.ts";
import type { AuditRow } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { isFields } from "../../core/values.ts";
import type { Person } from "../../identity/visitors.ts";
import { LIMITS } from "../../core/model.ts";

/** More changes than that are asked for by days. */
const ROWS_MAX = 10_000;
const COLUMNS = ["When (UTC)", "Site", "Tool", "What", "Changed by", "Approved by", "State", "Request"];
/** A cell that begins with one of these is a formula to a spreadsheet. */
const FORMULA_SIGNS = "=+-@\t\r";

/** A cell: quoted, and a text whatever it begins with. */
function cell(text: string): string {
  const shown = seen(text);
  const plain = shown !== "" && FORMULA_SIGNS.includes(shown[0]!) ? `'${shown}` : shown;
  return `"${plain.replaceAll('"', '""')}"`;
}

const lineOf = (cells: readonly string[]) => `${cells.map(cell).join(",")}\r\n`;

/** Which fields a row says it changed. */
export function fieldsOf({ changes }: AuditRow): readonly string[] {
  const first = isFields(changes) ? (changes as Record<string, unknown>)["first"] : changes;
  const fields = (Array.isArray(first) ? first : []).flatMap((one) =>
    isFields(one) ? [String(one["field"])] : []
  );
  return [...new Set(fields)];
}

const rowLine = (row: AuditRow): string =>
  lineOf([
    ...[row.at.slice(0, 19).replace("T", " "), row.site_id ?? "several", row.tool, fieldsOf(row).join(", ")],
    ...[row.token_name, row.approved_by ?? "", row.outcome === "unknown" ? "in doubt" : "made", row.id],
  ]);

/** Every change that is asked for and that the person may see, newest first; those in doubt say so. */
export async function changesFile(
  c: Context,
  { store }: AdminPorts,
  { caller }: Person,
  asked: Asked,
): Promise<Response> {
  const query = await auditQueryOf(store, asked);
  const lines: [at: string, line: string][] = [];
  for (const outcome of ["made", "unknown"] as const) {
    let cursor: string | undefined;
    do {
      const page = { limit: LIMITS.AUDIT_PAGE_MAX, ...cursor === undefined ? {} : { cursor } };
      const { rows, next_cursor } = await auditPageFor(store, caller, { ...query, outcome }, page);
      lines.push(...rows.map((row): [string, string] => [row.at, rowLine(row)]));
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined && lines.length < ROWS_MAX);
  }
  lines.sort(([one], [other]) => (one < other ? 1 : one > other ? -1 : 0));
  const cut = lines.length >= ROWS_MAX
    ? lineOf([`Only the newest ${ROWS_MAX} changes; choose fewer days for the others`])
    : "";
  c.header("Content-Type", "text/csv; charset=utf-8");
  c.header("Content-Disposition", 'attachment; filename="changes.csv"');
  return c.body(lineOf(COLUMNS) + lines.slice(0, ROWS_MAX).map(([, line]) => line).join("") + cut);
}
