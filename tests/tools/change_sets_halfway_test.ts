/** Change sets that are disturbed half-way: by people, operators, sites that fail, and a process that ends. */
import assert from "node:assert/strict";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import { until } from "../e2e/running.ts";
import { create, type Instance, type Leaving, rename, SetWorld, statesOf, type Told } from "../sets_kit.ts";

const OPEN = { flags: { allow_publish: true } };

/** Rows of a set's items, oldest first. */
async function rowsOf(at: SetWorld, set_id: string) {
  const rows = (await at.one.kit.audit()).filter((row) => row.set_id === set_id && row.item !== undefined);
  return rows.toReversed();
}

/** What the audit says of each item, beside what is said of the set. */
async function audited(at: SetWorld, { set_id }: Pick<Told, "set_id">) {
  const rows = await rowsOf(at, set_id);
  return rows.filter(({ status }) => status !== "started").map(({ item, status, outcome, error }) =>
    [item, status === "ok" ? outcome : error] as const
  ).toSorted(([a], [b]) => a! - b!);
}

/** Has something done once, before the n-th write leaves. */
function beforeWrite(at: SetWorld, n: number, act: (leaving: Leaving) => unknown): void {
  let writes = 0;
  at.before = async (leaving) => {
    if (leaving.method === "GET" || leaving.method === "HEAD" || ++writes !== n) return;
    await act(leaving);
  };
}

/** Ten drafts on a site, and the set that gives each another title. */
function ten(at: SetWorld): { posts: Post[]; changes: ReturnType<typeof rename>[] } {
  const posts = Array.from({ length: 10 }, (_, n) => at.draft("a", `Old ${n}`));
  return { posts, changes: posts.map(({ id }, n) => rename("a", id, `New ${n}`)) };
}

Deno.test("the tenth of fifty drifted: that one fails, its site's rest is not begun, other sites are done", async () => {
  await using at = await SetWorld.open();
  const posts = ["a", "b"].flatMap((id) =>
    Array.from({ length: 25 }, (_, n) => at.draft(id, `Old ${id}${n}`))
  );
  const changes = posts.map(({ id }, n) => rename(n < 25 ? "a" : "b", id, `New ${n + 1}`));
  const { confirmed, shown } = await at.shown(changes);
  at.edit(posts[9]!, { title: "A person's" });
  const done = await at.call("prepare_changes", confirmed);
  const states = statesOf(done);
  assert.deepEqual(states.slice(0, 9), Array(9).fill("done"));
  assert.deepEqual(states.slice(9, 25), ["failed", ...Array(15).fill("not_begun")]);
  assert.deepEqual(states.slice(25), Array(25).fill("done"));
  assert.deepEqual([done.items[9]!.error!.code, done.items[9]!.outcome], ["E_STALE_PREVIEW", undefined]);
  assert.match(done.items[10]!.reason!, /item 10 was not done, and on_failure is skip_site/);
  assert.equal(posts[9]!.title, "A person's");
  assert.equal(at.writes.length, 34);
  const told = await audited(at, shown);
  assert.deepEqual(told.filter(([, how]) => how !== "made"), [[10, "E_STALE_PREVIEW"]]);
  assert.equal(told.length, 35);
});

/** What somebody does while the third of ten items is written, and what the rest is told of it. */
const HALFWAY: readonly (readonly [
  what: string,
  act: (at: SetWorld, posts: readonly Post[]) => unknown,
  code: string | null,
  says: RegExp,
])[] = [
  [
    "a person edits the next post",
    (at, posts) => at.edit(posts[3]!, { title: "A person's" }),
    "E_STALE_PREVIEW",
    /"title": changed since the preview/,
  ],
  [
    "a person publishes the next post",
    (at, posts) => at.cms.get("a")!.publish(posts[3]!.id),
    "E_FORBIDDEN_OP",
    /published/,
  ],
  [
    "a person deletes the next post",
    (at, posts) => at.cms.get("a")!.state.posts.delete(posts[3]!.id),
    "E_STALE_PREVIEW",
    /deleted/,
  ],
  [
    "the token is revoked",
    (at) => at.one.kit.store.tokens.revoke(at.tokenId),
    null,
    /The token was revoked at/,
  ],
  [
    "the token's ceiling is lowered",
    (at) => at.one.kit.store.tokens.update(at.tokenId, { max_risk: 0 }),
    "E_SCOPE_DENIED",
    /tier/,
  ],
  [
    "the token's sites are narrowed",
    (at) => at.one.kit.store.tokens.update(at.tokenId, { allowed_sites: ["b"] }),
    "E_SCOPE_DENIED",
    /"a"/,
  ],
  [
    "the site is frozen",
    (at) => at.one.kit.store.freezes.set({ scope: "site", id: "a", by: "master token", reason: "stop" }),
    "E_FROZEN",
    /frozen: master token did that/,
  ],
  ["the site is removed", (at) => at.one.kit.gateway.erasing.erase("site", "a"), null, /was erased/],
  [
    "the site is moved",
    (at) => at.one.kit.store.sites.update("a", { base_url: at.cms.get("b")!.base_url }),
    "E_CONFIRM_INVALID",
    /the settings of site "a" have changed, so the call would go elsewhere/,
  ],
  [
    "a person must approve by now",
    (at) => at.one.kit.store.sites.update("a", { confirm_policy: "human" }),
    "E_FORBIDDEN",
    /By now a person must approve/,
  ],
];

