/** `deno task demo`: a gateway over sandbox sites, with a token and calls to try; Ctrl-C ends all of it. */
import { fileURLToPath } from "node:url";
import { devEnvironment } from "../admin/dev_secrets.ts";
import { type Gateway, openGateway, readRegistry, type Registry } from "../gateway/wire.ts";
import { serve } from "../gateway/serve.ts";
import { processEnvironment, readSettings, type Settings, unusedDatabase } from "../core/settings.ts";
import { hasStore, KNOWN_STORES_PATH } from "../store/known_stores.ts";
import { startDemoAccounts } from "./demo_accounts.ts";
import { startDemoBehavior } from "./demo_behavior.ts";
import { startDemoToolServers } from "./demo_tool_servers.ts";
import { guide } from "./demo_guide.ts";
import { startDuda } from "./duda/start.ts";
import { type CrmStandIn, startCrm } from "./highlevel/start.ts";
import { type CmsSandbox, startCms } from "./wordpress/start.ts";
import { PROJECT, REPO, startProject, type StaticProject } from "./project.ts";
import { startTopicMap, WORKSPACE_ID } from "./topic_map/start.ts";

/** The alias of the site builder's site. */
const ALIAS = "demo0001";

/** The site builder of the demo: a site with a draft and a saved section, which has that id. */
export function startDemoBuilder() {
  const builder = startDuda();
  const section = builder.section("Opening hours");
  const draft = { title: "First post", description: "A draft to begin with" };
  builder.post(builder.site(ALIAS, "built.example"), draft);
  return { builder, section };
}

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

/** What leads npm to its registry: so much of the environment, and no more, is for others. */
function wayToPackages(): Record<string, string> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const found = ["PATH", "NODE_EXTRA_CA_CERTS", "npm_config_registry", ...names].flatMap((name) => {
    const value = Deno.env.get(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The environment, with what leads to the sandbox sites in it. */
function settings(
  upstreams: readonly Readonly<Record<string, string>>[],
  { connectors }: Registry,
): Settings {
  const isKept = processEnvironment("KV_PATH")?.trim(); // else it is in memory
  const env = devEnvironment(processEnvironment, (path) => Boolean(isKept) && hasStore(path));
  const hosts = [env("ALLOW_PRIVATE_UPSTREAMS"), "127.0.0.1", "localhost"].filter(Boolean).join(",");
  const own: Record<string, string> = Object.assign({}, ...upstreams, { ALLOW_PRIVATE_UPSTREAMS: hosts });
  const read = readSettings((name) => own[name] ?? env(name), "demo", connectors.settings);
  const unused = unusedDatabase(processEnvironment, read);
  if (unused !== null) say(unused);
  const port = freePort(read.host, read.port);
  if (port === read.port) return read;
  if (read.port !== 0) say(`Port ${read.port} is taken, so the demo answers on ${port}.`);
  return { ...read, port, baseUrl: `http://127.0.0.1:${port}` };
}

/**
 * A real WordPress with the companion plugin and a keeper of custom schema, where PHP is at hand; else the stand-in,
 * which has neither.
 */
export function startDemoCms(say: (line: string) => void): Promise<CmsSandbox> {
  const plugins = ["../companion/site-ops", "wordpress/schema-keeper"];
  return startCms({ say, plugins: plugins.map((path) => fileURLToPath(new URL(path, import.meta.url))) });
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
    name: "Demo site, may publish",
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
  await store.sites.create({ ...STATIC_SITE, ...project.address !== null && { base_url: project.address } });
}

const STATIC_SITE = {
  id: "demo-static",
  name: "Static demo site",
  platform: "static",
  base_url: "https://demo-site.example",
  project_id: "demo",
  repo: REPO,
  repo_branch: "main",
  hosting_project: PROJECT,
  flags: { allow_full_repo_write: true, allow_main_branch_push: true },
} as const;

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

if (import.meta.main) {
  try {
    await using cleanup = new AsyncDisposableStack();
    await Deno.mkdir("data", { recursive: true, mode: 0o700 });
    const project = await startProject("data", { folder: "data/packages", env: wayToPackages() });
    if (project) cleanup.defer(() => project.stop());
    const topics = startTopicMap();
    cleanup.defer(() => topics.stop());
    const registry = await readRegistry();
    const { builder, section } = startDemoBuilder();
    cleanup.defer(() => builder.stop());
    const crm = startCrm();
    cleanup.defer(() => crm.stop());
    const parts = [startDemoAccounts(), startDemoBehavior(), await startDemoToolServers(crm)];
    for (const part of parts) cleanup.defer(() => part.stop());
    const checked = settings(
      [
        project?.env ?? {},
        topics.env,
        builder.env,
        { CRM_API_BASE: crm.base_url },
        ...parts.map(({ env }) => env),
      ],
      registry,
    );
    const cms = await startDemoCms(say);
    cleanup.defer(() => cms.stop());
    const gateway = await openGateway(checked, registry, { storage: { known: KNOWN_STORES_PATH } });
    await registerSites(gateway, cms, project, crm);
    for (const part of parts) await part.register(gateway, checked.baseUrl);
    const token = await makeToken(gateway);
    // One Ctrl-C comes several times, by way of npx and deno task: the later ones must not cut the cleaning up short.
    for (const signal of STOPPING) Deno.addSignalListener(signal, () => {});
    const { baseUrl } = checked;
    const begun = () => say(guide(baseUrl, token, cms, project, section, parts));
    const ending = await serve(gateway, checked, begun);
    await cleanup.disposeAsync();
    Deno.exit(ending === "told" ? 0 : 1);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
