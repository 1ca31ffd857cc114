/** A real WordPress with the companion plugin and one SEO plugin (by its stand-in), and kits with sites of both channels. */
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { Companion, fixture, PLUGIN } from "../companion/site.ts";
import { seoSites } from "../tools/_seo.ts";
import { onWordPress, Real } from "./_wordpress.ts";

/** Who keeps the fields; `none` is the companion plugin itself. */
export const PROVIDERS = ["none", "yoast", "rankmath", "seopress"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A kit at the file's WordPress with the sites of tests/tools/_seo.ts, and a look at it past the gateway. */
export class RealSeo extends Real {
  readonly wp: Companion;

  constructor(real: Real) {
    super(real.kit, real.site);
    this.wp = new Companion(real.site);
  }

  static override async open(site: CmsSandbox): Promise<RealSeo> {
    return new RealSeo(await Real.open(site, { sites: seoSites(site) }));
  }

  /** The writes that went to the site since the kit was opened. */
  get written(): number {
    return this.kit.writes;
  }
}

/** Registers tests that share one WordPress with that SEO plugin. */
export function onProvider(
  provider: Provider,
  tests: Readonly<Record<string, (at: RealSeo) => Promise<void>>>,
): void {
  const named = Object.entries(tests).map(([name, fn]) => [
    `${provider}: ${name}`,
    async (site: CmsSandbox) => {
      await using at = await RealSeo.open(site);
      await fn(at);
    },
  ]);
  const standIns = provider === "none" ? [] : [fixture(`${provider}-standin`)];
  onWordPress(Object.fromEntries(named), { plugins: [PLUGIN, fixture("peek"), ...standIns] });
}
