/** The environment is read once, completely, and every fault is told. */
import assert from "node:assert/strict";
import { envExample, permissions, withTables } from "../../../registry/generate_settings.ts";
import { CONNECTORS } from "../../connectors.ts";
import {
  GATEWAY_SETTINGS,
  localAddress,
  type Mode,
  readSettings,
  type SettingEntry,
  SettingsError,
  unusedDatabase,
} from "../../../core/settings.ts";

const KEY = new Uint8Array(32).fill(7).toBase64();
const TOKEN = "m".repeat(32);
const LEAST = { MASTER_TOKEN: TOKEN, ENCRYPTION_KEYS: KEY };
const ENTRIES: readonly SettingEntry[] = [...GATEWAY_SETTINGS, ...CONNECTORS.settings];
const root = new URL("../../../", import.meta.url);

function settings(env: Record<string, string> = {}, mode: Mode = "start") {
  return readSettings(
    (name) => ({ ...LEAST, ...env } as Record<string, string>)[name],
    mode,
    CONNECTORS.settings,
  );
}

function faults(env: Record<string, string>, mode: Mode = "start", hasStore = false): readonly string[] {
  try {
    readSettings((name) => env[name], mode, CONNECTORS.settings, () => hasStore);
  } catch (fault) {
    assert.ok(fault instanceof SettingsError);
    for (const line of fault.faults) assert.ok(fault.message.includes(line));
    return fault.faults;
  }
  return [];
}

Deno.test("two secrets are enough to start", () => {
  const read = settings();
  assert.equal(read.host, "127.0.0.1");
  assert.equal(read.port, 8000);
  assert.equal(read.baseUrl, "http://127.0.0.1:8000");
  assert.equal(read.kvPath, "data/gateway.sqlite3");
  assert.deepEqual(read.encryptionKeys, [new Uint8Array(32).fill(7)]);
  assert.equal(read.tokenPrefix, "gate");
  assert.deepEqual(read.privateUpstreams, []);
  assert.equal(read.auditRetentionDays, 400);
  assert.deepEqual([read.rateLimitToken, read.rateLimitSite], [1200, 1200]);
  assert.equal(read.upstream.REPO_API_BASE, "https://api.github.com");
  assert.equal(read.upstream.CRM_MCP_URL, "https://services.leadconnectorhq.com/mcp/");
  assert.equal(read.upstream.TOPICMAP_BASE_URL, null);
  assert.ok(
    CONNECTORS.settings.every(({ name, default: preset }) => preset !== null || read.upstream[name] === null),
  );
});

Deno.test("every default can be read by the rule of its own variable", () => {
  for (const entry of ENTRIES) {
    if (entry.default !== null) assert.doesNotThrow(() => entry.read(entry.default!));
  }
});

Deno.test("start refuses to run without secrets and says how to make them", () => {
  const told = faults({ MASTER_TOKEN: "  ", PORT: "eighty" });
  assert.equal(told.length, 3);
  assert.match(told[0]!, /^PORT: "eighty" is not a whole number in range; allowed: 0 to 65535$/);
  assert.match(told[1]!, /^MASTER_TOKEN: not set; make one with node -p ".+" or deno eval -p ".+"$/);
  assert.match(told[2]!, /^ENCRYPTION_KEYS: not set; make one with /);
});

