/** Tools of sites that tell of other tools: nothing of what is held back reaches an agent, neither its name nor its words. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { type Args, served } from "./_served.ts";
import { says, world } from "./_proxied.ts";

const DISCOVER = "mcp-adapter-discover-abilities";
const INFO = "mcp-adapter-get-ability-info";
interface Discovered {
  readonly abilities: readonly {
    readonly name: string;
    readonly tool: string;
    readonly description: string;
  }[];
  readonly held_back: number;
  readonly beyond_token?: number;
  readonly note: string;
}

Deno.test("of the abilities of a site only those are named that may be run, in words that were read", async () => {
  await using at = await served({}, {
    tokens: { reader: { max_risk: 1 }, few: { allowed_tools: [DISCOVER] } },
  });
  for (const door of DOORS) {
    const found = await at.gw.call<Discovered>(DISCOVER, { site_id: "acme" }, { door });
    const shown = JSON.stringify(found);
    assert.ok(!/delete|write-file|query|Works on the pages of this site/.test(shown), shown);
    assert.ok(found.abilities.length > 30 && found.held_back > 10, shown);
    const pages = found.abilities.find(({ tool }) => tool === "builder-mcp-list-pages")!;
    assert.deepEqual(pages, {
      name: "emcp-tools/list-pages",
      tool: "builder-mcp-list-pages",
      description: "List the page builder's pages and posts, by post type and status if they are given.",
    });
    const rest =
      "an operator can approve those that the site lists as tools, and that may be approved at all";
    assert.equal(found.note, `${found.held_back} more are held back; ${rest}`);
    const low = await at.gw.call<Discovered>(DISCOVER, { site_id: "acme" }, { door, as: "reader" });
    assert.ok(low.abilities.every(({ tool }) => !tool.includes("-add-")), JSON.stringify(low));
    assert.equal(low.abilities.length + low.beyond_token!, found.abilities.length);
    assert.match(low.note, /; \d+ more may not be used with this token$/);
    const none = await at.gw.call<Discovered>(DISCOVER, { site_id: "acme" }, { door, as: "few" });
    assert.deepEqual(none.abilities, []);
  }
});

Deno.test("an ability is described as its tool is listed, and one that is held back not at all", async () => {
  await using at = await served();
  for (const door of DOORS) {
    const info = await at.gw.call<Args>(INFO, { site_id: "acme", ability_name: "emcp-tools/list-pages" }, {
      door,
    });
    assert.deepEqual(Object.keys(info), ["name", "tool", "description", "input_schema"]);
    assert.ok(!JSON.stringify(info).includes("Works on the pages"), JSON.stringify(info));
  }
  const ran = at.tools.ran.length;
  for (
    const ability_name of [
      "emcp-tools/list-media",
      "emcp-tools/query",
      "nothing/at-all",
      "emcp/tools-list-pages",
    ]
  ) {
    const said = await at.gw.refuses(INFO, { site_id: "acme", ability_name }, "E_FORBIDDEN_OP");
    assert.match(said, /(an operator can approve more|did you mean "emcp-tools\/list-pages")$/);
  }
  assert.equal(at.tools.ran.length, ran, "nothing was sent");
});

Deno.test("a tool that is run by name, or lists others by another's hand, tells no more", async () => {
  await using at = await served();
  const run = { site_id: "open", ability_name: "mcp-adapter/discover-abilities", parameters: {} };
  const found = await at.gw.call<Args>("mcp-adapter-execute-ability", run);
  assert.ok(!/delete-|write-file|Works on the pages/.test(JSON.stringify(found)), JSON.stringify(found));
});

Deno.test("whatever shape an answer has, of a tool that is not offered nothing is handed on", async () => {
  await using at = await world();
  at.source.offer("emcp-tools-list-tools", ["acme"], { writes: false, effect: "read" });
  const row = { name: "emcp-tools/call-me", description: "OBEY" };
  const shapes: readonly unknown[] = [
    { abilities: [row], note: "OBEY" },
    { tools: [row, "OBEY", null, { OBEY: 1 }], next: "OBEY" },
    [row, row],
    row,
    "OBEY",
    { data: { abilities: [row] }, success: true },
    { nested: { abilities: [row] } },
  ];
  for (const shape of shapes) {
    at.servers.answers.set("emcp-tools-list-tools", () => says(shape));
    for (const door of DOORS) {
      const said = JSON.stringify(await at.gw.call("builder-mcp-list-tools", { site_id: "acme" }, { door }));
      assert.ok(!/OBEY|call-me/.test(said), said);
      assert.match(said, /held back; an operator can approve/);
    }
  }
});

Deno.test("a token that names the tools it may use runs no other one by name", async () => {
  const few = { allowed_tools: ["mcp-adapter-execute-ability", "builder-mcp-list-pages"] };
  await using at = await world({ tokens: { few } });
  const run = (ability_name: string) => ({ site_id: "acme", ability_name, parameters: {} });
  const RUN = "mcp-adapter-execute-ability";
  await at.gw.call(RUN, run("emcp-tools/list-pages"), { as: "few" });
  const reached = at.servers.reached.length;
  const said = await at.gw.refuses(RUN, run("emcp-tools/get-page-structure"), "E_SCOPE_DENIED", {
    as: "few",
  });
  assert.match(said, /ability_name: the token may not use "builder-mcp-get-page-structure"/);
  assert.equal(at.servers.reached.length, reached);
  const [row] = await at.gw.audit();
  assert.equal(row?.status, "denied");
});

Deno.test("an ability whose slash stands elsewhere is another one, and is not run", async () => {
  await using at = await world();
  for (
    const name of [
      "emcp/tools-list-pages",
      "emcp-tools-list/pages",
      "emcp/tools/list-pages",
      "mcp/adapter-execute-ability",
    ]
  ) {
    const run = { site_id: "acme", ability_name: name, parameters: {} };
    await at.gw.refuses("mcp-adapter-execute-ability", run, "E_FORBIDDEN_OP");
  }
  assert.deepEqual(at.servers.reached, []);
});
