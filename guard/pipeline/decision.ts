/** What was judged of one call, step by step: written by the steps, read by previews, audit rows and later steps. */
import type { Code, GatewayError } from "../../core/errors.ts";
import type { Flag, Site, Tier } from "../../core/model.ts";
import type { ToolEntry } from "../../registry/entry.ts";

/** The steps that judge, by the numbers of docs/ARCHITECTURE.md, "Request lifecycle". */
export type Step =
  | "rate" // 2, 10
  | "body" // 3
  | "place" // 3a
  | "tool" // 4
  | "scope" // 5
  | "super_admin" // 6
  | "risk" // 7, 10, 12, 14a
  | "arguments" // 8
  | "site" // 9
  | "platform" // 11
  | "flags" // 12, 14a
  | "check" // 12
  | "links" // 13
  | "consent" // 13a
  | "plan" // 14
  | "revision" // 14a
  | "confirm" // 15
  | "run"; // 16

/** What steps look at and find; each holds from the step that wrote it on. */
export interface Facts {
  /** The tool. */
  readonly entry: ToolEntry;
  /** The tier of the call by then, and the highest that its caller may use. */
  readonly tier: Tier;
  readonly max_risk: Tier;
  /** The call's own site; null for a tool without one. */
  readonly site: Site | null;
  /** That site and those that further arguments name, once all of them are found. */
  readonly sites: readonly Site[];
  /** Flags that the call needs of its site, set or not. */
  readonly needs: readonly Flag[];
  /** Another site that the call is about, known or not, as the caller named it. */
  readonly target: string;
  /** That visitors would get the change at once. */
  readonly published: true;
  /** That the call asks for the write itself, not for its preview. */
  readonly confirmed: true;
  /** That it carries the confirm token of a preview of the same call. */
  readonly bound: true;
  /** The change set that was shown, of a call that carries the confirm token of its preview. */
  readonly set: string;
  /** The request whose answer it was given in place of its own. */
  readonly repeats: string;
  /** That `run` of a write has begun. */
  readonly writing: true;
}

/** `previewed`: it was not carried out, and says what it would do. `repeated`: an earlier, equal call answers for it. */
export type Verdict = "passed" | "refused" | "failed" | "previewed" | "repeated";

/** What a step looks at before it has found anything. */
const NOTHING: Partial<Facts> = Object.freeze({});

/** A step while it is under way. */
type Open = { -readonly [Name in keyof Judged]: Judged[Name] };

/** What one step judged. */
export interface Judged {
  readonly step: Step;
  readonly verdict: Verdict;
  /** Why, in a sentence as the caller reads it, not redacted; null where nothing is to be said. */
  readonly reason: string | null;
  /** The code of what was refused or failed. */
  readonly code: Code | null;
  readonly looked: Partial<Facts>;
}

/**
 * The judgements of one call, in the order of its steps. A reader may rely on this: a step that is not in it was not
 * reached; only the last entry can have ended the call, and where it was refused, or failed, that one says so; a step
 * that is in it twice was judged again with what was known by then. What is read by name is the newest of that name.
 * A call within another has a decision of its own.
 */
export class Decision {
  readonly #steps: Open[] = [];
  /** The newest of each name: asked for more often than written. */
  readonly #facts: { -readonly [Name in keyof Facts]?: Facts[Name] } = {};

  /** What was judged so far; a step under way counts as passed. */
  get steps(): readonly Judged[] {
    return this.#steps;
  }

  /** A step begins, with what it looks at; `reason` is why this call takes the step, where not every call does. */
  begin(step: Step, looked: Partial<Facts> = NOTHING, reason: string | null = null): void {
    this.#steps.push({ step, verdict: "passed", reason, code: null, looked });
    if (looked !== NOTHING) Object.assign(this.#facts, looked);
  }

  /** What the step under way has found. */
  finds(looked: Partial<Facts>): void {
    const last = this.#steps.at(-1);
    if (last === undefined) return;
    last.looked = last.looked === NOTHING ? looked : { ...last.looked, ...looked };
    Object.assign(this.#facts, looked);
  }

  /** The step under way ends the call without carrying it out. */
  ends(verdict: "previewed" | "repeated"): void {
    const last = this.#steps.at(-1);
    if (last) last.verdict = verdict;
  }

  /** The step under way ends the call with that. */
  refuses({ code, message }: GatewayError): void {
    const last = this.#steps.at(-1);
    if (last === undefined) return;
    last.verdict = last.step === "run" ? "failed" : "refused";
    last.code = code;
    last.reason = message;
  }

  /** The newest fact of that name; undefined where no step has written one. */
  latest<Name extends keyof Facts>(name: Name): Facts[Name] | undefined {
    return this.#facts[name];
  }

  /** null until the tool is found. */
  get tier(): Tier | null {
    return this.latest("tier") ?? null;
  }

  /** Whether `run` of a write has begun. */
  get writing(): boolean {
    return this.latest("writing") ?? false;
  }

  /** How the call ended so far. */
  get verdict(): Verdict {
    return this.#steps.at(-1)?.verdict ?? "passed";
  }

  /** What it was refused or failed with; null where it was not. */
  get code(): Code | null {
    return this.#steps.at(-1)?.code ?? null;
  }
}
