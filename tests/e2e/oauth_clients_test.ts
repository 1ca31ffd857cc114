/** Clients of others let themselves in with their own OAuth, and carry a draft through. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { allowed } from "../guard/oauth_kit.ts";
import { type Kit, site } from "../kit.ts";
import { start } from "./mcp_start.ts";
import { call, CLIENTS } from "./oauth_client.ts";

/** What a client's library leaves behind is its own. */
const LIBRARY = { sanitizeResources: false };

for (const [name, line] of Object.entries(CLIENTS)) {
  Deno.test(
    `${name} goes from the 401 to a confirmed draft, over a refresh in between`,
    LIBRARY,
    async () => {
      const begun = Date.now();
      let kit: Kit | undefined;
      const cms = await startWordPressStandIn({ now: () => kit?.clock.now ?? begun });
      const { username, application_password } = cms.users.admin;
      let user: User | null = null;
      const started = await start(
        {
          realClock: false,
          start: begun,
          fetch: "network",
          allowPrivate: ["127.0.0.1"],
          sites: [
            site("blog", "cms", {
              base_url: cms.base_url,
              credentials: { cms: { username, application_password } },
            }),
          ],
          signedIn: () => Promise.resolve(user && { user, session_id: "session", csrf: "csrf" }),
        },
        (opened) => kit = opened,
      );
      try {
        user = await kit!.store.users.create({
          email: "ann@gateway.example",
          role: "member",
          allowed_sites: ["*"],
          max_risk: 3,
        });
        const stranger = line(started.url);
        const back = await allowed(await stranger.ask(), { sites: "blog" });
        const client = await stranger.goOn(back.searchParams);
        try {
          const { tools } = await client.listTools();
          assert.ok(tools.some((tool) => tool.name === "create_draft"));
          kit!.clock.now += 55 * 60_000;
          const draft = { site_id: "blog", title: "By a client", content_html: "<p>Hello</p>" };
          const unbound = await call(client, "create_draft", { ...draft, confirm: true });
          assert.equal(unbound.needs_confirmation, true, "a confirmation without its preview is a preview");
          kit!.clock.now += 6 * 60_000;
          const { confirm_token } = unbound;
          const made = await call(client, "create_draft", { ...draft, confirm: true, confirm_token });
          assert.equal(made.status, "draft");
          assert.equal(stranger.saves(), 2, "the code's tokens, and those of one refresh");
          const [written] = (await kit!.audit()).filter((row) =>
            row.tool === "create_draft" && row.status === "ok"
          );
          assert.equal(written!.token_name, "SDK client");
          assert.equal(written!.owner_user_id, user!.id);
        } finally {
          await client.close();
        }
      } finally {
        await started.stop();
        await cms.stop();
      }
    },
  );
}
