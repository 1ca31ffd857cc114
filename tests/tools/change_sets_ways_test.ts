/** The ways of a change set: one change on many sites, what each policy asks for, long previews, progress, counts. */
import assert from "node:assert/strict";
import { CLOCK } from "../../core/async.ts";
import { LIMITS } from "../../core/model.ts";
import { type Change, create, rename, SetWorld, statesOf, type Told } from "../sets_kit.ts";
import { until } from "../e2e/running.ts";

const titles = (at: SetWorld, id: string) => [...at.cms.get(id)!.posts.values()].map(({ title }) => title);
const noSite = (args: Record<string, unknown>): Change => ({ tool: "create_draft", arguments: args });

Deno.test("for_each puts each site's own names into its texts, once, and escaped where the text is HTML", async () => {
  await using at = await SetWorld.open();
  const { store } = at.one.kit;
  await store.projects.create({ id: "p", name: 'Hart & "Sons" <{{site.name}}>' });
  for (const id of ["a", "b"]) {
    await store.sites.update(id, { project_id: "p", name: `{{site.base_url}} of ${id} & co` });
  }
  at.later(1000);
  const changes = [
    noSite({
      title: "{{site.name}} | {{ project.name }} | {{other}} | {{",
      content_html: '<p title="{{project.name}}">{{site.name}} {{unknown.thing}}</p>',
      tags: ["{{site.name}}"],
    }),
  ];
  const { confirmed, shown } = await at.shown(changes, { for_each: { sites: ["a", "b"] } });
  const project = 'Hart & "Sons" <{{site.name}}>';
  const html = "Hart &amp; &quot;Sons&quot; &lt;{{site.name}}&gt;";
  assert.deepEqual(shown.items.map(({ site_id }) => site_id), ["a", "b"], "each site's result is shown");
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(done.counts, { done: 2 });
  for (const id of ["a", "b"]) {
    const name = `{{site.base_url}} of ${id} & co`;
    const sent = JSON.parse(at.writes.find(({ site, body }) => site === id && body.includes("title"))!.body);
    assert.equal(sent.title, `${name} | ${project} | {{other}} | {{`);
    assert.match(sent.content, new RegExp(`title="${html}"`));
    assert.ok(
      sent.content.includes(`>{{site.base_url}} of ${id} &amp; co {{unknown.thing}}</p>`),
      sent.content,
    );
  }
});

Deno.test("for_each keeps references within each site, and does a site's items together", async () => {
  await using at = await SetWorld.open();
  const changes = [noSite({ title: "One of {{site.name}}", content_html: "x" }), {
    tool: "update_draft",
    arguments: { post_id: { $from: 1 }, title: "Renamed on {{site.name}}" },
  }];
  const { confirmed } = await at.shown(changes, { for_each: { sites: ["b", "a"] } });
  const done = await at.call("prepare_changes", confirmed);
  assert.deepEqual(done.items.map(({ site_id, state }) => [site_id, state]), [
    ["b", "done"],
    ["b", "done"],
    ["a", "done"],
    ["a", "done"],
  ]);
  for (const id of ["a", "b"]) {
    assert.ok(titles(at, id).includes(`Renamed on Site ${id}`), `${titles(at, id)}`);
  }
});

/** How each policy answers: the first call unconfirmed, confirmed without a preview, confirmed with its token. */
const POLICIES = [
  ["flag", {}, "runs", "runs"],
  ["preview", {}, "previews", "runs"],
  ["preview", { skip_write_confirm: true }, "runs", "runs"],
  ["human", {}, "previews", "waits for a person"],
  ["human", { skip_write_confirm: true }, "previews", "waits for a person"],
] as const;

