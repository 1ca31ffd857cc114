/** What a CMS must answer about people, post states, and reading and listing posts. */
import { ahead, cut, detail, type Json, keysOf, type Probe } from "./asker.ts";
import { words } from "../words.ts";

const NOBODY = "Basic " + btoa("ed:wrong wrong wrong");

const PEOPLE: Probe[] = [
  {
    name: "the front page's Link header names the REST root",
    ask: async (s) => {
      const { status, headers } = await s.send(null, "HEAD", "/");
      return [
        status,
        headers.get("link")?.includes(`<${s.site.base_url}/wp-json/>; rel="https://api.w.org/"`),
      ];
    },
    expect: [200, true],
  },
  {
    name: "the index needs no credentials and offers application passwords",
    ask: async (s) => {
      const { body, status } = await s.send(null, "GET", "/wp-json/");
      const namespaces = body["namespaces"] as string[];
      const endpoints = (body["authentication"] as Record<string, Json>)["application-passwords"];
      return [
        status,
        body["name"],
        body["timezone_string"],
        namespaces.includes("wp/v2"),
        endpoints !== undefined,
      ];
    },
    expect: [200, "Test Site", "Europe/Copenhagen", true, true],
  },
  {
    name: "users/me tells roles and rights in the edit context",
    ask: async (s) => {
      const out: unknown[] = [];
      for (const login of ["admin", "ed", "auth", "sub"] as const) {
        const { status, body } = await s.rest(login, "GET", "/users/me?context=edit");
        const rights = body["capabilities"] as Json;
        const held = words("edit_posts edit_pages publish_posts upload_files list_users unfiltered_html");
        out.push([status, body["username"], body["roles"], held.filter((right) => rights[right] === true)]);
      }
      return out;
    },
    expect: [
      [
        200,
        "admin",
        ["administrator"],
        words("edit_posts edit_pages publish_posts upload_files list_users unfiltered_html"),
      ],
      [200, "ed", ["editor"], words("edit_posts edit_pages publish_posts upload_files unfiltered_html")],
      [200, "auth", ["author"], ["edit_posts", "publish_posts", "upload_files"]],
      [200, "sub", ["subscriber"], []],
    ],
  },
  {
    name: "wrong credentials run as nobody",
    ask: async (s) => {
      const wrong = { authorization: NOBODY };
      return [
        cut(await s.rest(null, "GET", "/users/me", undefined, wrong)),
        (await s.rest(null, "GET", "/posts", undefined, wrong)).status,
        cut(await s.rest(null, "POST", "/posts", { title: "x" }, wrong)),
      ];
    },
    expect: [[401, "rest_not_logged_in"], 200, [401, "rest_cannot_create"]],
  },
  {
    name: "the e-mail works as login and spaces of the password do not count",
    ask: async (s) => {
      const password = s.site.users.ed.application_password.replaceAll(" ", "");
      const authorization = `Basic ${btoa(`ed@example.test:${password}`)}`;
      return cut(await s.rest(null, "GET", "/users/me", undefined, { authorization }), "slug");
    },
    expect: [200, "ed"],
  },
  {
    name: "only those who may list users get the edit context and the role filter",
    ask: async (s) => {
      const admin = await s.rest(
        "admin",
        "GET",
        "/users?context=edit&roles=editor,author&_fields=username,roles",
      );
      return [
        (admin.body as Json[]).map((row) => row["username"]),
        cut(await s.rest("ed", "GET", "/users?context=edit")),
        cut(await s.rest("ed", "GET", "/users?roles=editor")),
        (await s.rest("admin", "GET", "/users?roles=nonsense&context=edit")).body,
        (await s.rest("admin", "GET", "/users?page=9")).body,
      ];
    },
    expect: [["auth", "ed"], [403, "rest_forbidden_context"], [403, "rest_user_cannot_view"], [], []],
  },
  {
    name: "plugins are for administrators, the active theme for editors too",
    ask: async (s) => [
      (await s.rest("admin", "GET", "/plugins")).status,
      cut(await s.rest("ed", "GET", "/plugins")),
      cut(await s.rest(null, "GET", "/plugins")),
      (await s.rest("ed", "GET", "/themes?status=active")).status,
      cut(await s.rest("sub", "GET", "/themes?status=active")),
    ],
    expect: [
      200,
      [403, "rest_cannot_view_plugins"],
      [401, "rest_cannot_view_plugins"],
      200,
      [403, "rest_cannot_view_active_theme"],
    ],
  },
];

