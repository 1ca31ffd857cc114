/** Names of others' tools: what is never run, what runs another, and where arguments name such a thing. */
import assert from "node:assert/strict";
import { hiddenReason, neverApproved } from "../../../rules/proxied/approval.ts";
import { forbiddenWord, namedForbidden, runsAnother } from "../../../rules/proxied/names.ts";

const WORDS = [
  "delete",
  "trash",
  "destroy",
  "purge",
  "erase",
  "wipe",
  "drop",
  "uninstall",
  "deactivate",
  "publish",
  "unpublish",
];

Deno.test("a name with a forbidden word is found, however it is joined and written", () => {
  for (const word of WORDS) {
    const hump = word[0]!.toUpperCase() + word.slice(1);
    const names = [
      `shop-${word}-post`,
      `shop_${word}_post`,
      `shop/${word}/post`,
      `shop.${word}.post`,
      `${word}Post`,
      `do${hump}Now`,
      `HTML${hump}`,
      `HTML${word}`,
      `${word.toUpperCase()}post`,
      `${word[0]}.${word.slice(1)}-post`,
      `${word[0]}\0${word.slice(1)}`,
      `${word[0]}<b>${word.slice(1)}</b>`,
      `${word[0]}%00${word.slice(1)}`,
      `${word.toUpperCase()}-POST`,
      `${word}2`,
      `x ${word} y`,
      ` ${word}\n`,
      `shop:${word}`,
      `shop-${word.split("").map((one, n) => n % 2 ? one.toUpperCase() : one).join("")}-post`,
    ];
    for (const name of names) assert.equal(forbiddenWord(name), word, name);
  }
});

Deno.test("look-alikes from other scripts, marks that are not seen and wide letters hide no word", () => {
  for (
    const name of [
      "dеlete-post", // the second letter is Cyrillic
      "ｄｅｌｅｔｅ-post",
      "de\u200blete-post",
      "délete-post",
      "ԁеlеtе-post",
      "рublіsh-page",
      "𝗱𝗲𝗹𝗲𝘁𝗲",
      "de\u00adlete",
      "ρublish",
      "DЕLЕТЕ-post",
    ]
  ) assert.notEqual(forbiddenWord(name), null, name);
});

Deno.test("a word within another word forbids nothing", () => {
  for (
    const name of [
      "builder-mcp-remove-element",
      "contacts_remove-tags",
      "list-deleted-posts",
      "publisher-info",
      "dropdown-options",
      "blogs_create-blog-post",
      "social-media-posting_create-post",
      "backdrop-image",
      "",
      "x".repeat(10_000),
    ]
  ) assert.equal(forbiddenWord(name), null, name);
  assert.equal(hiddenReason("builder-mcp-add-heading"), null);
  assert.match(hiddenReason("emcp-tools-delete-post")!, /^its name has the word "delete"/);
});

Deno.test("what reaches beyond content is never approved", () => {
  for (
    const name of [
      "emcp-tools-write-file",
      "emcp-tools-read-file",
      "emcp-tools-search-files",
      "emcp-tools-list-directory",
      "emcp-tools-query",
      "emcp-tools-list-tables",
      "emcp-tools-insert-row",
      "emcp-tools-update-rows",
      "emcp-tools-run-wp-cli",
      "emcp-tools-create-php-snippet",
      "emcp-tools-install-plugin",
      "emcp-tools-list-plugins",
      "emcp-tools-switch-theme",
      "emcp-tools-create-theme-template",
      "emcp-tools-set-template-conditions",
      "emcp-tools-create-user",
      "emcp-tools-list-users",
      "emcp-tools-import-sandbox-artifact",
      "emcp-tools-rollback-change",
      "emcp-tools-restore-content",
      "emcp-tools-update-settings",
      "updateSettings",
      "emcp-tools-export-content",
      "emcp-tools-reindex-search",
      "emcp-tools-delete-post",
    ]
  ) assert.notEqual(neverApproved(name), null, name);
  for (
    const name of [
      "emcp-tools-add-block",
      "emcp-tools-update-page-settings",
      "emcp-tools-update-element",
      "mcp-adapter-execute-ability",
      "contacts_get-contact",
      "emcp-tools-export-page",
    ]
  ) assert.equal(neverApproved(name), null, name);
});

Deno.test("a tool that runs another is known by its name", () => {
  for (const name of ["mcp-adapter-execute-ability", "emcp-tools-call-tool", "runTool", "invoke_abilities"]) {
    assert.ok(runsAnother(name), name);
  }
  for (const name of ["mcp-adapter-get-ability-info", "emcp-tools-list-tools", "contacts_add-tags"]) {
    assert.ok(!runsAnother(name), name);
  }
});

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
