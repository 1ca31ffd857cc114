/** What keeping the catalogues of sites' own tools costs everybody else: how long it holds up the event loop. */
import assert from "node:assert/strict";
import { openGateway, readRegistry } from "../gateway.ts";
import { readSettings } from "../settings.ts";
import { type Line, ms } from "./table.ts";
import { timed } from "./timing.ts";

const SITES = 200;
const TICK_MS = 1;
const CREDENTIALS = { cms: { username: "admin", application_password: "aaaa bbbb cccc dddd" } };

/** How many sites the token reaches, and how many tools each has. */
interface Sizes {
  readonly listed: number;
  readonly tools: number;
}

/** Registers sites and has their tools listed, in this process, which notices how long it is held up; a token for some. */
export async function upkeep(
  env: Record<string, string>,
  url: string,
  { listed, tools }: Sizes,
): Promise<{ token: string; rows: Line[] }> {
  const registry = await readRegistry();
  const settings = readSettings((name) => env[name], "start", registry.connectors.settings);
  const gateway = await openGateway(settings, registry, { log: () => {} });
  const { store: { sites, tokens }, toolCatalogs, catalog } = gateway;
  const ids = Array.from({ length: SITES }, (_, at) => `s-${at}`);
  const run = async () => void await toolCatalogs.run();
  const made = async () => void await catalog.fresh();
  try {
    for (const id of ids) {
      const more = { base_url: `${url}/${id.replace("-", "")}`, credentials: CREDENTIALS };
      await sites.create({ id, name: `Site ${id}`, platform: "cms", ...more });
    }
    const { text: token } = await tokens.create({
      name: "bench",
      env: "dev",
      allowed_sites: ids.slice(0, listed),
      allowed_tools: ["*"],
      max_risk: 4,
      skip_write_confirm: false,
      owner_user_id: null,
    });
    const rows = [
      stall(`event loop held up while ${SITES} sites' lists of ${tools} tools are fetched`, await held(run)),
      stall("while they are made into tools", await held(made)),
      stall("while nothing is due", await held(run)),
    ];
    assert.ok(catalog.names().includes("builder-mcp-list-templates"), "the sites' tools are offered");
    for (const id of ids) await sites.update(id, { credentials: CREDENTIALS });
    rows.push(stall("while the same lists are fetched again", await held(run)));
    // A site that stands elsewhere is listed at once; these are none that the token reaches.
    const [changed, large] = ids.slice(-2) as [string, string];
    await sites.update(changed, { base_url: `${url}/changed`, credentials: CREDENTIALS });
    rows.push(
      stall("while one site's list has changed: fetched", await held(run)),
      stall("and made into tools", await held(made)),
    );
    await sites.update(large, { base_url: `${url}/large`, credentials: CREDENTIALS });
    rows.push(
      stall("while one site's list has 4 MiB: fetched", await held(run)),
      stall("and made into tools", await held(made)),
    );
    const { failure, listed: count } = (await gateway.store.toolCatalogs.list(large)).find(({ exists }) =>
      exists
    )!;
    assert.ok(failure === null && count > 1000, `the large list is read: ${failure ?? count}`);
    return { token, rows };
  } finally {
    await gateway.close();
  }
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