const STATES: Probe[] = [
  {
    name: "a future date of an hour schedules, half a minute publishes at once",
    ask: async (s) => [
      await s.states("posts", { status: "future", date_gmt: ahead(3600) }),
      await s.states("pages", { status: "future", date_gmt: ahead(3600) }),
      await s.states("posts", { status: "future", date_gmt: ahead(30) }),
      await s.states("posts", { status: "future", date_gmt: ahead(-300) }),
      await s.states("posts", { status: "future" }),
      await s.states("posts", { status: "publish", date_gmt: ahead(3600) }),
    ],
    expect: [["future"], ["future"], ["publish"], ["publish"], ["publish"], ["future"]],
  },
  {
    name: "publish on a scheduled post stays future unless the date is cleared",
    ask: async (s) => [
      await s.states("posts", { status: "future", date_gmt: ahead(3600) }, { status: "publish" }, {
        status: "publish",
        date: null,
      }),
      await s.states("posts", { status: "future", date_gmt: ahead(3600) }, {
        status: "publish",
        date_gmt: ahead(0),
      }),
    ],
    expect: [["future", "future", "publish"], ["future", "publish"]],
  },
  {
    name: "a draft made of a scheduled post keeps its date until it is cleared",
    ask: async (s) => {
      const id = await s.draft("ed");
      const date_gmt = ahead(7200);
      await s.rest("ed", "POST", `/posts/${id}`, { status: "future", date_gmt });
      const kept = await s.rest("ed", "POST", `/posts/${id}`, { status: "draft" });
      const cleared = await s.rest("ed", "POST", `/posts/${id}`, { status: "draft", date: null });
      return [
        kept.body["status"],
        kept.body["date_gmt"] === date_gmt,
        cleared.body["status"],
        String(cleared.body["date_gmt"]) < date_gmt,
      ];
    },
    expect: ["draft", true, "draft", true],
  },
  {
    name: "a live post can be taken offline by scheduling it and edited by its title",
    ask: (s) =>
      s.states("posts", { status: "publish" }, { title: "New" }, { status: "future", date_gmt: ahead(3600) }),
    expect: ["publish", "publish", "future"],
  },
  {
    name: "dates are told in the site's time and in UTC, and offsets are converted",
    ask: async (s) => {
      const id = await s.draft("ed");
      const one = await s.rest("ed", "POST", `/posts/${id}`, { date_gmt: "2030-07-01T10:00:00" });
      const two = await s.rest("ed", "POST", `/posts/${id}`, { date: "2030-01-01T10:00:00" });
      const three = await s.rest("ed", "POST", `/posts/${id}`, { date_gmt: "2030-01-01T10:00:00+02:00" });
      const four = await s.rest("ed", "POST", `/posts/${id}`, { date_gmt: "2030-01-02T10:00:00.000Z" });
      const bad = await s.rest("ed", "POST", `/posts/${id}`, { date_gmt: "soon" });
      return [...[one, two, three, four].map((row) => [row.body["date"], row.body["date_gmt"]]), cut(bad)];
    },
    expect: [
      ["2030-07-01T12:00:00", "2030-07-01T10:00:00"],
      ["2030-01-01T10:00:00", "2030-01-01T09:00:00"],
      ["2030-01-01T09:00:00", "2030-01-01T08:00:00"],
      ["2030-01-02T11:00:00", "2030-01-02T10:00:00"],
      [400, "rest_invalid_param"],
    ],
  },
  {
    name: "cron leaves what is not due",
    ask: async (s) => {
      const id = await s.draft("ed", { status: "future", date_gmt: ahead(3600) });
      await s.site.runCron();
      return cut(await s.rest("ed", "GET", `/posts/${id}?context=edit`), "status");
    },
    expect: [200, "future"],
  },
];

const SHARED_FIRST = "comment_status content date date_gmt excerpt featured_media";

