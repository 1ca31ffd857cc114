/** A freeze: nothing is written on a site as long as somebody wants it so. */
import { GatewayError } from "../../core/errors.ts";
import { cleaned } from "../../core/one_line.ts";
import type { Freeze, Site } from "../../core/model.ts";
import type { FreezeStore } from "../../store/store.ts";

/** Refuses a write on a site that is frozen, itself or with others: E_FROZEN, which says by whom and since when. */
export async function refuseFrozen(
  freezes: Pick<FreezeStore, "of">,
  sites: readonly Site[],
): Promise<void> {
  for (const site of sites) {
    const freeze = await freezes.of(site);
    if (freeze !== null) throw frozen(site, freeze);
  }
}

const WHERE = {
  site: () => "",
  project: (site: Site) => `, with all of the project "${site.project_id}"`,
  all: () => ", with every site",
} as const;

const frozen = (site: Site, { scope, by, since, reason }: Freeze) =>
  new GatewayError(
    "E_FROZEN",
    `Site "${site.id}" is frozen${WHERE[scope](site)}: ${by} did that at ${since}${
      reason === null ? "" : ` (${cleaned(reason)})`
    }, and nothing is written there until the freeze is lifted; reads go on`,
  );
