/** The official clients of both SDK lines follow a call of the whole gateway page by page, and cancel one. */
import assert from "node:assert/strict";
import { type CrmStandIn, startCrm } from "../../sandbox/highlevel/start.ts";
import { type Kit, site } from "../kit.ts";
import { crowded } from "../tools/_crm.ts";
import { Client1, Client2, Transport1, Transport2 } from "../packages/mcp_clients.ts";
import { authorized } from "./held_fetch.ts";
import { start, type Started } from "./mcp_start.ts";

const INFO = { name: "test", version: "1.0.0" };
const FUNNEL = { name: "crm_compute_pipeline_funnel", arguments: { site_id: "client" } };

interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
interface Options {
  readonly onprogress: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}
interface Connected extends AsyncDisposable {
  call(options: Options): Promise<unknown>;
}

async function first({ url, token }: Started): Promise<Connected> {
  const client = new Client1(INFO);
  await client.connect(new Transport1(new URL(url), authorized(token)));
  return {
    call: (options) => client.callTool(FUNNEL, undefined, options),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const second = (mode?: "auto" | { pin: string }) => async ({ url, token }: Started): Promise<Connected> => {
  const client = new Client2(INFO, mode === undefined ? {} : { versionNegotiation: { mode } });
  await client.connect(new Transport2(new URL(url), authorized(token)));
  return { call: (options) => client.callTool(FUNNEL, options), [Symbol.asyncDispose]: () => client.close() };
};

const CLIENTS: Record<string, (started: Started) => Promise<Connected>> = {
  "@modelcontextprotocol/sdk": first,
  "@modelcontextprotocol/client": second(),
  "@modelcontextprotocol/client, auto": second("auto"),
  "@modelcontextprotocol/client, pinned to 2026-07-28": second({ pin: "2026-07-28" }),
};

/** A gateway with a CRM site of 3,000 opportunities, and a client of it. */
async function opened(connect: (started: Started) => Promise<Connected>) {
  const crm: CrmStandIn = startCrm({
    world: crowded(3000, Date.now()),
    latency: 30,
    unruly: { search: { closed: true } },
  });
  let kit: Kit | null = null;
  const started = await start({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    settings: { upstream: { CRM_API_BASE: crm.base_url } },
    sites: [site("client", "crm", {
      crm_location_id: crm.location_id,
      credentials: { crm: { integration_token: crm.token } },
    })],
  }, (opened) => void (kit = opened));
  const client = await connect(started);
  return {
    crm,
    client,
    kit: kit as unknown as Kit,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await started.stop();
      await crm.stop();
    },
  };
}

for (const [name, connect] of Object.entries(CLIENTS)) {
  Deno.test(`${name} is told of each page, then of the result`, async () => {
    await using at = await opened(connect);
    const told: Progress[] = [];
    const answer = await at.client.call({ onprogress: (one) => void told.push(one) }) as {
      content: { text: string }[];
    };
    assert.equal(JSON.parse(answer.content[0]!.text).totals.opportunities, 3000);
    assert.equal(told.length, 31, "the pipelines, and 30 pages");
    assert.deepEqual(told.map(({ progress }) => progress), told.map((_, at) => at + 1));
    assert.deepEqual([told[0]?.message, told[0]?.total], ["1 pipelines", undefined]);
    assert.deepEqual([told[3]?.message, told[3]?.total], ["300 of 3000 opportunities", 31]);
  });

  Deno.test(`${name} cancels a call: the CRM is asked no more, and the audit says so`, async () => {
    await using at = await opened(connect);
    const stop = new AbortController();
    // From then on the CRM leaves requests unanswered: only the cancelling ends the call, however slow the machine is.
    at.crm.inject({ kind: "hang" }, { while: () => stop.signal.aborted && !over });
    let over = false;
    await assert.rejects(at.client.call({
      signal: stop.signal,
      onprogress: ({ progress }) => {
        if (progress === 3) stop.abort(new Error("enough"));
      },
    }));
    let [row] = await at.kit.audit();
    for (let looks = 0; row === undefined && looks < 50_000; looks++) [row] = await at.kit.audit();
    assert.deepEqual([row?.tool, row?.status, row?.error], [FUNNEL.name, "error", "E_CANCELLED"]);
    const asked = at.crm.requests.length;
    assert.ok(asked < 32, `${asked} of 32 requests`);
    over = true;
    await at.client.call({ onprogress: () => {} });
  });
}
