/** The admin API over the audit and the keys of a store: what is kept is found whole, and what is sealed is named. */
import assert from "node:assert/strict";
import { fakeRetention, WAITS } from "./fake_retention.ts";
import { acceptKeys } from "../../../store/maintenance.ts";
import { openStore } from "../../../store/kv.ts";
import type { AuditPage } from "../../../store/store.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { openMemory } from "../../memory_kv.ts";
import { auditRow, kit } from "./kit.ts";
import { folder } from "../../folder.ts";

const options = { siteShape: SITE_SHAPE, tokenPrefix: "gate" };

Deno.test("the audit is listed, exported and found whole", async () => {
  const keys = [new Uint8Array(32).fill(1)];
  await using kept = new AsyncDisposableStack();
  const store = await openStore({ ...options, path: ":memory:", open: openMemory, keys });
  kept.defer(() => store.close());
  const gw = await kit({ store });
  const ids = ["01KAHZ0000000000000000000A", "01KAHZ0000000000000000000B", "01KAHZ0000000000000000000C"];
  for (const id of ids) await store.audit.append(auditRow({ id, tool: "get_post" }));
  const first = await gw.ok<AuditPage>("GET", "/admin/api/audit?limit=2&tool=get_post");
  assert.equal(first.rows.length, 2);
  const next = `/admin/api/audit?limit=2&tool=get_post&cursor=${first.next_cursor}`;
  const rest = await gw.ok<AuditPage>("GET", next);
  assert.deepEqual([...first.rows, ...rest.rows].map((row) => row.id), ids.toReversed());
  const lines = (await gw.call("GET", "/admin/api/audit.ndjson")).text.trimEnd().split("\n");
  assert.equal(lines.filter((line: string) => JSON.parse(line).tool === "get_post").length, 3);
  assert.equal((await gw.ok("GET", "/admin/api/audit/verify")).ok, true);
  assert.match(await gw.refused("E_BAD_INPUT", "GET", "/admin/api/audit?cursor=nonsense"), /^cursor: /);
});

Deno.test("health names what is sealed under a missing key by what an operator calls it", async () => {
  await using place = await folder();
  const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const opened = (...keys: Uint8Array[]) => openStore({ ...options, path: `${place.path}/store`, keys });
  const first = await opened(old);
  const gw = await kit({ store: first });
  const credentials = { cms: { username: "u", application_password: "aaaa bbbb" } };
  await gw.ok("POST", "/admin/api/sites", {
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: "https://acme.example",
    credentials,
  });
  const user = await first.users.create({
    email: "ann@agency.example",
    role: "member",
    allowed_sites: [],
    max_risk: 0,
  });
  const grant = { access_token: "a", expires_in: 60, refresh_token: "r", scopes: [], account: "x" };
  for (const id of [user!.id, "removed"]) await first.accounts.connect(id, "google", grant).catch(() => {});
  await first.close();
  await (await opened(next, old)).close();
  await acceptKeys({ path: `${place.path}/store`, keys: [next], now: 1, known: `${place.path}/known` });
  const store = await opened(next);
  const quiet = { ...WAITS, waiting: null };
  const retention = { ...fakeRetention(), state: () => Promise.resolve(quiet) };
  const { ok, sealed } = await (await kit({ store, retention })).ok("GET", "/admin/api/health") as {
    ok: boolean;
    sealed: { kind: string; of: string; name: string }[];
  };
  assert.equal(ok, false);
  assert.deepEqual(sealed.map(({ kind, of, name }) => [kind, of, name]), [
    ["credential", "acme", "cms"],
    ["account", "ann@agency.example", "google"],
  ]);
  await store.close();
});
