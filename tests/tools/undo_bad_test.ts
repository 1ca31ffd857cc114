/** undo_change of what does not go back, on every tool of a CMS: each refusal says why, and sends nothing that writes. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import { type Args, PNG, type Preview } from "../cms_kit.ts";
import { type Ground, ground, type GroundOptions } from "./_ground.ts";
import { GLOBAL } from "./_schema.ts";
import { LIVE } from "./_write_cases.ts";

interface Done {
  readonly request_id: string;
  readonly undone?: readonly string[];
  readonly left_out?: readonly { readonly request_id: string; readonly code: string }[];
}

const COMPANION_GONE = {
  kind: "answer",
  status: 404,
  body: { code: "rest_no_route", message: "No route was found", data: { status: 404 } },
} as const;

const call = (at: Ground, tool: string, args: Args, as?: string) =>
  at.gw.call<Done & { id: number; entry_id: string }>(tool, { site_id: "cms", ...args, confirm: true }, {
    as,
  });

async function refused(
  at: Ground,
  request_id: string,
  codes: string,
  says: RegExp,
  as?: string,
): Promise<void> {
  const [writes, everything] = [at.writes(), await at.everything()];
  const ending = await at.gw.end("undo_change", { site_id: "cms", request_id, confirm: true }, { as });
  assert.ok("code" in ending, JSON.stringify(ending));
  assert.ok(codes.split(" ").includes(ending.code), `${ending.code}: ${ending.message}`);
  assert.match(ending.message, says);
  assert.deepEqual([at.writes(), await at.everything()], [writes, everything], "nothing was written");
}

/** A change by one tool, and how a person changes the same thing, and something beside it. */
interface Case {
  readonly tool: string;
  readonly args: Args;
  drift(): unknown;
  beside(): unknown;
  /** Whether the companion plugin sets it back. */
  readonly companion?: true;
}

async function cases(at: Ground): Promise<readonly Case[]> {
  const [draft, meta] = [at.post(), at.post()];
  const page = at.post({ type: "page" });
  const live = at.post({ status: "publish", slug: "live", date: LIVE });
  const { id: code } = await call(at, "create_page_from_code", {
    title: "T",
    slug: "code",
    html: "<p>Old</p>",
  });
  const coded = at.cms.state.posts.get(code)!;
  const schema = { "@context": "https://schema.org", "@type": "Article", name: "Old" };
  const { entry_id } = await call(at, "set_seo_schema", { post_id: meta.id, schema });
  await call(at, "set_seo_redirect", { source: "/old", destination: "/a" });
  await call(at, "set_seo_meta", { post_id: meta.id, title: "Old" });
  const entry = GLOBAL[0]!.id;
  const set = (post: Post, change: Partial<Post>) => () => Object.assign(post, change);
  return [
    {
      tool: "update_draft",
      args: { post_id: draft.id, title: "N" },
      drift: set(draft, { title: "X" }),
      beside: set(draft, { excerpt: "X" }),
    },
    {
      tool: "update_page_draft",
      args: { page_id: page.id, title: "N" },
      drift: set(page, { title: "X" }),
      beside: set(page, { content: "X" }),
    },
    {
      tool: "revise_published",
      args: { post_id: live.id, title: "N" },
      drift: set(live, { title: "X" }),
      beside: set(live, { excerpt: "X" }),
    },
    {
      tool: "update_page_from_code",
      args: { page_id: code, css: "p { order: 1 }" },
      drift: () => coded.meta["_site_ops_css"] = "x",
      beside: set(coded, { title: "X" }),
      companion: true,
    },
    {
      tool: "set_seo_meta",
      args: { post_id: meta.id, title: "N" },
      drift: () => at.seo.fields.get(meta.id)!.title = "X",
      beside: () => at.seo.fields.get(meta.id)!.description = "X",
      companion: true,
    },
    {
      tool: "set_seo_schema",
      args: { post_id: meta.id, entry_id, schema: { ...schema, name: "N" } },
      drift: () => at.seo.schemas.get(meta.id)![0]!.schema = { ...schema, name: "X" },
      beside: set(meta, { title: "X" }),
      companion: true,
    },
    {
      tool: "set_seo_redirect",
      args: { source: "/old", destination: "/b" },
      drift: () => at.seo.redirects[0]!.destination = "/x",
      beside: () => at.seo.redirects.push({ id: 9, source: "/other", destination: "/x", status: 301 }),
      companion: true,
    },
    {
      tool: "set_custom_schema",
      args: { id: entry, value: '{"@type":"Organization","name":"N"}' },
      drift: () => at.schema.entries.get(entry)!.value = '{"@type":"Organization","name":"X"}',
      beside: () => at.schema.entries.get(entry)!.title = "X",
      companion: true,
    },
  ];
}

