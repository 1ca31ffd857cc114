/** The catalogue over several sources: whose tool a name is, what is listed for whom, and how much memory it takes. */
import assert from "node:assert/strict";
import { readRegistry } from "../../../gateway/wire.ts";
import { GatewayError } from "../../../core/errors.ts";
import type { Tier } from "../../../core/model.ts";
import { reaches } from "../../../guard/pipeline/scope.ts";
import { Catalog } from "../../../registry/catalog.ts";
import { builtIn, offered, type ToolSource } from "../../../registry/source.ts";
import { ChangingSource, offer } from "../../changing_source.ts";
import { caller } from "../guard/_callers.ts";
import { words } from "../../words.ts";

const { tools: TOOLS } = await readRegistry();
const over = (sources: readonly ToolSource[], bytes?: number) =>
  new Catalog([builtIn(TOOLS), ...sources], { hasSecret: () => true, reaches }, bytes);

interface Listed {
  name: string;
  description: string;
  inputSchema: { properties: { site_id?: { enum?: string[] } }; required: string[] };
  annotations: Record<string, unknown>;
}
const mcp = async (catalog: Catalog, ...who: Parameters<typeof caller>) =>
  JSON.parse(await catalog.listing(caller(...who)).mcp()) as Listed[];
const ofSites = (tools: Listed[]) => tools.filter(({ name }) => !TOOLS.has(name));

Deno.test("a tool of a changing source never takes a built-in tool's name, nor one of an earlier source", () => {
  const [first, second] = [new ChangingSource(offer("find", ["a"])), new ChangingSource()];
  second.put(offer("find", ["b"]), offer("list_sites", ["b"]), offer("more", ["b"]));
  const catalog = over([first, second]);
  assert.equal(catalog.find("list_sites"), TOOLS.get("list_sites"));
  assert.deepEqual(catalog.find("find").offer?.sites, ["a"]);
  assert.deepEqual(catalog.names().slice(-2), ["find", "more"]);
  assert.equal(catalog.names().length, TOOLS.size + 2);
});

Deno.test("a list names of the sites that offer a tool those in the scope of token and owner", async () => {
  const catalog = over([new ChangingSource(offer("find", ["c", "a", "b", "a"]), offer("only_c", ["c"]))]);
  const seen = async (...who: Parameters<typeof caller>) =>
    ofSites(await mcp(catalog, ...who)).map((one) => [one.name, one.inputSchema.properties.site_id?.enum]);
  assert.deepEqual(await seen(), [["find", ["a", "b", "c"]], ["only_c", ["c"]]]);
  assert.deepEqual(await seen({ allowed_sites: ["b", "x"] }), [["find", ["b"]]]);
  assert.deepEqual(await seen({}, { allowed_sites: ["a", "b"] }), [["find", ["a", "b"]]]);
  assert.deepEqual(await seen({ allowed_sites: ["b", "c"] }, { allowed_sites: ["a", "b"] }), [["find", [
    "b",
  ]]]);
  assert.deepEqual(await seen({ allowed_sites: ["x"] }), []);
  assert.deepEqual(await seen({ allowed_tools: ["only_c"] }), [["only_c", ["c"]]]);
});

Deno.test("a site's tool is listed with its upstream's schema, the sites at its end and a site_id to choose by", async () => {
  const catalog = over([
    new ChangingSource(offer("find", ["a", "b"]), offer("put", ["a"], { writes: true })),
  ]);
  const [find, put] = ofSites(await mcp(catalog));
  assert.match(find!.description, /Sites that offer it: a, b$/);
  assert.deepEqual(find!.inputSchema, {
    type: "object",
    oneOf: [{ required: ["text"] }],
    properties: {
      site_id: { type: "string", enum: ["a", "b"], description: "The id of the site whose tool is called" },
      text: { type: ["string", "null"], pattern: "^(?=.)" },
    },
    required: ["site_id", "text"],
  });
  assert.deepEqual(find!.annotations, { readOnlyHint: true });
  assert.deepEqual(put!.annotations, { readOnlyHint: false, destructiveHint: true });
  const { result } = JSON.parse(await catalog.listing(caller()).rest());
  const rest = result.tools.find((one: { name: string }) => one.name === "find");
  assert.deepEqual(Object.keys(rest), ["name", "description", "input_schema"]);
  assert.deepEqual(rest.input_schema, find!.inputSchema);
});

