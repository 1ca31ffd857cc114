/** On a real WordPress whose plugin keeps the translations of a post in step: what the tools write, refuse and say. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as registered } from "../kit.ts";
import { startWordPress } from "../wordpress.ts";
import { fresh, ignore, onWordPress, Real } from "./_wordpress.ts";

const S = { site_id: "step" };
const LIVE = { status: "publish", date: "2026-01-02T03:04:05" };

async function open(site: CmsSandbox): Promise<Real> {
  const { username, application_password } = site.users.admin;
  const more = {
    base_url: site.base_url,
    credentials: { cms: { username, application_password } },
    flags: { allow_publish: true, allow_seo_on_published: true },
    seo: { enabled: true, channel: "plugin" },
  } as const;
  return await Real.open(site, { sites: [registered("step", "cms", more)] });
}

const peek = (at: Real, body: Args) => at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", body);
const rows = async (at: Real) => (await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows")).body;

/** A draft and its translation that is public, of which these fields are kept in step from then on. */
async function pair(at: Real, what: readonly string[], type = "posts", own: Args = {}) {
  await peek(at, { options: { in_step_what: [] } });
  const title = fresh("Translated");
  const made = {
    own: await at.ask.draft("admin", own, type),
    other: await at.ask.draft("admin", { title, ...LIVE }, type),
    title,
  };
  await peek(at, { options: { in_step_what: what, in_step_pairs: [[made.own, made.other]] } });
  return made;
}

