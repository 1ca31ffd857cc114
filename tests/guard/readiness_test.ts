/** A gateway that cannot carry out calls says so where it is asked, before a call finds out, and says when it can again. */
import assert from "node:assert/strict";
import type { Problem } from "../../rules/readiness.ts";
import { HangingKv, runToEnd, Ticks } from "../hanging_kv.ts";
import { instead } from "../instead.ts";
import { gateway, KEY, type Kit, site } from "../kit.ts";
import { operator } from "../people/kit.ts";
import { reseal } from "../../store/reseal.ts";
import { Sealer } from "../../store/seal.ts";

interface Ready {
  readonly ok: boolean;
  readonly problems?: readonly Problem[];
}

/** What /readyz answers, with its status. */
async function ready(gw: Kit): Promise<{ status: number; checks: string[]; text: string }> {
  const response = await gw.http("/readyz", { as: null });
  const text = await response.text();
  const { ok, problems = [] }: Ready = JSON.parse(text);
  assert.equal(ok, response.status === 200);
  return { status: response.status, checks: problems.map(({ check }) => check), text };
}

/** A KV that refuses changes for as long as it is told to, and counts what is written only to find that out. */
function fullDisk() {
  const disk = { isFull: false, looks: 0 };
  const around = (kv: Deno.Kv): Deno.Kv =>
    instead(kv, {
      atomic: () => {
        const change = kv.atomic();
        const [set, commit] = [change.set.bind(change), change.commit.bind(change)];
        change.set = (key, value, options) => {
          if (key[0] === "probe") disk.looks++;
          return set(key, value, options);
        };
        change.commit = () => {
          return disk.isFull ? Promise.reject(new TypeError("database or disk is full")) : commit();
        };
        return change;
      },
    });
  return { disk, around };
}

/** Opened with a clock that stands still, so that what was found is old only when that is said. */
async function opened(around: (kv: Deno.Kv) => Deno.Kv) {
  const ticks = new Ticks();
  return { ticks, gw: await gateway({ storage: { clock: ticks, around } }) };
}

Deno.test("a full disk is found by whoever asks whether the gateway is ready, before any call is refused", async () => {
  const { disk, around } = fullDisk();
  const { gw, ticks } = await opened(around);
  await using _ = gw;
  assert.deepEqual((await ready(gw)).status, 200);
  disk.isFull = true;
  await ticks.pass(3000);
  const full = await ready(gw);
  assert.deepEqual([full.status, full.checks], [503, ["store"]]);
  assert.match(full.text, /see to its disk/);
  const live = await gw.http("/healthz", { as: null });
  assert.equal(live.status, 503, "nothing can be done without a store");
  await live.body?.cancel();
  disk.isFull = false;
  await ticks.pass(3000);
  assert.equal((await ready(gw)).status, 200);
});

Deno.test("who asks again within seconds is told what was found, and nothing is looked at again", async () => {
  const { disk, around } = fullDisk();
  const { gw, ticks } = await opened(around);
  await using _ = gw;
  await ticks.pass(3000);
  for (let nth = 0; nth < 20; nth++) await ready(gw);
  await Promise.all(Array.from({ length: 20 }, () => ready(gw)));
  assert.equal(disk.looks, 1);
  await ticks.pass(3000);
  await gw.call("list_sites", {});
  await ready(gw);
  assert.equal(disk.looks, 1, "the call has shown that the store takes changes");
  await ticks.pass(3000);
  await ready(gw);
  assert.equal(disk.looks, 2);
});

Deno.test("what is written to find out replaces itself", async () => {
  let kv: Deno.Kv | undefined;
  const { gw, ticks } = await opened((opened) => kv = opened);
  await using _ = gw;
  for (let nth = 0; nth < 5; nth++) {
    await ticks.pass(3000);
    await ready(gw);
  }
  const all = await Array.fromAsync(kv!.list({ prefix: [] }));
  assert.equal(
    all.filter(({ key }) => key[0] === "probe").length,
    1,
    JSON.stringify(all.map(({ key }) => key)),
  );
});

