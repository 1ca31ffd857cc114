/** An anchor that was kept elsewhere tells what was cut off, put back or begun anew since. */
import assert from "node:assert/strict";
import { Anchoring } from "../../../guard/audit/anchoring.ts";
import { Jobs } from "../../../guard/jobs.ts";
import { openPlace } from "../../../store/engines.ts";
import { copyStore, restoreStore } from "../../../store/maintenance.ts";
import type { Anchor } from "../../../store/store.ts";
import { folder, KEY, newToken, open, proveAnew, row } from "./kit.ts";

const NEXT = new Uint8Array(32).fill(9);

/** A store with rows, on a file. */
async function place() {
  const dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const opened = (keys = [KEY]) => open({ path, keys });
  const past = async (write: (kv: Deno.Kv) => Promise<unknown>) => {
    const kv = await openPlace(path);
    await write(kv);
    kv.close();
  };
  const file = { path, keys: [KEY], now: 1, known: `${dir.path}/known` };
  return { path, opened, past, file, dir: dir.path, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const numbered = (n: number) => row(`01KAHZ000000000000000000${String(n).padStart(2, "0")}`);

Deno.test("what was done since an anchor leaves it true, over starts, packing and a new key in front", async () => {
  await using p = await place();
  let anchor: Anchor;
  {
    await using store = await p.opened();
    for (let n = 1; n <= 5; n++) await store.audit.append(numbered(n));
    anchor = await store.anchors.make();
    assert.equal(Object.keys(anchor.heads).length, 1);
    const { ok, anchored } = await store.anchors.verify(anchor);
    assert.deepEqual([ok, anchored], [true, anchor.at]);
  }
  await using store = await p.opened([NEXT, KEY]);
  for (let n = 6; n <= 9; n++) await store.audit.append(numbered(n));
  await store.tokens.create(newToken());
  await store.audit.flush();
  assert.deepEqual((await store.anchors.verify(anchor)).faults, []);
  const printed: Anchor = JSON.parse(JSON.stringify(anchor));
  assert.deepEqual((await store.anchors.verify(printed)).faults, []);
});

Deno.test("an older copy in the place of the store, whose audit verifies, is told of by an anchor from after it", async () => {
  await using p = await place();
  {
    await using store = await p.opened();
    for (let n = 1; n <= 5; n++) await store.audit.append(numbered(n));
  }
  const { copy } = await copyStore(p.file, `${p.dir}/copy.sqlite3`);
  let anchor: Anchor;
  let writer = "";
  {
    await using store = await p.opened();
    for (let n = 6; n <= 87; n++) await store.audit.append(numbered(n));
    await store.tokens.create(newToken());
    anchor = await store.anchors.make();
    writer = Object.keys(anchor.heads).at(-1)!;
  }
  await restoreStore(p.file, copy);
  await using store = await p.opened();
  assert.equal((await store.audit.verify()).ok, true, "82 rows are gone, and nothing of it can be seen");
  const { ok, faults } = await store.anchors.verify(anchor);
  assert.equal(ok, false);
  assert.deepEqual(faults, [
    `Missing: segments 1 to 82 of writer ${writer}, which were there when the anchor of ${anchor.at} was made: the end was ` +
    "cut off, or an older copy was put in the place of the store",
    `The tokens are older than at ${anchor.at}: change 1, and they were at 2`,
    `The tokens_by_hash are older than at ${anchor.at}: change 1, and they were at 2`,
  ]);
});

Deno.test("a chain that was taken away with its head is told of by an anchor", async () => {
  await using p = await place();
  await using store = await p.opened();
  for (let n = 1; n <= 3; n++) await store.audit.append(numbered(n));
  const anchor = await store.anchors.make();
  const [writer] = Object.keys(anchor.heads);
  const forged = { ...anchor, heads: { [writer!]: { n: 3, hash: "0".repeat(64) } } };
  await assert.rejects(store.anchors.verify(forged), {
    code: "E_BAD_INPUT",
    message: "anchor: it was changed since it was made; give it as it was printed",
  });
  await p.past(async (kv) => {
    for (const kind of ["segment", "bundle", "part", "rows", "head"]) {
      for await (const { key } of kv.list({ prefix: ["audit", kind] })) await kv.delete(key);
    }
  });
  await proveAnew(p.path);
  const { faults } = await store.anchors.verify(anchor);
  assert.ok(
    faults.some((fault) => fault.startsWith("Missing: segments 1 to 3 of writer")),
    faults.join("\n"),
  );
});

Deno.test("an anchor of another store, of a lost key or cut short is refused, and none is called whole", async () => {
  await using p = await place();
  await using other = await place();
  await using store = await p.opened();
  await using second = await other.opened();
  await second.audit.append(numbered(1));
  await assert.rejects(store.anchors.verify(await second.anchors.make()), {
    code: "E_BAD_INPUT",
    message: /^anchor: it is of another store \(".*"\), and this one is ".*"; give an anchor of this store$/,
  });
  const anchor = await store.anchors.make();
  await assert.rejects(store.anchors.verify({ ...anchor, key: "0123456789ab" }), {
    code: "E_BAD_INPUT",
    message:
      /^anchor: it cannot be verified, for it was made under key "0123456789ab", which ENCRYPTION_KEYS lacks/,
  });
  await assert.rejects(store.anchors.verify({ ...anchor, mac: "zz" }), { message: /it was changed/ });
});

Deno.test("each day's anchor is a line of the log and of the machine's file, and of the log alone where there is no file", async () => {
  await using p = await place();
  await using store = await p.opened();
  await store.audit.append(numbered(1));
  const logged: Record<string, unknown>[] = [];
  const lines: string[] = [];
  const log = (event: Record<string, unknown>) => void logged.push(event);
  const tell = () => Promise.resolve([]);
  const jobs = new Jobs({ now: () => 0, log });
  await new Anchoring({ store, jobs, log, keep: (line) => Promise.resolve(void lines.push(line)), tell })
    .run();
  const [line] = lines;
  assert.deepEqual(logged, [{ event: "audit_anchor", anchor: JSON.parse(line!) }]);
  assert.equal((await store.anchors.verify(JSON.parse(line!))).ok, true);
  const readOnly = () => Promise.reject(new Error("read-only"));
  await new Anchoring({ store, jobs, log, keep: readOnly, tell }).run();
  assert.deepEqual(logged.map(({ event }) => event), [
    "audit_anchor",
    "audit_anchor",
    "audit_anchor_not_kept",
  ]);
});

Deno.test("a day whose anchor could not be made is a job that failed, and is made up for when the store is back", async () => {
  await using p = await place();
  await using store = await p.opened();
  const logged: Record<string, unknown>[] = [];
  const lines: string[] = [];
  const log = (event: Record<string, unknown>) => void logged.push(event);
  const jobs = new Jobs({ now: () => 1000, log });
  let isAway = true;
  const anchors = {
    make: () => isAway ? Promise.reject(new Error("database or disk is full")) : store.anchors.make(),
  };
  const keep = (line: string) => Promise.resolve(void lines.push(line));
  const ports = { jobs, log, keep, tell: () => Promise.resolve([]) };
  await new Anchoring({ ...ports, store: { anchors, webhooks: store.webhooks } }).run();
  const failing = () => jobs.report().find(({ name }) => name === "audit anchor")!.failing_since;
  assert.deepEqual([lines, failing()], [[], "1970-01-01T00:00:01.000Z"]);
  assert.deepEqual(logged, [{ event: "audit_anchor_failed", cause: "Error: database or disk is full" }]);
  isAway = false;
  await jobs.retry();
  assert.deepEqual([lines.length, failing()], [1, null]);
});