const POSTS: Probe[] = [
  {
    name: "a created draft answers 201 with a Location and raw values",
    ask: async (s) => {
      const fields = {
        title: "A & B",
        content: "<p>x</p>",
        excerpt: "short",
        slug: "a-b-draft",
        status: "draft",
      };
      const made = await s.rest("ed", "POST", "/posts", fields);
      const id = made.body["id"];
      return [
        cut(made, "status", "type", "title.raw", "content.raw", "excerpt.raw", "slug", "author"),
        made.body["categories"],
        made.headers.get("location") === `${s.site.base_url}/wp-json/wp/v2/posts/${id}`,
        made.body["link"] === `${s.site.base_url}/?p=${id}`,
      ];
    },
    expect: [[201, "draft", "post", "A & B", "<p>x</p>", "short", "a-b-draft", 2], [1], true, true],
  },
  {
    name: "the same keys stand in a post, a page and their public view",
    ask: async (s) => {
      const post = await s.rest("ed", "GET", `/posts/${await s.draft("ed")}?context=edit`);
      const page = await s.rest("ed", "GET", `/pages/${await s.draft("ed", {}, "pages")}?context=edit`);
      const view = await s.rest(null, "GET", "/posts/1");
      return [post, page, view].map(({ body }) => keysOf(body));
    },
    expect: [
      `_links author categories ${SHARED_FIRST} format generated_slug guid id link meta modified modified_gmt ` +
      "password permalink_template ping_status slug status sticky tags template title type",
      `_links author ${SHARED_FIRST} generated_slug guid id link menu_order meta modified modified_gmt parent ` +
      "password permalink_template ping_status slug status template title type",
      `_links author categories ${SHARED_FIRST} format guid id link meta modified modified_gmt ` +
      "ping_status slug status sticky tags template title type",
    ],
  },
  {
    name: "_fields trims, also inside an object",
    ask: async (s) =>
      (await s.rest("ed", "GET", "/posts/1?context=edit&_fields=id,status,title.raw,nothing")).body,
    expect: { id: 1, status: "publish", title: { raw: "Hello world!" } },
  },
  {
    name: "a page is no post, and what is not there is 404",
    ask: async (s) => [
      cut(await s.rest("ed", "GET", "/posts/2")),
      cut(await s.rest("ed", "GET", "/posts/99999")),
      cut(await s.rest("ed", "POST", "/posts/99999", { title: "x" })),
      cut(await s.rest("ed", "GET", "/nothing")),
      cut(await s.send(null, "GET", "/wp-json/site-ops/v1/health")),
      cut(await s.rest("ed", "PUT", "/posts")),
    ],
    expect: [
      [404, "rest_post_invalid_id"],
      [404, "rest_post_invalid_id"],
      [404, "rest_post_invalid_id"],
      [404, "rest_no_route"],
      [404, "rest_no_route"],
      [404, "rest_no_route"],
    ],
  },
  {
    name: "drafts are hidden from strangers and from other authors",
    ask: async (s) => {
      const id = await s.draft("ed");
      return [
        cut(await s.rest(null, "GET", `/posts/${id}`)),
        cut(await s.rest("auth", "GET", `/posts/${id}`)),
        cut(await s.rest("auth", "GET", `/posts/${id}?context=edit`)),
        cut(await s.rest("auth", "POST", `/posts/${id}`, { title: "mine" })),
        cut(await s.rest("sub", "GET", `/posts/1?context=edit`)),
      ];
    },
    expect: [
      [401, "rest_forbidden"],
      [403, "rest_forbidden"],
      [403, "rest_forbidden_context"],
      [403, "rest_cannot_edit"],
      [403, "rest_forbidden_context"],
    ],
  },
  {
    name: "drafts and scheduled posts are listed together, by comma or by array",
    ask: async (s) => {
      const id = await s.draft("auth", { title: "Listed once zebra" });
      const rest = "&context=edit&orderby=modified&order=desc&search=zebra&_fields=id,status";
      const comma = await s.rest("ed", "GET", `/posts?status=draft,future${rest}`);
      const array = await s.rest("auth", "GET", `/posts?status[]=draft&status[]=future${rest}`);
      return [comma, array].map(({ status, body, headers }) => [
        status,
        (body as Json[]).map((row) => [row["id"] === id, row["status"]]),
        headers.get("x-wp-total"),
        headers.get("x-wp-totalpages"),
      ]);
    },
    expect: [[200, [[true, "draft"]], "1", "1"], [200, [[true, "draft"]], "1", "1"]],
  },
  {
    name: "an author's list leaves out others' drafts but counts them",
    ask: async (s) => {
      await s.draft("ed", { title: "Foreign walrus" });
      const { body, headers } = await s.rest("auth", "GET", "/posts?status=draft&context=edit&search=walrus");
      return [(body as Json[]).length, headers.get("x-wp-total")];
    },
    expect: [0, "1"],
  },
  {
    name: "a stranger who asks for drafts has used a wrong parameter",
    ask: async (s) => {
      const asked = await s.rest(null, "GET", "/posts?status=draft");
      const sub = await s.rest("sub", "GET", "/posts?status=draft");
      return [cut(asked), detail(asked, "status"), detail(sub, "status")];
    },
    expect: [[400, "rest_invalid_param"], ["Status is forbidden.", "rest_forbidden_status"], [
      "Status is forbidden.",
      "rest_forbidden_status",
    ]],
  },
  {
    name: "paging has its limits and its headers",
    ask: async (s) => {
      const first = await s.rest("admin", "GET", "/users?per_page=2&_fields=id");
      return [
        [first.headers.get("x-wp-total"), first.headers.get("x-wp-totalpages")],
        /page=2>; rel="next"/.test(first.headers.get("link") ?? ""),
        detail(await s.rest("ed", "GET", "/posts?per_page=101"), "per_page"),
        detail(await s.rest("ed", "GET", "/posts?page=0"), "page"),
        cut(await s.rest("ed", "GET", "/posts?page=999")),
        cut(await s.rest("ed", "GET", "/posts?orderby=colour")),
      ];
    },
    expect: [
      ["4", "2"],
      true,
      ["per_page must be between 1 (inclusive) and 100 (inclusive)", "rest_out_of_bounds"],
      ["page must be greater than or equal to 1", "rest_out_of_bounds"],
      [400, "rest_post_invalid_page_number"],
      [400, "rest_invalid_param"],
    ],
  },
];

/** Probes of people, states, and reading and listing posts. */
export const PROBES: readonly Probe[] = [...PEOPLE, ...STATES, ...POSTS];
