/** What `deno task new platforms/<name>` begins a connector with: it works, and every sentence in it waits for a better one. */

const client = (name: string, type: string) =>
  `/** ${type}: what can be asked of the upstream. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { excerptOf } from "../_content/excerpt.ts";

/** The settings, by their names. */
export interface ${type}Settings extends Readonly<Record<string, string | null>> {
  readonly ${name.toUpperCase()}_API_BASE: string;
}

const ITEM = z.object({ name: z.string() });

/** What the site's record names there. Every method throws E_UPSTREAM. */
export class ${type} {
  constructor(private readonly ctx: SiteContext<${type}Settings>) {}

  async get(): Promise<z.infer<typeof ITEM>> {
    const { site, settings } = this.ctx;
    const { api_key } = await this.ctx.secret("${name}");
    const answer = await this.ctx.send({
      method: "GET",
      url: \`\${settings.${name.toUpperCase()}_API_BASE}/items/\${site.${name}_id}\`,
      headers: { authorization: \`Bearer \${api_key}\` },
      effect: "read",
    });
    const read = ITEM.safeParse(answer.json());
    if (answer.status === 200 && read.success) return read.data;
    throw new GatewayError("E_UPSTREAM", \`${type} answered \${answer.status}; check the arguments\`, {
      ...excerptOf(answer.text(), [api_key]),
      upstream: answer.status === 200 ? 502 : answer.status,
    });
  }
}
`;

const descriptor = (name: string, type: string) => reaching(name, type) + declaring(name, type);

const reaching = (name: string, type: string) =>
  `/** ${type}: say in one sentence what the upstream is. */
import { GatewayError } from "../../core/errors.ts";
import { text } from "../../core/fields.ts";
import { fail, pass, probe, unknown, withDeadline } from "../_connector/checks.ts";
import { type Configured, connector, type SiteContext } from "../_connector/connector.ts";
import { base, idField } from "../_connector/settings.ts";
import type { ${type}Settings } from "./client.ts";

/** Throws E_${name.toUpperCase()}_NOT_LINKED. */
function assertConfigured({ site }: Configured): void {
  if (site?.${name}_id && site.credentials.includes("${name}")) return;
  throw new GatewayError(
    "E_${name.toUpperCase()}_NOT_LINKED",
    \`Site "\${site?.id}" needs ${name}_id and the ${name} credentials; its operator can set them with deno task admin site update\`,
  );
}

/** What reaches it; imported when it is first asked for, because starting needs none of it. */
async function clientOf(ctx: SiteContext<${type}Settings>) {
  assertConfigured(ctx);
  const { ${type} } = await import("./client.ts");
  return new ${type}(ctx);
}
`;

const declaring = (name: string, type: string) => `
export default connector({
  name: "${name}",
  product: "${type}",
  scope: "site",
  kinds: ["${name}"],
  address: "none",
  settings: { ${name.toUpperCase()}_API_BASE: base("https://api.${
  name.replaceAll("_", "-")
}.example/v1", "${type}") },
  siteFields: { ${name}_id: idField },
  credentials: {
    ${name}: {
      kinds: ["${name}"],
      fields: {
        api_key: {
          schema: text("visible characters without spaces", /^[\\x21-\\x7e]{1,4096}$/, true),
          help: "${type} API key",
          option: "${name.replaceAll("_", "-")}-key",
          variable: "SITE_${name.toUpperCase()}_KEY",
        },
      },
    },
  },
  codes: { E_${name.toUpperCase()}_NOT_LINKED: { status: 409, meaning: "nothing of ${type} is set for the site" } },
  present: (site) => ({ ${name}: site.${name}_id !== null && site.credentials.includes("${name}") }),
  links: { ${name}: assertConfigured },
  origins: ({ settings }) => [settings.${name.toUpperCase()}_API_BASE],
  policy: ({ method, effect }) => method === "GET" && effect === "read" ? null : "it is only read",
  connect: clientOf,
  ping: async (ctx) => await (await clientOf(ctx)).get(),
  checks: [{
    kinds: ["${name}"],
    names: ["${name}_answers"],
    async run(ctx, limitMs) {
      const limited = withDeadline(ctx, ctx.now() + limitMs);
      const { error } = await probe(async () => await (await clientOf(limited)).get());
      if (!error) return [pass("${name}_answers", "${type} answers")];
      const way = "Set what the detail names, or ask again";
      return [(error.code === "E_UPSTREAM" ? unknown : fail)("${name}_answers", error.message, way)];
    },
  }],
});
`;

const manifest = (name: string, type: string) =>
  `name: get_${name}
title: Get what ${type} has
description: >-
  Say what the tool does, what it never does and what it answers; an agent chooses by this text.
tier: T0
platforms: [${name}]
links: [${name}]
input: {}
result: { name: string }
`;

const handler = (name: string) =>
  `/** get_${name}: say in one sentence what it does. */
import ${name} from "../../platforms/${name}/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_${name}", async (_args, ctx) => await (await ctx.use(${name})).get());
`;

const standIn = (type: string) =>
  `/** What ${type} answers, as far as the gateway asks; what of it is known, and how, belongs into docs/upstreams/. */
import { json } from "../core/answers.ts";
import { startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";

/** The key it takes. */
export const API_KEY = "key-of-the-stand-in";

/** Starts it on a free port of loopback. */
export function start${type}(options: StandInOptions = {}) {
  return startService(options, {
    handle({ request, url }) {
      if (request.headers.get("authorization") !== \`Bearer \${API_KEY}\`) return json({ error: "no such key" }, 401);
      if (url.pathname !== "/items/item-1") return json({ error: "not found" }, 404);
      return json({ name: "First" });
    },
  });
}
`;

const test = (name: string, type: string) =>
  `/** get_${name}: what it answers, what it asks, and that a site that is not linked sends nothing. */
import assert from "node:assert/strict";
import { API_KEY, start${type} } from "../../../sandbox/${name}/start.ts";
import { gateway, site } from "../../kit.ts";

Deno.test("get_${name} answers what the upstream has, asked once with the site's key", async () => {
  await using upstream = start${type}();
  await using gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    settings: { upstream: { ${name.toUpperCase()}_API_BASE: upstream.base_url } },
    sites: [
      site("acme", "${name}", {
        base_url: null,
        ${name}_id: "item-1",
        credentials: { ${name}: { api_key: API_KEY } },
      }),
    ],
  });
  assert.deepEqual(await gw.call("get_${name}", { site_id: "acme" }), { name: "First" });
  assert.deepEqual(upstream.requests.map(({ method, path }) => [method, path]), [["GET", "/items/item-1"]]);
});

Deno.test("get_${name} sends nothing for a site that is not linked", async () => {
  await using gw = await gateway({ sites: [site("acme", "${name}", { base_url: null })] });
  await gw.refuses("get_${name}", { site_id: "acme" }, "E_${name.toUpperCase()}_NOT_LINKED");
  assert.deepEqual(gw.requests, []);
});
`;

/** The files a new connector begins with, by their path from the project's root. */
export function connectorFiles(name: string): Record<string, string> {
  const type = name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return {
    [`platforms/${name}/client.ts`]: client(name, type),
    [`platforms/${name}/connector.ts`]: descriptor(name, type),
    [`sandbox/${name}/start.ts`]: standIn(type),
    [`manifests/${name}/get_${name}.yaml`]: manifest(name, type),
    [`tools/${name}/get_${name}.ts`]: handler(name),
    [`tests/tools/${name}/get_${name}_test.ts`]: test(name, type),
  };
}
