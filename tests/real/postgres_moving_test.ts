/** A store that moves from a file to PostgreSQL, is backed up there, put back into another database, and comes back to a file. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { checkStore } from "../../store/check.ts";
import { copyStoreTo } from "../../store/copying.ts";
import { backUpStore, restoreStore, type StoreFile } from "../../store/maintenance.ts";
import { keyBytes } from "../../store/key_bytes.ts";
import { openPostgres } from "../../store/postgres/kv.ts";
import { layNewest } from "../fixtures/stores/stores.ts";
import { entriesOf, refused } from "../unit/store/files_kit.ts";
import { folder, KEY, newToken, open, row } from "../unit/store/kit.ts";
import { folderOnDisk } from "../folder.ts";
import { copyProject } from "../e2e/copy.ts";
import { environment } from "../e2e/running.ts";
import { onPostgres } from "./_postgres.ts";
import { skew } from "./_postgres_kit.ts";

const server = onPostgres();

/** All entries but the mark, which is sealed anew at each place. */
const unmarked = async (path: string) =>
  (await entriesOf(path)).filter((text) => !text.startsWith('[["store"'));

Deno.test("a store is the same in a file, in PostgreSQL, in a backup of it and in a file again", async () => {
  await using dir = await folder();
  const at = (name: string) => `${dir.path}/${name}`;
  await layNewest(at("first"));
  const [there, other] = [await server().database(), await server().database()];
  const known = at("known");
  const place = (path: string): StoreFile => ({ path, keys: [KEY], now: Date.now(), known });
  const copy = (from: string, to: string) =>
    copyStoreTo({
      from: { path: from, named: "<from>" },
      to: { path: to, named: "<to>" },
      ...{ keys: [KEY], now: Date.now, known },
    });

  const { audit, entries, compared } = await copy(at("first"), there);
  assert.ok(audit.ok && audit.rows > 0);
  for (const path of [at("first"), there]) {
    const { entries: all, kinds } = await checkStore({ path, keys: [KEY], now: Date.now });
    assert.equal(all, entries, "a check counts what a copy counts");
    assert.deepEqual(Object.fromEntries(compared.map((one) => [one.kind, one.entries])), kinds);
  }
  const first = await unmarked(at("first"));
  assert.deepEqual(await unmarked(there), first);
  await refused(() => copy(at("first"), there), / holds that store already; name an empty place/);

  {
    // Two instances write while it is backed up.
    await using one = await open({ path: there });
    await using two = await open({ path: there });
    const { text } = await one.tokens.create(newToken({ name: "in PostgreSQL" }));
    const writing = Promise.all([one, two].map(async (store, side) => {
      for (let nth = 0; nth < 50; nth++) await store.audit.append(row(`${side}-${nth}`));
    }));
    await backUpStore(place(there), at("backup.ndjson"));
    await writing;
    assert.ok(await two.tokens.find(text));
  }
  await restoreStore(place(other), at("backup.ndjson"));
  await refused(() => restoreStore(place(other), at("backup.ndjson")), / holds/);
  const checked = await checkStore({ path: other, keys: [KEY], now: Date.now });
  assert.deepEqual([checked.faults, checked.audit!.faults], [[], []]);

  const back = await copy(other, at("last"));
  assert.ok(back.audit.ok);
  assert.deepEqual(await unmarked(at("last")), await unmarked(other));
  await using last = await open({ path: at("last") });
  assert.ok((await last.tokens.list()).some(({ name }) => name === "in PostgreSQL"));
});

/** Entries whose end neither their kind nor what they hold tells, and how long each is kept; null for ever. */
const LIVES: readonly (readonly [Deno.KvKey, number | null])[] = [
  [["managed_files", "repo", "short"], 1_234_567],
  [["attempts", "long"], 40 * 24 * 3_600_000],
  [["no_such_kind"], 99_999_999],
  [["sessions", "kept"], null],
];
const IS_NEAR_MS = 30_000;

