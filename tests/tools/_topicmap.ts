/** A kit whose sites are linked to the workspaces of a topic-planning stand-in, every exchange held to its contract. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { AuditRow, Door } from "../../core/model.ts";
import {
  OTHER_WORKSPACE_ID,
  startTopicMap,
  type TopicMapStandIn,
  WORKSPACE_ID,
} from "../../sandbox/topic_map/start.ts";
import { type Args, lasting, type Preview, type Refusal } from "../cms_kit.ts";
import { parted, type Proof } from "../proof.ts";
import { gateway, type Kit, type KitOptions, NOW, site } from "../kit.ts";
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
export class TopicWorld implements AsyncDisposable {
  constructor(readonly gw: Kit, readonly service: TopicMapStandIn) {}

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

  /** The answer of a read, the same through both doors, nothing written, each audited. */
  async both<T = Args>(tool: string, args: Args, as?: string): Promise<T> {
    const rest = await this.gw.call<T>(tool, args, { door: "rest", as });
    assert.deepEqual(await this.gw.call<T>(tool, args, { door: "mcp", as }), rest, `${tool}: alike`);
    assert.deepEqual(this.service.writes, [], `${tool} writes nothing`);
    for (const row of await this.rows(2)) {
      assert.deepEqual([row.tool, row.tier, row.status, row.error], [tool, 0, "ok", null]);
    }
    return rest;
  }

  /** The preview, the same through both doors, nothing written. */
  async preview(tool: string, args: Args): Promise<Preview> {
    const before = this.service.writes.length;
    const rest = await this.gw.call<Preview>(tool, args, { door: "rest" });
    const mcp = await this.gw.call<Preview>(tool, { ...args, confirm: false }, { door: "mcp" });
    assert.deepEqual(lasting(mcp), lasting(rest), `${tool}: both doors preview alike`);
    assert.deepEqual([rest.needs_confirmation, rest.tool, rest.tier], [true, tool, 2]);
    assert.equal(this.service.writes.length, before, `a preview of ${tool} writes nothing`);
    return rest;
  }

  /** A confirmed write through one door: its result, what it proved, and its audit row; one request is a write. */
  async write<T = Args>(
    door: Door,
    tool: string,
    args: Args,
  ): Promise<{ done: T; proof: Proof; row: AuditRow }> {
    const before = this.service.writes.length;
    const { done, proof } = parted<T>(await this.gw.call(tool, { ...args, confirm: true }, { door }));
    assert.equal(this.service.writes.length, before + 1, `${tool} writes once`);
    const [row] = await this.rows(1);
    assert.ok(row);
    assert.deepEqual([row.tool, row.door, row.status, row.error], [tool, door, "ok", null]);
    assert.equal(proof.request_id, row.request_id);
    return { done, proof, row };
  }

  /** Asserts the code through both doors, what left, and the audit; answers the message. */
  async refuses(tool: string, args: Args, code: Code, expected: Refusal): Promise<string> {
    const { says, sends = "nothing", audit = "error", as } = expected;
    const before = this.gw.requests.length;
    const message = await this.gw.refuses(tool, args, code, { as });
    assert.match(message, says);
    assert.doesNotMatch(message, /\.$|bot-[0-9a-f]{8}/, "a sentence without secrets");
    const sent = this.gw.requests.slice(before);
    if (sends === "nothing") assert.deepEqual(sent, [], `${tool} sends nothing`);
    if (sends === "reads") {
      assert.ok(sent.every(({ method }) => method === "GET"), `${tool} sends reads alone`);
    }
    for (const row of await this.rows(2)) {
      assert.deepEqual([row.tool, row.status, row.error], [tool, audit, code]);
    }
    return message;
  }

  /** The newest audit rows. */
  async rows(count: number): Promise<AuditRow[]> {
    return (await this.gw.store.audit.list({}, { limit: count })).rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
    await this.service.stop();
    const asked = this.service.requests.flatMap(faultsOf);
    assert.deepEqual([...new Set(asked)], [], "what was asked and answered is described");
  }
}
