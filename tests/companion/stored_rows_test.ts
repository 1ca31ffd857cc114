/** Rows set back by the companion plugin: to the letter, only those of its lists, and only while they are as expected. */
import assert from "node:assert/strict";
import { type Companion, type Json, seoSuite } from "./site.ts";

const test = seoSuite();

interface Told {
  readonly state: { readonly stored: { readonly plugin: string; readonly rows: Rows } };
  readonly parts: Readonly<Record<string, string>>;
}
type Rows = Readonly<Record<string, { readonly of: string; readonly values: readonly string[] }>>;

const told = async (wp: Companion, subject: string, id: number) => {
  const { status, body } = await wp.call("admin", "GET", `/guarded/stored/${subject}/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Told;
};
const values = (rows: Rows, names = Object.keys(rows)) =>
  Object.fromEntries(names.map((name) => [name, rows[name]!.values]));

/** Every row of the post, key and text as the database has them. */
const stored = async (wp: Companion, id: number) => {
  const sql = `SELECT meta_key, meta_value FROM wp_postmeta WHERE post_id = ${id} ORDER BY meta_key, meta_id`;
  return (await wp.peek({ db: ["get_results", sql] })).result as { meta_key: string; meta_value: string }[];
};

const back = async (
  wp: Companion,
  subject: string,
  id: number,
  rows: Json,
  expected?: Json,
  login = "admin",
) => {
  const { parts } = await told(wp, subject, id);
  const all = Object.fromEntries(
    ["status", "plugin", ...Object.keys(rows).map((name) => `row:${name}`)].map((
      name,
    ) => [name, parts[name]]),
  );
  return await wp.call(login as "admin", "POST", `/guarded/stored/${subject}/${id}`, {
    rows,
    expected: { ...all, ...expected },
  });
};

const BEFORE = {
  yoast: {
    "_yoast_wpseo_title": '%%title%% \\ "q"',
    "_yoast_wpseo_opengraph-image-id": "7",
    "_yoast_wpseo_meta-robots-noindex": "0",
    "_yoast_wpseo_meta-robots-adv": "noodp,nosnippet",
  },
  rankmath: {
    rank_math_title: "%title%",
    rank_math_robots: ["index", "nosnippet", "max-snippet"],
    rank_math_facebook_image_id: "7",
    rank_math_twitter_title: "Hidden while the other is shown",
  },
  seopress: {
    _seopress_titles_title: "%%post_title%%",
    _seopress_robots_index: "yes",
    _seopress_social_fb_img: "https://example.test/a.png",
    _seopress_social_fb_img_attachment_id: "7",
    _seopress_social_fb_img_width: "800",
  },
} as const;

for (const plugin of ["yoast", "rankmath", "seopress"] as const) {
  test(plugin, "all fields are changed and go back to every row that there was, and to none", async (wp) => {
    const id = await wp.draft("ed", {});
    await wp.peek({ id, meta: BEFORE[plugin] });
    const before = await stored(wp, id);
    const { state } = await told(wp, "seo-meta", id);
    const image = await wp.image(`rows-${plugin}`);
    const { status, body } = await wp.call("admin", "POST", `/seo/meta/${id}`, {
      title: "New",
      description: "D",
      focus_keyword: "a",
      canonical: "https://example.test/c",
      robots: { noindex: plugin !== "seopress", nofollow: true, nosnippet: false },
      og: { title: "OT", image: image.url },
      twitter: { title: "TT", image: image.url },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.notDeepEqual(await stored(wp, id), before);
    const done = await back(wp, "seo-meta", id, values(state.stored.rows));
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual(await stored(wp, id), before);
  });

  test(
    plugin,
    "a row that is not listed, one that changed since and what makes an object is not written",
    async (wp) => {
      const id = await wp.draft("ed", {});
      await wp.peek({ id, meta: BEFORE[plugin] });
      const before = await stored(wp, id);
      const key = Object.keys(BEFORE[plugin])[0]!;
      const refused = async (rows: Json, expected: Json, says: readonly [number, string]) => {
        const { parts } = await told(wp, "seo-meta", id);
        const { status, body } = await wp.call("admin", "POST", `/guarded/stored/seo-meta/${id}`, {
          rows,
          expected: { plugin: parts["plugin"], ...expected },
        });
        assert.deepEqual([status, body["code"]], says);
        assert.deepEqual(await stored(wp, id), before);
      };
      await refused({ wp_capabilities: ["a:0:{}"] }, {}, [400, "rest_invalid_param"]);
      await refused({ _thumbnail_id: ["7"] }, {}, [400, "rest_invalid_param"]);
      await refused({ [key]: ["x"] }, { [`row:${key}`]: "0".repeat(64) }, [409, "site_ops_stale"]);
      await refused({ [key]: ["x"] }, { plugin: "0".repeat(64) }, [409, "site_ops_stale"]);
      await refused({ [key]: ['O:8:"stdClass":0:{}'] }, {}, [400, "rest_invalid_param"]);
      await refused({ [key]: ['a:1:{i:0;O:8:"stdClass":0:{}}'] }, {}, [400, "rest_invalid_param"]);
      await refused({ [key]: "x" }, {}, [400, "rest_invalid_param"]);
    },
  );
}

test(
  "yoast",
  "rights come before arguments, and what an account may not store it does not set back",
  async (wp) => {
    const id = await wp.draft("auth", {});
    const key = "_yoast_wpseo_title";
    const before = await stored(wp, id);
    const { parts } = await told(wp, "seo-meta", id);
    const ask = async (login: "auth" | "sub", json: Json) => {
      const { status, body } = await wp.call(login, "POST", `/guarded/stored/seo-meta/${id}`, json);
      return [status, body["code"]];
    };
    const expected = { plugin: parts["plugin"] };
    const script = { rows: { [key]: ["<script>1</script>"] }, expected };
    assert.deepEqual(await ask("sub", {}), [403, "rest_forbidden"]);
    assert.deepEqual(await ask("sub", script), [403, "rest_forbidden"]);
    assert.deepEqual(await ask("auth", script), [403, "site_ops_not_allowed"]);
    assert.deepEqual(await stored(wp, id), before);
    assert.deepEqual((await ask("auth", { rows: { [key]: ["%%title%%"] }, expected }))[0], 200);
  },
);

test("rankmath", "entries of structured data go back to their rows, key and text", async (wp) => {
  const id = await wp.draft("ed", {});
  const article = { "@type": "Article", name: "Old", metadata: { title: "Chosen", isPrimary: true }, n: 1.0 };
  await wp.peek({ id, meta: { rank_math_schema_Article: article } });
  const before = await stored(wp, id);
  const { state: { stored: { rows } } } = await told(wp, "schema", id);
  const [entry_id] = Object.keys(rows);
  for (const subject of ["schema", "custom-schema"]) {
    const schema = { "@type": "Product", name: "New" };
    const written = await wp.call("admin", "POST", `/seo/schema/${id}`, { schema, entry_id });
    assert.equal(written.status, 200, JSON.stringify(written.body));
    assert.notDeepEqual(await stored(wp, id), before);
    const foreign = await back(wp, subject, id, { [entry_id!]: ["wp_capabilities", "a:0:{}"] });
    assert.equal(foreign.status, 400);
    const done = await back(wp, subject, id, values(rows));
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual(await stored(wp, id), before, subject);
  }
});

test(
  "seopress",
  "the plugin's own structured data and pages made from code go back to the letter",
  async (wp) => {
    const id = await wp.draft("ed", {});
    const first = await wp.call("admin", "POST", `/seo/schema/${id}`, {
      schema: { "@type": "Article", a: {}, b: [] },
    });
    const { entry_id } = first.body as unknown as { entry_id: string };
    const before = await stored(wp, id);
    const { state: { stored: { rows } } } = await told(wp, "schema", id);
    await wp.call("admin", "POST", `/seo/schema/${id}`, { schema: { "@type": "Product" }, entry_id });
    assert.equal((await back(wp, "schema", id, values(rows))).status, 200);
    assert.deepEqual(await stored(wp, id), before);

    const page = await wp.call("admin", "POST", "/code-pages", {
      ...{ title: "T", slug: "code", html: "<p>Old</p>", scope_class: "so-0123456789" },
    });
    const page_id = page.body["id"] as number;
    const content = "<p>By a person</p> \\";
    await wp.peek({ id: page_id, columns: { post_content: content } });
    const was = await stored(wp, page_id);
    const code = (await told(wp, "code-pages", page_id)).state.stored.rows;
    const changed = await wp.call("admin", "POST", `/code-pages/${page_id}`, {
      ...{ html: "<p>New</p>", css: ".so-0123456789 p{}", js: "1", title: "New", template: "" },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal((await back(wp, "code-pages", page_id, values(code))).status, 200);
    assert.deepEqual(await stored(wp, page_id), was);
    const { post } = await wp.peek({ id: page_id });
    assert.deepEqual([post["post_content"], post["post_title"], post["post_status"]], [
      content,
      "T",
      "draft",
    ]);
  },
);

/** Everything that a redirect is stored in, whichever plugin keeps it. */
const redirects = async (wp: Companion) => {
  const types = "'site_ops_redirect','seopress_404'";
  const sql =
    `SELECT post_title, post_status, meta_key, meta_value FROM wp_posts JOIN wp_postmeta ON ID = post_id
    WHERE post_type IN (${types}) ORDER BY ID, meta_key`;
  const { result, options } = await wp.peek({
    db: ["get_results", sql],
    ask: ["rankmath_standin_redirections"],
  });
  const untimed = JSON.parse(
    JSON.stringify(options),
    (name, value) => name === "updated" ? undefined : value,
  );
  return JSON.stringify([result, untimed]);
};

for (const plugin of ["yoast", "rankmath", "seopress"] as const) {
  test(plugin, "a redirect goes back to its rows, and only while they are as expected", async (wp) => {
    if (plugin === "rankmath") {
      await wp.peek({ options: { rank_math_modules: ["redirections", "rich-snippet"] } });
    }
    const set = async (destination: string, status: number) => {
      const json = { source: "/old-rows", destination, status };
      const { status: code, body } = await wp.call("admin", "POST", "/seo/redirects", json);
      assert.equal(code, 200, JSON.stringify(body));
    };
    const read = async () => {
      const query = "source=/old-rows&destination=/b&status=302";
      const { status, body } = await wp.call("admin", "GET", `/guarded/seo/redirects?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body as unknown as Told & { state: { redirects: Json[] } };
    };
    await set("/a-rows", 301);
    const before = await redirects(wp);
    const { state: { stored: { rows } } } = await read();
    await set("/b-rows", 302);
    assert.notEqual(await redirects(wp), before);
    const now = await read();
    const send = (expected: Json, given: Json) =>
      wp.call("admin", "POST", "/guarded/stored/redirects", { source: "/old-rows", rows: given, expected });
    const stale = await send({ ...now.parts, plugin: "0".repeat(64) }, values(rows));
    assert.deepEqual([stale.status, stale.body["code"]], [409, "site_ops_stale"]);
    const foreign = await send(now.parts, { wp_capabilities: ["x"] });
    assert.equal(foreign.status, 400);
    const done = await send(now.parts, values(rows));
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.equal(await redirects(wp), before);
  });
}
