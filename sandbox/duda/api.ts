/** The partner API's routes, as far as posts, pages and sections go, and what they refuse with. */
import { Hono } from "hono";
import type { z } from "zod";
import { broke, json } from "../core/answers.ts";
import { addPage, addPost, type DudaState, type Page, type Post, publishDue, type Site } from "./state.ts";
import { pageView, postView, siteView, TAKES } from "./views.ts";

/** What every path of the API begins with. */
export const API_BASE = "/api";
const LIMIT_MAX = 100;

class Refusal extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** A refusal as the API words it. */
export const refusal = (status: number, error_code: string, message: string): Response =>
  json({ error_code, message }, status);

const missing = (what: string, id: string) =>
  new Refusal(400, "ResourceNotExist", `${what} with id ${id} doesn't exist`);

function checkCaller({ api_user, api_password }: DudaState, request: Request): void {
  const basic = `Basic ${new TextEncoder().encode(`${api_user}:${api_password}`).toBase64()}`;
  if (request.headers.get("authorization") !== basic) {
    throw new Refusal(401, "Unauthorized", "Bad credentials");
  }
  if (!request.headers.get("user-agent")) throw new Refusal(403, "Forbidden", "A User-Agent is required");
}

async function read<S extends z.ZodType>(request: Request, schema: S): Promise<z.infer<S>> {
  const body = await request.json().catch(() => undefined);
  const found = schema.safeParse(body);
  if (found.success) return found.data;
  const { path, message } = found.error.issues[0]!;
  throw new Refusal(400, "InvalidInput", `${path.join(".") || "body"}: ${message}`);
}

const given = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What the routes of one API share: how it answers a write, and finding what a path names. */
function common(state: DudaState) {
  const answer = (record: object, status = 200) =>
    state.switches.answers === "body" ? json(record, status) : new Response(null, { status: 204 });
  const siteOf = (alias: string): Site => {
    const site = state.sites.get(alias);
    if (!site) throw new Refusal(400, "ResourceNotExist", `Site with alias ${alias} doesn't exist`);
    publishDue(state, site);
    return site;
  };
  const pageOf = (alias: string, uuid: string): Page => {
    const page = siteOf(alias).pages.get(uuid);
    if (!page) throw missing("Page", uuid);
    return page;
  };
  const postOf = (alias: string, id: string): Post => {
    const post = siteOf(alias).posts.get(id);
    if (!post) throw missing("Post", id);
    return post;
  };
  return { answer, siteOf, pageOf, postOf };
}

type Common = ReturnType<typeof common>;

const at = "/sites/multiscreen/:site";

/** The API over a state. */
export function dudaApi(state: DudaState): Hono {
  const app = new Hono().basePath(API_BASE);
  const shared = common(state);
  app.use(async (c, next) => {
    checkCaller(state, c.req.raw);
    await next();
  });

  app.get("/sections/:id", (c) => {
    const section = state.sections.get(c.req.param("id"));
    if (!section) throw missing("Section", c.req.param("id"));
    return json({ ...section, category: "other", visiblity: "TEAM", editor: "ADVANCED-2.0" });
  });
  app.get(at, (c) => json(siteView(shared.siteOf(c.req.param("site")))));
  pageRoutes(app, state, shared);
  elementRoutes(app, state, shared);
  postRoutes(app, state, shared);
  app.notFound((c) => refusal(404, "NotFound", `No such resource: ${c.req.path}`));
  app.onError((thrown) => {
    if (thrown instanceof Refusal) return refusal(thrown.status, thrown.code, thrown.message);
    return refusal(500, "InternalError", broke(thrown));
  });
  return app;
}

