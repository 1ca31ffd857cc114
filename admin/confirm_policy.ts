/** Confirm policies as an operator is told of them: where a stricter one is offered. */
import type { Flag, Site, User } from "../core/model.ts";

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

/** What is said of a site on which people decide, where nobody may, or only one person whom four eyes can leave out. */
export function approverGaps(
  { id, confirm_policy, four_eyes = false }: Site,
  users: readonly User[],
): string[] {
  if (confirm_policy !== "human" && !four_eyes) return [];
  const names = (list: readonly string[]) => list.includes("*") || list.includes(id);
  const may = users.filter(({ approve_sites = [], allowed_sites }) =>
    names(approve_sites) && names(allowed_sites)
  );
  const way = `user update <e-mail address> --approve-sites ${id}, which replaces the list`;
  const [first, ...others] = may;
  if (first === undefined) {
    const who = four_eyes ? "nobody" : "nobody but the master token";
    return [`confirm_policy: ${who} may approve what is asked for here; give somebody that right (${way})`];
  }
  if (!four_eyes || others.length > 0) return [];
  return [
    `four_eyes: only ${first.email} may approve here, and not what that person's own client asks for; give ` +
    `another person that right (${way})`,
  ];
}
