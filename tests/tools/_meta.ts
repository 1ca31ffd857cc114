/** A kit with a site whose ads are at a stand-in for Meta, connected by one user, on one clock that only waiting moves. */
import assert from "node:assert/strict";
import {
  type MetaFault,
  type MetaOptions,
  type MetaStandIn,
  OWN,
  startMeta,
} from "../../sandbox/meta_ads/start.ts";
import { type Args, Calls } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, NOW, owned, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

export type { Args } from "../cms_kit.ts";

/** One call of every tool. */
export const CALLS: Readonly<Record<string, Args>> = {
  get_social_ads_insights: {},
  list_social_ad_accounts: {},
  get_social_ad_account: {},
  list_social_campaigns: {},
  list_social_adsets: {},
  list_social_ads: {},
};
/** Those that need an ad account, not only a connection. */
export const OF_ACCOUNT = Object.keys(CALLS).filter((name) => name !== "list_social_ad_accounts");

/** A page of a report. */
export interface Report extends Args {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly paging: { readonly after: string | null };
  readonly notes: readonly string[];
}

/** The head of what stands at Meta now, as it was asked for when the kit opened. */
export const LIVE = {
  period: null,
  currency: null,
  complete: true,
  truncated: false,
  next: null,
  fresh_until: new Date(NOW).toISOString(),
  notes: [],
} as const;

/** An error of Meta's own, by its code. */
export const graph = (
  code: number,
  more: Partial<Extract<MetaFault, { kind: "graph" }>> = {},
): MetaFault => ({ kind: "graph", code, ...more });

export interface MetaWorldOptions extends KitOptions {
  readonly meta?: MetaOptions;
  /** How long the connection lives; null for no connection. */
  readonly life_ms?: number | null;
}

const DAY_MS = 86_400_000;
/** What a connection holds beyond its days, so that time that passes between two calls takes none of them. */
const HOUR_MS = 3_600_000;

/** A kit and its stand-in. Sites: "client" is linked; "unnamed" has no ad account, "unbound" no user. */
export class MetaWorld extends Calls {
  protected readonly secrets = /EAAB|app-secret/;

  constructor(
    gw: Kit,
    readonly meta: MetaStandIn,
    readonly waits: number[],
    /** Whose Meta account is used, and the connection's token. */
    readonly user_id: string,
    readonly token: string,
  ) {
    super(gw);
  }

  /** Opens one; dispose of it with `await using`. */
  static async open(
    { meta: options, life_ms = 60 * DAY_MS + HOUR_MS, ...kit }: MetaWorldOptions = {},
  ): Promise<MetaWorld> {
    const clock = { now: () => kit.start ?? NOW };
    const meta = startMeta({ now: () => clock.now(), ...options });
    const waits: number[] = [];
    const gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      ...kit,
      settings: { ...kit.settings, upstream: { ...meta.env, ...kit.settings?.upstream } },
      http: {
        sleep: (ms) => {
          waits.push(ms);
          gw.clock.now += Math.ceil(ms);
          return Promise.resolve();
        },
        ...kit.http,
      },
    });
    clock.now = () => gw.clock.now;
    const { user } = await owned(gw.store, { email: "ads@agency.example" });
    const token = meta.token(life_ms ?? 0);
    const world = new MetaWorld(gw, meta, waits, user.id, token);
    if (life_ms !== null) await world.connect(token, life_ms);
    const linked = { social_ad_account_id: `act_${OWN}`, social_ads_user_id: user.id };
    for (
      const one of [
        site("client", "cms", linked),
        site("bare", "static", { ...linked, social_ad_account_id: OWN }),
        site("unnamed", "crm", { ...linked, social_ad_account_id: null }),
        site("unbound", "crm", { ...linked, social_ads_user_id: null }),
        ...kit.sites ?? [],
      ]
    ) assert.ok(await gw.store.sites.create(one));
    return world;
  }

  /** Stores a connection as the consent page's answer would. */
  async connect(access_token: string, life_ms: number): Promise<void> {
    await this.gw.store.accounts.connect(this.user_id, "meta_ads", {
      account: "Ada Agency",
      access_token,
      expires_in: life_ms / 1000,
      scopes: ["public_profile", "ads_read"],
    });
  }

  protected override written(): number {
    return this.meta.writes.length;
  }

  /** Calls are of the site "client" unless a test says otherwise. */
  protected override filled(args: Args): Args {
    return { site_id: "client", ...args };
  }

  /** As every world's; nothing in the answer is a token. */
  override async both<T = Args>(tool: string, args: Args = {}): Promise<T> {
    const found = await super.both<T>(tool, args);
    assert.doesNotMatch(JSON.stringify(found), /EAAB|access_token|appsecret/, "no token, no link with one");
    return found;
  }

  /** The answer through one door. */
  async ask<T = Args>(tool: string, args: Args = {}): Promise<T> {
    return await this.gw.call<T>(tool, this.filled(args));
  }

  /** Of everything the gateway kept or said, what is a token or the app's secret. */
  async leaks(): Promise<string[]> {
    const kept = JSON.stringify([this.gw.logged, await this.gw.audit()]);
    return [this.token, this.meta.state.world.app.secret].filter((secret) => kept.includes(secret));
  }

  /** Nothing was written, no token stood in an address, and none is left anywhere. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      assert.deepEqual(this.meta.writes, [], "Meta is only read");
      const shown = this.meta.requests.filter(({ path, query }) =>
        path.includes("/act_") && ("access_token" in query || !("appsecret_proof" in query))
      );
      assert.deepEqual(shown.map(({ target }) => target), [], "signed, and no token in an address");
      assert.deepEqual(await this.leaks(), []);
    } finally {
      await this.gw[Symbol.asyncDispose]();
      await this.meta.stop();
    }
  }
}

/** A test in such a world of its own. */
export const test = scenes(() => MetaWorld.open());
