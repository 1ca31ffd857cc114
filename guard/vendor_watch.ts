/** Which versions of upstreams' APIs end soon: what an operator is told before calls begin to fail. */
import { counted } from "../core/one_line.ts";
import type { Site, VersionEnding } from "../core/model.ts";
import type { VersionWatch } from "../platforms/_connector/connector.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { Store } from "../store/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** So long before a version ends it is warned of. */
const WARNED_DAYS = 120;

/** What it depends on. */
export interface WatchPorts {
  readonly connectors: Connectors;
  readonly store: { readonly sites: Pick<Store["sites"], "list"> };
  /** Every connector's settings, by their names. */
  readonly upstream: Readonly<Record<string, string | null>>;
  now(): number;
  log(event: Record<string, unknown>): void;
}

/** The watch over the versions that this gateway uses. */
export class VendorWatch {
  constructor(private readonly ports: WatchPorts) {}

  /** Versions that are asked and are over, or end within 120 days, the first to end first. */
  async ending(): Promise<VersionEnding[]> {
    const { connectors, upstream, now, store } = this.ports;
    const asked = connectors.all.flatMap(({ name, watch = [] }) =>
      watch.filter((one) => isAsked(one, upstream) && daysLeft(one, now()) <= WARNED_DAYS)
        .map((one) => ({ name, one }))
    );
    if (asked.length === 0) return [];
    const sites = await store.sites.list();
    return asked.map(({ name, one }) =>
      endingOf(name, one, now(), sites.filter((site) => isUsed(site, one)).length)
    )
      .toSorted((a, b) => a.days_left - b.days_left);
  }

  /** A line in the log for each. */
  async run(): Promise<void> {
    for (const ending of await this.ending()) this.ports.log({ event: "version_ending", ...ending });
  }
}

/** Whether the version is the one that is asked: an operator may have set another. */
export function isAsked({ setting, version }: VersionWatch, upstream: WatchPorts["upstream"]): boolean {
  return setting === undefined || (upstream[setting] ?? "").split("/").includes(version);
}

/** Whether the field by which a site uses it is set. */
function isUsed(site: Site, { field }: VersionWatch): boolean {
  const value = (site as unknown as Readonly<Record<string, unknown>>)[field];
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;
}

const daysLeft = ({ sunset }: VersionWatch, now: number): number =>
  sunset === null ? Infinity : Math.ceil((Date.parse(sunset) - now) / DAY_MS);

function endingOf(connector: string, one: VersionWatch, now: number, sites: number): VersionEnding {
  const { api, version, change } = one;
  const [sunset, days_left] = [one.sunset!, daysLeft(one, now)];
  const when = days_left > 0
    ? `ends on ${sunset}, in ${counted(days_left, "day")}; from then on its calls fail`
    : `ended on ${sunset}: its calls fail`;
  const use = sites === 0 ? "no site uses it" : sites === 1 ? "1 site uses it" : `${sites} sites use it`;
  const message = `${api} ${version} ${when} (${use}). To do: ${change}`;
  return { connector, api, version, sunset, days_left, sites, message };
}
