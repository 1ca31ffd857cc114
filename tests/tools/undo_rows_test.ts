/** undo_change of structured data and of pages made from code: what is stored goes back to the letter, or nothing is written. */
import assert from "node:assert/strict";
import type { Args, Preview } from "../cms_kit.ts";
import { type Ground, ground } from "./_ground.ts";
import { schemaWorld } from "./_schema.ts";

interface Done {
  readonly request_id: string;
  readonly verified: boolean | null;
  readonly undone?: readonly string[];
}

const change = async (at: Ground, tool: string, args: Args) => {
  const preview = await at.gw.call<Preview & Args>(tool, { site_id: "cms", ...args });
  assert.equal(preview["undoable"], true, `${tool}: ${preview["undoable_reason"]}`);
  return await at.gw.call<Done>(tool, { site_id: "cms", ...args, confirm: true });
};
const undo = (at: Ground, request_ids: readonly string[]) =>
  at.gw.call<Done>("undo_change", { site_id: "cms", request_ids, confirm: true });

/** The same refused, and nothing sent that writes. */
async function refused(at: Ground, args: Args, code: string, says: RegExp, as?: string): Promise<void> {
  const [writes, everything] = [at.writes(), await at.everything()];
  await at.gw.refuses(
    "undo_change",
    { site_id: "cms", ...args, confirm: true },
    code as "E_FORBIDDEN_OP",
    says,
    {
      as,
    },
  );
  assert.deepEqual([at.writes(), await at.everything()], [writes, everything]);
}

Deno.test("an entry of structured data goes back, one that was added stays, and a drifted one is left", async () => {
  await using at = await ground({ guarded: true });
  const post = at.post();
  const schema = (name: string) => ({ "@context": "https://schema.org", "@type": "Article", name });
  const args = { site_id: "cms", post_id: post.id, schema: schema("Old") };
  const preview = await at.gw.call<Args>("set_seo_schema", args);
  assert.deepEqual([preview["undoable"], preview["undoable_reason"]], [
    false,
    "An entry that was added is not taken away; nothing is deleted here",
  ]);
  const added = await at.gw.call<Done & { entry_id: string }>("set_seo_schema", { ...args, confirm: true });
  await refused(at, { request_id: added.request_id }, "E_FORBIDDEN_OP", /not taken away/);
  const { entry_id } = added;
  const before = structuredClone(at.seo.schemas.get(post.id));
  const first = await change(at, "set_seo_schema", { post_id: post.id, entry_id, schema: schema("New") });
  const done = await undo(at, [first.request_id]);
  assert.deepEqual([done.verified, at.seo.schemas.get(post.id)], [true, before]);
  await undo(at, [done.request_id]);
  const again = await change(at, "set_seo_schema", { post_id: post.id, entry_id, schema: schema("Newer") });
  at.seo.schemas.get(post.id)![0]!.schema = schema("A person's");
  await refused(at, { request_id: again.request_id }, "E_STALE_PREVIEW", /changed since/);
  at.seo.schemas.set(post.id, []);
  await refused(at, { request_id: again.request_id }, "E_FORBIDDEN_OP", /is not there any more/);
});

Deno.test("a page made from code gets its title, its HTML as it stood, its CSS, JavaScript and template again", async () => {
  await using at = await ground({ guarded: true });
  const page = await at.gw.call<{ id: number }>("create_page_from_code", {
    ...{ site_id: "cms", title: "T", slug: "code", html: "<p>Old</p>", confirm: true },
  });
  const post = at.cms.state.posts.get(page.id)!;
  post.content = "<p>By a person</p>";
  const stored = () => structuredClone({ ...post, modified: 0 });
  const before = stored();
  const first = await change(at, "update_page_from_code", {
    page_id: page.id,
    ...{ title: "New", html: "<p>New</p>", css: "p { color: red }", template: "page-wide" },
  });
  const second = await change(at, "update_page_from_code", { page_id: page.id, js: "let a = 1;" });
  const after = stored();
  assert.notDeepEqual(after, before);
  const done = await undo(at, [first.request_id, second.request_id]);
  assert.deepEqual([done.verified, stored()], [true, before]);
  const shown = await at.gw.call<Preview>("undo_change", { site_id: "cms", request_id: done.request_id });
  assert.match(shown.warnings.join(), /js is script that runs/);
  await undo(at, [done.request_id]);
  assert.deepEqual(stored(), after);
  const third = await change(at, "update_page_from_code", { page_id: page.id, css: "p { color: blue }" });
  post.title = "Beside";
  await undo(at, [third.request_id]);
  assert.equal(stored().title, "Beside", "a part that it did not touch may have changed");
  const last = await change(at, "update_page_from_code", { page_id: page.id, css: "p { color: green }" });
  post.status = "publish";
  await refused(at, { request_id: last.request_id }, "E_FORBIDDEN_OP", /what visitors see of its code/);
});

