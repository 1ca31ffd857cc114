/** Where a caller in doubt is sent to look: a tool that reads, a preview of the tool itself, or a place on the site. */
import assert from "node:assert/strict";
import { inspectionHint } from "../../guard/pipeline/outcome.ts";
import { loadTools } from "../../registry/load.ts";
import { RegistryError } from "../../registry/files.ts";
import { CONNECTORS } from "../connectors.ts";
import { world } from "./_stand_in.ts";
import { folder } from "../folder.ts";

Deno.test("the sentence names the tool, the tool's own preview, or the place", () => {
  const look = (more: { read_with?: string; read_in?: string }, tier: 0 | 1 = 1) =>
    inspectionHint({ name: "set_it", tier, read_with: undefined, read_in: undefined, ...more });
  assert.equal(look({ read_with: "get_it" }), 'look at the site with "get_it"');
  assert.equal(look({ read_with: "set_it" }), 'look at the site with a preview of "set_it"');
  assert.equal(look({ read_with: "set_it" }, 0), 'look at the site with "set_it"');
  assert.equal(look({ read_in: "its media library" }), "look at the site in its media library");
  assert.equal(look({}), "look at the site");
  assert.equal(inspectionHint(undefined), "look at the site");
});

Deno.test("a manifest that names a tool that writes, or both a tool and a place, is refused at boot", async () => {
  const manifest = (name: string, more: string) =>
    `name: ${name}\ntitle: T\ndescription: D\ntier: T1\nplatforms: [cms]\n${more}\n`;
  const handler = (name: string) =>
    `export default { name: "${name}", plan: () => ({ summary: "", changes: [] }), run: () => ({}) };\n`;
  const tools = {
    first: "read_with: second",
    second: "read_with: second",
    third: "read_with: third\nread_in: a place",
  };
  await using place = await folder();
  for (const part of ["manifests", "tools"]) {
    await Deno.mkdir(`${place.path}/${part}/toys`, { recursive: true });
  }
  for (const [name, more] of Object.entries(tools)) {
    await Deno.writeTextFile(`${place.path}/manifests/toys/${name}.yaml`, manifest(name, more));
    await Deno.writeTextFile(`${place.path}/tools/toys/${name}.ts`, handler(name));
  }
  const loaded = loadTools({ roots: [new URL(`file://${place.path}/`)], known: CONNECTORS });
  await assert.rejects(loaded, (thrown: RegistryError) => {
    assert.deepEqual(
      thrown.message.split("\n").filter((line) => line.includes("read_")).map((l) => l.trim()),
      [
        'manifests/toys/first.yaml: read_with names "second", which is no tool that reads',
        "manifests/toys/third.yaml: read_in: leave it out where read_with names a tool",
      ],
    );
    return true;
  });
});

Deno.test("a call whose equal never said how it ended names the tool to look with, and sends nothing", async () => {
  const [sent, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using at = await world({
    fetch: async (input, init) => {
      if (init?.method === "POST") {
        sent.resolve();
        await answer.promise;
      }
      return await fetch(input, init);
    },
  });
  const call = () =>
    at.kit.gw.http("/api/v1/tools/update_draft", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "once" },
      body: JSON.stringify({ site_id: "acme", post_id: at.draft.id, title: "T", confirm: true }),
    });
  const first = call();
  await sent.promise;
  at.kit.gw.clock.now += 62_000;
  const { ok, error } = await (await call()).json();
  assert.equal(ok, false);
  assert.equal(error.code, "E_OUTCOME_UNKNOWN");
  assert.match(
    error.message,
    /^The first call, request id "\w+", .*; look at the site with "get_post", or ask/,
  );
  assert.equal(at.cms.writes.length, 0);
  answer.resolve();
  await (await first).body?.cancel();
});
