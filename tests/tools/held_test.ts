/** Writes of a site's own tools that the site holds: kept where their effects are allowed, else taken back and named. */
import assert from "node:assert/strict";
import { told } from "../told.ts";
import { publishNow } from "../../sandbox/wordpress_standin/state.ts";
import type { Code } from "../../core/errors.ts";
import { all } from "../../sandbox/tool_servers/start.ts";
import { type Args, type HeldWorld, heldWorld } from "./_held.ts";

const ADD = "builder-mcp-add-free-widget";
const DOORS = ["rest", "mcp"] as const;

const add = (at: HeldWorld, post_id: number, more: Args = {}): Args => ({
  site_id: "acme",
  post_id,
  parent_id: at.tools.state.pages.get(post_id)!.elements[0]!.id,
  widget_type: "heading",
  settings: { title: "Hello" },
  ...more,
});
const lastRow = async (at: HeldWorld) => (await at.gw.audit()).find(({ door }) => door !== "admin")!;

Deno.test("a draft is changed within a hold that is bound to it, and its effects are the proof", async () => {
  for (const door of DOORS) {
    await using at = await heldWorld();
    at.hold.own_tables = ["emcp_tools_changelog"];
    const page = at.tools.page({ title: "About" });
    const { done, proof } = await at.gw.proven<{ element_id: string }>(ADD, add(at, page.id), { door });
    assert.deepEqual([proof.verified, proof.warnings], [true, []]);
    const widgets = all(at.tools.state.pages.get(page.id)!.elements);
    assert.ok(widgets.some(({ id }) => id === done.element_id));
    assert.match(
      at.calls()[0]!,
      new RegExp(`^hold; id=[0-9a-f]{32}; allow=draft,own; of=${page.id}; own=emcp_tools_changelog,`),
    );
    const row = await lastRow(at);
    assert.equal(row.status, "ok");
    assert.ok(
      row.changes?.some(({ field, to }) => field.startsWith(`page ${page.id}`) && /Hello/.test(String(to))),
    );
    assert.ok(!JSON.stringify(row.changes).includes("changelog"));
  }
});

Deno.test("over MCP a write that was read back says so behind the tool's items, where a model sees it", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const params = { name: ADD, arguments: add(at, page.id) };
  const answer = await at.gw.http("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const { content, _meta } = (await answer.json()).result;
  assert.equal(_meta.verified, true);
  assert.ok("element_id" in JSON.parse(content[0].text));
  const { request_id, undoable } = _meta;
  assert.equal(typeof undoable, "boolean");
  assert.match(request_id, /^[0-9A-Z]{26}$/);
  const said = content.slice(1).map(({ text }: { text: string }) => JSON.parse(text));
  assert.deepEqual(said, [{ verified: true, undoable, request_id }]);
});

Deno.test("a page is made as a draft, and a medium with its file and a read from another host", async () => {
  await using at = await heldWorld();
  const made = await at.gw.proven<{ post_id: number }>("builder-mcp-create-page", {
    site_id: "acme",
    title: "New",
  });
  assert.equal(made.proof.verified, true);
  assert.equal(at.cms.posts.get(made.done.post_id)!.status, "draft");
  assert.equal((await lastRow(at)).result_id, made.done.post_id);
  await at.gw.proven("builder-mcp-sideload-image", { site_id: "acme", url: "https://images.example/a.jpg" });
  const [first, second] = at.calls();
  assert.match(first!, /allow=draft-new,own; own=/);
  assert.match(second!, /allow=draft-new,files,own; files=1; http=get; own=/);
});

/** What the tool does beside what it should. */
const DEEDS:
  readonly (readonly [what: string, (at: HeldWorld, id: number) => void, site: string, Code, RegExp])[] = [
    [
      "publishes",
      (at, id) => publishNow(at.cms.state, at.cms.state.posts.get(id)!),
      "acme",
      "E_PUBLISH_NOT_ALLOWED",
      /publish_page publish/,
    ],
    [
      "publishes",
      (at, id) => publishNow(at.cms.state, at.cms.state.posts.get(id)!),
      "open",
      "E_FORBIDDEN_OP",
      /publish_page publish/,
    ],
    [
      "sets an option",
      (at) => at.tools.state.options.set("blogname", "Mine"),
      "acme",
      "E_PUBLISH_NOT_ALLOWED",
      /allow_publish on site "acme"/,
    ],
    [
      "changes a live post",
      (at) => void (at.cms.state.posts.get(1)!.title = "Mine"),
      "acme",
      "E_PUBLISH_NOT_ALLOWED",
      /Post 1 .*\(live\)/,
    ],
    [
      "puts into the bin",
      (at, id) => void (at.cms.state.posts.get(id)!.status = "trash"),
      "open",
      "E_FORBIDDEN_OP",
      /no token may/,
    ],
    [
      "writes a file",
      (at) => at.tools.state.files.set("x.php", "<?php"),
      "open",
      "E_FORBIDDEN_OP",
      /\(files\)/,
    ],
    [
      "changes another draft",
      (at) => void (at.cms.state.posts.get(3)!.title = "Mine"),
      "open",
      "E_FORBIDDEN_OP",
      /one draft that it names/,
    ],
  ];

