/** Tools that run another by name: judged by that one and by what it gets, however deep. */
import assert from "node:assert/strict";
import { GatewayError } from "../../core/errors.ts";
import { parted } from "../proof.ts";
import { type Args, says, world } from "./_proxied.ts";

const RUN = "mcp-adapter-execute-ability";
const run = (ability_name: unknown, parameters: unknown = {}, more: Args = {}) => ({
  site_id: "acme",
  ability_name,
  parameters,
  ...more,
});

Deno.test("an ability that the site offers as a tool is run, with what was judged", async () => {
  await using at = await world();
  const id = at.page("draft");
  const parameters = { post_id: String(id), parent_id: "root", widget_type: "heading" };
  const { done, proof } = await at.gw.proven<Args>(RUN, run("emcp-tools/add-free-widget", parameters));
  assert.deepEqual([done.name, proof.verified], [RUN, null]);
  assert.deepEqual(at.servers.writes.map(({ name, args }) => [name, args]), [
    [RUN, { ability_name: "emcp-tools/add-free-widget", parameters: { ...parameters, post_id: id } }],
  ]);
});

Deno.test("an ability under its tool's own name is run as the ability that it is", async () => {
  await using at = await world();
  await at.gw.call(RUN, run("emcp-tools-list-pages", { status: "draft" }));
  await at.gw.call(RUN, run("mcp-adapter-execute-ability", run("emcp-tools-list-pages")));
  await at.gw.call("builder-mcp-call-tool", { site_id: "acme", name: "emcp-tools-list-pages" });
  const info = { site_id: "acme", ability_name: "emcp-tools-list-pages" };
  await at.gw.call("mcp-adapter-get-ability-info", info);
  const sent = at.servers.reached.map(({ args }) => JSON.stringify(args));
  assert.equal(sent[3], '{"ability_name":"emcp-tools/list-pages"}');
  assert.match(sent[0]!, /"ability_name":"emcp-tools\/list-pages","parameters":\{"status":"draft"\}/);
  assert.match(sent[1]!, /"mcp-adapter\/execute-ability".*"emcp-tools\/list-pages"/);
  assert.match(sent[2]!, /"name":"emcp-tools-list-pages"/);
});

Deno.test("an ability that only reads leaves no doubt where it fails", async () => {
  await using at = await world();
  const broken = new GatewayError("E_UPSTREAM", "It broke", { upstream: 503 });
  for (
    const fail of [() => says("No", { isError: true }), () => {
      throw broken;
    }]
  ) {
    at.servers.answers.set(RUN, fail);
    const ending = await at.gw.end(RUN, run("emcp-tools/list-pages")) as Args;
    assert.deepEqual([ending.outcome, /outcome is unknown/.test(String(ending.message))], ["none", false]);
    assert.equal(at.servers.reached.at(-1)!.writes, false, "it is sent as the read that it is");
  }
});

Deno.test("an ability that is unknown, destroys, publishes, or cannot be judged is refused and nothing is sent", async () => {
  await using at = await world();
  const [id, live] = [at.page("draft"), at.page("publish")];
  const add = { post_id: id, parent_id: "root", widget_type: "heading" };
  const refused: [Args, string][] = [
    [run("emcp-tools/write-file"), "E_FORBIDDEN_OP"],
    [run("emcp-tools/delete-post"), "E_FORBIDDEN_OP"],
    [run("shop/publish"), "E_FORBIDDEN_OP"],
    [run("emcp-tools/ADD-free-widget"), "E_FORBIDDEN_OP"],
    [run(" emcp-tools/list-pages"), "E_FORBIDDEN_OP"],
    [run(["emcp-tools/list-pages"]), "E_BAD_INPUT"],
    [run(undefined), "E_BAD_INPUT"],
    [run("emcp-tools/list-pages", "{}"), "E_BAD_INPUT"],
    [run("emcp-tools/list-pages", [1]), "E_BAD_INPUT"],
    [run("emcp-tools/list-pages", {}, { name: "emcp-tools-list-pages" }), "E_BAD_INPUT"],
    [run("emcp-tools/list-pages", {}, { arguments: {} }), "E_BAD_INPUT"],
    [run("emcp-tools/add-free-widget", add, { steps: [{ tool: "x", arguments: {} }] }), "E_BAD_INPUT"],
    [run("emcp-tools/add-free-widget", undefined, { arguments: add }), "E_BAD_INPUT"],
    [run("emcp-tools/add-free-widget", { ...add, title: "T" }), "E_BAD_INPUT"],
    [run("emcp-tools/add-free-widget", { ...add, settings: 7, position: "first" }), "E_BAD_INPUT"],
    [run("emcp-tools/add-free-widget", { ...add, post_id: " 5" }), "E_BAD_INPUT"],
    [run("emcp-tools/add-free-widget", { ...add, confirm: false }), "E_BAD_INPUT"],
    [run("emcp-tools/add-free-widget", { ...add, dry_run: true }), "E_BAD_INPUT"],
    [run("mcp-adapter-execute-ability", run("emcp-tools/add-free-widget", add)), "E_BAD_INPUT"],
    [run("emcp-tools/create-page", { title: "T", status: "publish" }), "E_FORBIDDEN_OP"],
    [
      run("emcp-tools/build-page", { title: "T", page_settings: { post_status: "future" } }),
      "E_FORBIDDEN_OP",
    ],
    [run("emcp-tools/add-free-widget", { ...add, post_id: live }), "E_FORBIDDEN_OP"],
    [run("emcp-tools/update-global-colors", { colors: [] }), "E_FORBIDDEN_OP"],
  ];
  for (const [args, code] of refused) await at.gw.refuses(RUN, args, code as "E_BAD_INPUT");
  await at.gw.refuses("mcp-adapter-get-ability-info", {
    site_id: "acme",
    ability_name: "shop/delete-all",
  }, "E_FORBIDDEN_OP");
  assert.deepEqual(at.servers.reached, []);
});

