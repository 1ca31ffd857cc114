/** Erasing a site or a person: nothing of it is left in any kind of record but hashes, others keep all of theirs, and the audit verifies. */
import assert from "node:assert/strict";
import { DECISIONS } from "../../../store/erasure_rules.ts";
import type { Store } from "../../../store/store.ts";
import { kindsOf } from "../../fixtures/stores/stores.ts";
import { dump, fill, fillRaw, freezeAll, GONE, type Made, openAt, type Party, STAYS } from "./erasure_kit.ts";
import { Clock, folder, interfere, open, row } from "./kit.ts";

const SETTLED_MS = 5 * 60_000;

Deno.test("every kind of record that the store keeps has a decision on its erasure", async () => {
  const schema = await Deno.readTextFile(new URL("../../../store/SCHEMA.md", import.meta.url));
  const kinds = new Set<string>();
  for (const line of schema.split("\n")) {
    if (!line.startsWith('| `["')) continue;
    kinds.add(line.slice('| `["'.length).split('"')[0]!);
  }
  assert.ok(kinds.size > 40, `${kinds.size}`);
  const fixture = new URL("../../fixtures/stores/format-4.ndjson", import.meta.url);
  for (const kind of kindsOf(await Deno.readTextFile(fixture))) kinds.add(kind.split("/")[0]!);
  assert.deepEqual([...kinds].sort(), Object.keys(DECISIONS).sort());
  const privacy = await Deno.readTextFile(new URL("../../../docs/PRIVACY.md", import.meta.url));
  const told = privacy.split("\n").filter((line) => line.startsWith("| `")).map((line) =>
    line.split("|")[1]!
  );
  const named = told.flatMap((cell) => cell.split(",").map((one) => one.trim().replaceAll("`", "")));
  assert.deepEqual(named.sort(), Object.keys(DECISIONS).sort(), "docs/PRIVACY.md says it of each");
  for (const [kind, { site, user }] of Object.entries(DECISIONS)) {
    for (const one of [site, user]) assert.ok(typeof one === "function" || one.length > 8, kind);
  }
});

/** A store with that party and, where there is one, a neighbour; answers what was made of the first. */
async function filled(path: string, clock: Clock, parties: readonly Party[]): Promise<readonly Made[]> {
  const made: Made[] = [];
  const store = await openAt(path, clock);
  for (const party of parties) made.push(await fill(store, party));
  await store.close();
  for (const [n, party] of parties.entries()) await fillRaw(path, party, made[n]!);
  return made;
}

/** Kinds whose number of entries an erasure itself changes, or the chain. */
const OWN = [
  "audit/segment",
  "audit/bundle",
  "audit/part",
  "audit/head",
  "audit/rows",
  "audit/checkpoint",
  "versions",
];

function counted(kinds: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...kinds].filter(([kind]) => !OWN.includes(kind)).sort());
}

async function erased(store: Store, clock: Clock, kind: "site" | "user", id: string) {
  const report = await store.erasures.run(kind, id);
  assert.ok(report !== null && report.settles_at !== null);
  assert.deepEqual(await store.erasures.resume(), [], "nothing before its time");
  clock.ms += SETTLED_MS;
  const [last] = await store.erasures.resume();
  assert.equal(last!.settles_at, null);
  assert.deepEqual(await store.erasures.resume(), []);
  return report;
}

function assertGone(text: string, word: string): void {
  const line = text.split("\n").find((one) => one.toLowerCase().includes(word.toLowerCase()));
  assert.equal(line, undefined, `${word} is left`);
}

