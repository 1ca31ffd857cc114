/** Packing and indexing the audit: what two filters have in common is found in the index, and a store that fails for a while leaves nothing out. */
import assert from "node:assert/strict";
import { Audit } from "../../../store/audit/audit.ts";
import { Database } from "../../../store/database.ts";
import type { AuditPage, AuditQuery } from "../../../store/store.ts";
import { AUDIT_KEYS, type Bench, bench, interfere, keys, row } from "./kit.ts";
import { instead } from "../../instead.ts";

const unpacked = async ({ kv }: Pick<Bench, "kv">) => (await keys(kv, "audit", "segment")).length;
const store = (kv: Deno.Kv, log?: (event: Record<string, unknown>) => void) =>
  new Audit(new Database(kv, Date.now, () => performance.now()), AUDIT_KEYS, log);

Deno.test("what an earlier store left, and could not be packed at the start, is packed later, and the log has it once", async () => {
  await using at = await bench();
  const killed = store(at.kv);
  await killed.append(row("left"));
  const logged: Record<string, unknown>[] = [];
  let fails = true;
  const kv = interfere(at.kv, (real) => fails ? Promise.reject(new TypeError("disk I/O error")) : real());
  const next = store(kv, (event) => void logged.push(event));
  await assert.rejects(next.append(row("1")), { code: "E_INTERNAL" });
  assert.deepEqual(logged, [{ event: "audit_index_failed", cause: "TypeError: disk I/O error" }]);
  assert.equal(await unpacked(at), 1);
  fails = false;
  for (let n = 0; n < 800; n++) await next.append(row(`more-${n}`));
  await next.flush();
  assert.equal(await unpacked(at), 0);
  assert.equal(logged.length, 1);
  assert.deepEqual((await next.verify()).faults, []);
});

Deno.test("many commits are packed behind, and the index finds every row of them", async () => {
  await using at = await bench();
  for (let n = 0; n < 1700; n++) await at.audit.append(row(String(n), { tool: `tool_${n % 50}` }));
  await at.audit.flush();
  assert.equal(await unpacked(at), 0);
  const bundles = await keys(at.kv, "audit", "bundle");
  assert.equal(bundles.length, 3, "as few as can be");
  for (const n of [0, 7, 49]) {
    const { rows } = await at.audit.list({ tool: `tool_${n}`, site_id: "acme" }, { limit: 500 });
    assert.deepEqual(
      rows.map(({ id }) => Number(id)),
      Array.from({ length: 34 }, (_, i) => n + 50 * (33 - i)),
    );
  }
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 1, segments: 1700, rows: 1700, faults: [] });
});

/** An audit whose segments are counted as packing reads them, and whose next commit is in doubt where `doubt` is set. */
async function packed() {
  const world = { read: 0, doubt: false };
  const at = await bench((kv) =>
    interfere(
      instead(kv, {
        list: ((selector: Deno.KvListSelector, options?: Deno.KvListOptions) => {
          const listed = kv.list(selector, options);
          return "prefix" in selector && selector.prefix[1] === "segment" ? counting(listed) : listed;
        }) as typeof kv.list,
      }),
      async (real) => {
        const commit = await real();
        if (!world.doubt) return commit;
        world.doubt = false;
        throw new TypeError("connection lost");
      },
    )
  );
  async function* counting<T>(entries: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const entry of entries) {
      world.read++;
      yield entry;
    }
  }
  const append = async (count: number) => {
    for (let n = 0; n < count; n++) await at.audit.append(row(String(n), { tool: `tool_${n % 50}` }));
  };
  return { at, world, append };
}

Deno.test("what a process has written itself is packed without being read again", async () => {
  const { at, world, append } = await packed();
  await using _ = at;
  await append(1700);
  await at.audit.append(row("cut", { tool: "large", arguments: { text: "x".repeat(40_000) } }));
  await at.audit.flush();
  assert.equal(await unpacked(at), 0);
  assert.equal(world.read, 0);
  assert.equal((await at.audit.list({ tool: "large", site_id: "acme" }, { limit: 9 })).rows.length, 1);
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 1, segments: 1701, rows: 1701, faults: [] });
});

