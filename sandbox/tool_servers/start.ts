/** A site's own tool servers, beside its REST side: one world that both read and write. */
import type { FaultMatch } from "../core/faults.ts";
import { realSleep } from "../core/clock.ts";
import { addPost, type Post, uniqueSlug } from "../wordpress_standin/state.ts";
import { slugify } from "../wordpress_standin/text.ts";
import type { CompanionHold } from "../wordpress_standin/companion_hold.ts";
import type { WordPressStandIn } from "../wordpress_standin/start.ts";
import { Adapter } from "./adapter.ts";
import type { BuilderOptions, CmsServer } from "./cms_catalogue.ts";
import { newToolState, type Ran, store, takeOver, type ToolState } from "./cms_state.ts";
import { container, type Element } from "./elements.ts";
import type { Sessions } from "./sessions.ts";
import type { ToolFault } from "./tool_faults.ts";

export { all, container, type Element, find, widget } from "./elements.ts";
export type { ToolFault } from "./tool_faults.ts";
export type { Ran, ToolState } from "./cms_state.ts";

/** How a site's tool servers are set up. */
export interface ToolServersOptions extends Partial<BuilderOptions> {
  /** Which servers there are. Default: the adapter's own and the builder's newer one. */
  readonly servers?: readonly CmsServer[];
  /**
   * How long a write waits between reading what it changes and storing it, so that two at the same time lose one; the
   * same for sessions. Default 2; 0 loses nothing.
   */
  readonly race_ms?: number;
  /** The companion plugin, which can hold what the tools write. */
  readonly hold?: CompanionHold;
}

/** Which of a tool server's requests go wrong; `method` is JSON-RPC's, and `path` is the tool's name or part of it. */
export type ToolMatch = FaultMatch;

/** The tool servers of a running site. */
export interface SiteToolServers {
  readonly state: ToolState;
  readonly sessions: Sessions;
  /** Every tool that was run so far, by whatever way. */
  readonly ran: readonly Ran[];
  /** Goes wrong for the next message that fits. */
  inject(fault: ToolFault, match?: ToolMatch): void;
  /** Forgets the faults to come. */
  clearFaults(): void;
  /** Makes a page of the builder's, by default a draft with one empty section. */
  page(given: { readonly title: string; readonly status?: string; readonly elements?: Element[] }): Post;
}

const RACE_MS = 2;

/** Gives a site its tool servers; before its first request. */
export function addToolServers(site: WordPressStandIn, options: ToolServersOptions = {}): SiteToolServers {
  const {
    servers = ["mcp-adapter-default-server", "emcp-tools-server"],
    race_ms = RACE_MS,
    hold,
    ...plugin
  } = options;
  const state = newToolState();
  Object.assign(state.plugin, plugin);
  const gap = () => race_ms === 0 ? Promise.resolve() : realSleep(race_ms, new AbortController().signal);
  const adapter = new Adapter(site, state, servers, gap);
  site.state.namespaces.push("mcp", "wp-abilities/v1", ...(state.plugin.builder ? ["elementor/v1"] : []));
  if (hold) {
    site.app.use("/mcp/:server", hold.middleware);
    const { pages: elements, options, files, templates, colors, typography } = state;
    hold.more.push(() => ({ elements, options, files, templates, colors, typography }));
  }
  site.app.on(["GET", "POST", "DELETE"], "/mcp/:server", (c) => adapter.answer(c));
  return {
    state,
    sessions: adapter.sessions,
    ran: state.ran,
    inject: (fault, match) => adapter.faults.add(fault, match),
    clearFaults: () => adapter.faults.clear(),
    page({ title, status = "draft", elements = [container()] }) {
      const date = { at: site.state.now(), floating: status === "draft" };
      const slug = uniqueSlug(site.state, slugify(title), "page", 0, 0);
      const post = addPost(site.state, { type: "page", author: 1, title, status, date, slug });
      takeOver(post);
      store({ ask: { state: site.state }, tools: state }, post, elements);
      return post;
    },
  };
}
