/** Commands that only read a database: one without a store stays as it was, and what is damaged of one is named. */
import assert from "node:assert/strict";
import { checkStore } from "../../store/check.ts";
import { copyStoreTo } from "../../store/copying.ts";
import { MARK_KEY } from "../../store/damage.ts";
import { acceptKeys, backUpStore, restoreStore } from "../../store/maintenance.ts";
import { type StoreMark } from "../../store/mark.ts";
import { openPostgres } from "../../store/postgres/kv.ts";
import { layNewest } from "../fixtures/stores/stores.ts";
import { filesOf, refused, runOnStore } from "../unit/store/files_kit.ts";
import { folder, KEY, open, row } from "../unit/store/kit.ts";
import { onPostgres } from "./_postgres.ts";

const server = onPostgres();
const nameOf = (address: string) => new URL(address).pathname.slice(1);
const tables = (address: string) =>
  server().sql(
    "select string_agg(relname, ',') from pg_class where relnamespace = 'public'::regnamespace",
    nameOf(address),
  );

/** Has a database hold the entries of the fixtures. */
async function fill(to: string, dir: string): Promise<void> {
  await layNewest(`${dir}/first`);
  await copyStoreTo({
    from: { path: `${dir}/first`, named: "<from>" },
    to: { path: to, named: "<to>" },
    ...{ keys: [KEY], now: Date.now, known: `${dir}/known` },
  });
}

Deno.test("no command that reads makes a table or a file where no store is, and each says that there is none", async () => {
  await using dir = await folder();
  const known = `${dir.path}/known`;
  const [empty, foreign, begun] = await Promise.all([1, 2, 3].map(() => server().database()));
  await server().sql("create table orders (id integer)", nameOf(foreign!));
  await (await openPostgres(begun!)).close();
  for (
    const [address, why] of [
      [empty!, "it has none of the gateway's tables"],
      [foreign!, "it has none of the gateway's tables"],
      [begun!, "it holds nothing"],
    ] as const
  ) {
    const named = (name: string) =>
      new RegExp(`^${name}: there is no store in postgres://owner@.*: ${why}; name the place of a store$`);
    const says = named("KV_PATH");
    const store = { path: address, keys: [KEY], now: Date.now(), known };
    const before = [await tables(address), await filesOf(dir.path)];
    await refused(() => checkStore({ path: address, keys: [KEY], now: Date.now }), says);
    await refused(() => backUpStore(store, `${dir.path}/backup.ndjson`), says);
    const [from, to] = [{ path: address, named: "DATABASE_URL" }, { path: `${dir.path}/to`, named: "<to>" }];
    await refused(() => copyStoreTo({ ...store, from, to, now: Date.now }), named("DATABASE_URL"));
    await refused(() => acceptKeys(store), says);
    assert.deepEqual([await tables(address), await filesOf(dir.path)], before);
  }
});

Deno.test("a table of another program that has the name of the gateway's is left as it was, and named", async () => {
  await using dir = await folder();
  const other = await server().database();
  await fill(other, dir.path);
  const store = { keys: [KEY], now: Date.now(), known: `${dir.path}/known` };
  const backup = `${dir.path}/backup.ndjson`;
  await backUpStore({ ...store, path: other }, backup);
  for (
    const [table, columns, missing] of [
      ["gateway_kv", "key text, value text", "kind"],
      ["gateway_kv_layout", "id integer", "layout"],
    ] as const
  ) {
    const path = await server().database();
    await server().sql(`create table ${table} (${columns})`, nameOf(path));
    const before = await tables(path);
    const says = new RegExp(
      `^KV_PATH: the table ${table} in postgres://owner@.* seems to be another program's and not this gateway's ` +
        `\\(it has no column "${missing}"\\); name another database, or a user whose search_path begins with another schema$`,
    );
    await refused(() => open({ path }), says);
    await refused(() => checkStore({ ...store, path, now: Date.now }), says);
    await refused(() => restoreStore({ ...store, path }, backup), says);
    assert.equal(await tables(path), before);
  }
});