Deno.test("after a commit in doubt, or where another store packed first, packing reads once what is there and then goes on as before", async () => {
  const { at, world, append } = await packed();
  await using _ = at;
  await append(10);
  world.doubt = true;
  await append(10);
  await at.audit.flush();
  assert.deepEqual([await unpacked(at), world.read], [0, 20]);
  await append(10);
  const other = store(at.kv);
  await other.flush();
  assert.equal(await unpacked(at), 0, "the other did");
  await other.close();
  await append(10);
  await at.audit.flush();
  assert.deepEqual([await unpacked(at), world.read], [0, 30]);
  await append(10);
  await at.audit.flush();
  assert.deepEqual([await unpacked(at), world.read], [0, 30]);
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 1, segments: 50, rows: 50, faults: [] });
});

Deno.test("what is written while packing reads the store is packed once", async () => {
  const { at, world, append } = await packed();
  await using _ = at;
  for (let round = 0; round < 3; round++) {
    world.doubt = true;
    await Promise.all([append(900), at.audit.flush(), append(30)]);
  }
  await at.audit.flush();
  assert.equal(await unpacked(at), 0);
  const { faults, segments, rows } = await at.audit.verify();
  assert.deepEqual([faults, rows], [[], 2790]);
  assert.ok(segments >= 2700);
});

/** An audit whose parts and unpacked segments are counted as they are read. */
async function counted() {
  const world = { parts: 0, segments: 0 };
  const at = await bench((kv) =>
    instead(kv, {
      getMany: ((asked: Deno.KvKey[]) => {
        world.parts += asked.filter((key) => key[1] === "part").length;
        return kv.getMany(asked);
      }) as typeof kv.getMany,
      list: ((selector: Deno.KvListSelector, options?: Deno.KvListOptions) => {
        const isTail = "start" in selector && selector.start[1] === "segment";
        return isTail ? counting(kv.list(selector, options)) : kv.list(selector, options);
      }) as typeof kv.list,
    })
  );
  async function* counting<T>(entries: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const entry of entries) {
      world.segments++;
      yield entry;
    }
  }
  return { at, world };
}

Deno.test("two filters that each match rows of every segment, and none in common, read no segment at all", async () => {
  const { at, world } = await counted();
  await using _ = at;
  for (let n = 0; n < 20; n++) {
    await Promise.all([
      at.audit.append(
        row(`a-${n}`, {
          ...{ token_id: "a", client_id: "one", owner_user_id: "ann", site_id: "s1" },
          arguments: { path: "one.md", files: { count: 30, first: [{ path: "first.md" }] } },
          ...{ outcome: "made", result_id: 7 },
        }),
      ),
      at.audit.append(
        row(`b-${n}`, {
          ...{ token_id: "b", client_id: "two", owner_user_id: "bob", site_id: "s2" },
          ...{
            arguments: { files: { count: 30, first: [{ path: "first.md" }] } },
            paths: ["two.md", "last.md"],
          },
          ...{ outcome: "made", result_id: "8" },
        }),
      ),
    ]);
  }
  await at.audit.flush();
  const apart: AuditQuery[] = [
    { token_id: "a", site_id: "s2" },
    { client_id: "one", owner_user_id: "bob" },
    { client_id: "two", site_id: "s1" },
    { owner_user_id: "ann", token_id: "b" },
    { status: "error", token_id: "b" },
    { tool: "none" },
    { path: "one.md", token_id: "b" },
    { path: "last.md", owner_user_id: "ann" },
    { path: "first.md", site_id: "s2" },
    { id: "7", site_id: "s2" },
    { id: "8", token_id: "a" },
  ];
  for (const query of apart) {
    world.parts = world.segments = 0;
    assert.deepEqual(await at.audit.list(query, { limit: 100 }), { rows: [], next_cursor: null });
    assert.deepEqual(world, { parts: 0, segments: 0 }, JSON.stringify(query));
  }
  for (
    const query of [
      { client_id: "one" },
      { owner_user_id: "ann", site_id: "s1" },
      {
        client_id: "one",
        token_id: "a",
      },
      { path: "one.md" },
      { path: "first.md", site_id: "s1" },
    ]
  ) {
    const { rows } = await at.audit.list(query, { limit: 100 });
    assert.deepEqual(rows.map(({ id }) => id), Array.from({ length: 20 }, (_, n) => `a-${19 - n}`));
  }
});

