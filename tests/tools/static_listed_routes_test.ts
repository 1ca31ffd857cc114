/** list_static_routes on large sites and on those whose pages come from markdown, and how few requests it takes. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { StaticWorld, test } from "./_static.ts";

const MARK = "// site-ops-gateway:generated v1";

Deno.test("of more pages than are looked into, the rest are listed without saying who made them", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 305 }, (_, at) => [
      `src/pages/p${String(at).padStart(3, "0")}.astro`,
      `${MARK}\n// ${at} of many\n`,
    ]),
  );
  await using at = await StaticWorld.open({ files });
  const { routes, note } = await at.gw.call<{ routes: { managed: boolean | null }[]; note: string }>(
    "list_static_routes",
    { site_id: "closed" },
  );
  assert.deepEqual([routes.length, routes.filter(({ managed }) => managed === true).length], [305, 300]);
  assert.deepEqual(routes.slice(300).map(({ managed }) => managed), Array(5).fill(null));
  assert.match(note, /^Only the first 300 pages were looked into/);
  const counts: number[] = [];
  for (let call = 0; call < 2; call++) {
    at.host.clear();
    const again = await at.gw.call<{ note?: string }>("list_static_routes", { site_id: "closed" });
    assert.equal(again.note, undefined);
    counts.push(at.host.requests.length);
  }
  assert.deepEqual(counts, [6, 1], "the branch, and once what was left");
});

test("list_static_routes names what a dynamic page makes of markdown, at the branch that is asked for", async (at) => {
  const post = (head: string) => `---\ntitle: T\n${head}\n---\nText\n`;
  await at.host.commit("acme/site", {
    files: {
      "src/pages/blog/index.astro": "x",
      "src/pages/blog/[...slug].astro": "---\nconst all = await posts();\n---\n",
      "src/pages/team/[id].astro": '---\nconst all = await getCollection("people");\n---\n',
      "src/pages/_off/[slug].astro": "x",
      "src/content/blog/First Post.md": post("status: draft"),
      "src/content/blog/2029/second.md": post('status: "published" # since May\n"slug": the-second # kept'),
      "src/content/blog/2029/third.mdx": post("status: published"),
      "src/content/people/ann.md": post("slug: ann"),
      "src/content/people/of/bea.md": post("name: Bea"),
      "src/content/team/nobody.md": post("slug: nobody"),
    },
  });
  const list = async (args: Args = {}) => {
    const found = await at.both<{ routes: Record<string, unknown>[] }>("list_static_routes", {
      site_id: "closed",
      ...args,
    });
    return found.routes.filter(({ made_by }) => made_by !== undefined)
      .map(({ route, file_path, made_by, status }) => [route, file_path, made_by, status]);
  };
  const blog = [
    ["/blog/2029/third", "src/content/blog/2029/third.mdx", "src/pages/blog/[...slug].astro", "published"],
    ["/blog/first-post", "src/content/blog/First Post.md", "src/pages/blog/[...slug].astro", "draft"],
    ["/blog/the-second", "src/content/blog/2029/second.md", "src/pages/blog/[...slug].astro", "published"],
  ];
  assert.deepEqual(await list(), [...blog, [
    "/team/ann",
    "src/content/people/ann.md",
    "src/pages/team/[id].astro",
    null,
  ]]);
  assert.deepEqual(await list({ prefix: "blog/2029" }), blog.slice(0, 1));
  const says = /no preview branch on the site yet/;
  await at.refuses("list_static_routes", { site_id: "closed", ref: "preview" }, "E_NOT_FOUND", says);
  const { done } = await at.write("rest", "create_static_route", {
    site_id: "closed",
    route: "new",
    html: "x",
  });
  for (const ref of ["preview", done["branch"]]) {
    const { routes } = await at.both<{ routes: { route: string }[] }>("list_static_routes", {
      site_id: "closed",
      ref,
    });
    assert.ok(routes.some(({ route }) => route === "/new"), String(ref));
    assert.equal((await list({ ref })).length, 4);
  }
});
