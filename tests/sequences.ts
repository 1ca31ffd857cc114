/** Sequences of calls by a seed, of several callers and a person on one site: what must hold after each of them. */
import assert from "node:assert/strict";
import type { AuditRow } from "../core/model.ts";
import type { NewToken } from "../store/store.ts";
import type { Ending } from "./endings.ts";
import { ask } from "./operator.ts";
import { type Asked, Gate, type Trouble } from "./sequences_gate.ts";
import {
  type Args,
  between,
  type Cells,
  type Changed,
  type Ground,
  type Intent,
  type Made,
  type Write,
} from "./sequences_ground.ts";
import { codeOf, Judge } from "./sequences_judge.ts";
import type { Step } from "./sequences_steps.ts";
import { Dice } from "./tools/_crm_dice.ts";

/** Tools whose one confirmation carries out a set of calls. */
const SETS: ReadonlySet<string> = new Set(["prepare_changes", "replace_text"]);

const outcomeOf = (ending: Ending) => (ending as { readonly outcome?: string }).outcome;

/** One sequence. */
export class Play {
  readonly #intents: Intent[] = [];
  readonly #judge: Judge;
  /** Requests of which nobody knows how they ended. */
  readonly #doubtful = new Set<string>();
  #n = 0;
  #edited: { readonly before: Cells; readonly after: Cells } | null = null;
  #dice = new Dice(1, 0, "UTC");
  readonly counts: Record<string, number> = {};
  #gate!: Gate;

  private constructor(readonly ground: Ground, readonly told: string[]) {
    this.#judge = new Judge(ground);
  }

  /** Plays the steps, and judges what is left at the end; `told` hears what each came to. */
  static async of(ground: Ground, steps: readonly Step[], told: string[] = []): Promise<Play> {
    const play = new Play(ground, told);
    const client = { super_admin: false, max_risk: 3 } as const;
    const tokens: Record<string, Partial<NewToken>> = {
      ann: client,
      bob: { ...client, confirm_policy: "preview" },
      asks: { ...client, confirm_policy: "human" },
    };
    const { sites, settings } = ground;
    await using gate = await Gate.open({ sites, settings }, tokens, () => play.#edits());
    play.#gate = gate;
    await gate.kit.gateway.toolCatalogs.run();
    for (const step of steps) {
      play.#dice = new Dice(step.seed, 0, "UTC");
      told.push(`${JSON.stringify(step)}: `);
      told[told.length - 1] += await play.#step(step);
    }
    told.push("at the end");
    await play.#end();
    return play;
  }

  async #edits(): Promise<void> {
    const before = await this.ground.cells();
    await this.ground.person(this.#dice, ++this.#n);
    this.#edited = { before, after: await this.ground.cells() };
  }

  async #step({ act, trouble }: Step): Promise<string> {
    const may = trouble !== undefined && (this.#gate.mayWait || !/hang|kill/.test(trouble.what));
    const said = await this[`_${act}`](may ? trouble : null);
    const happened = may && this.#gate.hasHappened ? ` (${trouble.what})` : "";
    this.#count(`${act}${happened}`);
    return said + happened;
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  async _person(): Promise<string> {
    await this.#edits();
    const { before, after } = this.#edited!;
    return `a person changes ${[...between(before, after).keys()].join(", ")}`;
  }

  async _show(trouble: Trouble | null): Promise<string> {
    const write = this.ground.write(this.#dice, ++this.#n);
    return await this.#show(write, this.#dice.pick(["ann", "ann", "bob", "asks"]), trouble);
  }

  async #show(write: Write, as: string, trouble: Trouble | null): Promise<string> {
    const at = await this.ground.cells();
    const ending = await this.#call(write, { as, trouble, kind: "shows" });
    const said = `${as} is shown ${write.tool} ${JSON.stringify(write.args)}: ${this.#saying(ending)}`;
    if (ending === null || "code" in ending) return said;
    const { confirm_token, changes = [], approval } = ending.value as {
      confirm_token?: string;
      changes?: readonly { readonly field: string }[];
      approval?: { readonly id: string };
    };
    if (confirm_token === undefined) return said;
    this.#intents.push({
      ...{ write, as, token: confirm_token, approval: approval?.id ?? null, decided: null },
      key: this.#dice.chance(0.3) ? `k${this.#n}` : undefined,
      shown: { fields: changes.map(({ field }) => field), at },
      ...{ wrote: 0, answer: undefined },
    });
    return said;
  }