Deno.test("rows of the audit that wait for a store that hangs are a stuck writer, and are written once it answers", async () => {
  const [hanging, ticks] = [new HangingKv(), new Ticks()];
  await using gw = await gateway({ storage: { clock: ticks, around: (kv) => hanging.around(kv) } });
  await using _answers = { [Symbol.asyncDispose]: () => hanging.answer() };
  await gw.call("list_sites", {});
  hanging.hang((kind) => kind === "changes");
  const { value } = await runToEnd(ticks, gw.end("list_sites", {}));
  assert.equal((value as { code: string }).code, "E_INTERNAL");
  await ticks.pass(11_000);
  const { value: stuck } = await runToEnd(ticks, ready(gw));
  assert.deepEqual([stuck.status, stuck.checks], [503, ["store", "audit"]]);
  assert.equal(gw.store.audit.waiting.rows, 1);
  await hanging.answer();
  await gw.store.audit.flush();
  assert.deepEqual(gw.store.audit.waiting, { rows: 0, oldest_ms: 0 });
  await ticks.pass(3000);
  assert.equal((await ready(gw)).status, 200);
});

Deno.test("a secret that no key opens makes the gateway unready, and health names it", async () => {
  let kv: Deno.Kv | undefined;
  const ticks = new Ticks();
  const storage = { clock: ticks, around: (opened: Deno.Kv) => kv = opened };
  await using gw = await gateway({ storage, sites: [site("acme", "cms")] });
  assert.equal((await ready(gw)).status, 200);
  const entry = await kv!.get<{ key: string }>(["credentials", "acme", "cms"]);
  await kv!.set(entry.key, { ...entry.value, key: "0123456789ab" }); // as after a start with a key less
  await ticks.pass(5 * 60_000);
  const lacking = await ready(gw);
  assert.deepEqual([lacking.status, lacking.checks], [503, ["keys"]]);
  assert.doesNotMatch(lacking.text, /acme|cms/, "anybody may read it");
  const { result } = await operator(gw, "GET", "health");
  const { ok, sealed } = result as { ok: boolean; sealed: { of: string }[] };
  assert.deepEqual([ok, sealed.map(({ of }) => of)], [false, ["acme"]]);
  await kv!.set(entry.key, entry.value);
  await ticks.pass(30_000);
  assert.equal((await ready(gw)).status, 200, "it was set again");
});

Deno.test("a store that was sealed anew under a key that this gateway lacks makes it unready at the next look, for no read more", async () => {
  let kv: Deno.Kv | undefined;
  const reads = { counted: 0 };
  const counting = (opened: Deno.Kv) => {
    kv = opened;
    const read = <A extends unknown[], R>(how: (...args: A) => R) => (...args: A): R => {
      reads.counted++;
      return how(...args);
    };
    return instead(opened, {
      get: read(opened.get.bind(opened)) as Deno.Kv["get"],
      getMany: read(opened.getMany.bind(opened)) as Deno.Kv["getMany"],
      list: read(opened.list.bind(opened)) as Deno.Kv["list"],
    });
  };
  const { gw, ticks } = await opened(counting);
  await using _ = gw;
  await ready(gw);
  const look = async () => {
    await ticks.pass(3000);
    const before = reads.counted;
    const { status, checks, text } = await ready(gw);
    return { status, checks, text, reads: reads.counted - before };
  };
  const well = await look();
  assert.equal(well.status, 200);
  const sealed = async (...keys: Uint8Array<ArrayBuffer>[]) => {
    const sealer = await Sealer.open(keys);
    await reseal(kv!, { sealer, expiries: { of: () => null }, placeFor: () => "", now: Date.now });
  };
  const [own, next] = [Uint8Array.fromBase64(KEY), new Uint8Array(32).fill(9)];
  await sealed(next, own);
  const { text, ...lacking } = await look();
  assert.deepEqual(lacking, { status: 503, checks: ["keys"], reads: well.reads });
  assert.match(text, /sealed anew under a key that ENCRYPTION_KEYS lacks here; add that key/);
  await sealed(own, next);
  assert.equal((await look()).status, 200);
});

