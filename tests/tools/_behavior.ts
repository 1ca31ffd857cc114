/** A kit with sites at a stand-in for the behavior projects, on one clock; nothing may be left of a token anywhere. */
import assert from "node:assert/strict";
import { type ClarityStandIn, startClarity } from "../../sandbox/clarity/start.ts";
import type { Code } from "../../core/errors.ts";
import type { StandInOptions } from "../../sandbox/core/vendor.ts";
import type { Site } from "../../core/model.ts";
import type { NewSite } from "../../store/store.ts";
import type { Args } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

export type { Args } from "../cms_kit.ts";

export const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;
/** When the day of the tests begins: 2026-11-21, UTC. */
export const MIDNIGHT = Date.parse("2026-11-21T00:00:00Z");

/** One call of every tool, as a caller would make it. */
export const CALLS: Readonly<Record<string, Args>> = {
  behavior_get_project_info: {},
  behavior_get_metrics: { num_of_days: 2, dimensions: ["Device", "URL"] },
  behavior_get_session_recordings: { num_of_days: 3 },
  behavior_get_heatmap_metrics: { by_url: true },
  behavior_get_historical_metrics: { days: 7, include_daily: true },
};
/** Those that ask the upstream. */
export const PULLS = Object.keys(CALLS).filter((tool) => tool !== "behavior_get_historical_metrics");

/** A project's quota as answers show it. */
export interface Quota {
  readonly used_today: number;
  readonly limit: number;
  readonly left: number;
  readonly exhausted: boolean;
  readonly resets_at: string;
  readonly reserved: number;
}

/** What every answer has. */
export interface Answer extends Record<string, unknown> {
  readonly project_id: string;
  readonly cached: boolean;
  readonly fetched_at: string;
  readonly quota: Quota;
}

/** How a world is opened: with its stand-in set up so, or at one there is. */
export interface BehaviorWorldOptions extends KitOptions {
  readonly clarity?: StandInOptions;
  readonly standIn?: ClarityStandIn;
  /** Another instance on a store where the sites are already. */
  readonly second?: true;
}

/** A site of a kind that is linked to a project of the stand-in. */
export function linked(
  clarity: ClarityStandIn,
  id: string,
  project = id,
  platform: Site["platform"] = "crm",
): NewSite {
  const credentials = { behavior: { export_token: clarity.project(project).token } };
  return site(id, platform, { base_url: null, behavior_project_id: project, credentials });
}

/** A kit and its stand-in. Sites: "client" is linked to project "p1", "tokenless" and "nowhere" are not. */
export class BehaviorWorld implements AsyncDisposable {
  constructor(readonly gw: Kit, readonly clarity: ClarityStandIn, readonly isOwn: boolean) {}

  /** Opens one at noon; dispose of it with `await using`. */
  static async open(
    { clarity: options, standIn, second, ...kit }: BehaviorWorldOptions = {},
  ): Promise<BehaviorWorld> {
    const clock = { now: () => kit.start ?? MIDNIGHT + 12 * HOUR };
    const clarity = standIn ?? startClarity({ now: () => clock.now(), ...options });
    const { token } = clarity.project("p1");
    const gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      start: MIDNIGHT + 12 * HOUR,
      ...kit,
      settings: { ...kit.settings, upstream: { ...clarity.env, ...kit.settings?.upstream } },
      sites: second ? [] : [
        linked(clarity, "client", "p1"),
        site("tokenless", "crm", { behavior_project_id: "p1" }),
        site("nowhere", "cms", { credentials: { behavior: { export_token: token } } }),
        ...kit.sites ?? [],
      ],
    });
    clock.now = () => gw.clock.now;
    return new BehaviorWorld(gw, clarity, standIn === undefined);
  }

  /** Further sites. */
  async add(...sites: NewSite[]): Promise<void> {
    for (const one of sites) assert.ok(await this.gw.store.sites.create(one), one.id);
  }

  /** The answer through one door. */
  async ask<T = Answer>(tool: string, args: Args = {}, door: "rest" | "mcp" = "rest"): Promise<T> {
    return await this.gw.call<T>(tool, { site_id: "client", ...args }, { door });
  }

  /** The refusal, the same through both doors. */
  async refuses(tool: string, args: Args, code: Code, says?: RegExp): Promise<string> {
    return await this.gw.refuses(tool, { site_id: "client", ...args }, code, says);
  }

  /** The run that is due at that time. */
  async night(at: number): Promise<void> {
    this.gw.clock.now = at;
    await this.gw.gateway.snapshots.run();
  }

  /** No token stands in a log line, in a row, or in what was asked but its one header; the project was only read. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      const seen = JSON.stringify([this.gw.logged, await this.gw.audit(), this.gw.requests]);
      assert.ok(!seen.includes("eyJ."), "no token is told");
      for (const { method, headers, target } of this.clarity.requests) {
        assert.equal(method, "GET");
        assert.ok(!target.includes("eyJ."));
        const told = Object.keys(headers).filter((name) => headers[name]!.includes("eyJ."));
        assert.deepEqual(told.filter((name) => name !== "authorization"), []);
      }
    } finally {
      await this.gw[Symbol.asyncDispose]();
      if (this.isOwn) await this.clarity.stop();
    }
  }
}

/** A test in such a world of its own. */
export const test = scenes(() => BehaviorWorld.open());
