/** An in-process stand-in for WordPress: answers its REST routes as a real one does, records, and goes wrong on order. */
import { Hono } from "hono";
import { Clock } from "../core/clock.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import type { CmsLogin, CmsSandbox } from "../wordpress/sandbox.ts";
import { Entry, type WordPressFault, type WordPressRequest } from "./entry.ts";
import { fourPeople, type Person } from "./people.ts";
import { addMedia } from "./media.ts";
import { addPosts } from "./posts.ts";
import { addRevisions } from "./revisions.ts";
import type { RestEnv } from "./rest.ts";
import { addSite } from "./site.ts";
import { furnish, type PluginRow, type Post, publishDue, publishNow, type State, THEME } from "./state.ts";
import { addTerms } from "./terms.ts";

export type { CommonFault, FaultMatch } from "../core/faults.ts";
export type { WordPressRequest } from "./entry.ts";
export type { WordPressFault } from "./entry.ts";
export type { PluginRow, Post, Term } from "./state.ts";

/** How a stand-in is set up. Its clock decides what is in the future, and is sent as `Date`. */
export interface WordPressOptions extends StandInOptions {
  readonly timezone?: string;
  /** `production` turns application passwords off: every request is anonymous. Default `local`. */
  readonly environment?: "local" | "production";
  readonly plain_permalinks?: boolean;
  /** Rows of `/wp/v2/plugins`. */
  readonly plugins?: readonly PluginRow[];
  /** REST namespaces beyond WordPress's own, as plugins add them. */
  readonly namespaces?: readonly string[];
}

/** A running stand-in. */
export interface WordPressStandIn extends CmsSandbox, Service<WordPressRequest, WordPressFault> {
  readonly kind: "stand-in";
  readonly users: Readonly<Record<CmsLogin, Person>>;
  /** The REST side alone, for further routes; paths begin behind `/wp-json`. */
  readonly app: Hono<RestEnv>;
  /** Posts, pages and media by id; a change here is a change made on the site. */
  readonly posts: ReadonlyMap<number, Post>;
  /** Everything else the site remembers. */
  readonly state: State;
  /** Sets the site's clock ahead (or behind) by that many seconds until told otherwise. */
  skew(seconds: number): void;
  /** Publishes a post as the site's own editor would. */
  publish(id: number): void;
}

function newState(
  options: WordPressOptions,
  people: Person[],
  now: () => number,
  origin: () => string,
): State {
  const state: State = {
    name: "Test Site",
    timezone: options.timezone ?? "Europe/Copenhagen",
    origin,
    plain_permalinks: options.plain_permalinks ?? false,
    application_passwords: (options.environment ?? "local") === "local",
    front: new Map(),
    namespaces: [...options.namespaces ?? []],
    fields: [],
    narrows: [],
    heads: [],
    leads: [],
    plugins: [...options.plugins ?? []],
    people,
    types: [],
    theme: THEME,
    posts: new Map(),
    terms: new Map(),
    revisions: [],
    keeps_revisions: true,
    now,
    nextPost: 1,
    nextTerm: 1,
  };
  furnish(state);
  return state;
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startWordPressStandIn(options: WordPressOptions = {}): Promise<WordPressStandIn> {
  const users = fourPeople();
  const clock = new Clock(options.now);
  const state = newState(options, Object.values(users), clock.now, () => service.base_url);
  const app = new Hono<RestEnv>();
  addSite(app);
  addPosts(app);
  addRevisions(app);
  addMedia(app);
  addTerms(app);
  const service = startService(options, new Entry(state, app, clock));
  return Promise.resolve(Object.assign(service, {
    kind: "stand-in" as const,
    users,
    app,
    state,
    posts: state.posts,
    skew: (seconds: number) => clock.skew(seconds),
    publish(id: number) {
      const post = state.posts.get(id);
      if (post === undefined) throw new Error(`The stand-in has no post ${id} to publish`);
      publishNow(state, post);
    },
    runCron: () => Promise.resolve(publishDue(state)),
  }));
}