Deno.test("a newer version that brings the store to its format while this one runs ends this one's work, and says why", async () => {
  let kv: Deno.Kv | undefined;
  const { gw, ticks } = await opened((opened) => kv = opened);
  await using _ = gw;
  await gw.call("list_sites", {});
  const { value: mark } = await kv!.get<object>(["store"]);
  await kv!.set(["store"], { ...mark, format: 99, lowest: { format: 99, version: "9.0.0" } });
  const rows = async () => (await Array.fromAsync(kv!.list({ prefix: ["audit"] }))).length;
  const before = await rows();
  await ticks.pass(3000);
  const says =
    /^The store was brought to format 99 by a newer version while this gateway ran.*start version 9\.0\.0 or/;
  for (let nth = 0; nth < 2; nth++) {
    const refused = await gw.end("list_sites", {}) as { code: string; message: string };
    assert.equal(refused.code, "E_INTERNAL");
    assert.match(refused.message, says);
  }
  assert.equal(await rows(), before, "nothing is written that the newer version would misread");
  const stale = await ready(gw);
  assert.deepEqual([stale.status, stale.checks], [503, ["store"]]);
  const { error } = await operator(gw, "GET", "health");
  assert.match(error!.message, says);
  await kv!.set(["store"], mark);
  await ticks.pass(3000);
  assert.equal(
    (await ready(gw)).status,
    503,
    "it has missed what that version did meanwhile: it is started again",
  );
});

Deno.test("a job that failed makes the gateway unready, and is tried again when somebody asks", async () => {
  let fails = true;
  let runs = 0;
  const ticks = new Ticks();
  await using gw = await gateway({
    storage: { clock: ticks },
    store: (real) => ({
      ...real,
      audit: instead(real.audit, {
        retention: () => ++runs > 0 && fails ? Promise.reject(new Error("no")) : real.audit.retention(),
      }),
    }),
  });
  await gw.gateway.retention.run();
  const failing = await ready(gw);
  assert.deepEqual([failing.status, failing.checks], [503, ["jobs"]]);
  assert.match(failing.text, /audit retention.* the log says why \(audit_retention_failed\)/);
  assert.equal(runs, 2, "its own run, and one more try");
  await ticks.pass(3000);
  await ready(gw);
  assert.equal(runs, 2, "who asks often has it tried seldom");
  fails = false;
  await ticks.pass(10_000);
  assert.equal((await ready(gw)).status, 200);
  assert.equal(runs, 3);
});

Deno.test("each call that a store refuses which is away leaves one line of the log, under the id that its caller was told", async () => {
  const [hanging, ticks] = [new HangingKv(), new Ticks()];
  await using gw = await gateway({ storage: { clock: ticks, around: (kv) => hanging.around(kv) } });
  await using _answers = { [Symbol.asyncDispose]: () => hanging.answer() };
  await gw.call("list_sites", {});
  await ticks.pass(10_000); // no caller is known from a cache
  hanging.hang();
  const ids: string[] = [];
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "list_sites" },
  });
  for (let nth = 0; nth < 3; nth++) {
    for (const path of ["/api/v1/tools/list_sites", "/mcp"]) {
      const sent = { method: "POST", headers: { "content-type": "application/json" } };
      const asked = gw.http(path, { ...sent, body: path === "/mcp" ? body : "{}" });
      const { value } = await runToEnd(ticks, asked);
      assert.equal(value.status, 500);
      ids.push(value.headers.get("x-request-id")!);
      await value.body?.cancel();
    }
  }
  const lines = gw.logged.filter(({ event }) => event === "internal" || event === "audit_failed");
  assert.deepEqual(lines.map(({ request_id }) => request_id), ids);
  assert.ok(lines.every(({ cause }) => /does not answer/.test(String(cause))), JSON.stringify(lines));
});

Deno.test("of thousands of failed calls in a minute sixty have a line, and the next line says how many have none", async () => {
  const { FailedCalls } = await import("../../guard/failed_calls.ts");
  const { GatewayError } = await import("../../core/errors.ts");
  const clock = { now: 0 };
  const logged: Record<string, unknown>[] = [];
  const failed = new FailedCalls({ now: () => clock.now, log: (event) => void logged.push(event) });
  for (let nth = 0; nth < 5000; nth++) failed.told(`r${nth}`, new GatewayError("E_INTERNAL", "away"));
  assert.equal(logged.length, 60);
  clock.now = 60_000;
  failed.told("later", new Error("away"));
  assert.equal(logged.at(-1)!.calls_not_logged, 4940);
  failed.told("refused", new GatewayError("E_BAD_INPUT", "title is required"));
  failed.log({ event: "audit_failed", request_id: "told" });
  failed.told("told", new GatewayError("E_INTERNAL", "The audit log cannot be written"));
  assert.equal(logged.length, 62);
});
