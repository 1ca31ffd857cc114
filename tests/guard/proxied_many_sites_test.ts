/** One name at several sites: what a site lists, and what was decided for it, changes nothing of a call at another. */
import assert from "node:assert/strict";
import type { ToolReport } from "../../registry/proxied_reports.ts";
import { listed } from "../fake_tool_servers.ts";
import type { Kit } from "../kit.ts";
import { admin, open, shown } from "./proxied_kit.ts";

const THING = "builder-mcp-get-thing";
const thing = (description: string, properties: Record<string, unknown> = {}) =>
  listed("emcp-tools-get-thing", {
    description,
    input_schema: { type: "object", properties: { post_id: { type: "integer" }, ...properties } },
  });
/** As a server lists it that takes previews of its own. */
const ASKING = { confirm: { type: "boolean" }, confirm_token: { type: "string" } };

/** Approves a tool on one site, as that site lists it. */
async function approve(gw: Kit, name: string, site: string, order: Record<string, string>): Promise<void> {
  const { result } = await admin<{ tools: readonly ToolReport[] }>(gw, `?name=${name}&site_id=${site}`);
  const answer = await admin(gw, "/approve", {
    name,
    sites: [site],
    hash: result.tools[0]!.hash,
    ...order,
  });
  assert.ok(answer.ok, JSON.stringify(answer));
}

Deno.test("who asks for a preview at a site gets no write there, whatever the tool is at another", async () => {
  const tokens = { own: { allowed_sites: ["acme"] } };
  const IMAGE = "builder-mcp-sideload-image";
  const image = (more = {}) =>
    listed("emcp-tools-sideload-image", {
      input_schema: { type: "object", properties: { url: { type: "string" }, ...more } },
    });
  await using at = await open(
    { acme: [image(), thing("Writes")], bolt: [image(ASKING), thing("Reads", ASKING)] },
    { tokens, fetch: () => Promise.resolve(new Response("", { status: 404 })) },
  );
  await approve(at.gw, THING, "acme", { class: "write", effect: "new" });
  await approve(at.gw, THING, "bolt", { class: "read" });
  for (const as of ["all", "own"]) {
    for (const asked of [{ confirm: false }, { dry_run: true }]) {
      await at.gw.refuses(IMAGE, { site_id: "acme", url: "x", ...asked }, "E_NOT_SUPPORTED", { as });
      await at.gw.refuses(THING, { site_id: "acme", post_id: 5, ...asked }, "E_FORBIDDEN_OP", { as });
    }
    await at.gw.refuses(IMAGE, { site_id: "acme", url: "x", confirm_token: "cft_x" }, "E_CONFIRM_INVALID", {
      as,
    });
    await at.gw.refuses(THING, { site_id: "acme", post_id: 5, status: "publish" }, "E_BAD_INPUT", { as });
  }
  assert.deepEqual(at.fake.calls, []);
  for (const { tier, outcome } of await at.gw.audit()) {
    if (tier !== null) assert.deepEqual([tier >= 2, outcome], [true, "none"]);
  }
  await at.gw.call(IMAGE, { site_id: "acme", url: "x", confirm: true });
  await at.gw.call(THING, { site_id: "bolt", confirm: false, confirm_token: "own" });
  assert.deepEqual(at.fake.calls.map(({ site, args, writes }) => [site, args, writes]), [
    ["acme", { url: "x" }, true],
    ["bolt", { confirm: false, confirm_token: "own" }, false],
  ]);
});

Deno.test("what changes the whole site is refused alike, whatever the tool touches at another", async () => {
  await using at = await open({ acme: [thing("Changes all")], bolt: [thing("Makes something")] });
  await approve(at.gw, THING, "acme", { class: "write", effect: "site" });
  const args = { site_id: "acme" };
  await at.gw.refuses(THING, args, "E_PUBLISH_NOT_ALLOWED");
  await approve(at.gw, THING, "bolt", { class: "write", effect: "new" });
  await at.gw.refuses(THING, args, "E_PUBLISH_NOT_ALLOWED");
  assert.deepEqual(at.fake.calls, []);
});

Deno.test("a tool that writes at one site and reads at another says where it writes, to who may write there", async () => {
  const tokens = {
    low: { max_risk: 1 as const },
    own: { allowed_sites: ["bolt"] },
    poor: { allowed_sites: ["acme"], max_risk: 0 as const },
  };
  await using at = await open({ acme: [thing("One")], bolt: [thing("One.", { all: { type: "boolean" } })] }, {
    tokens,
  });
  await approve(at.gw, THING, "acme", { class: "write", effect: "new" });
  await approve(at.gw, THING, "bolt", { class: "read" });
  const { description, inputSchema, annotations } = (await shown(at.gw)).get(THING)!;
  assert.equal(
    description,
    "The site's own tool server describes it so: One. On acme it writes at once; dry_run: true only shows what it " +
      "would change, where the site can. Its arguments differ between these sites.\n\nSites that offer it: acme, bolt",
  );
  assert.deepEqual(inputSchema.properties.all, { type: "boolean", description: "Only on bolt." });
  assert.equal(annotations.readOnlyHint, false);
  await at.gw.call(THING, {}, { as: "low" });
  assert.deepEqual(at.fake.calls.map(({ site, writes }) => [site, writes]), [["bolt", false]]);
  await at.gw.refuses(THING, {}, "E_AMBIGUOUS_SITE");
  await at.gw.refuses(THING, { site_id: "acme" }, "E_SCOPE_DENIED", { as: "low" });
  await at.gw.refuses(THING, {}, "E_SCOPE_DENIED", { as: "poor" });
  for (const as of ["low", "own"]) {
    const seen = (await shown(at.gw, as)).get(THING)!;
    assert.doesNotMatch(JSON.stringify(seen), /acme|writes|differ/);
    assert.equal(seen.annotations.readOnlyHint, true);
  }
});
