/** Streams that tell how many requests wait: who is told what, what ends a stream, and that nobody pays for none. */
import assert from "node:assert/strict";
import type { Clock } from "../../core/async.ts";
import { APPROVAL_EVENT_LIMITS as LIMITS } from "../../core/model.ts";
import type { AccountHolder } from "../../identity/visitors.ts";
import { callerOfPerson } from "../../identity/rights.ts";
import { ApprovalEvents } from "../../console/admin/approval_events.ts";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { PersonBrowser } from "./kit.ts";

const EVENTS = "/admin/approvals/events";
type Approver = Awaited<ReturnType<typeof approver>>;

/** What a stream has told by now; `over` once it has ended. */
function read(response: Response) {
  const told: string[] = [];
  const state = { over: false };
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const ended = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) told.push(part.value);
    state.over = true;
  })();
  return { told, state, ended, stop: () => reader.cancel() };
}

/** The counts in what was told. */
const counts = (told: readonly string[]) =>
  told.flatMap((one) => one.startsWith("data: ") ? [JSON.parse(one.slice(6)).count as number] : []);

/** The streams of a world, at a clock that the test moves. */
function opened(at: World) {
  const stopping = new AbortController();
  const world = { now: 0, works: new Set<() => Promise<void>>(), reads: 0, faults: [] as unknown[] };
  const clock: Clock = {
    elapsed: () => world.now,
    every: (_, work) => (world.works.add(work), () => void world.works.delete(work)),
  };
  const { gw } = at.kit;
  const events = new ApprovalEvents({
    approvals: { waiting: () => (world.reads++, gw.gateway.approvals.waiting()) },
    store: gw.store,
    clock,
    stopping: stopping.signal,
    report: (_, thrown) => void world.faults.push(thrown),
  });
  const personOf = async ({ user }: Approver): Promise<AccountHolder> => {
    const [session] = await gw.store.personSessions.list(user.id);
    const now = (await gw.store.users.get(user.id))!;
    return {
      user: now,
      caller: callerOfPerson(now),
      session: session!,
      session_id: session!.id,
      csrf: "",
    };
  };
  return {
    world,
    stopping,
    open: async (who: Approver) => await events.open(await personOf(who)),
    /** The clock comes by. */
    async look() {
      for (const work of [...world.works]) await work();
    },
  };
}

