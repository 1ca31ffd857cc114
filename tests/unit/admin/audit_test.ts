/** The audit is read by page, streamed whole and checked. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import type { AuditPage } from "../../../store/store.ts";
import { auditRow, kit, MASTER } from "./kit.ts";

const PATH = "/admin/api/audit";

async function filled() {
  const gw = await kit();
  for (let n = 0; n < 5; n++) {
    gw.store.rows.push(auditRow({ id: `r${n}`, at: `2026-11-2${n}T09:00:00.000Z` }));
  }
  gw.store.rows.push(
    auditRow({
      id: "odd",
      at: "2026-11-25T09:00:00.000Z",
      status: "denied",
      tool: "publish_post",
      token_id: "t2",
      client_id: "https://client.example/metadata",
      owner_user_id: "ann",
      arguments: { path: "src/pages/about.astro" },
    }),
  );
  return gw;
}

async function ids(gw: Awaited<ReturnType<typeof kit>>, query: string): Promise<string[]> {
  return (await gw.ok<AuditPage>("GET", `${PATH}${query}`)).rows.map((row) => row.id);
}

Deno.test("rows come newest first, a page at a time", async () => {
  const gw = await filled();
  const first = await gw.ok<AuditPage>("GET", `${PATH}?limit=4`);
  assert.deepEqual(first.rows.map((row) => row.id), ["odd", "r4", "r3", "r2"]);
  const rest = await gw.ok<AuditPage>("GET", `${PATH}?limit=4&cursor=${first.next_cursor}`);
  assert.deepEqual(rest.rows.map((row) => row.id), ["r1", "r0"]);
  assert.equal(rest.next_cursor, null);
});

Deno.test("each filter narrows the rows", async () => {
  const gw = await filled();
  assert.deepEqual(await ids(gw, "?from=2026-11-23"), ["odd", "r4", "r3"]);
  assert.deepEqual(await ids(gw, "?to=2026-11-21T09:00:00Z"), ["r0"]);
  assert.deepEqual(await ids(gw, "?from=2026-11-21T09:00Z&to=2026-11-22T10:00:00.5Z"), ["r2", "r1"]);
  assert.deepEqual(await ids(gw, "?to=2026-11-21T11:00:00+02:00"), ["r0"]);
  assert.deepEqual(await ids(gw, "?status=denied"), ["odd"]);
  assert.deepEqual(await ids(gw, "?tool=publish_post&token_id=t2&site_id=acme"), ["odd"]);
  assert.deepEqual(await ids(gw, "?site_id=beta"), []);
  const client = encodeURIComponent("https://client.example/metadata");
  assert.deepEqual(await ids(gw, `?client_id=${client}&owner_user_id=ann`), ["odd"]);
  assert.deepEqual(await ids(gw, "?owner_user_id=bob"), []);
  assert.deepEqual(await ids(gw, "?path=src/pages/about.astro"), ["odd"]);
  assert.deepEqual(await ids(gw, "?path=src/pages"), []);
  assert.equal((await ids(gw, "?tool=&status=")).length, 6);
});

Deno.test("a query that cannot be meant is refused", async () => {
  const gw = await filled();
  const cases: [string, string][] = [
    ["?limit=0", `limit: expected a whole number from 1 to ${LIMITS.AUDIT_PAGE_MAX}, not 0`],
    [`?limit=${LIMITS.AUDIT_PAGE_MAX + 1}`, "limit: expected a whole number from 1 to"],
    [`?client_id=${"c".repeat(2049)}`, "client_id: expected a client id"],
    [`?path=${"p".repeat(251)}`, "path: expected the path of a file, at most 250 characters"],
    ["?owner_user_id=a%20b", "owner_user_id: expected a user's id or e-mail address"],
    ["?limit=ten", 'limit: expected a whole number from 1 to 500, not "ten"'],
    ["?from=yesterday", 'from: expected a time such as 2026-11-21 or 2026-11-21T09:30:00Z, not "yesterday"'],
    ["?from=2026-13-01", "from: expected a time"],
    ["?from=2026-02-30", "from: expected a time"],
    ["?to=2026-11-31T09:30:00Z", "to: expected a time"],
    ["?to=2026-11-21T09:00:00", "to: expected a time"],
    ["?from=2026-11-22&to=2026-11-22", "to: expected a time after from"],
    ["?status=failed", "status: expected one of started, ok, error"],
    ["?tokenid=x", "tokenid: unknown field, did you mean token_id"],
    ["?tool=a&tool=b", "tool: is given more than once"],
    ["?site_id=..%2F", "site_id: expected a site id"],
    ["?token_id=%00", "token_id: expected a token id"],
    ["?cursor=a%20b", "cursor: expected a next_cursor of an earlier answer"],
  ];
  for (const [query, message] of cases) {
    const said = await gw.refused("E_BAD_INPUT", "GET", `${PATH}${query}`);
    assert.ok(said.startsWith(message), said);
  }
  await gw.refused("E_BAD_INPUT", "GET", `${PATH}.ndjson?limit=5`);
  await gw.refused("E_BAD_INPUT", "GET", `${PATH}/verify?x=1`);
});

Deno.test("the export streams a line of JSON a row, oldest first", async () => {
  const gw = await filled();
  const reply = await gw.call("GET", `${PATH}.ndjson?from=2026-11-24`);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "application/x-ndjson");
  assert.equal(reply.headers.get("cache-control"), "no-store");
  const lines = reply.text.split("\n");
  assert.equal(lines.pop(), "");
  assert.deepEqual(lines.map((line: string) => JSON.parse(line).id), ["r4", "odd"]);
  assert.equal((await gw.call("GET", `${PATH}.ndjson?site_id=beta`)).text, "");
});

Deno.test("the export reads no further than its client does", async () => {
  const gw = await filled();
  let read = 0;
  let ended = false;
  gw.store.audit.export = async function* () {
    try {
      while (true) yield await Promise.resolve(`{"n":${read++}}\n`);
    } finally {
      ended = true;
    }
  };
  const response = await gw.app.request(`${PATH}.ndjson`, { headers: { authorization: `Bearer ${MASTER}` } });
  const reader = response.body!.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), '{"n":0}\n');
  await reader.cancel();
  assert.ok(ended && read <= 2, String(read));
});

Deno.test("an export that fails at once is answered so, one that fails later is cut off and reported", async () => {
  const gw = await filled();
  const broken = new Error("broken segment");
  // deno-lint-ignore require-yield
  gw.store.audit.export = async function* () {
    await Promise.resolve();
    throw broken;
  };
  await gw.refused("E_INTERNAL", "GET", `${PATH}.ndjson`);
  gw.store.audit.export = async function* () {
    yield await Promise.resolve("{}");
    throw broken;
  };
  await assert.rejects(gw.call("GET", `${PATH}.ndjson`), broken);
  assert.deepEqual(gw.reports.at(-1), ["audit.ndjson", broken]);
});

Deno.test("the chains are checked on request", async () => {
  const gw = await filled();
  assert.deepEqual(await gw.ok("GET", `${PATH}/verify`), {
    ok: true,
    writers: 1,
    segments: 1,
    rows: 6,
    faults: [],
  });
});
