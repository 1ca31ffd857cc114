/** publish_static_preview among a token and people who write at the same time: what goes live is what was built and shown. */
import assert from "node:assert/strict";
import { mergeBase } from "../../sandbox/github/compare.ts";
import { found } from "../../sandbox/github/setup.ts";
import { Dice } from "./_crm_dice.ts";
import { type Answer, ON, Publishing, type Shown, TOOL } from "./_publish.ts";
import { REPO } from "./_static.ts";

const SEEDS = 4;
const STEPS = 30;
const PATHS = ["public/a.txt", "public/b.txt", "src/pages/notes.md", "src/content/first.md"];
/** What it may refuse with here: everything else is a fault. */
const REFUSALS = ["E_NOT_FOUND", "E_NOT_BUILT", "E_SHA_MISMATCH", "E_STALE_PREVIEW", "E_CONFIRM_INVALID"];

type Blobs = ReadonlyMap<string, string>;

/** A world in which anybody may do anything at any time, and what is known of it. */
class Model {
  #shown: { readonly preview: Shown; readonly live: string; readonly head: string } | null = null;
  #published: { readonly done: Answer; readonly from: Blobs; readonly to: Blobs } | null = null;
  #serial = 0;
  readonly counts = { published: 0, joined: 0, unchanged: 0, undone: 0, refused: 0 };

  constructor(readonly here: Publishing, readonly dice: Dice) {}

