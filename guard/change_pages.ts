/** Pages of changes: rows of the audit, newest first, with what is kept of each, no longer than an agent can use. */
import { type AuditRow, LIMITS, MORE_PATHS } from "../core/model.ts";
import { cut } from "../core/values.ts";
import type { Apart, ChangeLine, ChangeRow, ChangesPage, LatestChanges } from "../registry/tool.ts";
import type { AuditQuery, AuditStore, ChangeState, ChangeStore, Store } from "../store/store.ts";
import { ChangeTexts, shownOf } from "./change_texts.ts";

const PAGE_ROWS = 10;
/** So many are read at once where all are read, or sets are folded, and of such parts so many for one page. */
const PART_ROWS = 100;
const PARTS_MAX = 5;
const UNKNOWN_ROWS = 3;
const MANY_ROWS = 5;
const FIELDS_NAMED = 8;
const FIELD_CHARACTERS = 60;
const REASON_CHARACTERS = 160;
const NOTHING_KEPT = "Nothing is kept that could be set back";
const HALF_KNOWN = "It is under way, or nobody knows how it ended";
const KNOWN_PART = "Nobody knows how all of it ended; the part that is known to be made goes back";
/** What an answer has beside its rows: the day, what comes next, a cursor. */
const BESIDE_BYTES = 760;

/** What is asked for: any filters of the audit but what became of the rows. */
export type ChangeQuery = Omit<AuditQuery, "outcome" | "status">;

type Kept = Pick<Store, "audit" | "changes">;

/** A page of changes, at most LIMITS.CHANGES_PAGE_BYTES long with what an answer has beside it. */
export function changePage(kept: Kept, query: ChangeQuery, cursor?: string): Promise<ChangesPage> {
  const texts = new ChangeTexts(kept, query);
  return pageOf(kept, query, cursor, (row) => told(kept.changes, row, texts));
}

/**
 * The same, in which the changes of a set are one line, which stands where the newest of them does; with `apart` the others
 * say what they replaced.
 */
export function foldedPage(
  kept: Kept,
  query: ChangeQuery,
  cursor?: string,
  apart?: Apart,
): Promise<ChangesPage<ChangeLine>> {
  const texts = new ChangeTexts(kept, query, apart);
  const sets = new SetLines(kept, query, texts);
  return pageOf<ChangeLine>(
    kept,
    query,
    cursor,
    (row) =>
      row.set_id === undefined || query.set_id !== undefined
        ? told(kept.changes, row, texts)
        : sets.of(row, row.set_id),
  );
}

/** `lineOf` makes the line of a row; null for one that stands in another's. */
async function pageOf<Line>(
  kept: Kept,
  query: ChangeQuery,
  cursor: string | undefined,
  lineOf: (row: AuditRow) => Promise<Line | null>,
): Promise<ChangesPage<Line>> {
  const { audit } = kept;
  const doubted = cursor === undefined ? await doubtedOf(kept, query, UNKNOWN_ROWS + 1) : [];
  const many = cursor === undefined ? await ofManyFiles(audit, query) : {};
  const room = LIMITS.CHANGES_PAGE_BYTES - BESIDE_BYTES;
  const first = doubted.slice(0, UNKNOWN_ROWS);
  const unknown = first.slice(0, fitting(first, room / 2));
  const beside = { unknown, ...unknown.length < doubted.length ? { more_unknown: true } : {}, ...many };
  let left = room - sizeOf(unknown);
  const made = { ...query, outcome: "made" } as const;
  const rows: Line[] = [];
  const page = (next: string | null) => ({ rows, next, ...beside });
  let at = cursor;
  for (let parts = 0; parts < PARTS_MAX; parts++) {
    const part = await audit.list(made, { limit: parts === 0 ? PAGE_ROWS : PART_ROWS, cursor: at });
    let isFolded = false;
    for (const [n, row] of part.rows.entries()) {
      const line = await lineOf(row);
      if (line === null) isFolded = true;
      if (line === null) continue;
      left -= sizeOf(line) + 1;
      if (rows.length > 0 && (left < 0 || rows.length === PAGE_ROWS)) {
        // Asked for again, so that the cursor goes on behind the last line that fits.
        return page(n === 0 ? at ?? null : (await audit.list(made, { limit: n, cursor: at })).next_cursor);
      }
      rows.push(line);
    }
    at = part.next_cursor ?? undefined;
    if (at === undefined || rows.length >= PAGE_ROWS || !isFolded) return page(at ?? null);
  }
  return page(at ?? null);
}

/** The changes of sets as lines. */
class SetLines {
  /** The rows of each set, newest first. */
  readonly #sets = new Map<string, readonly AuditRow[]>();

  constructor(
    private readonly kept: Kept,
    private readonly query: ChangeQuery,
    private readonly texts: ChangeTexts,
  ) {}

  /** The line of a set at the newest of its changes; null at the others. Its only change has a line of its own. */
  async of(row: AuditRow, set_id: string): Promise<ChangeLine | null> {
    const { audit, changes } = this.kept;
    const all = this.#sets.get(set_id) ??
      (await audit.list({ ...this.query, set_id, outcome: "made" }, { limit: LIMITS.SET_ITEMS_MAX + 1 }))
        .rows;
    this.#sets.set(set_id, all);
    if (all[0]?.request_id !== row.request_id) return null;
    if (all.length === 1) return await told(changes, row, this.texts);
    const made = await Promise.all(all.map((one) => told(changes, one)));
    const tools = [...Map.groupBy(made, ({ tool }) => tool)].map(([tool, { length }]) => [tool, length]);
    const count = made.filter((one) => one.undoable).length;
    const { at, by, items_left_out } = made[0]!;
    return {
      set_id,
      at,
      changes: made.length,
      tools: Object.fromEntries(tools),
      by,
      ...items_left_out === undefined ? {} : { items_left_out: items_left_out as readonly number[] },
      ...made.some((one) => one["live"] !== undefined) ? { live: true } : {},
      undoable: count > 0,
      ...count === made.length ? {} : { undoable_changes: count },
    };
  }
}

