/** What callers write on a WordPress in a sequence, and what a person does there past the gateway. */
import assert from "node:assert/strict";
import { freshPng } from "../cms_kit.ts";
import type { Write } from "../sequences_ground.ts";
import type { Dice } from "../tools/_crm_dice.ts";
import { peek, person as writes, type Provider, type Scene, writeOf } from "./_undo_rows.ts";
import { fresh, type Real } from "./_wordpress.ts";

/** What writes on the site by its flags, and what may not publish. */
export const OPEN = "whole";
export const NEVER = "never";

/** A scene with more of everything. */
export interface Stage extends Scene {
  readonly drafts: readonly number[];
  readonly lives: readonly number[];
  readonly pages: readonly number[];
  /** What stands in its texts, and nowhere else on the site. */
  readonly word: string;
}

/** Adds to a scene. */
export async function staged(at: Real, scene: Scene): Promise<Stage> {
  const word = `Word${scene.draft}x`;
  const content =
    `<!-- wp:paragraph -->\n<p>${word} \u{1f600} of \\\\ &amp; blocks</p>\n<!-- /wp:paragraph -->`;
  const draft = await at.ask.draft("ed", { title: fresh("Text"), content, excerpt: word }, "posts");
  const live = await at.ask.draft("ed", { title: fresh("Text"), content, status: "publish" }, "posts");
  const page = await at.ask.draft("ed", { title: fresh("Text"), content, status: "publish" }, "pages");
  return {
    ...{ ...scene, word },
    drafts: [scene.draft, draft],
    lives: [scene.live, live],
    pages: [scene.page, scene.code, page],
  };
}

/** Texts that have gone wrong somewhere. */
const TEXTS = [
  "Plain",
  "\u00dcn\u00efcode \u{1f600} \u201cq\u201d",
  "Back\\slash \"q\" 'a' &amp; & b",
  "  spaced  out ",
  "0",
  "%s %d %%title%% $1 \\1",
  "e\u0301 as two",
  "a\u00a0b\u2028c",
  '[gallery ids="1"] [x',
];

function bodyOf(dice: Dice, { word }: Stage, n: number): string {
  const text = `${dice.pick(TEXTS)} ${n}`;
  return dice.pick([
    `<!-- wp:paragraph {"className":"a\\u002d\\u002db"} -->\n<p class="a--b">${text}</p>\n<!-- /wp:paragraph -->`,
    `<!-- wp:html -->\n<p>${text}</p>\n<!-- /wp:html -->`,
    `<p>${text}</p>\r\n<p>${word}</p>`,
    `<h2>${word}</h2><p>${text}<br>more</p>`,
  ]);
}

/** A write of one thing. */
function single(dice: Dice, at: Stage, n: number): Write {
  const content_html = bodyOf(dice, at, n);
  const title = `${dice.pick(TEXTS)} ${n}`;
  const post_id = dice.pick([...at.drafts, ...at.lives]);
  const page_id = dice.pick(at.pages);
  const tags = dice.pick([[], at.tags, [at.tags[0]!], [`New & ${n}`], [`New ${n}`, at.tags[1]!]]);
  const scheduled_at = dice.pick(["2040-01-01T10:00:00Z", "2041-06-01T00:00:00+02:00"]);
  const some = (fields: Write["args"]) => {
    const names = Object.keys(fields);
    const chosen = names.filter(() => dice.chance(0.4));
    return Object.fromEntries(
      (chosen.length ? chosen : [dice.pick(names)]).map((name) => [name, fields[name]]),
    );
  };
  const slug = dice.pick([`made-${page_id}-${n}`, "same", "text"]);
  const fields = { title, content_html, excerpt: dice.pick(TEXTS), slug, tags };
  const parts = { replacements: [{ find: at.word, replace: `${dice.pick(TEXTS)}` }] };
  return dice.pick<() => Write>([
    () => ({ tool: "create_draft", args: { title, content_html, ...some({ tags, slug, excerpt: "E" }) } }),
    () => ({
      tool: "create_page_draft",
      args: { title, content_html, ...some({ slug, parent_id: at.parent }) },
    }),
    () => ({
      tool: "create_page_from_code",
      args: { title, slug, html: content_html, css: "p { order: 1 }" },
    }),
    () => ({
      tool: "create_taxonomy",
      args: { taxonomy: "tag", name: dice.pick([`Term ${n}`, at.tags[0]!]) },
    }),
    () => ({
      tool: "upload_media",
      args: { filename: `${n}.png`, content_base64: freshPng(`${page_id} ${n}`) },
    }),
    () => ({ tool: "publish_post", args: { post_id } }),
    () => ({ tool: "publish_page", args: { page_id } }),
    () => ({ tool: "schedule_draft", args: { post_id, scheduled_at } }),
    () => ({ tool: "schedule_page", args: { page_id, scheduled_at } }),
    () => ({ tool: "unschedule", args: { post_id: dice.pick([post_id, page_id]) } }),
    () => ({ tool: "update_draft", args: { post_id, ...some(fields) } }),
    () => ({ tool: "update_draft", args: { post_id, ...parts } }),
    () => ({ tool: "update_page_draft", args: { page_id, ...some({ title, content_html, slug }) } }),
    () => ({ tool: "update_page_draft", args: { page_id, ...parts } }),
    () => ({
      tool: "revise_published",
      args: { post_id: dice.pick([post_id, page_id]), ...some({ title, content_html }) },
    }),
    () => ({
      tool: "builder-mcp-add-block",
      args: { post_id: page_id, markup: `<p>way ${dice.pick([8, 8, 8, 2, 5])}</p>` },
    }),
  ])();
}

