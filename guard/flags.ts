/** The site's switches, and the only place where the right to publish is made. */
import { type Code, GatewayError } from "../errors.ts";
import type { Flag, Site } from "../model.ts";
import type { PublishGrant } from "../platforms/platform.ts";
import type { Manifest } from "../registry/manifest.ts";
import { matches } from "./risk.ts";

/** The code each flag's absence is refused with. */
const REFUSALS: Readonly<Record<Flag, Code>> = {
  allow_publish: "E_PUBLISH_NOT_ALLOWED",
  allow_seo_on_published: "E_FORBIDDEN_OP",
  allow_main_branch_push: "E_MAIN_BRANCH_LOCKED",
  allow_full_repo_write: "E_FULL_REPO_WRITE_NOT_ALLOWED",
  allow_storage_write: "E_STORAGE_WRITE_NOT_ALLOWED",
  allow_topicmap_write: "E_TOPICMAP_WRITE_NOT_ALLOWED",
  allow_crm_write: "E_CRM_WRITE_NOT_ALLOWED",
};

const minted = new WeakSet<PublishGrant>();

/** Whether a grant was made here, for that site. */
export const isGenuine = (grant: PublishGrant, siteId: string): boolean =>
  minted.has(grant) && grant.site_id === siteId;

/**
 * Step 12. Throws the flag's own code when the site lacks one the call needs; a flag marked `live` is judged by the
 * tool's plan. Answers the right to publish when the tool asks for `allow_publish` and the site has it.
 */
export function flagStep(
  manifest: Pick<Manifest, "name" | "flags">,
  args: Record<string, unknown>,
  site: Site,
): PublishGrant | undefined {
  let grant: PublishGrant | undefined;
  for (const { flag, when, live, code } of manifest.flags) {
    if (live || (when && !matches(when, args, site.platform))) continue;
    if (!site.flags[flag]) {
      throw new GatewayError(
        code ?? REFUSALS[flag],
        `"${manifest.name}" needs ${flag} on site "${site.id}"; a super-admin can set it`,
      );
    }
    if (flag === "allow_publish") grant = mint(site.id, manifest.name);
  }
  return grant;
}

function mint(site_id: string, tool: string): PublishGrant {
  const grant = Object.freeze({ site_id, tool }) as PublishGrant;
  minted.add(grant);
  return grant;
}
