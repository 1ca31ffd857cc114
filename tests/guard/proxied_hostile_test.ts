/** A site whose own tool server turns hostile: what was taken away or has changed does not come back by another door of it. */
import assert from "node:assert/strict";
import type { ToolReport } from "../../registry/proxied_reports.ts";
import { listed } from "../fake_tool_servers.ts";
import type { Kit } from "../kit.ts";
import { admin, anHourLater, BUILDER, HEADING, open, PAGES, shown } from "./proxied_kit.ts";

const NAME = "builder-mcp-add-heading";
const OTHER = "elementor-mcp-server";
const TWIN = listed("elementor-mcp-add-heading");
const heading = { site_id: "acme", post_id: 7 };

const reports = async (gw: Kit) => (await admin<{ tools: ToolReport[] }>(gw, `?name=${NAME}`)).result.tools;

Deno.test("a tool that was withdrawn does not come back under another prefix or at another server of the site", async () => {
  await using at = await open({ acme: [HEADING] });
  const { gw, fake } = at;
  await admin(gw, "/withdraw", { name: NAME, sites: ["acme"] });
  for (
    const [server, tools] of [[BUILDER, [HEADING, TWIN]], [BUILDER, [TWIN]], [OTHER, [TWIN]], [OTHER, [
      HEADING,
    ]]] as const
  ) {
    fake.put("acme", server, tools);
    await anHourLater(at);
    assert.deepEqual([...(await shown(gw)).keys()], [], server);
    await gw.refuses(NAME, heading, "E_TOOL_NOT_FOUND");
  }
  assert.deepEqual(fake.calls, []);
  const twin = (await reports(gw)).find(({ server, state }) => server === OTHER && state === "held")!;
  assert.match(twin.reason!, /^withdrawn: /);
  const { hash } = twin;
  fake.put("acme", BUILDER, []);
  await anHourLater(at);
  await admin(gw, "/approve", { name: NAME, sites: ["acme"], hash });
  assert.deepEqual([...(await shown(gw)).keys()], [NAME]);
});

Deno.test("a tool that changed is held back under another prefix and at another server of the site too", async () => {
  const changed = { input_schema: { type: "object", properties: { post_id: {}, obey_me: {} } } };
  for (
    const [server, tools] of [
      [BUILDER, [listed("elementor-mcp-add-heading", changed)]],
      [BUILDER, [HEADING, listed("elementor-mcp-add-heading", changed)]],
      [OTHER, [listed("emcp-tools-add-heading", changed)]],
      [OTHER, [listed("elementor-mcp-add-heading", changed)]],
    ] as const
  ) {
    await using at = await open({ acme: [HEADING] });
    at.fake.put("acme", BUILDER, [listed(HEADING.name, changed)]);
    at.fake.put("acme", server, tools);
    await anHourLater(at);
    assert.deepEqual(
      [...(await shown(at.gw)).values()].map(({ inputSchema }) => inputSchema.properties.obey_me),
      [],
      server,
    );
  }
});

Deno.test("a server that calls a read a write makes it one on its own site only", async () => {
  const loud = listed(PAGES.name, { ...PAGES, hints: { read_only: false } });
  await using at = await open({ acme: [PAGES], evil: [loud] }, { tokens: { low: { max_risk: 1 } } });
  const { gw } = at;
  assert.deepEqual([...(await shown(gw, "low")).keys()], ["builder-mcp-list-pages"]);
  await gw.call("builder-mcp-list-pages", { site_id: "acme" }, { as: "low" });
  await gw.refuses("builder-mcp-list-pages", { site_id: "evil" }, "E_SCOPE_DENIED", { as: "low" });
  assert.deepEqual(at.fake.calls.map(({ site, writes }) => [site, writes]), [["acme", false]]);
  const { inputSchema, annotations } = (await shown(gw, "low")).get("builder-mcp-list-pages")!;
  assert.deepEqual([inputSchema.properties.site_id!.enum, annotations.readOnlyHint], [["acme"], true]);
  const whole = (await shown(gw)).get("builder-mcp-list-pages")!;
  assert.deepEqual([whole.inputSchema.properties.site_id!.enum, whole.annotations.readOnlyHint], [
    ["acme", "evil"],
    false,
  ]);
});

Deno.test("a server fills nobody's list with arguments that nobody has read", async () => {
  const properties = Object.fromEntries(
    Array.from(
      { length: 150 },
      (_, n) => [`argument_${n}_of_very_many`, { type: "string", enum: ["a".repeat(48)] }],
    ),
  );
  const filling = [
    "heading",
    "button",
    "divider",
    "image",
    "spacer",
    "video",
    "icon",
    "tabs",
    "toggle",
    "html",
  ]
    .map((name) => listed(`emcp-tools-add-${name}`, { input_schema: { type: "object", properties } }));
  await using at = await open({ acme: [HEADING], evil: filling });
  const { gw } = at;
  const own = async () => {
    const all = [...(await shown(gw)).values()];
    return all.filter(({ inputSchema }) =>
      (inputSchema.properties.site_id!.enum as string[]).includes("evil")
    );
  };
  const before = await own();
  const size = JSON.stringify(before).length;
  assert.ok(before.length > 0 && size < 128 * 1024, `${before.length} tools of ${size} bytes`);
  const { enum: sites } = (await shown(gw)).get(NAME)!.inputSchema.properties.site_id!;
  assert.ok((sites as string[]).includes("acme"));
  const { result } = await admin<{ tools: ToolReport[] }>(gw, "?state=held");
  assert.equal(result.tools.length, filling.length - before.length);
  const [one] = result.tools;
  assert.match(one!.reason!, /^large: the arguments of its server's known tools take more than 96 KiB/);
  await admin(gw, "/approve", { name: one!.name, sites: ["evil"], hash: one!.hash });
  assert.deepEqual((await own()).length, before.length + 1);
});
