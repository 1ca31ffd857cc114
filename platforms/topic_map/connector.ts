/** The topic-planning service: workspaces can be linked; this version does not reach it yet. */
import { fail, pass } from "../checks.ts";
import { described } from "../connector.ts";
import { baseAddress, given, secret, word } from "../settings.ts";
import { idField } from "../site_fields.ts";

export default described({
  name: "topic_map",
  product: "a topic-planning service",
  scope: "gateway",
  settings: {
    TOPICMAP_BASE_URL: given("The topic-planning service, without /v1", baseAddress),
    TOPICMAP_BOT_TOKEN: secret("Its bot token", word),
  },
  siteFields: { topicmap_workspace_id: idField },
  checks: [{
    names: ["topicmap_link"],
    run: ({ site: { topicmap_workspace_id: workspace } }) => [
      workspace === null
        ? fail(
          "topicmap_link",
          "No topic-planning workspace is linked",
          "Link one in the admin area, if it is wanted",
        )
        : pass("topicmap_link", `Linked to workspace "${workspace}"`),
    ],
  }],
});