const client = { super_admin: false, owner_user_id: null } as const;
const opened = (options: GroundOptions = {}) =>
  ground({ tokens: { ann: client, bob: client, admin: { super_admin: true } }, ...options });

Deno.test("by whatever tool: what somebody changed since stays, another's, a lesser token's and an unreachable change too, and something beside it keeps nobody", async (t) => {
  await using at = await opened();
  const ann = (await at.gw.store.tokens.list()).find(({ name }) => name === "ann")!.id;
  for (const { tool, args, drift, beside, companion } of await cases(at)) {
    await t.step(tool, async () => {
      const { request_id } = await call(at, tool, args, "ann");
      const set = (change: Args) => at.gw.store.tokens.update(ann, change);
      await refused(at, request_id, "E_NOT_FOUND", /nothing is kept/, "bob");
      await set({ allowed_tools: ["undo_change"] });
      await refused(at, request_id, "E_SCOPE_DENIED", new RegExp(tool), "ann");
      await set({ allowed_tools: ["*"], max_risk: 0 });
      await refused(at, request_id, "E_SCOPE_DENIED", /max_risk/, "ann");
      await set({ max_risk: 3 });
      if (companion) {
        const required = "E_SEOPLUGIN_PLUGIN_REQUIRED E_COMPANION_REQUIRED E_SCHEMA_BRIDGE_REQUIRED";
        // An older one has not this route, one that is switched off has none.
        for (const times of [1, 9]) {
          at.cms.inject(COMPANION_GONE, { path: "/site-ops/v1/", times });
          await refused(at, request_id, required, /companion plugin/, "ann");
          at.cms.clearFaults();
          at.gw.clock.now += 3_600_000; // that there is no such route is remembered for a while
        }
      }
      const { people } = at.cms.state;
      const admin = people.findIndex(({ role }) => role === "administrator");
      const was = people[admin]!;
      people[admin] = { ...was, role: "subscriber" };
      await refused(at, request_id, "E_UPSTREAM E_FORBIDDEN_OP", /may not|403|right|permission/i, "ann");
      people[admin] = was;
      at.gw.clock.now += 3_600_000;
      beside();
      const done = await call(at, "undo_change", { request_id }, "ann");
      assert.deepEqual(done.undone, [request_id]);
      drift();
      await refused(at, done.request_id, "E_STALE_PREVIEW", /changed since/, "ann");
    });
  }
});

Deno.test("twice at once a change goes back once, without any token between them", async () => {
  await using at = await opened();
  for (const { tool, args } of await cases(at)) {
    const { request_id } = await call(at, tool, args);
    const all = await Promise.all(
      [1, 2, 3].map(() => at.gw.end("undo_change", { site_id: "cms", request_id, confirm: true })),
    );
    const done = all.filter((one) => "value" in one);
    assert.equal(done.length, 1, `${tool}: ${JSON.stringify(all)}`);
    for (const one of all) assert.ok("value" in one || one.code === "E_STALE_PREVIEW", JSON.stringify(one));
    await refused(at, request_id, "E_STALE_PREVIEW", /was taken back already/);
  }
});

Deno.test("a publication, a schedule, what unschedules, and whatever is new: nothing of it is kept, and each preview says why", async () => {
  await using at = await opened();
  const scheduled_at = new Date(at.gw.clock.now + 86_400_000).toISOString();
  const post = at.post();
  const page = at.post({ type: "page" });
  const calls: readonly (readonly [tool: string, args: Args, why: RegExp])[] = [
    ["schedule_draft", { post_id: post.id, scheduled_at }, /schedules and states are never taken back/],
    ["unschedule", { post_id: post.id }, /never taken back/],
    ["publish_post", { post_id: post.id }, /Publications/],
    ["schedule_page", { page_id: page.id, scheduled_at }, /never taken back/],
    ["publish_page", { page_id: page.id }, /Publications/],
    ["create_draft", { title: "T", content_html: "x" }, /made new stays/],
    ["create_page_draft", { title: "T", page_builder: "block" }, /made new stays/],
    ["create_page_from_code", { title: "T", slug: "t", html: "x" }, /made new stays/],
    ["create_taxonomy", { taxonomy: "tag", name: "Fresh" }, /made new stays/],
    ["upload_media", { filename: "a.png", content_base64: PNG }, /made new stays/],
    ["set_seo_redirect", { source: "/new", destination: "/a" }, /not taken away/],
    ["set_seo_schema", { post_id: page.id, schema: { "@type": "Article" } }, /not taken away/],
  ];
  for (const [tool, args, why] of calls) {
    const preview = await at.gw.call<Preview & Args>(tool, { site_id: "cms", ...args });
    assert.deepEqual([tool, preview["undoable"]], [tool, false]);
    assert.match(String(preview["undoable_reason"]), why, tool);
    const { request_id } = await call(at, tool, args);
    await refused(at, request_id, "E_FORBIDDEN_OP", why);
  }
});

