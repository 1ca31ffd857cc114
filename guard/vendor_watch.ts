/** Which versions of upstreams' APIs end soon: what an operator is told before calls begin to fail. */
import type { VersionEnding } from "../core/model.ts";
import type { VersionWatch } from "../platforms/_connector/connector.ts";
import type { Connectors } from "../registry/connectors.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** So long before a version ends it is warned of. */
export const WARNED_DAYS = 120;

/** What it depends on. */
export interface WatchPorts {
  readonly connectors: Connectors;
  /** Every connector's settings, by their names. */
  readonly upstream: Readonly<Record<string, string | null>>;
  now(): number;
  log(event: Record<string, unknown>): void;
}

/** The watch over the versions that this gateway uses. */
export class VendorWatch {
  constructor(private readonly ports: WatchPorts) {}

  /** Versions in use that are over or end within 120 days, the first to end first. */
  ending(): VersionEnding[] {
    const { connectors, upstream, now } = this.ports;
    return connectors.all.flatMap(({ name, watch = [] }) =>
      watch.filter((one) => isUsed(one, upstream)).flatMap((one) => endingOf(name, one, now()))
    ).toSorted((a, b) => a.days_left - b.days_left);
  }

  /** A line in the log for each. */
  run(): Promise<void> {
    for (const ending of this.ending()) this.ports.log({ event: "version_ending", ...ending });
    return Promise.resolve();
  }
}

/** Whether the version is the one that is asked: an operator may have set another. */
function isUsed({ setting, version }: VersionWatch, upstream: WatchPorts["upstream"]): boolean {
  return setting === undefined || (upstream[setting] ?? "").split("/").includes(version);
}

function endingOf(
  connector: string,
  { api, version, sunset, change }: VersionWatch,
  now: number,
): VersionEnding[] {
  if (sunset === null) return [];
  const days_left = Math.ceil((Date.parse(sunset) - now) / DAY_MS);
  if (days_left > WARNED_DAYS) return [];
  const when = days_left > 0
    ? `ends on ${sunset}, in ${days_left} ${days_left === 1 ? "day" : "days"}; from then on its calls fail`
    : `ended on ${sunset}: its calls fail`;
  return [{
    connector,
    api,
    version,
    sunset,
    days_left,
    message: `${api} ${version} ${when}. To do: ${change}`,
  }];
}
