/** What a CMS must answer about writing posts, terms and media, and about requests that are wrong or sly. */
import { type Asker, cut, detail, type Json, keysOf, type Probe } from "./asker.ts";

const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
const JPEG_BYTES = Uint8Array.fromBase64("/9j/4AAQSkZJRgABAQEASABIAAD/2w==");

function upload(s: Asker, login: "auth" | "sub" | null, bytes: Uint8Array | undefined, name: string | null) {
  const disposition: Record<string, string> = name === null ? {} : { "content-disposition": name };
  return s.rest(login, "POST", "/media", bytes, { "content-type": "image/png", ...disposition });
}

const WRITING: Probe[] = [
  {
    name: "an empty post, a wrong type, an unknown author and a foreign author are refused",
    ask: async (s) => [
      cut(await s.rest("ed", "POST", "/posts", { status: "draft" })),
      detail(await s.rest("ed", "POST", "/posts", { title: "x", tags: ["news"] }), "tags"),
      detail(await s.rest("ed", "POST", "/posts", { title: "x", status: "live" }), "status"),
      detail(await s.rest("ed", "POST", "/posts", { title: "x", featured_media: "y" }), "featured_media"),
      cut(await s.rest("ed", "POST", "/posts", { title: "x", author: 999 })),
      cut(await s.rest("auth", "POST", "/posts", { title: "x", author: 1 })),
      cut(await s.rest("auth", "POST", "/pages", { title: "x" })),
      cut(await s.rest("sub", "POST", "/posts", { title: "x" })),
      cut(await s.rest("ed", "POST", "/pages", { title: "x", parent: 99999 })),
      cut(await s.rest("ed", "POST", "/pages", { title: "x", template: "nonsense" })),
      cut(await s.rest("ed", "POST", "/posts", { title: "x", id: 1 })),
    ],
    expect: [
      [400, "empty_content"],
      ["tags[0] is not of type integer.", "rest_invalid_type"],
      ["status is not one of publish, future, draft, pending, and private.", "rest_not_in_enum"],
      ["featured_media is not of type integer.", "rest_invalid_type"],
      [400, "rest_invalid_author"],
      [403, "rest_cannot_edit_others"],
      [403, "rest_cannot_create"],
      [403, "rest_cannot_create"],
      [400, "rest_post_invalid_id"],
      [400, "rest_invalid_param"],
      [400, "rest_post_exists"],
    ],
  },
  {
    name: "unknown term ids and images are dropped without a word",
    ask: async (s) =>
      cut(
        await s.rest("ed", "POST", "/posts", {
          title: "x",
          tags: [9999],
          categories: [9999],
          featured_media: 9999,
        }),
        "tags",
        "categories",
        "featured_media",
      ),
    expect: [201, [], [], 0],
  },
  {
    name: "slugs stay unique among drafts, and a title makes one on publishing",
    ask: async (s) => {
      const one = await s.rest("ed", "POST", "/posts", { title: "x", slug: "Twin Slug", status: "draft" });
      const two = await s.rest("ed", "POST", "/posts", { title: "x", slug: "twin-slug", status: "draft" });
      const three = await s.rest("ed", "POST", "/posts", { title: "Blåbær & Øl, 100%!", status: "publish" });
      const four = await s.rest("ed", "POST", "/posts", { title: "No slug yet", status: "draft" });
      const link = String(three.body["link"]).slice(s.site.base_url.length);
      return [one, two, three, four].map(({ body }) => body["slug"]).concat(link);
    },
    expect: ["twin-slug", "twin-slug-2", "blabaer-ol-100", "", "/blabaer-ol-100/"],
  },
  {
    name: "editors keep scripts, authors lose the tags and keep the text",
    ask: async (s) => {
      const content = '<p onclick="x()">a</p><script>b()</script><iframe src="/c"></iframe>';
      const ed = await s.rest("ed", "POST", "/posts", { title: "x", content });
      const auth = await s.rest("auth", "POST", "/posts", { title: "<b>t</b><script>u</script>", content });
      return [
        (ed.body["content"] as Json)["raw"] === content,
        (auth.body["content"] as Json)["raw"],
        (auth.body["title"] as Json)["raw"],
      ];
    },
    expect: [true, "<p>a</p>b()", "<b>t</b>u"],
  },
  {
    name: "a page has a parent in its address",
    ask: async (s) => {
      const top = await s.rest("ed", "POST", "/pages", { title: "Top", status: "publish", slug: "top-page" });
      const fields = {
        title: "Sub",
        status: "publish",
        slug: "sub-page",
        parent: top.body["id"],
        menu_order: 3,
      };
      const sub = await s.rest("ed", "POST", "/pages", fields);
      const draft = await s.rest("ed", "POST", "/pages", { title: "Draft" });
      const path = (link: unknown) => String(link).slice(s.site.base_url.length);
      const plain = path(draft.body["link"]) === `/?page_id=${draft.body["id"]}`;
      return [path(sub.body["link"]), sub.body["menu_order"], draft.body["status"], plain];
    },
    expect: ["/top-page/sub-page/", 3, "draft", true],
  },
  {
    name: "an update changes what it names and nothing else",
    ask: async (s) => {
      const id = await s.draft("ed", { content: "old", excerpt: "kept" });
      const first = await s.rest("ed", "POST", `/posts/${id}`, { content: "new" });
      const second = await s.rest("ed", "PATCH", `/posts/${id}`, { title: { raw: "T" } });
      const third = await s.rest("ed", "PUT", `/posts/${id}`, { content: "" });
      const fields = ["title.raw", "content.raw", "excerpt.raw", "status"];
      return [cut(first, ...fields), cut(second, ...fields), cut(third, ...fields)];
    },
    expect: [
      [200, "A draft", "new", "kept", "draft"],
      [200, "T", "new", "kept", "draft"],
      [200, "T", "", "kept", "draft"],
    ],
  },
];

