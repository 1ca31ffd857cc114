/** A kit whose sites are linked to the workspaces of a topic-planning stand-in, every exchange held to its contract. */
import assert from "node:assert/strict";
import type { Door } from "../../core/model.ts";
import {
  OTHER_WORKSPACE_ID,
  startTopicMap,
  type TopicMapStandIn,
  WORKSPACE_ID,
} from "../../sandbox/topic_map/start.ts";
import { type Args, Calls, type Preview } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, NOW, site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { faultsOf } from "../sandbox/topic_map_openapi.ts";

const flags = { allow_topicmap_write: true };

/** "linked" may be written to, "closed" not; "viewed" is where the bot may only read; "bare" has no workspace. */
const SITES = [
  site("linked", "cms", { topicmap_workspace_id: WORKSPACE_ID, flags }),
  site("files", "static", { topicmap_workspace_id: WORKSPACE_ID, flags }),
  site("closed", "cms", { topicmap_workspace_id: WORKSPACE_ID }),
  site("viewed", "crm", { topicmap_workspace_id: OTHER_WORKSPACE_ID, flags }),
  site("strange", "sitebuilder", { topicmap_workspace_id: "ws_strange", flags }),
  site("bare", "cms", { flags }),
];

/** A kit and its stand-in, which lives by the kit's clock. */
export class TopicWorld extends Calls {
  protected readonly secrets = /bot-[0-9a-f]{8}/;

  constructor(gw: Kit, readonly service: TopicMapStandIn) {
    super(gw);
  }

  /** Opens one; dispose of it with `await using`. `env` takes settings away. */
  static async open(
    options: KitOptions = {},
    env: Readonly<Record<string, string | null>> = {},
  ): Promise<TopicWorld> {
    let now = () => NOW;
    const service = startTopicMap({ now: () => now() });
    const gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      ...options,
      sites: [...SITES, ...options.sites ?? []],
      settings: { upstream: { ...service.env, ...env } },
      http: { sleep: () => Promise.resolve(), ...options.http },
    });
    now = () => gw.clock.now;
    return new TopicWorld(gw, service);
  }

  protected override written(): number {
    return this.service.writes.length;
  }

  /** Every write of topic planning is of tier 2. */
  override async preview(tool: string, args: Args): Promise<Preview> {
    const shown = await super.preview(tool, args);
    assert.equal(shown.tier, 2);
    return shown;
  }

  /** One request is a write. */
  override async write<T = Args>(door: Door, tool: string, args: Args) {
    const before = this.written();
    const wrote = await super.write<T>(door, tool, args);
    assert.equal(this.written(), before + 1, `${tool} writes once`);
    return wrote;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
    await this.service.stop();
    const asked = this.service.requests.flatMap(faultsOf);
    assert.deepEqual([...new Set(asked)], [], "what was asked and answered is described");
  }
}

/** A test in such a world of its own. */
export const test = scenes(() => TopicWorld.open());