for (const [what, act, code, says] of HALFWAY) {
  Deno.test(`half-way ${what}: what was not begun is not written, and what was done stays`, async () => {
    await using at = await SetWorld.open();
    const { posts, changes } = ten(at);
    const { confirmed, shown } = await at.shown(changes, { on_failure: "continue" });
    beforeWrite(at, 3, () => act(at, posts));
    const ending = await at.end("prepare_changes", confirmed);
    assert.ok("value" in ending, JSON.stringify(ending));
    const done = ending.value as Told;
    const titles = posts.map(({ title }) => title);
    const isOne = /person (edits|publishes|deletes)/.test(what);
    assert.deepEqual(statesOf(done).slice(0, 3), ["done", "done", "done"], JSON.stringify(done.items[2]));
    assert.deepEqual(titles.slice(0, 3), ["New 0", "New 1", "New 2"]);
    if (code === null) {
      assert.deepEqual(statesOf(done).slice(3), Array(7).fill("not_begun"));
      assert.match(done.stopped!, says);
      for (const { reason } of done.items.slice(3)) assert.match(reason!, says);
    } else {
      assert.equal(done.items[3]!.state, "failed");
      assert.equal(done.items[3]!.error!.code, code, done.items[3]!.error!.message);
      assert.match(done.items[3]!.error!.message, says);
      assert.deepEqual(statesOf(done).slice(4), Array(6).fill(isOne ? "done" : "failed"));
    }
    const made = isOne ? 9 : 3;
    assert.equal(at.writes.length, made, "nothing else was sent");
    assert.ok(at.writes.every(({ site }) => site === "a"));
    const told = await audited(at, shown);
    if (what === "the site is removed") { // what the audit had of it was made unreadable, up to the item under way
      assert.deepEqual(told, [[3, "made"]]);
      return;
    }
    assert.equal(told.filter(([, how]) => how === "made").length, made);
    assert.equal(told.length, code === null ? 3 : 10);
  });
}

Deno.test("a flag that is taken away half-way, and a plan that finds a higher tier than was shown", async () => {
  await using at = await SetWorld.open(OPEN);
  const posts = Array.from({ length: 3 }, (_, n) => at.draft("a", `Old ${n}`));
  const publish = ({ id }: Post) => ({ tool: "publish_post", arguments: { site_id: "a", post_id: id } });
  const { confirmed, shown } = await at.shown(posts.map(publish), { on_failure: "continue" });
  assert.equal(shown.tier, 3);
  beforeWrite(at, 2, () => at.one.kit.store.sites.update("a", { flags: { allow_publish: false } }));
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(posts.map(({ status }) => status), ["publish", "publish", "draft"]);
  assert.deepEqual(statesOf(done), ["done", "done", "failed"]);
  assert.equal(done.items[2]!.error!.code, "E_PUBLISH_NOT_ALLOWED");
});

Deno.test("an item whose plan finds a higher tier than was shown is refused and nothing of it is sent", async () => {
  await using at = await SetWorld.open(OPEN);
  const draft = at.draft("a", "Old");
  // The title alone is what was shown; that the post is scheduled by now raises the call.
  const { confirmed, shown } = await at.shown([rename("a", draft.id, "New"), create("a", "Other")], {
    on_failure: "continue",
  });
  assert.equal(shown.tier, 1);
  at.edit(draft, { status: "future", date: { at: at.now + 7_200_000, floating: false } });
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(statesOf(done), ["failed", "done"]);
  assert.equal(done.items[0]!.error!.code, "E_STALE_PREVIEW");
  assert.equal(draft.title, "Old");
});

Deno.test("a frozen site refuses the whole confirmed set before it begins, the others' items too", async () => {
  await using at = await SetWorld.open();
  const { confirmed } = await at.shown([create("a", "One"), create("b", "Two")]);
  await at.one.kit.store.freezes.set({ scope: "site", id: "b", by: "master token", reason: null });
  await at.refuses(confirmed, "E_FROZEN", /Site "b" is frozen/);
  await at.one.kit.store.freezes.lift({ scope: "site", id: "b" });
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(done.counts, { done: 2 }, "the same token serves once the freeze is lifted");
});