const PART_UNKNOWN = 50;

/** All changes of a query, newest first, a part after the other, with no more reads than they need. */
export async function* latestChanges(
  { audit, changes }: Pick<Store, "audit" | "changes">,
  query: ChangeQuery,
): AsyncGenerator<LatestChanges> {
  let unknown: readonly ChangeRow[] = await doubtedOf({ audit, changes }, query, PART_UNKNOWN);
  for (let cursor: string | undefined;;) {
    const page = await audit.list({ ...query, outcome: "made" }, { limit: PART_ROWS, cursor });
    yield { rows: await Promise.all(page.rows.map((row) => told(changes, row))), unknown };
    if (page.next_cursor === null) return;
    [cursor, unknown] = [page.next_cursor, []];
  }
}

/** The newest of those of which nobody knows whether they were made. */
async function doubtedOf(
  { audit, changes }: Pick<Store, "audit" | "changes">,
  query: ChangeQuery,
  limit: number,
): Promise<ChangeRow[]> {
  const { rows } = await audit.list({ ...query, outcome: "unknown" }, { limit });
  return await Promise.all(rows.map((row) => told(changes, row)));
}

/** A row as a list of changes tells it: whether it can be taken back, else why not. */
export const changeOf = ({ changes }: Pick<Kept, "changes">, row: AuditRow): Promise<ChangeRow> =>
  told(changes, row);

async function told(
  changes: Pick<ChangeStore, "state">,
  row: AuditRow,
  texts?: ChangeTexts,
): Promise<ChangeRow> {
  const state = row.site_id === null ? null : await changes.state(row.site_id, row.request_id);
  const line = rowOf(row, state);
  return texts === undefined ? line : await texts.told(line, row, state);
}

/** Changes of more files than their rows name: whichever file is asked for, they may have written it. */
async function ofManyFiles(audit: Pick<AuditStore, "list">, { path, ...query }: ChangeQuery) {
  if (path === undefined) return {};
  const { rows } = await audit.list({ ...query, path: MORE_PATHS, outcome: "made" }, { limit: MANY_ROWS });
  return rows.length === 0 ? {} : { of_many_files: rows.map((row) => row.request_id) };
}

const ENCODER = new TextEncoder();
const sizeOf = (value: unknown) => ENCODER.encode(JSON.stringify(value)).length;

/** How many of the first rows fit, one at least. */
function fitting(rows: readonly ChangeRow[], bytes: number): number {
  let left = bytes;
  const over = rows.findIndex((row) => (left -= sizeOf(row) + 1) < 0);
  return over < 0 ? rows.length : Math.max(1, over);
}

/** Whether it is known of any write what it left. */
export const isTold = (left: ChangeState["left"]): boolean => left?.some((one) => one !== null) ?? false;

/** Whether visitors got it at once: a change of what was live, or a publication. */
function liveOf({ _published, changes, outcome }: AuditRow): { readonly live?: true | null } {
  if (_published !== undefined) return { live: _published };
  const isPublication = outcome === "made" &&
    shownOf(changes).some((one) => one["field"] === "status" && one["to"] === "published");
  return isPublication ? { live: true } : {};
}

/** A row of the audit as a list of changes tells it. */
function rowOf(row: AuditRow, state: ChangeState | null): ChangeRow {
  const { request_id, at, tool, result_id, changes, token_name, client_id, owner_user_id, set_id, item } =
    row;
  const fields = [...new Set(shownOf(changes).map((one) => String(one["field"])))];
  return {
    request_id,
    at,
    tool,
    ...result_id === undefined ? {} : { id: result_id },
    ...set_id === undefined ? {} : { set_id, item },
    ...row.items_left_out === undefined ? {} : { items_left_out: row.items_left_out },
    ...fields.length === 0
      ? {}
      : { fields: fields.slice(0, FIELDS_NAMED).map((field) => field.slice(0, FIELD_CHARACTERS)) },
    by: {
      token: token_name,
      ...client_id === undefined ? {} : { client: client_id },
      ...owner_user_id === null ? {} : { person: owner_user_id },
    },
    ...liveOf(row),
    ...row.error === null ? {} : { error: row.error },
    ...undoableOf(state, row.outcome === "unknown"),
  };
}

/** Whether a change can be taken back; else which one did so, or why it cannot. Of one in doubt that which is known of it. */
function undoableOf(state: ChangeState | null, isDoubted: boolean) {
  if (state === null) return { undoable: false, undoable_reason: isDoubted ? HALF_KNOWN : NOTHING_KEPT };
  const { final, left, undone_by } = state;
  if (undone_by !== null) return { undoable: false, undone_by };
  if (final === null && isTold(left)) {
    return isDoubted ? { undoable: true, undoable_reason: KNOWN_PART } : { undoable: true };
  }
  return { undoable: false, undoable_reason: cut(final ?? HALF_KNOWN, REASON_CHARACTERS) };
}
