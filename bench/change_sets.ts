/** How long change sets take at sites that answer after 150 ms: one change on forty sites, and fifty on one. */
import assert from "node:assert/strict";
import { startWordPressStandIn, type WordPressStandIn } from "../sandbox/wordpress_standin/start.ts";
import { addPost } from "../sandbox/wordpress_standin/state.ts";
import { type Gateway, inFolder, startGateway } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

const SITES = 40;
const ITEMS = 50;
const LATENCY_MS = 150;
const ROUNDS_MAX = 3;

interface Told {
  readonly set_id: string;
  readonly state: string;
  readonly confirm_token: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** The rows, in some two minutes. */
export async function changeSetRows(most: number): Promise<Line[]> {
  const rounds = Math.min(most, ROUNDS_MAX);
  await using stack = new AsyncDisposableStack();
  const sites = new Map<string, WordPressStandIn>();
  for (let n = 0; n < SITES; n++) {
    const cms = await startWordPressStandIn({ latency: LATENCY_MS });
    stack.defer(() => cms.stop());
    sites.set(`s-${n}`, cms);
  }
  return await inFolder(async (folder) => {
    const bodies = [...sites].map(([id, cms]) => bodyOf(id, cms));
    await using gateway = await startGateway(folder, bodies, { ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1" });
    const forty = await measured(gateway, sites, rounds, [...sites.keys()]);
    const fifty = await measured(gateway, sites, rounds, Array<string>(ITEMS).fill("s-0"));
    return [
      ...linesOf(`one post changed on each of ${SITES} sites`, forty, {
        prepared: "under 20 s",
        carriedOut: "under 10 s",
      }),
      ...linesOf(`${ITEMS} posts changed on one site`, fifty, { prepared: "under 20 s", carriedOut: "" }),
    ];
  });
}

function bodyOf(id: string, { base_url, users: { admin } }: WordPressStandIn) {
  const { username, application_password } = admin;
  return {
    id,
    name: id,
    platform: "cms",
    base_url,
    credentials: { cms: { username, application_password } },
  };
}

interface Measured {
  readonly prepared: number;
  readonly carriedOut: number;
  readonly singly: number;
  readonly requests: number;
  readonly atOnce: number;
}

/** A set of an item on each of those sites, another post each time, and the same by calls of their own in a row. */
async function measured(
  gateway: Gateway,
  sites: ReadonlyMap<string, WordPressStandIn>,
  rounds: number,
  ids: readonly string[],
): Promise<Measured> {
  const [prepared, carriedOut, singly]: [number[], number[], number[]] = [[], [], []];
  const all = [...sites.values()];
  let requests = 0;
  let atOnce = 0;
  for (let round = 0; round <= rounds; round++) {
    const change = (id: string, n: number) => {
      const { id: post_id } = addPost(sites.get(id)!.state, { type: "post", author: 2, title: `Old ${n}` });
      return { tool: "update_draft", arguments: { site_id: id, post_id, title: `New ${round} ${n}` } };
    };
    const order = { title: "Bench", changes: ids.map(change) };
    let shown: Told | null = null;
    const preparing = await timed(async () => shown = await set(gateway, order));
    for (const cms of all) cms.clear();
    const call = { ...order, confirm: true, confirm_token: shown!.confirm_token, wait_seconds: 40 };
    const doing = await timed(async () =>
      assert.deepEqual((await set(gateway, call)).counts, { done: ids.length })
    );
    // Beside them the gateway asks sites for tools of their own now and then.
    const times = all.flatMap((cms, site) =>
      cms.requests.filter(({ path }) => path.includes("/posts/")).map(({ at }) => ({ site, at }))
    );
    if (round === 0) continue; // each site is looked at for the first time
    prepared.push(preparing);
    carriedOut.push(doing);
    requests = times.length;
    atOnce = sitesAtOnce(times);
    const again = ids.map(change);
    singly.push(
      await timed(async () => {
        for (const { tool, arguments: args } of again) await gateway.call(tool, args);
      }),
    );
  }
  const [a, b, c] = [prepared, carriedOut, singly].map(median) as [number, number, number];
  return { prepared: a, carriedOut: b, singly: c, requests, atOnce };
}

/** Of how many sites some request and its last are on either side of a moment, at most. */
function sitesAtOnce(times: readonly { site: number; at: number }[]): number {
  const spans = [...Map.groupBy(times, ({ site }) => site).values()].map((own) => {
    const all = own.map(({ at }) => at);
    return { from: Math.min(...all), to: Math.max(...all) };
  });
  return Math.max(
    ...spans.map(({ from }) => spans.filter((one) => one.from <= from && from < one.to).length),
  );
}

function linesOf(
  name: string,
  { prepared, carriedOut, singly, requests, atOnce }: Measured,
  aims: { readonly prepared: string; readonly carriedOut: string },
): Line[] {
  return [
    { name: `${name}: prepared`, figure: ms(prepared), beside: "", aim: aims.prepared },
    {
      name: "carried out",
      figure: `${ms(carriedOut)}, ${requests} requests, ${atOnce} ${atOnce === 1 ? "site" : "sites"} at once`,
      beside: `${ms(singly)} for the same by confirmed calls one after another`,
      aim: aims.carriedOut,
    },
  ];
}

async function set({ url, token }: Gateway, args: Readonly<Record<string, unknown>>): Promise<Told> {
  const response = await fetch(`${url}/api/v1/tools/prepare_changes`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(args),
  });
  const { ok, result, error } = await response.json();
  if (!ok) throw new Error(`${error.code}: ${error.message}`);
  return result;
}
