/** Databases that a store cannot be opened in, and what is said of each; TLS, and passwords of every character. */
import assert from "node:assert/strict";
import { openPlace } from "../../store/engines.ts";
import { openMarked } from "../../store/opening.ts";
import { openPostgres, type TellingKv } from "../../store/postgres/kv.ts";
import { Sealer } from "../../store/seal.ts";
import { newAuthority } from "../authority.ts";
import { gateway } from "../kit.ts";
import { KEY } from "../unit/store/kit.ts";
import { onPostgres, Postgres } from "./_postgres.ts";
import { opened, refused, until } from "./_postgres_kit.ts";

const server = onPostgres();

/** What is wrong with a database, and what is said of it. */
const WRONG: Readonly<Record<string, readonly [(name: string, kv: TellingKv) => Promise<string>, RegExp]>> = {
  "one that can only be read": [
    (name) => server().sql(`alter database ${name} set default_transaction_read_only = on`),
    / can only be read; name the primary, not a standby, and see to its default_transaction_read_only$/,
  ],
  "one on a disk that is full": [
    (name) =>
      server().sql(
        `create function full_disk() returns trigger language plpgsql as
           'begin raise exception ''could not extend file'' using errcode = ''53100''; end';
         create trigger full_disk before insert on gateway_kv execute function full_disk()`,
        name,
      ),
    / is on a disk that is full; make room on it and start again$/,
  ],
  "tables of a newer layout": [
    (name) => server().sql("update gateway_kv_layout set layout = 2", name),
    /^KV_PATH: the tables of the database have layout 2, and this version knows layout 1; start the version that made them,/,
  ],
  "a newer format of the store": [
    async (_, kv) => {
      const { kv: marked } = await openMarked({
        path: undefined,
        open: () => Promise.resolve(kv),
        sealer: await Sealer.open([KEY]),
        deadline_ms: 8000,
      });
      const { value } = await marked.get<{ lowest: object }>(["store"]);
      await marked.set(["store"], { ...value, format: 99, lowest: { format: 99, version: "9.0.0" } });
      return "";
    },
    / was written by a newer version \(format 99\); version 9\.0\.0 or later opens it/,
  ],
  "a store of other keys": [
    async (_, kv) => {
      const sealer = await Sealer.open([new Uint8Array(32).fill(9)]);
      await openMarked({ path: undefined, open: () => Promise.resolve(kv), sealer, deadline_ms: 8000 });
      return "";
    },
    /^ENCRYPTION_KEYS: none of them opens postgres:\/\/owner@.*, which is sealed under key "/,
  ],
};

for (const [what, [spoil, says]] of Object.entries(WRONG)) {
  Deno.test(`a database is refused with what to do: ${what}`, async () => {
    await using at = await opened(server());
    await spoil(at.name, at.kv);
    const message = await refused(at.address);
    assert.match(message, says);
    assert.ok(!message.includes("s3cr3t"), "no password");
  });
}

Deno.test("a database that can only be read for a while is in the log once, and all is well again after it", async () => {
  const address = await server().database();
  const name = new URL(address).pathname.slice(1);
  await using gw = await gateway({
    realClock: true,
    settings: { kvPath: address },
    storage: { open: (path) => openPlace(path) },
  });
  const readOnly = async (isOn: boolean) => {
    await server().sql(`alter database ${name} set default_transaction_read_only = ${isOn ? "on" : "off"}`);
    await server().sql(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  };
  await gw.call("list_sites", {});
  await readOnly(true);
  await until(async () => "code" in Object(await gw.end("list_sites", {})));
  for (let nth = 0; nth < 3; nth++) {
    assert.equal((await gw.end("list_sites", {}) as { code: string }).code, "E_INTERNAL");
    const ready = await gw.http("/readyz");
    await ready.body?.cancel();
    assert.equal(ready.status, 503);
  }
  await readOnly(false);
  await until(async () => "value" in Object(await gw.end("list_sites", {})));
  const count = (event: string) => gw.logged.filter((one) => one.event === event).length;
  for (const event of ["store_away", "audit_failed", "store_back", "audit_back"]) {
    assert.equal(count(event), 1, `${event}: ${JSON.stringify(gw.logged)}`);
  }
});

Deno.test("an address that leads nowhere is refused with what to do", async () => {
  const there = server().address("postgres");
  const all: [string, RegExp][] = [
    [there.replace("owner:s3cr3t", "owner:wrong"), / refuses the password; give the right one/],
    [there.replace("owner:s3cr3t", "nobody:s3cr3t"), / refuses the password; give the right one/],
    [server().address("missing"), / does not exist; make it \(createdb\), or name another one$/],
    [server().address("postgres", 1), / refuses connections; start it, or correct the address$/],
    [`${there}?sslmode=require`, / has no TLS; turn it on there, /],
    [
      there.replace("postgres://owner:s3cr3t@", "postgres://"),
      /: the address of the database names no user; /,
    ],
  ];
  for (const [address, says] of all) {
    const message = await refused(address);
    assert.match(message, says);
    assert.ok(!message.includes("s3cr3t"), message);
  }
});

Deno.test("a password with every character, over TLS, whose certificate is judged", async () => {
  const password = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~é\u{10000}";
  const [authority, stranger] = [await newAuthority(), await newAuthority()];
  await using own = await Postgres.start({ password, tls: await authority.issue(["127.0.0.1"]) });
  const name = new URL(await own.database()).pathname.slice(1);
  const files = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${files}/ca.pem`, authority.pem);
    await Deno.writeTextFile(`${files}/other.pem`, stranger.pem);
    const kv = await openPostgres(
      own.address(name, own.port, `?sslmode=verify-full&sslrootcert=${files}/ca.pem`),
    );
    assert.ok((await kv.set(["a"], 1)).ok);
    assert.equal(
      await own.sql(
        "select bool_or(ssl) from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'site-operations'",
      ),
      "t",
    );
    await kv.close();
    for (const bad of ["?sslmode=verify-full", `?sslmode=require&sslrootcert=${files}/other.pem`]) {
      assert.match(await refused(own.address(name, own.port, bad)), / has a certificate that /);
    }
    const unjudged = await openPostgres(own.address(name, own.port, "?sslmode=no-verify"));
    assert.equal((await unjudged.get(["a"])).value, 1);
    await unjudged.close();
  } finally {
    await Deno.remove(files, { recursive: true });
  }
});
