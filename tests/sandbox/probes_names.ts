/** What a CMS must answer about the names of terms: along with a post, and found by them. */
import type { Json, Probe } from "./asker.ts";

/** Terms by their names. */
export const NAME_PROBES: readonly Probe[] = [
  {
    name:
      "a post brings its terms along, more than a page of them, as they are stored and in order of their names",
    ask: async (s) => {
      const tags: unknown[] = [];
      for (let at = 0; at < 12; at++) {
        tags.push((await s.rest("ed", "POST", "/tags", { name: `Along & ${10 + at}` })).body["id"]);
      }
      const made = await s.rest("ed", "POST", "/posts", { title: "x", tags, categories: [1] });
      const query = "context=edit&_fields=id,tags,_links,_embedded&_embed=wp:term";
      const { body } = await s.rest("ed", "GET", `/posts/${made.body["id"]}?${query}`);
      const along = (body["_embedded"] as Json)["wp:term"] as Json[][];
      return along.map((terms) => terms.map(({ name, taxonomy }) => [name, taxonomy]));
    },
    expect: [
      [["Uncategorized", "category"]],
      Array.from({ length: 12 }, (_, at) => [`Along &amp; ${10 + at}`, "post_tag"]),
    ],
  },
  {
    name: "a link of what is edited says whether the account may store code",
    ask: async (s) => {
      const found: unknown[] = [];
      for (const [login, kind] of [["ed", "pages"], ["ed", "posts"], ["auth", "posts"]] as const) {
        const made = await s.rest(login, "POST", `/${kind}`, { title: "x" });
        for (const context of ["edit", "view"]) {
          const query = `context=${context}&_fields=id,_links`;
          const { body } = await s.rest(login, "GET", `/${kind}/${made.body["id"]}?${query}`);
          found.push("wp:action-unfiltered-html" in (body["_links"] as Json));
        }
      }
      return found;
    },
    expect: [true, false, true, false, false, false],
  },
  {
    name: "terms are found by the slug that is made of a name",
    ask: async (s) => {
      await s.rest("ed", "POST", "/tags", { name: "By Its Name" });
      const query = "slug[]=By%20Its%20Name&slug[]=Nobody's&_fields=name,slug";
      return (await s.rest("ed", "GET", `/tags?${query}`)).body;
    },
    expect: [{ name: "By Its Name", slug: "by-its-name" }],
  },
];
