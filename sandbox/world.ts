/** `deno task demo`: a gateway over sandbox sites, with a token and calls to try; Ctrl-C leaves nothing behind. */
import { devEnvironment } from "../admin/dev_secrets.ts";
import { type Gateway, openGateway } from "../gateway.ts";
import { serve } from "../serve.ts";
import { readSettings, type Settings } from "../settings.ts";
import { type CmsSandbox, startCms } from "./cms.ts";

const say = (text = "") => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

/** The wanted port, or a free one where it is taken. */
function freePort(hostname: string, wanted: number): number {
  try {
    using listener = Deno.listen({ hostname, port: wanted });
    return listener.addr.port;
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    using listener = Deno.listen({ hostname, port: 0 });
    return listener.addr.port;
  }
}

function settings(): Settings {
  const env = devEnvironment((name) => Deno.env.get(name));
  const hosts = [env("ALLOW_PRIVATE_UPSTREAMS"), "127.0.0.1"].filter(Boolean).join(",");
  const read = readSettings((name) => name === "ALLOW_PRIVATE_UPSTREAMS" ? hosts : env(name), "demo");
  const port = freePort(read.host, read.port);
  if (port === read.port) return read;
  say(`Port ${read.port} is taken, so the demo answers on ${port}.`);
  return { ...read, port, baseUrl: `http://127.0.0.1:${port}` };
}

/** Registers the demo's project and sites on the sandbox CMS: one that may only be drafted on, one that may publish. */
async function registerSites({ store }: Gateway, cms: CmsSandbox): Promise<void> {
  const { username, application_password } = cms.users.admin;
  const shared = {
    platform: "cms",
    base_url: cms.base_url,
    project_id: "demo",
    credentials: { cms: { username, application_password } },
  } as const;
  await store.projects.create({ id: "demo", name: "Demo" });
  await store.sites.create({ ...shared, id: "demo", name: "Demo site, drafts only" });
  await store.sites.create({
    ...shared,
    id: "demo-live",
    name: "The same site, publishing allowed",
    flags: { allow_publish: true },
  });
}

async function makeToken({ store }: Gateway): Promise<string> {
  const { text } = await store.tokens.create({
    name: "demo",
    env: "dev",
    allowed_sites: ["*"],
    allowed_tools: ["*"],
    max_risk: 4,
    skip_write_confirm: false,
    owner_user_id: null,
  });
  return text;
}

/** What to try, ready to be pasted. */
export function guide(address: string, token: string, cms: Pick<CmsSandbox, "kind" | "base_url">): string {
  const draft = {
    site_id: "demo",
    title: "Hello",
    content_html: "<p>Written through the gateway.</p>",
    confirm: true,
  };
  const frame = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "create_draft", arguments: draft },
  };
  const client = {
    mcpServers: {
      "site-operations": {
        type: "http",
        url: `${address}/mcp`,
        headers: { Authorization: `Bearer ${token}` },
      },
    },
  };
  const post = (url: string, body: unknown) =>
    [
      `curl -s ${url} \\`,
      `  -H 'Authorization: Bearer ${token}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${JSON.stringify(body)}'`,
    ].join("\n");
  const site = cms.kind === "wordpress"
    ? `A real WordPress answers at ${cms.base_url} (site ids "demo" and "demo-live").`
    : `A stand-in for WordPress answers at ${cms.base_url} (site ids "demo" and "demo-live").`;
  return [
    `The gateway answers at ${address}. ${site}`,
    "",
    "1. A draft through REST (leave confirm out to see the preview first):",
    "",
    post(`${address}/api/v1/tools/create_draft`, draft),
    "",
    "2. The same through MCP:",
    "",
    post(`${address}/mcp`, frame),
    "",
    "3. For an MCP client's configuration:",
    "",
    JSON.stringify(client, null, 2),
    "",
    `Every call leaves a row: npx -y deno@2.9 task admin audit tail --url ${address}`,
    "Ctrl-C stops everything and leaves nothing behind.",
  ].join("\n");
}

if (import.meta.main) {
  try {
    const checked = settings();
    const cms = await startCms({ say });
    try {
      const gateway = await openGateway(checked);
      await registerSites(gateway, cms);
      const token = await makeToken(gateway);
      await serve(gateway, checked, () => say(guide(checked.baseUrl, token, cms)));
    } finally {
      await cms.stop();
    }
    Deno.exit(0);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
