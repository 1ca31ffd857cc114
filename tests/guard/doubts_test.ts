/** Writes without an outcome: judged a minute after their deadline, by one instance, and resolved by an operator. */
import assert from "node:assert/strict";
import { Doubts } from "../../guard/audit/doubts.ts";
import { Jobs } from "../../guard/jobs.ts";
import type { AuditRow } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import { gateway, type Kit, MASTER, NOW } from "../kit.ts";
import { scenes } from "../scenes.ts";

const MINUTE = 60_000;

function intent(id: string, at: number, more: Partial<AuditRow> = {}): AuditRow {
  return {
    id,
    at: new Date(at).toISOString(),
    deadline: new Date(at + MINUTE).toISOString(),
    door: "rest",
    request_id: id,
    token_id: "t1",
    token_name: "writer",
    owner_user_id: null,
    site_id: "acme",
    tool: "create_draft",
    tier: 1,
    arguments: { title: "Hello" },
    status: "started",
    error: null,
    duration_ms: null,
    ...more,
  };
}

/** What an instance with clocks of its own finds in the store. */
function instance(
  store: Pick<Store, "audit" | "leases" | "sets" | "approvals">,
  clock: { now: number; elapsed?: number },
) {
  const logged: Record<string, unknown>[] = [];
  const ports = { now: () => clock.now, log: (event: Record<string, unknown>) => void logged.push(event) };
  const doubts = new Doubts({
    tell: () => Promise.resolve([]),
    store,
    elapsed: () => clock.elapsed ?? 0,
    jobs: new Jobs(ports),
    ...ports,
  });
  return { doubts, logged };
}

const unknown = async (gw: Kit) =>
  (await gw.store.audit.list({ outcome: "unknown" }, { limit: 10 })).rows.map((row) => row.id);
const each = async (gw: Kit) => (await gw.audit()).map(({ id, status, outcome }) => [id, status, outcome]);

