/** Two callers and a person on one post, in any order: nothing approved overwrites an edit silently, nothing runs twice. */
import assert from "node:assert/strict";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import type { Ending } from "../kit.ts";
import { type Ground, ground } from "./_ground.ts";

const FIELDS = ["title", "content", "excerpt", "status"] as const;
type Texts = Record<typeof FIELDS[number], string>;
const SEEDS = Number(Deno.env.get("INTERLEAVINGS") ?? 8);
const STEPS = 24;

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What was shown to a caller, and what stood there then. */
interface Approved {
  readonly tool: "update_draft" | "publish_post" | "schedule_draft";
  readonly as: string;
  readonly call: Args;
  readonly relied: readonly (keyof Texts)[];
  readonly stood: Texts;
  /** The text that only this call writes; null where it writes none. */
  readonly mark: string | null;
  answer: Ending | null;
}

/** A change of the post: what stood there right before it. */
interface Change {
  readonly before: Texts;
  readonly after: Partial<Texts>;
  readonly by: "person" | "gateway";
}

class World {
  readonly changes: Change[] = [];
  readonly approved: Approved[] = [];
  #marks = 0;
  #person = false;

  constructor(readonly at: Ground, readonly post: Post, readonly pick: () => number) {
    const values = this.texts();
    for (const field of FIELDS) {
      Object.defineProperty(post, field, {
        enumerable: true,
        get: () => values[field],
        set: (to: string) => {
          if (to === values[field]) return;
          this.changes.push({
            before: { ...values },
            after: { [field]: to },
            by: this.#person ? "person" : "gateway",
          });
          values[field] = to;
        },
      });
    }
  }

  texts(): Texts {
    const { title, content, excerpt, status } = this.post;
    return { title, content, excerpt, status };
  }

  one<T>(of: readonly T[]): T {
    return of[Math.floor(this.pick() * of.length)]!;
  }

  edit(): void {
    this.#person = true;
    const field = this.one(FIELDS);
    this.post[field] = field === "status" ? this.one(["draft", "pending"]) : `theirs ${++this.#marks}`;
    const { date } = this.post;
    this.post.modified = this.at.cms.state.now();
    if (date.floating) this.post.date = { ...date, at: this.post.modified }; // it follows each save
    this.#person = false;
  }

  async preview(): Promise<void> {
    const as = this.one(["all", "other"]);
    const tool = this.one(
      ["update_draft", "update_draft", "update_draft", "publish_post", "schedule_draft"] as const,
    );
    const mark = tool === "update_draft" ? `<p>mine ${++this.#marks}</p>` : null;
    const field = this.one(["title", "content", "excerpt"] as const);
    const args: Args = {
      site_id: "cms",
      post_id: this.post.id,
      ...mark === null ? {} : { [field === "content" ? "content_html" : field]: mark },
      ...tool === "schedule_draft"
        ? { scheduled_at: new Date(this.at.gw.clock.now + 3_600_000).toISOString() }
        : {},
    };
    const stood = this.texts();
    const shown = await this.at.gw.end(tool, args, { as, door: this.one(DOORS) });
    if ("code" in shown) return; // it is live by now
    const { confirm_token } = shown.value as Args;
    const call = { ...args, confirm: true, confirm_token };
    const relied: readonly (keyof Texts)[] = mark === null ? FIELDS : [field, "status"];
    this.approved.push({ tool, as, call, relied, stood, mark, answer: null });
  }

  /** Sends one that was approved; of several with the same token the first answer is the only one. */
  async confirm(one: Approved): Promise<void> {
    const fresh = one.relied.every((field) => one.stood[field] === this.post[field]);
    const before = this.changes.length;
    const ending = await this.at.gw.end(one.tool, one.call, { as: one.as, door: this.one(DOORS) });
    const told = JSON.stringify([one, ending]);
    if (one.answer && "value" in one.answer) {
      assert.deepEqual(ending, { value: { ...one.answer.value as Args, replayed: true } }, told);
      assert.equal(this.changes.length, before, `repeated, not written: ${told}`);
      return;
    }
    one.answer = ending;
    if (fresh) assert.ok("value" in ending, `nobody changed it: ${told}`);
    else assert.ok("code" in ending, `it was changed: ${told}`);
  }

  /** Several at once, with the person at work right before the next write where that is compared. */
  async atOnce(): Promise<void> {
    const first = this.one(this.approved);
    // Without the plugin a window is left between the last look and the write, in which another's write may come.
    const next = () => this.at.guarded ? this.one(this.approved) : first;
    const few = [first, next(), next()];
    if (this.at.guarded && this.pick() < 0.5) {
      const armed = { edit: true };
      this.at.beforeWrite(() => armed.edit && this.edit());
      await this.#all(few);
      armed.edit = false;
    } else await this.#all(few);
  }

  async #all(few: readonly Approved[]): Promise<void> {
    await Promise.all(few.map(async (one) => {
      const ending = await this.at.gw.end(one.tool, one.call, { as: one.as, door: this.one(DOORS) });
      if ("value" in ending && !(ending.value as Args)["replayed"]) {
        assert.ok(!(one.answer && "value" in one.answer), `ran twice: ${JSON.stringify([one, ending])}`);
        one.answer = ending;
      }
    }));
  }

  /** What must hold of everything that was written. */
  judge(): void {
    for (const { before, after, by } of this.changes) {
      if (by === "person") continue;
      const [[field, to]] = Object.entries(after) as [[keyof Texts, string]];
      const of = this.approved.filter(({ mark, tool }) =>
        field === "status" ? tool === (to === "publish" ? "publish_post" : "schedule_draft") : mark === to
      );
      const shown = of.some(({ relied, stood }) => relied.every((part) => stood[part] === before[part]));
      assert.ok(shown, `${field} became ${to} over what nobody was shown: ${JSON.stringify(before)}`);
    }
    for (const { mark } of this.approved) {
      const times = this.changes.filter(({ after }) =>
        mark !== null && Object.values(after).includes(mark)
      ).length;
      assert.ok(times <= 1, `${mark} was written ${times} times`);
    }
  }
}

async function play(at: Ground, seed: number): Promise<void> {
  const pick = random(seed);
  const world = new World(at, at.post({ title: "Before", excerpt: "Short" }), pick);
  try {
    await world.preview();
    for (let step = 0; step < STEPS; step++) {
      const choice = pick();
      if (choice < 0.35) await world.preview();
      else if (choice < 0.55) world.edit();
      else if (choice < 0.85) await world.confirm(world.one(world.approved));
      else await world.atOnce();
    }
    world.judge();
  } catch (thrown) {
    throw new Error(`seed ${seed}: ${thrown instanceof Error ? thrown.message : thrown}`, { cause: thrown });
  }
}

for (const guarded of [true, false]) {
  Deno.test(`any order of two callers and a person, ${guarded ? "with" : "without"} the plugin's guarded routes`, async () => {
    await using at = await ground({ guarded });
    for (let seed = 1; seed <= SEEDS; seed++) await play(at, seed);
  });
}
