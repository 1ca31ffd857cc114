/** What the tool servers of a site remember beside its posts, and what a tool that is run gets. */
import { MODE } from "../wordpress_standin/companion_pages.ts";
import { RestError } from "../wordpress_standin/errors.ts";
import { can } from "../wordpress_standin/people.ts";
import { mayEdit } from "../wordpress_standin/post_view.ts";
import type { Ask } from "../wordpress_standin/rest.ts";
import type { Post } from "../wordpress_standin/state.ts";
import { filterHtml } from "../wordpress_standin/text.ts";
import type { BuilderOptions, CmsTool } from "./cms_catalogue.ts";
import { all, type BuiltPage, container, type Element, widget } from "./elements.ts";
import type { ListedTool, ToolResult } from "./sdk.ts";

type Args = Readonly<Record<string, unknown>>;

/** A tool that was run, by whomever and however it was reached. */
export interface Ran {
  /** As its server lists it. */
  readonly tool: string;
  readonly args: Args;
  readonly login: string | null;
  /** The tool that ran this one; null for one that was called. */
  readonly by: string | null;
}

/** A template of the builder's. */
export interface Template {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly status: string;
  readonly elements: readonly Element[];
}

/** Everything the tool servers remember; a test may change it while the site runs. */
export interface ToolState {
  /** What the builder's plugin lists; `active` is whether it is there at all, and the adapter with it. */
  readonly plugin: BuilderOptions & {
    active: boolean;
    /** Whether abilities may be run by name; the adapter's own default says no for each. */
    public_abilities: boolean;
  };
  /** What other plugins make of a list; by default nothing. */
  alter: (tools: readonly ListedTool[]) => readonly ListedTool[];
  readonly pages: Map<number, BuiltPage>;
  readonly templates: Map<number, Template>;
  readonly colors: Record<string, unknown>[];
  readonly typography: Record<string, unknown>[];
  readonly options: Map<string, unknown>;
  readonly files: Map<string, string>;
  readonly menus: Map<string, readonly unknown[]>;
  /** Every command and every write of SQL that was carried out. */
  readonly commands: string[];
  readonly ran: Ran[];
}

/** A tool that runs: who asks, of which site. */
export interface Asked {
  readonly ask: Omit<Ask, "params">;
  readonly tools: ToolState;
  readonly tool: CmsTool;
  /** Others may read what this is about to overwrite until it resolves. */
  readonly gap: () => Promise<void>;
  /** The tools that the same server lists. */
  readonly listed: readonly CmsTool[];
  /** Runs another tool in the same request. */
  readonly run: (name: string, args: Args) => Promise<ToolResult>;
}

/** Runs one tool: what it answers is its result. */
export type Run = (args: Args, at: Asked) => unknown;

/** A failure in a tool's own words. */
export class ToolFailure extends Error {}

/** A failure that a tool reports in a result that is no error. */
export class SoftFailure extends Error {}

/** The words of anything that a tool throws on purpose; null for a bug. */
export function wordsOf(thrown: unknown): string | null {
  return thrown instanceof ToolFailure || thrown instanceof RestError ? thrown.message : null;
}

/** A number of the arguments: a text of digits counts as one, whatever blanks stand around it. */
export const integer = (value: unknown): number => Number(typeof value === "string" ? value.trim() : value);

/** Refuses unless the asker holds that right. */
export function need({ ask }: Asked, right: string): void {
  if (!can(ask.person, right)) throw new ToolFailure("Permission denied");
}

/** The post that an argument names. */
export function postOf({ ask }: Asked, args: Args): Post {
  const post = ask.state.posts.get(integer(args["post_id"]));
  if (post === undefined || post.type === "attachment") throw new ToolFailure("Post not found.");
  return post;
}

/** The post that an argument names, which the asker may edit. */
export function editable(at: Asked, args: Args): Post {
  need(at, "edit_posts");
  const post = at.ask.state.posts.get(integer(args["post_id"]));
  if (post !== undefined && !mayEdit(at.ask.person, post)) throw new ToolFailure("Permission denied");
  return postOf(at, args);
}

