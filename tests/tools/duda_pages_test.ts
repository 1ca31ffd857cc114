/** Pages of a site builder: always DRAFT when made, copied, given sections, staged and published; live ones refused. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import { ALIAS, DOMAIN, type DudaWorld, dudaWorld, test } from "./_duda.ts";

const at = (path: string) => `/api/sites/multiscreen/${ALIAS}${path}`;
const newest = ({ built }: DudaWorld) => [...built.pages.values()].at(-1)!;
const NOBODY = "00000000-0000-4000-8000-000000000000";

test("get_page and list_content answer pages with their state", async (world) => {
  const { gw, page, livePage } = world;
  Object.assign(page, { seo: { title: "T" }, draft_status: "STAGED_DRAFT" });
  for (const door of DOORS) {
    assert.deepEqual(await gw.call("get_page", { site_id: "open", page_id: page.uuid }, { door }), {
      id: page.uuid,
      status: "draft",
      url: `https://${DOMAIN}/about`,
      title: "About",
      scheduled_at: null,
      modified_gmt: null,
      slug: "about",
      author_id: null,
      content_html: null,
      parent_id: null,
      template: "",
      page_builder: null,
      from_code: false,
      seo: { title: "T", description: null, no_index: null, og_image: null },
      header_html: "",
      publish_on_next_site_publish: true,
    });
    const list = (args: Args) =>
      gw.call<{ items: { id: string; status: string }[] }>("list_content", {
        site_id: "open",
        type: "page",
        ...args,
      }, { door });
    assert.deepEqual((await list({})).items.map(({ id, status }) => [id, status]), [
      [livePage.uuid, "published"],
      [page.uuid, "draft"],
    ]);
    assert.deepEqual((await list({ status: "draft" })).items.map(({ id }) => id), [page.uuid]);
    assert.deepEqual((await list({ search: "nothing" })).items, []);
  }
});

for (const door of DOORS) {
  for (const answers of ["body", "nothing"] as const) {
    test(`through ${door} pages are made and copied as DRAFT, sent explicitly, where ${answers} is answered`, async (world) => {
      const { gw, duda, page } = world;
      duda.state.switches.answers = answers;
      const args = {
        site_id: "closed",
        title: "New page",
        seo: { description: "D" },
        header_html: "<b>x</b>",
      };
      const preview = await gw.call<{ changes: Args[] }>("create_page_draft", args, { door });
      assert.ok(preview.changes.some(({ field, to }) => field === "slug" && to === "new-page"));
      assert.deepEqual(duda.writes, []);
      const made = await world.write("create_page_draft", args, door);
      const stored = newest(world);
      assert.deepEqual([made["id"], made["status"], made["url"]], [
        stored.uuid,
        "draft",
        `https://${DOMAIN}/new-page`,
      ]);
      assert.deepEqual([made["verified"], made["warnings"]], [true, []]);
      assert.equal(stored.draft_status, "DRAFT");
      assert.deepEqual(duda.writes.map(({ body }) => body), [{
        page: {
          title: "New page",
          path: "new-page",
          seo: { description: "D" },
          header_html: "<b>x</b>",
          draft_status: "DRAFT",
        },
      }]);
      duda.clear();
      const copy = await world.write(
        "duplicate_page",
        { site_id: "closed", page_id: page.uuid, title: "Copied", slug: "/copied" },
        door,
      );
      assert.notEqual(copy["id"], page.uuid);
      assert.deepEqual([copy["verified"], copy["warnings"]], [null, []]);
      assert.deepEqual([copy["id"], newest(world).draft_status], [newest(world).uuid, "DRAFT"]);
      assert.deepEqual(duda.writes.map(({ path, body }) => [path, body]), [
        [at(`/pages/${page.uuid}/duplicate`), { title: "Copied", path: "copied", draft_status: "DRAFT" }],
      ]);
    });

    test(`through ${door} a page is staged and unstaged by its flag alone, where ${answers} is answered`, async (world) => {
      const { gw, duda, page } = world;
      duda.state.switches.answers = answers;
      const args = { site_id: "closed", page_id: page.uuid };
      const stage = { ...args, publish_on_next_site_publish: true };
      const preview = await gw.call<Args>("update_page_draft", stage, { door });
      assert.deepEqual(
        preview["changes"],
        [{ field: "publish_on_next_site_publish", from: false, to: true }],
      );
      assert.match((preview["warnings"] as string[]).join(), /goes live with the next publication/);
      const done = await world.write("update_page_draft", stage, door);
      assert.deepEqual(
        [done["status"], page.draft_status, done["verified"]],
        ["draft", "STAGED_DRAFT", true],
      );
      const [row] = await gw.audit();
      assert.deepEqual(row?.changes, [{ field: "publish_on_next_site_publish", from: false, to: true }]);
      const titled = await gw.call<Args>("update_page_draft", { ...args, title: "Else" }, { door });
      assert.deepEqual(titled["changes"], [{ field: "title", from: "About", to: "Else" }]);
      await world.write("update_page_draft", { ...args, title: "Else" }, door);
      assert.deepEqual([page.title, page.draft_status], ["Else", "STAGED_DRAFT"], "what is not named stays");
      const back = { ...args, publish_on_next_site_publish: false };
      const unstaged = await gw.call<Args>("update_page_draft", back, { door });
      assert.deepEqual(unstaged["changes"], [{
        field: "publish_on_next_site_publish",
        from: true,
        to: false,
      }]);
      await world.write("update_page_draft", back, door);
      assert.equal(page.draft_status, "DRAFT");
      await world.write("update_page_draft", { ...args, seo: { title: "S" } }, door);
      await world.write("update_page_draft", { ...args, seo: { no_index: true } }, door);
      assert.deepEqual(page.seo, { title: "S", no_index: true, description: null, og_image: null });
    });
  }

  test(`through ${door} a saved section comes at the end of a draft page`, async (world) => {
    const { gw, duda, page, section } = world;
    const args = { site_id: "closed", page_id: page.uuid, element_source_id: section };
    const preview = await gw.call<Args>("inject_page_section", args, { door });
    assert.equal(preview["summary"], 'Put the section "Hero" at the end of the page "About" on closed');
    const done = await world.write("inject_page_section", args, door);
    assert.equal(done["verified"], true);
    assert.deepEqual(page.elements, [{ element_id: done["element_id"], element_source_id: section }]);
    assert.deepEqual(duda.writes.map(({ body }) => body), [{ type: "SECTION", element_source_id: section }]);
  });

  test(`through ${door} a page is published where the site allows it, and looked at afterwards`, async (world) => {
    const { duda, page } = world;
    const done = await world.write("publish_page", { site_id: "open", page_id: page.uuid }, door);
    assert.deepEqual([done["status"], done["verified"], page.draft_status], ["published", true, "PUBLISHED"]);
    assert.deepEqual(duda.writes.map(({ body }) => body), [{ draft_status: "PUBLISHED" }]);
  });
}

test("pages are read as well where the platform lists them bare", async ({ gw, duda, page, livePage }) => {
  duda.state.switches.lists_bare = true;
  const { items } = await gw.call<{ items: Args[] }>("list_content", { site_id: "open", type: "page" });
  assert.deepEqual(items.map(({ id }) => id).toSorted(), [page.uuid, livePage.uuid].toSorted());
});

test("a page that the platform does not publish by itself is told with the way that is left", async (world) => {
  const { gw, duda, page } = world;
  duda.state.switches.publishes_pages = false;
  const says = /^sitebuilder 400 InvalidInput: .*publish_on_next_site_publish.*editor$/;
  await gw.fails("publish_page", { site_id: "open", page_id: page.uuid, confirm: true }, "E_UPSTREAM", says);
  assert.equal(page.draft_status, "DRAFT");
  const [row] = await gw.audit();
  assert.equal(row?.outcome, "none");
});

test("pages that are live are refused, and what is no uuid or unknown", async (world) => {
  const { livePage, page, section } = world;
  const live = { site_id: "open", page_id: livePage.uuid, confirm: true };
  const says = new RegExp(`^Page ${livePage.uuid} is published`);
  const calls: Record<string, Args> = {
    update_page_draft: { title: "x" },
    inject_page_section: { element_source_id: section },
    publish_page: {},
  };
  for (const [tool, args] of Object.entries(calls)) {
    await world.refuses(tool, { ...live, ...args }, "E_FORBIDDEN_OP", says, "reads");
    for (const page_id of [7, "about", "../pages", `${page.uuid}/x`]) {
      await world.refuses(tool, { ...live, ...args, page_id }, "E_BAD_INPUT", /^page_id: expected /);
    }
    const nobody = { ...live, ...args, page_id: NOBODY };
    await world.refuses(tool, nobody, "E_UPSTREAM", /^sitebuilder 400 ResourceNotExist/, "reads");
  }
  await world.refuses("duplicate_page", { ...live, page_id: "x" }, "E_BAD_INPUT", /^page_id: /);
  for (const element_source_id of ["a/b", ""]) {
    const args = { site_id: "open", page_id: page.uuid, element_source_id, confirm: true };
    await world.refuses("inject_page_section", args, "E_BAD_INPUT", /^element_source_id: /);
  }
  const cms = { template: "t", parent_id: 1, page_builder: "block", builder_template_id: 1 };
  for (const [name, value] of Object.entries(cms)) {
    const args = { site_id: "open", title: "x", [name]: value, confirm: true };
    await world.refuses("create_page_draft", args, "E_NOT_SUPPORTED", new RegExp(`^${name}: only cms sites`));
  }
  await world.refuses(
    "create_page_draft",
    { site_id: "open", title: "x", draft_status: "PUBLISHED", confirm: true },
    "E_FORBIDDEN_OP",
    /would publish/,
  );
  await world.refuses(
    "schedule_page",
    { site_id: "open", page_id: page.uuid, scheduled_at: "2027-01-01T00:00:00Z" },
    "E_NOT_SUPPORTED",
    /works on cms/,
  );
  const { gw, duda } = world;
  const asked = duda.requests.length;
  const templates = await gw.call<Args>("list_page_templates", { site_id: "open" });
  assert.deepEqual([templates["templates"], templates["total"], duda.requests.length], [[], 0, asked]);
});

test("a section nobody knows is warned of, and refused by the platform with nothing changed", async (world) => {
  const { gw, page } = world;
  const args = { site_id: "open", page_id: page.uuid, element_source_id: NOBODY };
  const preview = await gw.call<{ warnings: string[] }>("inject_page_section", args);
  assert.match(preview.warnings.join(), /no saved section of that id/);
  const says = /^sitebuilder 400 ResourceNotExist: Section/;
  await gw.fails("inject_page_section", { ...args, confirm: true }, "E_UPSTREAM", says);
  assert.deepEqual(page.elements, []);
  assert.equal((await gw.audit())[0]?.outcome, "none");
});

test("an error inside a success is no success, and leaves the outcome open", async (world) => {
  const { gw, duda, page, section } = world;
  const args = { site_id: "open", page_id: page.uuid, element_source_id: section, confirm: true };
  const bodies = [{ error_code: "InternalError", message: "no" }, { error: "no" }, {}];
  for (const body of bodies) {
    duda.inject({ kind: "answer", status: 200, body }, { method: "POST", path: "/elements" });
    await gw.fails("inject_page_section", args, "E_UPSTREAM", /^sitebuilder 200.*before trying again$/);
    assert.equal((await gw.audit())[0]?.outcome, "unknown");
  }
});

Deno.test("script in the head of a page needs more than a ceiling of drafts", async () => {
  await using world = await dudaWorld({ tokens: { careful: { max_risk: 1 } } });
  const { gw, duda } = world;
  const args = { site_id: "open", title: "x", header_html: "<script>1</script>", confirm: true };
  const ending = await gw.end("create_page_draft", args, { as: "careful" });
  assert.ok("code" in ending && ending.code === "E_SCOPE_DENIED", JSON.stringify(ending));
  assert.deepEqual(duda.requests, []);
  const preview = await gw.call<Args>("create_page_draft", { ...args, confirm: false });
  assert.equal(preview["tier"], 2);
});

test("a preview of a page holds: what somebody changed since then is not overwritten", async (world) => {
  const { gw, page, section } = world;
  const base = { site_id: "open", page_id: page.uuid };
  const calls: Record<string, Args> = {
    update_page_draft: { ...base, title: "Mine" },
    duplicate_page: base,
    inject_page_section: { ...base, element_source_id: section },
    publish_page: base,
  };
  for (const [tool, args] of Object.entries(calls)) {
    const { confirm_token } = await gw.call<{ confirm_token: string }>(tool, args);
    page.title += "!";
    await world.refuses(tool, { ...args, confirm: true, confirm_token }, "E_STALE_PREVIEW", /title/, "reads");
  }
});

test("what the platform kept otherwise than it was sent is told, and is not verified", async (world) => {
  const { duda, page } = world;
  duda.inject({ kind: "answer", status: 204 }, { method: "PUT" });
  const done = await world.write("update_page_draft", { site_id: "open", page_id: page.uuid, title: "Else" });
  assert.deepEqual([done["verified"], done["warnings"]], [
    false,
    ['title: the site kept "About" instead of "Else"'],
  ]);
});

test("a change that cannot be read back is reported as not compared", async (world) => {
  const { duda, page, draft } = world;
  const at = { site_id: "open", confirm: true };
  const lose = (path: string, method: string) => {
    const before = duda.writes.length;
    duda.inject({ kind: "html" }, {
      path,
      method: "GET",
      while: () => duda.writes.slice(before).some((one) => one.method === method),
    });
  };
  lose(page.uuid, "PUT");
  const changed = await world.write("update_page_draft", { ...at, page_id: page.uuid, title: "Else" });
  assert.deepEqual([changed["verified"], page.title], [null, "Else"]);
  assert.match(String(changed["verified_reason"]), /could not be read back: sitebuilder 502/);
  duda.clearFaults();
  lose(draft.id, "PATCH");
  const post = await world.write("update_draft", { ...at, post_id: draft.id, title: "Else" });
  assert.deepEqual([post["verified"], draft.title], [null, "Else"]);
});
