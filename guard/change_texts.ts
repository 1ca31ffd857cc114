/** What changes replaced and by what, and which later ones stand on them: told from the rows and from what is kept to undo. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { redactText } from "../core/credentials.ts";
import type { AuditRow } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import type { Apart, ChangeRow, Replaced } from "../registry/tool.ts";
import type { AuditQuery, ChangeState, Store } from "../store/store.ts";

type Kept = Pick<Store, "audit" | "changes">;
type Fields = Readonly<Record<string, unknown>>;

/** So many of the latest changes of a thing are looked at. */
const LATER_ROWS = 50;
const FIRST_MAX = 5;
const COVERED = "A later change of another token stands on it";

/** A text as a row of the audit shortens it. */
interface Short {
  readonly length: number;
  readonly sha256: string;
  readonly head: string;
}

/** Three fields and no others: a value of a site may have some of these names too. */
const isShort = (value: unknown): value is Short =>
  isFields(value) && Object.keys(value).length === 3 && Number.isInteger(value["length"]) &&
  typeof value["sha256"] === "string" && typeof value["head"] === "string";

/** Changes as a row keeps them: of many it has how many there were, and the first. */
export function shownOf(changes: unknown): readonly Fields[] {
  const first = isFields(changes) ? changes["first"] : changes;
  return Array.isArray(first) ? first.filter(isFields) : [];
}

/** What later changes of the same things say of the changes of one page. */
export class ChangeTexts {
  readonly #rows = new Map<string, readonly AuditRow[]>();

  /** `apart` cuts two versions of texts to what differs; without it no texts are told. */
  constructor(
    private readonly kept: Kept,
    private readonly query: Pick<AuditQuery, "site_id" | "token_id">,
    private readonly apart?: Apart,
  ) {}

  /** The line with which later changes must be taken back before it, and what it replaced. */
  async told(line: ChangeRow, row: AuditRow, state: ChangeState | null): Promise<ChangeRow> {
    const covered = line.undoable && state !== null ? await this.#covered(row, state) : {};
    return { ...line, ...covered, ...this.apart === undefined ? {} : await this.#texts(row, this.apart) };
  }

  /** Later changes of the same post or page, the oldest first. */
  async #later({ site_id, result_id, request_id }: AuditRow): Promise<readonly AuditRow[]> {
    if (site_id === null || result_id === undefined) return [];
    const id = String(result_id);
    const rows = this.#rows.get(id) ??
      (await this.kept.audit.list({ site_id, id, outcome: "made" }, { limit: LATER_ROWS })).rows;
    this.#rows.set(id, rows);
    const at = rows.findIndex((one) => one.request_id === request_id);
    return rows.slice(0, Math.max(0, at)).reverse();
  }

  /** Only changes by the same tool are compared, whose parts are of one kind. */
  async #covered(row: AuditRow, { left }: ChangeState): Promise<Partial<ChangeRow>> {
    const own = left?.length === 1 ? left[0] : null;
    if (!own) return {};
    const fields = shownOf(row.changes).map(({ field }) => String(field)).filter((field) => field in own);
    const now: Record<string, string> = {};
    const over: AuditRow[] = [];
    for (const later of await this.#later(row)) {
      if (later.tool !== row.tool) continue;
      const state = await this.kept.changes.state(row.site_id!, later.request_id);
      const theirs = state?.left?.length === 1 && state.undone_by === null ? state.left[0] : null;
      if (!theirs) continue;
      const names = shownOf(later.changes).map(({ field }) => String(field));
      const shared = fields.filter((field) => names.includes(field) && field in theirs);
      for (const field of shared) now[field] = theirs[field]!;
      if (shared.length > 0) over.push(later);
    }
    if (Object.entries(now).every(([field, hash]) => own[field] === hash)) return {};
    const { token_id } = this.query;
    if (over.some((one) => token_id !== undefined && one.token_id !== token_id)) {
      return { undoable: false, undoable_reason: COVERED };
    }
    return { undo_first: over.map((one) => one.request_id).reverse().slice(0, FIRST_MAX) };
  }

  async #texts(row: AuditRow, apart: Apart) {
    const changes = shownOf(row.changes).filter((one) => "from" in one && "to" in one);
    if (changes.length === 0) return {};
    const [from, to]: [Record<string, string>, Record<string, string>] = [{}, {}];
    const others: Replaced[] = [];
    for (const one of changes) {
      const field = String(one["field"]);
      const after = isShort(one["to"]) ? await this.#after(row, field, one["to"]) : one["to"];
      const isWhole = typeof after === "string";
      const before = isShort(one["from"]) && isWhole
        ? await this.#whole(row, field, one["from"])
        : one["from"];
      if (typeof before === "string" && isWhole) {
        [from[field], to[field]] = [redactText(before), redactText(after)];
      } else {
        // Of a text that nothing has whole by now both are told alike, by their beginnings.
        others.push(beginnings(field, before, isWhole ? one["to"] : after));
      }
    }
    return { replaced: [...apart(from, to), ...others] };
  }

  /** What a change wrote, where a later one found it. */
  async #after(row: AuditRow, field: string, short: Short): Promise<unknown> {
    for (const later of await this.#later(row)) {
      const found = shownOf(later.changes).find((one) => one["field"] === field)?.["from"];
      if (!isShort(found) || found.sha256 !== short.sha256) continue;
      const whole = await this.#whole(later, field, short);
      if (typeof whole === "string") return whole;
    }
    return short;
  }

  /** A text that a change replaced, as it is kept to be set back; the shortened one where it is not. */
  async #whole({ site_id, request_id }: AuditRow, field: string, short: Short): Promise<unknown> {
    const kept = site_id === null ? null : await this.kept.changes.find(site_id, request_id);
    const text = kept?.setbacks.map(({ values }) => values[field]).find((one) => isTextOf(one, short));
    return text ?? short;
  }
}

/** Whether it is the very text that was shortened. */
const isTextOf = (value: unknown, { length, sha256 }: Short): boolean =>
  typeof value === "string" && Buffer.byteLength(value) === length && hash("sha256", value) === sha256;

/** Both sides of a text that is not there whole, and how long those are that are shortened. */
function beginnings(field: string, before: unknown, after: unknown): Replaced {
  const shortened = {
    ...isShort(before) ? { from: before.length } : {},
    ...isShort(after) ? { to: after.length } : {},
  };
  const shown = (value: unknown) => isShort(value) ? value.head : value;
  const replaced = { field, from: shown(before), to: shown(after) };
  return Object.keys(shortened).length === 0 ? replaced : { ...replaced, shortened };
}
