/** A kit over everything that is written to at once: a CMS with every route of the companion plugin, a repository host. */
import assert from "node:assert/strict";
import { type GitHubStandIn, startGitHub } from "../../sandbox/github/start.ts";
import {
  addCompanionGuarded,
  type CompanionGuarded,
} from "../../sandbox/wordpress_standin/companion_guarded.ts";
import { addGuardedPages } from "../../sandbox/wordpress_standin/companion_guarded_pages.ts";
import { addGuardedSeo } from "../../sandbox/wordpress_standin/companion_guarded_seo.ts";
import { addCompanionPages, type CompanionPages } from "../../sandbox/wordpress_standin/companion_pages.ts";
import {
  addCompanionSchema,
  addGuardedSchema,
  type CompanionSchema,
} from "../../sandbox/wordpress_standin/companion_schema.ts";
import { addCompanionSeo, type CompanionSeo } from "../../sandbox/wordpress_standin/companion_seo.ts";
import {
  type Post,
  startWordPressStandIn,
  type WordPressStandIn,
} from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { NewSite } from "../../store/store.ts";
import { gateway, type Kit, type KitOptions, NOW, site } from "../kit.ts";
import { GLOBAL } from "./_schema.ts";
import { remember } from "./_static.ts";
import { FILES, OPEN_FLAGS, settingsAt } from "./_static_sites.ts";
import { TREE } from "./_pages.ts";

/** The repository of the site "static", and that of the site "cms" and its markdown. */
export const SOURCES = "acme/sources";
export const TEXTS = "acme/texts";
/** A page as this service makes it. */
export const PAGE = '---\n// site-ops-gateway:generated v1\nconst html = "<p>Old</p>";\n---\n';
/** How many pages and files of each kind a call can find: of each number one. */
const ROUNDS = 16;

/** What a ground is opened with. */
export interface GroundOptions extends KitOptions {
  /** Whether posts and pages are written through the plugin's guarded routes. */
  readonly guarded?: boolean;
  /** Whether the repository host is there; it costs a tenth of a second. */
  readonly repositories?: boolean;
}

/** A kit, what stands behind it, and a way to do something right before the gateway's next write. */
export interface Ground extends AsyncDisposable {
  readonly gw: Kit;
  readonly cms: WordPressStandIn;
  readonly pages: CompanionPages;
  readonly seo: CompanionSeo;
  readonly schema: CompanionSchema;
  readonly guarded: CompanionGuarded | null;
  readonly host: GitHubStandIn | null;
  /** A post or page of somebody else's. */
  post(given?: Partial<Post>): Post;
  /** Done once, before the next request that changes something leaves. */
  beforeWrite(act: () => unknown): void;
  /** How many requests have changed something: posts of the CMS, moves of a branch. */
  writes(): number;
  /** Whatever stands upstream, as one text. */
  everything(): Promise<string>;
}

function filesOf(): Record<string, string> {
  const files: Record<string, string> = { ...FILES as Record<string, string> };
  delete files["public/logo.bin"];
  for (let n = 0; n < ROUNDS; n++) {
    files[`src/pages/old-${n}.astro`] = PAGE;
    files[`src/styles/old-${n}.css`] = `p { order: ${n} }\n`;
    files[`posts/old-${n}.md`] =
      `---\ntitle: Old ${n}\nslug: old-${n}\ntype: post\nstatus: draft\n---\nText\n`;
  }
  return files;
}

function sitesAt({ base_url, users: { admin } }: WordPressStandIn): NewSite[] {
  const { username, application_password } = admin;
  const cms = (id: string) =>
    site(id, "cms", {
      base_url,
      credentials: { cms: { username, application_password } },
      flags: { allow_publish: true, allow_seo_on_published: true },
      available_builders: ["block", "visual"],
      default_builder: "block",
      seo: { enabled: true, channel: "plugin" },
      repo: TEXTS,
      repo_branch: "main",
    });
  return [
    cms("cms"),
    cms("twin"),
    site("static", "static", { repo: SOURCES, repo_branch: "main", flags: OPEN_FLAGS }),
  ];
}

const MOVES = /\/git\/refs(\/heads\/.+)?$|\/contents\//;

/** Whether a request changes what others see: what is only laid aside in a repository does not. */
function isWrite(method: string, url: string, host: GitHubStandIn | null): boolean {
  if (["GET", "HEAD"].includes(method)) return false;
  const { origin, pathname } = new URL(url);
  return host === null || origin !== new URL(host.base_url).origin || MOVES.test(pathname);
}

/** Opens one; dispose of it with `await using`. */
export async function ground(options: GroundOptions = {}): Promise<Ground> {
  const { guarded: plugin = true, repositories = false, ...more } = options;
  // The app's key of a repository host is signed by the machine's clock.
  const start = repositories ? Date.now() : NOW;
  let now = () => start;
  const cms = await startWordPressStandIn({ now: () => now() });
  const { app, state } = cms;
  const schema = addCompanionSchema(app, state, {});
  for (const one of GLOBAL) schema.entries.set(one.id, structuredClone(one));
  const seo = addCompanionSeo(app, state);
  const pages = addCompanionPages(app, state);
  const template = { id: 900, title: "Landing", type: "page", data: JSON.stringify(TREE), modified: NOW };
  pages.templates.set(template.id, template);
  const guarded = plugin ? addCompanionGuarded(app, state) : null;
  if (guarded) {
    addGuardedPages(app, pages, guarded);
    addGuardedSeo(app, seo);
    addGuardedSchema(app, schema);
  }
  const host = repositories ? await startGitHub() : null;
  if (host) await Promise.all([SOURCES, TEXTS].map((repo) => host.make(repo, { files: filesOf() })));
  let act: (() => unknown) | null = null;
  const gw = await gateway({
    allowPrivate: ["127.0.0.1"],
    start,
    fetch: async (input, init) => {
      if (act !== null && isWrite(init?.method ?? "GET", String(input), host)) {
        const first = act;
        act = null;
        await first();
      }
      return await fetch(input, init);
    },
    ...more,
    tokens: { other: {}, ...more.tokens },
    sites: [...sitesAt(cms), ...more.sites ?? []],
    settings: { rateLimitToken: 0, rateLimitSite: 0, ...host ? settingsAt(host) : {}, ...more.settings },
    http: { sleep: () => Promise.resolve(), ...more.http },
  });
  now = () => gw.clock.now;
  if (host) await remember(gw, [SOURCES, TEXTS], filesOf());
  return {
    gw,
    cms,
    pages,
    seo,
    schema,
    guarded,
    host,
    post: (given = {}) =>
      addPost(
        state,
        { type: "post", author: 2, title: "Before", content: "<p>Old</p>", excerpt: "Short", ...given },
      ),
    beforeWrite: (wanted) => void (act = wanted),
    writes: () => gw.requests.filter(({ method, url }) => isWrite(method, url, host)).length,
    async everything() {
      assert.ok(act === null, "what was to be done before a write was done");
      const { posts, terms } = state;
      const kept = {
        posts: [...posts],
        terms: [...terms],
        seo: [seo.fields, seo.schemas].map((one) => [...one]),
      };
      const refs = host ? await Promise.all([SOURCES, TEXTS].map((repo) => host.refs(repo))) : [];
      return JSON.stringify({ ...kept, redirects: seo.redirects, schema: [...schema.entries], refs });
    },
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await cms.stop();
      await host?.stop();
    },
  };
}
