/** The guarded twins of the companion plugin's routes for pages on the stand-in. */
import type { Hono } from "hono";
import { fault, needs } from "./companion.ts";
import { type CompanionGuarded, hashes } from "./companion_guarded.ts";
import {
  CLONE,
  clone,
  CODE,
  type CompanionPages,
  createCode,
  DRAFT,
  find,
  ID,
  MODE,
  readCode,
  SCOPE,
  updateCode,
  view,
} from "./companion_pages.ts";
import { nothing } from "./companion_seo.ts";
import { addTwins, rowsTwin, type StoredRows, type Twin } from "./companion_twins.ts";
import { wallTime } from "./dates.ts";
import type { ParamRules } from "./params.ts";
import type { Ask, RestEnv } from "./rest.ts";
import type { Post, State } from "./state.ts";

/** Installs them beside the plugin's own routes for pages, and those of its guarded write. */
export function addGuardedPages(app: Hono<RestEnv>, plugin: CompanionPages, guarded: CompanionGuarded): void {
  addTwins(app, twins(plugin, guarded));
}

const taken = ({ state, params: { slug, parent = 0 } }: Ask) =>
  [...state.posts.values()].find((post) =>
    post.type === "page" && post.status !== "trash" && post.slug === slug && post.parent === parent
  );

function twins(plugin: CompanionPages, guarded: CompanionGuarded): Twin[] {
  const stored = (ask: Ask, { id }: Record<string, unknown>) =>
    readCode({ ...ask, params: { id } }).body as Record<string, unknown>;
  const place = (ask: Ask) => {
    needs(ask, "edit_pages");
    const { id, title } = taken(ask) ?? {};
    return { taken: id === undefined ? null : { id, title } };
  };
  const whole = ({ state, params: { id } }: Ask) => {
    const { modified: _, meta, ...post } = state.posts.get(id as number)!;
    const { _site_ops_css: css, _site_ops_js: js, [SCOPE]: scope, [MODE]: mode, _elementor_data: data } =
      meta;
    return { ...post, date_gmt: post.date, css, js, scope, builder: [mode, data] };
  };
  const code: Pick<Twin, "asks" | "takes"> = { asks: ID, takes: { ...ID, ...CODE, title: DRAFT["title"]! } };
  const asks: ParamRules = { ...DRAFT, template_id: { type: "integer", required: true } };
  const template = (ask: Ask) => ({ builder_template_id: find(plugin, ask.params["template_id"]).data });
  const clones = {
    state: (ask: Ask) => ({ ...place(ask), template: view(find(plugin, ask.params["template_id"])) }),
    write: (ask: Ask) => clone(plugin, ask),
    after: (_: Ask, written: Record<string, unknown>) => written,
  };
  return [
    {
      path: "code-pages/:id",
      ...code,
      state: (ask) => ({ ...stored(ask, ask.params), stored: codeRows(ask) }),
      parts: whole,
      write: updateCode,
    },
    codeTwin(stored),
    {
      path: "code-pages",
      asks: DRAFT,
      takes: { ...DRAFT, ...CODE, scope_class: { type: "string", required: true } },
      state: place,
      parts: (ask) => ({ slug: taken(ask)?.id }),
      write: createCode,
      after: stored,
    },
    {
      path: "builder/pages",
      asks,
      takes: CLONE,
      ...clones,
      parts: (ask) => ({ slug: taken(ask)?.id, ...template(ask) }),
    },
    {
      path: "builder/pages/:id",
      asks: { ...ID, ...asks },
      takes: { ...ID, ...CLONE },
      ...clones,
      parts: template,
      hashed: ({ state, params }) => hashes(guarded, pageOf(state, params["id"] as number)),
    },
  ];
}

function codeRows({ state, params }: Ask): StoredRows {
  const { title, content, template, meta } = state.posts.get(params["id"] as number)!;
  const { _site_ops_css: css, _site_ops_js: js } = meta;
  const row = (of: string, text: unknown) =>
    [of, { of, values: text === undefined ? [] : [String(text)] }] as const;
  const rows = [
    row("title", title),
    row("html", content),
    row("css", css),
    row("js", js),
    row("template", template === "" ? undefined : template),
  ];
  return { plugin: "none", rows: Object.fromEntries(rows) };
}

/** The route that sets parts of a page from code back. */
function codeTwin(stored: (ask: Ask, page: Record<string, unknown>) => Record<string, unknown>): Twin {
  return rowsTwin("code-pages", {
    stored: (ask) => {
      stored(ask, ask.params); // refuses who may not see it
      return codeRows(ask);
    },
    post: ({ state, params }) => {
      const { id, type, status, title, date } = state.posts.get(params["id"] as number)!;
      const date_gmt = status === "future" ? wallTime(date.at, "UTC") : null;
      const post = { post_id: id, post_type: type, post_status: status, post_title: title, date_gmt };
      return { ...nothing(), ...post, provider: "none" };
    },
    put: ({ state, params }, rows) => {
      const post = state.posts.get(params["id"] as number)!;
      for (const [name, [text]] of Object.entries(rows)) {
        if (name === "title") post.title = text!;
        else if (name === "html") post.content = text!;
        else if (name === "template") post.template = text ?? "";
        else if (text === undefined) delete post.meta[`_site_ops_${name}`];
        else post.meta[`_site_ops_${name}`] = text;
      }
      post.modified = state.now();
    },
    live: false,
  });
}

function pageOf({ posts }: State, id: number): Post {
  const post = posts.get(id);
  if (post === undefined) throw fault("post_not_found", 404, `There is no page ${id}, or it is in the trash`);
  return post;
}