Deno.test("where the site's address changed nothing is set back there, nor where it came to be", async () => {
  await using at = await opened();
  const made = [];
  for (const { tool, args } of await cases(at)) made.push((await call(at, tool, args)).request_id);
  const { base_url, ...site } = (await at.gw.store.sites.get("cms"))!;
  void site;
  await at.gw.store.sites.update("cms", { base_url: `${base_url}/moved` });
  for (const request_id of made) {
    await refused(at, request_id, "E_STALE_PREVIEW", /its settings have changed since/);
  }
});

Deno.test("what is larger than is kept is written, and said not to be kept; a byte less goes back", async () => {
  await using at = await opened({ guarded: false }); // the stand-in tells a guarded text twice
  for (
    const [bytes, undoable] of [[LIMITS.BEFORE_IMAGE_BYTES - 2048, true], [
      LIMITS.BEFORE_IMAGE_BYTES + 1,
      false,
    ]] as const
  ) {
    const post = at.post({ content: "x".repeat(bytes) });
    const args = { post_id: post.id, content_html: "<p>New</p>" };
    const preview = await at.gw.call<Args>("update_draft", { site_id: "cms", ...args });
    assert.equal(preview["undoable"], undoable);
    if (!undoable) assert.match(String(preview["undoable_reason"]), /over 4 MiB/);
    const { request_id } = await call(at, "update_draft", args);
    assert.equal(post.content, "<p>New</p>");
    if (undoable) {
      await call(at, "undo_change", { request_id });
      assert.equal(post.content.length, bytes);
    } else await refused(at, request_id, "E_FORBIDDEN_OP", /over 4 MiB/);
  }
});

Deno.test("of a list whose tenth drifted all others go back, and the tenth is named", async () => {
  await using at = await opened();
  const posts = Array.from({ length: 12 }, (_, n) => at.post({ title: `Old ${n}` }));
  const request_ids: string[] = [];
  for (const { id } of posts) {
    const fields = { title: "New", excerpt: "" };
    request_ids.push((await call(at, "update_draft", { post_id: id, ...fields })).request_id);
  }
  posts[9]!.title = "A person's";
  const preview = await at.gw.call<Preview>("undo_change", { site_id: "cms", request_ids });
  assert.match(preview.warnings.join(), new RegExp(`${request_ids[9]} is left out: .*"title" changed since`));
  const done = await call(at, "undo_change", { request_ids, confirm_token: preview.confirm_token });
  assert.deepEqual(done.left_out?.map(({ request_id, code }) => [request_id, code]), [[
    request_ids[9],
    "E_STALE_PREVIEW",
  ]]);
  assert.deepEqual(
    posts.map(({ title, excerpt }) => [title, excerpt]),
    posts.map((_, n) => n === 9 ? ["A person's", ""] : [`Old ${n}`, "Short"]),
  );
});

Deno.test("what is kept costs no request: a preview asks the site once, whatever it keeps", async () => {
  await using at = await opened();
  for (const { tool, args } of await cases(at)) {
    const before = at.gw.requests.length;
    const preview = await at.gw.call<Args>(tool, { site_id: "cms", ...args });
    assert.equal(preview["undoable"], true, tool);
    const asked = at.gw.requests.slice(before).map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    const own = asked.filter((one) => one.includes("/wp-json/")); // a redirect's ends are looked at as visitors do
    assert.equal(own.length, 1, `${tool}: ${asked.join(", ")}`);
    const { request_id } = await call(at, tool, args);
    const again = at.gw.requests.length;
    await at.gw.call("undo_change", { site_id: "cms", request_id });
    const looked = at.gw.requests.slice(again).filter(({ url }) => url.includes("/wp-json/"));
    assert.equal(looked.length, 1, `the undo of ${tool} asks once`);
  }
});
