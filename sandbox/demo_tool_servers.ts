/** The demo's tool servers: a site whose page builder has one, and the CRM's own, whose tools the gateway passes on. */
import type { Gateway } from "../gateway/wire.ts";
import type { DemoPart } from "./demo_part.ts";
import type { CrmStandIn } from "./highlevel/start.ts";
import { addHostedTools } from "./tool_servers/hosted.ts";
import { addToolServers, container, widget } from "./tool_servers/start.ts";
import { addCompanionHealth } from "./wordpress_standin/companion.ts";
import { addCompanionHold } from "./wordpress_standin/companion_hold.ts";
import { startWordPressStandIn } from "./wordpress_standin/start.ts";

/** The site with the page builder's tool server. */
const BUILDER_SITE = "demo-builder";
const CRM_SITE = "demo-crm";

/** Starts it. */
export async function startDemoToolServers(crm: CrmStandIn) {
  const site = await startWordPressStandIn();
  const hold = addCompanionHold(site);
  const health = { version: hold.version, visual: true };
  addCompanionHealth(site.app, site.state.namespaces, health, undefined, hold);
  const servers = addToolServers(site, { hold });
  const section = container({}, [widget("heading", { title: "Welcome" })]);
  const { id: post_id } = servers.page({ title: "Home", elements: [section] });
  const { username, application_password } = site.users.admin;
  const hosted = addHostedTools(crm);
  const heading = {
    site_id: BUILDER_SITE,
    post_id,
    parent_id: section.id,
    widget_type: "heading",
    settings: { title: "Open on Sundays" },
  };
  return {
    env: { CRM_MCP_URL: hosted.url },
    async register({ store, toolCatalogs }: Pick<Gateway, "store" | "toolCatalogs">) {
      await store.sites.create({
        id: BUILDER_SITE,
        name: "A page builder's site with a tool server of its own",
        platform: "cms",
        base_url: site.base_url,
        project_id: "demo",
        credentials: { cms: { username, application_password } },
      });
      await store.sites.update(CRM_SITE, { flags: { allow_crm_write: true } });
      await toolCatalogs.run(); // nobody wants to wait for the clock
    },
    guide: (address, paste, undone) => [
      `Tools of sites' own tool servers, passed on (site ids "${BUILDER_SITE}" and "${CRM_SITE}"). The elements of a page:`,
      paste("builder-mcp-get-page-structure", { site_id: BUILDER_SITE, post_id }),
      "",
      "What one more heading would change, which the site runs and takes back; and the same, carried out:",
      "",
      paste("builder-mcp-add-free-widget", { ...heading, dry_run: true }),
      "",
      ...undone("builder-mcp-add-free-widget", heading),
      "",
      "A tag for a contact of the CRM, whose server has no preview:",
      "",
      paste("contacts_add-tags", { site_id: CRM_SITE, contactId: "contact-1", tags: ["vip"] }),
      "",
      "What else the builder's server lists is held back until an operator approves it:",
      "",
      `npx -y deno@2.9 task admin tool-server list --site ${BUILDER_SITE} --state held --url ${address}`,
    ],
    async stop() {
      await site.stop();
    },
  } satisfies DemoPart;
}