for (
  const [on_failure, expected] of [
    ["skip_site", ["done", "failed", "not_begun", "not_begun", "done", "done"]],
    ["continue", ["done", "failed", "done", "not_begun", "done", "done"]],
    ["stop_all", ["done", "failed", "not_begun", "not_begun", "done", "not_begun"]],
  ] as const
) {
  Deno.test(`on_failure ${on_failure}: what goes on after an item that fails, and what depends on it`, async () => {
    await using at = await SetWorld.open();
    at.draft("a", "Old");
    const changes = [
      create("a", "One"),
      create("a", "Two"),
      create("a", "Three"),
      rename("a", { $from: 2 }, "Two b"),
      create("b", "Four"),
      create("b", "Five"),
    ];
    const { confirmed } = await at.shown(changes, { on_failure });
    const failed = Promise.withResolvers<void>();
    at.cms.get("a")!.inject({ kind: "answer", status: 400, body: { code: "no", message: "No." } }, {
      method: "POST",
      body: /Two/,
    });
    // The other site's second write comes once the first site's has failed.
    at.before = async ({ method, body, site }) => {
      if (method === "POST" && site === "b" && body.includes("Four")) await failed.promise;
      if (site === "a" && method === "POST" && body.includes("Two")) setTimeout(failed.resolve, 100);
    };
    const done = await at.call("prepare_changes", confirmed);
    assert.deepEqual(statesOf(done), expected);
    const [, , , dependent] = done.items;
    if (on_failure === "continue") {
      assert.match(dependent!.reason!, /item 2, whose id it takes, was not done/);
    }
  });
}

Deno.test("first: 1 does one site, and goes on only where it is proven", async () => {
  await using at = await SetWorld.open({ sites: ["a", "b", "c"] });
  const changes = ["a", "b", "c"].map((id) => create(id, "Same"));
  const { confirmed } = await at.shown(changes, { first: 1 });
  const order: string[] = [];
  at.before = ({ method, site }) => void (method === "POST" && order.push(site));
  assert.deepEqual((await at.call("prepare_changes", confirmed)).counts, { done: 3 });
  assert.equal(order[0], "a");
  const again = await at.shown(
    changes.map(({ arguments: { site_id } }) => create(String(site_id), "Other")),
    { first: 1 },
  );
  // The site keeps another title than it was sent.
  at.before = ({ site, method }) => {
    if (site !== "a" || method !== "POST") return;
    at.cms.get("a")!.inject({ kind: "answer", status: 500, body: "x" }, { method: "POST" });
  };
  const before = at.writes.length;
  const stopped = await at.call("prepare_changes", again.confirmed);
  assert.equal(stopped.items[0]!.state === "failed" || stopped.items[0]!.state === "unknown", true);
  assert.deepEqual(statesOf(stopped).slice(1), ["not_begun", "not_begun"]);
  assert.match(stopped.stopped!, /The first site is not proven: item 1 was not done/);
  assert.equal(at.writes.length, before + 1);
});

Deno.test("three of forty sites are down: they are named at the preview; half-way their items fail and the others are done", async () => {
  const sites = Array.from({ length: 40 }, (_, n) => `s-${n}`);
  await using at = await SetWorld.open({ sites });
  const down = ["s-3", "s-17", "s-39"];
  const changes = sites.map((id) => rename(id, at.draft(id, "Old").id, "Everywhere"));
  const { confirmed } = await at.shown(changes);
  for (const id of down) await at.cms.get(id)!.stop();
  const message = await at.refuses({ title: "Forty", changes }, "E_UPSTREAM", /3 of 40 items cannot be done/);
  for (const n of [4, 18, 40]) assert.match(message, new RegExp(`item ${n} `));
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(done.counts, { done: 37, failed: 3 });
  assert.deepEqual(done.items.filter(({ state }) => state === "failed").map(({ site_id }) => site_id), down);
  const dumped = [...at.cms].filter(([, { posts }]) =>
    [...posts.values()].some(({ title }) => title === "Everywhere")
  );
  assert.equal(dumped.length, 37);
});

Deno.test("an answer that is lost leaves its item unknown, and nothing sends it again", async () => {
  await using at = await SetWorld.open();
  const { confirmed, shown } = await at.shown([
    create("a", "Lost"),
    create("a", "After"),
    create("b", "Fine"),
  ]);
  at.cms.get("a")!.inject({ kind: "reset", applied: true }, { method: "POST", body: /Lost/ });
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(statesOf(done), ["unknown", "not_begun", "done"]);
  assert.equal(done.verified, false);
  for (let n = 0; n < 2; n++) {
    const again = await at.call("prepare_changes", confirmed);
    assert.deepEqual([again.replayed, statesOf(again)], [true, statesOf(done)]);
  }
  assert.equal(at.writes.filter(({ body }) => body.includes("Lost")).length, 1);
  assert.deepEqual((await audited(at, shown)).map(([item]) => item), [1, 3]);
});

