/** Writes of what search engines read. */
import type { Args } from "../cms_kit.ts";
import type { Ground } from "./_ground.ts";
import { besideAll, besidePost, edit, LIVE, pending, post, type Write } from "./_write_cases.ts";

const ARTICLE = { "@context": "https://schema.org", "@type": "Article", name: "Mine" };
const seoOf = (at: Ground, { post_id }: Args) => at.seo.fields.get(Number(post_id))!;

/** SEO fields, structured data, redirects and the sitemap. */
export const SEO: readonly Write[] = [
  {
    tool: "set_seo_meta",
    args: (at, n) => {
      const post_id = post(at);
      at.seo.fields.set(post_id, {
        title: "Old",
        description: "",
        focus_keyword: "",
        canonical: "",
        robots: { noindex: false, nofollow: false, noarchive: false, nosnippet: false, noimageindex: false },
        og: { title: "", description: "", image: "" },
        twitter: { title: "", description: "", image: "" },
      });
      return { post_id, title: `Mine ${n}`, robots: { noindex: true } };
    },
    edits: [
      { part: "title", act: (at, args) => seoOf(at, args).title = "By a person" },
      { part: "robots.noindex", act: (at, args) => seoOf(at, args).robots["noindex"] = true },
      pending,
      edit("status", (one) => Object.assign(one, { status: "publish", date: LIVE })),
    ],
    beside: (at, args) => {
      seoOf(at, args).description = "By a person";
      besidePost(at, args, 0);
    },
    compares: true,
  },
  {
    tool: "set_seo_schema",
    args: (at, n) => {
      const post_id = post(at);
      at.seo.schemas.set(post_id, [{ entry_id: "so-1", type: "Article", schema: { "@type": "Article" } }]);
      return { post_id, schema: { ...ARTICLE, name: `Mine ${n}` }, entry_id: "so-1" };
    },
    edits: [
      {
        part: "schema",
        act: (at, { post_id }) =>
          at.seo.schemas.get(Number(post_id))![0]!.schema = { "@type": "Article", n: 1 },
      },
      {
        part: "entries",
        act: (at, { post_id }) =>
          at.seo.schemas.get(Number(post_id))!.push({
            entry_id: "so-2",
            type: "A",
            schema: { "@type": "A" },
          }),
      },
      pending,
    ],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "set_seo_redirect",
    args: (at, n) => {
      const { redirects } = at.seo;
      redirects.push({ id: redirects.length + 1, source: `/from-${n}`, destination: "/old", status: 301 });
      return { source: `/from-${n}`, destination: `/to-${n}` };
    },
    edits: [
      { part: "destination", act: (at) => at.seo.redirects.at(-1)!.destination = "/theirs" },
      { part: "status", act: (at) => at.seo.redirects.at(-1)!.status = 307 },
      {
        part: "hides",
        late: "source",
        act: (at, _, n) => at.post({ status: "publish", slug: `from-${n}`, date: LIVE, title: "Theirs" }),
      },
    ],
    beside: (at) => at.seo.redirects.unshift({ id: 900, source: "/theirs", destination: "/x", status: 301 }),
    compares: true,
  },
  {
    tool: "get_sitemap_status",
    args: () => ({ rebuild: true }),
    edits: [],
    beside: besideAll,
  },
  {
    tool: "set_custom_schema",
    args: (_, n) => ({ id: 10, value: `{"@type":"Organization","name":"Mine ${n}"}` }),
    edits: [
      {
        part: "value",
        act: (at, _, n) => at.schema.entries.get(10)!.value = `{"@type":"Thing","name":"${n}"}`,
      },
      {
        part: "live",
        late: "status",
        act: (at) => {
          const one = at.schema.entries.get(10)!;
          one.status = one.status === "publish" ? "draft" : "publish";
        },
      },
      {
        part: "targets",
        act: (at, _, n) =>
          at.schema.entries.get(10)!.targets = { shown_on: { rule: ["specifics"], specific: [`post-${n}`] } },
      },
    ],
    beside: (at) => at.schema.entries.get(11)!.value = '{"@type":"Person","name":"Theirs"}',
    compares: true,
  },
];
