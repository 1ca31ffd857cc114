/** What the CRM's tools cost at 150 ms of latency, how much of it is the gateway's, and whether its memory stays flat. */
import { counted } from "../core/one_line.ts";
import assert from "node:assert/strict";
import { PACE } from "../platforms/highlevel/pacer.ts";
import { type CrmStandIn, emptyWorld, seeded, startCrm, type World } from "../sandbox/highlevel/start.ts";
import { CALLS } from "../tests/tools/_crm.ts";
import { type Gateway, inFolder, startGateway } from "./gateway.ts";
import type { Line } from "./table.ts";
import { median, stepsOf, timed } from "./timing.ts";

/** Each round has locations of its own, so there are no more of them than these. */
const ROUNDS_MAX = 5;
const LATENCY_MS = 150;
const MANY = 10_000;
const CONTACTS = 5000;
/** Rows that were read in all when memory is looked at. */
const LOOKS = [50_000, 100_000, 150_000, 200_000];

const seconds = (value: number): string => `${(value / 1000).toFixed(2)} s`;
const newLocation = () => `bench${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;

/** What a call over many opportunities may take, in seconds. */
const AIMS = { crm_compute_pipeline_funnel: 5, crm_bootstrap_baseline: 15 } as const;

/** The rows. */
export async function crmRows(most: number): Promise<Line[]> {
  const rounds = Math.min(most, ROUNDS_MAX);
  return [
    ...await atLatency(rounds),
    ...await withoutLatency(rounds),
  ];
}

/** A gateway with a site for each world, and the stand-in, which is shown one world at a time. */
interface Bench {
  readonly gateway: Gateway;
  readonly crm: CrmStandIn;
  /** Calls a tool about a world that was never asked about. */
  call(world: World, tool: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Runs work on `sites` locations. */
async function onLocations(latency: number, sites: number, work: (bench: Bench) => Promise<Line[]>) {
  // It holds one location at a time, and counts the requests of all of them as one's.
  const crm = startCrm({ latency, limits: { rate: { requests: 1e6, window_ms: PACE.window_ms } } });
  const ids = Array.from({ length: sites }, newLocation);
  const bodies = ids.map((id) => ({
    id: id.toLowerCase(),
    name: id,
    platform: "crm",
    base_url: null,
    crm_location_id: id,
    credentials: { crm: { integration_token: crm.token } },
  }));
  try {
    return await inFolder(async (folder) => {
      await using gateway = await startGateway(folder, bodies, {
        ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
        CRM_API_BASE: crm.base_url,
      });
      const free = [...ids];
      return await work({
        gateway,
        crm,
        async call(world, tool, args) {
          const id = free.shift();
          assert.ok(id !== undefined, "there is a location left");
          crm.state.world = moved(world, id);
          crm.clear();
          return await gateway.call(tool, { site_id: id.toLowerCase(), ...args });
        },
      });
    });
  } finally {
    await crm.stop();
  }
}

/** The same world at another location. */
function moved(world: World, id: string): World {
  const own = Object.entries(world).map(([name, rows]) => [
    name,
    Array.isArray(rows)
      ? rows.map((row) => ({
        ...row,
        ...("locationId" in row ? { locationId: id } : {}),
        ...("altId" in row ? { altId: id } : {}),
      }))
      : rows,
  ]);
  return { ...Object.fromEntries(own), location: { ...world.location, id } } as World;
}

/** So many opportunities of one pipeline, all within the last month. */
function crowded(count: number): World {
  const world = emptyWorld("crowded", "UTC");
  world.pipelines.push({
    id: "p",
    name: "Sales",
    locationId: "",
    stages: [{ id: "s", name: "New", position: 0 }],
  });
  for (let at = 0; at < count; at++) {
    world.opportunities.push({
      id: `o${at}`,
      locationId: "",
      pipelineId: "p",
      pipelineStageId: "s",
      status: "open",
      monetaryValue: 100,
      createdAt: new Date(Date.now() - at * 1000).toISOString(),
    });
  }
  return world;
}

/** So many contacts of the last month. */
function peopled(count: number): World {
  const world = emptyWorld("peopled", "UTC");
  for (let at = 0; at < count; at++) {
    const added = new Date(Date.now() - at * 60_000).toISOString();
    world.contacts.push({
      id: `contact-${at}`,
      locationId: "",
      firstNameLowerCase: `first${at}`,
      lastNameLowerCase: "last",
      email: `person${at}@mail.example`,
      phone: "+15550100",
      tags: at % 3 === 0 ? ["web form"] : [],
      customFields: [{ id: "field", value: "yes" }],
      dateAdded: added,
      dateUpdated: added,
    });
  }
  return world;
}

/** A seeded location, with so many opportunities beside its own. */
function grown(count: number): World {
  const world = seeded("grown", Date.now());
  return { ...world, opportunities: [...world.opportunities, ...crowded(count).opportunities] };
}

/** Each tool on a seeded location that nobody has asked about, and those that read many opportunities. */
async function atLatency(rounds: number): Promise<Line[]> {
  const tools = Object.entries(CALLS);
  return await onLocations(LATENCY_MS, tools.length * rounds + 3, async ({ crm, call }) => {
    const rows: Line[] = [];
    for (const [tool, args] of tools) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        times.push(await timed(() => call(seeded("seed", Date.now()), tool, args)));
      }
      rows.push(line(tool, median(times), crm));
    }
    for (const [tool, aim] of Object.entries(AIMS)) {
      const took = await timed(() => call(grown(MANY), tool, {}));
      rows.push({ ...line(`${tool}, ${MANY} opportunities`, took, crm), aim: `under ${aim} s` });
    }
    const args = { month: new Date().toISOString().slice(0, 7), compare: "previous_period" };
    const took = await timed(() => call(grown(MANY), "crm_bootstrap_baseline", args));
    rows.push(line(`the same of this month, beside the last one`, took, crm));
    return rows;
  });
}

/** What a call took and asked, beside the least that its steps can take. */
function line(name: string, took: number, { requests }: CrmStandIn): Line {
  const steps = stepsOf(requests, LATENCY_MS);
  return {
    name,
    figure: `${seconds(took)}, ${counted(requests.length, "request")} in ${counted(steps, "step")}`,
    beside: `${seconds(steps * LATENCY_MS)}, ${
      counted(steps, "answer")
    } of ${LATENCY_MS} ms one after the other`,
    aim: "",
  };
}

/** The gateway's own time for each thousand rows, and its memory while it reads many. */
async function withoutLatency(rounds: number): Promise<Line[]> {
  const calls = Math.max(...LOOKS) / CONTACTS;
  return await onLocations(0, calls + 2 * rounds, async ({ gateway, call }) => {
    const contacts = peopled(CONTACTS);
    const share = { max_contacts: CONTACTS };
    const perThousand = async (world: World, count: number, tool: string, args: object) => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const before = await gateway.cpuMs();
        await call(world, tool, { ...args });
        times.push((await gateway.cpuMs() - before) / count * 1000);
      }
      return `${median(times).toFixed(0)} ms`;
    };
    const few = 70 * 100; // within the pace of one window
    const opportunities = await perThousand(crowded(few), few, "crm_compute_pipeline_funnel", {});
    const people = await perThousand(contacts, CONTACTS, "crm_compute_form_submission_rate", share);
    const held: string[] = [];
    for (let read = 0; read < Math.max(...LOOKS);) {
      await call(contacts, "crm_compute_form_submission_rate", share);
      read += CONTACTS;
      if (LOOKS.includes(read)) held.push(`${await gateway.memoryMib()} MiB`);
    }
    const beside = "processor time of the gateway's process";
    return [
      { name: "1,000 opportunities, in pages of 500", figure: opportunities, beside, aim: "" },
      { name: "1,000 contacts, in pages of 500", figure: people, beside, aim: "" },
      {
        name: `memory after ${LOOKS.map((rows) => `${rows / 1000},000`).join(", ")} contacts`,
        figure: held.join(", "),
        beside: "resident; pages are kept for a minute, 60,000 rows at most",
        aim: "flat",
      },
    ];
  });
}