Deno.test("a set that was cancelled before it was confirmed is refused by that, and half-way nothing more is begun", async () => {
  await using at = await SetWorld.open({ instances: 2 });
  const first = await at.shown([create("a", "Never")]);
  const { set_id } = first.shown;
  const cancelled = await at.call("cancel_change_set", { set_id }, { by: at.other });
  assert.deepEqual([cancelled.state, statesOf(cancelled)], ["ended", ["not_begun"]]);
  await at.refuses(first.confirmed, "E_CONFIRM_INVALID", /The set was cancelled.*prepare it again/);
  const { posts, changes } = ten(at);
  const { confirmed, shown } = await at.shown(changes);
  beforeWrite(at, 4, async () => {
    const told = await at.call("cancel_change_set", { set_id: shown.set_id }, { by: at.other });
    assert.deepEqual([told.state, typeof told.cancelled_at], ["running", "string"]);
  });
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual([done.state, done.counts], ["ended", { done: 4, not_begun: 6 }]);
  assert.match(done.items[5]!.reason!, /cancelled/);
  assert.equal(posts[3]!.title, "New 3");
  assert.equal(posts[4]!.title, "Old 4");
});

/** Confirms at both instances in the same moment. */
async function bothAtOnce(at: SetWorld, confirmed: Record<string, unknown>) {
  const both: readonly Instance[] = [at.one, at.other];
  return await Promise.all(both.map((by) => at.call("prepare_changes", confirmed, { by })));
}

Deno.test("the same confirm from two instances at once: each item once, and both are told the whole end", async () => {
  await using at = await SetWorld.open({ instances: 2 });
  const changes = [create("a", "One"), rename("a", { $from: 1 }, "One b"), create("b", "Two")];
  for (let round = 0; round < 4; round++) {
    const { confirmed, shown } = await at.shown(changes);
    const before = at.writes.length;
    const told = await bothAtOnce(at, confirmed);
    for (const one of told) assert.deepEqual([one.state, one.counts], ["ended", { done: 3 }]);
    assert.deepEqual(
      told.map(({ items }) => items.map(({ id }) => id))[0],
      told[1]!.items.map(({ id }) => id),
    );
    assert.equal(told.filter(({ replayed }) => replayed).length, 1);
    assert.equal(at.writes.length, before + 3);
    assert.equal((await audited(at, shown)).length, 3);
  }
});

for (const change of [{ title: "A person's" }, { content: "<p>A person's</p>" }, { excerpt: "A person's" }]) {
  const [part] = Object.keys(change);
  Deno.test(`a person changes the ${part} of what an item has made before the next one uses it: that one fails`, async () => {
    await using at = await SetWorld.open();
    const changes = [create("a", "One"), create("a", "Two"), rename("a", { $from: 1 }, "One b")];
    const { confirmed } = await at.shown(changes, { on_failure: "continue" });
    beforeWrite(at, 2, () => {
      const made = [...at.cms.get("a")!.posts.values()].find(({ title }) => title === "One")!;
      at.edit(made, change);
    });
    const done = await at.call("prepare_changes", confirmed);
    assert.deepEqual(statesOf(done), ["done", "done", "failed"]);
    assert.equal(done.items[2]!.error!.code, "E_STALE_PREVIEW");
    assert.equal(at.writes.length, 2);
  });
}

Deno.test("a site that does not answer holds up no other: the set goes on, its item is unknown once its time is over", async () => {
  const rings = new Set<() => void>();
  const alarm = (_: number, ring: () => void) => {
    rings.add(ring);
    return () => void rings.delete(ring);
  };
  const sites = ["slow", "a", "b", "c"];
  await using at = await SetWorld.open({ sites, instances: 2, http: { alarm } });
  const changes = sites.flatMap((id) => [create(id, "One"), create(id, "Two")]);
  const { confirmed, shown: { set_id } } = await at.shown(changes);
  at.cms.get("slow")!.inject({ kind: "hang" }, { method: "POST" });
  const ending = at.call("prepare_changes", confirmed);
  ending.catch(() => {}); // looked at below
  const look = () => at.call("get_change_set", { set_id }, { by: at.other });
  await until(async () => (await look()).counts?.["done"] === 6, 5000);
  assert.deepEqual(statesOf(await look()).slice(0, 2), ["unknown", "not_begun"], "the first is under way");
  assert.equal((await look()).state, "running");
  for (const ring of rings) ring();
  const done = await ending;
  assert.deepEqual([done.state, done.counts], ["ended", { unknown: 1, not_begun: 1, done: 6 }]);
  assert.equal(at.writes.filter(({ site }) => site === "slow").length, 1);
});
