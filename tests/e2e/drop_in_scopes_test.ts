/** A tool without a site reaches the operator's own upstream, and no site's. */
import assert from "node:assert/strict";
import { gateway, site } from "../kit.ts";
import { connectorModule, manifest, withFiles } from "./dropped.ts";

const TOOL = new URL("../../registry/tool.ts", import.meta.url).href;
const WORDPRESS = new URL("../../platforms/wordpress/connector.ts", import.meta.url).href;

const using = (name: string, from: string, work: string) =>
  `import { tool } from "${TOOL}";\nimport used from "${from}";\n` +
  `export default tool("${name}", async (_args, ctx) => { const client = await ctx.use(used); return ${work}; });\n`;

const FILES = {
  "platforms/weather/connector.ts": connectorModule(
    "weather",
    `scope: "gateway",
    settings: { WEATHER_TOKEN: { default: "sunny", meaning: "M", secret: true, read: (text) => text } },
    origins: () => ["https://weather.example"],
    policy: (out, { site }) => site === undefined && out.method === "GET" ? null : "only read, and for no site",
    connect: ({ send, settings, site }) => ({
      async ask(url) {
        const headers = { authorization: settings.WEATHER_TOKEN };
        const { status } = await send({ method: "GET", url, effect: "read", headers });
        return { status, settings, site: site ?? null };
      },
    })`,
  ),
  "manifests/weather/ask_weather.yaml": manifest("ask_weather", "tier: T0", "site: none"),
  "tools/weather/ask_weather.ts": using(
    "ask_weather",
    "../../platforms/weather/connector.ts",
    'client.ask("https://weather.example/today")',
  ),
  "manifests/weather/stray_weather.yaml": manifest("stray_weather", "tier: T0", "site: none"),
  "tools/weather/stray_weather.ts": using(
    "stray_weather",
    "../../platforms/weather/connector.ts",
    'client.ask("https://acme.example/today")',
  ),
  "manifests/weather/list_people.yaml": manifest("list_people", "tier: T0", "site: none"),
  "tools/weather/list_people.ts": using("list_people", WORDPRESS, "client.listUsers({})"),
};

Deno.test("a tool without a site reaches a connector of the gateway through both doors, and no site's", async () => {
  await withFiles(FILES, async (root) => {
    const asked: (string | null)[] = [];
    await using gw = await gateway({
      roots: [root],
      sites: [site("acme", "cms")],
      settings: { upstream: { WEATHER_TOKEN: "rain", REPO_APP_ID: "7" } },
      http: { lookup: () => Promise.resolve(["93.184.215.14"]) },
      fetch: (input, init) => {
        asked.push(new Request(input, init).headers.get("authorization"));
        return Promise.resolve(new Response("{}"));
      },
    });
    for (const door of ["rest", "mcp"] as const) {
      assert.deepEqual(await gw.call("ask_weather", {}, { door }), {
        status: 200,
        settings: { WEATHER_TOKEN: "rain" },
        site: null,
      });
    }
    assert.deepEqual(asked, ["rain", "rain"]);
    assert.match(await gw.refuses("stray_weather", {}, "E_FORBIDDEN_OP"), /is not where its upstream is$/);
    assert.equal(
      await gw.refuses("list_people", {}, "E_INTERNAL"),
      'A tool without a site asked for "wordpress", which needs one',
    );
    assert.equal(asked.length, 2);
  });
});
