/** What an operator sees of holds: a tool is tried before it is approved, and sites that hold nothing are named. */
import assert from "node:assert/strict";
import { MASTER } from "../kit.ts";
import { type Args, type HeldWorld, heldWorld } from "./_held.ts";

/** A tool that no manifest knows. */
const POST = "builder-mcp-create-post";
const NEW = { class: "write", effect: "new" };

async function admin(at: HeldWorld, method: string, path: string, body?: Args): Promise<Args> {
  const headers = { authorization: `Bearer ${MASTER}`, "content-type": "application/json" };
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  return await (await at.gw.http(`/admin/api/${path}`, init)).json() as Args;
}
const tried = (at: HeldWorld, order: Args) =>
  admin(at, "POST", "proxied-tools/try", { name: POST, site_id: "acme", ...NEW, ...order });
const codeOf = ({ error }: Args) => (error as Args | undefined)?.code;

Deno.test("a tool that nobody approved is tried on a draft: its effects are shown, and nothing is kept", async () => {
  await using at = await heldWorld();
  const before = at.site();
  const { ok, result } = await tried(at, { arguments: { title: "New", status: "draft" } });
  assert.equal(ok, true);
  const { summary, changes, needs, missing } = result as Args;
  assert.match(String(summary), /made post \d+ "New"/i);
  assert.ok((changes as Args[]).some(({ to }) => to === "New"), JSON.stringify(changes));
  assert.deepEqual([needs, missing], [[], []]);
  assert.equal(at.site(), before);
  assert.match(at.calls()[0]!, /^dry; /);
  const row = (await at.gw.audit()).find(({ tool }) => tool === "tool.try")!;
  assert.deepEqual([row.site_id, row.door, (row.arguments as Args).name], ["acme", "admin", POST]);
  await at.gw.refuses(POST, { site_id: "acme", title: "New" }, "E_TOOL_NOT_FOUND");
});

Deno.test("a trial is refused as the call would be, and a tool that cannot be tried is refused with the reason", async () => {
  await using at = await heldWorld({ fresh: true });
  const before = at.site();
  const rows: [Args, string, RegExp][] = [
    [{ arguments: { title: "New", status: "publish" } }, "E_PUBLISH_NOT_ALLOWED", /would have.*publish/],
    [{ name: "builder-mcp-delete-media", arguments: { id: 1 } }, "E_FORBIDDEN_OP", /"delete"/],
    [{ name: "builder-mcp-nothing", arguments: {} }, "E_NOT_FOUND", /lists no tool/],
    [
      {
        name: "builder-mcp-get-page-structure",
        class: undefined,
        effect: undefined,
        arguments: { post_id: 1 },
      },
      "E_NOT_SUPPORTED",
      /only reads/,
    ],
    [{ site_id: "nowhere", arguments: {} }, "E_NOT_FOUND", /No site/],
    [{ class: undefined, effect: undefined, arguments: {} }, "E_BAD_INPUT", /^class is required/],
    [{ arguments: [] }, "E_BAD_INPUT", /^arguments: /],
  ];
  for (const [order, code, says] of rows) {
    const answer = await tried(at, order);
    assert.equal(codeOf(answer), code, JSON.stringify([order, answer]));
    assert.match(String((answer.error as Args).message), says);
  }
  at.hold.why = "MyISAM tables cannot be held";
  at.gw.clock.now += 11_000;
  const answer = await tried(at, { arguments: { title: "New" } });
  assert.equal(codeOf(answer), "E_NOT_SUPPORTED");
  assert.match(String((answer.error as Args).message), /cannot be tried .*MyISAM/);
  assert.equal(at.site(), before);
});

