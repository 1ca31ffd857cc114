/** What topic planning costs the gateway: each kind of call at the stand-in, and the summary of a map of 20 MB. */
import assert from "node:assert/strict";
import { Summarizer } from "../platforms/topic_map/summary.ts";
import { LIMITS } from "../core/model.ts";
import { MAP_ID, mapOf, startTopicMap, WORKSPACE_ID } from "../sandbox/topic_map/start.ts";
import { type Gateway, inFolder, startGateway } from "./gateway.ts";
import { type Call, standInRows } from "./stand_in.ts";
import { type Line, ms } from "./table.ts";
import { inTurn, median, timed } from "./timing.ts";

const SITE = {
  id: "acme",
  name: "acme",
  platform: "cms",
  base_url: "https://acme.example",
  topicmap_workspace_id: WORKSPACE_ID,
  flags: { allow_topicmap_write: true },
};
const AIM_MS = 500;
const AIM_MIB = 100;
/** So many of these make 20 MB of JSON: lists that are cut at each of two depths. */
const LARGE = { clusters: 20_000, keywords: 80_000 } as const;
const WARMING = 5;

/** The rows. */
export async function topicMapRows(rounds: number): Promise<Line[]> {
  return [...await callRows(rounds), ...await summaryRows(rounds)];
}

const startAt = (folder: string, env: Readonly<Record<string, string>>): Promise<Gateway> =>
  startGateway(folder, [SITE], { ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1", ...env });

async function callRows(rounds: number): Promise<Line[]> {
  await using service = startTopicMap();
  return await inFolder(async (folder) => {
    await using gateway = await startAt(folder, service.env);
    return await standInRows(gateway, service, CALLS, { rounds });
  });
}

const call = (
  tool: string,
  args: (round: number) => Readonly<Record<string, unknown>> = () => ({}),
): Call => ({
  tool,
  args: (round) => ({ site_id: SITE.id, ...args(round) }),
});
const CALLS: readonly Call[] = [
  call("topicmap_list_topical_maps"),
  call("topicmap_get_topical_map", () => ({ topical_map_id: MAP_ID })),
  call("topicmap_get_knowledge_graph", () => ({ topical_map_id: MAP_ID })),
  call("topicmap_get_content_brief", () => ({ content_brief_id: "brief_approved" })),
  call("topicmap_list_workspace_audits"),
  call("topicmap_get_content_audit", () => ({ content_audit_id: "audit_9", include_steps: true })),
  call("topicmap_get_content_job_output", () => ({ content_job_id: "job_completed" })),
  call(
    "topicmap_create_content_job",
    (round) => ({ keyword: `bench ${round}`, content_type: "blog_article" }),
  ),
  call("topicmap_create_content_audit", (round) => ({
    source_type: "published_url",
    source_url: `https://client.example/${round}`,
  })),
];

/** A service that has nothing but one map, ready to be sent. */
function serveMap(bytes: Uint8Array<ArrayBuffer>): Deno.HttpServer<Deno.NetAddr> {
  const headers = { "content-type": "application/json" };
  return Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(bytes, { headers }),
  );
}

async function summaryRows(rounds: number): Promise<Line[]> {
  const map = { ...mapOf(MAP_ID, Date.now(), LARGE.clusters, LARGE.keywords), workspace_id: WORKSPACE_ID };
  const bytes = new TextEncoder().encode(JSON.stringify(map));
  const size = `${(bytes.length / 1024 / 1024).toFixed(1)} MiB`;
  await using service = serveMap(bytes);
  const base = `http://127.0.0.1:${service.addr.port}`;
  return await inFolder(async (folder) => {
    await using gateway = await startAt(folder, {
      TOPICMAP_BASE_URL: base,
      TOPICMAP_BOT_TOKEN: "bench",
    });
    const read = async () => {
      const answer = await gateway.call("topicmap_get_topical_map", {
        site_id: SITE.id,
        topical_map_id: MAP_ID,
      });
      const { clusters } = answer as { clusters: unknown[] };
      assert.deepEqual(clusters.at(-1), {
        _truncated: true,
        total: LARGE.clusters,
        omitted: LARGE.clusters - LIMITS.SUMMARY_ITEMS,
      });
    };
    for (let round = 0; round < WARMING; round++) await gateway.call("list_sites", {});
    const first = await gateway.extraMib(read);
    const again = await gateway.extraMib(async () => {
      for (let round = 0; round < rounds; round++) await read();
    });
    const took = await inTurn(rounds, {
      gateway: read,
      bare: async () => assert.equal((await (await fetch(base)).bytes()).length, bytes.length),
    });
    const cuts: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const summarizer = new Summarizer(LIMITS.TOPICMAP_RESULT_BYTES);
      cuts.push(await timed(() => summarizer.add(bytes)));
      assert.ok("value" in summarizer.result());
    }
    return [
      {
        name: `topicmap_get_topical_map, the summary of a map of ${size}`,
        figure: ms(took.gateway),
        beside: `${ms(took.bare)} for the map by a bare client; ${
          ms(median(cuts.slice(1)))
        } for the cutting alone`,
        aim: `under ${AIM_MS} ms`,
      },
      {
        name: "the same, memory at its worst beside the idle gateway's",
        figure: `${first} MiB more`,
        beside: `${again} MiB more in ${rounds} further calls, one after the other`,
        aim: `under ${AIM_MIB} MiB`,
      },
    ];
  });
}
