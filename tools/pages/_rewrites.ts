/** Texts that hold what was found, read whole by the tool that changes each, and the call that changes several of them at once. */
import { type Id, numericId } from "../../core/ids.ts";
import { textIn } from "../../core/bytes.ts";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { codePages, seo } from "../../platforms/wordpress/connector.ts";
import { CODE_APART } from "../../platforms/_content/page.ts";
import { holds } from "../../platforms/_content/holds.ts";
import { liveContent } from "../../platforms/_content/live_content.ts";
import { pages } from "../../platforms/_content/pages.ts";
import { posts, typedPosts } from "../../platforms/_content/posts.ts";
import type { View } from "../../platforms/github/client.ts";
import { partsOfSource } from "../../platforms/astro/page.ts";
import type { ToolContext } from "../../registry/tool.ts";
import { exactly, type Rewritten } from "../../rules/finding/rewriting.ts";
import type { Form } from "../../rules/finding/unread.ts";
import {
  CHANGE_ELEMENTS,
  formOf as formOfSetting,
  isNaming,
  operationsOf,
  settingsOf,
  textIn as textOfSetting,
} from "./_builder_texts.ts";

/** A text as it is stored; null where the site does not tell it. */
export interface StoredText {
  readonly text: string | null;
  readonly form: Form;
  /** Why nothing changes it here, beginning in lower case. */
  readonly stays?: string;
}

