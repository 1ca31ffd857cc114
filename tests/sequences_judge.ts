/** What a call of a sequence may have changed, by what its preview named and by what it takes back. */
import assert from "node:assert/strict";
import type { AuditRow } from "../core/model.ts";
import type { Ending } from "./endings.ts";
import type { Args, Cells, Changed, Ground, Intent, Made, Write } from "./sequences_ground.ts";

/** How a call ended, in a word. */
export const codeOf = (ending: Ending | null) =>
  ending === null ? "killed" : "code" in ending ? ending.code : "done";

/** Judges by all that was changed before. */
export class Judge {
  /** What was changed so far, oldest first. */
  readonly made: Made[] = [];

  constructor(readonly ground: Ground) {}

  /** Fails where the audit's row says another thing than the answer, or than what is there. */
  agree({ status, outcome, error }: AuditRow, ending: Ending | null, changed: Changed): void {
    if (ending === null) return;
    const code = codeOf(ending);
    const said = `${status} ${outcome} ${error}, answered ${code}`;
    assert.equal(error ?? "done", code, said);
    if (changed.size > 0) assert.ok(status === "ok" || ["made", "unknown"].includes(outcome ?? ""), said);
  }

  /** Holds what was written against what may be written, was shown, and is for visitors' eyes. */
  judge(write: Write, intent: Intent | null, changed: Changed, before: Cells, isPart = false): void {
    const { tool, args } = intent?.write ?? write;
    const call = `${tool} ${JSON.stringify(args)}`;
    const shown = intent?.shown ?? null;
    const back = tool === "undo_change" ? this.backOf(args) : undefined;
    for (const [name, [was, is]] of changed) {
      const told = `${call} changed ${name} from ${was} to ${is}`;
      if (back === undefined) {
        assert.ok(this.ground.may({ tool, args }, shown?.fields ?? null, name, before), told);
      } else {
        assert.ok(back.changed.has(name), told);
        const [old, left] = back.changed.get(name)!;
        if (!isPart && !this.ground.stays(name, old)) {
          assert.deepEqual([was, is], [left, old], `${told}, not from ${left} to ${old}`);
        }
      }
      if (shown !== null && !this.ground.stays(name, was)) {
        assert.equal(was, this.ground.shown(name, shown.at), `${told}, which nobody was shown`);
      }
      if (this.ground.isPublic(name, before)) {
        assert.ok(this.ground.publishes(this.root({ tool, args })), `${told}, and that is public`);
      }
    }
    if (back !== undefined && !isPart) {
      for (const [name, [was]] of back.changed) {
        assert.ok(
          changed.has(name) || this.ground.stays(name, was) || before[name] === was,
          `${call}: ${name} is back`,
        );
      }
    }
  }

  backOf({ request_id, set_id }: Args): Made | undefined {
    return this.made.find(({ id, set }) => set === null ? id === request_id : set === set_id);
  }

  /** What an undo took back, however often that was taken back in between. */
  root(write: Write): Write {
    if (write.tool !== "undo_change") return write;
    const back = this.backOf(write.args);
    return back === undefined ? write : this.root(back.write);
  }

  /** Whether less went back than a call, or a set of calls, had changed. */
  isPart({ tool, args }: Write, value: Record<string, unknown>): boolean {
    if (tool !== "undo_change") return false;
    return (value["undone"] as unknown[] | undefined)?.length !== (this.backOf(args)?.items ?? 1);
  }
}