for (const [policy, token, unshown, shownFirst] of POLICIES) {
  for (const door of ["rest", "mcp"] as const) {
    Deno.test(`${policy}${"skip_write_confirm" in token ? ", skipping the gate" : ""}, over ${door}: a set is confirmed by the strictest of all its sites`, async () => {
      await using at = await SetWorld.open({ token });
      await at.one.kit.store.sites.update("b", { confirm_policy: policy });
      at.later(1000);
      const changes = [create("a", "One"), create("b", "Two")];
      const order = { title: "A set", changes };
      const ended = async (args: Record<string, unknown>) => {
        const before = at.writes.length;
        const told = await at.call("prepare_changes", args, { door });
        assert.equal(at.writes.length - before, told.needs_confirmation ? 0 : 2);
        return told.needs_confirmation ? "previews" : "runs";
      };
      assert.equal(await ended({ ...order, confirm: true }), unshown);
      if (!("skip_write_confirm" in token)) assert.equal(await ended(order), "previews");
      const { confirm_token } = await at.call("prepare_changes", { ...order, confirm: false }, { door })
        .then((told) => told.needs_confirmation ? told : { confirm_token: undefined });
      if (confirm_token === undefined) return; // a token that skips the gate is shown nothing under this policy
      const confirmed = { ...order, confirm: true, confirm_token };
      if (policy === "human") await at.refuses(confirmed, "E_APPROVAL_PENDING", /approv/);
      else assert.equal(await ended(confirmed), shownFirst);
    });
  }
}

Deno.test("an idempotency key carries a set out once, at both instances, and answers what became of it", async () => {
  await using at = await SetWorld.open({ instances: 2 });
  const order = { title: "A set", changes: [create("a", "One"), create("b", "Two")], confirm: true };
  const key = "once";
  const [one, other] = await Promise.all(
    [at.one, at.other].map((by) => at.call("prepare_changes", order, { by, key })),
  );
  for (const told of [one!, other!]) {
    assert.deepEqual([told.state, statesOf(told)], ["ended", ["done", "done"]]);
  }
  assert.equal(one!.set_id, other!.set_id);
  assert.equal(at.writes.length, 2);
  await at.refuses({ ...order, title: "Else" }, "E_IDEMPOTENCY_KEY", /used for another call/, { key });
});

Deno.test("at most eight sites are written to at once, items of a site in their order, each with the requests of a single call", async () => {
  const sites = Array.from({ length: 12 }, (_, n) => `s-${n}`);
  await using at = await SetWorld.open({ sites });
  const posts = sites.map((id) => [at.draft(id, "One"), at.draft(id, "Two")] as const);
  const alone = { site_id: "s-0", post_id: at.draft("s-0", "Alone").id, title: "Alone b", confirm: true };
  await at.call("update_draft", alone);
  let requests = 0;
  at.before = () => void requests++;
  await at.call("update_draft", { ...alone, title: "Alone c" });
  const ofOne = requests;
  const changes = sites.flatMap((id, n) => posts[n]!.map((post, m) => rename(id, post.id, `New ${m}`)));
  const { confirmed, shown: { set_id } } = await at.shown(changes);
  requests = 0;
  const [asked, waiting, held] = [new Set<string>(), new Set<string>(), Promise.withResolvers<void>()];
  at.before = async ({ site, method }) => {
    requests++;
    asked.add(site);
    if (method !== "POST") return;
    waiting.add(site);
    await held.promise;
  };
  const ending = at.call("prepare_changes", confirmed);
  await until(() => Promise.resolve(waiting.size === LIMITS.SET_SITES_AT_ONCE), 5000);
  for (let n = 0; n < 5; n++) await at.call("get_change_set", { set_id });
  assert.equal(asked.size, LIMITS.SET_SITES_AT_ONCE, "no other site is asked for anything meanwhile");
  held.resolve();
  assert.deepEqual((await ending).counts, { done: 24 });
  for (const id of sites) {
    const sent = at.writes.filter(({ site, body }) => site === id && body.includes("New"));
    assert.deepEqual(sent.map(({ body }) => JSON.parse(body).title), ["New 0", "New 1"]);
  }
  assert.equal(requests, 24 * ofOne);
});

