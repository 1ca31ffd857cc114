/** A stand-in for Duda's partner API: sites with posts, pages and sections, and the traps its clients meet. */
import { retryAfter } from "../core/answers.ts";
import type { CommonFault } from "../core/faults.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import { API_BASE, dudaApi, refusal } from "./api.ts";
import { addPage, addPost, addSite, type DudaState, type Page, type Post, type Site } from "./state.ts";

export type { Page, Post, Site } from "./state.ts";

/** The vendor's own limit: ten requests in a second. */
export const API_RATE = { requests: 10, window_ms: 1000 } as const;

/** A running stand-in. Its address is `http://127.0.0.1:<port>/api`. */
export interface DudaStandIn extends Service<RecordedRequest, CommonFault> {
  readonly api_user: string;
  readonly api_password: string;
  /** The settings that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly state: DudaState;
  /** Makes a site. */
  site(alias: string, domain?: string | null): Site;
  /** Adds a page to a site; without a draft status it goes live with the site's next publication. */
  page(site: Site, given: Partial<Page> & { readonly title: string }): Page;
  /** Adds a post to a site, a draft unless it says otherwise. */
  post(site: Site, given: Partial<Post> & { readonly title: string }): Post;
  /** Saves a section for the account. */
  section(name: string): string;
}

function tooMany(
  { status = 429, retry_after }: { status?: number; retry_after?: number | string },
): Response {
  const answer = refusal(status, "TooManyRequests", "Rate limit exceeded");
  for (const [name, value] of Object.entries(retryAfter(retry_after))) answer.headers.set(name, value);
  return answer;
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startDuda(options: StandInOptions = {}): DudaStandIn {
  const state: DudaState = {
    api_user: "agency",
    api_password: `secret-${crypto.randomUUID()}`,
    now: () => service.clock.now(),
    sites: new Map(),
    sections: new Map(),
    switches: {
      answers: "body",
      publishes_pages: true,
      clears_dates: true,
      lists_bare: false,
      has_blog: true,
      posts_max: 100,
    },
  };
  const app = dudaApi(state);
  const service = startService<RecordedRequest, CommonFault>(options, {
    handle: ({ request, bytes }) =>
      app.fetch(new Request(request, bytes.length === 0 ? {} : { method: request.method, body: bytes })),
    dress: (answer) => answer.headers.set("date", new Date(state.now()).toUTCString()),
    busy: tooMany,
  });
  const { api_user, api_password } = state;
  const base_url = service.base_url + API_BASE;
  return Object.assign(service, {
    base_url,
    api_user,
    api_password,
    env: {
      SITEBUILDER_API_BASE: base_url,
      SITEBUILDER_API_USER: api_user,
      SITEBUILDER_API_PASSWORD: api_password,
    },
    state,
    site: (alias: string, domain: string | null = null) => addSite(state, alias, domain),
    page: addPage,
    post: (site: Site, given: Partial<Post> & { readonly title: string }) => addPost(state, site, given),
    section(name: string) {
      const uuid = crypto.randomUUID();
      state.sections.set(uuid, { uuid, name });
      return uuid;
    },
  });
}
