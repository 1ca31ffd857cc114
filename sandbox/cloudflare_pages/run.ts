/** A deployment that is really built: how far it is, what its build said, and where what came of it is served. */
import { type Outcome, type Progress, type Stage, type StageName, STAGES } from "./deployments.ts";

/** What is kept of a build's words: so many lines, of so many characters. */
const LINES_MAX = 2000;
const LINE_MAX = 1000;

/** One deployment's build, from its commit on. */
export class Run implements Progress {
  readonly log: { readonly at: number; readonly line: string }[] = [];
  outcome: Outcome | null = null;
  url: string | null = null;
  alias: string | null = null;
  readonly #began = new Map<StageName, number>();
  #ended = 0;

  constructor(readonly now: () => number) {
    this.enter("queued");
  }

  /** The stage it is in. */
  get stage(): StageName {
    return STAGES.findLast((name) => this.#began.has(name)) ?? "queued";
  }

  /** The stage before has gone well, and this one begins. */
  enter(stage: StageName): void {
    this.#began.set(stage, this.now());
  }

  /** Keeps a line of what the build says, without what colors it on a terminal. */
  say(line: string): void {
    if (this.log.length >= LINES_MAX) return;
    // deno-lint-ignore no-control-regex
    this.log.push({ at: this.now(), line: line.replace(/\x1b\[[\d;]*m/g, "").slice(0, LINE_MAX) });
  }

  /** It is over. */
  end(outcome: Outcome): void {
    this.#ended = this.now();
    this.outcome = outcome;
  }

  /** Its stages as they are now. */
  stages(): Stage[] {
    const { outcome, stage: last } = this;
    const none = { started_at: null, ended_at: null };
    if (outcome?.kind === "skipped") return STAGES.map((name) => ({ name, status: "skipped", ...none }));
    return STAGES.map((name, at): Stage => {
      const started_at = this.#began.get(name);
      if (started_at === undefined) return { name, status: "idle", ...none };
      if (name !== last) {
        return { name, status: "success", started_at, ended_at: this.#began.get(STAGES[at + 1]!) ?? null };
      }
      if (outcome === null) return { name, status: "active", started_at, ended_at: null };
      return { name, status: outcome.kind, started_at, ended_at: this.#ended };
    });
  }
}
