/** Names of others' tools: what is never run, whoever offers it, and that nothing else is lost by it. */
import assert from "node:assert/strict";
import { readRegistry } from "../../../gateway/wire.ts";
import { caution, neverCalled, neverRun, runsAnother, skeleton } from "../../../rules/proxied/names.ts";
import { cmsTools } from "../../../sandbox/tool_servers/cms_catalogue.ts";

/** What the builder plugin, the adapter and WordPress itself list that is never run, without the prefix. */
const NEVER = new Set([
  ...[
    "delete-media",
    "delete-post",
    "delete-page-content",
    "delete-theme-template",
    "delete-plugin",
    "delete-theme",
  ],
  ...["deactivate-plugin", "delete-file", "delete-rows", "delete-php-snippet"],
  ...["write-file", "edit-file", "read-file", "list-directory", "search-files", "import-sandbox-artifact"],
  ...["export-sandbox-artifact", "rollback-change", "restore-content"],
  ...["query", "list-tables", "describe-table", "insert-row", "update-rows"],
  ...["run-wp-cli", "dispatch-wp-cli", "get-wp-cli-job", "list-wp-cli-jobs"],
  ...[
    "validate-php-snippet",
    "create-php-snippet",
    "update-php-snippet",
    "get-php-snippet",
    "list-php-snippets",
  ],
  ...["list-plugins", "search-plugins", "install-plugin", "activate-plugin", "update-plugin"],
  ...[
    "list-themes",
    "search-themes",
    "install-theme",
    "switch-theme",
    "update-theme",
    "theme-read",
    "theme-write",
  ],
  ...["create-theme-template", "list-theme-templates", "get-theme-template", "update-theme-template"],
  ...["list-users", "get-user", "create-user", "update-user", "get-user-info"],
  ...["update-settings", "export-content", "reindex-search", "set-template-conditions"],
]);
const own = (name: string) => name.replace(/^(emcp-tools|elementor-mcp|mcp-adapter|core)-/, "");

Deno.test("of what real servers list nothing is run that destroys or reaches below content, and all else may be", async () => {
  const hosted = new URL("../../../sandbox/tool_servers/crm_tools.gen.json", import.meta.url);
  const crm: { name: string }[] = JSON.parse(await Deno.readTextFile(hosted));
  const names = [...new Set([...cmsTools(), ...crm].map(({ name }) => name))];
  assert.ok(names.length > 250, String(names.length));
  for (const name of names) assert.equal(neverRun(name) !== null, NEVER.has(own(name)), name);
  assert.deepEqual([...NEVER].filter((one) => !names.some((name) => own(name) === one)), []);
});

Deno.test("no tool that is offered without an approval has a name that is never run", async () => {
  const proxies = await (await readRegistry()).proxies();
  const known = proxies.flatMap((one) => [...one.known.keys()]);
  assert.ok(known.length > 100);
  assert.deepEqual(known.filter((name) => neverRun(name) !== null), []);
});

Deno.test("a name is refused for each word, however it is joined", () => {
  const words = ["delete", "trash", "destroy", "purge", "erase", "wipe", "drop", "uninstall", "deactivate"];
  for (const word of [...words, "publish", "unpublish", "php", "sql", "file", "install", "user"]) {
    const hump = word[0]!.toUpperCase() + word.slice(1);
    const joined = ["shop-W-post", "shop_W_post", "shop/W/post", "shop.W.post", "WPost", "W2", "W"];
    const names = [
      ...joined.map((one) => one.replace("W", word)),
      `do${hump}Now`,
      `HTML${hump}`,
      word.toUpperCase(),
    ];
    for (const name of names) assert.equal(neverRun(name)?.word, word, name);
  }
  assert.equal(neverRun("dElEtE-post")?.word, "delete");
  assert.match(
    neverRun("shop-delete")!.because,
    /^its name has the word "delete", and nothing is deleted or published/,
  );
  assert.match(
    neverRun("edit-file")!.because,
    /^its name has the word "file": it reaches below the site's content$/,
  );
  assert.match(neverRun("updateSettings")!.because, /^it changes settings of the whole site/);
});

Deno.test("a name of other signs, or a very long one, is refused whatever it says", () => {
  for (
    const name of ["d\u0435lete-post", "\uff44elete", "de\u200blete", "add heading", "d<b>elete", "add:page"]
  ) {
    assert.match(neverRun(name)!.because, /others than letters, digits/, name);
  }
  assert.match(neverRun("x".repeat(129))!.because, /too long/);
});

Deno.test("a word within another word forbids nothing", () => {
  for (
    const name of [
      ...[
        "remove-element",
        "contacts_remove-tags",
        "list-deleted-posts",
        "publisher-info",
        "dropdown-options",
      ],
      ...[
        "blogs_create-blog-post",
        "backdrop-image",
        "profile-card",
        "upload-svg-icon",
        "update-page-settings",
        "",
      ],
    ]
  ) assert.equal(neverRun(name), null, name);
});

Deno.test("a tool that runs another is judged by what it runs too, down to the fourth", () => {
  for (const name of ["mcp-adapter-execute-ability", "emcp-tools-call-tool", "runTool", "invoke_abilities"]) {
    assert.ok(runsAnother(name), name);
  }
  for (const name of ["mcp-adapter-get-ability-info", "emcp-tools-list-tools", "contacts_add-tags"]) {
    assert.ok(!runsAnother(name), name);
    assert.equal(neverCalled(name, { name: "delete-post" }), null, name);
  }
  const within = (levels: number, inner: object): object =>
    levels === 0 ? inner : { tool: "call-tool", args: within(levels - 1, inner) };
  for (const key of ["ability_name", "ability", "tool_name", "tool", "name"]) {
    for (const levels of [0, 1, 2, 3]) {
      const called = (name: string) =>
        neverCalled("call-tool", within(levels, { [key]: name, parameters: {} }));
      assert.equal(called("shop/delete-post")?.word, "delete", `${key} ${levels}`);
      assert.equal(called("edit-file")?.word, "file");
      assert.equal(called("add-page"), null);
    }
  }
  assert.match(neverCalled("call-tool", within(5, {}))!.because, /too deep/);
  assert.equal(neverCalled("call-tool", { name: "add-page", arguments: { name: "Delete me" } }), null);
});

Deno.test("who approves is told of words that only may mean it", () => {
  for (
    const name of [
      "bulk-deleting",
      "page-publishes",
      "update-publisher",
      "mark-removed",
      "reset-layout",
      "go-live",
    ]
  ) {
    assert.match(caution(name)!, /^Its name has the word "\w+": find out whether/, name);
  }
  for (const name of ["update-title", "deliver-mail", "dropdown-options"]) {
    assert.equal(caution(name), null, name);
  }
});

Deno.test("names that a reader takes for each other look alike", () => {
  assert.equal(skeleton("GET-P0ST"), skeleton("get_post"));
  assert.equal(skeleton("add-head1ng"), skeleton("add_heading"));
  assert.notEqual(skeleton("add-heading"), skeleton("add-headings"));
});