Deno.test("a hidden tool is on no list and in no hint, and a write above the ceiling on none of its callers'", async () => {
  const source = new ChangingSource(
    offer("delete-all", ["a"], { hidden: "it deletes" }),
    offer("put", ["a"], { writes: true }),
  );
  const catalog = over([source]);
  assert.deepEqual(ofSites(await mcp(catalog)).map((one) => one.name), ["put"]);
  assert.deepEqual(ofSites(await mcp(catalog, { max_risk: 1 })), []);
  assert.deepEqual(ofSites(await mcp(catalog, {}, { max_risk: 1 })), []);
  assert.equal(catalog.find("delete-all").offer?.hidden, "it deletes");
  assert.throws(() => catalog.find("delete-al", caller()), (thrown: GatewayError) => {
    assert.equal(thrown.code, "E_TOOL_NOT_FOUND");
    return !thrown.message.includes("delete-all");
  });
});

Deno.test("a wrong name is told the nearest tool, a site's own only to who reaches a site that offers it", () => {
  const catalog = over([new ChangingSource(offer("shop-find-orders", ["a"]))]);
  const hint = (...who: Parameters<typeof caller>) => {
    try {
      catalog.find("shop-find-order", caller(...who));
    } catch (error) {
      return (error as GatewayError).message;
    }
  };
  assert.match(hint() ?? "", /did you mean "shop-find-orders"/);
  assert.doesNotMatch(hint({ allowed_sites: ["b"] }) ?? "shop-find-orders", /shop-find-orders/);
});

Deno.test("a wrong name is answered with the few tools that do the same to other things, or the one for the same thing, or the nearest", () => {
  const hint = (names: readonly string[], wrong: string) => {
    const catalog = over([new ChangingSource(...names.map((name) => offer(name, ["a"])))]);
    try {
      catalog.find(wrong, caller());
    } catch (error) {
      return (error as GatewayError).message.split("; ")[1];
    }
  };
  const few = ["ship_post", "ship_page", "look_at"];
  assert.equal(hint(few, "ship_draft"), 'did you mean "ship_page" or "ship_post"');
  const many = [...few, "ship_code", "ship_file"];
  assert.equal(hint(many, "ship_pots"), 'did you mean "ship_post"');
  const other = [...many, "ship_ads_orders", "make_seo_orders"];
  assert.equal(hint(other, "ship_seo_orders"), 'did you mean "make_seo_orders"');
});

Deno.test("after a change the next list is that of the new version, and lists without such tools stay as they are", async () => {
  const source = new ChangingSource(offer("find", ["a"]));
  const catalog = await over([source]).keeping();
  const [near, far] = [caller(), caller({ id: "far", allowed_sites: ["z"] })];
  const before = [catalog.listing(near), catalog.listing(far)];
  assert.equal(catalog.listing(near), before[0], "nothing has changed");
  const names = async () =>
    (JSON.parse(await catalog.listing(near).mcp()) as Listed[]).map((one) => one.name).filter((name) =>
      !TOOLS.has(name)
    );
  assert.deepEqual(await names(), ["find"]);
  source.put(offer("find", ["a"]), offer("more", ["a"]));
  assert.deepEqual(await names(), ["find", "more"]);
  assert.equal(catalog.listing(far), before[1]);
  source.put();
  assert.deepEqual(await names(), []);
});

Deno.test("callers who see the same share one list, also with names in another order", async () => {
  const catalog = await over([new ChangingSource(offer("find", ["a"]))]).keeping();
  const [one, other] = [["get_site", "list_sites"], ["list_sites", "get_site"]];
  const same = catalog.listing(caller({ allowed_tools: one }));
  assert.equal(catalog.listing(caller({ allowed_tools: other })), same);
  const nearby = catalog.listing(caller({ allowed_sites: ["a", "b"] }));
  assert.equal(catalog.listing(caller({ allowed_sites: ["c", "a"] })), nearby);
  assert.notEqual(catalog.listing(caller({ allowed_tools: ["get_site\nlist_sites"] })), same);
});

Deno.test("lists take no more memory than they may, whatever is asked for, and one that was dropped is made again", async () => {
  const bytes = 600_000;
  const source = new ChangingSource();
  const catalog = await over([source], bytes).keeping();
  const first = caller();
  const whole = await catalog.listing(first).mcp();
  let most = 0;
  for (let version = 0; version < 40; version++) {
    source.put(offer("find", ["a", "b"], { description: `v${version} ${"x".repeat(5000)}` }));
    for (const allowed_sites of [["*"], ["a"], ["b"], ["c"]]) {
      const listing = catalog.listing(caller({ allowed_sites }));
      assert.equal((await listing.mcp()).includes(`v${version} `), allowed_sites[0] !== "c");
      assert.ok((await listing.rest()).length > 1000);
      most = Math.max(most, catalog.listingBytes);
    }
  }
  assert.ok(most <= bytes && most > bytes / 2, `${most} bytes`);
  source.put();
  assert.equal(await catalog.listing(first).mcp(), whole);
});

