/** The site's flags, and the only place where the right to publish is made. */
import { type Code, GatewayError } from "../../core/errors.ts";
import type { Flag, PlatformKind, Site } from "../../core/model.ts";
import type { PublishGrant } from "../../platforms/_http/request.ts";
import type { Manifest } from "../../registry/manifest.ts";
import type { Raise } from "../../registry/tool.ts";
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

/** Flags that let something go live; what has them holds the right to publish. */
const PUBLISHING: ReadonlySet<Flag> = new Set(["allow_publish", "allow_main_branch_push"]);

/** Whether what has the flag holds the right to publish. */
export const publishes = (flag: Flag): boolean => PUBLISHING.has(flag);

const minted = new WeakSet<PublishGrant>();

/** Whether a grant was made here, for that site. */
export const isGenuine = (grant: PublishGrant, siteId: string): boolean =>
  minted.has(grant) && grant.site_id === siteId;

/** What a call needs of its manifest's flags, whatever its plan finds: those whose `when` is met. */
export const neededFlags = (
  { flags }: Pick<Manifest, "flags">,
  args: Record<string, unknown>,
  kind: PlatformKind,
): Manifest["flags"] => flags.filter(({ when, live }) => !live && (!when || matches(when, args, kind)));

/**
 * Step 12. Throws the flag's own code when the site lacks one the call needs; a flag marked `live` is judged by the
 * tool's plan. Answers the right to publish when this call asks for `allow_publish` or `allow_main_branch_push` and the
 * site has it, and for a tool of tier 4, which super-admin and confirm guard instead of a flag. `kind` is what the site
 * counts as (effectivePlatform).
 */
export function flagStep(
  manifest: Pick<Manifest, "name" | "tier" | "flags">,
  args: Record<string, unknown>,
  site: Site,
  kind: PlatformKind = site.platform,
): PublishGrant | undefined {
  let mints = manifest.tier === 4;
  const because = kind === site.platform ? "" : `, because a ${kind} site is deployed from its branch`;
  for (const { flag, code } of neededFlags(manifest, args, kind)) {
    requireFlag(manifest.name, flag, site, code, because);
    mints ||= publishes(flag);
  }
  return mints ? mint(site.id, manifest.name) : undefined;
}

/**
 * A call needs a `live` flag of its manifest after all, for that reason. Throws the flag's own code, or the reason's, when
 * the site lacks it, E_INTERNAL when the manifest does not name it so; answers the right to publish where the flag gives it.
 */
export function liveFlag(
  manifest: Pick<Manifest, "name" | "flags">,
  flag: Flag,
  site: Site,
  { because, code }: Pick<Raise, "because" | "code">,
): PublishGrant | undefined {
  const named = manifest.flags.find((one) => one.live && one.flag === flag);
  if (!named) throw new GatewayError("E_INTERNAL", `"${manifest.name}" has no live flag ${flag}`);
  requireFlag(manifest.name, flag, site, code ?? named.code, `, because ${because}`);
  return publishes(flag) ? mint(site.id, manifest.name) : undefined;
}

function requireFlag(tool: string, flag: Flag, site: Site, code: Code = REFUSALS[flag], because = ""): void {
  if (site.flags[flag]) return;
  throw new GatewayError(
    code,
    `"${tool}" needs ${flag} on site "${site.id}"${because}; a super-admin can set it`,
  );
}

function mint(site_id: string, tool: string): PublishGrant {
  const grant = Object.freeze({ site_id, tool }) as PublishGrant;
  minted.add(grant);
  return grant;
}
