/** A kit with a site at a stand-in for the CRM, on one clock that only waiting moves. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import {
  type CrmOptions,
  type CrmStandIn,
  emptyWorld,
  startCrm,
  type World,
} from "../../sandbox/highlevel/start.ts";
import { type Args, assertAlike } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, NOW, site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { assertDescribed } from "../sandbox/highlevel_openapi.ts";

export type { Args } from "../cms_kit.ts";

/** One call of every tool, as a caller would make it on a seeded location. */
export const CALLS: Readonly<Record<string, Args>> = {
  "forms_get-submissions": { start_at: "2026-11-01", end_at: "2026-11-21" },
  crm_compute_pipeline_funnel: {},
  crm_compute_no_show_rate: {},
  crm_compute_sms_stats: {},
  crm_compute_tag_hygiene: {},
  crm_compute_reactivation_candidates: { idle_days: 20 },
  crm_get_funnel_stats: {},
  crm_bootstrap_baseline: {},
  crm_list_workflows: {},
  crm_get_workflow_executions: { workflow_id: "flow-0" },
  crm_compute_window_compare: {},
  crm_compute_opt_in_rate: {},
  crm_compute_form_submission_rate: {},
  crm_get_campaign_a2p_stats: {},
  crm_compute_missed_call_textback: {},
  crm_list_invoices: {},
  crm_compute_revenue_stats: {},
  crm_compute_lead_to_book: {},
};

/** A location with so many opportunities in one pipeline, all of the last days. */
export function crowded(count: number, now = NOW): World {
  const world = emptyWorld(`loc${crypto.randomUUID().slice(0, 8)}`, "UTC");
  const own = { locationId: world.location.id };
  world.pipelines.push({ id: "p", name: "Sales", stages: [{ id: "s", name: "New", position: 0 }] });
  for (let at = 0; at < count; at++) {
    world.opportunities.push({
      id: `o${at}`,
      pipelineId: "p",
      pipelineStageId: "s",
      status: "open",
      monetaryValue: 1,
      createdAt: new Date(now - at * 1000).toISOString(),
      ...own,
    });
  }
  return world;
}

/** What every answer has. */
export interface Answer extends Record<string, unknown> {
  readonly location_id: string;
  readonly window: { readonly start_at: string; readonly end_at: string; readonly days: number } | null;
  readonly notes: readonly string[];
}

/** How a world is opened: with its stand-in set up so, or at one there is. */
export interface CrmWorldOptions extends KitOptions {
  readonly crm?: CrmOptions;
  readonly standIn?: CrmStandIn;
  /** Set where its store is one that another world has registered the sites in. */
  readonly registered?: true;
}

/** A kit and its stand-in. Sites: "client" is linked, "tokenless" and "nowhere" are not, "blog" is a CMS that is. */
export class CrmWorld implements AsyncDisposable {
  constructor(readonly gw: Kit, readonly crm: CrmStandIn, readonly waits: number[]) {}

  /** Opens one; dispose of it with `await using`. */
  static async open({ crm: options, standIn, registered, ...kit }: CrmWorldOptions = {}): Promise<CrmWorld> {
    const clock = { now: () => kit.start ?? NOW };
    const crm = standIn ?? startCrm({ now: () => clock.now(), ...options });
    const waits: number[] = [];
    const credentials = { crm: { integration_token: crm.token } };
    const linked = { crm_location_id: crm.location_id, credentials };
    const gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      ...kit,
      settings: { ...kit.settings, upstream: { CRM_API_BASE: crm.base_url, ...kit.settings?.upstream } },
      sites: registered ? [] : [
        site("client", "crm", linked),
        site("tokenless", "crm", { crm_location_id: crm.location_id }),
        site("nowhere", "crm", { credentials }),
        site("blog", "cms", linked),
        ...kit.sites ?? [],
      ],
      http: {
        sleep: async (ms) => {
          waits.push(ms);
          const until = gw.clock.now + ms;
          await setImmediate(); // whatever waits at the same time waits from the same moment
          gw.clock.now = Math.max(gw.clock.now, until);
        },
        ...kit.http,
      },
    });
    clock.now = () => gw.clock.now;
    return new CrmWorld(gw, crm, waits);
  }

  /** The answer, the same through both doors. */
  async both<T = Answer>(tool: string, args: Args = {}): Promise<T> {
    const call = { site_id: "client", ...args };
    const rest = await this.gw.call<T>(tool, call, { door: "rest" });
    assertAlike(await this.gw.call(tool, call, { door: "mcp" }), rest, tool);
    return rest;
  }

  /** The answer through one door. */
  async ask<T = Answer>(tool: string, args: Args = {}): Promise<T> {
    return await this.gw.call<T>(tool, { site_id: "client", ...args });
  }

  /** The requests of a path so far. */
  asked(path: RegExp) {
    return this.crm.requests.filter((one) => path.test(one.path));
  }

  /** Holds every exchange to the vendor's description; stops the stand-in and the gateway. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.crm.requests.length > 0) assertDescribed(this.crm.requests);
      assert.deepEqual(this.crm.writes, [], "the CRM is only read");
    } finally {
      await this.gw[Symbol.asyncDispose]();
      await this.crm.stop();
    }
  }
}

/** A test in such a world of its own. */
export const test = scenes(() => CrmWorld.open());
