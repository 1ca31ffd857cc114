/** Any order of asking, showing, deciding, leaving out, editing on both sides, freezing and being cut off: a model says how each step ends. */
import assert from "node:assert/strict";
import type { Spending } from "../../store/store.ts";
import type { Args } from "../cms_kit.ts";
import { approver, ask, type Asked, asking, confirm, type Decider, edit, master } from "./_approvals.ts";
import type { World } from "./_stand_in.ts";

const STEPS = 150;
const NAMES = ["bea", "cal", "master"] as const;
type Name = (typeof NAMES)[number];

/** A request as the model knows it. */
interface Request {
  readonly asked: Asked;
  readonly title: string;
  /** Whether it is of a set of two: the title of the draft, and a new draft on another site. */
  readonly isSet: boolean;
  state: "pending" | "approved" | "rejected";
  /** What each person was last shown of it: its name, and the title that stood there. */
  readonly shown: Map<Name, { readonly name: string; readonly title: string }>;
}

/** What is left out of a set: nothing, one item, all of it, one that there is not. */
const CHOICES: readonly (readonly number[])[] = [[], [], [1], [1], [2], [1, 2], [3]];

/** Numbers that look random, the same for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** The world, and what the model expects of it. */
class Model {
  readonly requests: Request[] = [];
  title = "Before";
  writes = 0;
  frozen = false;
  calMay = true;
  #serial = 0;

  constructor(
    readonly at: World,
    readonly people: Readonly<Record<Name, Decider>>,
    readonly cal: string,
    readonly roll: (sides: number) => number,
  ) {}

