/** Who may use which route of the companion plugin, and what its health route tells. */
import assert from "node:assert/strict";
import type { CmsLogin } from "../../sandbox/wordpress/start.ts";
import { Companion, cut, type Json, suite } from "./site.ts";

let wp: Companion;
let page: number;
const test = suite(async () => {
  wp = await Companion.start("elementor", "schemapro");
  page = await wp.draft("ed", {}, "pages");
  return wp;
});

const LOGINS: readonly (CmsLogin | null)[] = ["admin", "ed", "auth", "sub", null];
const CODE = { title: "Code", scope_class: "so-0123456789", html: "<p>x</p>" };

/** Route, body, and what the five get: x stands for whatever is no refusal. */
const RIGHTS: readonly [method: string, path: string, body: Json | undefined, got: string][] = [
  ["GET", "/health", undefined, "x x x 403 401"],
  ["GET", "/seo/meta/PAGE", undefined, "x x 403 403 401"],
  ["POST", "/seo/meta/PAGE", { title: "T" }, "x x 403 403 401"],
  ["GET", "/seo/schema/PAGE", undefined, "x x 403 403 401"],
  ["POST", "/seo/schema/PAGE", { schema: { "@type": "Thing" } }, "x x 403 403 401"],
  ["GET", "/seo/redirects", undefined, "x 403 403 403 401"],
  ["POST", "/seo/redirects", { source: "/a", destination: "/b" }, "x 403 403 403 401"],
  ["GET", "/seo/sitemap", undefined, "x x x 403 401"],
  ["POST", "/seo/sitemap/rebuild", undefined, "x 403 403 403 401"],
  ["GET", "/schema/entries", undefined, "x x 403 403 401"],
  ["GET", "/schema/entries/PAGE", undefined, "x x 403 403 401"],
  ["POST", "/schema/entries/PAGE", { value: "{}" }, "x x 403 403 401"],
  ["POST", "/code-pages", CODE, "x x 403 403 401"],
  ["GET", "/code-pages/PAGE", undefined, "x x 403 403 401"],
  ["POST", "/code-pages/PAGE", { html: "x" }, "x x 403 403 401"],
  ["GET", "/page-templates", undefined, "x x 403 403 401"],
  ["GET", "/builder/templates", undefined, "x x 403 403 401"],
  ["GET", "/builder/templates/PAGE", undefined, "x x 403 403 401"],
  ["POST", "/builder/pages", { template_id: 1, title: "x" }, "x x 403 403 401"],
  ["POST", "/builder/pages/PAGE", { template_id: 1 }, "x x 403 403 401"],
  ["GET", "/guarded/pages/PAGE", undefined, "x x 403 403 401"],
  [
    "POST",
    "/guarded/pages/PAGE",
    { expected: { title: "0".repeat(64) }, fields: { title: "x" } },
    "x x 403 403 401",
  ],
  ["GET", "/guarded/types/pages/PAGE", undefined, "x x 403 403 401"],
  [
    "POST",
    "/guarded/types/pages/PAGE",
    { expected: { title: "0".repeat(64) }, fields: { title: "x" } },
    "x x 403 403 401",
  ],
  ["GET", "/guarded/types/nothing/PAGE", undefined, "x x x 403 401"],
  ["POST", "/guarded/types/nothing/PAGE", undefined, "x x x 403 401"],
  ["POST", "/gateways", { name: "Gateway", code: "" }, "x x x 403 401"],
  ["GET", `/holds/${"a".repeat(32)}`, undefined, "x x x 403 401"],
  ["POST", `/holds/${"a".repeat(32)}/acknowledged`, {}, "x x x 403 401"],
  ["POST", "/hold-test", {}, "x x x 403 401"],
  ["GET", "/hold-test/1", undefined, "x x x 403 401"],
  ["GET", "/find?parts[]=x", undefined, "x x x 403 401"],
  ["POST", "/setbacks", { image: "0".repeat(65) }, "x x x 403 401"],
];

/** The guarded twins of routes. */
const TWINS: readonly [method: string, path: string][] = [
  ...[
    "/seo/meta/PAGE",
    "/seo/schema/PAGE",
    "/schema/entries/PAGE",
    "/code-pages/PAGE",
    "/builder/pages/PAGE",
    "/stored/seo-meta/PAGE",
    "/stored/schema/PAGE",
    "/stored/custom-schema/PAGE",
    "/stored/code-pages/PAGE",
  ],
  ...["/seo/redirects", "/stored/redirects", "/code-pages", "/builder/pages"],
].flatMap((path): [string, string][] => [["GET", `/guarded${path}`], ["POST", `/guarded${path}`]]);

for (const [method, path, body, got] of RIGHTS) {
  test(`${method} ${path} answers only those who may`, async () => {
    const answers = await Promise.all(
      LOGINS.map((login) => wp.call(login, method, path.replace("PAGE", String(page)), body)),
    );
    const codes = answers.map(({ status, body }) => body["code"] === "rest_forbidden" ? status : "x");
    assert.equal(codes.join(" "), got);
  });
}

/** Arguments that no route takes, for each way in: a query, a body, and a body that is no JSON. */
const BAD = {
  id: "x",
  kind: 7,
  title: { x: 1 },
  schema: 7,
  html: [],
  expected: 7,
  fields: 7,
  name: [],
  value: 7,
};
const BAD_QUERY = "parts=&page=x&per_page=0&id=x&live=perhaps&before=x&og_image[]=1";