Deno.test("wait_seconds: 0 answers at once, and get_change_set at the other instance tells how it goes on", async () => {
  await using at = await SetWorld.open({ instances: 2 });
  const { confirmed, shown: { set_id } } = await at.shown([create("a", "One"), create("a", "Two")]);
  const held = Promise.withResolvers<void>();
  at.before = async ({ method, body }) => {
    if (method === "POST" && body.includes("Two")) await held.promise;
  };
  const told = await at.call("prepare_changes", { ...confirmed, wait_seconds: 0 });
  assert.equal(told.state, "running");
  assert.equal(told.verified, null, "nothing is claimed of what has not ended");
  let seen: Told = told;
  await until(async () => {
    seen = await at.call("get_change_set", { set_id }, { by: at.other });
    return seen.items[0]!.state === "done" && seen.items[1]!.state !== "not_begun";
  }, 5000);
  assert.deepEqual([seen.state, statesOf(seen)], ["running", ["done", "unknown"]]);
  assert.equal(seen.items[1]!.reason, "It is under way");
  const again = await at.call("prepare_changes", { ...confirmed, wait_seconds: 0 }, { by: at.other });
  assert.deepEqual([again.state, again.replayed], ["running", true]);
  held.resolve();
  const ended = await at.call("get_change_set", { set_id, wait_seconds: 40 });
  assert.deepEqual([ended.state, ended.counts], ["ended", { done: 2 }]);
});

/** The wait for a set's preview, which is over when a test says so. */
function patience(): { over(): void } & Disposable {
  const { every } = CLOCK;
  const waiting = new Set<() => Promise<void>>();
  CLOCK.every = (ms, work) => {
    if (ms !== LIMITS.SET_ANSWER_MS) return every(ms, work);
    waiting.add(work);
    return () => void waiting.delete(work);
  };
  return {
    over: () => [...waiting].forEach((work) => void work()),
    [Symbol.dispose]: () => void (CLOCK.every = every),
  };
}

/** A set whose second site is not answered before `held` says so; answers what its call is answered after its time. */
async function longPlanned(at: SetWorld, changes: readonly Change[], confirm = false) {
  using wait = patience();
  const held = Promise.withResolvers<void>();
  let asked = false;
  at.before = async ({ site }) => {
    if (site === "b") await (asked = true, held.promise);
  };
  const order = { title: "Long", changes, ...confirm ? { confirm } : {} };
  const call = at.call<Told & { planned: number; of: number }>("prepare_changes", order);
  await until(() => Promise.resolve(asked), 5000);
  // The first item is planned by then.
  await until(
    () => Promise.resolve(at.one.kit.requests.some(({ url }) => url.startsWith(at.cms.get("a")!.base_url))),
    5000,
  );
  wait.over();
  return { told: await call, order, held };
}

Deno.test("a person is not asked for a set whose planning took longer than its call may wait", async () => {
  await using at = await SetWorld.open({ token: { confirm_policy: "human" } });
  const changes = ["a", "b"].map((id) => rename(id, at.draft(id, "Old").id, "New"));
  const { told: { set_id }, held } = await longPlanned(at, changes, false);
  held.resolve();
  const look = () => at.call("get_change_set", { set_id });
  await until(async () => (await look()).state === "ended", 5000);
  const says = /asked only for what is planned while its call waits.*make several smaller sets/;
  assert.match((await look()).stopped!, says);
  assert.deepEqual([await at.one.kit.store.approvals.list(), at.writes.length], [[], 0]);
});

