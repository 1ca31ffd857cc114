/** Confirm policies as an operator is told of them: where a stricter one is offered. */
import type { Flag, Site } from "../core/model.ts";

/** A site on which one call can change what visitors get without a preview. */
export interface Unpreviewed {
  readonly site_id: string;
  /** Of its flags those that let it. */
  readonly flags: readonly Flag[];
}

/** What lets a call change at once what visitors get. */
const PUBLISHING = ["allow_publish", "allow_main_branch_push"] as const;

/** Such a site; null for one whose flags or whose policy do not make it one. */
export function unpreviewed({ id, flags, confirm_policy }: Site): Unpreviewed | null {
  const open = PUBLISHING.filter((flag) => flags[flag]);
  return open.length === 0 || confirm_policy !== "flag" ? null : { site_id: id, flags: open };
}

/** Offers the stricter policy for such a site, in a sentence; nothing for any other. */
export function policyOffers(site: Site): string[] {
  const found = unpreviewed(site);
  return found === null ? [] : [
    `confirm_policy: is "flag" and ${
      found.flags.join(" and ")
    } is set, so one call with confirm: true changes what ` +
    'visitors get; "preview" has every write shown before (site update ' +
    `${site.id} --confirm-policy preview)`,
  ];
}
