/** Indexing the audit on a store that fails for a while: the operator reads of it once, and nothing is left out for good. */
import assert from "node:assert/strict";
import { noTerms } from "../../../store/audit_batch.ts";
import { AuditIndexer } from "../../../store/audit_index.ts";
import { todoKey } from "../../../store/audit_segment.ts";
import { type Bench, bench } from "./kit.ts";
import { instead } from "../../instead.ts";

const FULL = 64;

/** A store that writes everything but the index while `world.fails`. */
async function opened(): Promise<
  { at: Bench; world: { fails: boolean }; logged: Record<string, unknown>[] }
> {
  const world = { fails: false };
  const at = await bench((kv) =>
    instead(kv, {
      atomic() {
        const atomic = kv.atomic();
        const [commit, remove] = [atomic.commit.bind(atomic), atomic.delete.bind(atomic)];
        let isIndex = false;
        atomic.delete = (key) => {
          isIndex ||= key[1] === "todo";
          return remove(key);
        };
        atomic.commit = () =>
          world.fails && isIndex ? Promise.reject(new TypeError("disk I/O error")) : commit();
        return atomic;
      },
    })
  );
  return { at, world, logged: [] };
}

/** Segments that were written and wait to be indexed. */
async function written({ kv, db }: Bench, count: number) {
  return await Promise.all(Array.from({ length: count }, async () => {
    const id = db.newId();
    const { versionstamp } = await kv.set(todoKey(id), true);
    return { id, versionstamp, terms: noTerms() };
  }));
}

const left = async ({ kv }: Bench) => (await Array.fromAsync(kv.list({ prefix: ["audit", "todo"] }))).length;

Deno.test("what an earlier store left, and could not be indexed at the start, is indexed later", async () => {
  const { at, world, logged } = await opened();
  await using _ = at;
  await written(at, 5);
  world.fails = true;
  const indexer = new AuditIndexer(at.db, (event) => void logged.push(event));
  indexer.catchUp();
  await indexer.flush();
  assert.equal(await left(at), 5);
  assert.deepEqual(logged, [{ event: "audit_index_failed", cause: "TypeError: disk I/O error" }]);
  world.fails = false;
  indexer.add(await written(at, FULL));
  await indexer.flush();
  assert.equal(await left(at), 0);
});

Deno.test("of more than it remembers while indexing fails nothing is left out once it works, and the log has it once", async () => {
  const { at, world, logged } = await opened();
  await using _ = at;
  const indexer = new AuditIndexer(at.db, (event) => void logged.push(event));
  world.fails = true;
  for (let n = 0; n < 20; n++) {
    indexer.add(await written(at, FULL));
    await assert.rejects(indexer.flush(), /disk I\/O error/);
  }
  assert.equal(logged.length, 1, JSON.stringify(logged));
  world.fails = false;
  indexer.add(await written(at, FULL));
  await indexer.flush();
  assert.equal(await left(at), 0);
  world.fails = true;
  indexer.add(await written(at, FULL));
  await assert.rejects(indexer.flush(), /disk I\/O error/);
  assert.equal(logged.length, 2, "a new failure is read again");
});
