/** A kit at a site builder's stand-in, both on one clock that only waiting moves, with a draft and a scheduled post and pages on it. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type DudaStandIn, type Page, type Post, type Site, startDuda } from "../../sandbox/duda/start.ts";
import type { NewSite } from "../../store/store.ts";
import type { Args } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, NOW, site } from "../kit.ts";
import { parted } from "../proof.ts";
import { scenes } from "../scenes.ts";

/** The alias of its site, and the address it has. */
export const ALIAS = "1a2b3c4d";
export const DOMAIN = "acme.example";

/** What a sitebuilder test stands on. */
export interface DudaWorld extends AsyncDisposable {
  readonly gw: Kit;
  readonly duda: DudaStandIn;
  readonly built: Site;
  readonly draft: Post;
  /** Goes live two hours after the start. */
  readonly scheduled: Post;
  readonly live: Post;
  readonly page: Page;
  readonly livePage: Page;
  /** The id of a saved section. */
  readonly section: string;
  /** The refusal through both doors, with nothing written; `sends` says whether anything was asked. */
  refuses(tool: string, args: Args, code: Code, says: RegExp, sends?: "nothing" | "reads"): Promise<void>;
  /** A confirmed write: its answer, with what every write answers beside its result. */
  write<T = Args>(tool: string, args: Args, door?: "rest" | "mcp"): Promise<T>;
}

/** The sites: "open" may publish, "closed" may not, "gone" has an alias nobody knows, "nameless" has none. */
function sites(): NewSite[] {
  const at = (id: string, more: Partial<NewSite>) => site(id, "sitebuilder", { base_url: null, ...more });
  return [
    at("open", { site_alias: ALIAS, flags: { allow_publish: true } }),
    at("closed", { site_alias: ALIAS }),
    at("gone", { site_alias: "ffffffff", flags: { allow_publish: true } }),
    at("nameless", { flags: { allow_publish: true } }),
  ];
}

/** Opens one; dispose of it with `await using`. */
export async function dudaWorld(options: KitOptions = {}): Promise<DudaWorld> {
  let now = () => NOW;
  const duda = startDuda({ now: () => now() });
  const built = duda.site(ALIAS, DOMAIN);
  const day = 86_400_000;
  const draft = duda.post(
    built,
    { title: "Before", description: "Short", content: "<p>Old</p>", path: "before" },
  );
  const scheduled = duda.post(built, { title: "Soon", schedule_publish_date: NOW + 7_200_000 });
  const live = duda.post(built, { title: "Out", status: "PUBLISHED", publish_date: NOW - day });
  const page = duda.page(built, { title: "About", draft_status: "DRAFT" });
  const livePage = [...built.pages.values()][0]!;
  const section = duda.section("Hero");
  const upstream = {
    SITEBUILDER_API_BASE: duda.base_url,
    SITEBUILDER_API_USER: duda.api_user,
    SITEBUILDER_API_PASSWORD: duda.api_password,
    ...options.settings?.upstream,
  };
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    ...options,
    settings: { ...options.settings, upstream },
    sites: [...sites(), ...options.sites ?? []],
    http: {
      sleep: (ms) => {
        gw.clock.now += Math.ceil(ms);
        return Promise.resolve();
      },
      ...options.http,
    },
  });
  now = () => gw.clock.now;
  return {
    gw,
    duda,
    built,
    draft,
    scheduled,
    live,
    page,
    livePage,
    section,
    async refuses(tool, args, code, says, sends = "nothing") {
      const before = [duda.requests.length, duda.writes.length];
      const message = await gw.refuses(tool, args, code, says);
      assert.doesNotMatch(message, /\.$|Basic |secret-/, "a sentence without secrets");
      assert.equal(duda.writes.length, before[1], `${tool} writes nothing`);
      if (sends === "nothing") assert.equal(duda.requests.length, before[0], `${tool} sends nothing`);
    },
    async write<T>(tool: string, args: Args, door: "rest" | "mcp" = "rest") {
      const answer = await gw.call<T>(tool, { ...args, confirm: true }, { door });
      parted(answer);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await duda.stop();
    },
  };
}

/** A test in such a world of its own. */
export const test = scenes(() => dudaWorld());