Deno.test("a time that a bundle has no rows of is told by its record, and no part is read", async () => {
  const { at, world } = await counted();
  await using _ = at;
  const iso = (ms: number) => new Date(ms).toISOString();
  const hour = 3_600_000;
  const start = at.clock.ms;
  for (let n = 0; n < 5; n++) {
    await at.audit.append(row(String(n), { at: iso(at.clock.ms) }));
    at.clock.ms += hour / 60;
  }
  await at.audit.flush();
  world.parts = 0;
  for (
    const query of [{ to: iso(start) }, { to: iso(start), status: "ok" } as const, {
      from: iso(start + hour),
    }]
  ) {
    assert.deepEqual((await at.audit.list(query, { limit: 10 })).rows, []);
  }
  assert.equal(world.parts, 0);
  const { rows } = await at.audit.list({ to: iso(start + 1), status: "ok" }, { limit: 10 });
  assert.deepEqual(rows.map(({ id }) => id), ["0"]);
});

Deno.test("a write is found by what it changed, or may have; what only read the same is not", async () => {
  await using at = await bench();
  const nested = { tool: "update_draft", site_id: "acme", tier: 1, error: null } as const;
  await at.audit.append(row("read", { arguments: { post_id: 7 } }));
  await at.audit.append(row("made", { outcome: "made", result_id: "7" }));
  await at.audit.append(row("copied", { outcome: "made", result_id: 9, arguments: { page_id: 7 } }));
  await at.audit.append(
    row("undone", { outcome: "made", calls: [{ ...nested, result_id: 7 }, { ...nested, result_id: 8 }] }),
  );
  await at.audit.append(row("refused", { outcome: "none", arguments: { post_id: 7 } }));
  await at.audit.append(row("perhaps", { status: "error", outcome: "unknown", arguments: { post_id: "7" } }));
  const found = async () => (await at.audit.list({ id: "7" }, { limit: 9 })).rows.map(({ id }) => id);
  const expected = ["perhaps", "undone", "made"];
  assert.deepEqual(await found(), expected);
  await at.audit.flush();
  assert.deepEqual(await found(), expected);
  assert.deepEqual((await at.audit.list({ id: "8", site_id: "acme" }, { limit: 9 })).rows.length, 1);
});

