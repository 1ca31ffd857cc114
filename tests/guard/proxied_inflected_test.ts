/** Names that delete or publish in another form of the word: a read at most, and whoever approves is warned. */
import assert from "node:assert/strict";
import type { ToolReport } from "../../registry/proxied_reports.ts";
import { listed } from "../fake_tool_servers.ts";
import type { Kit } from "../kit.ts";
import { admin, command, open, shown } from "./proxied_kit.ts";

interface Listed {
  readonly tools: readonly ToolReport[];
}

const one = async (gw: Kit, name: string) => (await admin<Listed>(gw, `?name=${name}`)).result.tools[0]!;

async function approve(gw: Kit, name: string, as: Record<string, unknown>) {
  const { hash } = await one(gw, name);
  return await admin<Listed>(gw, "/approve", { name, sites: ["acme"], hash, ...as });
}

const SITE = { class: "write", effect: "site" };

Deno.test("what deletes or publishes in another form of the word cannot be approved as a write", async () => {
  const names = [
    "bulk-deleting",
    "page-publishes",
    "posts-deletion",
    "unpublishing-tool",
    "cache-PURGING",
    "auto_erasing",
  ];
  await using at = await open({ acme: names.map((name) => listed(`shop-${name}`)) });
  for (const name of names) {
    const { state, reason } = await one(at.gw, `shop-${name}`);
    assert.equal(state, "refused", name);
    assert.match(reason!, /^its name has the word "\w+", and nothing is deleted or published through it/);
    for (const as of [SITE, { class: "read" }]) {
      const { error } = await approve(at.gw, `shop-${name}`, as);
      assert.equal(error.code, "E_FORBIDDEN_OP", name);
    }
  }
  assert.deepEqual([...(await shown(at.gw)).keys()], []);
});

Deno.test("a read of what was deleted or is published is approved as one, and as nothing else", async () => {
  const names = ["list-deleted-posts", "get-publishing-schedule", "find-published-pages", "list-deletions"];
  await using at = await open({
    acme: names.map((name) => listed(name, { input_schema: { type: "object" }, hints: { read_only: true } })),
  });
  for (const name of names) {
    const { state, caution } = await one(at.gw, name);
    assert.deepEqual([state, typeof caution], ["held", "string"], name);
  }
  for (const name of ["get-publishing-schedule", "list-deletions"]) {
    const { error } = await approve(at.gw, name, SITE);
    assert.equal(error.code, "E_BAD_INPUT");
    assert.match(error.message, /^class: ".*" can only be a read, for its name has the word/);
  }
  for (const name of names) assert.equal((await approve(at.gw, name, { class: "read" })).ok, true, name);
  assert.deepEqual([...(await shown(at.gw)).keys()].sort(), names.toSorted());
  await at.gw.call("list-deleted-posts", {});
  assert.deepEqual(at.fake.calls.map(({ name, writes }) => [name, writes]), [["list-deleted-posts", false]]);
});

Deno.test("a name that only could mean it is approved, with a sentence that warns", async () => {
  const names = ["shop-update-publisher", "shop-mark-removed", "shop-reset-layout"];
  await using at = await open({ acme: [...names, "shop-update-title"].map((name) => listed(name)) });
  for (const name of names) {
    const { caution, state } = await one(at.gw, name);
    assert.equal(state, "held");
    assert.match(
      caution!,
      /^Its name has the word "\w+": find out whether it takes something away or shows it/,
    );
  }
  assert.equal((await one(at.gw, "shop-update-title")).caution, null);
  const { result } = await approve(at.gw, names[0]!, SITE);
  assert.deepEqual(result.tools.map(({ state, caution }) => [state, typeof caution]), [[
    "approved",
    "string",
  ]]);
  for (const args of [["show", names[1]!, "--site", "acme"], ["list", "--state", "held"]]) {
    const { code, out } = await command(at.gw, "tool-server", ...args);
    assert.equal(code, 0);
    assert.match(out, /Its name has the word "removed": find out whether/);
    assert.doesNotMatch(out, /Its name has the word "title"/);
  }
});