const SLY: Probe[] = [
  {
    name: "a method smuggled in the query or a header trashes a post",
    ask: async (s) => {
      const [a, b, c] = [await s.draft("ed"), await s.draft("ed"), await s.draft("ed")];
      return [
        cut(await s.rest("ed", "GET", `/posts/${a}?_method=DELETE`), "status"),
        cut(await s.rest("ed", "POST", `/posts/${b}`, {}, { "x-http-method-override": "DELETE" }), "status"),
        cut(await s.rest("ed", "POST", `/posts/${c}?_method=delete`, {}), "status"),
        cut(await s.rest("ed", "DELETE", `/posts/${a}`)),
        cut(await s.rest("auth", "GET", `/posts/1?_method=DELETE`)),
      ];
    },
    expect: [
      [200, "trash"],
      [200, "trash"],
      [200, "trash"],
      [410, "rest_already_trashed"],
      [403, "rest_cannot_delete"],
    ],
  },
  {
    name: "a status in the query counts, and an id in the body wins over the path",
    ask: async (s) => {
      const [a, b] = [await s.draft("ed"), await s.draft("ed")];
      const queried = await s.rest("ed", "POST", `/posts/${a}?status=publish`, { title: "x" });
      const other = await s.rest("ed", "POST", `/posts/${a}`, { id: b, title: "moved" });
      return [queried.body["status"], other.body["id"] === b, (other.body["title"] as Json)["raw"]];
    },
    expect: ["publish", true, "moved"],
  },
  {
    name: "bodies that are broken, empty or no object",
    ask: async (s) => {
      const id = await s.draft("ed");
      const json = { "content-type": "application/json" };
      return [
        cut(await s.rest("ed", "POST", `/posts/${id}`, "{", json)),
        cut(await s.rest("ed", "POST", `/posts/${id}`, "[1]", json), "status"),
        cut(await s.rest("ed", "POST", `/posts/${id}`, "", json), "status"),
        cut(
          await s.rest("ed", "POST", `/posts/${id}`, '{"title":"plain"}', { "content-type": "text/plain" }),
          "title.raw",
        ),
        cut(
          await s.rest("ed", "POST", `/posts/${id}`, "title=form+text", {
            "content-type": "application/x-www-form-urlencoded",
          }),
          "title.raw",
        ),
      ];
    },
    expect: [[400, "rest_invalid_json"], [200, "draft"], [200, "draft"], [200, "A draft"], [
      200,
      "form text",
    ]],
  },
  {
    name: "rest_route in the query is the same as the path",
    ask: async (s) => [
      cut(await s.send("ed", "GET", "/?rest_route=/wp/v2/users/me"), "slug"),
      cut(await s.send("ed", "GET", "/index.php?rest_route=/wp/v2/posts/1/"), "id"),
      (await s.send("ed", "HEAD", "/wp-json/wp/v2/posts")).headers.get("x-wp-total") !== null,
    ],
    expect: [[200, "ed"], [200, 1], true],
  },
];