Deno.test("what is copied or backed up from PostgreSQL ends when it does there, by the clock of the database", async () => {
  await using dir = await folder();
  const at = (name: string) => `${dir.path}/${name}`;
  const [path, other] = [await server().database(), await server().database()];
  await skew(server(), new URL(path).pathname.slice(1), 1);
  await (await open({ path })).close();
  const kv = await openPostgres(path);
  const laidAt = Date.now();
  for (const [key, expireIn] of LIVES) {
    assert.ok((await kv.set(key, "x", expireIn === null ? {} : { expireIn })).ok);
  }
  await kv.close();
  const copy = (to: string) =>
    copyStoreTo({
      from: { path, named: "<from>" },
      to: { path: to, named: "<to>" },
      ...{ keys: [KEY], now: Date.now, known: at("known") },
    });
  await copy(at("file"));
  await copy(other);
  await backUpStore({ path, now: Date.now() }, at("backup.ndjson"));
  const lines = (await Deno.readTextFile(at("backup.ndjson"))).split("\n").filter((line) =>
    line.startsWith("[")
  );
  const ofBackup = new Map(
    lines.map((line) => JSON.parse(line)).map(([key, , end = null]) => [key.join(), end]),
  );
  using file = new DatabaseSync(at("file"), { readOnly: true });
  const inFile = file.prepare("SELECT expiration_ms AS at FROM kv WHERE k = ?");
  for (const [key, left] of LIVES) {
    const ends = [
      Number(inFile.get(keyBytes(key))!["at"]),
      ofBackup.get(key.join()) ?? -1,
      Number(
        await server().sql(
          `select coalesce(extract(epoch from expires_at) * 1000, -1) from gateway_kv
             where key = '\\x${keyBytes(key).toHex()}'`,
          new URL(other).pathname.slice(1),
        ),
      ),
    ];
    for (const end of ends) {
      const isSame = left === null ? end === -1 : Math.abs(end - laidAt - left) < IS_NEAR_MS;
      assert.ok(isSame, `${key}: ${ends.map((end) => end - laidAt)} is not ${left}`);
    }
  }
});

Deno.test("what finishes a copy that was cut off is printed as a command that runs as it stands, but for a password", async () => {
  await using dir = await folderOnDisk(); // a command may not be granted what is below /dev
  await using project = await copyProject(["tests", "bench", "docs", "companion"]); // it has no store of its own
  const at = (name: string) => `${dir.path}/${name}`;
  await layNewest(at("first"));
  const [one, two] = [await server().database(), await server().database()];
  for (const [from, to] of [[at("first"), one], [one, two], [two, at("last")]] as const) {
    let looks = 0;
    const cut = copyStoreTo({
      from: { path: from, named: "<from>" },
      to: { path: to, named: "<to>" },
      ...{ keys: [KEY], known: at("known") },
      now: () => looks++ < 3 ? Date.now() : assert.fail("cut"),
    });
    await assert.rejects(cut, /cut$/);
    const said = await open({ path: to, named: "DATABASE_URL" }).then(
      () => assert.fail("it is a part of a store"),
      (error) => error.message,
    );
    assert.match(said, /^DATABASE_URL: .* holds a part of a store only, /);
    assert.ok(!said.includes("s3cr3t"));
    const [command] = said.split("finish it with ")[1].split(" (write the password");
    const { code, stderr } = await new Deno.Command("/bin/sh", {
      args: [
        "-ec",
        command.replaceAll("PASSWORD@", "s3cr3t@").replace("deno task", `${Deno.execPath()} task --quiet`),
      ],
      cwd: project.folder,
      env: environment(dir.path, { KV_PATH: null, DATABASE_URL: to }),
      clearEnv: true,
    }).output();
    assert.equal(code, 0, `${command}: ${new TextDecoder().decode(stderr)}`);
    await (await open({ path: to })).close();
  }
});