onWordPress({
  async "a draft's write that would change its live translation is refused by name, and leaves every row as it was"(
    site,
  ) {
    await using at = await open(site);
    const { own, other, title } = await pair(at, ["dates", "terms", "meta"]);
    const page = await pair(at, ["dates", "terms", "meta"], "pages");
    await peek(at, { options: { in_step_pairs: [[own, other], [page.own, page.other]] } });
    const calls: [tool: string, args: Args, says: string][] = [
      ["update_draft", { post_id: own, title: "x" }, `post ${own}: .* post ${other} "${title}" \\(date\\)`],
      ["schedule_draft", { post_id: own, scheduled_at: "2036-05-01T10:00:00Z" }, `post ${other} .*\\(.*date`],
      ["set_seo_meta", { post_id: own, title: "Mine" }, `post ${own}: .* post ${other} .*\\(seo\\)`],
      ["update_page_draft", { page_id: page.own, title: "x" }, `page ${page.own}: .* post ${page.other} `],
    ];
    for (const [tool, args, says] of calls) {
      const before = await rows(at);
      const write = { ...S, ...args, confirm: true };
      const refused = new RegExp(`${says}.*nothing was written\\. Have its synchronisation .*in the CMS$`);
      const message = await at.kit.gw.refuses(tool, write, "E_FORBIDDEN_OP", refused);
      assert.doesNotMatch(message, /date_gmt/, "in the words of arguments");
      assert.deepEqual(await rows(at), before, `${tool}: no row is another`);
    }
    for (const { status, error } of await at.kit.gw.audit()) {
      assert.deepEqual([status, error], ["error", "E_FORBIDDEN_OP"]);
    }
  },

  ...Object.fromEntries(DOORS.map((door) => [
    `what a live write changes elsewhere is reported and not verified, through ${door}`,
    async (site: CmsSandbox) => {
      await using at = await open(site);
      const says = (id: number, part: string) =>
        new RegExp(`^post ${id}, which visitors see, was changed along with it .*\\(${part}\\)`);
      const going = await pair(at, ["dates"]);
      const published = await at.kit.write<Args>(door, "publish_post", { ...S, post_id: going.own });
      assert.deepEqual([published.done["status"], published.proof.verified], ["published", false]);
      assert.match(published.proof.warnings.join("\n"), says(going.other, "date"));
      const { id: kind } = (await at.ask.rest("admin", "POST", "/categories", { name: fresh("Kind") })).body;
      const { name } = (await at.ask.rest("admin", "GET", `/categories/${kind}`)).body;
      const live = await pair(at, ["terms", "meta"], "posts", LIVE);
      const revision = { ...S, post_id: live.own, categories: [name] };
      const revised = await at.kit.write<Args>(door, "revise_published", revision);
      assert.equal(revised.proof.verified, false);
      assert.match(revised.proof.warnings.join("\n"), says(live.other, "categories"));
      const seo = await at.kit.write<Args>(door, "set_seo_meta", { ...S, post_id: live.own, title: "T" });
      assert.equal(seo.proof.verified, false);
      assert.match(seo.proof.warnings.join("\n"), says(live.other, "seo"));
    },
  ])),

  ...Object.fromEntries(DOORS.map((door) => [
    `terms are found and made in the post's own language, through ${door}`,
    async (site: CmsSandbox) => {
      await using at = await open(site);
      await peek(at, { options: { in_step_what: [] } });
      const name = fresh("News");
      const term = async (lang: string, slug: string) =>
        Number((await at.ask.rest("admin", "POST", `/categories?lang=${lang}`, { name, slug })).body["id"]);
      // The slug that the name makes is that of the default language.
      const slug = name.toLowerCase().replaceAll(" ", "-");
      const [en, de] = [await term("en", slug), await term("de", `${slug}-de`)];
      const [english, german] = [await at.ask.draft("admin"), await at.ask.draft("admin")];
      await peek(at, { options: { in_step_languages: { [german]: "de" } } });
      for (const [post_id, id] of [[english, en], [german, de]] as const) {
        const tag = fresh("Tag");
        const { proof } = await at.kit.write<Args>(door, "update_draft", {
          ...S,
          post_id,
          categories: [name],
          tags: [tag],
        });
        assert.deepEqual([proof.verified, proof.warnings], [true, []]);
        const stored = await at.stored(post_id);
        assert.deepEqual(stored["categories"], [id]);
        const lang = id === en ? "en" : "de";
        const { body } = await at.ask.rest("admin", "GET", `/tags?lang=${lang}&search=${tag}`);
        assert.deepEqual(body.map((one) => [one["id"]]), [stored["tags"]], "made in that language");
        const other = lang === "en" ? "de" : "en";
        const only = fresh(`Only ${other}`);
        await at.ask.rest("admin", "POST", `/categories?lang=${other}`, { name: only });
        const call = { ...S, post_id, categories: [only], confirm: true };
        const says = new RegExp(`^categories: "${only}" \\(\\d+\\) is not of the post's language, "${lang}"`);
        await at.kit.gw.fails("update_draft", call, "E_BAD_INPUT", says, { door });
      }
    },
  ])),

  async "where nothing of the translation changes, a draft is written and set back as ever"(site) {
    await using at = await open(site);
    const { own } = await pair(at, ["terms", "meta"]);
    const before = await rows(at);
    const { done, proof } = await at.kit.write<Args>("rest", "update_draft", {
      ...S,
      post_id: own,
      title: fresh("Mine"),
    });
    assert.deepEqual([done["status"], proof.verified, proof.warnings], ["draft", true, []]);
    const undone = { ...S, request_ids: [proof.request_id], confirm: true };
    await at.kit.gw.call("undo_change", undone);
    const of = (all: unknown, table: string) => (all as Record<string, string[]>)[table];
    const after = await rows(at);
    for (const table of ["postmeta", "term_relationships", "terms"]) {
      assert.deepEqual(of(after, table), of(before, table), table);
    }
  },
}, { plugins: [PLUGIN, fixture("peek"), fixture("dump"), fixture("in-step")] });

Deno.test({
  name:
    "a diagnosis of a site without the companion plugin says what nobody notices there, on a real WordPress",
  ignore,
  async fn() {
    await using site = await startWordPress({ plugins: [fixture("peek"), fixture("in-step")] });
    await using at = await open(site);
    const { checks } = await at.kit.gw.call<{ checks: { name: string; detail: string }[] }>(
      "diagnose_site",
      S,
    );
    const { detail = "" } = checks.find(({ name }) => name === "companion") ?? {};
    assert.match(
      detail,
      /is not installed; Polylang is active there, .* the companion plugin alone notices that$/,
    );
  },
});