Deno.test("what is beyond the call is taken back: named, with its code, and nothing of the site is another", async () => {
  for (const [what, deed, site, code, says] of DEEDS) {
    for (const door of DOORS) {
      await using at = await heldWorld();
      const page = at.tools.page({ title: "About" });
      const args = add(at, page.id, { site_id: site });
      await at.gw.proven(ADD, args); // with the self-test
      const { pages } = at.tools.state;
      const set = pages.set.bind(pages);
      pages.set = (id, one) => {
        pages.set = set;
        deed(at, page.id);
        return set(id, one);
      };
      const before = at.site();
      const ending = await at.gw.end(ADD, args, { door }) as Args;
      assert.deepEqual([what, site, ending.code], [what, site, code], String(ending.message));
      assert.match(String(ending.message), says);
      assert.match(String(ending.message), /nothing was changed/);
      assert.equal(at.site(), before, what);
      const row = await lastRow(at);
      assert.deepEqual([row.status, row.outcome, row.changes], ["error", "none", undefined]);
      if (door === "rest") assert.equal(ending.outcome, "none");
    }
  }
});

Deno.test("where the site allows it a live page and the whole site are changed, which is audited as published", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About", status: "publish" });
  await at.gw.refuses(ADD, add(at, page.id), "E_FORBIDDEN_OP");
  assert.deepEqual(at.calls(), []);
  await at.gw.proven(ADD, add(at, page.id, { site_id: "open" }));
  const row = await lastRow(at);
  assert.deepEqual([row.tier, row._published], [3, true]);
  assert.match(at.calls()[0]!, /allow=draft,live,structure,site,settings,own/);
  const colors = [{ _id: "primary", title: "Primary", color: "#000000" }];
  const { proof } = await at.gw.proven("builder-mcp-update-global-colors", { site_id: "open", colors });
  assert.equal(proof.verified, true);
  await at.gw.refuses(
    "builder-mcp-update-global-colors",
    { site_id: "acme", colors },
    "E_PUBLISH_NOT_ALLOWED",
  );
});

Deno.test("the tool's own failure, another writer and a busy site have their own codes, and change nothing", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const args = add(at, page.id);
  const before = at.site();
  const refused = async (code: Code, given: Args = args) => {
    const ending = await at.gw.end(ADD, given) as Args;
    assert.deepEqual([ending.code, ending.outcome], [code, "none"], String(ending.message));
    assert.equal(at.site(), before);
    return told(ending as unknown as Parameters<typeof told>[0]);
  };
  assert.match(await refused("E_TOOL_ERROR", { ...args, widget_type: "nonsense" }), /Widget type/);
  at.hold.fault = "meanwhile";
  assert.match(await refused("E_BUSY"), /Somebody changed the same/);
  at.hold.fault = "busy";
  await refused("E_BUSY");
  at.hold.fault = "unsupported";
  assert.match(await refused("E_UPSTREAM"), /site_ops_hold_unsupported/);
  at.tools.sessions.lose();
  await at.gw.proven(ADD, args);
});

Deno.test("a site of an administrator's account is paired by its first write, and another one is written as before", async () => {
  await using at = await heldWorld({ paired: [] });
  const page = at.tools.page({ title: "About" });
  await at.gw.proven(ADD, add(at, page.id));
  assert.equal(at.calls().length, 1);
  assert.equal(at.hold.gateways.length, 1);
  assert.ok(
    (await at.gw.audit()).some(({ tool, token_id }) => tool === "site.pair" && token_id === "gateway"),
  );
  await at.gw.proven(ADD, add(at, page.id, { site_id: "editor" }));
  assert.equal(at.calls().length, 1);
  await using bare = await heldWorld({ paired: [], bare: true });
  const other = bare.tools.page({ title: "About" });
  await bare.gw.proven(ADD, add(bare, other.id));
  assert.deepEqual(bare.hold.asked, []);
});

Deno.test("a write that its site does not set back says why, in preview, answer and list, and undo_change sends nothing", async () => {
  const ways = [
    [{}, /companion plugin is older than 1\.5\.0/],
    [{ bare: true, paired: [] }, /known only where the site holds the call \(no companion plugin\)/],
  ] as const;
  for (const [options, why] of ways) {
    await using at = await heldWorld(options);
    at.hold.sets_back = false;
    const page = at.tools.page({ title: "About" });
    if (!("bare" in options)) {
      const preview = await at.gw.call<Args>(ADD, add(at, page.id, { dry_run: true }));
      assert.equal(preview["undoable"], false);
      assert.match(String(preview["undoable_reason"]), why);
    }
    for (const door of DOORS) {
      const ending = await at.gw.end(ADD, add(at, page.id), { door }) as Args & { beside: Args };
      const { undoable, undoable_reason, request_id } = ending.beside;
      assert.equal(undoable, false, JSON.stringify(ending));
      assert.match(String(undoable_reason), why);
      const { changes } = await at.gw.call<{ changes: Args[] }>("list_changes", { site_id: "acme" });
      const row = changes.find((one) => one["request_id"] === request_id)!;
      assert.deepEqual([row["tool"], row["undoable"]], [ADD, false]);
      assert.match(String(row["undoable_reason"]), /older than 1\.5\.0|known only where the site holds/);
      const before = at.gw.requests.length;
      const args = { site_id: "acme", request_id, confirm: true };
      await at.gw.refuses("undo_change", args, "E_FORBIDDEN_OP", /cannot be taken back\. /);
      assert.equal(at.gw.requests.length, before);
    }
  }
});
