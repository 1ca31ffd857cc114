/** The guarded twins of the companion plugin's own routes: read in parts, written only while those are as expected. */
import assert from "node:assert/strict";
import type { CmsLogin } from "../../sandbox/wordpress/start.ts";
import { type Answer, Companion, cut, type Json, suite } from "./site.ts";

let wp: Companion;
let template: number;
const test = suite(async () => {
  wp = await Companion.start("rankmath", "elementor", "schemapro");
  const _elementor_data = JSON.stringify([{
    id: "aaaaaaa",
    elType: "container",
    settings: { a: "{{NAME}}" },
  }]);
  const post = { post_type: "elementor_library", post_status: "publish", post_title: "Landing" };
  template = (await wp.peek({ post, meta: { _elementor_data, _elementor_template_type: "page" } })).id;
  return wp;
});

type Hashes = Record<string, string>;
const read = async (path: string, login: CmsLogin = "admin") => {
  const { status, body } = await wp.call(login, "GET", `/guarded${path}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as { state: Json; parts: Hashes; changed: Json | null; editing: Json | null };
};
const write = (path: string, expected: Hashes, json: Json, login: CmsLogin = "admin") =>
  wp.call(login, "POST", `/guarded${path.split("?")[0]}`, { expected, ...json });
const differ = ({ body }: Answer) => (body["data"] as Json)["differ"];
const after = ({ status, body }: Answer) => {
  assert.equal(status, 200, JSON.stringify(body));
  return body["state"] as Json;
};
const STALE = [409, "site_ops_stale"];

/** What one kind of write has, and what a person may do meanwhile. */
interface Scene {
  /** With the query of the read. */
  readonly path: string;
  readonly json: Json;
  readonly id?: number;
  /** By the parts that differ then. */
  readonly edits: Readonly<Record<string, () => Promise<unknown>>>;
  /** Whether what stands after the write is what was asked for. */
  readonly done: (state: Json) => boolean;
}

const meta = (id: number, given: Json) => wp.peek({ id, meta: given });
const pending = (id: number) => wp.peek({ id, columns: { post_status: "pending" } });

const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  async "SEO fields"() {
    const id = await wp.draft("ed", {});
    return {
      path: `/seo/meta/${id}`,
      id,
      json: { title: "Mine", og: { title: "Mine" } },
      edits: {
        title: () => meta(id, { rank_math_title: "By a person" }),
        "og.title": () => meta(id, { rank_math_facebook_title: "By a person" }),
        "robots.noindex": () => meta(id, { rank_math_robots: ["noindex"] }),
        status: () => pending(id),
      },
      done: (state) => state["title"] === "Mine" && (state["og"] as Json)["title"] === "Mine",
    };
  },
  async "structured data"() {
    const id = await wp.draft("ed", {});
    const made = await wp.call("admin", "POST", `/seo/schema/${id}`, {
      schema: { "@type": "Article", name: "Old" },
    });
    const entry_id = made.body["entry_id"] as string;
    const theirs = { "@type": "Article", name: "By a person" };
    return {
      path: `/seo/schema/${id}`,
      id,
      json: { entry_id, schema: { "@type": "Article", name: "Mine" } },
      edits: {
        [`entry:${entry_id}`]: () =>
          wp.call("admin", "POST", `/seo/schema/${id}`, { entry_id, schema: theirs }),
        entries: () => wp.call("admin", "POST", `/seo/schema/${id}`, { schema: { "@type": "Thing" } }),
        status: () => pending(id),
      },
      done: (state) => JSON.stringify(state["entries"]).includes("Mine"),
    };
  },
  async "custom schema"() {
    const markup = '{"@type":"Thing","name":"Old"}';
    const post = { post_type: "aiosrs-schema", post_status: "publish", post_title: "Global" };
    const { id } = await wp.peek({ post, meta: { "bsf-aiosrs-custom-markup": markup } });
    return {
      path: `/schema/entries/${id}`,
      id,
      json: { value: '{"@type":"Thing","name":"Mine"}', expect_value_type: "string" },
      edits: {
        value: () => meta(id, { "bsf-aiosrs-custom-markup": '{"@type":"Thing","name":"By a person"}' }),
        targets: () => meta(id, { "bsf-aiosrs-schema-location": { rule: ["basic-global"] } }),
        status: () => pending(id),
      },
      done: (state) => String(state["value"]).includes("Mine"),
    };
  },
  async "a page made from code"() {
    const code = { title: "Code", scope_class: "so-0123456789", html: "<p>Old</p>", css: "p{}" };
    const id = (await wp.call("ed", "POST", "/code-pages", code)).body["id"] as number;
    return {
      path: `/code-pages/${id}`,
      id,
      json: { html: "<p>Mine</p>", css: "p{color:red}" },
      edits: {
        content: () => wp.rest("ed", "POST", `/pages/${id}`, { content: "<p>By a person</p>" }),
        "code,css": () => meta(id, { _site_ops_css: "b{}" }),
        "builder": () => meta(id, { _elementor_edit_mode: "builder" }),
        status: () => pending(id),
      },
      done: (state) => state["html"] === "<p>Mine</p>" && state["css"] === "p{color:red}",
    };
  },
  async "a clone of a template"() {
    const id = await wp.draft("ed", {}, "pages");
    return {
      path: `/builder/pages/${id}?template_id=${template}`,
      id,
      json: { template_id: template, variables: { NAME: "Ann" } },
      edits: {
        content: () => wp.rest("ed", "POST", `/pages/${id}`, { content: "<p>By a person</p>" }),
        builder_template_id: () =>
          meta(template, { _elementor_page_settings: { color: `${Math.random()}` } }),
        status: () => pending(id),
      },
      done: (state) => state["elements"] === 1,
    };
  },
  async "a redirect"() {
    const source = `/old-${crypto.randomUUID()}`;
    const set = (destination: string) => wp.call("admin", "POST", "/seo/redirects", { source, destination });
    await set("/before");
    return {
      path: `/seo/redirects?source=${source}&destination=/mine`,
      json: { source, destination: "/mine", status: 301 },
      edits: {
        destination: () => set("/theirs"),
        hides: async () => {
          const id = await wp.draft("ed", { slug: source.slice(1) }, "pages");
          await wp.rest("ed", "POST", `/pages/${id}`, { status: "publish" });
        },
      },
      done: (state) => JSON.stringify(state["redirects"]).includes("/mine"),
    };
  },
};

for (const [kind, open] of Object.entries(SCENES)) {
  test(`${kind}: what is as expected is written, and the state after is the answer`, async () => {
    const { path, json, done } = await open();
    const { parts } = await read(path);
    assert.ok(Object.values(parts).every((hash) => /^[0-9a-f]{64}$/.test(hash)), JSON.stringify(parts));
    const state = after(await write(path, parts, json));
    assert.ok(done(state), JSON.stringify(state));
    const now = (await read(path)).state;
    for (const name of Object.keys(state)) assert.deepEqual(now[name] ?? state[name], state[name], name);
  });

  test(`${kind}: a person's edit in between is told by its part, and nothing is written`, async () => {
    const count = Object.keys((await open()).edits).length;
    for (let n = 0; n < count; n++) {
      const { path, json, edits, done } = await open();
      const [name, edit] = Object.entries(edits)[n]!;
      const { parts } = await read(path);
      await edit();
      const theirs = (await read(path)).parts;
      const answer = await write(path, parts, json);
      assert.deepEqual(cut(answer), STALE, `${name}: ${JSON.stringify(answer.body)}`);
      for (const part of name.split(",")) {
        assert.ok((differ(answer) as string[]).includes(part), `${name}: ${differ(answer)}`);
      }
      assert.deepEqual((await read(path)).parts, theirs);
      assert.ok(done(after(await write(path, theirs, json))), "what is expected anew is written");
    }
  });

  test(`${kind}: an autosave, a lock and a comment in between refuse nobody`, async () => {
    const { path, json, id, done } = await open();
    const { parts } = await read(path);
    if (id !== undefined) {
      await wp.rest("admin", "POST", `/posts/${id}/autosaves`, { content: "of the editor" });
      await wp.peek({ id, meta: { _edit_lock: `${Math.floor(Date.now() / 1000)}:1`, _edit_last: "1" } });
      await wp.peek({ id, columns: { comment_count: 3, post_modified_gmt: "2026-01-01 00:00:00" } });
      assert.notEqual((await read(path)).editing, null);
    }
    assert.ok(done(after(await write(path, parts, json))));
  });

  test(`${kind}: of many writers at once who expect the same, one writes`, async () => {
    const { path, json } = await open();
    const { parts } = await read(path);
    const answers = await Promise.all([1, 2, 3, 4].map(() => write(path, parts, json)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.deepEqual(refused.map((one) => cut(one)), [STALE, STALE, STALE]);
  });

  test(`${kind}: nothing expected, no hash and an unknown part are refused`, async () => {
    const { path, json } = await open();
    const { parts } = await read(path);
    const [name] = Object.keys(parts) as [string];
    for (const expected of [{}, { [name]: "x" }, { nonsense: "0".repeat(64) }] as Hashes[]) {
      assert.deepEqual(cut(await write(path, expected, json)), [400, "rest_invalid_param"]);
    }
    const body = { ...json };
    assert.deepEqual(cut(await wp.call("admin", "POST", `/guarded${path.split("?")[0]}`, body)), [
      400,
      "rest_missing_callback_param",
    ]);
    assert.deepEqual((await read(path)).parts, parts);
  });

  test(`${kind}: who may not write is refused as the route itself refuses`, async () => {
    const { path, json } = await open();
    const { parts } = await read(path);
    assert.deepEqual(cut(await wp.call("auth", "GET", `/guarded${path}`)), [403, "rest_forbidden"]);
    assert.deepEqual(cut(await write(path, parts, json, "auth")), [403, "rest_forbidden"]);
    assert.deepEqual((await read(path)).parts, parts);
  });
}

test("what visitors see is left alone though its parts are as expected", async () => {
  const id = await wp.published("posts");
  const path = `/seo/meta/${id}`;
  const { parts } = await read(path);
  assert.deepEqual(cut(await write(path, parts, { title: "Mine" })), [409, "site_ops_published"]);
  assert.equal(after(await write(path, parts, { title: "Mine", allow_published: true }))["title"], "Mine");
});

test("a switch of Rank Math's robots is turned in the robots in effect, guarded too", async () => {
  await wp.peek({ options: { "rank-math-options-titles": { robots_global: ["noindex", "nofollow"] } } });
  try {
    const id = await wp.draft("ed", {});
    const path = `/seo/meta/${id}`;
    const { parts, state } = await read(path);
    assert.equal((state["robots"] as Json)["noindex"], true);
    const now = after(await write(path, parts, { robots: { noarchive: true } }))["robots"] as Json;
    assert.deepEqual([now["noindex"], now["nofollow"], now["noarchive"]], [true, true, true]);
    assert.deepEqual((await wp.peek({ id })).meta["rank_math_robots"], ["noindex", "nofollow", "noarchive"]);
  } finally {
    await wp.peek({ options: { "rank-math-options-titles": {} } });
  }
});

test("a page is made at the place that was looked at: a slug taken meanwhile is told", async () => {
  const slug = `place-${crypto.randomUUID()}`;
  const path = `/code-pages?slug=${slug}`;
  const code = { title: "Code", slug, scope_class: "so-0123456789", html: "<p>x</p>", css: "p{}" };
  const { parts, state } = await read(path, "ed");
  assert.equal(state["taken"], null);
  const [one, two] = await Promise.all([write(path, parts, code, "ed"), write(path, parts, code, "ed")]);
  const done = [one, two].filter(({ status }) => status === 200);
  assert.deepEqual([done.length, cut([one, two].find(({ status }) => status !== 200)!)], [1, STALE]);
  const stored = after(done[0]!);
  assert.deepEqual(
    [stored["slug"], stored["status"], stored["html"], stored["css"]],
    [slug, "draft", "<p>x</p>", "p{}"],
  );
  const taken = (await read(path, "ed")).state["taken"] as Json;
  assert.equal(taken["id"], stored["id"]);
  assert.deepEqual(
    cut(await wp.call("ed", "GET", `${path.replace("/code", "/guarded/code")}&parent=99999`)),
    [400, "rest_invalid_param"],
  );
});

test("a new page is cloned from the template that was looked at", async () => {
  const path = `/builder/pages?template_id=${template}`;
  const json = { template_id: template, title: "Clone", variables: { NAME: "Ann" } };
  const { parts, state } = await read(path, "ed");
  assert.deepEqual((state["template"] as Json)["placeholders"], ["NAME"]);
  await meta(template, { _elementor_page_settings: { color: "changed" } });
  assert.deepEqual(differ(await write(path, parts, json, "ed")), ["builder_template_id"]);
  const made = after(await write(path, (await read(path, "ed")).parts, json, "ed"));
  assert.deepEqual([made["title"], made["elements"], made["status"]], ["Clone", 1, "draft"]);
});

test("the redirects that follow on a destination are told in their order", async () => {
  const mark = crypto.randomUUID();
  const set = (source: string, destination: string) =>
    wp.call("admin", "POST", "/seo/redirects", { source: `/${source}-${mark}`, destination });
  await set("b", `/c-${mark}`);
  await set("c", "https://example.test/");
  const { state } = await read(`/seo/redirects?source=/a-${mark}&destination=/b-${mark}`);
  assert.deepEqual((state["follow"] as Json[]).map((row) => row["source"]), [`/b-${mark}`, `/c-${mark}`]);
});