  async _write(trouble: Trouble | null): Promise<string> {
    const write = this.ground.write(this.#dice, ++this.#n);
    const key = this.#dice.chance(0.6) ? `k${this.#n}` : undefined;
    const intent: Intent = {
      ...{ write, as: this.#dice.pick(["ann", "bob"]), token: null, key, shown: null, approval: null },
      ...{ decided: null, wrote: 0, answer: undefined },
    };
    if (key !== undefined) this.#intents.push(intent);
    return await this.#confirm(intent, key, trouble);
  }

  async _confirm(trouble: Trouble | null): Promise<string> {
    if (this.#intents.length === 0) return "nothing";
    const intent = this.#dice.pick(this.#intents.slice(-6));
    const key = intent.token !== null && this.#dice.chance(0.2) ? `other${++this.#n}` : intent.key;
    return await this.#confirm(intent, key, trouble);
  }

  async #confirm(intent: Intent, key: string | undefined, trouble: Trouble | null): Promise<string> {
    const { write: { tool, args }, token, as } = intent;
    const confirmed = { ...args, confirm: true, ...token === null ? {} : { confirm_token: token } };
    const ending = await this.#call({ tool, args: confirmed }, { as, key, trouble, kind: "writes", intent });
    return `${as} confirms ${tool} ${JSON.stringify(args)} ${key ?? ""}: ${this.#saying(ending)}`;
  }

  async _undo(trouble: Trouble | null): Promise<string> {
    const mine = this.#judge.made.filter(({ as }) => as !== "asks");
    if (mine.length === 0) return "nothing";
    const one = this.#dice.pick(mine.slice(-5));
    const args = this.#undoing(one);
    if (this.#dice.chance(0.3)) return await this.#show({ tool: "undo_change", args }, one.as, trouble);
    return await this.#undo(one, trouble);
  }

  #undoing({ id, set, write: { args } }: Made): Args {
    const site_id = args["site_id"] ?? this.ground.sites[0]!.id;
    return { site_id, ...set === null ? { request_id: id } : { set_id: set } };
  }

  async #undo(one: Made, trouble: Trouble | null, as = one.as): Promise<string> {
    const write = { tool: "undo_change", args: this.#undoing(one) };
    const intent: Intent = {
      ...{ write, as, token: null, key: undefined, shown: null, approval: null },
      ...{ decided: null, wrote: 0, answer: undefined },
    };
    return await this.#confirm(intent, undefined, trouble);
  }

  async _decide(): Promise<string> {
    const open = this.#intents.filter(({ approval, decided }) => approval !== null && decided === null);
    if (open.length === 0) return "nothing";
    const intent = this.#dice.pick(open);
    const yes = this.#dice.chance(0.7);
    this.#gate.tick();
    const before = await this.ground.cells();
    const kit = this.#gate.kit;
    const shown = await ask<{ preview: { shown: string } | null }>(
      kit,
      "GET",
      `approvals/${intent.approval}`,
    );
    const seen = await this.ground.cells();
    assert.deepEqual([...between(before, seen)], [], "to look at a request changes nothing");
    if (this.#dice.chance(0.3)) await this.#edits();
    const before2 = await this.ground.cells();
    const body = yes ? { shown: shown.result?.preview?.shown ?? "new.0" } : {};
    const path = `approvals/${intent.approval}/${yes ? "approve" : "reject"}`;
    const { ok, error, result } = await ask(kit, "POST", path, body);
    const changed = between(before2, await this.ground.cells());
    if (!yes || !ok) assert.deepEqual([...changed], [], `a no, or a yes that was refused: ${error?.message}`);
    if (ok) intent.decided = yes ? "yes" : "no";
    if (changed.size > 0) {
      const seenBy = { fields: intent.shown!.fields, at: seen };
      this.#judge.judge(intent.write, { ...intent, shown: seenBy }, changed, before2);
      intent.wrote++;
      assert.equal(intent.wrote, 1, "a yes is carried out once");
      const [row] = (await kit.audit()).filter(({ approved_by, status }) => approved_by && status === "ok");
      this.#keep(intent, row!.request_id, changed, result, row!.set_id);
    }
    return `a person says ${yes ? "yes" : "no"} to ${intent.write.tool} ${
      JSON.stringify(intent.write.args)
    }: ` +
      (ok ? "done" : `${error.code} ${error.message}`);
  }

  async _list(): Promise<string> {
    const [listed, unknown] = [new Set<string>(), new Set<string>()];
    for (const { id } of this.ground.sites) await this.#listed(id, listed, unknown);
    const made = this.#judge.made.map(({ id, set }) => set ?? id);
    assert.deepEqual(made.filter((id) => !listed.has(id)), [], "every change is listed");
    const more = [...listed].filter((id) => !made.includes(id) && !this.#doubtful.has(id));
    assert.deepEqual(more, [], "nothing is listed that changed nothing");
    assert.deepEqual(
      [...unknown].filter((id) => !this.#doubtful.has(id)),
      [],
      "doubts are of calls in doubt",
    );
    return `${listed.size} listed`;
  }

  async #listed(site_id: string, listed: Set<string>, unknown: Set<string>): Promise<void> {
    let cursor: string | undefined;
    do {
      const args = { site_id, ...cursor === undefined ? {} : { cursor } };
      const page = await this.#gate.end("list_changes", args, { door: "rest", as: "all" });
      assert.ok(page !== null && "value" in page, JSON.stringify(page));
      type One = { readonly request_id?: string; readonly set_id?: string };
      const { changes, unknown: more = [], ...rest } = page.value as {
        changes: readonly One[];
        unknown?: readonly One[];
        cursor?: string;
      };
      for (const { request_id, set_id } of changes) listed.add((set_id ?? request_id)!);
      for (const { request_id, set_id } of more) unknown.add((set_id ?? request_id)!);
      cursor = rest.cursor;
    } while (cursor !== undefined);
  }

  #saying(ending: Ending | null): string {
    if (ending === null) return "killed";
    return "code" in ending ? `${ending.code} ${ending.message}` : JSON.stringify(ending.value).slice(0, 300);
  }

  /** Calls, and holds what became of it against what may become of it. */
  async #call(
    write: Write,
    { as, key, trouble, kind, intent = null }: {
      readonly as: string;
      readonly key?: string | undefined;
      readonly trouble: Trouble | null;
      readonly kind: "shows" | "writes";
      readonly intent?: Intent | null;
    },
  ): Promise<Ending | null> {
    const before = await this.ground.cells();
    const rows = new Set((await this.#gate.kit.audit()).map(({ id }) => id));
    this.#edited = null;
    const asked: Asked = { door: this.#dice.pick(["rest", "mcp"]), as, key };
    const ending = await this.#gate.end(write.tool, { ...write.args }, asked, trouble);
    await this.#gate.kit.gateway.setsAtRest();
    const after = await this.ground.cells();
    const stood = this.#afterEdit(before, after);
    const changed = between(stood, after);
    const row = await this.#row(rows, ending, write.tool);
    if (row !== null) this.#judge.agree(row, ending, changed);
    const isDone = ending !== null && "value" in ending;
    const value = (isDone ? ending.value : {}) as Record<string, unknown>;
    this.#count(`= ${write.tool} ${kind} ${codeOf(ending)}`);
    const isHeld = isDone && ending.beside !== undefined;
    const isShown = value["needs_confirmation"] === true;
    const isAgain = value["replayed"] === true || row?.repeats !== undefined;
    const inDoubt = ending === null || ["made", "unknown"].includes(outcomeOf(ending) ?? "") ||
      row?.outcome === "unknown" || row?.outcome === "made";
    const goesOn = intent?.cut !== undefined;
    if (kind === "shows" && !isHeld || isShown || isAgain && !goesOn || (!isDone && !inDoubt)) {
      const what = `${write.tool}: ${this.#saying(ending)}`;
      assert.deepEqual([...changed], [], `nothing is written: ${what}`);
    }
    if (isAgain && intent !== null) {
      assert.ok(intent.wrote <= 1 || !isDone, "what is answered again was done once");
    }
    if (row !== null && (inDoubt || row.status === "started")) {
      this.#doubtful.add(row.set_id ?? row.request_id);
    }
    if (changed.size > 0) {
      this.#judge.judge(write, intent, changed, stood, this.#judge.isPart(write, value));
      if (intent !== null) {
        const twice = goesOn ? [...changed.keys()].filter((name) => intent.cut!.has(name)) : [];
        assert.deepEqual(twice, [], `it is done twice: ${write.tool} ${JSON.stringify(write.args)}`);
        if (!goesOn) intent.wrote++;
        assert.ok(
          intent.wrote === 1 || (intent.token ?? key) === null || intent.token === null && key !== intent.key,
          `it is done twice: ${write.tool} ${JSON.stringify(write.args)}`,
        );
      }
      if (isDone && row !== null) {
        const of = intent ?? { write, as } as Intent;
        this.#keep(of, row.request_id, changed, isHeld ? ending.beside : value, row.set_id);
      }
    }
    if (intent !== null && ending === null && SETS.has(write.tool)) {
      intent.cut = new Map([...intent.cut ?? [], ...changed]);
    } else if (intent !== null) delete intent.cut;
    if (isDone && !isShown && !isAgain && kind === "writes" && write.tool === "undo_change") {
      for (const id of value["undone"] as string[]) {
        for (const one of this.#judge.made) if (one.id === id) one.undone = true;
      }
    }
    return ending;
  }

  /** What stood there once the person had edited; fails where the edit is lost. */
  #afterEdit(before: Cells, after: Cells): Cells {
    if (this.#edited === null) return before;
    const edited = between(this.#edited.before, this.#edited.after);
    for (const [name, [, is]] of edited) {
      assert.equal(after[name], is, `what a person wrote meanwhile still stands: ${name}`);
    }
    const stood = { ...before };
    for (const [name, [, is]] of edited) {
      if (is === undefined) delete stood[name];
      else stood[name] = is;
    }
    return stood;
  }

  async #row(known: ReadonlySet<string>, ending: Ending | null, tool: string): Promise<AuditRow | null> {
    const rows = (await this.#gate.kit.audit()).filter(({ id, item, door }) =>
      !known.has(id) && item === undefined && door !== "admin"
    );
    if (ending === null && rows.length === 0) return null;
    assert.deepEqual(rows.map((one) => one.tool), [tool], "one call, one row");
    return rows[0]!;
  }

  #keep(intent: Intent, id: string, changed: Changed, value: unknown, set: string | null = null): void {
    const { undoable, items } = (value ?? {}) as { undoable?: boolean; items?: readonly unknown[] };
    const { as, write } = intent;
    // How many calls a set has that a person approved is not in the answer: whether all went back is not known.
    const count = set === null ? 1 : Infinity;
    const made = { id, as, write, changed, undoable: undoable !== false, set, items: items?.length ?? count };
    this.#judge.made.push({ ...made, undone: false });
  }

  /** All goes back as far as it stands, newest first; then nothing is wrong with the records. */
  async #end(): Promise<void> {
    await this._list();
    for (const one of this.#judge.made.toReversed()) {
      if (one.undone) continue;
      this.told.push(await this.#undo(one, null, "all"));
    }
    await this._list();
    assert.deepEqual(await this.#gate.faults(), [], "the records are whole");
  }
}