/** A thing with its texts, by the names of the places that are found in it. */
export interface Thing {
  readonly texts: Readonly<Record<string, StoredText>>;
  /** What the call names beside the texts. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** A text of a thing with its edits. */
export interface Changed {
  readonly field: string;
  readonly text: string;
  readonly rewritten: Rewritten;
}

/** What was found of a thing. */
export interface Places {
  readonly branch: Branch;
  /** Where of it, in the words of a visual builder. */
  readonly within: readonly (string | undefined)[];
}

/** Where files are read and written. */
export interface Branch {
  readonly target: "preview" | "main";
  /** Its files, asked for once. */
  view(): Promise<View>;
}

type Args = Readonly<Record<string, unknown>>;
type Using = Pick<ToolContext, "use" | "can" | "calls" | "site">;
type Reader = (ctx: Using, of: Args, places: Places) => Promise<Thing>;

const words = (text: string | null): StoredText => ({ text, form: "words" });
const html = (text: string | null): StoredText => ({ text, form: "html" });

/** What reads a thing whole, by the tool that changes it. */
export const READERS: Readonly<Record<string, Reader>> = {
  async revise_published(ctx, { post_id, page_id, type }) {
    const client = await ctx.use(liveContent);
    const named = post_id === undefined ? ["page", page_id] as const : [type ?? "post", post_id] as const;
    const { title, content_html, excerpt } = await client.get(named[0] as string, named[1] as Id);
    return { texts: { title: words(title), content_html: html(content_html), excerpt: html(excerpt) } };
  },
  async update_draft(ctx, { post_id, type }) {
    const client = await ctx.use(type === undefined ? posts : typedPosts);
    const { title, content_html, excerpt } = await client.getDraft(post_id as Id, type as string);
    return { texts: { title: words(title), content_html: html(content_html), excerpt: html(excerpt) } };
  },
  async update_page_draft(ctx, { page_id }) {
    const { title, content_html, from_code } = await (await ctx.use(pages)).readDraft(page_id as Id);
    const text = html(content_html);
    const stays = from_code ? CODE_APART : readsOtherwise(content_html ?? "") ? WRAPPED : undefined;
    return { texts: { title: words(title), content_html: stays === undefined ? text : { ...text, stays } } };
  },
  async update_page_from_code(ctx, { page_id }) {
    const page = await (await ctx.use(codePages)).read(numericId(page_id as Id, "page_id"));
    const code = (text: string): StoredText => ({ text, form: "code" });
    return {
      texts: {
        title: words(page.title),
        content_html: page.shown ? html(page.html) : { ...html(page.html), stays: TAKEN_OVER },
        css: code(page.css),
        js: code(page.js),
      },
    };
  },
  async set_seo_meta(ctx, { post_id }) {
    const { fields } = await (await ctx.use(seo)).readMeta(numericId(post_id as Id, "post_id"));
    const texts = Object.entries(fields).flatMap(([name, text]) =>
      typeof text === "string" || text === null ? [[name, words(text)] as const] : []
    );
    return { texts: Object.fromEntries(texts) };
  },
  async [CHANGE_ELEMENTS](ctx, { post_id }, { within }) {
    const state = ctx.can(holds) ? await (await ctx.use(holds)).state() : UNHELD;
    if (!state.ready) throw new GatewayError("E_FORBIDDEN_OP", `${IN_BUILDER}: ${state.why}`);
    const settings = await settingsOf(ctx, post_id as Id, within);
    const texts = within.flatMap((one) => {
      const form = formOfSetting(one ?? "");
      const stays = isNaming(one ?? "") ? { stays: NAMING } : {};
      return one === undefined
        ? []
        : [[one, { text: textOfSetting(settings, one), form, ...stays }] as const];
    });
    return { texts: Object.fromEntries(texts), beside: { settings } };
  },
  async update_static_route(_, { path }, { branch }): Promise<Thing> {
    const { text, sha } = await fileAt(String(path), branch);
    const parts = text === null ? null : partsOfSource(String(path), text);
    if (parts === null) return { texts: { content: { text, form: "html", stays: EDITED } } };
    const { html: body, ...told } = parts;
    return {
      texts: {
        html: html(body),
        ...told.title === undefined ? {} : { title: words(told.title) },
        ...told.description === undefined ? {} : { description: words(told.description) },
      },
      beside: { ...parts, ...sha, ...targeting(branch) },
    };
  },
  async write_static_file(_, { path }, { branch }) {
    const { text, sha, bytes } = await fileAt(String(path), branch);
    const content = { text, form: formOf(String(path)) };
    const isLarge = bytes > LIMITS.STATIC_FILE_BYTES;
    return {
      texts: { content: isLarge ? { ...content, stays: TOO_LARGE } : content },
      beside: { ...sha, ...targeting(branch) },
    };
  },
  async bulk_write_static_files(_, { path }, { branch }) {
    const { text, sha } = await fileAt(String(path), branch);
    return {
      texts: { content: { text, form: formOf(String(path)) } },
      beside: { ...sha, ...targeting(branch) },
    };
  },
};

const IN_BUILDER =
  "change it in the visual builder; the site's own builder tools are called only where the site holds their writes";
const UNHELD = { ready: false, why: "the site holds no writes of its tools" } as const;
const NAMING = "it names or styles an element of the visual builder; change it there";
const TAKEN_OVER = "the visual builder has taken the page over, and its HTML is seen nowhere";
const WRAPPED =
  "the page is not made of blocks: update_page_draft would put its whole text into one HTML block, which shows its line " +
  "breaks in another way; change it in the CMS";
const EDITED =
  "the file is no longer as this service wrote it; read it with read_static_file, and give the whole page to update_static_route";
const TOO_LARGE = `the file is larger than write_static_file takes; change it in the repository`;

/** Whether a text that is not made of blocks reads otherwise once it is one HTML block: WordPress makes paragraphs of its lines. */
function readsOtherwise(text: string): boolean {
  const trimmed = text.trim();
  const isOfBlocks = trimmed === "" || text.includes("<!-- wp:");
  return !isOfBlocks && (!trimmed.startsWith("<") || trimmed.includes("\n"));
}

const targeting = ({ target }: Branch) => target === "main" ? { target_branch: target } : {};

/** A file, and its sha for the call that overwrites it alone as it was read. */
async function fileAt(path: string, branch: Branch) {
  const view = await branch.view();
  const entry = await view.find(path);
  const bytes = entry === null ? null : await view.bytes(entry);
  const text = bytes === null ? null : textIn(bytes) ?? null;
  return { text, sha: entry === null ? {} : { sha: entry.sha }, bytes: entry?.size ?? 0 };
}

/** Endings of files by how they are written; what is not named holds names with values. */
const ENDINGS: Readonly<Record<Exclude<Form, "source">, readonly string[]>> = {
  words: ["txt"],
  html: "html htm xml svg".split(" "),
  markdown: "md mdx mdoc markdown".split(" "),
  json: ["json", "webmanifest"],
  code: "astro vue svelte tsx jsx ts js mjs cjs css scss njk liquid hbs ejs pug php".split(" "),
};

function formOf(path: string): Form {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const found = Object.entries(ENDINGS).find(([, endings]) => endings.includes(ending))?.[0];
  return (found ?? "source") as Form;
}

/** The arguments that put all these texts of one thing there, and nothing else. */
export function argumentsOf(
  tool: string,
  { of, beside = {} }: { readonly of: Args; readonly beside?: Args | undefined },
  changed: readonly Changed[],
): Record<string, unknown> {
  if (tool === CHANGE_ELEMENTS) {
    const settings = beside["settings"] as Parameters<typeof operationsOf>[0];
    return { ...of, operations: operationsOf(settings, changed) };
  }
  const whole = Object.fromEntries(changed.map(({ field, rewritten }) => [field, rewritten.text]));
  if (tool === "bulk_write_static_files") {
    const { target_branch, sha } = beside;
    const file = { path: of["path"], content: whole["content"], allow_overwrite: true, sha };
    return { files: [file], ...target_branch === undefined ? {} : { target_branch } };
  }
  if (tool === "update_static_route") {
    const { path: _, ...named } = of;
    return { ...named, ...beside, ...whole };
  }
  if (tool === "update_page_from_code" && whole["content_html"] !== undefined) {
    const { content_html, ...rest } = whole;
    return { ...of, ...rest, html: content_html };
  }
  if (tool !== "revise_published") return { ...of, ...beside, ...whole };
  const text = changed.find(({ field }) => field === "content_html");
  const replacements = text && exactly(text.text, text.rewritten);
  if (!replacements) return { ...of, ...whole };
  const { content_html: _, ...rest } = whole;
  return { ...of, ...rest, replacements };
}