function pageRoutes(app: Hono, { switches }: DudaState, { answer, siteOf, pageOf }: Common): void {
  app.get(`${at}/pages`, (c) => {
    const results = [...siteOf(c.req.param("site")).pages.values()].map(pageView);
    return json(switches.lists_bare ? results : { results });
  });
  app.get(`${at}/pages/:page`, (c) => json(pageView(pageOf(c.req.param("site"), c.req.param("page")))));
  app.post(`${at}/pages`, async (c) => {
    const { page } = await read(c.req.raw, TAKES.create_page);
    return answer(pageView(addPage(siteOf(c.req.param("site")), given(page) as Page)), 201);
  });
  app.put(`${at}/pages/:page`, async (c) => {
    const page = pageOf(c.req.param("site"), c.req.param("page"));
    const fields = await read(c.req.raw, TAKES.change_page);
    if (fields.draft_status === "PUBLISHED" && !switches.publishes_pages) {
      throw new Refusal(400, "InvalidInput", "draft_status: PUBLISHED is not one of DRAFT, STAGED_DRAFT");
    }
    Object.assign(page, given(fields));
    return answer(pageView(page));
  });
  app.post(`${at}/pages/:page/duplicate`, async (c) => {
    const site = siteOf(c.req.param("site"));
    const from = pageOf(site.alias, c.req.param("page"));
    const fields = given(await read(c.req.raw, TAKES.duplicate_page));
    const { title, path, seo, header_html } = from;
    const elements = from.elements.map((one) => ({ ...one, element_id: crypto.randomUUID() }));
    const copy = {
      title: `Copy of ${title}`,
      path: `copy-of-${path}`,
      seo: { ...seo },
      header_html,
      elements,
    };
    return answer(pageView(addPage(site, { ...copy, ...fields })));
  });
}

function elementRoutes(app: Hono, state: DudaState, { pageOf }: Common): void {
  app.get(`${at}/pages/:page/elements`, (c) => {
    const { elements } = pageOf(c.req.param("site"), c.req.param("page"));
    return json({ results: elements.map((one) => ({ type: "SECTION", next_sibling_id: null, ...one })) });
  });
  app.post(`${at}/pages/:page/elements`, async (c) => {
    const { elements } = pageOf(c.req.param("site"), c.req.param("page"));
    const { element_source_id } = await read(c.req.raw, TAKES.add_element);
    if (!state.sections.has(element_source_id)) throw missing("Section", element_source_id);
    const element = { element_id: crypto.randomUUID(), element_source_id };
    elements.push(element);
    return json({ type: "SECTION", next_sibling_id: null, ...element });
  });
}

function requireBlog({ switches }: DudaState, alias: string): void {
  if (!switches.has_blog) throw missing("Blog of the site", alias);
}

function postRoutes(app: Hono, state: DudaState, { answer, siteOf, postOf }: Common): void {
  app.get(`${at}/blog/posts`, (c) => {
    requireBlog(state, siteOf(c.req.param("site")).alias);
    const asked = Number(c.req.query("limit") ?? 10);
    if (asked > state.switches.posts_max) throw new Refusal(400, "InvalidInput", "limit is too large");
    const limit = Math.min(LIMIT_MAX, asked);
    const offset = Number(c.req.query("offset") ?? 0);
    if (!(limit >= 1) || !(offset >= 0)) throw new Refusal(400, "InvalidInput", "limit or offset");
    const all = [...siteOf(c.req.param("site")).posts.values()].toReversed();
    const results = all.slice(offset, offset + limit).map(postView);
    return json({ limit, offset, results, total_responses: all.length });
  });
  app.post(`${at}/blog/posts/import`, async (c) => {
    requireBlog(state, siteOf(c.req.param("site")).alias);
    const { author = null, ...fields } = await read(c.req.raw, TAKES.import_post);
    const { id } = addPost(state, siteOf(c.req.param("site")), { ...fields, author_name: author });
    return answer({ id });
  });
  app.get(`${at}/blog/posts/:post`, (c) => json(postView(postOf(c.req.param("site"), c.req.param("post")))));
  app.patch(`${at}/blog/posts/:post`, async (c) => {
    const post = postOf(c.req.param("site"), c.req.param("post"));
    const { schedule_publish_date: date, ...fields } = await read(c.req.raw, TAKES.change_post);
    Object.assign(post, given(fields));
    if (date !== undefined && (date !== null || state.switches.clears_dates)) {
      post.schedule_publish_date = date;
    }
    return json(postView(post));
  });
  app.post(`${at}/blog/posts/:post/publish`, (c) => {
    const post = postOf(c.req.param("site"), c.req.param("post"));
    Object.assign(post, { status: "PUBLISHED", publish_date: state.now(), schedule_publish_date: null });
    return new Response(null, { status: 204 });
  });
  app.post(`${at}/blog/posts/:post/unpublish`, (c) => {
    const post = postOf(c.req.param("site"), c.req.param("post"));
    Object.assign(post, { status: "DRAFT", publish_date: null, schedule_publish_date: null });
    return new Response(null, { status: 204 });
  });
}
