/** Commands that need every gateway stopped: on a database that one uses they refuse, and say who that is. */
import assert from "node:assert/strict";
import { copyStoreTo } from "../../store/copying.ts";
import { acceptKeys, backUpStore, restoreStore } from "../../store/maintenance.ts";
import { openPostgres } from "../../store/postgres/kv.ts";
import { refused } from "../unit/store/files_kit.ts";
import { folder, KEY, newToken, open } from "../unit/store/kit.ts";
import { onPostgres } from "./_postgres.ts";

const server = onPostgres();

const nameOf = (address: string) => new URL(address).pathname.slice(1);
const copying = (from: string, to: string, notices: string[] = []) => ({
  from: { path: from, named: "<from>" },
  to: { path: to, named: "<to>" },
  keys: [KEY],
  now: Date.now,
  known: "data/none",
  notice: (sentence: string) => void notices.push(sentence),
});

/** A store in a database, whose gateway has ended. */
async function storeIn(path: string): Promise<void> {
  const store = await open({ path });
  await store.tokens.create(newToken());
  await store.close();
}

Deno.test("copy, restore and accept-keys refuse a database that a gateway uses, name its address and since when, and change nothing", async () => {
  await using dir = await folder();
  const [path, empty] = [await server().database(), await server().database()];
  const store = (place: string) => ({ path: place, keys: [KEY], now: 0, known: `${dir.path}/known` });
  const backup = `${dir.path}/backup.ndjson`;
  await storeIn(path);
  await backUpStore(store(path), backup);
  const uses = (named: string, then: string) =>
    new RegExp(
      `^${named}: postgres://owner@127\\.0\\.0\\.1:\\d+/\\w+ is in use by 127\\.0\\.0\\.1 since \\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z ` +
        `\\(its process(?:es)? [\\d, ]+\\); stop every gateway on it, then ${then}, or where a machine that is gone left a ` +
        "connection behind, end it in the database: select pg_terminate_backend\\(\\d+\\)$",
    );
  {
    await using _gateway = await open({ path });
    const other = await openPostgres(empty);
    await refused(() => copyStoreTo(copying(path, `${dir.path}/to`)), uses("<from>", "copy it"));
    await refused(() => acceptKeys(store(path)), uses("KV_PATH", "have it accept the keys"));
    await refused(() => restoreStore(store(empty), backup), uses("KV_PATH", "put the backup back"));
    await other.close();
  }
  const other = await openPostgres(empty);
  await refused(() => copyStoreTo(copying(path, empty)), uses("<to>", "copy it"));
  await other.close();
  assert.equal(await server().sql("select count(*) from gateway_kv", nameOf(empty)), "0");
  assert.throws(() => Deno.statSync(`${dir.path}/to`), Deno.errors.NotFound);

  const notices: string[] = [];
  await copyStoreTo(copying(path, empty, notices)); // a gateway that has ended is not waited for by the operator
  await acceptKeys({ ...store(empty), notice: (sentence) => void notices.push(sentence) });
  assert.deepEqual(notices, []);
});

Deno.test("where the database does not list who uses it, a copy says so and goes on", async () => {
  const [path, to] = [await server().database(), await server().database()];
  await storeIn(path);
  await server().sql(
    `create view public.pg_stat_activity as select * from pg_catalog.pg_stat_activity where false;
     alter database ${nameOf(path)} set search_path = public, pg_catalog`,
    nameOf(path),
  );
  const notices: string[] = [];
  await copyStoreTo(copying(path, to, notices));
  assert.equal(notices.length, 1);
  assert.match(
    notices[0]!,
    /^Whether a gateway runs on postgres:\/\/owner@.* cannot be told; make sure that none does\.$/,
  );
});

Deno.test("a file that a gateway uses accepts no other keys", async () => {
  await using dir = await folder();
  const path = `${dir.path}/store.sqlite3`;
  const store = { path, keys: [new Uint8Array(32).fill(9)], now: 0, known: `${dir.path}/known` };
  {
    await using _gateway = await open({ path });
    await refused(
      () => acceptKeys(store),
      /is in use; stop every gateway on it, then have it accept the keys$/,
    );
  }
  await acceptKeys(store);
});