async function admin(gw: Kit, path: string, body?: object) {
  const response = await gw.http(`/admin/api/audit${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return await response.json();
}

const test = scenes(() => gateway());

test("an intent is left alone until a minute after its deadline, and then its outcome is unknown, once", async (gw) => {
  await gw.store.audit.append(intent("w", NOW));
  const clock = { now: NOW + 2 * MINUTE - 1 };
  const { doubts } = instance(gw.store, clock);
  await doubts.run();
  assert.deepEqual(await each(gw), [["w", "started", undefined]]);
  clock.now++;
  await doubts.run();
  await doubts.run();
  assert.deepEqual(await each(gw), [["w", "started", "unknown"]]);
  assert.deepEqual(await unknown(gw), ["w"]);
  assert.deepEqual(
    (await gw.store.audit.list({ status: "started" }, { limit: 10 })).rows.map(({ id }) => id),
    ["w"],
  );
  const entries: string[] = [];
  for await (const line of gw.store.audit.export({ tool: "create_draft" })) entries.push(line);
  assert.equal(entries.join("").split('"id":"w"').length - 1, 2);
  assert.equal((await gw.store.audit.verify()).ok, true);
});

test("an outcome that comes after all takes the place of the doubt", async (gw) => {
  await gw.store.audit.append(intent("w", NOW));
  await instance(gw.store, { now: NOW + 5 * MINUTE }).doubts.run();
  const { deadline: _, ...row } = intent("w", NOW, { status: "ok", outcome: "made", duration_ms: 300_000 });
  await gw.store.audit.append(row);
  assert.deepEqual(await each(gw), [["w", "ok", "made"]]);
  assert.deepEqual(await unknown(gw), []);
  assert.deepEqual(await gw.store.audit.doubts(), { unknown: 0, open: 0 });
  const made = await gw.store.audit.list({ outcome: "made" }, { limit: 10 });
  assert.deepEqual(made.rows.map(({ id }) => id), ["w"]);
});

test("an outcome that comes between the look and the judgement stands", async (gw) => {
  await gw.store.audit.append(intent("w", NOW));
  const audit = {
    ...gw.store.audit,
    settle: async (...given: Parameters<Store["audit"]["settle"]>) => {
      await gw.store.audit.append(intent("w", NOW, { status: "ok", outcome: "made" }));
      return await gw.store.audit.settle(...given);
    },
    open: () => gw.store.audit.open(),
  } as Store["audit"];
  await instance({ ...gw.store, audit }, { now: NOW + 5 * MINUTE }).doubts.run();
  assert.deepEqual(await each(gw), [["w", "ok", "made"]]);
  await gw.store.audit.append(intent("next", NOW, { status: "ok" }));
  assert.equal((await gw.store.audit.verify()).ok, true);
});

test("a call in flight on another instance is not judged, nor anything while another looks", async (gw) => {
  await gw.store.audit.append(intent("theirs", NOW + 4.5 * MINUTE));
  await gw.store.audit.append(intent("lost", NOW));
  const { doubts } = instance(gw.store, { now: NOW + 5 * MINUTE });
  await gw.store.leases.hold("audit-doubts", MINUTE, async () => {
    await doubts.run();
    assert.deepEqual(await unknown(gw), []);
  });
  await doubts.run();
  assert.deepEqual(await unknown(gw), ["lost"]);
});

test("intents of an older version are judged by when they began; what the gateway itself began is not", async (gw) => {
  const { deadline: _, ...old } = intent("old", NOW);
  await gw.store.audit.append(old);
  await gw.store.audit.append(intent("cut", NOW, { door: "admin", tool: "audit.retain", tier: null }));
  await gw.store.audit.append(intent("operator", NOW, { door: "admin", tool: "undo_change", tier: 1 }));
  await instance(gw.store, { now: NOW + 2 * MINUTE }).doubts.run();
  assert.deepEqual(await unknown(gw), ["operator", "old"]);
});

test("an intent from a clock far ahead is judged once it has been seen for longer than any call takes", async (gw) => {
  await gw.store.audit.append(intent("ahead", NOW + 365 * 24 * 60 * MINUTE));
  const clock = { now: NOW, elapsed: 0 };
  const { doubts } = instance(gw.store, clock);
  for (clock.elapsed = 0; clock.elapsed < 2 * MINUTE; clock.elapsed += MINUTE) {
    await doubts.run();
    assert.deepEqual(await unknown(gw), []);
  }
  await doubts.run();
  assert.deepEqual(await unknown(gw), ["ahead"]);
});

test("boot judges what a restored store left, and counts it in one line; with nothing in doubt it is silent", async (gw) => {
  const none = instance(gw.store, { now: NOW });
  await none.doubts.begin();
  assert.deepEqual(none.logged, []);
  for (const id of ["a", "b"]) await gw.store.audit.append(intent(id, NOW - 24 * 60 * MINUTE));
  await gw.store.audit.append(intent("c", NOW - 1000));
  const { doubts, logged } = instance(gw.store, { now: NOW });
  await doubts.begin();
  const see = "deno task admin audit tail --unknown";
  assert.deepEqual(logged, [{ event: "writes_in_doubt", unknown: 2, open: 1, see }]);
});

test("a store that fails is logged, and stops nothing", async (gw) => {
  const leases = { hold: () => Promise.reject(new Error("gone")), isHeld: () => Promise.resolve(false) };
  const { doubts, logged } = instance({ ...gw.store, leases }, { now: NOW });
  await doubts.run();
  assert.deepEqual(logged, [{ event: "doubts_failed", cause: "Error: gone" }]);
});

test("the row of a set says whether that was begun, and is in doubt only where nobody knows that", async (gw) => {
  const content = { title: "", on_failure: "skip_site", first: false, items: [], warnings: [] } as const;
  for (const set_id of ["shown", "begun"]) {
    await gw.store.sets.prepared({ set_id, grant: "g", token: null, failed: null }, content);
  }
  await gw.store.sets.start("begun");
  for (const set_id of ["shown", "begun", "gone"]) {
    await gw.store.audit.append(intent(set_id, NOW, { set_id }));
  }
  await gw.store.audit.append(intent("item", NOW, { set_id: "begun", item: 1 }));
  await instance(gw.store, { now: NOW + 2 * MINUTE }).doubts.run();
  const found = (await gw.audit()).map(({ id, outcome }) => [id, outcome]);
  assert.deepEqual(Object.fromEntries(found), {
    shown: "none",
    begun: "made",
    gone: "unknown",
    item: "unknown",
  });
});

test("an operator says what was found: an entry is added, the row leaves the doubtful ones, and only once", async (gw) => {
  await gw.store.audit.append(intent("w", NOW));
  await gw.store.audit.append(intent("e", NOW));
  const failed = intent(
    "e",
    NOW,
    { status: "error", error: "E_UPSTREAM", outcome: "unknown", duration_ms: 9 },
  );
  await gw.store.audit.append(failed);
  await instance(gw.store, { now: NOW + 5 * MINUTE }).doubts.run();
  const { result } = await admin(gw, "?outcome=unknown");
  assert.deepEqual(result.rows.map((row: AuditRow) => row.id), ["w", "e"]);
  for (const [id, found] of [["w", "none"], ["e", "made"]] as const) {
    const answer = await admin(gw, `/${id}/resolve`, { found, note: "looked at the site" });
    assert.deepEqual([answer.result.outcome, answer.result.resolution], [found, {
      found,
      note: "looked at the site",
      at: new Date(NOW).toISOString(),
      door: "admin",
      by: "master token",
    }]);
    const { error } = await admin(gw, `/${id}/resolve`, { found, note: "again" });
    assert.equal(error.code, "E_NOT_FOUND");
  }
  assert.deepEqual(await unknown(gw), []);
  assert.deepEqual(await each(gw), [["e", "error", "made"], ["w", "started", "none"]]);
  const failures = await gw.store.audit.list({ status: "error" }, { limit: 1 });
  assert.deepEqual(failures.rows.map(({ id, outcome }) => [id, outcome]), [["e", "made"]]);
  const { next_cursor } = failures;
  if (next_cursor) {
    const more = await gw.store.audit.list({ status: "error" }, { limit: 1, cursor: next_cursor });
    assert.deepEqual(more.rows, [], "the entry that was resolved is not shown again on the next page");
  }
  assert.deepEqual(await gw.store.audit.doubts(), { unknown: 0, open: 0 });
  assert.equal((await gw.store.audit.verify()).ok, true);
});

test("a resolution says what it lacks, and an unknown id is not found", async (gw) => {
  const refusals: [object, RegExp][] = [
    [{ found: "perhaps", note: "x" }, /^found: expected made or none/],
    [{ found: "made" }, /^note/],
    [{ found: "made", note: "  " }, /^note: expected a text/],
    [{ found: "made", note: "x".repeat(501) }, /^note: expected a text/],
  ];
  for (const [body, message] of refusals) {
    const { error } = await admin(gw, "/w/resolve", body);
    assert.equal(error.code, "E_BAD_INPUT");
    assert.match(error.message, message);
  }
  assert.equal((await admin(gw, "/w/resolve", { found: "made", note: "x" })).error.code, "E_NOT_FOUND");
  assert.match(
    (await admin(gw, "?outcome=maybe")).error.message,
    /^outcome: expected one of none, made, unknown/,
  );
});

test("retention takes the marks of doubt along with their segments", async (gw) => {
  await gw.store.audit.append(intent("w", NOW));
  await instance(gw.store, { now: NOW + 5 * MINUTE }).doubts.run();
  await gw.store.audit.retain(new Date(NOW + 10 * MINUTE));
  assert.deepEqual(await gw.store.audit.doubts(), { unknown: 0, open: 0 });
  assert.deepEqual(await unknown(gw), []);
});
