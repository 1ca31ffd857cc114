/** The stand-in's own location as the analyst of made-up ones reads it, so that one oracle counts both. */
import type { World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import type { CrmTruth } from "./_crm_world.ts";
import { Analyst, type Counted, daysAfter, wallDay } from "./_crm_world_oracle.ts";

/** What the location holds. */
export function truthOf(world: World): CrmTruth {
  const { location, customFields, ...rows } = world;
  return {
    seed: 0,
    now: NOW,
    id: location.id,
    timezone: location.timezone ?? null,
    ways: {
      search: "open",
      cursor: "row",
      exports: "open",
      days: "location",
      invoices_by: "issueDate",
      undated: false,
      lacks: [],
      moving: false,
      gone: null,
    },
    merged: [],
    enrolled: new Map(),
    fields: customFields,
    ...rows,
  };
}

/** Counts the location over whole days, or between two moments. */
export const counting = (world: World, counted: Counted): Analyst => new Analyst(truthOf(world), counted);

/** The last so many days before now, without so many of the newest. */
export function lastDays(count: number, timezone: string, skip = 0): { first: string; last: string } {
  const last = daysAfter(wallDay(NOW, timezone), -skip);
  return { first: daysAfter(last, 1 - count), last };
}
