/** The audit of one call: what is known of it so far, and its rows. */
import { asGatewayError, GatewayError } from "../../core/errors.ts";
import { memoizeByName, memoizeLast } from "../../core/made_once.ts";
import {
  type AuditRow,
  type AuditStatus,
  type Caller,
  type Flag,
  LIMITS,
  type Made,
  type NestedCall,
  type Outcome,
  type Site,
  type Tier,
} from "../../core/model.ts";
import type { Beside, Left, Setback } from "../../store/store.ts";
import type { AuditFacts } from "../../registry/tool.ts";
import { Decision } from "../pipeline/decision.ts";
import { fitForRow } from "../pipeline/made.ts";
import { pathsIn } from "../../core/values.ts";
import { headOf, jsonBytes, redactText, shorten } from "./redact.ts";
import { Writes } from "../pipeline/writes.ts";

const NAME_CHARACTERS = 128;

/** What the log is told of rows that cannot be written. */
export interface OutagePorts {
  now(): number;
  log(event: Record<string, unknown>): void;
}

/**
 * Keeps the log readable while the audit cannot be written: the first row is logged with the reason, every row of what was
 * or may have been done is, and of the others only their number, once a row is written again: those that are not in the
 * audit, and apart from them those that the store wrote after their calls were answered.
 */
export class AuditOutage {
  #away: { readonly since: number; rows: number; late: number } | null = null;

  constructor(private readonly ports: OutagePorts) {}

  /** A row was not written in time; `late` resolves if it is written all the same. */
  failed(event: Record<string, unknown>, mayBeDone: boolean, late: Promise<void> | null = null): void {
    const isFirst = this.#away === null;
    const away = this.#away ??= { since: this.ports.now(), rows: 0, late: 0 };
    away.rows++;
    late?.then(() => away.late++);
    if (isFirst || mayBeDone) this.ports.log({ event: "audit_failed", ...event });
  }

  /** A row was written. */
  kept(): void {
    if (this.#away === null) return;
    const { since, rows, late } = this.#away;
    this.#away = null;
    const away_ms = Math.max(0, this.ports.now() - since);
    this.ports.log({ event: "audit_back", rows_refused: rows - late, rows_written_late: late, away_ms });
  }
}

const NO_FACTS: AuditFacts = Object.freeze({});

/** Whether something was noted at all. */
function isAny(facts: AuditFacts): boolean {
  for (const _ in facts) return true;
  return false;
}

/** A name as a caller gave it, fit for a column of a row. */
const column = memoizeByName((name) => redactText(name.slice(0, NAME_CHARACTERS)), NAME_CHARACTERS);

/** Many calls begin in one millisecond. */
const timestamp = memoizeLast((ms: number) => new Date(ms).toISOString());

/** A row is 32 KiB at most. */
const PATHS_BYTES_MAX = 16 * 1024;

/** The files that a call and those within it name or write, where its shortened arguments do not name all of them. */
function pathsBeside(
  calls: readonly Pick<CallRecord, "arguments" | "paths">[],
  shortened: unknown,
): Pick<AuditRow, "paths" | "paths_left_out"> | null {
  const named = calls.flatMap((one) => [...pathsIn(one.arguments), ...one.paths]);
  if (named.length === 0) return null;
  const all = [...new Set(named)].map((path) => headOf(path, LIMITS.REPO_PATH_CHARACTERS));
  const shown = pathsIn(shortened);
  if (all.length === shown.length && all.every((path, at) => path === shown[at])) return null;
  let left = PATHS_BYTES_MAX;
  const paths = [...new Set(all)];
  const fit = paths.findIndex((path) => (left -= jsonBytes(path) + 1) < 0);
  if (fit < 0) return { paths };
  return { paths: paths.slice(0, fit), paths_left_out: paths.length - fit };
}

/** How a call ended, with what is known of its change where it failed. */
export type Ending = { readonly value: unknown } | {
  readonly failure: GatewayError;
  readonly outcome: Outcome;
};

const NOTHING: readonly Beside[] = [];
const nothingBeside = () => NOTHING;

/** How a person who decides on a request looks at the call that it is about. */
export interface PersonsView {
  /** Items of a change set that the person leaves out. */
  readonly without: readonly number[];
  /** Whether texts are shown whole. */
  readonly whole: boolean;
  /** Whether the call is only shown, not carried out. */
  readonly isShown: boolean;
}

/** Filled in by the steps of the call; turned into the intent and the outcome row. */
export class CallRecord {
  /** What its steps judged so far. */
  readonly decision = new Decision();
  /** What the door parsed, unredacted; rows hold a shortened copy. */
  arguments: unknown = null;
  /** Records that the outcome's row takes along into its commit, for a call that ended so. */
  beside: (ending: Ending) => readonly Beside[] | Promise<readonly Beside[]> = nothingBeside;
  /** Further records of that kind: of what stood where the call has written. */
  keeping: ((ending: Ending) => Promise<readonly Beside[]>) | null = null;
  readonly facts: AuditFacts = {};
  /** What would set back what this call alone writes; null where nothing does. */
  setback: Setback | null = null;
  /** Whether only the write itself told that. */
  toldLate = false;
  /** Why what this call alone writes cannot be taken back; null where nothing says that. */
  final: string | null = null;
  /** The files that this call alone writes, as its plan tells. */
  paths: readonly string[] = [];
  /** What its write left, by part; null until it has written, and where it does not tell. */
  left: Left | null = null;
  /** The change set that the call makes or is an item of, and its place in that. */
  set: Pick<AuditRow, "set_id" | "item"> | null = null;
  /** Of a call that a person decides on: how that person looks at it. */
  view: PersonsView | null = null;
  /** The requests that the whole call takes back. */
  readonly undoes: string[] = [];
  /** What this call brought into being so far. */
  readonly made: Made[] = [];
  /** The record of the whole call: of the one that came through a door. */
  readonly root: CallRecord;
  /** What the whole call has sent to change something. */
  readonly writes: Writes;
  readonly #at: number;
  #call: { door: AuditRow["door"]; requestId: string; caller: Caller; tool: string };
  readonly #calls: CallRecord[] = [];
  #shortened: unknown;

