/** An in-process stand-in for WordPress: answers its REST routes as a real one does, records, and misbehaves on order. */
import { Hono } from "hono";
import type { CmsLogin, CmsSandbox } from "../wordpress/sandbox.ts";
import { Entry, type RecordedRequest } from "./entry.ts";
import { fourPeople, type Person } from "./people.ts";
import { addMedia } from "./media.ts";
import { addPosts } from "./posts.ts";
import type { RestEnv } from "./rest.ts";
import { addSite } from "./site.ts";
import { furnish, type PluginRow, type Post, publishDue, publishNow, type State } from "./state.ts";
import type { Trouble } from "./faults.ts";
import { addTerms } from "./terms.ts";
import type { TroubleFilter } from "../core/faults.ts";
import { serveWire } from "../core/server.ts";

export type { RecordedRequest } from "./entry.ts";
export type { PluginRow, Post, Term } from "./state.ts";
export type { Trouble } from "./faults.ts";
export type { TroubleFilter } from "../core/faults.ts";

/** How a stand-in is set up. */
export interface StandInOptions {
  /** The site's clock, in milliseconds; it decides what is in the future and is sent as `Date`. Default Date.now. */
  readonly now?: () => number;
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
export interface StandIn extends CmsSandbox {
  readonly kind: "stand-in";
  readonly users: Readonly<Record<CmsLogin, Person>>;
  /** The REST side alone, for further routes; paths begin behind `/wp-json`. */
  readonly app: Hono<RestEnv>;
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Those that asked for a change: POST, PUT, PATCH, DELETE, however the method was smuggled in. */
  readonly writes: readonly RecordedRequest[];
  /** Posts, pages and media by id; a change here is a change made on the site. */
  readonly posts: ReadonlyMap<number, Post>;
  /** Everything else the site remembers. */
  readonly state: State;
  /** Goes wrong for the next request (or `times` requests) that fits the filter. */
  misbehave(trouble: Trouble, filter?: TroubleFilter): void;
  /** Sets the site's clock ahead (or behind) by that many seconds until told otherwise. */
  skew(seconds: number): void;
  /** Publishes a post as the site's own editor would. */
  publish(id: number): void;
  /** Forgets recorded requests and troubles to come; the content stays. */
  forget(): void;
}

function newState(options: StandInOptions, people: Person[], now: () => number, origin: () => string): State {
  const state: State = {
    name: "Test Site",
    timezone: options.timezone ?? "Europe/Copenhagen",
    origin,
    plain_permalinks: options.plain_permalinks ?? false,
    application_passwords: (options.environment ?? "local") === "local",
    namespaces: [...options.namespaces ?? []],
    plugins: [...options.plugins ?? []],
    people,
    posts: new Map(),
    terms: new Map(),
    now,
    nextPost: 1,
    nextTerm: 1,
  };
  furnish(state);
  return state;
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const users = fourPeople();
  const clock = options.now ?? Date.now;
  let ahead = 0;
  let base = "";
  const state = newState(options, Object.values(users), () => clock() + ahead * 1000, () => base);
  const app = new Hono<RestEnv>();
  addSite(app);
  addPosts(app);
  addMedia(app);
  addTerms(app);
  const entry = new Entry(state, app);
  const wire = serveWire((request, target) => entry.answer(request, target));
  base = `http://127.0.0.1:${wire.port}`;
  let stopped: Promise<void> | undefined;
  const stop = () => stopped ??= wire.stop();
  return Promise.resolve({
    kind: "stand-in",
    base_url: base,
    users,
    app,
    state,
    posts: state.posts,
    get requests() {
      return entry.requests;
    },
    get writes() {
      return entry.requests.filter((row) => !["GET", "HEAD", "OPTIONS"].includes(row.effective_method));
    },
    misbehave: (trouble, filter = {}) => entry.troubles.add(trouble, filter),
    skew: (seconds) => void (ahead = seconds),
    publish(id) {
      const post = state.posts.get(id);
      if (post === undefined) throw new Error(`The stand-in has no post ${id} to publish`);
      publishNow(state, post);
    },
    forget() {
      entry.requests.length = 0;
      entry.troubles.clear();
    },
    runCron: () => Promise.resolve(publishDue(state)),
    stop,
    [Symbol.asyncDispose]: stop,
  });
}