const TERMS: Probe[] = [
  {
    name: "a name is stored with entities, found by slug, and not by a search for its ampersand",
    ask: async (s) => {
      const made = await s.rest("ed", "POST", "/tags", { name: "Salt & Pepper" });
      const bySlug = await s.rest("ed", "GET", "/tags?slug=salt-pepper&_fields=name,slug");
      const search = async (words: string) =>
        (await s.rest("ed", "GET", `/tags?search=${words}&_fields=slug`)).body;
      return [
        cut(made, "name", "slug", "taxonomy", "count"),
        bySlug.body,
        await search("salt%20%26%20pepper"),
        await search("pepp"),
      ];
    },
    expect: [
      [201, "Salt &amp; Pepper", "salt-pepper", "post_tag", 0],
      [{ name: "Salt &amp; Pepper", slug: "salt-pepper" }],
      [],
      [{ slug: "salt-pepper" }],
    ],
  },
  {
    name: "a term that exists is refused with its id, whatever the case",
    ask: async (s) => {
      const made = await s.rest("ed", "POST", "/tags", { name: "Twice" });
      const again = await s.rest("ed", "POST", "/tags", { name: "TWICE" });
      const same = await s.rest("ed", "POST", "/categories", { name: "uncategorized" });
      const data = again.body["data"] as Json;
      return [
        cut(again),
        data["term_id"] === made.body["id"],
        cut(same),
        (same.body["data"] as Json)["term_id"],
      ];
    },
    expect: [[400, "term_exists"], true, [400, "term_exists"], 1],
  },
  {
    name: "authors make tags but no categories, subscribers neither",
    ask: async (s) => [
      (await s.rest("auth", "POST", "/tags", { name: "By an author" })).status,
      cut(await s.rest("auth", "POST", "/categories", { name: "By an author" })),
      cut(await s.rest("sub", "POST", "/tags", { name: "By a subscriber" })),
      cut(await s.rest(null, "POST", "/tags", { name: "By nobody" })),
      cut(await s.rest("ed", "POST", "/tags", {})),
      cut(await s.rest("ed", "POST", "/categories", { name: "Orphan", parent: 9999 })),
      cut(await s.rest("ed", "POST", "/tags", { name: "Child", parent: 1 })),
      (await s.rest("ed", "GET", "/tags?page=99")).body,
    ],
    expect: [
      201,
      [403, "rest_cannot_create"],
      [403, "rest_cannot_create"],
      [401, "rest_cannot_create"],
      [400, "rest_missing_callback_param"],
      [400, "rest_term_invalid"],
      [400, "rest_taxonomy_not_hierarchical"],
      [],
    ],
  },
  {
    name: "terms of a post are given by id and counted once it is public",
    ask: async (s) => {
      const tag = (await s.rest("ed", "POST", "/tags", { name: "Counted" })).body["id"];
      const top = (await s.rest("ed", "POST", "/categories", { name: "Top" })).body["id"];
      const sub = await s.rest("ed", "POST", "/categories", { name: "Sub", parent: top, slug: "sub-of-top" });
      const fields = { title: "x", tags: [tag], categories: [sub.body["id"]] };
      const post = await s.rest("ed", "POST", "/posts", fields);
      const before = (await s.rest(null, "GET", `/tags/${tag}`)).body["count"];
      await s.rest("ed", "POST", `/posts/${post.body["id"]}`, { status: "publish" });
      const after = (await s.rest(null, "GET", `/tags/${tag}`)).body["count"];
      const kept = JSON.stringify([post.body["tags"], post.body["categories"]]) ===
        JSON.stringify([[tag], [sub.body["id"]]]);
      return [kept, sub.body["parent"] === top, sub.body["slug"], before, after];
    },
    expect: [true, true, "sub-of-top", 0, 1],
  },
];

