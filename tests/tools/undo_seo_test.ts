/** undo_change of SEO fields: the rows go back as they were stored, absent ones as absent, or nothing is written. */
import assert from "node:assert/strict";
import { addSeopress } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import type { Args, Preview } from "../cms_kit.ts";
import { type SeoWorld, seoWorld } from "./_seo.ts";

interface Done {
  readonly request_id: string;
  readonly verified: boolean;
  readonly undone?: readonly string[];
}

const stored = ({ plugin }: SeoWorld, id: number) => JSON.stringify(plugin.fields.get(id) ?? null);

const set = (at: SeoWorld, site_id: string, post_id: number, fields: Args, as?: string) =>
  at.kit.gw.call<Done>("set_seo_meta", { site_id, post_id, ...fields, confirm: true }, { as });
const undo = (at: SeoWorld, site_id: string, request_id: string) =>
  at.kit.gw.call<Done>("undo_change", { site_id, request_id, confirm: true });

async function refusedUnsent(at: SeoWorld, args: Args, code: string, says: RegExp, as?: string) {
  const [writes, everything] = [at.kit.writes, JSON.stringify([...at.plugin.fields])];
  await at.kit.gw.refuses("undo_change", { ...args, confirm: true }, code as "E_FORBIDDEN_OP", says, { as });
  assert.deepEqual([at.kit.writes, JSON.stringify([...at.plugin.fields])], [writes, everything]);
}

Deno.test("robots, images and social texts go back to what was stored, and to nothing where there was nothing", async () => {
  await using at = await seoWorld({ guarded: true });
  const { id } = at.draft;
  await set(at, "seo", id, { title: "Old", robots: { nofollow: true } });
  const before = stored(at, id);
  const fields = {
    title: "New",
    canonical: "https://example.com/a",
    robots: { noindex: true, nofollow: false },
    og_image: "https://example.com/a.png",
    twitter_title: "T",
  };
  const preview = await at.kit.gw.call<Preview & Args>("set_seo_meta", {
    site_id: "seo",
    post_id: id,
    ...fields,
  });
  assert.equal(preview["undoable"], true);
  const { request_id } = await set(at, "seo", id, fields);
  const after = stored(at, id);
  const shown = await at.kit.gw.call<Preview>("undo_change", { site_id: "seo", request_id });
  assert.deepEqual(
    shown.changes.filter(({ field }) => ["title", "canonical"].includes(field)),
    [{ field: "title", from: "New", to: "Old" }, {
      field: "canonical",
      from: "https://example.com/a",
      to: null,
    }],
  );
  const done = await undo(at, "seo", request_id);
  assert.deepEqual([done.verified, stored(at, id)], [true, before]);
  await undo(at, "seo", done.request_id);
  assert.equal(stored(at, id), after, "an undo is taken back too");
});

Deno.test("a row that somebody changed since is not set back, a field beside it stays as it is", async () => {
  await using at = await seoWorld({ guarded: true });
  const { id } = at.draft;
  const { request_id } = await set(at, "seo", id, { robots: { noindex: true } });
  await set(at, "seo", id, { title: "Beside" });
  at.plugin.fields.get(id)!.robots["noarchive"] = true;
  await refusedUnsent(at, { site_id: "seo", request_id }, "E_STALE_PREVIEW", /noarchive" changed since/);
  at.plugin.fields.get(id)!.robots["noarchive"] = false;
  await undo(at, "seo", request_id);
  const { robots, title } = at.plugin.fields.get(id)!;
  assert.deepEqual([robots["noindex"], title], [false, "Beside"]);
});

Deno.test("what a plugin packed is not set back into another version of it, nor any row into another plugin", async () => {
  await using at = await seoWorld({ guarded: true });
  const { id } = at.draft;
  at.plugin.provider = "rankmath";
  await set(at, "seo", id, { title: "Old", robots: { nofollow: true } });
  const packed = await set(at, "seo", id, { robots: { noindex: true } });
  const plain = await set(at, "seo", id, { title: "New" });
  at.plugin.rows_version = "2.0";
  await refusedUnsent(
    at,
    { site_id: "seo", request_id: packed.request_id },
    "E_FORBIDDEN_OP",
    /rank_math_robots was written by version 1\.0 of Rank Math, and the site has 2\.0/,
  );
  at.plugin.provider = "none";
  await refusedUnsent(
    at,
    { site_id: "seo", request_id: plain.request_id },
    "E_FORBIDDEN_OP",
    /Rank Math kept it, which is switched off on the site or gone/,
  );
  at.plugin.provider = "rankmath";
  await undo(at, "seo", plain.request_id);
  assert.equal(at.plugin.fields.get(id)!.title, "Old", "a plain text is one in every version");
});

Deno.test("of a published post rows go back only with the site's leave, and the tool's own ceiling", async () => {
  await using at = await seoWorld({
    guarded: true,
    tokens: { low: { max_risk: 2, super_admin: true }, admin: { super_admin: true } },
  });
  const { gw } = at.kit;
  const { id } = at.published;
  const { request_id } = await set(at, "live", id, { robots: { noindex: true } }, "admin");
  const args = { site_id: "live", request_id };
  await refusedUnsent(at, args, "E_SCOPE_DENIED", /is live/, "low");
  await gw.store.sites.update("live", { flags: { allow_seo_on_published: false } });
  await refusedUnsent(at, args, "E_FORBIDDEN_OP", /allow_seo_on_published/, "admin");
  await gw.store.sites.update("live", { flags: { allow_seo_on_published: true } });
  const done = await gw.call<Done & { live?: unknown }>("undo_change", { ...args, confirm: true }, {
    as: "admin",
  });
  assert.equal(done.verified, true);
  assert.ok("live" in done, "visitors' page was looked at");
  assert.equal(at.plugin.fields.get(id)!.robots["noindex"], false);
});

Deno.test("an account that lost the right, and a post that is gone, are reported by the plugin's own words", async () => {
  await using at = await seoWorld({ guarded: true });
  const { id } = at.draft;
  const { request_id } = await set(at, "ed", id, { robots: { noindex: true } });
  const people = at.cms.state.people;
  const at_ed = people.findIndex(({ role }) => role === "editor");
  people[at_ed] = { ...people[at_ed]!, role: "subscriber" };
  await refusedUnsent(at, { site_id: "ed", request_id }, "E_UPSTREAM", /403/);
});

Deno.test("without the companion plugin what its own routes can say goes back; the rest is said not to be kept", async () => {
  await using at = await seoWorld({ plugin: false });
  const { gw } = at.kit;
  const rows = addSeopress(at.cms.app, at.cms.state);
  const { id } = at.draft;
  await set(at, "rest", id, { title: "Old" });
  const before = structuredClone(rows.get(id));
  const preview = async (fields: Args) =>
    await gw.call<Args>("set_seo_meta", { site_id: "rest", post_id: id, ...fields });
  const fields = { title: "New", description: "D", robots: { noindex: true } };
  assert.equal((await preview(fields))["undoable"], true);
  const { request_id } = await set(at, "rest", id, fields);
  const done = await undo(at, "rest", request_id);
  const left = Object.entries(rows.get(id)!).filter(([, value]) => value !== "");
  assert.deepEqual([done.verified, Object.fromEntries(left)], [true, before]);
  await set(at, "rest", id, { og_image: "https://example.com/a.png" });
  const image = await preview({ og_image: "https://example.com/b.png" });
  assert.equal(image["undoable"], false);
  assert.match(
    String(image["undoable_reason"]),
    /with the companion plugin \(version 1\.5\.0\) it can be set back/,
  );
});
