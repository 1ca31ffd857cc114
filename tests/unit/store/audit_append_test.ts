/** Appending to the audit: shared commits, one chain, failures. */
import assert from "node:assert/strict";
import { Audit } from "../../../store/audit/audit.ts";
import { parseSegment, segmentHash } from "../../../store/audit/segment.ts";
import { Database, type KvTraits } from "../../../store/database.ts";
import { AUDIT_KEYS, bench, Child, collect, folder, interfere, keys, open, row } from "./kit.ts";
import { instead } from "../../instead.ts";

type Commit = ReturnType<Deno.AtomicOperation["commit"]>;

/** Where the commits are carried out, which decides how is found out what became of one. */
const ENGINES = [["elsewhere", {}], ["in the process", { isInProcess: true }]] as const;

/** An audit whose next commits fail: before they happen, or after. */
async function failing(traits: KvTraits = {}) {
  const failures: ("before" | "after")[] = [];
  const at = await bench((kv) =>
    interfere(kv, async (real): Commit => {
      const failure = failures.shift();
      if (failure === "after") await real();
      if (failure !== undefined) throw new Error("disk I/O error");
      return await real();
    }), traits);
  await at.audit.flush(); // the commits of opening are not meant
  return { ...at, failures };
}

async function ids(at: { audit: { export(query: object): AsyncIterable<string> } }): Promise<unknown[]> {
  return (await collect(at.audit.export({}))).filter((line) => "id" in line).map((line) => line["id"]);
}

Deno.test("concurrent entries share commits and stand in one chain, in their order", async () => {
  let commits = 0;
  await using at = await bench((kv) => interfere(kv, (real) => (commits++, real())));
  const wanted = Array.from({ length: 1000 }, (_, index) => String(index));
  await Promise.all(wanted.slice(0, 500).map((id) => at.audit.append(row(id))));
  await Promise.all(wanted.slice(500).map((id) => at.audit.append(row(id))));
  assert.ok(commits <= 4, `${commits} commits`);
  assert.deepEqual(await ids(at), wanted);
  const verdict = await at.audit.verify();
  assert.deepEqual({ ...verdict, segments: 0 }, {
    ok: true,
    writers: 1,
    segments: 0,
    rows: 1000,
    faults: [],
  });
  for (const key of await keys(at.kv, "audit", "segment")) {
    const { value } = await at.kv.get<Uint8Array>(key);
    assert.ok(value !== null && value.length < 62 * 1024);
  }
});

Deno.test("the next commit is on its way before the answers of the one before it are written", async () => {
  const order: string[] = [];
  let commits = 0;
  await using at = await bench((kv) => interfere(kv, (real) => (order.push(`commit ${++commits}`), real())));
  await at.audit.flush();
  order.length = commits = 0;
  const first = at.audit.append(row("1")).then(() => order.push("answer 1"));
  await Promise.resolve();
  await Promise.resolve(); // the commit of the first is on its way, so the next row is not of it
  const next = at.audit.append(row("2")).then(() => order.push("answer 2"));
  await Promise.all([first, next]);
  assert.deepEqual(order, ["commit 1", "commit 2", "answer 1", "answer 2"]);
});

Deno.test("a segment of many rows is stored deflated, verified by its own bytes, and a fault where it was changed", async () => {
  await using at = await bench();
  await Promise.all(Array.from({ length: 64 }, (_, n) => at.audit.append(row(String(n)))));
  const [key] = await keys(at.kv, "audit", "segment");
  const { value } = await at.kv.get<Uint8Array>(key!);
  assert.ok(value!.length < 4096, `${value!.length} bytes`);
  const { bytes, n } = parseSegment(value)!;
  assert.deepEqual([bytes.length > 16_000, n], [true, 1]);
  assert.equal((await at.audit.list({ tool: "create_draft" }, { limit: 100 })).rows.length, 64);
  const [line] = await collect(at.audit.export({}));
  assert.equal(line!["hash"], segmentHash(bytes));
  await at.kv.set(key!, value!.with(value!.length >> 1, value![value!.length >> 1]! ^ 1));
  assert.equal((await at.audit.verify()).ok, false);
  await at.kv.set(key!, value);
  await at.audit.flush();
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 1, segments: 1, rows: 64, faults: [] });
});

