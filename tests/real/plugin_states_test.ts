/** On a real WordPress with states of plugins: who sees what is in one, what may be written there, and what lists say. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as registered } from "../kit.ts";
import { fresh, ignore, on, onWordPress, Real } from "./_wordpress.ts";
import { startWordPress } from "../wordpress.ts";

const STATES = { pitch: false, review: false, archived: true, inhouse: true } as const;
const S = { site_id: "states" };

async function open(site: CmsSandbox, channel: "plugin" | "rest" = "plugin"): Promise<Real> {
  const { username, application_password } = site.users.admin;
  const more = {
    base_url: site.base_url,
    credentials: { cms: { username, application_password } },
    seo: { enabled: true, channel },
  } as const;
  const flags = { allow_publish: true, allow_seo_on_published: true };
  const sites = [
    registered("states", "cms", { ...more, flags: { allow_publish: true } }),
    registered("seen", "cms", { ...more, flags }),
  ];
  return await Real.open(site, { sites });
}

const peek = (at: Real, body: Args) => at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", body);

/** A post or page in that state. */
async function inState(
  at: Real,
  status: string,
  type = "posts",
  title = fresh(`In ${status}`),
): Promise<number> {
  const id = await at.ask.draft("admin", { title, content: "<p>x</p>" }, type);
  await peek(at, { id, columns: { post_status: status, post_name: `in-${status}-${id}` } });
  return id;
}

async function written(at: Real, seo: boolean): Promise<void> {
  for (const [status, live] of Object.entries(STATES)) {
    const id = await inState(at, status);
    const page = await inState(at, status, "pages");
    assert.equal((await at.visitor(id))[1] === 200, status === "archived", "who sees it");
    const why = new RegExp(`"${status}", a state of a plugin of the site; change it in the CMS$`);
    const calls: [string, Args][] = [
      ["update_draft", { post_id: id, title: "x" }],
      ["schedule_draft", { post_id: id, scheduled_at: "2036-05-01T10:00:00Z" }],
      ["publish_post", { post_id: id }],
      ["revise_published", { post_id: id, title: "x" }],
      ["update_page_draft", { page_id: page, title: "x" }],
      ["publish_page", { page_id: page }],
    ];
    for (const [tool, args] of calls) {
      await at.kit.refuses(tool, { ...S, ...args, confirm: true }, "E_FORBIDDEN_OP", why, "reads");
    }
    if (!seo) continue;
    const change = { post_id: id, title: "Mine" };
    const refused = new RegExp(`Post ${id} is ${status}: a change of its SEO is seen at once`);
    if (live) {
      const call = { ...S, ...change, confirm: true };
      await at.kit.refuses("set_seo_meta", call, "E_FORBIDDEN_OP", refused, "reads");
    }
    const preview = await at.kit.preview("set_seo_meta", { site_id: live ? "seen" : "states", ...change });
    assert.equal(preview.warnings.some((one) => one.includes("is live")), live, status);
    const call = { site_id: live ? "seen" : "states", ...change };
    const { proof } = await at.kit.write<Args>("rest", "set_seo_meta", call);
    const reason = live ? /^a plugin of the site says by its state who sees it/ : /^visitors do not see it/;
    assert.match(String(proof.live_reason), reason, status);
  }
}

async function found(at: Real): Promise<void> {
  const word = fresh("Found").replaceAll(" ", "");
  const states = ["pitch", "archived", "inhouse"];
  for (const status of states) await inState(at, status, "posts", `${word} ${status}`);
  for (const status of ["private", "trash"]) {
    await inState(at, status, "posts", `${word} ${status}`);
  }
  interface Hit {
    readonly place: { readonly status: string };
    readonly change: unknown;
  }
  await peek(at, { options: { plugin_states_no_pending: 1 } });
  const { hits } = await at.kit.both<{ hits: Hit[] }>("find_text", { ...S, text: word });
  await peek(at, { options: { plugin_states_no_pending: 0 } });
  const told = hits.map(({ place, change }) => [place.status, change]);
  const expected = states.map((status) => {
    return [status, { tool: null, how: `in the CMS: "${status}" is a state of a plugin of the site` }];
  });
  assert.deepEqual(told.toSorted(), expected.toSorted());
  const call = { ...S, find: word, replace: "Other", confirm: true };
  await at.kit.refuses("replace_text", call, "E_BAD_INPUT", /is a state of a plugin of the site/, "reads");
}