Deno.test("a list larger than all the memory there is for lists is answered all the same", async () => {
  const catalog = await over([], 1000).keeping();
  assert.ok((await catalog.listing(caller()).mcp()).length > 1000);
  assert.equal(catalog.listingBytes, 0);
});

Deno.test("a name that cannot be served and a schema that is no object's are refused where the entry is made", () => {
  assert.throws(() => offered(offer("a b", ["a"])), /cannot be served/);
  assert.throws(
    () => offered(offer("a", ["a"], { input_schema: { type: "array" } })),
    /not one of an object/,
  );
});

const listed = (max_risk: Tier, owner: Tier | null = null) =>
  mcp(over([]), { max_risk }, owner === null ? null : { max_risk: owner });
/** Those on a list where nothing is asked: what finds and calls others is on that of searching alone. */
const PLAIN = [...TOOLS].filter(([, { manifest }]) => manifest.listing !== "search");
const tiers = new Map(PLAIN.map(([name, { manifest }]) => [name, manifest.tier]));

for (const risk of [0, 1, 2, 3, 4] as const) {
  Deno.test(`under a ceiling of ${risk} those tools are listed that it lets through, on both doors`, async () => {
    const expected = [...tiers].filter(([, tier]) => tier <= risk).map(([name]) => name);
    assert.deepEqual((await listed(risk)).map(({ name }) => name), expected);
    assert.deepEqual(
      (await listed(4, risk)).map(({ name }) => name),
      expected,
      "the owner's ceiling holds as well",
    );
    const { result } = JSON.parse(await over([]).listing(caller({ max_risk: risk })).rest());
    assert.deepEqual(result.tools.map((one: { name: string }) => one.name), expected);
  });
}

Deno.test("under a ceiling of 0 every tool reads only but the one that ends a set, also the one that could write with an argument", async () => {
  for (const { name, annotations, inputSchema } of await listed(0)) {
    if (name !== "cancel_change_set") {
      assert.deepEqual(
        [annotations["readOnlyHint"], annotations["destructiveHint"]],
        [true, undefined],
        name,
      );
    }
    assert.ok(!("confirm" in inputSchema.properties), name);
  }
  const sitemap = async (risk: Tier) =>
    (await listed(risk)).find(({ name }) => name === "get_sitemap_status")!;
  const [left, whole] = [await sitemap(0), await sitemap(1)];
  assert.deepEqual(Object.keys(left.inputSchema.properties), ["site_id"]);
  assert.deepEqual(Object.keys(whole.inputSchema.properties), words("site_id rebuild confirm confirm_token"));
  assert.equal(whole.annotations["readOnlyHint"], false);
});

Deno.test("an argument's value that is above the ceiling is taken out of the schema, and stays where it is not", async () => {
  const branches = async (risk: Tier, tool: string) => {
    const { properties } = (await listed(risk)).find(({ name }) => name === tool)!.inputSchema;
    return (properties as Record<string, { enum?: string[] }>)["target_branch"]?.enum;
  };
  for (const tool of ["write_static_file", "create_static_route", "update_static_route"]) {
    assert.deepEqual(
      [await branches(1, tool), await branches(2, tool)],
      [undefined, undefined],
      "preview is what it has anyway",
    );
    assert.deepEqual([await branches(3, tool), await branches(4, tool)], [["preview", "main"], [
      "preview",
      "main",
    ]]);
  }
});

Deno.test("the tools of groups are the same list until a source changes", () => {
  const source = new ChangingSource(offer("find", ["a"]));
  const catalog = over([source]);
  const groups = ["posts", catalog.find("find").group];
  const names = catalog.inGroups(groups);
  assert.ok(names.includes("create_draft") && names.includes("find") && !names.includes("list_sites"));
  assert.equal(catalog.inGroups(groups), names);
  assert.deepEqual(catalog.inGroups(["unknown"]), []);
  source.put(offer("find", ["a"]), offer("more", ["a"]));
  assert.deepEqual(catalog.inGroups(groups), [...names, "more"]);
});
