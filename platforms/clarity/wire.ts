/** The one request there is: a pull of the last days, by up to three dimensions (docs/upstreams/clarity.md). */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { Outgoing } from "../_http/request.ts";

/** Requests of a project's day (docs/upstreams/clarity.md, "Quota"). */
export const REQUESTS_A_DAY = 10;
/** Rows of a reply; there is no second page. */
export const ROWS_MAX = 1000;

/** The settings, by their names. */
export interface ClaritySettings extends Readonly<Record<string, string | null>> {
  readonly BEHAVIOR_API_BASE: string;
  readonly BEHAVIOR_DASHBOARD_BASE: string;
}

interface Named {
  /** What it is called in a request. */
  readonly wire: string;
  /** What it is called in the rows of a reply, in lower case without blanks; the first that is there. */
  readonly keys: readonly string[];
}
const same = (name: string): Named => ({ wire: name, keys: [name.toLowerCase()] });

/** The dimensions, by the names that tools have for them. */
export const DIMENSIONS = {
  Browser: same("Browser"),
  Device: same("Device"),
  OS: same("OS"),
  Country: { wire: "Country/Region", keys: ["country/region", "country"] },
  Source: same("Source"),
  Medium: same("Medium"),
  Campaign: same("Campaign"),
  Channel: same("Channel"),
  URL: same("URL"),
} as const satisfies Record<string, Named>;
export type Dimension = keyof typeof DIMENSIONS;

/** What is asked of a project. */
export interface Question {
  readonly num_of_days: number;
  readonly dimensions: readonly Dimension[];
}

const PATH = "/project-live-insights";
const WIRES: ReadonlySet<string> = new Set(Object.values(DIMENSIONS).map(({ wire }) => wire));
const DAYS: ReadonlySet<string> = new Set(
  Array.from({ length: LIMITS.BEHAVIOR_DAYS_MAX }, (_, day) => `${day + 1}`),
);

/** The request; whoever counts has counted it. */
export function requestOf({ num_of_days, dimensions }: Question, base: string, token: string): Outgoing {
  const asked = [
    `numOfDays=${num_of_days}`,
    ...dimensions.map((one, at) => `dimension${at + 1}=${encodeURIComponent(DIMENSIONS[one].wire)}`),
  ];
  return {
    method: "GET",
    url: `${base}${PATH}?${asked.join("&")}`,
    headers: { authorization: `Bearer ${token}` },
    effect: "read",
    once: true,
  };
}

/** Why a request may never be sent; null for the one there is. */
export function refusalOf({ method, effect, once, url }: Outgoing, base: string): string | null {
  if (method !== "GET" || effect !== "read") return "a project is only read";
  if (!once) return "each try counts against the project's day, so none is repeated";
  const { origin, pathname, searchParams } = new URL(url);
  if (`${origin}${pathname}` !== `${base}${PATH}`) return "only the export of a project is asked";
  const { numOfDays = "", ...rest } = Object.fromEntries(searchParams);
  if (!DAYS.has(numOfDays)) return `only 1 to ${LIMITS.BEHAVIOR_DAYS_MAX} days are asked for`;
  const names = Object.keys(rest);
  const inOrder = names.every((name, at) => name === `dimension${at + 1}`);
  if (!inOrder || names.length > LIMITS.BEHAVIOR_DIMENSIONS_MAX || searchParams.size !== names.length + 1) {
    return `only up to ${LIMITS.BEHAVIOR_DIMENSIONS_MAX} dimensions are asked for`;
  }
  // One that it does not know is silently left out by the vendor, and its answer would look like another one's.
  return Object.values(rest).every((value) => WIRES.has(value)) ? null : "it names a dimension there is not";
}

/** E_UPSTREAM for rows that do not say which value of a dimension they are about: the vendor passes over what it does not know. */
export class Undivided extends GatewayError {
  constructor(readonly dimension: Dimension) {
    super(
      "E_UPSTREAM",
      `Clarity answered without "${dimension}", so its rows cannot be told apart by it; ask without that dimension`,
      { upstream: 502 },
    );
  }
}

/** E_UPSTREAM for an answer that cannot be read. */
export function unreadable(what: string): GatewayError {
  return new GatewayError("E_UPSTREAM", `Clarity answered what cannot be read: ${what}; try again later`, {
    upstream: 502,
  });
}
