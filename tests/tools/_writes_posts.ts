/** Writes of posts and pages, and of what belongs to them. */
import { freshPng } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { TEXTS as VARIABLES } from "./_pages.ts";
import {
  besideAll,
  besidePost,
  type Edit,
  edit,
  LIVE,
  page,
  pending,
  post,
  published,
  SEEN,
  SOON,
  tags,
  termOf,
  text,
  title,
  type Write,
} from "./_write_cases.ts";

const IN_AN_HOUR = new Date(NOW + 3_600_000).toISOString();

/** What visitors see, and what somebody makes a draft of again. */
const PUBLIC = { status: "publish", date: LIVE } as const;
const taken = edit("", (one) => one.status = "draft", { code: "E_FORBIDDEN_OP" });

/** Posts, their images and terms. */
export const POSTS: readonly Write[] = [
  {
    tool: "create_draft",
    args: (_, n) => ({ title: `Made ${n}`, content_html: "<p>x</p>", tags: [`Tag ${n}`] }),
    edits: [{ part: "tags", act: (at, _, n) => termOf(at, `Tag ${n}`) }],
    beside: besideAll,
    writes: 2,
  },
  {
    tool: "update_draft",
    args: (at, n) => {
      termOf(at, "News");
      return { post_id: post(at), title: `Changed ${n}`, content_html: "<p>Mine</p>", tags: ["News"] };
    },
    edits: [title, text, tags, pending, published],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "schedule_draft",
    args: (at) => ({ post_id: post(at), scheduled_at: IN_AN_HOUR }),
    edits: [...SEEN, tags],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "unschedule",
    args: (at) => ({ post_id: post(at, SOON) }),
    edits: [
      edit("scheduled_at", (one) => one.date = { at: NOW + 9_000_000, floating: false }),
      edit("", (one) => one.status = "draft", { code: "E_FORBIDDEN_OP" }),
      published,
    ],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "publish_post",
    args: (at) => ({ post_id: post(at) }),
    edits: [...SEEN, tags],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "revise_published",
    args: (at, n) => {
      termOf(at, "News");
      return {
        post_id: post(at, PUBLIC),
        title: `Changed ${n}`,
        content_html: "<p>Mine</p>",
        tags: ["News"],
      };
    },
    edits: [title, text, tags, taken],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "upload_media",
    args: (_, n) => ({ filename: `a-${n}.png`, content_base64: freshPng(`${n}`), alt_text: "A dot" }),
    edits: [],
    beside: besideAll,
    writes: 2,
  },
  {
    tool: "create_taxonomy",
    args: (_, n) => ({ taxonomy: "category", name: `Kind ${n}` }),
    edits: [{ part: "id", act: (at, _, n) => termOf(at, `Kind ${n}`, "category") }],
    beside: besideAll,
  },
];

const template: Edit = {
  part: "builder_template_id",
  act: (at, _, n) => {
    const one = at.pages.templates.get(900)!;
    one.data = one.data.replace(/<p>[^{]*/, `<p>By a person ${n} `);
    one.modified += 1000;
  },
};
const CLONE = { page_builder: "visual", builder_template_id: 900, variables: VARIABLES };

/** Pages, those of templates and of code included. */
export const PAGES: readonly Write[] = [
  {
    tool: "create_page_draft",
    args: (_, n) => ({ title: `Page ${n}`, page_builder: "block", content_html: "<p>x</p>" }),
    edits: [],
    beside: besideAll,
  },
  {
    tool: "create_page_draft",
    of: "a template",
    args: (_, n) => ({ title: `Page ${n}`, ...CLONE }),
    edits: [template],
    beside: besideAll,
    compares: true,
  },
  {
    tool: "update_page_draft",
    args: (at, n) => ({ page_id: page(at), title: `Changed ${n}`, content_html: "<p>Mine</p>" }),
    edits: [title, text, pending, published],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "update_page_draft",
    of: "a template",
    args: (at, n) => ({ page_id: page(at), title: `Changed ${n}`, ...CLONE }),
    edits: [title, text, pending, published, template],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "schedule_page",
    args: (at) => ({ page_id: page(at), scheduled_at: IN_AN_HOUR }),
    edits: SEEN,
    beside: besidePost,
    compares: true,
  },
  {
    tool: "publish_page",
    args: (at) => ({ page_id: page(at) }),
    edits: SEEN,
    beside: besidePost,
    compares: true,
  },
  {
    tool: "revise_published",
    of: "a page",
    args: (at) => ({ page_id: page(at, PUBLIC), replacements: [{ find: "Old", replace: "New" }] }),
    edits: [
      edit("content_html", (one) => one.content = "<p>Old, by a person</p>"),
      edit("replacements", (one) => one.content = "<p>By a person</p>", {
        code: "E_BAD_INPUT",
        late: "content_html",
      }),
      taken,
    ],
    beside: besidePost,
    compares: true,
  },
  {
    tool: "create_page_from_code",
    args: (_, n) => ({ title: `Code ${n}`, html: "<p>x</p>", css: "a{b:c}" }),
    edits: [],
    beside: besideAll,
  },
  {
    tool: "update_page_from_code",
    args: (at, n) => {
      const meta = { _site_ops_scope: "so-0123456789", _site_ops_css: "", _site_ops_js: "" };
      const content = '<!-- wp:html -->\n<div class="so-0123456789">\n<p>Old</p>\n</div>\n<!-- /wp:html -->';
      return {
        page_id: page(at, { content, meta }),
        title: `Changed ${n}`,
        html: "<p>Mine</p>",
        css: "a{b:c}",
      };
    },
    edits: [
      title,
      pending,
      published,
      edit("html", (one) => one.content = one.content.replace("Old", "By a person")),
      edit("css", (one) => one.meta["_site_ops_css"] = ".so-0123456789 p{c:d}"),
    ],
    beside: besidePost,
    compares: true,
  },
];
