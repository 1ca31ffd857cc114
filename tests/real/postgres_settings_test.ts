/** Databases with settings and owners of their own: what a store relies on holds there too, or it is refused. */
import assert from "node:assert/strict";
import { openPostgres } from "../../store/postgres/kv.ts";
import { onPostgres, Wire } from "./_postgres.ts";
import { opened, refused, until } from "./_postgres_kit.ts";

const server = onPostgres();

/** A database that is set up by its owner before a store is made in it. */
async function prepared(...statements: readonly string[]) {
  const address = await server().database();
  const name = new URL(address).pathname.slice(1);
  for (const statement of statements) await server().sql(statement.replaceAll("DB", name), name);
  return { address, name };
}

Deno.test("a database that tells bytes in its older form, and is serializable, keeps and gives back a store", async () => {
  const { address } = await prepared(
    "alter database DB set bytea_output = 'escape'",
    "alter database DB set default_transaction_isolation = 'serializable'",
  );
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (const nth of [1, 2]) {
    const kv = await openPostgres(address);
    await Promise.all(Array.from({ length: 20 }, () => kv.atomic().sum(["count"], 1n).commit()));
    await kv.set(["bytes", nth], bytes);
    assert.deepEqual((await kv.get(["bytes", 1])).value, bytes);
    assert.equal((await kv.get<Deno.KvU64>(["count"])).value?.value, BigInt(nth * 20));
    await (kv.close() as unknown as Promise<void>);
  }
});

Deno.test("a change is on the database's disk before it is answered, also where the database would not wait", async () => {
  for (const [setting, holds] of [["off", "on"], ["local", "local"]]) {
    await using at = await opened(server());
    await server().sql(`alter database ${at.name} set synchronous_commit = ${setting}`);
    await server().sql(
      `create table seen (setting text);
       create function see() returns trigger language plpgsql as
         'begin insert into seen values (current_setting(''synchronous_commit'')); return null; end';
       create constraint trigger see after insert on gateway_kv deferrable initially deferred
         for each row execute function see()`,
      at.name,
    );
    const kv = await openPostgres(at.address);
    await kv.set(["one"], 1);
    assert.equal(await server().sql("select setting from seen", at.name), holds);
    await (kv.close() as unknown as Promise<void>);
  }
});

Deno.test("an address without a password is refused, and no socket is left of it", async () => {
  const { name } = await prepared();
  using wire = new Wire(server().port);
  const address = server().address(name, wire.port).replace(":s3cr3t@", "@");
  assert.match(
    await refused(address),
    /asks for a password, and the address has none; write it behind the user/,
  );
  await until(() => Promise.resolve(wire.ends === 0));
});

const TABLES = `create table gateway_kv (key bytea primary key, value bytea not null, kind smallint not null,
    version bytea not null, counter numeric(20), expires_at timestamptz);
  create table gateway_kv_layout (layout integer not null); insert into gateway_kv_layout values (1)`;

/** A role that may connect, of that name in this database. */
const role = (name: string) => `create role ${name}_DB login password 's3cr3t'`;

Deno.test("tables that somebody else has made and could read are refused by their owner's name", async () => {
  const { address, name } = await prepared(
    role("gateway"),
    role("mallory"),
    "grant create on schema public to mallory_DB, gateway_DB",
    `set role mallory_DB; ${TABLES}; grant all on gateway_kv, gateway_kv_layout to public`,
  );
  const message = await refused(address.replace("owner:", `gateway_${name}:`));
  assert.match(
    message,
    /^KV_PATH: the table gateway_kv in .* belongs to "mallory_.*", who could read and change/,
  );
  assert.match(await refused(address), /belongs to "mallory_/, "a superuser is not made use of either");
  assert.equal(await server().sql("select count(*) from gateway_kv", name), "0");
});

Deno.test("tables of the database's owner, and of a role that the user belongs to, are the store's", async () => {
  const { address, name } = await prepared(
    role("gateway"),
    "create role keepers_DB; grant keepers_DB to gateway_DB",
    `${TABLES}; grant all on gateway_kv, gateway_kv_layout to gateway_DB; alter table gateway_kv owner to keepers_DB`,
  );
  const kv = await openPostgres(address.replace("owner:", `gateway_${name}:`));
  assert.ok((await kv.set(["one"], 1)).ok);
  await (kv.close() as unknown as Promise<void>);
});

Deno.test("a view of the table's name is refused as none", async () => {
  const { address } = await prepared("create view gateway_kv as select ''::bytea as key");
  assert.match(
    await refused(address),
    /^KV_PATH: gateway_kv in .* is no table, and the store's has that name/,
  );
});