/** A call: of one tool, of replace_text, or of a set. */
export function writeOn(dice: Dice, at: Stage, provider: Provider, n: number): Write {
  const site_id = dice.chance(0.2) ? NEVER : OPEN;
  const one = (): Write => {
    if (dice.chance(0.6)) {
      const { tool, args } = single(dice, at, n);
      return { tool, args: { site_id, ...args } };
    }
    const [tool, args] = writeOf(dice, at, provider, n, false);
    return { tool, args: { site_id, ...args } };
  };
  if (dice.chance(0.1)) {
    const find = dice.pick([at.word, at.word, `rankmath ${at.draft}`]);
    return { tool: "replace_text", args: { site_id, find, replace: `${dice.pick(TEXTS)} Said ${n}` } };
  }
  if (!dice.chance(0.15)) return one();
  const made = {
    tool: "create_draft",
    args: {
      site_id,
      title: `Made ${n}`,
      content_html: bodyOf(dice, at, n),
      tags: dice.pick([[], [`New ${n}`]]),
    },
  };
  const uses: Write = {
    tool: dice.pick(["update_draft", "update_draft", "publish_post", "schedule_draft"]),
    args: { site_id, post_id: { $from: 1 } },
  };
  const more = uses.tool === "update_draft"
    ? { excerpt: `Set ${n}` }
    : uses.tool === "schedule_draft"
    ? { scheduled_at: "2040-01-01T10:00:00Z" }
    : {};
  const others = dice.times(dice.int(1, 3), one).filter(({ tool }) => !tool.startsWith("builder"));
  const items = dice.chance(0.5) ? [made, { ...uses, args: { ...uses.args, ...more } }, ...others] : others;
  if (items.length === 0) return one();
  const changes = items.map(({ tool, args }) => ({ tool, arguments: args }));
  const on_failure = dice.pick(["skip_site", "stop_all", "continue"]);
  return { tool: "prepare_changes", args: { title: `Set ${n}`, changes, on_failure } };
}

/** What a person does: mostly edits, now and then something that leaves less there. */
export async function personOn(
  at: Real,
  dice: Dice,
  stage: Stage,
  provider: Provider,
  n: number,
): Promise<void> {
  if (dice.chance(0.4)) return await writes(at, dice, stage, provider, n);
  const post = dice.pick([...stage.drafts, ...stage.lives]);
  const page = dice.pick(stage.pages);
  const rest = async (path: string, body: unknown, method = "POST") => {
    const { status } = await at.ask.rest("admin", method, path, body);
    assert.ok(status < 500, `${path}: ${status}`);
  };
  const call = (name: string, ...args: unknown[]) => peek(at, { call: [name, args] });
  const tag = async () => {
    const { body } = await at.ask.rest("admin", "GET", `/tags?search=${encodeURIComponent(stage.tags[1]!)}`);
    return body[0]?.["id"] as number | undefined;
  };
  await dice.pick<() => Promise<unknown>>([
    () => rest(`/posts/${post}`, { status: dice.pick(["draft", "pending", "publish", "private"]) }),
    () => rest(`/pages/${page}`, { status: dice.pick(["draft", "publish"]) }),
    () => rest(`/posts/${post}`, { password: dice.pick(["secret", ""]) }),
    () => rest(`/posts/${post}`, { slug: `by-hand-${n}`, excerpt: `By hand ${n}` }),
    () => rest(`/posts/${post}`, { author: dice.pick([1, 2]) }),
    () => rest(`/pages/${page}`, { title: `By hand ${n}`, content: `<p>By hand \\ ${n}</p>` }),
    () => rest(`/posts/${post}/autosaves`, { title: `Autosave ${n}`, content: `<p>Autosave ${n}</p>` }),
    () => rest(`/posts/${post}`, undefined, "DELETE"),
    () => call("wp_untrash_post", post),
    () => call("wp_trash_post", page),
    () => call("wp_untrash_post", page),
    () =>
      peek(at, { id: post, columns: { post_title: `Straight ${n}`, post_content: `<p>Straight ${n}</p>` } }),
    () => peek(at, { id: page, columns: { post_content: `<p>Straight ${n}</p>` } }),
    () => call("add_post_meta", post, "_thumbnail_id", String(stage.images[0]!.id)),
    () => call("wp_set_object_terms", post, [...stage.tags], "post_tag"),
    async () => await call("wp_update_term", await tag(), "post_tag", { name: `By hand ${n}` }),
  ])();
}