Deno.test("each variable refuses what it cannot be", () => {
  const bad: [string, string][] = [
    ["HOST", "http://x"],
    ["HOST", "a b"],
    ["HOST", "127.0.0.1:80"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["PORT", "1e3"],
    ["BASE_URL", "gateway.test"],
    ["BASE_URL", "http://gateway.test"],
    ["BASE_URL", "https://gateway.test/sub"],
    ["BASE_URL", "https://user:word@gateway.test"],
    ["BASE_URL", "https://gateway.test?x=1"],
    ["BASE_URL", "ftp://gateway.test"],
    ["KV_PATH", "http://kv.test"],
    ["KV_PATH", "redis://kv.test"],
    ["KV_PATH", "mysql://user:word@db.test/gateway"],
    ["KV_PATH", "a\u0000b"],
    ["TOKEN_PREFIX", "oat"],
    ["TOKEN_PREFIX", "Gate"],
    ["TOKEN_PREFIX", "a_b"],
    ["ALLOW_PRIVATE_UPSTREAMS", "http://10.0.0.1"],
    ["ALLOW_PRIVATE_UPSTREAMS", "10.0.0.1:80"],
    ["ALLOW_PRIVATE_UPSTREAMS", "a,b/c"],
    ["AUDIT_RETENTION_DAYS", "0"],
    ["RATE_LIMIT_TOKEN", "many"],
    ["RATE_LIMIT_SITE", "-5"],
    ["REPO_API_BASE", "api.github.com"],
    ["REPO_API_BASE", "http://127.0.0.1:9"],
    ["CRM_MCP_URL", "https://crm.test/mcp?x"],
    ["ACCOUNT_TOKEN_URL", "https://a\\b"],
    ["REPO_APP_ID", "12 34"],
    ["SITEBUILDER_API_USER", "a\u0007b"],
  ];
  for (const [name, value] of bad) {
    const told = faults({ ...LEAST, [name]: value });
    assert.equal(told.length, 1, `${name}=${value}`);
    // What stands before an "@" may be a password.
    assert.ok(told[0]!.startsWith(value.includes("@") ? `${name}: the value ` : `${name}: "`), told[0]);
    assert.match(told[0]!, /allowed: |; use https, or list /);
  }
});

Deno.test("a secret that is wrong is never shown", () => {
  const bad: [string, string, RegExp][] = [
    ["MASTER_TOKEN", "tooshorttoken", /has 13 characters; allowed: at least 32/],
    ["MASTER_TOKEN", `${"m".repeat(31)} é`, /outside ASCII/],
    ["ENCRYPTION_KEYS", new Uint8Array(16).toBase64(), /\(number 1\) of 16 bytes; allowed: 32 bytes/],
    ["ENCRYPTION_KEYS", `${KEY},!secret!`, /\(number 2\) that is not base64/],
    ["ENCRYPTION_KEYS", `${KEY},`, /\(number 2\) of 0 bytes/],
    ["REPO_APP_PRIVATE_KEY", "just words", /is not a private key in PEM/],
    ["HOSTING_API_TOKEN", "two words", /holds a space/],
  ];
  for (const [name, value, message] of bad) {
    const told = faults({ ...LEAST, [name]: value });
    assert.equal(told.length, 1, `${name}=${value}`);
    assert.match(told[0]!, message);
    assert.ok(!told[0]!.includes(value) && !told[0]!.includes("!secret!"));
  }
});

Deno.test("addresses are spelled one way", () => {
  assert.equal(settings({ BASE_URL: "https://Gateway.TEST:443/" }).baseUrl, "https://gateway.test");
  assert.equal(settings({ BASE_URL: "http://[::1]:8000/" }).baseUrl, "http://[::1]:8000");
  assert.equal(settings({ HOST: "::", PORT: "81" }).baseUrl, "http://127.0.0.1:81");
  assert.equal(settings({ HOST: "[::1]" }).host, "::1");
  assert.equal(localAddress("::1", 82), "http://[::1]:82");
  const read = settings({
    ALLOW_PRIVATE_UPSTREAMS: " LOCALHOST, 10.0.0.7 ,::1,,[fd00::1]",
    REPO_API_BASE: "http://localhost:9/api/",
    CRM_MCP_URL: "http://[::1]:9/mcp/",
  });
  assert.deepEqual(read.privateUpstreams, ["localhost", "10.0.0.7", "[::1]", "[fd00::1]"]);
  assert.equal(read.upstream.REPO_API_BASE, "http://localhost:9/api");
  assert.equal(read.upstream.CRM_MCP_URL, "http://[::1]:9/mcp/");
});

Deno.test("the store's place follows the way the gateway is started", () => {
  assert.equal(settings({}, "demo").kvPath, ":memory:");
  assert.equal(settings({}, "dev").kvPath, "data/gateway.sqlite3");
  assert.equal(settings({ DENO_DEPLOY: "1" }).kvPath, null);
  assert.equal(settings({ DENO_DEPLOYMENT_ID: "x" }).kvPath, null);
  assert.equal(settings({ DENO_DEPLOYMENT_ID: "x", KV_PATH: ":memory:" }).kvPath, ":memory:");
  assert.equal(settings({ KV_PATH: "https://kv.test/db" }).kvPath, "https://kv.test/db");
  for (
    const database of ["postgres://u:p@db.test/gateway", "PostgreSQL://u@db.test/gateway?sslmode=disable"]
  ) {
    assert.equal(settings({ KV_PATH: database }).kvPath, database);
    assert.equal(settings({ DATABASE_URL: database }).kvPath, database);
    assert.equal(settings({ DATABASE_URL: database, DENO_DEPLOY: "1" }).kvPath, database);
    assert.equal(settings({ DATABASE_URL: database, KV_PATH: "other.sqlite3" }).kvPath, "other.sqlite3");
    assert.equal(settings({ DATABASE_URL: database }, "dev").kvPath, "data/gateway.sqlite3");
    assert.equal(settings({ DATABASE_URL: database }, "demo").kvPath, ":memory:");
    assert.equal(settings({ DATABASE_URL: database }).placeSetting, "DATABASE_URL");
    assert.equal(settings({ DATABASE_URL: database, KV_PATH: database }).placeSetting, "KV_PATH");
    assert.equal(settings({ DATABASE_URL: database }, "dev").placeSetting, "KV_PATH");
  }
  assert.equal(settings({ DATABASE_URL: "mysql://u:p@db.test/shop" }).kvPath, "data/gateway.sqlite3");
});

Deno.test("what is wrong with a database is said of the variable that names it, and dev and demo say that they leave it alone", () => {
  const DATABASE_URL = "postgres://u:secret@db.test/gate\u0001way";
  const KV_PATH = DATABASE_URL;
  assert.deepEqual(faults({ ...LEAST, DATABASE_URL }).map((fault) => fault.split(" holds")[0]), [
    "DATABASE_URL: the value",
  ]);
  assert.deepEqual(faults({ ...LEAST, KV_PATH }).map((fault) => fault.split(" holds")[0]), [
    "KV_PATH: the value",
  ]);
  const says = (env: Record<string, string>, mode: Mode) =>
    unusedDatabase((name) => env[name], settings(env, mode));
  const env = { DATABASE_URL: "postgres://u:secret@db.test/gateway" };
  assert.match(says(env, "dev")!, /^DATABASE_URL is not used by deno task dev, whose store is data/);
  assert.match(says(env, "demo")!, /^DATABASE_URL is not used by deno task demo, whose store is :memory:;/);
  assert.equal(says(env, "start"), null);
  assert.equal(says({ ...env, KV_PATH: "other.sqlite3" }, "dev"), null);
  assert.equal(says({ DATABASE_URL: "mysql://u:p@db.test/shop" }, "dev"), null);
});

Deno.test("the database of a host does not take the place of a store that is on this machine", () => {
  const address = "postgres://u:secret@db.test/gateway";
  const told = (env: Record<string, string>) =>
    faults({ ...LEAST, DATABASE_URL: address, ...env }, "start", true);
  const [fault, ...more] = told({});
  assert.match(
    fault!,
    /^KV_PATH: not set, while DATABASE_URL names a database and "data\/gateway\.sqlite3" holds a store, or held one; set/,
  );
  assert.ok(!fault!.includes("secret"));
  assert.deepEqual(more, []);
  assert.deepEqual(told({ KV_PATH: address }), []);
  assert.deepEqual(told({ KV_PATH: "data/gateway.sqlite3" }), []);
});

Deno.test("keys are read in order, in either alphabet of base64", () => {
  const other = new Uint8Array(32).fill(0xfb);
  const read = settings({
    ENCRYPTION_KEYS: `${other.toBase64({ alphabet: "base64url", omitPadding: true })}, ${KEY}`,
  });
  assert.deepEqual(read.encryptionKeys, [other, new Uint8Array(32).fill(7)]);
});

Deno.test("secrets of upstreams are known by presence", () => {
  const pem = "-----BEGIN RSA PRIVATE KEY-----\\nabc\\n-----END RSA PRIVATE KEY-----";
  const read = settings({ ADS_DEVELOPER_TOKEN: " dev ", REPO_APP_PRIVATE_KEY: pem });
  assert.equal(read.upstream.HOSTING_API_TOKEN, null);
  assert.equal(read.upstream.ADS_DEVELOPER_TOKEN, "dev");
  assert.equal(read.upstream.REPO_APP_PRIVATE_KEY, pem.replaceAll("\\n", "\n"));
});

Deno.test("the page, the example and the permissions are what the connectors make of them", () => {
  const read = (path: string) => Deno.readTextFileSync(new URL(path, root));
  const page = read("docs/CONFIGURATION.md");
  assert.equal(page, withTables(page, CONNECTORS), "run deno task gen");
  assert.equal(read(".env.example"), envExample(CONNECTORS), "run deno task gen");
  assert.equal(read("deno.json"), permissions(read("deno.json"), CONNECTORS), "run deno task gen");
  for (const { name } of ENTRIES) {
    assert.ok(page.includes(`| \`${name}\` |`));
    assert.ok(JSON.parse(read("deno.json")).permissions.serve.env.includes(name));
  }
  assert.throws(() => withTables("no marks", CONNECTORS), /lacks the marks/);
});

Deno.test("a setting the process has no permission to read is refused with the command that mends it", () => {
  const env = (name: string) => {
    if (name === "REPO_APP_ID") throw new Deno.errors.NotCapable(name);
    return ({ ...LEAST } as Record<string, string>)[name];
  };
  assert.throws(
    () => readSettings(env, "start", CONNECTORS.settings),
    /REPO_APP_ID: the gateway has no permission to read it; run deno task gen/,
  );
});

Deno.test("the example, every line of it switched on, is what stands without it", () => {
  const env: Record<string, string> = {};
  for (const line of envExample(CONNECTORS).split("\n")) {
    const [, name, value] = /^#([A-Z_]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value) env[name] = value;
  }
  assert.deepEqual(settings(env), settings());
});