Deno.test("an approval with arguments is made only where the dry run succeeds", async () => {
  await using at = await heldWorld();
  const found = await admin(at, "GET", `proxied-tools/${POST}`);
  const [{ hash }] = (found.result as { tools: [{ hash: string }] }).tools;
  const order = { name: POST, sites: ["acme"], hash, ...NEW };
  const approve = (more: Args) => admin(at, "POST", "proxied-tools/approve", { ...order, ...more });
  const refused = await approve({ arguments: { title: "New", status: "publish" } });
  assert.equal(codeOf(refused), "E_PUBLISH_NOT_ALLOWED");
  await at.gw.refuses(POST, { site_id: "acme", title: "New" }, "E_TOOL_NOT_FOUND");
  const { result } = await approve({ arguments: { title: "New" } });
  assert.match(String((result as { trials: Args[] }).trials[0]!.summary), /made post/i);
  assert.equal((await at.gw.proven(POST, { site_id: "acme", title: "New" })).proof.verified, true);
});

Deno.test("a tool that an operator approved is judged by its effects where the site holds it, else it counts as one that may publish", async () => {
  await using at = await heldWorld();
  const found = await admin(at, "GET", `proxied-tools/${POST}`);
  const [{ hash }] = (found.result as { tools: [{ hash: string }] }).tools;
  await admin(at, "POST", "proxied-tools/approve", { name: POST, sites: ["acme", "open"], hash, ...NEW });
  for (const site_id of ["acme", "open"]) {
    const before = at.site();
    await at.gw.refuses(
      POST,
      { site_id, title: "New", status: "publish" },
      site_id === "open" ? "E_FORBIDDEN_OP" : "E_PUBLISH_NOT_ALLOWED",
    );
    assert.equal(at.site(), before);
    await at.gw.proven(POST, { site_id, title: "New" });
  }
  at.hold.why = "MyISAM tables cannot be held";
  at.gw.clock.now += 11_000;
  const before = at.site();
  const says = /allow_publish on site "acme", because the site does not hold .*MyISAM/;
  await at.gw.refuses(POST, { site_id: "acme", title: "New" }, "E_FORBIDDEN_OP", says);
  assert.equal(at.site(), before);
  const { proof } = await at.gw.proven(POST, { site_id: "open", title: "New" });
  assert.equal(proof.verified, null);
  const [row] = await at.gw.audit();
  assert.deepEqual([row!.tier, row!._published], [3, true]);
});

Deno.test("sites that hold nothing are named with the reason, by the list of tool servers and by health", async () => {
  await using at = await heldWorld();
  await at.gw.gateway.toolCatalogs.run();
  const servers = async () => {
    const { result } = await admin(at, "GET", "proxied-tools");
    const all = (result as { servers: { site_id: string; unheld: string | null }[] }).servers;
    return Object.fromEntries(all.map(({ site_id, unheld }) => [site_id, unheld]));
  };
  await admin(at, "POST", "proxied-tools/refresh", { site_id: "acme" });
  const first = await servers();
  assert.equal(first.acme, null);
  assert.match(first.editor!, /^not paired: run deno task admin site pair editor$/);
  at.hold.why = "the database is a Galera cluster";
  at.gw.clock.now += 61_000;
  await admin(at, "POST", "proxied-tools/refresh", { site_id: "acme" });
  assert.equal((await servers()).acme, "the database is a Galera cluster");
  const { result } = await admin(at, "GET", "health");
  const { unheld } = result as { unheld: Args[] };
  assert.deepEqual(unheld.find(({ site_id }) => site_id === "acme"), {
    site_id: "acme",
    because: "the database is a Galera cluster",
  });
});

Deno.test("once a site is paired, by its operator or by its first write, neither list nor health says that it is not", async () => {
  const unheldSites = async (at: HeldWorld) => {
    const { unheld } = (await admin(at, "GET", "health")).result as { unheld: { site_id: string }[] };
    return unheld.map(({ site_id }) => site_id).sort();
  };
  await using at = await heldWorld({ paired: [] });
  assert.deepEqual(await unheldSites(at), ["acme", "editor", "open"]);
  at.hold.code = "ABCD-EFGH";
  assert.equal((await at.pair("editor", "ABCD-EFGH")).ok, true);
  assert.deepEqual(await unheldSites(at), ["acme", "open"]);
  await at.gw.proven("builder-mcp-create-page", { site_id: "acme", title: "New" });
  assert.deepEqual(await unheldSites(at), [], "both records of the account");
});