  readonly steps: Readonly<Record<string, () => Promise<string>>> = {
    ask: async () => {
      if (this.frozen) return "nobody asks where nothing is written";
      const title = `Asked ${++this.#serial}`;
      const isSet = this.roll(2) === 0;
      const asked = await ask(this.at, ...this.#call({ title, isSet }));
      this.requests.push({ asked, title, isSet, state: "pending", shown: new Map() });
      return `${isSet ? "a set: " : ""}${title}`;
    },
    show: async () => await this.#show(this.#any(), this.#who()),
    approve: async () => {
      const [one, name] = [this.#any(), this.#who()];
      const looked = this.roll(2) === 0 ? await this.#show(one, name) : "";
      return `${looked}; ${await this.#approve(one, name)}`;
    },
    reject: async () => {
      const [one, name] = [this.#any(), this.#who()];
      if (one === null) return "nothing";
      const { error } = await this.people[name].reject(one.asked.approval.id);
      const code = !this.#may(name) ? "E_NOT_FOUND" : one.state === "pending" ? undefined : "E_STALE_PREVIEW";
      if (code === undefined) one.state = "rejected";
      return `${name} rejects ${one.title}: ${this.#ends(error?.code, code)}`;
    },
    confirm: async () => {
      const one = this.#any();
      if (one === null) return "nothing";
      const ending = await confirm(this.at, one.asked, ...this.#call(one));
      const code = this.frozen && !one.isSet
        ? "E_FROZEN"
        : { pending: "E_APPROVAL_PENDING", rejected: "E_APPROVAL_REJECTED", approved: undefined }[one.state];
      return `the agent confirms ${one.title}: ${
        this.#ends("code" in ending ? ending.code : undefined, code)
      }`;
    },
    edit: () => {
      this.title = `Edited ${++this.#serial}`;
      this.at.edit(this.at.draft, { title: this.title });
      return Promise.resolve(this.title);
    },
    freeze: async () => {
      const { freezes } = this.at.kit.gw.store;
      if (!this.frozen && this.roll(3) > 0) return "nothing";
      const place = { scope: "site", id: "open" } as const;
      if (this.frozen) await freezes.lift(place);
      else await freezes.set({ ...place, by: "x", reason: null });
      this.frozen = !this.frozen;
      return `frozen: ${this.frozen}`;
    },
    right: async () => {
      this.calMay = !this.calMay;
      const approve_sites = this.calMay ? ["open", "acme"] : [];
      await this.at.kit.gw.store.users.update(this.cal, { approve_sites });
      return `cal may: ${this.calMay}`;
    },
    /** A person changes the title of what was asked for, which makes another request. */
    change: async () => {
      const [one, name] = [this.#any(), this.#who()];
      if (one === null || one.isSet) return "nothing";
      const title = `Asked ${++this.#serial}`;
      const { error, result } = await this.people[name].edit(one.asked.approval.id, { title });
      const code = !this.#may(name)
        ? "E_NOT_FOUND"
        : one.state !== "pending"
        ? "E_STALE_PREVIEW"
        : this.frozen
        ? "E_FROZEN"
        : undefined;
      if (code === undefined) {
        one.state = "rejected";
        const { confirm_token } = (await this.at.kit.gw.store.approvals.find(result.id))!;
        const asked = { ...one.asked, confirm_token, approval: { ...one.asked.approval, id: result.id } };
        this.requests.push({ asked, title, isSet: false, state: "pending", shown: new Map() });
      }
      return `${name} makes ${title} of ${one.title}: ${this.#ends(error?.code, code)}`;
    },
    /** Whoever said yes is cut off before the write is begun. */
    cut: async () => {
      const one = this.#any();
      if (one?.state !== "pending") return "nothing";
      const { consents } = this.at.kit.gw.store;
      const name = one.asked.confirm_token;
      const found = (await consents.find(name))!;
      const { expires_at } = found;
      const content = one.isSet ? { ...found.content, set: "01M7YRRT80M56J0VS44FYMMFQ8" } : found.content;
      const spending: Spending = { name, content, found, expires_at, frees_until: expires_at };
      const deadline = this.at.kit.gw.clock.now - 1000;
      assert.ok(await consents.spend([spending], { request_id: "01M7YRRT80M56J0VS44FYMMFQ9", deadline }));
      return `${one.title} is cut off`;
    },
  };

  /** Holds what is kept of each request against what the model knows of it. */
  async compare(): Promise<void> {
    assert.deepEqual([this.at.kit.writes, this.at.draft.title], [this.writes, this.title]);
    for (const { asked, state } of this.requests) {
      const { approvals } = this.at.kit.gw.store;
      const kept = await approvals.find(asked.approval.id);
      assert.equal(kept!.state, state);
      assert.equal(
        await approvals.args(asked.approval.id) === null,
        state !== "pending",
        "arguments go with the decision",
      );
    }
  }

  async #show(one: Request | null, name: Name): Promise<string> {
    if (one === null) return "nothing";
    const { result, error } = await this.people[name].show(one.asked.approval.id);
    if (!this.#may(name)) return this.#ends(error?.code, "E_NOT_FOUND");
    if (one.state !== "pending" || this.frozen) {
      assert.equal(result.preview, null);
      return `${name} is shown no preview`;
    }
    one.shown.set(name, { name: result.preview!.shown, title: this.title });
    return `${name} is shown ${one.title} over ${this.title}`;
  }

  async #approve(one: Request | null, name: Name): Promise<string> {
    const shown = one?.shown.get(name);
    if (one === null || shown === undefined) return "nothing";
    const without = one.isSet ? CHOICES[this.roll(CHOICES.length)]! : [];
    const { error } = await this.people[name].approve(one.asked.approval.id, shown.name, without);
    const hasFirst = !without.includes(1);
    const code = !this.#may(name)
      ? "E_NOT_FOUND"
      : one.state === "rejected"
      ? "E_STALE_PREVIEW"
      : one.state === "approved"
      ? undefined
      : without.length === 2 || without.includes(3)
      ? "E_BAD_INPUT"
      : this.frozen && hasFirst
      ? "E_FROZEN"
      : shown.title !== this.title && hasFirst
      ? "E_STALE_PREVIEW"
      : undefined;
    if (code === undefined && one.state === "pending") {
      one.state = "approved";
      if (hasFirst) this.title = one.title;
      this.writes += (one.isSet ? 2 : 1) - without.length;
    }
    return `${name} approves ${one.title} without ${without.join()}: ${this.#ends(error?.code, code)}`;
  }

  /** The call of a request: its arguments and its tool. */
  #call({ title, isSet }: Pick<Request, "title" | "isSet">): [Args, string] {
    const args = edit(this.at, { title });
    if (!isSet) return [args, "update_draft"];
    const made = { site_id: "acme", title: "Made", content_html: "<p>x</p>" };
    const changes = [{ tool: "update_draft", arguments: args }, { tool: "create_draft", arguments: made }];
    return [{ title, changes }, "prepare_changes"];
  }

  /** One of the last few. */
  #any(): Request | null {
    const few = this.requests.slice(-3);
    return few.length === 0 ? null : few[this.roll(few.length)]!;
  }

  #who(): Name {
    return this.roll(2) === 0 ? "bea" : NAMES[this.roll(NAMES.length)]!;
  }

  #may(name: Name): boolean {
    return name !== "cal" || this.calMay;
  }

  #ends(code: string | undefined, expected: string | undefined): string {
    assert.equal(code, expected);
    return code ?? "done";
  }
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  Deno.test(`${STEPS} steps in any order end as the model says, by seed ${seed}`, async () => {
    await using at = await asking();
    const [bea, cal] = [
      await approver(at),
      await approver(at, "cal@agency.example", { approve_sites: ["open", "acme"] }),
    ];
    const model = new Model(at, { bea, cal, master: master(at) }, cal.user.id, dice(seed));
    const names = [
      "ask",
      "ask",
      "show",
      "show",
      "show",
      "approve",
      "approve",
      "approve",
      ...Object.keys(model.steps),
    ];
    const done: string[] = [];
    for (let n = 0; n < STEPS; n++) {
      const name = names[model.roll(names.length)]!;
      done.push(name);
      try {
        done.push(await model.steps[name]!());
        await model.compare();
      } catch (fault) {
        assert.fail(`${done.slice(-16).join("\n")}\n${String(fault)}`);
      }
    }
    assert.ok(model.requests.length > 2 && model.writes > 0, "much is asked, and something is done");
  });
}