Deno.test("more than one commit can hold is spread over several, none lost", async () => {
  await using at = await bench();
  const wanted = Array.from({ length: 300 }, (_, index) => String(index));
  const big = { text: "x".repeat(8000) };
  await Promise.all(wanted.map((id) => at.audit.append(row(id, { arguments: big, status: "started" }))));
  await Promise.all(wanted.map((id) => at.audit.append(row(id, { arguments: big }))));
  assert.deepEqual(await ids(at), [...wanted, ...wanted]);
  assert.equal((await at.audit.verify()).ok, true);
  assert.deepEqual(await keys(at.kv, "audit", "open"), []);
});

Deno.test("a row that is too large or no JSON is cut, and any language fits", async () => {
  await using at = await bench();
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  await Promise.all([
    at.audit.append(row("large", { arguments: { text: "x".repeat(100_000) } })),
    at.audit.append(row("cyclic", { arguments: cycle })),
    at.audit.append(row("tool", { tool: "t".repeat(100_000) })),
    at.audit.append(row("texts", { arguments: { text: "é 漢字 😀 \ud800 \n \u2028" } })),
  ]);
  const { rows } = await at.audit.list({}, { limit: 10 });
  const byId = new Map(rows.map((each) => [each.id, each]));
  assert.match(JSON.stringify(byId.get("large")?.arguments), /^{"_cut":"100\d{3} bytes"}$/);
  assert.equal(byId.get("large")?.token_id, "token-1");
  assert.deepEqual(byId.get("cyclic")?.arguments, { _cut: "not JSON" });
  assert.equal(byId.get("tool")?.tool.length, 256);
  assert.deepEqual(byId.get("texts")?.arguments, { text: "é 漢字 😀 \ud800 \n \u2028" });
  assert.deepEqual((await at.audit.list({ tool: "t".repeat(100_000) }, { limit: 10 })).rows, []);
  assert.equal((await at.audit.verify()).ok, true);
});

Deno.test("an outcome handed in before its intent is committed still ends it", async () => {
  await using at = await bench();
  const both = [at.audit.append(row("same", { status: "started" })), at.audit.append(row("same"))];
  const first = at.audit.append(row("next", { status: "started" }));
  await Promise.resolve();
  await Promise.resolve(); // the commit is under way
  const second = at.audit.append(row("next"));
  await Promise.all([...both, first, second]);
  assert.deepEqual(await keys(at.kv, "audit", "open"), []);
  assert.equal((await keys(at.kv, "audit", "segment")).length, 2);
  const { rows } = await at.audit.list({}, { limit: 9 });
  assert.deepEqual(rows.map(({ id, status }) => [id, status]), [["next", "ok"], ["same", "ok"]]);
});

for (const [where, traits] of ENGINES) {
  Deno.test(`a commit ${where} that failed is tried again, and its rows stand once`, async () => {
    await using at = await failing(traits);
    at.failures.push("before", "before");
    await at.audit.append(row("1"));
    assert.deepEqual(await ids(at), ["1"]);
    assert.equal((await at.audit.verify()).ok, true);
  });

  Deno.test(`a commit ${where} that happened and reported failure is not made twice`, async () => {
    await using at = await failing(traits);
    await at.audit.append(row("1"));
    at.failures.push("after");
    await Promise.all([at.audit.append(row("2", { status: "started" })), at.audit.append(row("3"))]);
    await at.audit.append(row("2"));
    assert.deepEqual(await ids(at), ["1", "2", "3", "2"]);
    assert.deepEqual(await keys(at.kv, "audit", "open"), []);
    assert.equal((await at.audit.verify()).ok, true);
  });
}

