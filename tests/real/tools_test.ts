/** Each tool of the groups discovery and posts through both doors, what it did looked up in a real WordPress. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, type Args, callsOf, DOORS } from "../cms_kit.ts";
import { libraryThrough, postThrough, statesThrough } from "./_posts.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

/** The same letters in another Unicode form, as some keyboards and file systems send them, are the same name. */
async function anotherUnicodeForm(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  for (const [n, door] of DOORS.entries()) {
    const name = fresh("\u00dcber\u00e4ll");
    const apart = name.normalize("NFD");
    const term = { site_id: "open", taxonomy: "tag", name: apart };
    const made = await at.kit.write<Args>(door, "create_taxonomy", term);
    assert.deepEqual([made.done["name"], made.done["created"]], [name, true]);
    const again = await at.kit.write<Args>(door, "create_taxonomy", { ...term, name: n ? apart : name });
    assert.deepEqual([again.done["id"], again.done["created"]], [made.done["id"], false]);
    const draft = { site_id: "open", title: fresh("Form"), content_html: "x", tags: [apart] };
    const { done } = await at.kit.write<Args & { id: number }>(door, "create_draft", draft);
    assert.deepEqual((await at.stored(done.id))["tags"], [made.done["id"]]);
  }
}

onWordPress({
  "a term in another Unicode form is the one that is there": anotherUnicodeForm,
  "through rest a draft is made, read and changed, and WordPress has it so": (site) =>
    postThrough("rest", site),
  "through mcp a draft is made, read and changed, and WordPress has it so": (site) =>
    postThrough("mcp", site),
  "through rest a draft is scheduled, taken back and published, and no visitor sees it too early": (site) =>
    statesThrough("rest", site),
  "through mcp a draft is scheduled, taken back and published, and no visitor sees it too early": (site) =>
    statesThrough("mcp", site),
  "through rest an image is uploaded that comes back byte for byte, and terms are made once": (site) =>
    libraryThrough("rest", site),
  "through mcp an image is uploaded that comes back byte for byte, and terms are made once": (site) =>
    libraryThrough("mcp", site),

  async "what the records hold is answered the same through both doors, and the site asked for its zone alone"(
    site,
  ) {
    await using at = await Real.open(site);
    const { kit } = at;
    const { sites } = await kit.both<{ sites: Args[] }>("list_sites", {});
    assert.ok(sites.some(({ id, base_url }) => id === "acme" && base_url === site.base_url));
    assert.deepEqual(await kit.both("list_projects", {}), { projects: [] });
    const builders = await kit.both<Args>("list_builders_for_site", { site_id: "acme" });
    assert.equal(builders["default"], "block");
    assert.equal(kit.gw.requests.length, 0);
    const acme = await kit.both<Args>("get_site", { site_id: "acme" });
    assert.deepEqual([acme["credentials"], acme["timezone"]], [["cms"], "Europe/Copenhagen"]);
    assert.deepEqual(kit.gw.requests.map(({ method }) => method), ["HEAD", "GET"]);
  },

  async "who is signed in, what is installed and who has an account is told alike through both doors"(site) {
    await using at = await Real.open(site);
    const { kit } = at;
    for (const door of DOORS) {
      const args = { site_id: "editor" };
      const { latency_ms, can, timezone, ...rest } = await kit.gw.call<Args>("ping_site", args, { door });
      assert.ok(Number(latency_ms) >= 0);
      assert.equal(timezone, "Europe/Copenhagen");
      const user = { id: site.users.ed.id, name: "Ed", slug: "ed", roles: ["editor"] };
      assert.deepEqual(rest, { ok: true, platform: "cms", authenticated: true, user });
      assert.deepEqual(can, {
        edit_posts: true,
        edit_pages: true,
        publish_posts: true,
        upload_files: true,
        list_users: false,
        unfiltered_html: true,
      });
    }
    interface Checks {
      checks: { name: string; ok: boolean | null; detail: string }[];
    }
    const { checks } = await kit.both<Checks>("diagnose_site", { site_id: "acme" });
    const met = checks.filter(({ ok }) => ok).map(({ name }) => name);
    assert.deepEqual(met, ["rest_api", "credentials", "clock", "theme"]);
    const builder = checks.find(({ name }) => name === "page_builder");
    assert.deepEqual([builder?.ok, builder?.detail], [false, "The visual page builder is not installed"]);
    const people = await kit.both<{ users: Args[] }>("list_cms_users", {
      site_id: "acme",
      roles: ["editor", "author"],
    });
    assert.deepEqual(people.users.map(({ slug, email }) => [slug, email]), [
      ["auth", "auth@example.test"],
      ["ed", "ed@example.test"],
    ]);
    const filtered = { site_id: "author", roles: ["editor"] };
    const few = await kit.both<{ users: Args[]; note?: string }>("list_cms_users", filtered);
    assert.match(few.note ?? "", /may not list users.*roles could not be applied/);
    assert.ok(few.users.every((row) => row["email"] === undefined && row["roles"] === undefined));
    const unseen = ["page_builder", "tool_adapter", "builder_tools"];
    const asked = await kit.both<Checks>("diagnose_site", { site_id: "editor", checks: unseen });
    assert.deepEqual(asked.checks.map(({ name, ok }) => [name, ok]), unseen.map((name) => [name, null]));
  },

  async "no preview of any tool writes anything, through either door"(site) {
    await using at = await Real.open(site);
    const draft = await at.ask.draft("ed", { title: fresh("Before") });
    const scheduled = await at.ask.draft("ed", { title: fresh("Soon") });
    await at.ask.rest("ed", "POST", `/posts/${scheduled}`, {
      status: "future",
      date_gmt: ahead(7200).slice(0, 19),
    });
    const before = [await at.stored(draft), await at.stored(scheduled)];
    const calls = callsOf({ draft, scheduled, at: ahead(3600) });
    const name = fresh("Never made");
    const own = { create_draft: { tags: [name] }, create_taxonomy: { name } } as Record<string, Args>;
    const writes = at.kit.gw.gateway.catalog.entries().filter(({ manifest, name }) =>
      manifest.tier > 0 && name in calls
    );
    assert.equal(writes.length, 8);
    for (const { name: tool } of writes) {
      const args = { ...calls[tool as keyof typeof calls], ...own[tool] };
      await at.kit.preview(tool, { site_id: "open", ...args });
    }
    assert.equal(at.kit.writes, 0);
    assert.deepEqual([await at.stored(draft), await at.stored(scheduled)], before);
    assert.deepEqual(
      (await at.ask.rest("admin", "GET", `/tags?search=${encodeURIComponent(name)}`)).body,
      [],
    );
  },
});