Deno.test("an ability of the site is not taken for a tool of the CRM by its name", async () => {
  await using at = await world();
  const hosted = { source: "crm", server: "hosted" } as const;
  at.source.offer("contacts_get-notes", ["acme"], { writes: false, effect: "read" }, hosted);
  for (const name of ["contacts_get/notes", "contacts_get-notes"]) {
    await at.gw.refuses(RUN, run(name), "E_FORBIDDEN_OP");
  }
  assert.deepEqual(at.servers.reached, []);
});

Deno.test("a name that is almost an ability's is refused with that ability, and any other with what can be run", async () => {
  await using at = await world();
  for (
    const name of ["builder-mcp-list-pages", "builder-mcp/list-pages", "list_pages", "EMCP-tools/list-pages"]
  ) {
    assert.equal(
      await at.gw.refuses(RUN, run(name), "E_FORBIDDEN_OP"),
      `ability_name: "${name}" cannot be run or described; did you mean "emcp-tools/list-pages"`,
    );
  }
  for (const name of ["emcp-tools/nothing", "pages", "contacts_get-contact"]) {
    const said = await at.gw.refuses(RUN, run(name), "E_FORBIDDEN_OP");
    assert.match(
      said,
      /: only abilities that the site offers as tools can, and each of these can be called itself/,
    );
  }
  assert.deepEqual(at.servers.reached, []);
});

Deno.test("a tool that runs a tool that runs a tool is judged to the end, and no deeper than four", async () => {
  await using at = await world();
  const nested = (levels: number, inner: Args): Args =>
    levels === 0
      ? inner
      : { ability_name: "mcp-adapter/execute-ability", parameters: nested(levels - 1, inner) };
  const last = { ability_name: "emcp-tools/list-pages", parameters: { status: "draft" } };
  await at.gw.call(RUN, { site_id: "acme", ...nested(3, last) });
  assert.equal(at.servers.reached.length, 1);
  const said = await at.gw.refuses(RUN, { site_id: "acme", ...nested(4, last) }, "E_FORBIDDEN_OP");
  assert.match(said, /more than 4 deep/);
  for (const name of ["emcp-tools/delete-post", "shop/publish", "emcp-tools/run-sql", "shop/Bulk_Trash"]) {
    for (const levels of [0, 1, 2, 3]) {
      const bad = { site_id: "acme", ...nested(levels, { ability_name: name, parameters: {} }) };
      assert.match(await at.gw.refuses(RUN, bad, "E_FORBIDDEN_OP"), /is refused: the name contains "/);
    }
  }
  assert.equal(at.servers.reached.length, 1);
});

Deno.test("a write makes a write of the tool that only reads otherwise", async () => {
  await using at = await world();
  const call = (name: string, args: Args, as?: string) =>
    at.gw.end("builder-mcp-call-tool", { site_id: "acme", name, arguments: args }, { as });
  const read = await call("emcp-tools-list-pages", {}, "low");
  assert.ok("value" in read, JSON.stringify(read));
  assert.deepEqual(at.servers.reached.map(({ writes }) => writes), [false]);
  const id = at.page("draft");
  const refused = await call(
    "emcp-tools-update-element",
    { post_id: id, element_id: "a", settings: {} },
    "low",
  ) as Args;
  assert.deepEqual([refused.code, at.servers.reached.length], ["E_SCOPE_DENIED", 1]);
  const add = { post_id: id, parent_id: "root", widget_type: "heading" };
  const done = await call("emcp-tools-add-free-widget", add);
  assert.ok("value" in done, JSON.stringify(done));
  assert.equal(parted(done.beside).proof.verified, null);
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.tier, row?.status, at.servers.writes.length], [2, "ok", 1]);
});
