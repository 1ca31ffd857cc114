/** The rights of a site's account: asked once a minute, doubted with every refusal, and never remembered against it. */
import assert from "node:assert/strict";
import { type Args, PNG } from "../cms_kit.ts";
import { test, type World, world } from "./_stand_in.ts";

const asked = ({ cms }: World) => cms.requests.filter(({ path }) => path.endsWith("/users/me")).length;
const TAGS = { site_id: "acme", taxonomy: "tag" };

test("who the account is is asked once a minute", async (at) => {
  const list = () => at.kit.gw.call("list_taxonomies", TAGS);
  await list();
  await list();
  await at.kit.gw.call("create_draft", { site_id: "acme", title: "T", content_html: "x", confirm: true });
  assert.equal(asked(at), 1);
  at.kit.gw.clock.now += 60_000;
  await list();
  assert.equal(asked(at), 2);
  await at.kit.gw.call("list_taxonomies", { ...TAGS, site_id: "editor" });
  assert.equal(asked(at), 3, "another site's account is another");
});

for (const status of [401, 403]) {
  test(`after any answer of ${status} it is asked again`, async (at) => {
    await at.kit.gw.call("list_taxonomies", TAGS);
    at.cms.inject({ kind: "html", status }, { path: `/wp/v2/posts/${at.draft.id}` });
    await at.kit.gw.refuses("get_post", { site_id: "acme", post_id: at.draft.id }, "E_UPSTREAM", {
      door: "rest",
    });
    await at.kit.gw.call("list_taxonomies", TAGS);
    assert.equal(asked(at), 2);
  });
}

test("a right that was given within the minute is used at once", async (at) => {
  const draft = { site_id: "author", title: "T", content_html: "x", categories: ["New"] };
  const says = /may not make categories, and "New" does not exist/;
  await at.kit.refuses("create_draft", { ...draft, confirm: true }, "E_UPSTREAM", says, "reads");
  const person = at.cms.state.people.find(({ username }) => username === at.cms.users.auth.username);
  Object.assign(person!, { role: "editor" });
  const made = await at.kit.gw.call<Args>("create_draft", { ...draft, confirm: true });
  assert.equal(made["status"], "draft");
});

test("a right that was taken within the minute is refused by the site, and then known", async (at) => {
  const page = { site_id: "editor", title: "T", content_html: "x" };
  await at.kit.gw.call("create_page_draft", page);
  const person = at.cms.state.people.find(({ username }) => username === at.cms.users.ed.username);
  Object.assign(person!, { role: "author" });
  const { writes } = at.cms;
  await at.kit.gw.refuses("create_page_draft", { ...page, confirm: true }, "E_UPSTREAM", { door: "rest" });
  assert.equal(at.cms.writes.length, writes.length + 1, "the site itself refused it");
  const says = await at.kit.gw.refuses("create_page_draft", page, "E_UPSTREAM");
  assert.match(says, /lacks the right "edit_pages" to write pages; nothing was written/);
  assert.equal(at.cms.writes.length, writes.length + 1);
});

/** How sites hide their users: a plugin that takes the routes away, one with a code of its own, a firewall. */
const HIDING = [
  {
    kind: "answer",
    status: 404,
    body: { code: "rest_no_route", message: "No route", data: { status: 404 } },
  },
  { kind: "unauthorized", code: "rest_disabled" },
  { kind: "unauthorized", code: "rest_cannot_access" },
  { kind: "html", status: 403 },
] as const;