  constructor(
    at: number,
    call: { door: AuditRow["door"]; requestId: string; caller: Caller; tool: string },
    root?: CallRecord,
  ) {
    this.#at = at;
    this.#call = call;
    this.root = root ?? this;
    this.writes = root?.writes ?? new Writes();
  }

  /**
   * The record of a call of another tool that this one makes; the row of the whole call names it. Throws
   * E_BAD_INPUT when the whole call makes too many.
   */
  within(tool: string, args: unknown): CallRecord {
    const calls = this.root.#calls;
    if (calls.length >= LIMITS.NESTED_CALLS_MAX) {
      throw new GatewayError("E_BAD_INPUT", `One call may make at most ${LIMITS.NESTED_CALLS_MAX} others`);
    }
    const inner = new CallRecord(this.#at, { ...this.#call, tool }, this.root);
    inner.arguments = args;
    calls.push(inner);
    return inner;
  }

  /** The record of a call that is only looked at: no row names it, and what it holds is nothing of this call's. */
  apart(tool: string, args: unknown): CallRecord {
    const other = new CallRecord(this.#at, { ...this.#call, tool });
    other.arguments = args;
    return other;
  }

  /** Takes back that this call makes that other one. */
  forget(inner: CallRecord): void {
    const calls = this.root.#calls;
    calls.splice(calls.indexOf(inner), 1);
  }

  /** Does work of this call; what it is refused or fails with is part of its decision. */
  async watch<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (thrown) {
      const failure = asGatewayError(thrown, this.#call.requestId);
      this.decision.refuses(failure);
      const { published: _published } = failure;
      if (_published !== undefined) Object.assign(this.facts, { _published });
      throw thrown;
    }
  }

  /** The tool that is called. */
  get tool(): string {
    return this.#call.tool;
  }

  /** The call is one of that tool, which it named; answers its name. */
  becomes(tool: string): string {
    this.#call = { ...this.#call, tool };
    return tool;
  }

  /** The door that the whole call came through. */
  get door(): AuditRow["door"] {
    return this.#call.door;
  }

  /** The id of the whole call's row. */
  get requestId(): string {
    return this.#call.requestId;
  }

  /** The tier of the whole call: of a write the highest among it and the calls it makes. */
  get highestTier(): Tier | null {
    const { tier } = this.decision;
    if (!tier || this.#calls.length === 0) return tier;
    return Math.max(tier, ...this.#calls.map(({ decision }) => decision.tier ?? 0)) as Tier;
  }

  /** Null until the site is found: until then rows show the one the arguments name. */
  get siteId(): string | null {
    return this.decision.latest("site")?.id ?? null;
  }

  /** The call's site; of a tool without one, that of the first call it makes. */
  get site(): string | null {
    return this.siteId ?? this.#calls.find((one) => one.siteId !== null)?.siteId ?? null;
  }

  /** Every site that the whole call touches so far: its own, those its arguments name, those of the calls it makes. */
  get allSites(): readonly Site[] {
    const { root } = this;
    return [root, ...root.#calls].flatMap(({ decision }) => decision.latest("sites") ?? []);
  }

  /** The flags that the whole call was found to need so far. */
  get needs(): readonly Flag[] {
    const all = [this.root, ...this.root.#calls].flatMap(({ decision }) => decision.steps);
    return [...new Set(all.flatMap(({ looked }) => looked.needs ?? []))];
  }

  /** What the whole call brought into being so far, that of the calls it makes first. */
  get allMade(): readonly Made[] {
    return [...this.#calls, this].flatMap((one) => one.made);
  }

  /** Of the whole call: what it and the calls it makes write and would be set back by, in their order. */
  get setbacks(): readonly CallRecord[] {
    return [this.root, ...this.root.#calls].filter(({ setback }) => setback !== null);
  }

  /** Why the whole call cannot be taken back; null where something would set it back, or nothing says why not. */
  get allFinal(): string | null {
    const { final } = this.root;
    if (final !== null || this.setbacks.length > 0) return final;
    return this.root.#calls.find((one) => one.final !== null)?.final ?? null;
  }

  /** The row that says a write is about to begin, which gives up at that time. */
  intent(deadline: number): AuditRow {
    return { ...this.#row("started", null, null), deadline: new Date(deadline).toISOString() };
  }

  /** The row that says how the call ended. */
  outcome(failure: GatewayError | null, now: number): AuditRow {
    const status = failure
      ? failure.audit ?? "error"
      : this.decision.verdict === "previewed"
      ? "needs_confirmation"
      : "ok";
    const row = this.#row(status, failure?.code ?? null, Math.max(0, now - this.#at));
    const repeats = this.decision.latest("repeats") ?? null;
    if (failure === null && repeats === null && !this.decision.writing) return row;
    const carried_out = failure ? this.writes.carriedOut : [];
    return {
      ...row,
      ...this.#known(failure),
      ...(carried_out.length > 0 ? { carried_out } : {}),
      ...(repeats === null ? {} : { repeats }),
    };
  }

  #known(failure: GatewayError | null): Pick<AuditRow, "outcome" | "_published"> {
    // Of a call that repeats what an earlier one failed with, this one did nothing.
    if (failure?.outcome !== undefined) {
      if (!this.decision.writing) return { outcome: "none" };
      const { outcome, published: _published } = failure;
      return _published === undefined ? { outcome } : { outcome, _published };
    }
    if (failure) return {};
    if (!this.decision.writing) return {};
    // What a set has done its items' rows tell; its own says that it was begun.
    const isSet = this.set !== null && this.set.item === undefined;
    return { outcome: isSet || this.writes.any ? "made" : "none" };
  }

  #row(status: AuditStatus, error: string | null, duration_ms: number | null): AuditRow {
    const { door, requestId, caller: { token }, tool } = this.#call;
    this.#shortened ??= shorten(this.arguments);
    const facts = this.#allFacts(status === "started" || this.decision.writing);
    const row: AuditRow = {
      id: requestId,
      at: timestamp(this.#at),
      door,
      request_id: requestId,
      token_id: token.id,
      token_name: token.name,
      client_id: token.client_id, // an undefined one is in no JSON
      owner_user_id: token.owner_user_id,
      site_id: this.site ?? this.#namedSite(),
      tool: column(tool),
      tier: this.highestTier,
      arguments: this.#shortened,
      status,
      error,
      duration_ms,
    };
    // Of what was refused the first files will do: else whoever may do nothing could fill the log.
    const paths = error === null || this.decision.writing
      ? pathsBeside([this, ...this.#calls], this.#shortened)
      : null;
    if (
      facts === NO_FACTS && paths === null && this.set === null &&
      this.decision.latest("target") === undefined
    ) return row;
    const calls = this.#calls.map((one) => one.#asNested());
    return {
      ...row,
      ...this.#target(),
      ...this.set,
      ...facts,
      ...paths,
      ...(calls.length > 0 ? { calls } : {}),
    };
  }

  /** The call's own facts over those of the calls it made; the changes of all. */
  #allFacts(begun: boolean): AuditFacts & Pick<AuditRow, "made"> {
    if (
      this.#calls.length === 0 && this.made.length === 0 && !this.decision.latest("published") &&
      !isAny(this.facts)
    ) return NO_FACTS;
    const records = [...this.#calls, this];
    const live = begun && records.some(({ decision }) => decision.latest("published"));
    const changes = records.flatMap(({ facts }) => facts.changes ?? []);
    const made = this.allMade;
    return {
      ...Object.assign({}, ...records.map(({ facts }) => facts)),
      ...(made.length ? { made: made.map(fitForRow) } : {}),
      ...(live ? { _published: true } : {}),
      ...(changes.length ? { changes: shorten(changes) as AuditRow["changes"] } : {}),
    };
  }

  #asNested(): NestedCall {
    return {
      tool: column(this.#call.tool),
      site_id: this.siteId ?? this.#namedSite(),
      ...this.#target(),
      tier: this.decision.tier,
      error: this.decision.code,
      ...this.facts.result_id === undefined ? {} : { result_id: this.facts.result_id },
    };
  }

  #target(): Pick<AuditRow, "target_site_id"> {
    const named = this.decision.latest("target");
    return named === undefined ? {} : { target_site_id: column(named) };
  }

  /** Known or not, so that a refused call is found under the site it was about. */
  #namedSite(): string | null {
    const named = (this.arguments as { site_id?: unknown } | null)?.site_id;
    return typeof named === "string" ? column(named) : null;
  }
}