  get #bare() {
    return found(this.here.at.host.state, REPO).bare;
  }

  async #blobs(commit: string): Promise<Blobs> {
    const rows = await this.#bare.list(commit, true);
    return new Map(rows.flatMap(({ path, type, sha }) => type === "blob" ? [[path, sha]] : []));
  }

  async #preview(): Promise<string | null> {
    const [token] = await this.here.at.gw.store.tokens.list();
    return await this.here.at.gw.store.previews.get(token!.id, "live");
  }

  /** One step of somebody; the deployed branch stays where it is unless the step may move it. */
  async step(): Promise<void> {
    const others = [this.#mine, this.#onPreview, this.#onLive, this.#fails, this.#undo];
    const step = this.dice.chance(0.5) ? this.#publish : this.dice.pick(others);
    const moves = [this.#onLive, this.#publish, this.#undo] as const;
    const before = await this.here.at.head("main");
    await step.call(this);
    if (!(moves as readonly unknown[]).includes(step)) assert.equal(await this.here.at.head("main"), before);
  }

  /** It is shown, mostly once it is built, and confirmed; now and then somebody comes in between. */
  async #publish(): Promise<void> {
    if (this.dice.chance(0.9)) this.here.built();
    await this.#show();
    if (this.dice.chance(0.25)) await this.dice.pick([this.#mine, this.#onPreview, this.#onLive]).call(this);
    await this.#confirm();
  }

  async #mine(): Promise<void> {
    const path = this.dice.pick(PATHS.slice(0, 2));
    const args = { ...ON, path, content: `mine ${++this.#serial}`, allow_overwrite: true, confirm: true };
    await this.here.at.gw.call("write_static_file", args);
  }

  #change(): Record<string, string | null> {
    return { [this.dice.pick(PATHS)]: `theirs ${this.dice.chance(0.5) ? "alike" : ++this.#serial}` };
  }

  async #onPreview(): Promise<void> {
    const branch = await this.#preview();
    if (branch !== null) await this.here.at.host.commit(REPO, { branch, files: this.#change() });
  }

  async #onLive(): Promise<void> {
    await this.here.at.host.commit(REPO, { files: this.#change() });
  }

  #fails(): void {
    this.here.here.hosting.next("site", { kind: "failure", stage: "build", log: ["It does not build"] });
  }

  async #end(tool: string, args: Readonly<Record<string, unknown>>) {
    const ending = await this.here.at.gw.end(tool, { ...ON, ...args });
    if ("value" in ending) return ending.value;
    this.counts.refused++;
    assert.ok(REFUSALS.includes(ending.code), `${tool}: ${ending.code}: ${ending.message}`);
    if (ending.code === "E_SHA_MISMATCH") {
      await this.here.at.gw.call("reset_static_preview_branch", { ...ON, confirm: true });
    }
    return null;
  }

  async #show(): Promise<void> {
    const branch = await this.#preview();
    const live = await this.here.at.head("main");
    const preview = await this.#end(TOOL, {}) as Shown | null;
    this.#shown = preview === null ? null : { preview, live, head: await this.here.at.head(branch!) };
  }

  async #confirm(): Promise<void> {
    if (this.#shown === null) return;
    const { preview: { confirm_token, changes }, live, head } = this.#shown;
    this.#shown = null;
    const before = await this.here.at.head("main");
    const done = await this.#end(TOOL, { confirm: true, confirm_token }) as Answer | null;
    const after = await this.here.at.head("main");
    if (done?.state !== "published") assert.equal(after, before, "the deployed branch stays");
    if (done === null) return;
    this.counts[done.state]++;
    assert.equal(before, live, "nobody moved it since it was shown");
    if (done.state === "joined") return await this.#joined(done.commit_sha, live, head);
    if (done.state !== "published") return;
    assert.equal(after, head, "exactly what was shown");
    const built = this.here.here.hosting.deployments("site").filter(({ commit }) => commit === head);
    assert.deepEqual(built.map(({ outcome }) => outcome.kind).slice(0, 1), ["success"], "and built");
    const [from, to] = [await this.#blobs(before), await this.#blobs(after)];
    const paths = [...new Set([...from.keys(), ...to.keys()])].filter((path) =>
      from.get(path) !== to.get(path)
    );
    const listed = changes.slice(2).map(({ field }) => field).filter((field) => !field.endsWith(" (text)"));
    assert.deepEqual(listed.toSorted(), paths.toSorted(), "every file that changed was listed, and no other");
    this.#published = { done, from, to };
  }

  /** Each path is as the side that changed it has it. */
  async #joined(commit: string, live: string, head: string): Promise<void> {
    const base = await this.#blobs((await mergeBase(this.#bare, live, head))!);
    const [theirs, mine, joined] = [
      await this.#blobs(live),
      await this.#blobs(head),
      await this.#blobs(commit),
    ];
    for (const path of new Set([...base.keys(), ...theirs.keys(), ...mine.keys(), ...joined.keys()])) {
      const side = mine.get(path) === base.get(path) ? theirs : mine;
      assert.equal(joined.get(path), side.get(path), path);
    }
    assert.deepEqual(await this.here.parents(commit), [head, live]);
  }

  async #undo(): Promise<void> {
    if (this.#published === null) return;
    const { done: { request_id }, from, to } = this.#published;
    const before = await this.#blobs(await this.here.at.head("main"));
    const done = await this.#end("undo_change", { request_id, confirm: true });
    const after = await this.#blobs(await this.here.at.head("main"));
    const paths = [...new Set([...from.keys(), ...to.keys()])].filter((path) =>
      from.get(path) !== to.get(path)
    );
    const isAsLeft = paths.every((path) => before.get(path) === to.get(path));
    assert.equal(done !== null, isAsLeft, "taken back where all stands as it was published, and only there");
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const wanted = done !== null && paths.includes(path) ? from : before;
      assert.equal(after.get(path), wanted.get(path), path);
    }
    if (done === null) return;
    this.counts.undone++;
    this.#published = null;
  }
}

Deno.test("whatever people and a token do in between, what goes live was built, and is what was shown", async () => {
  const all = { published: 0, joined: 0, unchanged: 0, undone: 0, refused: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    await using here = await Publishing.open();
    const model = new Model(here, new Dice(seed, 0, "UTC"));
    for (let step = 0; step < STEPS; step++) await model.step();
    for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += model.counts[name];
  }
  assert.ok(Object.values(all).every((count) => count > 0), JSON.stringify(all));
});
