/** What a gateway does where what it stands on fails beside its work. */
import assert from "node:assert/strict";
import { logged } from "../../../core/say.ts";
import { openGateway, readRegistry } from "../../../gateway/wire.ts";
import type { AuditRow } from "../../../core/model.ts";
import { readSettings } from "../../../core/settings.ts";
import { MASTER, NOW } from "../../kit.ts";

const ENV: Readonly<Record<string, string>> = {
  KV_PATH: ":memory:",
  MASTER_TOKEN: MASTER,
  ENCRYPTION_KEYS: new Uint8Array(32).fill(7).toBase64(),
};

/** A write that nobody knows the outcome of. */
const BEGUN: AuditRow = {
  id: "01K00000000000000000000000",
  request_id: "01K00000000000000000000000",
  at: new Date(NOW).toISOString(),
  door: "rest",
  tool: "create_draft",
  site_id: "acme",
  token_id: "t",
  token_name: "t",
  owner_user_id: null,
  arguments: {},
  status: "started",
  tier: 2,
  error: null,
  duration_ms: 0,
};

Deno.test("a log that cannot be written, as on a full disk, ends nothing", async () => {
  const registry = await readRegistry();
  const settings = readSettings((name) => ENV[name], "start", registry.connectors.settings);
  const gateway = await openGateway(settings, registry);
  const { write } = Deno.stderr;
  const refused: string[] = [];
  Deno.stderr.write = (bytes) => {
    refused.push(new TextDecoder().decode(bytes));
    return Promise.reject(new Error("No space left on device (os error 28)"));
  };
  try {
    await gateway.store.audit.append(BEGUN);
    await gateway.doubts.begin();
    await logged();
  } finally {
    Deno.stderr.write = write;
    await gateway.close();
  }
  assert.match(refused.join(), /^\{"at":"[^"]+","event":"writes_in_doubt",/);
});
