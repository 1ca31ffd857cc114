/** The service stands alone: without tests, bench, sandbox and docs it starts, serves and stops. */
import assert from "node:assert/strict";
import { VERSION } from "../../core/model.ts";
import { copyProject } from "./copy.ts";
import { beyondFirst, start } from "./running.ts";

Deno.test("a copy without tests, bench, sandbox and docs boots, serves a tool and stops with 0", async () => {
  await using copy = await copyProject(["tests", "bench", "sandbox", "docs"]);
  const left = (await Array.fromAsync(Deno.readDir(copy.folder))).map(({ name }) => name);
  for (const gone of ["tests", "bench", "sandbox", "docs"]) assert.ok(!left.includes(gone), gone);
  await using gateway = start(copy.folder, {}, { cwd: copy.folder });
  const health = await fetch(`${await gateway.address()}/healthz`);
  assert.deepEqual([health.status, await health.json()], [200, { ok: true, version: VERSION }]);
  const { token } = await gateway.token();
  const listed = await gateway.call<{ sites: unknown[] }>(token, "list_sites", {});
  assert.deepEqual([listed.status, listed.result], [200, { sites: [] }]);
  gateway.kill("SIGTERM");
  const { code, stderr } = await gateway.ended;
  assert.deepEqual([code, beyondFirst(stderr)], [0, ""]);
});

Deno.test("a copy whose known tools of sites contradict themselves ends as soon as it has started, and says why", async () => {
  await using copy = await copyProject(["tests", "bench", "sandbox", "docs"]);
  const file = `${copy.folder}/manifests/proxies/crm.yaml`;
  const text = await Deno.readTextFile(file);
  const wrong = text.replace("contacts_add-tags: { effect: record", "contacts_add-tags: { effect: read");
  assert.notEqual(wrong, text);
  await Deno.writeTextFile(file, wrong);
  await using gateway = start(copy.folder, {}, { cwd: copy.folder });
  const { code, stderr } = await gateway.ended;
  assert.equal(code, 1);
  assert.match(stderr, /manifests\/proxies\/crm\.yaml: tools\.contacts_add-tags: must be a write/);
});
