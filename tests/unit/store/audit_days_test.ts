/** Calls counted by day: packed and not packed, after a restart, where an older version packed, after retention. */
import assert from "node:assert/strict";
import { Audit } from "../../../store/audit/audit.ts";
import type { Bundle } from "../../../store/audit/bundle.ts";
import { Database } from "../../../store/database.ts";
import type { AuditRow } from "../../../core/model.ts";
import { AUDIT_KEYS, type Bench, bench, row } from "./kit.ts";

const DAY = 24 * 60 * 60_000;

/** The days that have anything, as `calls/refused`. */
async function counted(audit: Audit): Promise<string[]> {
  const days = await audit.days(14);
  assert.equal(days.length, 14);
  return days.filter(({ calls }) => calls !== 0).map(({ calls, refused }) => `${calls}/${refused}`);
}

let id = 0;
const append = async (bed: Bench, fields: Partial<AuditRow>) =>
  await bed.audit.append(row(`r${id++}`, { at: new Date(bed.clock.ms).toISOString(), ...fields }));

Deno.test("a call is counted once, by the day in UTC, whether it is packed or not", async () => {
  await using bed = await bench();
  const both = row("both", { at: new Date(bed.clock.ms).toISOString(), tier: 1 });
  await bed.audit.append({ ...both, status: "started", duration_ms: null });
  await bed.audit.append({ ...both, status: "ok" });
  await append(bed, { status: "denied" });
  await append(bed, { status: "risk_capped" });
  await append(bed, { status: "ok", door: "admin", tier: null, tool: "token.create" });
  await append(bed, { status: "ok", door: "admin", tier: 1 });
  assert.deepEqual(await counted(bed.audit), ["4/2"], "before anything is packed");
  await bed.audit.flush();
  assert.deepEqual(await counted(bed.audit), ["4/2"]);
  bed.clock.ms += DAY;
  await append(bed, { status: "ok" });
  assert.deepEqual(await counted(bed.audit), ["4/2", "1/0"]);
  const again = new Audit(new Database(bed.kv, bed.clock.now, bed.clock.now), AUDIT_KEYS);
  assert.deepEqual(await counted(again), ["4/2", "1/0"]);
});

Deno.test("a day that is over is read once; after two weeks nothing is told of it", async () => {
  await using bed = await bench();
  await append(bed, { status: "ok" });
  await bed.audit.flush();
  bed.clock.ms += 3 * DAY;
  assert.deepEqual(await counted(bed.audit), ["1/0"]);
  const [entry] = await Array.fromAsync(bed.kv.list<Bundle>({ prefix: ["audit", "bundle"] }));
  await bed.kv.set(entry!.key, { ...entry!.value, calls: { calls: 9, refused: 9 } });
  assert.deepEqual(await counted(bed.audit), ["1/0"], "kept");
  bed.clock.ms += 12 * DAY;
  assert.deepEqual(await counted(bed.audit), []);
});

Deno.test("of rows that a version before packed it is said that they were not counted", async () => {
  await using bed = await bench();
  await append(bed, { status: "ok" });
  await bed.audit.flush();
  const [entry] = await Array.fromAsync(bed.kv.list<Bundle>({ prefix: ["audit", "bundle"] }));
  const { calls: _, ...older } = entry!.value;
  await bed.kv.set(entry!.key, older);
  assert.deepEqual(await counted(bed.audit), ["null/null"]);
});

Deno.test("what retention drops of a bundle leaves the count of what is left alone", async () => {
  await using bed = await bench();
  for (let n = 0; n < 90; n++) {
    await append(bed, { status: "ok", arguments: { text: "x".repeat(2000) } });
    bed.clock.ms += 60_000;
  }
  await bed.audit.flush();
  await bed.audit.retain(new Date(bed.clock.ms - 10 * 60_000));
  assert.deepEqual(await counted(bed.audit), ["90/0"]);
});