Deno.test("what is damaged of a store in a database is named by its key, with the database, and the rest is read", async () => {
  const address = await server().database();
  await using dir = await folder();
  await fill(address, dir.path);
  const damage = (...parts: string[]) =>
    server().sql(
      `update gateway_kv set value = '\\xff0f' where ${
        parts.map((part) => `position('${part}'::bytea in key) > 0`).join(" and ")
      }`,
      nameOf(address),
    );
  {
    const kv = await openPostgres(address);
    await kv.set(["kept", "an answer"], { id: "1" });
    await kv.close();
  }
  await using store = await open({ path: address });
  await store.audit.append(row("later"));
  await damage("audit", "bundle");
  await damage("sites", "acme");
  await damage("kept"); // which tells when the parts of an answer end
  const verdict = await store.audit.verify();
  assert.match(
    verdict.faults[0]!,
    /^The bundle \["audit","bundle","\w{26}"\] cannot be read: it was damaged or changed$/,
  );
  assert.match(verdict.faults[1]!, /^Missing: segments 1 to \d+ of writer \w{26}, at the end$/);
  assert.match(verdict.place!, /^the database postgres:\/\/owner@127\.0\.0\.1:\d+\/\w+$/);
  assert.equal(verdict.rows, 1, "what is whole is read");
  const found = await checkStore({ path: address, keys: [KEY], now: Date.now });
  assert.ok(found.faults.includes('["sites","acme"] cannot be read: it was damaged or changed'));
  assert.equal(found.audit!.faults[0], verdict.faults[0]);
  await refused(
    async () => await store.sites.list(),
    /^The entry \["sites","acme"\] of the store is damaged; .*, or delete it in gateway_kv$/,
  );
  const placed = (path: string) => ({ path, keys: [KEY], now: Date.now(), known: `${dir.path}/known` });
  const made = await backUpStore(placed(address), `${dir.path}/made.ndjson`);
  const other = await server().database();
  const restored = await restoreStore(placed(other), `${dir.path}/made.ndjson`);
  for (const { faults, audit } of [made, restored]) {
    assert.ok(faults.includes('["sites","acme"] cannot be read: it was damaged or changed'));
    assert.equal(audit.ok, false);
  }
  assert.equal(made.audit.faults[0], verdict.faults[0]);
  assert.ok(made.faults.includes('["kept","an answer"] cannot be read: it was damaged or changed'));
  await damage("store");
  await refused(
    () => open({ path: address }),
    /^KV_PATH: postgres:\/\/owner@.* is not opened\. The mark of the store, its entry \["store"\], is damaged/,
  );
});

Deno.test("a check says what is wrong with the mark of a store under the name that its place was given by", async () => {
  const address = await server().database();
  await using dir = await folder();
  await fill(address, dir.path);
  {
    const kv = await openPostgres(address);
    const { value } = await kv.get<StoreMark>(MARK_KEY);
    const newer = { ...value!, format: 99, lowest: { format: 99, version: "9.9.9" } };
    await kv.set(MARK_KEY, newer);
    await kv.close();
  }
  const { faults } = await checkStore({
    path: address,
    named: "DATABASE_URL",
    ...{ keys: [KEY], now: Date.now },
  });
  assert.match(faults[0]!, /^DATABASE_URL: postgres:.* was written by a newer version \(format 99\); /);
});

Deno.test("what a database refuses in the middle of a command is one line with what to do, and a check names what it cannot read", async () => {
  const whole = await server().database();
  await using dir = await folder();
  await fill(whole, dir.path);
  await server().sql(
    `create role plain login password 's3cr3t';
     alter table gateway_kv owner to plain; alter table gateway_kv_layout owner to plain;
     alter table gateway_kv enable row level security; alter table gateway_kv force row level security;
     create policy broken on gateway_kv using (position('projects'::bytea in key) <> 2 or 1 / (length(value) * 0) > 0)`,
    nameOf(whole),
  );
  const address = whole.replace("owner:", "plain:");
  const to = `${dir.path}/backup.ndjson`;
  const { code, said } = await runOnStore({ KV_PATH: address }, "store", "backup", to);
  assert.equal(code, 1);
  assert.match(
    said,
    /^The store could not be read or written to the end \(division by zero\); see what of it can be read .*\n$/,
  );
  assert.ok(!Object.hasOwn(await filesOf(dir.path), "backup.ndjson"));
  const { faults } = await checkStore({ path: address, keys: [KEY], now: Date.now });
  assert.match(
    faults[0]!,
    /^What lies between .* cannot be read \(division by zero\)$/,
  );
});
