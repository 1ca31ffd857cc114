/** A tool that made something public is held back: durably, for every caller of that site, until an operator has looked. */
import assert from "node:assert/strict";
import type { HealthReport } from "../../admin/health.ts";
import type { ToolReport } from "../../registry/proxied_reports.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { sitesOf } from "../cms_kit.ts";
import { FakeToolServers, listed } from "../fake_tool_servers.ts";
import { gateway, type Kit, MASTER } from "../kit.ts";
import { admin, BUILDER, command, HEADING, shown } from "./proxied_kit.ts";

const NAME = "builder-mcp-add-heading";
const SEAL = listed("emcp-tools-seal-page");

/** Two sites at one WordPress whose server has a tool that publishes the page it is given. */
async function open(tool = HEADING) {
  const cms = await startWordPressStandIn();
  const fake = new FakeToolServers();
  const sites = sitesOf(cms).filter(({ id }) => id === "acme" || id === "open");
  for (const { id } of sites) fake.put(id, BUILDER, [tool]);
  fake.answer = ({ args }) => {
    const { post_id } = args as { post_id: number };
    Object.assign(cms.posts.get(post_id)!, { status: "publish", slug: `live-${post_id}` });
    return { content: [{ type: "text", text: '{"success":true}' }], isError: false };
  };
  const gw = await gateway({
    sites,
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    toolServers: fake.connector(),
  });
  await gw.gateway.toolCatalogs.run();
  const draft = () =>
    addPost(cms.state, { type: "page", author: 1, title: "Page", meta: { _elementor_edit_mode: "builder" } })
      .id;
  return {
    gw,
    cms,
    fake,
    draft,
    publish: (name = NAME, site_id = "acme") => gw.end(name, { site_id, post_id: draft(), title: "T" }),
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

const one = async (gw: Kit, name = NAME) =>
  (await admin<{ tools: ToolReport[] }>(gw, `?name=${name}&site_id=acme`)).result.tools[0]!;
const health = async (gw: Kit) => {
  const headers = { authorization: `Bearer ${MASTER}` };
  return (await (await gw.http("/admin/api/health", { headers })).json()).result as HealthReport;
};

Deno.test("a known tool that publishes is held back on that site alone, shown with its reason, and let through by an approval", async () => {
  await using at = await open();
  const ending = await at.publish() as { code?: string; message?: string };
  assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED", ending.message);
  const held = await one(at.gw);
  assert.deepEqual([held.state, held.class], ["held", { writes: true, effect: "page", page: "post_id" }]);
  assert.match(
    held.reason!,
    /^published: a call at \d{4}-\S+Z made page \d+ public \(http:\S+\), which was not allowed\./,
  );
  assert.match(held.reason!, /tool-server approve lets it through again/);
  const calls = at.fake.calls.length;
  const again = await at.publish() as { code?: string };
  assert.deepEqual([again.code, at.fake.calls.length], ["E_BAD_INPUT", calls]);
  assert.match((await shown(at.gw)).get(NAME)!.description, /Sites that offer it: open$/);
  assert.ok("value" in await at.publish(NAME, "open"), "the other site may publish");
  const row = (await at.gw.audit()).find(({ tool }) => tool === "tool.hold")!;
  assert.deepEqual([row.door, row.status, row.token_name], ["admin", "ok", "gateway"]);

  const report = await health(at.gw);
  assert.deepEqual([report.ok, report.held_tools.map(({ site_id, name }) => `${site_id} ${name}`)], [
    false,
    [`acme ${NAME}`],
  ]);
  const said = await command(at.gw, "gateway", "health");
  assert.equal(said.code, 1);
  assert.match(
    said.out,
    /builder-mcp-add-heading is held back on site acme since .*: it made page \d+ public .*tool-server approve/,
  );
  assert.match(
    (await command(at.gw, "tool-server", "list", "--site", "acme")).out,
    /held: published: a call at/,
  );

  const order = ["--sites", "acme", "--hash", held.hash];
  const approved = await command(at.gw, "tool-server", "approve", NAME, ...order);
  assert.equal(approved.code, 0, approved.err);
  assert.equal((await one(at.gw)).state, "approved");
  assert.deepEqual([(await health(at.gw)).ok, (await health(at.gw)).held_tools], [true, []]);
  at.fake.answer = () => ({ content: [{ type: "text", text: "{}" }], isError: false });
  assert.ok("value" in await at.publish());
});

Deno.test("a tool that an operator approved loses its approval where it publishes again", async () => {
  await using at = await open();
  const approve = async () =>
    await admin(at.gw, "/approve", { name: NAME, sites: ["acme"], hash: (await one(at.gw)).hash });
  for (let times = 0; times < 2; times++) {
    const ending = await at.publish() as { code?: string; message?: string };
    assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED", ending.message);
    assert.equal((await one(at.gw)).state, "held");
    assert.equal((await approve()).ok, true);
  }
});

Deno.test("a tool that only an operator knows is sent nothing where the site may not publish, whatever it is said to touch", async () => {
  await using at = await open(SEAL);
  const name = "builder-mcp-seal-page";
  for (const more of [{ effect: "page", page: "post_id" }, { effect: "new" }, { effect: "site" }]) {
    const { hash } = await one(at.gw, name);
    const order = { name, sites: ["acme", "open"], hash, class: "write", ...more };
    assert.equal((await admin(at.gw, "/approve", order)).ok, true);
    const call = { site_id: "acme", post_id: at.draft(), title: "T" };
    const code = more.effect === "site" ? "E_PUBLISH_NOT_ALLOWED" : "E_FORBIDDEN_OP";
    await at.gw.refuses(name, call, code, /allow_publish/);
    assert.deepEqual(at.fake.calls, []);
    assert.ok("value" in await at.publish(name, "open"));
    const [row] = (await at.gw.audit()).filter(({ tool }) => tool === name);
    assert.deepEqual([row?.tier, row?._published, at.fake.calls.splice(0).length], [3, true, 1]);
  }
});

Deno.test("calls at the same time hold it back once, and a store that fails says that it could not be", async () => {
  await using at = await open();
  const endings = await Promise.all([at.publish(), at.publish(), at.publish()]) as { code?: string }[];
  assert.ok(endings.some(({ code }) => code === "E_PUBLISH_NOT_ALLOWED"));
  assert.equal((await one(at.gw)).state, "held");

  await using other = await open();
  const { toolCatalogs } = other.gw.store;
  const decide = toolCatalogs.decide.bind(toolCatalogs);
  toolCatalogs.decide = () => Promise.reject(new Error("disk full"));
  const ending = await other.publish() as { code?: string; message?: string };
  assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED");
  assert.match(ending.message!, /it could not be held back, so tell an operator/);
  toolCatalogs.decide = decide;
  assert.equal((await one(other.gw)).state, "offered");
});

Deno.test("an operator's withdrawal stands, whatever a call in flight finds", async () => {
  await using at = await open();
  const id = at.draft();
  at.fake.answer = ({ args }) => {
    Object.assign(at.cms.posts.get((args as { post_id: number }).post_id)!, { status: "publish", slug: "x" });
    return { content: [{ type: "text", text: "{}" }], isError: false };
  };
  const began = at.gw.end(NAME, { site_id: "acme", post_id: id, title: "T" });
  await admin(at.gw, "/withdraw", { name: NAME, sites: ["acme"] });
  await began;
  assert.match((await one(at.gw)).reason!, /^withdrawn: /);
});