onWordPress({
  async "what is in a state of a plugin's is written by no tool but SEO's, which knows who sees it"(site) {
    await using at = await open(site);
    await written(at, true);
  },

  async "lists of all states have it, also where a plugin took a state of WordPress's away"(site) {
    await using at = await open(site);
    const word = fresh("Listed").replaceAll(" ", "");
    const ids = new Map<number, string>();
    for (const status of [...Object.keys(STATES), "trash"]) {
      ids.set(await inState(at, status, "posts", `${word} ${status}`), status);
    }
    const asked = { ...S, type: "post", search: word };
    for (const gone of [0, 1]) {
      await peek(at, { options: { plugin_states_no_pending: gone } });
      const { items, total } = await at.kit.both<{ items: { id: number; status: string }[]; total: number }>(
        "list_content",
        asked,
      );
      assert.deepEqual(items.map(({ status }) => status).toSorted(), Object.keys(STATES).toSorted());
      assert.equal(total, items.length);
      for (const { id, status } of items) assert.equal(ids.get(id), status);
    }
    await peek(at, { options: { plugin_states_no_pending: 0 } });
  },

  async "a plugin's revision of what is live is changed as a draft and not published beside it"(site) {
    await using at = await open(site);
    const live = await at.ask.draft("admin", { status: "publish", title: fresh("Live") });
    const id = await at.ask.draft("admin", { title: fresh("Revision"), content: "<p>x</p>" });
    // As PublishPress Revisions 3.7.8 keeps one (RevisionCreation::insert_revision).
    await peek(at, { id, columns: { post_mime_type: "draft-revision", comment_count: live } });
    const post = { ...S, post_id: id };
    await at.kit.write("rest", "update_draft", { ...post, title: fresh("Changed") });
    const why = new RegExp(
      `^Post ${id} is a revision of ${live} that a plugin of the site keeps; publish or`,
    );
    const due = { ...post, scheduled_at: "2036-05-01T10:00:00Z", confirm: true };
    await at.kit.refuses("schedule_draft", due, "E_FORBIDDEN_OP", why, "reads");
    await at.kit.refuses("publish_post", { ...post, confirm: true }, "E_FORBIDDEN_OP", why, "reads");
    assert.equal((await at.stored(id))["status"], "draft");
  },

  async "texts in it are found, and left to people"(site) {
    await using at = await open(site);
    await found(at);
  },

  ...Object.fromEntries(DOORS.map((door) => [
    `a draft that a plugin makes public when it is saved is taken back and no success, through ${door}`,
    async (site: CmsSandbox) => {
      await using at = await open(site);
      await peek(at, { options: { plugin_states_turns: "archived" } });
      const title = fresh("[turns]");
      const call = { ...S, title, content_html: "<p>x</p>", confirm: true };
      await at.kit.gw.fails("create_draft", call, "E_FORBIDDEN_OP", /created and is "archived" now/, {
        door,
      });
      await peek(at, { options: { plugin_states_turns: "pitch" } });
      const hidden = { ...S, title: fresh("[turns]"), content_html: "<p>x</p>" };
      const { done, proof } = await at.kit.write<Args>(door, "create_draft", hidden);
      assert.deepEqual([done["status"], proof.verified], ["pitch", false]);
      await peek(at, { options: { plugin_states_turns: "" } });
    },
  ])),
}, { plugins: [PLUGIN, fixture("peek"), fixture("plugin-states")] });

Deno.test({
  name: `on ${on}: without the companion plugin the site's own list of states says who sees it`,
  ignore,
  async fn() {
    const plugins = [fixture("peek"), fixture("plugin-states"), fixture("yoast-standin")];
    await using site = await startWordPress({ plugins });
    await using at = await open(site, "rest");
    await written(at, false);
    await found(at);
    for (const [status, live] of Object.entries(STATES)) {
      const id = await inState(at, status);
      const asked = { site_id: "states", post_id: id, title: "Mine" };
      const ending = await at.kit.gw.end("set_seo_meta", asked);
      assert.equal(JSON.stringify(ending).includes("is seen at once"), live, status);
    }
  },
});
