/** The address of a PostgreSQL database: what a connection is made with, and that no message repeats its password. */
import assert from "node:assert/strict";
import { addressWithout, isDatabase } from "../../../core/env_values.ts";
import { isFile, nameOf } from "../../../store/engines.ts";
import { type Place, readAddress, WrongAddress } from "../../../store/postgres/address.ts";
import { explainPostgres } from "../../../store/postgres/explain.ts";

const place = (fields: Partial<Place> = {}): Place => ({
  host: "db.test",
  port: 5432,
  user: "gw",
  password: "word",
  database: "gateway",
  ssl: { rejectUnauthorized: true },
  connections: 10,
  ...fields,
});

/** Every character that has a meaning in an address, and some that have none. */
const EVERY = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~é\u{10000}";

Deno.test("an address is read with every part of it, and TLS is the default off loopback", () => {
  const loopback = { host: "127.0.0.1", ssl: false } as const;
  const all: [string, Place][] = [
    ["postgres://gw:word@db.test/gateway", place()],
    ["PostgreSQL://gw:word@db.test:6432/gateway", place({ port: 6432 })],
    ["postgres://gw:word@127.0.0.1/gateway", place(loopback)],
    ["postgres://gw:word@localhost/gateway", place({ ...loopback, host: "localhost" })],
    ["postgres://gw:word@[::1]:5433/gateway", place({ ...loopback, host: "::1", port: 5433 })],
    ["postgres://gw@db.test/gateway", place({ password: "" })],
    ["postgres://gw:word@db.test/gateway?sslmode=disable", place({ ssl: false })],
    ["postgres://gw:word@db.test/gateway?sslmode=no-verify", place({ ssl: { rejectUnauthorized: false } })],
    ["postgres://gw:word@127.0.0.1/gateway?sslmode=require", place({ host: "127.0.0.1" })],
    ["postgres://gw:word@db.test/gateway?sslmode=verify-full&sslrootcert=system", place()],
    [
      "postgres://gw:word@db.test/gateway?sslrootcert=data/ca.pem",
      place({ ssl: { rejectUnauthorized: true, ca: "text of data/ca.pem" } }),
    ],
    [
      "postgres://gw:word@db.test/gateway?pool=4&channel_binding=require&connect_timeout=5",
      place({ connections: 4 }),
    ],
    [
      `postgres://${encodeURIComponent(EVERY)}:${encodeURIComponent(EVERY)}@db.test/${
        encodeURIComponent("a b")
      }`,
      place({ user: EVERY, password: EVERY, database: "a b" }),
    ],
    ["postgres://gw:100%@db.test/gateway", place({ password: "100%" })],
    ["postgres://gw:a@b@db.test/gateway", place({ password: "a@b" })],
  ];
  for (const [address, expected] of all) {
    assert.deepEqual(readAddress(address, (path) => `text of ${path}`), expected, address);
    assert.ok(isDatabase(address) && !isFile(address));
  }
});

Deno.test("an address that cannot be is refused with what is allowed, and is never repeated", () => {
  const all: [string, string][] = [
    [
      "postgres://gw:se/cret@db.test/gateway",
      "cannot be read; write postgres://user:password@host:5432/database",
    ],
    ["postgres://gw:se#cret@db.test/gateway", "percent-encoded"],
    ["postgres://gw:se?cret@db.test/gateway", "percent-encoded"],
    ["postgres://:secret@db.test/gateway", "names no user"],
    ["postgres://gw:secret@db.test", "names no database"],
    ["postgres://gw:secret@db.test/", "names no database"],
    ["postgres://gw:secret@/gateway", "percent-encoded"],
    [
      "postgres:///gateway?host=/run/postgresql",
      "names no host; sockets of the file system are not supported",
    ],
    [
      "postgres://gw:secret@one.test,two.test/gateway",
      "names several hosts; name one that leads to the primary",
    ],
    ["postgres://gw:secret@db.test:99999/gateway", "cannot be read"],
    [
      "postgres://gw:secret@db.test/gateway?sslmode=prefer",
      "has sslmode=prefer; allowed are disable, no-verify, require",
    ],
    ["postgres://gw:secret@db.test/gateway?pool=0", "has pool=0; allowed is a whole number from 1 to 100"],
    [
      "postgres://gw:secret@db.test/gateway?sslkey=x",
      'has the parameter "sslkey"; allowed are sslmode, sslrootcert',
    ],
    [
      "postgres://gw:secret@db.test/gateway?sslrootcert=gone.pem",
      "names sslrootcert=gone.pem, which cannot be read",
    ],
  ];
  const unread = () => {
    throw new Error("No such file");
  };
  for (const [address, says] of all) {
    assert.throws(() => readAddress(address, unread), (error) => {
      assert.ok(error instanceof WrongAddress, address);
      assert.ok(
        error.message.startsWith("KV_PATH: ") && error.message.includes(says),
        `${address}: ${error.message}`,
      );
      assert.ok(!error.message.includes("cret"), error.message);
      return true;
    });
  }
});

Deno.test("messages name a database without its password", () => {
  assert.equal(
    nameOf("postgres://gw:secret@db.test:6432/gateway?sslmode=require"),
    "postgres://gw@db.test:6432/gateway",
  );
  assert.equal(nameOf("postgres://:secret@db.test/gateway"), "the PostgreSQL database");
  assert.equal(nameOf("postgres://gw:se/cret@db.test/gateway"), "the PostgreSQL database");
});

Deno.test("an address that is printed to be used again has all but the password", () => {
  assert.equal(
    addressWithout("postgres://gw:secret@db.test:6432/gateway?sslmode=require"),
    "postgres://gw:PASSWORD@db.test:6432/gateway?sslmode=require",
  );
  assert.equal(addressWithout("postgres://gw@db.test/gateway"), "postgres://gw@db.test/gateway");
  assert.ok(!addressWithout("postgres://gw:se/cret@db.test/gateway").includes("cret"));
});

Deno.test("what a database or the network says is told with what to do", () => {
  const database = (code: string) => Object.assign(new Error("said"), { code, severity: "FATAL" });
  const network = (code: string) => Object.assign(new Error("said"), { code });
  const all: [unknown, string][] = [
    [database("28P01"), "refuses the password"],
    [database("3D000"), "does not exist"],
    [database("25006"), "can only be read"],
    [database("53100"), "is on a disk that is full"],
    [database("53300"), "takes no more connections"],
    [database("57014"), "takes longer than five seconds"],
    [database("99999"), 'refuses what the store needs ("said", 99999)'],
    [
      Object.assign(new Error("wrong token.\nRun: \x1b[31mcurl"), { code: "P0001", severity: "ERROR" }),
      'refuses what the store needs ("wrong token. Run: [31mcurl", P0001)',
    ],
    [network("ECONNREFUSED"), "refuses connections"],
    [new AggregateError([network("ECONNREFUSED")]), "refuses connections"],
    [new Error("outer", { cause: network("ENOTFOUND") }), "is at a host that no name server knows"],
    [new Error("The server does not support SSL connections"), "has no TLS"],
    [new Error("self signed certificate"), "has a certificate that is not judged good"],
    [new Error("timeout expired"), "has not answered in time"],
    [new Error("odd"), 'cannot be opened or written ("odd")'],
  ];
  for (const [thrown, says] of all) {
    assert.ok(explainPostgres(thrown).startsWith(says), explainPostgres(thrown));
  }
});