Deno.test("a commit that keeps failing rejects its rows and leaves the chain whole", async () => {
  await using at = await failing();
  await at.audit.append(row("1"));
  at.failures.push("before", "before", "before");
  const unwritten = { code: "E_INTERNAL", message: "The audit log cannot be written at the moment" };
  const both = [at.audit.append(row("2")), at.audit.append(row("3"))];
  for (const entry of both) await assert.rejects(entry, unwritten);
  await at.audit.append(row("4"));
  at.failures.push("after", "before", "before");
  await assert.rejects(at.audit.append(row("5")), unwritten); // written, and nobody could know
  await at.audit.append(row("6"));
  assert.deepEqual(await ids(at), ["1", "4", "5", "6"]);
  const verdict = await at.audit.verify();
  assert.deepEqual([verdict.ok, verdict.writers], [true, 1]);
});

for (const [where, traits] of ENGINES) {
  const wanted = "isInProcess" in traits ? ["set"] : ["check", "set"];
  Deno.test(`a batch of reads that is committed ${where} is ${wanted.join(" and ")}, whatever was before`, async () => {
    const asked: string[] = [];
    await using at = await bench((kv) =>
      instead(kv, {
        atomic() {
          const atomic = kv.atomic();
          for (const name of ["check", "set", "delete", "sum"] as const) {
            const real = atomic[name].bind(atomic) as (...given: unknown[]) => typeof atomic;
            const counted = (...given: unknown[]) => (asked.push(name), real(...given));
            Object.assign(atomic, { [name]: counted });
          }
          return atomic;
        },
      }), traits);
    await at.audit.flush();
    for (const id of ["1", "2"]) {
      asked.length = 0;
      await at.audit.append(row(id));
      assert.deepEqual(asked, wanted);
    }
    asked.length = 0;
    await Promise.all(["3", "4", "5"].map((id) => at.audit.append(row(id))));
    assert.deepEqual(asked, wanted);
  });
}

Deno.test("a commit that is still under way when its rows were given up cannot break the chain afterwards", async () => {
  const late: (() => Promise<unknown>)[] = [];
  let lost = 0;
  await using at = await bench((kv) =>
    interfere(kv, async (real): Commit => {
      if (lost === 0) return await real();
      lost--;
      late.push(real);
      throw new Error("nobody knows");
    })
  );
  await at.audit.append(row("1"));
  lost = 1;
  await at.audit.append(row("2"));
  lost = 3; // the first try, and the fence that is set after it, twice
  await assert.rejects(at.audit.append(row("3")), { code: "E_INTERNAL" });
  await at.audit.append(row("4"));
  for (const one of late) await one();
  await at.audit.append(row("5"));
  assert.deepEqual(await ids(at), ["1", "2", "4", "5"]);
  const verdict = await at.audit.verify();
  assert.deepEqual([verdict.faults, verdict.writers], [[], 1]);
});

Deno.test("a commit that happened, and was packed by another before its writer heard of it, is not made twice", async () => {
  let then: (() => Promise<unknown>) | null = null;
  await using at = await bench((kv) =>
    interfere(kv, async (real): Commit => {
      const done = await real();
      const before = then;
      if (before === null) return done;
      then = null;
      await before();
      throw new Error("nobody knows");
    })
  );
  await at.audit.append(row("1"));
  then = async () => {
    const second = new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS);
    await second.flush();
    assert.deepEqual(await keys(at.kv, "audit", "segment"), []);
  };
  await at.audit.append(row("2"));
  await at.audit.append(row("3"));
  assert.deepEqual(await ids(at), ["1", "2", "3"]);
  assert.deepEqual((await at.audit.verify()).faults, []);
});

Deno.test("a fence that another set costs a try, and the chain goes on", async () => {
  await using at = await bench();
  await at.audit.append(row("1"));
  const [segment] = await keys(at.kv, "audit", "segment");
  const writer =
    JSON.parse(new TextDecoder().decode((await at.kv.get<Uint8Array>(segment!)).value!).split("\n")[0]!)
      .writer;
  await at.kv.set(["audit", "fence", writer], true);
  await at.audit.append(row("2"));
  await at.audit.append(row("3"));
  assert.deepEqual(await ids(at), ["1", "2", "3"]);
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 1, segments: 3, rows: 3, faults: [] });
});