/** What the builder keeps of a post; nothing of one that it never saw. */
export function pageOf({ tools }: Pick<Asked, "tools">, id: number): BuiltPage {
  return tools.pages.get(id) ?? { elements: [], settings: {} };
}

const escaped = (text: unknown) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** What visitors get of a page. */
function rendered(elements: readonly Element[]): string {
  return all(elements).map(({ settings }) =>
    settings["title"] === undefined
      ? String(settings["editor"] ?? settings["html"] ?? "")
      : `<h2>${escaped(settings["title"])}</h2>`
  ).filter(Boolean).join("\n");
}

/** What visitors get of a page that the builder shows. */
const putOut = ({ id, type, content }: Post) =>
  `<div data-elementor-type="wp-${type}" data-elementor-id="${id}">${content}</div>`;

/** Gives a page to the builder, which shows its elements from then on. */
export function takeOver(post: Post): void {
  post.meta[MODE] = "builder";
  post.built = putOut(post);
}

/** What storing needs; the site itself may store whatever there is. */
interface Storing extends Pick<Asked, "tools"> {
  readonly ask: Pick<Ask, "state"> & Partial<Pick<Ask, "person">>;
}

/** Elements as they are stored for whom may not store code: without any, whoever made it. */
const withoutCode = (elements: readonly Element[]): Element[] =>
  JSON.parse(JSON.stringify(elements), (_, value) => typeof value === "string" ? filterHtml(value) : value);

/**
 * Stores a tree, over whatever stands there by now; published or not, visitors of a live page see it. What it
 * makes of its elements takes the place of the post's own text, of which no revision is left. Who shows the post stays as
 * it was.
 */
export function store({ ask, tools }: Storing, post: Post, elements: Element[]): void {
  const mayStore = ask.person === undefined || can(ask.person, "unfiltered_html");
  const stored = mayStore ? elements : withoutCode(elements);
  tools.pages.set(post.id, { ...pageOf({ tools }, post.id), elements: stored });
  post.content = rendered(stored);
  if (post.meta[MODE] === "builder") post.built = putOut(post);
  else delete post.built;
  post.modified = ask.state.now();
}

/** Reads a tree, changes it, and stores it a moment later: of two at the same time the later one wins. */
export async function editTree<T>(at: Asked, args: Args, change: (elements: Element[]) => T): Promise<T> {
  const post = editable(at, args);
  const elements = structuredClone(pageOf(at, post.id).elements);
  const result = change(elements);
  await at.gap();
  store(at, post, elements);
  return result;
}

/** What a site with the plugin has to begin with. */
export function newToolState(): ToolState {
  return {
    plugin: {
      active: true,
      fresh: false,
      builder: true,
      atomic: false,
      compact: false,
      public_abilities: true,
    },
    alter: (tools) => tools,
    pages: new Map(),
    templates: new Map([[901, {
      id: 901,
      title: "Call to action",
      type: "section",
      status: "publish",
      elements: [
        container({}, [widget("heading", { title: "Book a visit" }), widget("button", { text: "Book" })]),
      ],
    }]]),
    colors: [{ _id: "primary", title: "Primary", color: "#6EC1E4" }, {
      _id: "text",
      title: "Text",
      color: "#7A7A7A",
    }],
    typography: [{ _id: "primary", title: "Primary", typography_font_family: "Roboto" }],
    options: new Map<string, unknown>([["blogname", "Test Site"], ["show_on_front", "posts"], [
      "blog_public",
      "1",
    ]]),
    files: new Map([
      ["wp-config.php", "<?php\ndefine( 'DB_PASSWORD', 'of-the-stand-in' );\n"],
      ["wp-content/themes/site/style.css", "body { margin: 0 }\n"],
    ]),
    menus: new Map([["main", []]]),
    commands: [],
    ran: [],
  };
}
