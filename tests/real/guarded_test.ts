/** On a real WordPress, through both doors: what a person saves between plan and write is never overwritten. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { Args } from "../cms_kit.ts";
import { ahead, DOORS } from "../cms_kit.ts";
import { PLUGIN } from "../companion/site.ts";
import type { Json } from "../sandbox/asker.ts";
import { fresh, HIDDEN, onWordPress, PUBLIC, Real } from "./_wordpress.ts";

/** A kit before whose next write to that id `act` happens; `paths` are the requests since. */
async function meeting(site: CmsSandbox): Promise<{
  at: Real;
  paths: string[];
  before(id: number, act: () => Promise<unknown>): void;
}> {
  const paths: string[] = [];
  let armed: { id: number; act: () => Promise<unknown> } | undefined;
  const at = await Real.open(site, {
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      const method = init?.method ?? "GET";
      paths.push(`${method} ${pathname}`);
      if (armed && method === "POST" && pathname.endsWith(`/${armed.id}`)) {
        const { act } = armed;
        armed = undefined;
        await act();
      }
      return await fetch(input, init);
    },
  });
  return { at, paths, before: (id, act) => (armed = { id, act }) };
}

const raw = (record: Json, field: string) => (record[field] as Json)["raw"];
const EDIT = { title: "By a person", content: "<p>By a person</p>" };

interface Case {
  readonly tool: string;
  readonly type: "posts" | "pages";
  readonly args: (at: string) => Args;
}
const CASES: readonly Case[] = [
  { tool: "update_draft", type: "posts", args: () => ({ title: "Mine", content_html: "<p>Mine</p>" }) },
  { tool: "schedule_draft", type: "posts", args: (at) => ({ scheduled_at: at }) },
  { tool: "publish_post", type: "posts", args: () => ({}) },
  { tool: "update_page_draft", type: "pages", args: () => ({ title: "Mine", content_html: "<p>Mine</p>" }) },
  { tool: "schedule_page", type: "pages", args: (at) => ({ scheduled_at: at }) },
  { tool: "publish_page", type: "pages", args: () => ({}) },
];

onWordPress({
  async "a person's edit between plan and write stays, whoever asks and through which door"(site) {
    const { at, before } = await meeting(site);
    await using _ = at;
    for (const { tool, type, args } of CASES) {
      for (const door of DOORS) {
        const id = await at.ask.draft("ed", { title: fresh(tool) }, type);
        before(id, () => at.ask.rest("admin", "POST", `/${type}/${id}`, EDIT));
        const key = type === "posts" ? "post_id" : "page_id";
        const call = { site_id: "open", [key]: id, ...args(ahead(3600)), confirm: true };
        const says = /^title, content_html: .* was changed by ".+" at 20\S+Z.*nothing was written/;
        await at.kit.gw.fails(tool, call, "E_STALE_PREVIEW", says, { door });
        const record = await at.stored(id, type);
        assert.deepEqual(
          [raw(record, "title"), raw(record, "content"), record["status"]],
          [EDIT.title, EDIT.content, "draft"],
        );
      }
    }
  },

  async "what a person does that the write does not replace refuses nobody"(site) {
    const { at, before } = await meeting(site);
    await using _ = at;
    const id = await at.ask.draft("ed", { title: fresh("Draft"), content: "<p>old</p>" });
    before(id, async () => {
      await at.ask.rest("admin", "POST", `/posts/${id}/autosaves`, { content: "<p>unsaved</p>" });
      await at.ask.rest("admin", "POST", `/posts/${id}`, { excerpt: "By a person" });
    });
    const call = { site_id: "open", post_id: id, content_html: "<p>Mine</p>", confirm: true };
    await at.kit.gw.call("update_draft", call);
    const record = await at.stored(id);
    assert.deepEqual([raw(record, "content"), raw(record, "excerpt")], ["<p>Mine</p>", "By a person"]);
  },

  async "a draft goes its whole way through guarded writes, one read and one write each"(site) {
    const { at, paths } = await meeting(site);
    await using _ = at;
    const id = await at.ask.draft("ed", { title: fresh("Way"), content: "<p>x</p>" });
    await at.kit.gw.call("get_post", { site_id: "open", post_id: id });
    const route = `/wp-json/site-ops/v1/guarded/posts/${id}`;
    const step = async (tool: string, args: Args) => {
      paths.length = 0;
      await at.kit.gw.call(tool, { site_id: "open", post_id: id, confirm: true, ...args });
      // A schedule is shown in the site's own time zone, which is read beside.
      // What is published is looked at as a visitor too.
      const own = paths.filter((path) => path.startsWith("POST") || path.includes("/wp-json/s"));
      assert.deepEqual(own, [`GET ${route}`, `POST ${route}`], tool);
    };
    await step("update_draft", { title: "New", excerpt: "Short" });
    await step("schedule_draft", { scheduled_at: ahead(3600) });
    assert.deepEqual([(await at.stored(id))["status"], await at.visitor(id)], ["future", HIDDEN]);
    await step("unschedule", {});
    assert.equal((await at.stored(id))["status"], "draft");
    await step("publish_post", {});
    assert.deepEqual(await at.visitor(id), PUBLIC);
  },

  async "what the account may not do is refused before anything is written, by the plugin's own report"(
    site,
  ) {
    const { at } = await meeting(site);
    await using _ = at;
    const id = await at.ask.draft("ed", { title: fresh("Foreign") });
    const call = { site_id: "author", post_id: id, title: "Mine" };
    await at.kit.refuses("update_draft", { ...call, confirm: true }, "E_UPSTREAM", /^CMS 403/, "reads");
  },
}, { plugins: [PLUGIN] });
