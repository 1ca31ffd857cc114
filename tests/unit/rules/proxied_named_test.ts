/** Arguments of others' tools: where they name a tool, an ability or an operation that is never run. */
import assert from "node:assert/strict";
import { namedForbidden } from "../../../rules/proxied/named.ts";

Deno.test("an argument that names a tool, an ability or an operation is judged at any depth", () => {
  const deep = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { a: deep(levels - 1, inner) };
  const rows: [Record<string, unknown>, string][] = [
    [{ operation: "delete-menu" }, "operation"],
    [{ ability_name: "shop/delete-post" }, "ability_name"],
    [{ toolName: "publish_page" }, "toolName"],
    [{ name: "emcp-tools-delete-post", arguments: {} }, "name"],
    [{ operations: [{ op: "update" }, { op: "trash" }] }, "operations[1].op"],
    [{ operations: [{ type: "delete" }] }, "operations[0].type"],
    [{ operations: [{ delete: { post_id: 5 } }] }, "operations[0].delete"],
    [{ operations: { "delete-page": [5] } }, "operations.delete-page"],
    [{ actions: '[{"trashPost":5}]' }, "actions"],
    [{ bulk_action: "tr.ash" }, "bulk_action"],
    [{ actions: ["save", "wipe"] }, "actions[1]"],
    [{ x: deep(20, { action: "DELETE" }) as object }, `x${".a".repeat(20)}.action`],
    [{ settings: JSON.stringify({ y: [{ operation: "purge" }] }) }, "settings.y[0].operation"],
    [{ settings: String.raw`{\"operation\":\"drop-table\"}` }, "settings.operation"],
    [{ settings: '{"operation":"purge-all",}' }, "settings"],
    [{ settings: "{action: 'drop'}" }, "settings"],
    [{ mode: "delete" }, "mode"],
    [{ task: "delete-posts" }, "task"],
    [{ http_method: "DELETE" }, "http_method"],
    [{ method: "DELETE" }, "method"],
    [{ next_action: "delete" }, "next_action"],
    [{ task: { name: "trash-posts" } }, "task.name"],
    [{ job_type: "purge_cache" }, "job_type"],
    [{ fields: [{ name: "operation", value: "delete" }] }, "fields[0].value (operation)"],
    [{ fields: [["action", "trash"]] }, "fields[0][1] (action)"],
    [{ args: "op=delete&id=5" }, "args.op"],
    [{ command: ` delete ${" ".repeat(600)}` }, "command"],
  ];
  for (const [args, field] of rows) assert.equal(namedForbidden(args)?.field, field, JSON.stringify(args));
});

Deno.test("texts for visitors and settings of elements are no names", () => {
  for (
    const args of [
      { title: "How to delete a post", editor: "<p>publish or perish</p>" },
      { settings: { drop_cap: "yes", call_to_action: "Drop us a line" } },
      { name: "Delete me", type: "heading" },
      { operations: [{ element_id: "a", settings: { title: "Publish today", delete_icon: "x" } }] },
      { operations: [{ element_id: "a", delete: false }] },
      { note: "{ delete: not JSON" },
      { settings: { blend_mode: "multiply", background_slideshow_mode: "fade" } },
      { fields: [{ name: "button_text", value: "Delete my account" }] },
    ]
  ) assert.equal(namedForbidden(args), null, JSON.stringify(args));
});

Deno.test("a call within the arguments is found", () => {
  const call = { ability_name: "shop/add", parameters: { x: 1 } };
  assert.equal(namedForbidden(call)?.word, null);
  assert.equal(namedForbidden({ steps: [call] })?.field, "steps[0]");
  assert.equal(namedForbidden({ steps: JSON.stringify([call]) })?.field, "steps[0]");
  assert.equal(namedForbidden({ ability_name: "shop/add" }), null);
});