test("rights are judged before arguments on every route: strangers and others learn nothing of them", async () => {
  const { routes } = (await wp.send("admin", "GET", "/wp-json/peek/v1/routes")).body as Json;
  const patterns = (routes as string[]).filter((route) => route.startsWith("/site-ops/v1/"));
  const all = [...RIGHTS, ...TWINS];
  for (const pattern of patterns) {
    const path = new RegExp(`^${pattern.replaceAll("(?P<", "(?<")}$`);
    assert.ok(
      all.some(([, to]) => path.test(`/site-ops/v1${to.replace("PAGE", "7").split("?")[0]}`)),
      `${pattern} has no row`,
    );
  }
  for (const [method, path] of all) {
    const at = path.replace("PAGE", String(page)).split("?")[0];
    for (const login of [null, "sub"] as const) {
      const wanted = [login === null ? 401 : 403, "rest_forbidden"];
      const asked = await wp.call(login, method, `${at}?${BAD_QUERY}`, method === "POST" ? BAD : undefined);
      assert.deepEqual(cut(asked), wanted, `${method} ${path}`);
      if (method === "GET") continue;
      const broken = await wp.send(login, method, `/wp-json/site-ops/v1${at}`, '{"title":', {
        "content-type": "application/json",
      });
      assert.deepEqual(cut(broken), wanted, `${method} ${path}`);
    }
  }
  const may = await wp.call("admin", "POST", `/seo/meta/${page}`, { title: { x: 1 } });
  assert.deepEqual(cut(may), [400, "rest_invalid_param"], "whoever may is told");
});

test("no route has another method, and a missing post is 404 only to those who write", async () => {
  for (const method of ["DELETE", "PUT", "PATCH"]) {
    const answer = await wp.call("admin", method, `/code-pages/${page}`, {});
    assert.deepEqual(cut(answer), [404, "rest_no_route"]);
  }
  const smuggled = await wp.call("admin", "GET", `/code-pages/${page}?_method=DELETE`);
  assert.deepEqual(cut(smuggled), [404, "rest_no_route"]);
  assert.deepEqual(cut(await wp.call("auth", "GET", "/seo/meta/99999")), [404, "site_ops_post_not_found"]);
  assert.deepEqual(cut(await wp.call("sub", "GET", "/seo/meta/99999")), [403, "rest_forbidden"]);
  assert.deepEqual(cut(await wp.call(null, "GET", "/seo/meta/99999")), [401, "rest_forbidden"]);
});

test("an author may change the SEO fields of an own draft, but no structured data", async () => {
  const own = await wp.draft("auth");
  assert.deepEqual(cut(await wp.call("auth", "POST", `/seo/meta/${own}`, { title: "T" }), "title"), [
    200,
    "T",
  ]);
  const schema = await wp.call("auth", "POST", `/seo/schema/${own}`, { schema: { "@type": "Thing" } });
  assert.deepEqual(cut(schema), [403, "rest_forbidden"]);
  assert.deepEqual(cut(await wp.call("auth", "POST", `/code-pages/${own}`, {})), [403, "rest_forbidden"]);
});

test("posts in the trash, revisions and posts without a page of their own are not found", async () => {
  const trashed = await wp.draft("ed");
  await wp.rest("ed", "DELETE", `/posts/${trashed}`);
  assert.deepEqual(cut(await wp.call("ed", "GET", `/seo/meta/${trashed}`)), [
    404,
    "site_ops_post_not_found",
  ]);
  const { id } = await wp.peek({ post: { post_type: "wp_block", post_title: "x", post_status: "draft" } });
  assert.deepEqual(cut(await wp.call("ed", "GET", `/seo/meta/${id}`)), [404, "site_ops_post_not_found"]);
  const post = await wp.draft("ed");
  const asPage = await wp.call("ed", "POST", `/builder/pages/${post}`, { template_id: 1 });
  assert.deepEqual(cut(asPage), [404, "site_ops_post_not_found"]);
});

test("health tells versions, features and the caller's rights", async () => {
  const { body } = await wp.call("ed", "GET", "/health");
  const { hold, ...features } = body["features"] as Json;
  assert.deepEqual(Object.keys(hold as Json), ["active", "engine", "version", "why", "paired", "methods"]);
  assert.deepEqual(
    Object.keys(body),
    ["plugin_version", "wp_version", "php_version", "multisite", "timezone", "features", "user", "update"],
  );
  assert.equal(body["timezone"], "Europe/Copenhagen");
  assert.deepEqual(features, {
    page_builder: { block: true, visual: { active: true, version: "3.27.0-standin" } },
    theme_snippet: { applied: false },
    tool_adapter: { active: false, version: null },
    builder_tools: { active: false, version: null, route: null },
    code_page: { active: true },
    seo_bridge: { active: true, provider: "none", provider_version: null, off: [], beside: [] },
    schema_bridge: { active: true, provider: "schemapro", entries: 0 },
    guarded_write: { active: true, lock: Deno.env.has("TEST_MARIADB") ? "row" : "file" },
  });
  const user = body["user"] as { id: number; roles: string[]; caps: Record<string, boolean> };
  assert.deepEqual(
    [user.roles, user.caps["edit_pages"], user.caps["manage_options"]],
    [["editor"], true, false],
  );
});

test("the public index tells that the plugin is there, and none of its routes", async () => {
  const index = await wp.send(null, "GET", "/wp-json/");
  assert.ok((index.body["namespaces"] as string[]).includes("site-ops/v1"));
  const own = (await wp.send(null, "GET", "/wp-json/site-ops/v1")).body["routes"] as Json;
  assert.deepEqual(Object.keys(own), ["/site-ops/v1"]);
});