Deno.test("nothing of an erased site and of its person is left, and the neighbours keep everything", async () => {
  await using dir = await folder();
  const [both, alone] = [`${dir.path}/both.sqlite3`, `${dir.path}/alone.sqlite3`];
  const clock = new Clock();
  const [gone] = await filled(both, clock, [GONE, STAYS]);
  await filled(alone, new Clock(), [STAYS]);
  const before = await dump(both);
  assert.match(before.text, /zq-/);
  for (const kind of Object.keys(DECISIONS)) {
    const { site, user } = DECISIONS[kind]!;
    if (typeof site === "string" && typeof user === "string") continue;
    const count = [...before.kinds].filter(([one]) => one.split("/")[0] === kind).length;
    assert.ok(count > 0 || ["preview_names"].includes(kind), `the test has no ${kind}`);
  }
  const store = await openAt(both, clock);
  await freezeAll(store, GONE);
  const preview = await store.erasures.preview("site", GONE.site);
  assert.deepEqual((await dump(both)).kinds.get("sites"), 2, "a preview takes nothing");
  const site = await erased(store, clock, "site", GONE.site);
  const { deleted, unnamed, ended } = site;
  assert.deepEqual(
    [deleted, unnamed, ended],
    [preview!.deleted, preview!.unnamed, preview!.ended],
    "it takes what the preview says",
  );
  assert.ok(
    [deleted, unnamed, ended].every((counts) => Object.keys(counts).length > 0),
    JSON.stringify(site),
  );
  assert.equal(deleted["users"], undefined, "a person who may work there loses its name and stays");
  assert.ok(site.rows >= 4 && site.rows_changed >= 1, JSON.stringify(site));
  assert.equal(await store.sites.get(GONE.site), null);
  const { person } = GONE;
  await store.users.remove(gone!.user_id);
  const user = await erased(store, clock, "user", gone!.user_id);
  assert.ok(user.rows >= 1, JSON.stringify(user));
  assert.equal(await store.erasures.run("site", GONE.site), null, "nothing is known of it");
  const verdict = await store.audit.verify();
  assert.deepEqual(verdict.faults, []);
  assert.ok(verdict.erased! >= 5);
  // Of the others each row is found as before.
  assert.equal((await store.audit.list({ site_id: STAYS.site }, { limit: 100 })).rows.length, 4);
  assert.equal((await store.audit.list({ site_id: GONE.site }, { limit: 100 })).rows.length, 0);
  assert.equal((await store.freezes.list()).find(({ scope }) => scope === "all")?.by, "(erased)");
  await store.freezes.lift({ scope: "all", id: "*" });
  await store.close();

  const after = await dump(both);
  for (const word of [GONE.site, person, gone!.user_id, gone!.token_id, gone!.grant_id]) {
    assertGone(after.text, word);
  }
  assert.deepEqual(counted(after.kinds), counted((await dump(alone)).kinds));
  assert.match(after.text, /nb-shop/);
});

Deno.test("an erasure that is cut off at any of its commits goes on, and the audit verifies at each", async () => {
  for (let after = 0, isCut = true; isCut; after += 3) {
    await using dir = await folder();
    const path = `${dir.path}/store.sqlite3`;
    const clock = new Clock();
    await filled(path, clock, [GONE, STAYS]);
    isCut = await cutOff(path, clock, after);
    clock.ms += 61_000; // its lease ends
    const store = await openAt(path, clock);
    assert.deepEqual((await store.audit.verify()).faults, [], `cut off after ${after}`);
    const reports = await store.erasures.resume();
    assert.equal(reports.length, isCut && after > 0 ? 1 : 0);
    if (after === 0) await store.erasures.run("site", GONE.site);
    clock.ms += SETTLED_MS;
    await store.erasures.resume();
    assert.deepEqual((await store.audit.verify()).faults, []);
    await store.close();
    const { text } = await dump(path);
    assertGone(text, GONE.site);
  }
});

/** Erases until so many commits were made, and none more, as where the process is killed; false where it came to its end. */
async function cutOff(path: string, clock: Clock, commits: number): Promise<boolean> {
  let left = Infinity;
  const store = await open({
    path,
    now: clock.now,
    around: (kv) => interfere(kv, (real) => left-- > 0 ? real() : Promise.reject(new TypeError("killed"))),
  });
  left = commits;
  const done = await store.erasures.run("site", GONE.site).then(() => true, () => false);
  await store.close().catch(() => {});
  return !done;
}

