/** Which changes are taken back: those that are named, or all of a set or from a time on, as far as that is looked at. */
import { formOf } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ChangeRow, ChangesPort } from "../../registry/tool.ts";

/** What is asked to be taken back. */
export interface Asked {
  readonly request_id?: string;
  readonly request_ids?: readonly string[];
  readonly set_id?: string;
  readonly since?: string;
  readonly client?: string;
  readonly person?: string;
  readonly token?: string;
}

/** So many go back by one call. */
const AT_ONCE = 50;
/** How many of what stays are named. */
export const NAMED = 10;
/** So many of the changes since a time are looked at; more only until as many are found as go back at once. */
const LOOKED_AT = 1000;
const LOOKED_AT_MOST = 10_000;
/** Ids grow with time: the newest is set back first. */
const newestFirst = (ids: readonly string[]) => [...new Set(ids)].sort().reverse();

/** What is to be taken back, newest first, and what is said of what is not. */
export interface Choice {
  readonly ids: readonly string[];
  /** Those that go back only when it is asked for again. */
  readonly more: readonly ChangeRow[];
  readonly warnings: readonly string[];
}

/** The changes since a time, newest first, as far as they are looked at. */
interface Since {
  readonly rows: readonly ChangeRow[];
  readonly unknown: readonly ChangeRow[];
  /** Whether there are no more of them. */
  readonly isAll: boolean;
}

/** What was asked for. Throws E_NOT_FOUND where nothing of a set, or from a time on, can be taken back. */
export async function idsOf(
  { request_id, request_ids, set_id, since, client, person, token }: Asked,
  changes: Pick<ChangesPort, "latest">,
): Promise<Choice> {
  if (since === undefined && set_id === undefined) {
    return { ids: newestFirst(request_ids ?? [request_id!]), more: [], warnings: [] };
  }
  const from = since === undefined ? {} : { from: new Date(since).toISOString() };
  const found = await lookedAt(changes.latest({ ...from, set_id, client, person, token }));
  const all = goingBack(found);
  if (all.length === 0) throw set_id === undefined ? nothingSince(found) : nothingOf(set_id, found);
  const [going, more] = [all.slice(0, AT_ONCE), all.slice(AT_ONCE)];
  return {
    ids: newestFirst(going.map((row) => row.request_id)),
    more,
    warnings: [...whose(going), ...staying(found, more)],
  };
}

async function lookedAt(parts: ReturnType<ChangesPort["latest"]>): Promise<Since> {
  const rows: ChangeRow[] = [];
  const unknown: ChangeRow[] = [];
  for await (const part of parts) {
    const isEnough = rows.length >= LOOKED_AT &&
      goingBack({ rows, unknown, isAll: false }).length >= AT_ONCE;
    if (isEnough || rows.length >= LOOKED_AT_MOST) return { rows, unknown, isAll: false };
    rows.push(...part.rows);
    unknown.push(...part.unknown);
  }
  return { rows, unknown, isAll: true };
}

/**
 * Those that can be taken back and have work of their own among them. An undo of one of them has none, so that asking again
 * does not bring it back; the undo of such an undo is that change again. Of an undo of what is older than what was looked
 * at nobody knows.
 */
function goingBack({ rows, isAll }: Since): readonly ChangeRow[] {
  const undid = Map.groupBy(rows, ({ undone_by }) => undone_by);
  const own = new Set<string>();
  for (const { request_id, tool } of rows.toReversed()) {
    const took = undid.get(request_id) ?? [];
    const isOpen = !isAll && tool === "undo_change" && took.length === 0;
    if (!isOpen && !took.some((one) => own.has(one.request_id))) own.add(request_id);
  }
  return rows.filter((row) => row.undoable && own.has(row.request_id));
}

/** By which calls they were taken back already, for a sentence. */
function undoneBy(rows: readonly ChangeRow[]): string {
  const undone = rows.filter(({ undone_by }) => undone_by !== undefined);
  const by = [...new Set(undone.map(({ undone_by }) => undone_by))];
  if (by.length === 0) return "";
  const more = by.length > NAMED ? ` and ${by.length - NAMED} more` : "";
  return `; ${undone.length} of ${rows.length} were taken back already, by ${
    by.slice(0, NAMED).join(", ")
  }${more}`;
}

const nothingOf = (set_id: string, { rows }: Since) =>
  new GatewayError(
    "E_NOT_FOUND",
    `set_id: of "${set_id}" nothing is left that could be set back on this site${
      undoneBy(rows)
    }; list_changes with set shows what it did`,
  );

const nothingSince = ({ rows, isAll }: Since) =>
  new GatewayError(
    "E_NOT_FOUND",
    isAll
      ? `since: no change from then on can be taken back${
        undoneBy(rows)
      }; list_changes shows what was changed`
      : `since: none of the newest ${rows.length} changes from then on can be taken back, and older ones were not looked ` +
        "at; list_changes shows them by date, and request_ids takes them back",
  );

/** What is said of what does not go back now: what comes next, what nothing takes back, what was not looked at. */
function staying({ rows, unknown, isAll }: Since, more: readonly ChangeRow[]): string[] {
  const never = [
    ...unknown,
    ...rows.filter(({ undoable, undone_by }) => !undoable && undone_by === undefined),
  ];
  return [
    ...more.length === 0 ? [] : [
      `${AT_ONCE} changes go back at once; ${
        formOf(more.length, "1 older one stays", `${more.length} older ones stay`)
      } until it is asked for again, or by request_ids: ${named(more, AT_ONCE)}`,
    ],
    ...never.length === 0 ? [] : [`These stay, list_changes says why: ${named(never, NAMED)}`],
    ...isAll ? [] : [
      `There are more than the newest ${rows.length} changes from then on, and those beyond were not looked at: they stay ` +
      "until it is asked for again",
    ],
  ];
}

/** Whose changes go back, where they are not all of one. */
function whose(rows: readonly ChangeRow[]): string[] {
  const all = Map.groupBy(
    rows,
    ({ by: { token, client, person } }) =>
      [
        `token ${token}`,
        ...client === undefined ? [] : [`client ${client}`],
        ...person === undefined ? [] : [`person ${person}`],
      ].join(", "),
  );
  if (all.size < 2) return [];
  const counts = [...all].map(([by, { length }]) => `${length} by ${by}`).join("; ");
  return [`These are changes of several: ${counts}; give client, person, token or request_ids for fewer`];
}

/** Changes for a sentence, so many of them, and how many more there are. */
export const named = (rows: readonly ChangeRow[], most: number) =>
  rows.slice(0, most).map(({ request_id, tool }) => `${request_id} (${tool})`).join(", ") +
  (rows.length > most ? ` and ${rows.length - most} more` : "");
