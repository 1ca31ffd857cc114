/** What keeping the catalogues of sites' own tools costs everybody else: how long it holds up the event loop. */
import assert from "node:assert/strict";
import { type Gateway, openGateway, readRegistry } from "../gateway/wire.ts";
import { readSettings } from "../core/settings.ts";
import { inFolder } from "./gateway.ts";
import { freePort, start } from "./process.ts";
import { type Line, ms } from "./table.ts";
import { timed } from "./timing.ts";

const SITES = 200;
const TOOLS = 76;
const TICK_MS = 1;
const CREDENTIALS = { cms: { username: "admin", application_password: "aaaa bbbb cccc dddd" } };

/** The rows. */
export async function upkeepRows(): Promise<Line[]> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  await using _server = await start(
    ["bench/tool_server.ts", String(port), String(TOOLS), "0"],
    url,
    "/healthz",
  );
  return await inFolder((folder) =>
    withSites(environment(`${folder}/store.sqlite3`), url, (gateway, ids) => rowsOf(gateway, ids, url))
  );
}

/** The settings of a gateway whose sites are on this machine. */
export const environment = (path: string): Record<string, string> => ({
  KV_PATH: path,
  MASTER_TOKEN: crypto.getRandomValues(new Uint8Array(32)).toHex(),
  ENCRYPTION_KEYS: crypto.getRandomValues(new Uint8Array(32)).toBase64(),
  ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
  RATE_LIMIT_TOKEN: "0",
  RATE_LIMIT_SITE: "0",
});

/** A gateway in this process with sites of that tool server, for as long as they are used. */
export async function withSites<T>(
  env: Record<string, string>,
  url: string,
  use: (gateway: Gateway, ids: readonly string[]) => Promise<T>,
): Promise<T> {
  const registry = await readRegistry();
  const settings = readSettings((name) => env[name], "start", registry.connectors.settings);
  const gateway = await openGateway(settings, registry, { log: () => {} });
  const ids = Array.from({ length: SITES }, (_, at) => `s-${at}`);
  try {
    for (const id of ids) {
      const more = { base_url: `${url}/${id.replace("-", "")}`, credentials: CREDENTIALS };
      await gateway.store.sites.create({ id, name: `Site ${id}`, platform: "cms", ...more });
    }
    return await use(gateway, ids);
  } finally {
    await gateway.close();
  }
}

/** The text of a token that may do everything on those sites. */
export async function tokenFor({ store }: Gateway, allowed_sites: readonly string[]): Promise<string> {
  const more = { allowed_tools: ["*"], max_risk: 4, skip_write_confirm: false, owner_user_id: null } as const;
  return (await store.tokens.create({ name: "bench", env: "dev", allowed_sites, ...more })).text;
}

/** This process notices how long it is held up. */
async function rowsOf(gateway: Gateway, ids: readonly string[], url: string): Promise<Line[]> {
  const { store: { sites, toolCatalogs }, catalog } = gateway;
  const fetched = () => held(async () => void await gateway.toolCatalogs.run());
  const made = () => held(async () => void await catalog.fresh());
  const rows = [
    {
      ...stall("while a process loads what its first request to an upstream needs", await held(loaded)),
      aim: "",
    },
    stall(`event loop held up while ${SITES} sites' lists of ${TOOLS} tools are fetched`, await fetched()),
    stall("while they are made into tools", await made()),
    stall("while nothing is due", await fetched()),
  ];
  assert.ok(catalog.names().includes("builder-mcp-list-templates"), "the sites' tools are offered");
  for (const id of ids) await sites.update(id, { credentials: CREDENTIALS });
  rows.push(stall("while the same lists are fetched again", await fetched()));
  // A site with another address is listed at once.
  const [changed, large, events] = ids as [string, string, string];
  await sites.update(changed, { base_url: `${url}/changed`, credentials: CREDENTIALS });
  rows.push(
    stall("while one site's list has changed: fetched", await fetched()),
    stall("and made into tools", await made()),
  );
  await sites.update(large, { base_url: `${url}/large`, credentials: CREDENTIALS });
  rows.push(
    stall("while one site's list has 4 MiB: fetched", await fetched()),
    stall("and made into tools", await made()),
  );
  await sites.update(events, { base_url: `${url}/events`, credentials: CREDENTIALS });
  rows.push(stall("while one site's list has 4 MiB as an event stream: fetched", await fetched()));
  const { failure, listed } = (await toolCatalogs.list(large)).find(({ exists }) => exists)!;
  assert.ok(failure === null && listed > 1000, `the large list is read: ${failure ?? listed}`);
  const streamed = (await toolCatalogs.list(events)).find(({ exists }) => exists)!;
  assert.equal(streamed.listed, listed, `and as an event stream: ${streamed.failure}`);
  return rows;
}

/** What is not needed to start, and is loaded once. */
async function loaded(): Promise<void> {
  await import("../guard/proxied/refresh.ts");
  await import("../platforms/tool_servers/client.ts");
  await import("../platforms/wordpress/rest/wordpress_client.ts");
  await import("../platforms/_http/transport.ts");
}

const stall = (name: string, { took, longest, worked }: Held): Line => ({
  name,
  figure: `${ms(longest)} at the longest`,
  beside: `${ms(worked)} of processor time, ${ms(took)} in all`,
  aim: "under 20 ms",
});

/** How long some work took, how long it held up the event loop at the longest, and how long it worked in one go. */
interface Held {
  readonly took: number;
  readonly longest: number;
  readonly worked: number;
}

async function held(work: () => Promise<void>): Promise<Held> {
  let [longest, worked, at, used] = [0, 0, performance.now(), processorMs()];
  const tick = () => {
    const [now, usedNow] = [performance.now(), processorMs()];
    longest = Math.max(longest, now - at - TICK_MS);
    worked = Math.max(worked, usedNow - used);
    [at, used] = [now, usedNow];
  };
  const timer = setInterval(tick, TICK_MS);
  try {
    const took = await timed(work);
    tick();
    return { took, longest, worked };
  } finally {
    clearInterval(timer);
  }
}

/** Processor time that this thread has used, in milliseconds, as Linux tells it; 0 where nobody does. */
function processorMs(): number {
  try {
    return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}
