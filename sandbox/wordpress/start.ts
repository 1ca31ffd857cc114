/** A CMS to try the gateway on: a real WordPress on loopback where PHP is at hand, else the stand-in. */
import { phpMissing } from "./php.ts";
import type { CmsSandbox } from "./sandbox.ts";
import type { SiteDatabase } from "./site.ts";

export { phpMissing } from "./php.ts";
export type { CmsLogin, CmsSandbox, CmsUser } from "./sandbox.ts";
export type { SiteDatabase } from "./site.ts";

const WORKERS = 4;

/** How a sandbox CMS is set up. */
export interface CmsOptions {
  /** `auto` (default) takes the stand-in where a real one cannot run; the others are meant literally. */
  readonly kind?: "auto" | "wordpress" | "stand-in";
  /** Folders of plugins to copy in and activate. Real WordPress only. */
  readonly plugins?: readonly string[];
  /** An empty database of a running MariaDB, in place of SQLite. Real WordPress only. */
  readonly database?: SiteDatabase;
  /** `production` turns application passwords off, as on a site without https. Default `local`. */
  readonly environment?: "local" | "production";
  /** The REST root then is `/index.php?rest_route=/`. Default false. */
  readonly plain_permalinks?: boolean;
  /** The site is the second one of a network of sites, at `/two`. Real WordPress only. Default false. */
  readonly network?: boolean;
  /** Requests a real WordPress serves at once. Default 4. */
  readonly workers?: number;
  /** Hears, in one line each, of the one-time preparation and of a fall-back. Default: nobody. */
  readonly say?: (line: string) => void;
}

/**
 * Starts a CMS on loopback: a real WordPress in about a second (some ten more the first time on a machine), else the
 * stand-in. With `kind: "wordpress"` it throws an Error saying why, instead of falling back.
 */
export async function startCms(options: CmsOptions = {}): Promise<CmsSandbox> {
  const { kind = "auto", environment = "local", plain_permalinks = false, say = () => {} } = options;
  if (kind !== "stand-in") {
    const missing = await phpMissing();
    try {
      if (missing !== null) throw new Error(missing);
      const { startSite } = await import("./site.ts");
      const { plugins = [], workers = WORKERS, database, network = false } = options;
      return await startSite({ plugins, database, environment, plain_permalinks, network, workers, say });
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      if (kind === "wordpress") {
        throw new Error(`A real WordPress cannot run here: ${reason}`, { cause: thrown });
      }
      say(`The CMS is a stand-in inside this process, not a real WordPress: ${reason}`);
    }
  }
  const { startWordPressStandIn } = await import("../wordpress_standin/start.ts");
  return await startWordPressStandIn({ environment, plain_permalinks });
}
