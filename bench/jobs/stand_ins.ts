/** The stand-ins of all jobs: two WordPress, a page builder's site, a repository, a CRM, figures, topic planning. */
import { fileURLToPath } from "node:url";
import type { Gateway } from "../../gateway/wire.ts";
import { startPages } from "../../sandbox/cloudflare_pages/start.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import { googleOf } from "../../sandbox/demo_accounts.ts";
import { SEEDED } from "../../sandbox/google/start.ts";
import { projectEnv } from "../../sandbox/project.ts";
import { startAccounts } from "../../sandbox/google_accounts/start.ts";
import { startCrm } from "../../sandbox/highlevel/start.ts";
import { addToolServers, container, widget } from "../../sandbox/tool_servers/start.ts";
import { startTopicMap } from "../../sandbox/topic_map/start.ts";
import { startCms } from "../../sandbox/wordpress/start.ts";
import { addCompanionHealth } from "../../sandbox/wordpress_standin/companion.ts";
import { addCompanionHold } from "../../sandbox/wordpress_standin/companion_hold.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { type Ready, SITES, STATIC } from "./sites.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PLUGINS = ["companion/site-ops", "sandbox/wordpress/schema-keeper"].map((path) => `${ROOT}${path}`);
const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function startYoga() {
  const cms = await startWordPressStandIn();
  const hold = addCompanionHold(cms);
  addCompanionHealth(cms.app, cms.state.namespaces, { version: hold.version, visual: true }, undefined, hold);
  const servers = addToolServers(cms, { hold });
  const page = servers.page({
    title: "Welcome",
    elements: [
      container({}, [widget("heading", { title: "Yoga in the Josefstadt" })]),
      container({}, [
        widget("heading", { title: "Classes" }),
        widget("text-editor", { editor: "<p>From Monday to Friday.</p>" }),
      ]),
    ],
  });
  return { cms, servers, page };
}

/** The figures' side: accounts of Google that one person has connected. */
function startFigures() {
  const accounts = startAccounts();
  const { email } = accounts.people[0]!;
  const google = googleOf(accounts);
  return {
    google,
    folder: google.folder({ name: "Huber Roofing, documents" }),
    env: { ...accounts.env, ...google.env, ADS_DEVELOPER_TOKEN: "none" },
    async link({ store }: Pick<Gateway, "store">, folder: string) {
      const user = await store.users.create({
        email: "agency@bench.example",
        role: "member",
        allowed_sites: ["*"],
        max_risk: 3,
      });
      await store.accounts.connect(user!.id, "google", accounts.grant(email));
      await store.sites.update(SITES.roofer, {
        account_user_id: user!.id,
        storage_user_id: user!.id,
        analytics_property_id: SEEDED.property,
        search_site_url: SEEDED.search_site,
        storage_folder_id: folder,
      });
    },
    async stop() {
      await google.stop();
      await accounts.stop();
    },
  };
}

/** Starts everything that the gateway leads to; `env` are the settings that lead there, repositories are kept in the folder. */
export async function startStandIns(folder: string) {
  const cms = () => startCms({ kind: "wordpress", plugins: PLUGINS, workers: 2, say });
  const roofer = await cms();
  const [dentist, yoga] = [await cms(), await startYoga()];
  const repo = await startGitHub({ folder });
  const hosting = await startPages({ host: repo });
  for (const linked of Object.values(STATIC)) {
    await repo.make(linked.repo, { empty: true });
    hosting.project(linked.hosting_project, { repo: linked.repo });
  }
  const [topics, crm, figures] = [startTopicMap(), startCrm(), startFigures()];
  return {
    roofer,
    dentist,
    yoga,
    repo,
    hosting,
    topics,
    crm,
    figures,
    env: {
      ...projectEnv(repo, hosting),
      CRM_API_BASE: crm.base_url,
      ...topics.env,
      ...figures.env,
    },
    async stop() {
      for (const one of [roofer, dentist, yoga.cms, hosting, repo, topics, crm, figures]) await one.stop();
    },
  };
}

/** A world that a job is judged in. */
export type World = Awaited<ReturnType<typeof startStandIns>> & {
  /** A call of a tool as the agency's own colleague. */
  readonly ready: Ready;
};