for (const provider of ["schemapro", "rankmath"] as const) {
  Deno.test(`custom schema goes back as ${provider} stores it`, async () => {
    await using at = await schemaWorld({ provider, guarded: true });
    const { gw } = at.kit;
    const [site_id] = (await gw.store.sites.list()).map(({ id }) => id).filter((id) =>
      id.startsWith("schema")
    );
    const cases: [number, unknown][] = provider === "schemapro"
      ? [[10, '{"@type":"Organization","name":"New"}'], [12, {
        "custom-markup-custom-text": '{"@type":"Event","name":"New"}',
      }]]
      : [[20, { FAQPage: { "@type": "FAQPage", name: "New" } }]];
    for (const [id, value] of cases) {
      const before = structuredClone(at.entry(id));
      const args = { site_id, id, value };
      const preview = await gw.call<Args>("set_custom_schema", args);
      assert.equal(preview["undoable"], true);
      const { request_id } = await gw.call<Done>("set_custom_schema", { ...args, confirm: true });
      assert.notDeepEqual(at.entry(id), before);
      if (provider === "rankmath") {
        (at.entry(id).value as Args)["Kept"] = { "@type": "Kept", name: "A person's" };
        Object.assign(before.value as Args, { Kept: { "@type": "Kept", name: "A person's" } });
      }
      const done = await gw.call<Done>("undo_change", { site_id, request_id, confirm: true });
      assert.deepEqual([done.verified, at.entry(id)], [true, before]);
    }
  });
}

Deno.test("a redirect that was changed leads again where it did, one that was added stays", async () => {
  await using at = await ground({ guarded: true });
  const args = { source: "/old", destination: "/a", status: 301 };
  const preview = await at.gw.call<Args>("set_seo_redirect", { site_id: "cms", ...args });
  assert.equal(
    preview["undoable_reason"],
    "A redirect that was added is not taken away; nothing is deleted here",
  );
  await at.gw.call("set_seo_redirect", { site_id: "cms", ...args, confirm: true });
  const first = await change(at, "set_seo_redirect", { ...args, destination: "/b", status: 302 });
  const second = await change(at, "set_seo_redirect", { ...args, destination: "/c" });
  const before = structuredClone(at.seo.redirects);
  const done = await undo(at, [first.request_id, second.request_id]);
  assert.deepEqual(
    [done.verified, at.seo.redirects.map(({ destination, status }) => [destination, status])],
    [
      true,
      [["/a", 301]],
    ],
  );
  await undo(at, [done.request_id]);
  assert.deepEqual(at.seo.redirects, before);
  const third = await change(at, "set_seo_redirect", { ...args, destination: "/d" });
  at.seo.redirects.push({ id: 9, source: "/c", destination: "/old", status: 301 });
  await refused(at, { request_id: third.request_id }, "E_BAD_INPUT", /circle/);
  at.seo.redirects.pop();
  at.seo.redirects[0]!.status = 307;
  await refused(at, { request_id: third.request_id }, "E_STALE_PREVIEW", /changed since/);
  at.seo.redirects.splice(0);
  await refused(at, { request_id: third.request_id }, "E_FORBIDDEN_OP", /is not there any more/);
});