const MEDIA: Probe[] = [
  {
    name: "raw bytes become a medium that can be described and fetched back",
    ask: async (s) => {
      const made = await upload(s, "auth", PNG, 'attachment; filename="red dot.png"');
      const path = `/media/${made.body["id"]}`;
      const texts = { alt_text: "A dot", title: "Dot", caption: "Red", description: "Long" };
      const told = await s.rest("auth", "POST", path, texts);
      const file = await fetch(String(told.body["source_url"]));
      const bytes = new Uint8Array(await file.arrayBuffer());
      return [
        cut(
          made,
          "mime_type",
          "media_type",
          "media_details.width",
          "media_details.height",
          "title.raw",
          "status",
        ),
        /\/wp-content\/uploads\/\d{4}\/\d\d\/red-dot\.png$/.test(String(made.body["source_url"])),
        made.headers.get("location") === `${s.site.base_url}/wp-json/wp/v2${path}`,
        cut(told, "alt_text", "title.raw", "caption.raw", "description.raw", "post"),
        [file.status, file.headers.get("content-type"), bytes.toBase64() === PNG.toBase64()],
      ];
    },
    expect: [
      [201, "image/png", "image", 1, 1, "red-dot", "inherit"],
      true,
      true,
      [200, "A dot", "Dot", "Red", "Long", null],
      [200, "image/png", true],
    ],
  },
  {
    name: "the same keys stand in a medium, a term and a person",
    ask: async (s) => {
      const medium = await upload(s, "auth", PNG, 'attachment; filename="keys.png"');
      const answers = [
        medium,
        await s.rest(null, "GET", "/categories/1"),
        await s.rest("ed", "GET", "/users/me"),
        await s.rest("ed", "GET", "/users/me?context=edit"),
      ];
      return answers.map(({ body }) => keysOf(body));
    },
    expect: [
      "_links alt_text author caption comment_status date date_gmt description featured_media generated_slug guid " +
      "id link media_details media_type meta mime_type missing_image_sizes modified modified_gmt " +
      "permalink_template ping_status post slug source_url status template title type",
      "_links count description id link meta name parent slug taxonomy",
      "_links avatar_urls description id link meta name slug url",
      "_links avatar_urls capabilities description email extra_capabilities first_name id last_name link locale " +
      "meta name nickname registered_date roles slug url username",
    ],
  },
  {
    name: "what is no image, has no name or may not be uploaded is refused",
    ask: async (s) => {
      const text = new TextEncoder().encode("<?php echo 1;");
      const named = (name: string) => `attachment; filename="${name}"`;
      return [
        cut(await upload(s, "auth", PNG, null)),
        cut(await upload(s, "auth", PNG, "attachment")),
        cut(await upload(s, "auth", undefined, named("a.png"))),
        cut(await upload(s, "auth", text, named("a.png"))),
        cut(await upload(s, "auth", text, named("a.php"))),
        cut(await upload(s, "auth", text, named("a.svg"))),
        cut(await upload(s, "sub", PNG, named("a.png"))),
        cut(await upload(s, null, PNG, named("a.png"))),
      ];
    },
    expect: [
      [400, "rest_upload_no_content_disposition"],
      [400, "rest_upload_invalid_disposition"],
      [400, "rest_upload_no_data"],
      [500, "rest_upload_sideload_error"],
      [500, "rest_upload_sideload_error"],
      [500, "rest_upload_sideload_error"],
      [403, "rest_cannot_create"],
      [401, "rest_cannot_create"],
    ],
  },
  {
    name: "names are made safe and unique, and the bytes decide over the extension",
    ask: async (s) => {
      const out: string[] = [];
      for (const name of ["../up & away.png", "same.png", "same.png", "UPPER.PNG"]) {
        const { body } = await upload(s, "auth", PNG, `attachment; filename="${name}"`);
        out.push(String(body["source_url"]).split("/").at(-1)!);
      }
      const jpeg = await upload(s, "auth", JPEG_BYTES, 'attachment; filename="photo.png"');
      return [...out, jpeg.body["mime_type"] ?? jpeg.body["code"]];
    },
    expect: ["up-away.png", "same.png", "same-1.png", "UPPER.png", "image/jpeg"],
  },
  {
    name: "a medium can be a post's image, and cannot be trashed",
    ask: async (s) => {
      const id = (await upload(s, "auth", PNG, 'attachment; filename="lead.png"')).body["id"];
      const made = await s.rest("ed", "POST", "/posts", { title: "x", featured_media: id });
      return [made.body["featured_media"] === id, cut(await s.rest("ed", "DELETE", `/media/${id}`))];
    },
    expect: [true, [501, "rest_trash_not_supported"]],
  },
];

/** Probes of writing, slyness, terms and media. */
export const CONTENT_PROBES: readonly Probe[] = [...WRITING, ...SLY, ...TERMS, ...MEDIA];
