/** `deno task demo`: a gateway over sandbox sites, with a token and calls to try; Ctrl-C leaves nothing behind. */
import { fileURLToPath } from "node:url";
import { devEnvironment } from "../admin/dev_secrets.ts";
import { type Gateway, openGateway, readRegistry, type Registry } from "../gateway.ts";
import { serve } from "../serve.ts";
import { processEnvironment, readSettings, type Settings } from "../settings.ts";
import { type DemoAccounts, startDemoAccounts } from "./demo_accounts.ts";
import { startDuda } from "./duda/start.ts";
import { type CrmStandIn, startCrm } from "./highlevel/start.ts";
import { type CmsSandbox, startCms } from "./wordpress/start.ts";
import { PROJECT, REPO, startProject, type StaticProject } from "./project.ts";
import { startTopicMap, WORKSPACE_ID } from "./topic_map/start.ts";

/** The alias of the site builder's site. */
const ALIAS = "demo0001";

const say = (text = "") => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

const STOPPING: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];

/** The wanted port, or a free one where it is taken or none is wanted (0). */
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

/** The environment, with what leads to the sandbox sites in it. */
function settings(
  upstreams: readonly Readonly<Record<string, string>>[],
  { connectors }: Registry,
): Settings {
  const env = devEnvironment(processEnvironment);
  const hosts = [env("ALLOW_PRIVATE_UPSTREAMS"), "127.0.0.1"].filter(Boolean).join(",");
  const own: Record<string, string> = Object.assign({}, ...upstreams, { ALLOW_PRIVATE_UPSTREAMS: hosts });
  const read = readSettings((name) => own[name] ?? env(name), "demo", connectors.settings);
  const port = freePort(read.host, read.port);
  if (port === read.port) return read;
  if (read.port !== 0) say(`Port ${read.port} is taken, so the demo answers on ${port}.`);
  return { ...read, port, baseUrl: `http://127.0.0.1:${port}` };
}

/** A real WordPress with the companion plugin, where PHP is at hand; else the stand-in, which has none. */
export function startDemoCms(say: (line: string) => void): Promise<CmsSandbox> {
  return startCms({ say, plugins: [fileURLToPath(new URL("../companion/site-ops", import.meta.url))] });
}

/**
 * Registers the CMS twice, once for drafts only and once with publishing allowed, the site builder's and the static
 * site, and the CRM.
 */
export async function registerSites(
  { store }: Pick<Gateway, "store">,
  cms: CmsSandbox,
  project: StaticProject | null,
  crm: CrmStandIn | null = null,
): Promise<void> {
  const { username, application_password } = cms.users.admin;
  const shared = {
    platform: "cms",
    base_url: cms.base_url,
    project_id: "demo",
    credentials: { cms: { username, application_password } },
    seo: { enabled: true, channel: "plugin" },
    topicmap_workspace_id: WORKSPACE_ID,
  } as const;
  await store.projects.create({ id: "demo", name: "Demo" });
  await store.sites.create({ ...shared, id: "demo", name: "Demo site, drafts only" });
  await store.sites.create({
    ...shared,
    id: "demo-live",
    name: "The same site, publishing, SEO of what is live, topic planning and storing allowed",
    flags: {
      allow_publish: true,
      allow_seo_on_published: true,
      allow_topicmap_write: true,
      allow_storage_write: true,
    },
  });
  await store.sites.create({
    id: "demo-built",
    name: "A site builder's site, publishing allowed",
    platform: "sitebuilder",
    base_url: null,
    project_id: "demo",
    site_alias: ALIAS,
    flags: { allow_publish: true },
  });
  if (crm !== null) {
    await store.sites.create({
      id: "demo-crm",
      name: "CRM of a made-up dentist",
      platform: "crm",
      base_url: null,
      project_id: "demo",
      crm_location_id: crm.location_id,
      credentials: { crm: { integration_token: crm.token } },
    });
  }
  if (project === null) return;
  await store.sites.create({
    id: "demo-static",
    name: "Static site, still empty",
    platform: "static",
    base_url: "https://demo-site.example",
    project_id: "demo",
    repo: REPO,
    repo_branch: "main",
    hosting_project: PROJECT,
    flags: { allow_full_repo_write: true, allow_main_branch_push: true },
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
export function guide(
  address: string,
  token: string,
  cms: Pick<CmsSandbox, "kind" | "base_url">,
  project: Pick<StaticProject, "repo"> | null,
  accounts: Pick<DemoAccounts, "guide"> | null = null,
): string {
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
  const scaffold = { site_id: "demo-static", homepage_html: "<h1>Hello</h1>", confirm: true };
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
    ? `A real WordPress with the companion plugin answers at ${cms.base_url} (site ids "demo" and "demo-live").`
    : `A stand-in for WordPress answers at ${cms.base_url} (site ids "demo" and "demo-live").`;
  return [
    `The gateway answers at ${address}. ${site}`,
    'A stand-in for Duda, a site builder, has the site id "demo-built".',
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
    ...project === null ? ['git is missing on this machine, so there is no site id "demo-static" to try.'] : [
      '4. A static site (site id "demo-static", its repository still empty): begin it, then look at the commit.',
      "",
      post(`${address}/api/v1/tools/init_static_project`, scaffold),
      "",
      `git clone ${project.repo.path(REPO)} demo-site`,
    ],
    "",
    `5. Topic planning on a stand-in (site id "demo" reads, "demo-live" may also write):`,
    "",
    post(`${address}/api/v1/tools/topicmap_list_content_jobs`, { site_id: "demo" }),
    "",
    '6. A report of a made-up client from a stand-in for the CRM (site id "demo-crm"):',
    "",
    post(`${address}/api/v1/tools/crm_bootstrap_baseline`, { site_id: "demo-crm" }),
    "",
    ...accounts?.guide(address, post) ?? [],
    `Every call leaves a row: npx -y deno@2.9 task admin audit tail --url ${address}`,
    "Ctrl-C stops everything and leaves nothing behind.",
  ].join("\n");
}

if (import.meta.main) {
  try {
    await using cleanup = new AsyncDisposableStack();
    await Deno.mkdir("data", { recursive: true });
    const project = await startProject("data");
    if (project) cleanup.defer(() => project.stop());
    const topics = startTopicMap();
    cleanup.defer(() => topics.stop());
    const registry = await readRegistry();
    const builder = startDuda();
    cleanup.defer(() => builder.stop());
    builder.section("Opening hours");
    builder.post(builder.site(ALIAS, "built.example"), {
      title: "First post",
      description: "A draft to begin with",
    });
    const crm = startCrm();
    cleanup.defer(() => crm.stop());
    const accounts = startDemoAccounts();
    cleanup.defer(() => accounts.stop());
    const checked = settings(
      [project?.env ?? {}, topics.env, builder.env, accounts.env, { CRM_API_BASE: crm.base_url }],
      registry,
    );
    const cms = await startDemoCms(say);
    cleanup.defer(() => cms.stop());
    const gateway = await openGateway(checked, registry);
    await registerSites(gateway, cms, project, crm);
    await accounts.register(gateway, checked.baseUrl);
    const token = await makeToken(gateway);
    // One Ctrl-C comes several times, by way of npx and deno task: the later ones must not cut the cleaning up short.
    for (const signal of STOPPING) Deno.addSignalListener(signal, () => {});
    const { baseUrl } = checked;
    await serve(gateway, checked, () => say(guide(baseUrl, token, cms, project, accounts)));
    await cleanup.disposeAsync();
    Deno.exit(0);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