for (const fault of HIDING) {
  const how = "code" in fault ? fault.code : `${fault.kind} ${fault.status}`;
  test(`a site that hides its users (${how}) takes drafts, terms and media all the same`, async (at) => {
    at.cms.inject(fault, { path: "/wp/v2/users/", times: 99 });
    const draft = {
      site_id: "acme",
      title: "T",
      content_html: "x",
      author_id: 2,
      categories: ["Uncategorized"],
    };
    const preview = await at.kit.gw.call<{ warnings: string[] }>("create_draft", draft);
    assert.match(preview.warnings.join(), /does not show its users.*its rights were not checked beforehand/);
    const made = await at.kit.gw.call<Args>("create_draft", { ...draft, tags: ["New"], confirm: true });
    assert.equal(made["status"], "draft");
    const site = { site_id: "acme" };
    const page = { ...site, title: "P", content_html: "x", confirm: true };
    assert.equal((await at.kit.gw.call<Args>("create_page_draft", page))["status"], "draft");
    await at.kit.gw.call("create_taxonomy", { ...site, taxonomy: "tag", name: "Other", confirm: true });
    await at.kit.gw.call("upload_media", { ...site, filename: "a.png", content_base64: PNG, confirm: true });
    const post = { ...site, post_id: at.draft.id };
    await at.kit.gw.call("schedule_draft", { ...post, scheduled_at: at.ahead(7200), confirm: true });
    await at.kit.both("list_drafts", site);
  });
}

test("a site that hides its users is asked who the account is once a minute", async (at) => {
  at.cms.inject({ kind: "html", status: 403 }, { path: "/wp/v2/users/me", times: 99 });
  for (let time = 0; time < 3; time++) await at.kit.gw.call("list_taxonomies", TAGS);
  assert.equal(asked(at), 1);
  at.kit.gw.clock.now += 60_000;
  await at.kit.gw.call("list_taxonomies", TAGS);
  assert.equal(asked(at), 2);
});

for (const code of ["incorrect_password", "rest_not_logged_in"]) {
  test(`credentials that WordPress refuses (${code}) are not taken for hidden users`, async (at) => {
    at.cms.inject({ kind: "unauthorized", code }, { path: "/wp/v2/users/me", times: 9 });
    const draft = { site_id: "acme", title: "T", content_html: "x", confirm: true };
    const says = /application password of the site was not accepted/;
    await at.kit.refuses("create_draft", draft, "E_UPSTREAM", says, "reads");
    await at.kit.refuses("list_drafts", { site_id: "acme" }, "E_UPSTREAM", says, "reads");
  });
}

const SHUT: [Parameters<World["cms"]["inject"]>[0], RegExp][] = [
  [
    { kind: "unauthorized", code: "rest_disabled" },
    /refuses its REST API, whatever the application password/,
  ],
  [{ kind: "unauthorized", code: "itsec_rest_api_access_restricted" }, /plugin or a setting of the site/],
  [{ kind: "html", status: 401 }, /not an answer of WordPress itself.*asks for a sign-in of its own/],
];

for (const [fault, says] of SHUT) {
  test(`a 401 that is not WordPress's own is not blamed on the password: ${says.source}`, async (at) => {
    at.cms.inject(fault, { path: "/wp/v2/", times: 99 });
    for (const tool of ["ping_site", "list_drafts"]) {
      const message = await at.kit.gw.refuses(tool, { site_id: "acme" }, "E_UPSTREAM", says);
      assert.doesNotMatch(message, /was not accepted/);
    }
  });
}

test("ping_site asks afresh, and both questions at once", async (at) => {
  for (let time = 1; time <= 2; time++) {
    await at.kit.gw.call("ping_site", { site_id: "acme" });
    assert.equal(asked(at), time);
  }
});

Deno.test("terms that did not come with their post are asked for", async () => {
  await using at = await world({
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes("_embed=")) return response;
      const { _embedded: _, ...record } = await response.json();
      return Response.json(record, { headers: { date: response.headers.get("date") ?? "" } });
    },
  });
  const whole = {
    site_id: "acme",
    title: "T",
    content_html: "x",
    tags: ["R&D"],
    categories: ["Uncategorized"],
  };
  const { id } = await at.kit.gw.call<{ id: number }>("create_draft", { ...whole, confirm: true });
  const post = await at.kit.gw.call<Args>("get_post", { site_id: "acme", post_id: id });
  assert.deepEqual(
    [post["tags"], post["categories"]].map((terms) => (terms as { name: string }[]).map(({ name }) => name)),
    [["R&D"], ["Uncategorized"]],
  );
});