Deno.test("a site called by an ordinary word is erased, and the word stays where it means something else", async () => {
  await using store = await open();
  const base_url = "https://admin.example";
  await store.sites.create({ id: "admin", name: "Admin", platform: "cms", base_url });
  const by = { door: "admin", site_id: null, tier: null } as const;
  await store.audit.append(
    row("role", { ...by, arguments: { role: "admin", allowed_sites: ["admin", "b"] } }),
  );
  await store.audit.append(row("other", { arguments: { tag: "admin", source_site_id: "admin" } }));
  await store.audit.append(row("own", { site_id: "admin" }));
  const { rows, rows_changed } = (await store.erasures.run("site", "admin"))!;
  assert.deepEqual([rows, rows_changed], [1, 2]);
  const left = (await store.audit.list({}, { limit: 9 })).rows.filter(({ tool }) => tool === "create_draft");
  assert.deepEqual(left.map(({ id, door, arguments: args }) => [id, door, args]), [
    ["other", "rest", { tag: "admin", source_site_id: "(erased)" }],
    ["role", "admin", { role: "admin", allowed_sites: ["(erased)", "b"] }],
  ]);
  assert.deepEqual((await store.audit.verify()).faults, []);
});

Deno.test("what a call under way writes after an erasure goes with the pass behind it", async () => {
  await using dir = await folder();
  const path = `${dir.path}/store.sqlite3`;
  const clock = new Clock();
  await filled(path, clock, [GONE]);
  const store = await openAt(path, clock);
  await store.erasures.run("site", GONE.site);
  clock.ms += 1000;
  await store.audit.append(row("late", { site_id: GONE.site, outcome: "made", status: "ok" }));
  clock.ms += SETTLED_MS;
  const [last] = await store.erasures.resume();
  assert.equal(last!.rows, 1);
  await store.close();
  assertGone((await dump(path)).text, GONE.site);
});

Deno.test("a segment that says of itself that rows were erased, without a word of it in the audit, is a fault", async () => {
  await using dir = await folder();
  const path = `${dir.path}/store.sqlite3`;
  const clock = new Clock();
  await filled(path, clock, [GONE, STAYS]);
  const store = await openAt(path, clock);
  await store.erasures.run("site", GONE.site);
  await store.audit.flush();
  const kept = await dump(path);
  await store.close();
  assert.match(kept.text, /audit\.erase/);
  const kv = await Deno.openKv(path);
  // Somebody changes a row of what was erased once more.
  const { decodePart, encodePart } = await import("../../../store/audit/bundle.ts");
  let changed = 0;
  for await (const { key, value } of kv.list({ prefix: ["audit", "part"] })) {
    const content = decodePart(value)!;
    const segments = content.segments.map((one) => {
      const text = new TextDecoder().decode(one.bytes);
      if (changed > 0 || !text.includes('{"erased":"01')) return one;
      changed++;
      return { ...one, bytes: new TextEncoder().encode(text.replace('{"erased":"01', '{"erased":"02')) };
    });
    await kv.set(key, encodePart({ ...content, segments }));
  }
  kv.close();
  const again = await openAt(path, clock);
  const { faults } = await again.audit.verify();
  await again.close();
  assert.equal(changed, 1);
  assert.match(faults.join(), /says that rows of it were erased, and no entry of the audit says so/);
});

Deno.test("the row of a change set keeps nothing of what it was to do on an erased site, and all of what on others", async () => {
  await using store = await open();
  for (const id of ["gone", "stays"]) {
    await store.sites.create({ id, name: id, platform: "cms", base_url: `https://${id}.example` });
  }
  const call = (site_id: string) => ({
    tool: "create_draft",
    arguments: { site_id, title: `Of ${site_id}` },
  });
  const changes = [call("gone"), call("stays")];
  const own = { site_id: null, tool: "prepare_changes", set_id: "SET" } as const;
  await store.audit.append(row("few", { ...own, arguments: { title: "Two", changes } }));
  const many = { count: 40, first: changes }; // as a long list is shortened
  await store.audit.append(row("many", { ...own, arguments: { title: "Forty", changes: many } }));
  assert.equal((await store.erasures.run("site", "gone"))!.rows_changed, 2);
  const left = [{ tool: "create_draft", arguments: { site_id: "(erased)" } }, call("stays")];
  const rows = (await store.audit.list({}, { limit: 9 })).rows.filter(({ tool }) =>
    tool === "prepare_changes"
  );
  assert.deepEqual(rows.map(({ arguments: args }) => args), [
    { title: "Forty", changes: { count: 40, first: left } },
    { title: "Two", changes: left },
  ]);
});