for (const confirm of [false, true]) {
  Deno.test(`a preview that takes longer than its call may wait is shown by get_change_set, with a token that works${confirm ? "; a call that was confirmed writes nothing" : ""}`, async () => {
    await using at = await SetWorld.open({ instances: 2 });
    const changes = ["a", "b"].map((id) => rename(id, at.draft(id, "Old").id, "New"));
    const { told, order, held } = await longPlanned(at, changes, confirm);
    assert.deepEqual([told.state, told.of, told.needs_confirmation], ["preparing", 2, undefined]);
    const { set_id } = told;
    for (const by of [at.one, at.other]) {
      assert.equal((await at.call("get_change_set", { set_id }, { by })).state, "preparing");
    }
    held.resolve();
    const shown = await at.call("get_change_set", { set_id, wait_seconds: 40 }, { by: at.other });
    assert.deepEqual([shown.state, shown.needs_confirmation, shown.items.length], ["prepared", true, 2]);
    assert.equal(at.writes.length, 0);
    const { confirm_token } = shown;
    await at.refuses(
      { ...order, title: "Else", confirm: true, confirm_token },
      "E_CONFIRM_INVALID",
      /other arguments/,
    );
    const confirmed = { ...order, confirm: true, confirm_token };
    const done = await at.call("prepare_changes", confirmed, { by: at.other });
    assert.deepEqual(done.counts, { done: 2 });
    assert.equal((await at.call("prepare_changes", confirmed)).replayed, true);
    assert.equal(at.writes.length, 2);
  });
}

Deno.test("a long preview that is refused, cancelled or cut off is told by get_change_set, and cannot be confirmed", async () => {
  await using at = await SetWorld.open({ instances: 2 });
  const changes = ["a", "b"].map((id) => rename(id, at.draft(id, "Old").id, "New"));
  const refused = await longPlanned(at, [...changes, rename("b", 99_999, "Gone")]);
  refused.held.resolve();
  const why = await at.call("get_change_set", { set_id: refused.told.set_id, wait_seconds: 40 });
  assert.equal(why.state, "ended");
  assert.match(why.stopped!, /1 of 3 items cannot be done.*item 3 /);

  const cancelled = await longPlanned(at, changes);
  const { set_id } = cancelled.told;
  assert.equal((await at.call("cancel_change_set", { set_id }, { by: at.other })).state, "ended");
  cancelled.held.resolve();
  await until(async () => !await at.one.kit.store.leases.isHeld(`set ${set_id}`, LIMITS.SET_LEASE_MS), 5000);
  const after = await at.call("get_change_set", { set_id });
  assert.deepEqual([after.state, after.stopped, after.confirm_token], [
    "ended",
    "The set was cancelled",
    undefined,
  ]);

  const cut = await longPlanned(at, changes);
  at.one.life.end();
  cut.held.resolve();
  at.later(20_000);
  const told = await at.call("get_change_set", { set_id: cut.told.set_id });
  assert.equal(told.state, "ended");
  assert.match(told.stopped!, /planning was cut off, and nothing was changed; prepare it again/);
  assert.equal(at.writes.length, 0);
});

Deno.test("over MCP a set tells how many of its items are planned, then how many are done", async () => {
  await using at = await SetWorld.open();
  const changes = [create("a", "One"), create("a", "Two"), create("b", "Three")];
  const order = { title: "A set", changes };
  const followed = async (args: Record<string, unknown>) => {
    const params = { name: "prepare_changes", arguments: args, _meta: { progressToken: "p" } };
    const response = await at.one.kit.http("/mcp", {
      method: "POST",
      as: null,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${at.token}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const events = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)));
    const answer = JSON.parse(events.at(-1).result.content[0].text) as Told;
    return { answer, told: events.slice(0, -1).map(({ params: { progress, total } }) => [progress, total]) };
  };
  const shown = await followed(order);
  assert.deepEqual(shown.told, [[1, 3], [2, 3], [3, 3]]);
  const done = await followed({ ...order, confirm: true, confirm_token: shown.answer.confirm_token });
  assert.deepEqual([done.told, done.answer.counts], [[[1, 3], [2, 3], [3, 3]], { done: 3 }]);
});
