/** What a firewall answers in an upstream's place proves nothing of a write: the upstream may have carried it out. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import type { Kit } from "../kit.ts";
import { dudaWorld } from "./_duda.ts";
import { StaticWorld } from "./_static.ts";
import { world } from "./_stand_in.ts";
import { TopicWorld } from "./_topicmap.ts";

/** A write through a firewall, and whether what it changed stands all the same. */
interface Case {
  readonly gw: Kit;
  readonly tool: string;
  readonly args: Args;
  stands(): boolean | Promise<boolean>;
}

const blocked = { kind: "html", status: 403, applied: true } as const;

/** One of each connector that writes. */
const CASES: Readonly<Record<string, () => Promise<Case & AsyncDisposable>>> = {
  async WordPress() {
    const at = await world();
    at.cms.inject(blocked, { method: "POST", path: /\/wp\/v2\/posts$/ });
    const made = () => [...at.cms.posts.values()].some(({ title }) => title === "Written");
    const args = { site_id: "open", title: "Written", content_html: "<p>x</p>" };
    return of(at, { gw: at.kit.gw, tool: "create_draft", args, stands: made });
  },
  async "the site builder"() {
    const at = await dudaWorld();
    at.duda.inject(blocked, { method: "PATCH", path: new RegExp(`/${at.draft.id}$`) });
    const args = { site_id: "open", post_id: at.draft.id, title: "Written" };
    return of(at, { gw: at.gw, tool: "update_draft", args, stands: () => at.draft.title === "Written" });
  },
  async "topic planning"() {
    const at = await TopicWorld.open();
    at.service.inject(blocked, { method: "POST", path: /\/content-jobs$/ });
    const args = { site_id: "linked", keyword: "gutters", content_type: "blog_article" };
    return of(at, {
      gw: at.gw,
      tool: "topicmap_create_content_job",
      args,
      stands: () => at.service.writes.length === 1,
    });
  },
  async "the repository host"() {
    const at = await StaticWorld.open();
    const before = await at.head("main");
    at.host.inject(blocked, { method: "PATCH", path: /\/git\/refs\/heads\/main$/ });
    const args = {
      site_id: "open",
      path: "src/styles/site.css",
      content: "x",
      allow_overwrite: true,
      target_branch: "main",
    };
    return of(at, {
      gw: at.gw,
      tool: "write_static_file",
      args,
      stands: async () => await at.head("main") !== before,
    });
  },
};

const of = (at: AsyncDisposable, one: Case): Case & AsyncDisposable => ({
  ...one,
  [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
});

for (const [name, open] of Object.entries(CASES)) {
  Deno.test(`a firewall's refusal of a write to ${name} is not reported as nothing done`, async () => {
    await using at = await open();
    const ending = await at.gw.end(at.tool, { ...at.args, confirm: true });
    assert.ok(await at.stands(), "it was carried out");
    const [row] = await at.gw.audit();
    if (!("code" in ending)) return; // looked at, and found to stand
    assert.equal(ending.code, "E_UPSTREAM");
    assert.match(
      ending.message,
      /the outcome is unknown: look at the site (with|in) ".*before trying again$/,
    );
    assert.deepEqual([row?.status, row?.outcome], ["error", "unknown"]);
  });
}