/** Waits until a stream has handed on what was written. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("each is told how many wait for a decision of theirs, first and at each change, by one read for all", async () => {
  await using at = await asking();
  const [bea, ben] = [await approver(at), await approver(at, "ben@agency.example")];
  const eve = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const { id } = (await ask(at)).approval;
  const { world, open, look } = opened(at);
  const streams = await Promise.all([bea, ben, eve].map(async (who) => read(await open(who))));
  world.reads = 0;
  await look();
  await turn();
  assert.equal(world.reads, 1);
  assert.deepEqual(streams.map(({ told }) => counts(told)), [[1], [1], [0]]);
  const other = await ask(at, { site_id: "acme", title: "New", content_html: "<p>x</p>" }, "create_draft");
  await look();
  await bea.reject(id);
  await look();
  await look();
  await turn();
  assert.deepEqual(streams.map(({ told }) => counts(told)), [[1, 2, 1], [1, 2, 1], [0, 1]]);
  assert.ok(streams[0]!.told.some((one) => one.includes(other.approval.id)));
  await Promise.all(streams.map(({ stop }) => stop()));
  assert.equal(world.works.size, 0, "nobody listens, so nothing is read");
});

Deno.test("a stream ends with the session, with sign-out, and with the right, and the session is not used by it", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const { world, open, look } = opened(at);
  const ends: Readonly<Record<string, (who: Approver) => unknown>> = {
    "signed out": async ({ browser }) => {
      await browser.open("/admin/account");
      await browser.submit("/admin/sign-out", {});
    },
    "every session ended": ({ user }) => gw.store.personSessions.endAll(user.id),
    "the right is gone": ({ user }) => gw.store.users.update(user.id, { approve_sites: [] }),
    "the person is gone": ({ user }) => gw.store.users.remove(user.id),
    "idle for two hours, of which the stream was looked at after one": () => gw.clock.now += 3600_000,
  };
  for (const [n, [name, end]] of Object.entries(ends).entries()) {
    const who = await approver(at, `p${n}@agency.example`);
    const stream = read(await open(who));
    gw.clock.now += 3600_000;
    await look();
    assert.equal(stream.state.over, false, name);
    await end(who);
    await look();
    await stream.ended;
    assert.match(stream.told.join(""), /event: over/, name);
    assert.equal(world.works.size, 0, name);
  }
});

Deno.test("a person has four streams, a quiet one is kept alive, each ends after an hour and when the gateway stops", async () => {
  await using at = await asking();
  const [bea, ben] = [await approver(at), await approver(at, "ben@agency.example")];
  const { world, stopping, open, look } = opened(at);
  const streams = [];
  for (let n = 0; n < LIMITS.STREAMS_PER_PERSON; n++) streams.push(read(await open(bea)));
  assert.equal((await open(bea)).status, 429);
  const other = await open(ben);
  assert.equal(other.status, 200);
  await streams[0]!.stop();
  streams[0] = read(await open(bea));
  world.now += LIMITS.QUIET_MS;
  await look();
  await turn();
  assert.deepEqual(streams[1]!.told.map((one) => one.split(":")[0]), ["retry", "data", ""]);
  world.now += LIMITS.STREAM_MS;
  await look();
  await Promise.all(streams.map(({ ended }) => ended));
  assert.doesNotMatch(streams[1]!.told.join(""), /event: over/, "a browser opens the next one");
  assert.equal(world.works.size, 0);
  const last = read(await open(bea));
  stopping.abort();
  await last.ended;
  await other.body?.cancel();
  assert.equal((await open(bea)).status, 204);
});

Deno.test("a store that fails ends no stream and is reported once; a slow reader is told what there is in the end", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const { world, open, look } = opened(at);
  const response = await open(bea); // nobody reads yet
  const { approvals } = at.kit.gw.store;
  const pending = approvals.pending.bind(approvals);
  approvals.pending = () => Promise.reject(new Error("gone"));
  for (let n = 0; n < 3; n++) await look();
  assert.equal(world.faults.length, 1);
  approvals.pending = pending;
  for (let n = 1; n <= 8; n++) {
    await ask(at, edit(at, { title: `Number ${n}` }));
    await look();
  }
  const stream = read(response);
  await turn();
  await look();
  await turn();
  assert.equal(counts(stream.told).at(-1), 8);
  assert.ok(counts(stream.told).length < 8, "what was overtaken is not told");
  await stream.stop();
});

Deno.test("the route is for who has signed in and may approve; signed out and from other sites there is no stream", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const bea = await approver(at);
  const asks = await approver(at, "asks@agency.example", { approve_sites: [] });
  await ask(at);
  assert.equal((await new PersonBrowser(gw).open(EVENTS, { stay: true })).status, 401);
  assert.equal((await asks.browser.open(EVENTS)).status, 204);
  const crossed = { headers: { "sec-fetch-site": "cross-site" } };
  assert.equal((await bea.browser.open(EVENTS, crossed)).status, 403);
  const cookie = [...bea.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await gw.http(EVENTS, { as: null, headers: { cookie } });
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(response.headers.get("cache-control"), "no-store");
  const stream = read(response);
  await turn();
  assert.deepEqual(counts(stream.told), [1]);
  gw.gateway.drain();
  await stream.ended;
});

Deno.test("every page says in its navigation how many wait; the list loads a script of ours, by its contents, and no other page does", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asks = await approver(at, "asks@agency.example", { approve_sites: [] });
  const { id } = (await ask(at)).approval;
  const count = /<span class="count" data-waiting="true">1<\/span>/;
  const script = /<script type="module" src="(\/admin\/assets\/approvals\.js\?v=[0-9a-f]{12})">/;
  for (const path of ["/admin/approvals", `/admin/approvals/${id}`, "/admin/tokens", "/admin/nothing"]) {
    assert.match((await bea.browser.open(path)).text, count, path);
  }
  const theirs = await asks.browser.open("/admin/approvals");
  assert.match(theirs.text, /<span class="count" data-waiting="true" hidden=""/);
  const list = await bea.browser.open("/admin/approvals");
  assert.match(list.text, new RegExp(`data-since="${id}" data-title="Approvals · `));
  const policy = "script-src 'self'; connect-src 'self'";
  assert.ok(list.headers.get("content-security-policy")!.includes(policy));
  const source = await bea.browser.open(script.exec(list.text)![1]!);
  assert.match(source.headers.get("cache-control")!, /immutable/);
  assert.match(source.text, /new EventSource/);
  for (const path of [`/admin/approvals/${id}`, `/admin/approvals?state=decided`]) {
    const page = await bea.browser.open(path);
    assert.doesNotMatch(page.text, /<script/);
    assert.doesNotMatch(page.headers.get("content-security-policy")!, /script-src/);
  }
  assert.doesNotMatch(theirs.text, /<script/);
});
