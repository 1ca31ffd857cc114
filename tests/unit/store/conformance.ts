/** What the store relies on, on every engine it can be kept on. */
import assert from "node:assert/strict";
import { isLocked } from "../../../store/database.ts";
import type { Engine, Place } from "./engines.ts";
import { assertAlike, assertSameLimits } from "./kv_asks.ts";

/** What several instances do at once. */
const WRITERS = 32;
const EACH = 20;
const COMMITS = 10_000;

/** Commits until it is kept, or refused by a check; a file refuses whoever writes beside another process. */
async function committed(change: () => Deno.AtomicOperation): Promise<boolean> {
  for (;;) {
    try {
      return (await change().commit()).ok;
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
  }
}

type Check = (place: Place, engine: Engine) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  async "whatever is asked is answered as Deno's own KV does"(place) {
    using real = await Deno.openKv(":memory:");
    using kv = await place.open();
    await assertAlike(real, kv, 800);
  },

  async "limits and refusals are those of Deno's own KV"(place, { name }) {
    // A server of KV Connect says by itself that a sum cannot be.
    await assertSameLimits(
      await Deno.openKv(":memory:"),
      await place.open(),
      name === "KV Connect" ? ["a sum onto a text"] : [],
    );
  },

  async "10,000 commits at once are all kept, each once"(place) {
    using kv = await place.open();
    const done = await Promise.all(
      Array.from(
        { length: COMMITS },
        (_, at) => committed(() => kv.atomic().set(["many", at], at).sum(["count"], 1n)),
      ),
    );
    assert.ok(done.every((ok) => ok));
    assert.equal((await kv.get<Deno.KvU64>(["count"])).value!.value, BigInt(COMMITS));
    let next = 0;
    for await (const { key, value } of kv.list({ prefix: ["many"] }, { batchSize: 500 })) {
      assert.deepEqual([key, value], [["many", next], next++]);
    }
    assert.equal(next, COMMITS);
  },

  async "of many who make the same key at two instances, one makes it"(place) {
    using one = await place.open();
    using other = await place.open();
    for (let round = 0; round < EACH; round++) {
      const key = ["once", round];
      const made = await Promise.all(
        Array.from(
          { length: WRITERS },
          (_, at) =>
            committed(() =>
              (at % 2 === 0 ? one : other).atomic().check({ key, versionstamp: null }).set(key, at)
            ),
        ),
      );
      assert.equal(made.filter((ok) => ok).length, 1, `round ${round}`);
      assert.equal((await other.get(key)).value, made.indexOf(true));
    }
  },

  async "a record that many change at two instances loses no change"(place) {
    using one = await place.open();
    using other = await place.open();
    const key = ["record"];
    const work = async (kv: Deno.Kv) => {
      for (let left = EACH; left > 0;) {
        const entry = await kv.get<number>(key);
        const next = (entry.value ?? 0) + 1;
        if (await committed(() => kv.atomic().check(entry).set(key, next).set(["beside", next], true))) {
          left--;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, at) => work(at % 2 === 0 ? one : other)));
    assert.equal((await one.get(key)).value, 8 * EACH);
    assert.equal((await Array.fromAsync(other.list({ prefix: ["beside"] }))).length, 8 * EACH);
  },

  async "changes of the same keys in any order end, and each is whole"(place) {
    using one = await place.open();
    using other = await place.open();
    const names = ["a", "b", "c", "d"];
    const work = async (kv: Deno.Kv, seed: number) => {
      for (let at = 0; at < EACH; at++) {
        const order = names.toSorted((a, b) =>
          (a.charCodeAt(0) * seed + at) % 7 - (b.charCodeAt(0) * seed + at) % 7
        );
        const write = () =>
          order.reduce((change, name) => change.set(["whole", name], `${seed}.${at}`), kv.atomic());
        assert.ok(await committed(write));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, at) => work(at % 2 === 0 ? one : other, at + 1)));
    const values = await one.getMany(names.map((name) => ["whole", name]));
    assert.equal(new Set(values.map(({ value }) => value)).size, 1);
    assert.equal(new Set(values.map(({ versionstamp }) => versionstamp)).size, 1);
  },

  async "a key that must not be there can be checked without being set, and is not there then"(place) {
    using kv = await place.open();
    const key = ["none"];
    for (let times = 0; times < 2; times++) {
      const change = kv.atomic().check({ key, versionstamp: null }).set(["beside"], times);
      assert.ok((await change.commit()).ok);
      assert.equal((await kv.get(key)).versionstamp, null);
    }
    assert.ok((await kv.set(key, 1)).ok);
    assert.equal(
      (await kv.atomic().check({ key, versionstamp: null }).set(["beside"], 9).commit()).ok,
      false,
    );
    assert.equal((await kv.get(["beside"])).value, 1);
  },

  async "a check that fails keeps nothing of the change"(place) {
    using kv = await place.open();
    await kv.set(["a"], 1);
    const entry = await kv.get(["a"]);
    await kv.set(["a"], 2);
    const change = kv.atomic().check(entry).set(["b"], 1).delete(["a"]).sum(["c"], 1n);
    assert.deepEqual(await change.commit(), { ok: false });
    assert.deepEqual((await Array.fromAsync(kv.list({ prefix: [] }))).map(({ value }) => value), [2]);
    const both = kv.atomic().check({ key: ["a"], versionstamp: null }).check(await kv.get(["a"])).set(
      ["b"],
      1,
    );
    assert.deepEqual(await both.commit(), { ok: false });
  },
};

/** What an engine can do that judges by itself whether a record has expired; on Deno's, records say it as well. */
const EXPIRING: Readonly<Record<string, Check>> = {
  async "what expires is not there afterwards, for readers, lists, checks and sums"(place) {
    using kv = await place.open();
    const gone = { expireIn: 1 };
    await kv.atomic().set(["gone", 1], "old", gone).set(["gone", 2], new Deno.KvU64(9n), gone).set(
      ["gone", 3],
      1,
      gone,
    )
      .set(["stays"], 1, { expireIn: 60_000 }).commit();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual((await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key }) => key), [["stays"]]);
    assert.equal((await kv.get(["gone", 1])).versionstamp, null);
    assert.ok((await kv.atomic().sum(["gone", 2], 1n).commit()).ok);
    assert.deepEqual((await kv.get(["gone", 2])).value, new Deno.KvU64(1n));
    assert.ok(
      (await kv.atomic().check({ key: ["gone", 1], versionstamp: null }).set(["gone", 1], "new").commit()).ok,
    );
    assert.equal((await kv.get(["gone", 1])).value, "new");
    assert.ok((await kv.atomic().set(["gone", 3], 2).commit()).ok);
    assert.equal((await kv.get(["gone", 3])).value, 2);
  },
};

/** Registers the tests of an engine. */
export function conform(engine: Engine): void {
  for (
    const [name, check] of Object.entries(engine.name === "PostgreSQL" ? { ...CHECKS, ...EXPIRING } : CHECKS)
  ) {
    Deno.test(`${engine.name}: ${name}`, async () => {
      await using place = await engine.place();
      await check(place, engine);
    });
  }
}