Deno.test("rows that an earlier version indexed are found by id and path too, page after page", async () => {
  await using at = await bench();
  const write = (n: number) =>
    row(String(n), {
      outcome: "made",
      result_id: n % 2,
      token_name: `"${n % 2}"`,
      arguments: { path: `${n % 2}.md` },
    });
  for (let n = 0; n < 10; n++) await at.audit.append(write(n));
  await at.audit.flush();
  // As a version of before left it: without these terms, and without a word on them.
  for (const dimension of ["id", "path", "made", "name"]) {
    for (const key of await keys(at.kv, "audit", "rows", dimension)) await at.kv.delete(key);
  }
  await at.kv.delete(["audit", "since", "terms"]);
  await at.kv.delete(["audit", "since", "names"]);
  const next = store(at.kv);
  for (let n = 10; n < 20; n++) await next.append(write(n));
  await next.flush();
  for (
    const query of [
      { id: "1" },
      { path: "1.md" },
      { token_name: '"1"' },
      {
        token_name: '"1"',
        site_id: "acme",
        outcome: "made" as const,
      },
      { id: "1", site_id: "acme", path: "1.md" },
      {
        id: "1",
        site_id: "acme",
        outcome: "made" as const,
      },
    ]
  ) {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: AuditPage = await next.list(query, { limit: 3, ...cursor !== null && { cursor } });
      found.push(...page.rows.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(found.map(Number), [19, 17, 15, 13, 11, 9, 7, 5, 3, 1], JSON.stringify(query));
  }
  assert.notEqual((await at.kv.get(["audit", "since", "terms"])).value, "");
  assert.notEqual((await at.kv.get(["audit", "since", "names"])).value, "");
  await next.close();
});

Deno.test("what failed or was refused is found together, also where an earlier version indexed each status alone", async () => {
  await using at = await bench();
  const statuses = ["ok", "error", "denied", "risk_capped", "needs_confirmation"] as const;
  const write = (n: number) => row(String(n), { status: statuses[n % 5]!, site_id: n % 2 ? "acme" : "shop" });
  for (let n = 0; n < 10; n++) await at.audit.append(write(n));
  await at.audit.flush();
  for (const key of await keys(at.kv, "audit", "rows", "status", "unsuccessful")) await at.kv.delete(key);
  await at.kv.delete(["audit", "since", "unsuccessful"]);
  const next = store(at.kv);
  for (let n = 10; n < 20; n++) await next.append(write(n));
  await next.flush();
  const found = async (query: AuditQuery) =>
    (await next.list({ status: "unsuccessful", ...query }, { limit: 99 })).rows.map(({ id }) => Number(id));
  assert.deepEqual(await found({}), [18, 17, 16, 13, 12, 11, 8, 7, 6, 3, 2, 1]);
  assert.deepEqual(await found({ site_id: "acme" }), [17, 13, 11, 7, 3, 1]);
  assert.deepEqual(
    (await keys(at.kv, "audit", "rows", "status", "unsuccessful")).length,
    1,
    "by the index since",
  );
  await next.close();
});

Deno.test("a filter that few rows match beside one that nearly all do finds each of them, wherever it stands", async () => {
  await using at = await bench();
  const rare = [0, 1, 30, 31, 62, 79];
  for (let n = 0; n < 80; n++) {
    await at.audit.append(
      row(String(n), { tool: rare.includes(n) ? "rare" : "other", owner_user_id: "ann" }),
    );
    await at.audit.flush(); // a bundle of its own
  }
  const query = { tool: "rare", owner_user_id: "ann", site_id: "acme" };
  const { rows } = await at.audit.list(query, { limit: 100 });
  assert.deepEqual(rows.map(({ id }) => Number(id)), rare.toReversed());
  const { rows: none } = await at.audit.list({ ...query, owner_user_id: "bob" }, { limit: 100 });
  assert.deepEqual(none, []);
});

Deno.test("rows of a version that had no names of tokens in its index are found by them, and newer ones by the index", async () => {
  await using at = await bench();
  for (let n = 0; n < 6; n++) await at.audit.append(row(String(n), { token_name: `t${n % 2}` }));
  await at.audit.flush();
  for (const key of await keys(at.kv, "audit", "rows", "name")) await at.kv.delete(key);
  await at.kv.delete(["audit", "since", "names"]);
  const next = store(at.kv);
  for (let n = 6; n < 12; n++) await next.append(row(String(n), { token_name: `t${n % 2}` }));
  await next.flush();
  const { rows } = await next.list({ token_name: "t1" }, { limit: 9 });
  assert.deepEqual(rows.map(({ id }) => Number(id)), [11, 9, 7, 5, 3, 1]);
  assert.equal((await at.kv.get(["audit", "since", "terms"])).value, "", "of the others all are there");
  await next.close();
});
