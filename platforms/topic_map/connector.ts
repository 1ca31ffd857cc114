/** The topic-planning service: the operator's own account, of which each site sees the one workspace linked to it. */
import { GatewayError } from "../../core/errors.ts";
import { fail, pass } from "../_connector/checks.ts";
import { type Configured, connector } from "../_connector/connector.ts";
import { baseAddress, given, labelled, secret, word } from "../_connector/settings.ts";
import { forbidden, type TopicMapSettings } from "./routes.ts";

/** Throws E_MISSING_SECRET. */
function assertConfigured({ settings }: Configured<TopicMapSettings>): void {
  for (const name of ["TOPICMAP_BASE_URL", "TOPICMAP_BOT_TOKEN"] as const) {
    if (settings[name] !== null) continue;
    throw new GatewayError(
      "E_MISSING_SECRET",
      `Topic planning needs ${name}, which the gateway's operator has not set`,
    );
  }
}

/** Throws E_TOPICMAP_NOT_LINKED, E_MISSING_SECRET. */
function assertLinked(configured: Configured<TopicMapSettings>): void {
  const { site } = configured;
  if (!site?.topicmap_workspace_id) {
    throw new GatewayError(
      "E_TOPICMAP_NOT_LINKED",
      `Site "${site?.id}" has no topic-planning workspace; its operator can set topicmap_workspace_id with ` +
        "deno task admin site update, and topicmap_list_workspaces shows which there are",
    );
  }
  assertConfigured(configured);
}

export default connector({
  name: "topic_map",
  product: "a topic-planning service",
  scope: "gateway",
  settings: {
    TOPICMAP_BASE_URL: given("The topic-planning service, without /v1", baseAddress),
    TOPICMAP_BOT_TOKEN: secret("Its bot token", word),
  },
  siteFields: {
    topicmap_workspace_id: labelled(
      "Workspace for topics",
      "an id of at most 64 letters, digits, - and _",
      /^[A-Za-z0-9_-]{1,64}$/,
    ),
  },
  links: { topicmap: assertLinked, topicmap_secrets: assertConfigured },
  origins: ({ settings }) => (settings.TOPICMAP_BASE_URL === null ? [] : [settings.TOPICMAP_BASE_URL]),
  policy: forbidden,
  probes: {
    topicmap: {
      what: "Topic-planning service",
      field: "topicmap_workspace_id",
      async run(ctx, see) {
        assertConfigured(ctx);
        await (await import("./client.ts")).workspaceProbe(ctx, see);
      },
    },
  },
  async connect(ctx) {
    assertConfigured(ctx);
    const { TopicMap } = await import("./client.ts"); // large, and not needed to start
    return new TopicMap(ctx);
  },
  checks: [{
    names: ["topicmap_link"],
    run: ({ site }) => [
      site?.topicmap_workspace_id
        ? pass("topicmap_link", `Linked to workspace "${site.topicmap_workspace_id}"`)
        : fail(
          "topicmap_link",
          "No topic-planning workspace is linked",
          `If it is wanted: deno task admin site update ${site?.id} --topicmap-workspace-id …`,
        ),
    ],
  }],
});