Deno.test("a failure to pack does not touch appending, and is made good at the next flush", async () => {
  await using at = await failing();
  await at.audit.append(row("1"));
  at.failures.push("before");
  await assert.rejects(at.audit.flush(), /disk I\/O error/);
  assert.equal((await keys(at.kv, "audit", "segment")).length, 1);
  at.failures.push("after");
  await assert.rejects(at.audit.flush(), /disk I\/O error/);
  await at.audit.flush();
  assert.equal((await keys(at.kv, "audit", "segment")).length, 0);
  assert.equal((await at.audit.list({ site_id: "acme" }, { limit: 5 })).rows.length, 1);
  assert.equal((await at.audit.verify()).ok, true);
});

Deno.test("of two stores that pack the same segments one does, and each row stands once", async () => {
  await using at = await bench();
  for (let i = 0; i < 5; i++) await at.audit.append(row(String(i)));
  const second = new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS);
  await Promise.all([second.flush(), at.audit.flush()]);
  assert.equal((await keys(at.kv, "audit", "segment")).length, 0);
  assert.equal((await keys(at.kv, "audit", "bundle")).length, 1);
  await second.append(row("5"));
  await at.audit.append(row("6"));
  await Promise.all([second.flush(), at.audit.flush()]);
  assert.equal((await at.audit.list({ site_id: "acme" }, { limit: 50 })).rows.length, 7);
  assert.deepEqual(await second.verify(), { ok: true, writers: 2, segments: 7, rows: 7, faults: [] });
});

Deno.test("a process killed between intent and outcome leaves a started row and a sound chain", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using child = new Child("crash.ts", path);
  const { signal } = await child.end();
  assert.equal(signal, "SIGKILL");
  await using store = await open({ path });
  await store.audit.flush();
  const { rows } = await store.audit.list({}, { limit: 10 });
  assert.deepEqual(rows.map(({ id, status }) => [id, status]), [["cut-off", "started"], ["finished", "ok"]]);
  const started = await store.audit.list({ status: "started" }, { limit: 10 });
  assert.deepEqual(started.rows.map(({ id }) => id), ["cut-off"]);
  const found = await store.audit.list({ tool: "publish_post" }, { limit: 10 });
  assert.deepEqual(found.rows.map(({ id }) => id), ["cut-off"]);
  const verdict = await store.audit.verify();
  assert.deepEqual([verdict.ok, verdict.rows], [true, 3]);
  const kv = await Deno.openKv(path);
  assert.deepEqual(await keys(kv, "audit", "segment"), []);
  kv.close();
});

Deno.test("more terms than one commit can hold are indexed all the same", async () => {
  await using at = await bench();
  const names = Array.from({ length: 700 }, (_, index) => `${"漢".repeat(60)}${index}`);
  await Promise.all(
    names.map((tool, index) => at.audit.append(row(String(index), { tool, site_id: `site-${index}` }))),
  );
  await at.audit.flush();
  assert.deepEqual(await keys(at.kv, "audit", "segment"), []);
  assert.equal((await keys(at.kv, "audit", "rows", "tool")).length, 700);
  for (const index of [0, 350, 699]) {
    const { rows } = await at.audit.list({ tool: names[index]!, site_id: `site-${index}` }, { limit: 5 });
    assert.deepEqual(rows.map(({ id }) => id), [String(index)]);
  }
  await at.audit.retain(new Date(at.clock.ms + 1));
  assert.deepEqual(await keys(at.kv, "audit", "rows"), []);
});

Deno.test("processes that append to one file at once wait their turn and lose nothing", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using store = await open({ path });
  const names = ["one", "two", "three"];
  const children = names.map((name) => new Child("append.ts", path, name, "300"));
  const ended = await Promise.all(children.map((child) => child.end()));
  assert.deepEqual(ended.map(({ code }) => code), [0, 0, 0]);
  const verdict = await store.audit.verify();
  assert.deepEqual([verdict.faults, verdict.writers, verdict.rows], [[], 3, 1800]);
  for (const token_id of names) {
    const { rows } = await store.audit.list({ token_id }, { limit: 500 });
    assert.equal(new Set(rows.filter(({ status }) => status === "ok").map(({ id }) => id)).size, 300);
    assert.equal(rows.length, 300);
  }
});
