/** A tool's own way to set back what it replaced: it takes the steps as the tool's call, and takes only what was kept. */
import assert from "node:assert/strict";
import { gateway, site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { edit, stands } from "../fixtures/nested/tools/notes/note_keep.ts";

const test = scenes(() =>
  gateway({
    roots: ["../fixtures/toys/", "../fixtures/nested/"].map((one) => new URL(one, import.meta.url)),
    fetch: () => Promise.resolve(new Response("{}", { headers: { "content-type": "application/json" } })),
    http: { lookup: () => Promise.resolve(["93.184.215.14"]) },
    sites: [site("acme", "cms"), site("open", "cms", { flags: { allow_publish: true } })],
    tokens: {
      keeper: { allowed_tools: ["note_keep", "undo_change"], max_risk: 3 },
      capped: { allowed_tools: ["note_keep", "undo_change"], max_risk: 1, super_admin: true },
      other: { allowed_tools: ["undo_change"], super_admin: true },
    },
  })
);
type Gateway = Parameters<Parameters<typeof test>[1]>[0];

const keep = async (gw: Gateway, line: string, text: string, more: Record<string, unknown> = {}) =>
  (await gw.call<{ request_id: string }>("note_keep", {
    ...{ site_id: "acme", note: "list", line, text, confirm: true },
    ...more,
  }, { as: "keeper" })).request_id;
const undo = (request_ids: string[], site_id = "acme") => ({ site_id, request_ids, confirm: true });

test("what was not there is taken away again, which no argument could say; and that can be taken back too", async (gw) => {
  const first = await keep(gw, "one", "a");
  const second = await keep(gw, "one", "b");
  const done = await gw.call<{ undone: string[]; request_id: string }>("undo_change", undo([first, second]), {
    as: "keeper",
  });
  assert.deepEqual([done.undone.toSorted(), stands("one")], [[first, second].toSorted(), null]);
  await gw.call("undo_change", undo([done.request_id]), { as: "keeper" });
  assert.equal(stands("one"), "b");
});

test("what somebody changed since is not set back, and nothing is written", async (gw) => {
  const request = await keep(gw, "two", "a");
  edit("two", "a person's");
  gw.requests.splice(0);
  await gw.refuses("undo_change", undo([request]), "E_STALE_PREVIEW", { as: "keeper" });
  assert.equal(stands("two"), "a person's");
  assert.ok(gw.requests.every(({ method }) => method === "GET"));
});

test("who may not use the tool, its tier or the flag by what names the thing sets nothing back", async (gw) => {
  const plain = await keep(gw, "three", "a");
  const loud = await keep(gw, "four", "a", { site_id: "open", note: "loud" });
  gw.requests.splice(0);
  await gw.refuses("undo_change", undo([plain]), "E_SCOPE_DENIED", { as: "other" });
  await gw.refuses("undo_change", undo([loud], "open"), "E_SCOPE_DENIED", { as: "capped" });
  const open = (await gw.store.sites.get("open"))!;
  await gw.store.sites.update("open", { flags: { ...open.flags, allow_publish: false } });
  await gw.refuses("undo_change", undo([loud], "open"), "E_PUBLISH_NOT_ALLOWED", { as: "keeper" });
  assert.deepEqual([stands("three"), stands("four"), gw.requests.length], ["a", "a", 0]);
});

test("what the gateway did not keep itself is not set back", async (gw) => {
  const forged = {
    request_id: "r",
    tool: "note_keep",
    site_id: "acme",
    of: { note: "list" },
    values: { five: "x" },
  };
  await gw.refuses("note_forge", { site_id: "acme", writes: [forged] }, "E_INTERNAL", { door: "rest" });
  assert.deepEqual([stands("five"), gw.requests.length], [null, 0]);
});
