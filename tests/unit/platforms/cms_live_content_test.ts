/** A client that forgot to judge the state of what it changes still changes nothing that is live: the egress policy refuses. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import type { SiteContext } from "../../../platforms/_connector/connector.ts";
import { bodyOf, headersOf, type Outgoing, type PublishGrant } from "../../../platforms/_http/request.ts";
import wordpress from "../../../platforms/wordpress/connector.ts";
import { WordPressClient } from "../../../platforms/wordpress/rest/wordpress_client.ts";
import { change } from "../../../platforms/wordpress/rest/writer.ts";
import { addCompanionGuarded } from "../../../sandbox/wordpress_standin/companion_guarded.ts";
import { startWordPressStandIn } from "../../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../../sandbox/wordpress_standin/state.ts";
import { judge } from "./_judged.ts";
import { site } from "./_site.ts";

const GRANT = { site_id: "acme", tool: "revise_published" } as PublishGrant;
const FORGED = { site_id: "acme", tool: "update_draft" } as PublishGrant;

/** A client of the stand-in whose requests are judged as in service. */
async function client(guarded: boolean) {
  const cms = await startWordPressStandIn();
  if (guarded) addCompanionGuarded(cms.app, cms.state);
  const acme = site({ base_url: cms.base_url });
  const facts = new Map<string, unknown>();
  const { username, application_password } = cms.users.admin;
  const ctx = {
    site: acme,
    now: () => Date.now(),
    secret: () => Promise.resolve({ username, application_password }),
    cache: {
      get: (key: string) => facts.get(key),
      set: (key: string, value: unknown) => void facts.set(key, value),
      drop: (key: string) => void facts.delete(key),
      once: (_: string, __: number, find: () => Promise<unknown>) => find(),
    },
    async send(out: Outgoing) {
      judge(wordpress, acme, out, { granted: (grant) => grant === GRANT, now: Date.now() });
      const answer = await fetch(out.url, {
        method: out.method,
        headers: headersOf(out),
        body: bodyOf(out) ?? null,
      });
      const text = await answer.text();
      const { status, headers } = answer;
      return {
        status,
        headers,
        url: out.url,
        text: () => text,
        json: () => text === "" ? undefined : JSON.parse(text),
      };
    },
  } as unknown as SiteContext;
  return { cms, wire: new WordPressClient(ctx) };
}

for (const guarded of [true, false]) {
  const through = guarded ? "through the plugin" : "past the plugin";
  for (const status of ["publish", "private"]) {
    for (const type of ["post", "page"] as const) {
      Deno.test(`a change of a ${type} that is "${status}" needs a genuine grant and leaves its state ${through}`, async () => {
        const { cms, wire } = await client(guarded);
        const post = addPost(cms.state, {
          type,
          author: 1,
          title: "Live",
          slug: "live",
          status,
          date: { at: 0, floating: false },
        });
        const before = structuredClone(post);
        const forgetful = (fields: Record<string, unknown>, grant?: PublishGrant) =>
          change(wire, {
            kind: type === "post" ? "posts" : "pages",
            id: post.id,
            fields,
            dependsOn: ["status"],
            judge: () => {},
            ...grant ? { grant } : {},
          });
        const refused = async (fields: Record<string, unknown>, grant?: PublishGrant) =>
          await assert.rejects(forgetful(fields, grant), (thrown: unknown) => {
            assert.ok(thrown instanceof GatewayError && thrown.code === "E_FORBIDDEN_OP", String(thrown));
            assert.match(thrown.message, /was not sent/);
            return true;
          });
        await refused({ title: "x" });
        await refused({ title: "x" }, FORGED);
        for (
          const fields of [
            { slug: "x" },
            { status: "draft" },
            { status: "publish" },
            { status: "future", date_gmt: "2099-01-01T00:00:00Z" },
            { date_gmt: "2020-01-01T00:00:00Z" },
            { meta: { x: 1 } },
            { password: "" },
            { title: "x", parent: 1 },
          ]
        ) {
          await refused(fields, GRANT);
        }
        assert.deepEqual(post, before);
        assert.deepEqual(cms.writes, []);
        if (status === "publish") {
          await forgetful({ title: "x" }, GRANT);
          assert.deepEqual([post.title, post.status, post.date, post.slug], [
            "x",
            status,
            before.date,
            before.slug,
          ]);
        }
        await cms.stop();
      });
    }
  }
}
