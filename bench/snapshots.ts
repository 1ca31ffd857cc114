/** How long the nightly run takes over many sites: the whole gateway on a store on disk, and a stand-in that is slow. */
import assert from "node:assert/strict";
import { type Gateway, openGateway, readRegistry, type Replacements } from "../gateway/wire.ts";
import { LIMITS } from "../core/model.ts";
import { createHttp } from "../platforms/_http/http.ts";
import { readSettings } from "../core/settings.ts";
import { type ClarityStandIn, startClarity } from "../sandbox/clarity/start.ts";
import { inFolder } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { timed } from "./timing.ts";

const SITES = 500;
const BROKEN = 50;
const LATENCY_MS = 200;
const DAY_MS = 24 * 60 * 60 * 1000;
const DUE = Date.UTC(2026, 10, 21) + LIMITS.SNAPSHOT_DUE_MS;

/** The rows, in about two minutes; one night each, for a night is long. */
export async function snapshotRows(): Promise<Line[]> {
  return await inFolder(async (folder) => {
    await using clarity = startClarity({ latency: LATENCY_MS, now: () => now() });
    let since = DUE;
    let began = performance.now();
    const now = () => since + Math.floor(performance.now() - began);
    using http = createHttp({ allowPrivate: ["127.0.0.1"], now });
    const gateway = await open(`${folder}/store.sqlite3`, clarity, { now, http });
    try {
      for (let at = 0; at < SITES; at++) {
        const project = clarity.project(`p-${at}`);
        const credentials = { behavior: { export_token: project.token } };
        const site = {
          id: `s-${at}`,
          name: `Site ${at}`,
          platform: "cms",
          behavior_project_id: project.id,
        } as const;
        await gateway.store.sites.create({ ...site, credentials });
      }
      const night = async (date: number) => {
        [since, began] = [date, performance.now()];
        clarity.clear();
        return await timed(() => gateway.snapshots.run());
      };
      const whole = await night(DUE);
      const kept = await count(gateway);
      assert.equal(kept, SITES);
      for (let at = 0; at < BROKEN; at++) clarity.project(`p-${at * 10}`).token = "another";
      const broken = await night(DUE + DAY_MS);
      const left = await count(gateway);
      assert.equal(left, SITES - BROKEN);
      const again = await night(DUE + DAY_MS + 60 * 60 * 1000);
      return [
        row(`nightly run over ${SITES} sites, an answer in ${LATENCY_MS} ms`, whole, `${kept} kept`),
        row(`the same, ${BROKEN} of them refused`, broken, `${left} kept, ${SITES - left} failed`),
        {
          ...row("the run of the next hour, nothing due", again, `${clarity.requests.length} requests`),
          aim: "",
        },
      ];
    } finally {
      await gateway.close();
    }
  });
}

const row = (name: string, took: number, beside: string): Line => ({
  name,
  figure: ms(took),
  beside,
  aim: "under 60 s",
});

/** How many sites have the newest day. */
async function count({ store }: Pick<Gateway, "store">): Promise<number> {
  const ids = Array.from({ length: SITES }, (_, at) => `s-${at}`);
  const runs = await store.snapshots.runs("clarity", "0000-00-00", "9999");
  const found = await store.snapshots.ofDay("clarity", runs.at(-1)!.date, ids);
  return [...found.values()].filter(({ status }) => status !== "failed").length;
}

async function open(path: string, clarity: ClarityStandIn, replace: Pick<Replacements, "now" | "http">) {
  const registry = await readRegistry();
  const env: Record<string, string> = {
    KV_PATH: path,
    MASTER_TOKEN: crypto.getRandomValues(new Uint8Array(32)).toHex(),
    ENCRYPTION_KEYS: crypto.getRandomValues(new Uint8Array(32)).toBase64(),
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    ...clarity.env,
  };
  const settings = readSettings((name) => env[name], "start", registry.connectors.settings);
  return await openGateway(settings, registry, { ...replace, log: () => {} });
}
