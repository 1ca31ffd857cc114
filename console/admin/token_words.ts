/** What a token or a client may do, in words: what stands beside the button that grants it. */
import { CONFIRM_POLICIES, type ConfirmPolicy } from "../../core/model.ts";
import { sensitiveOf } from "../../identity/oauth/group_words.ts";

/** How a write is confirmed, in words. */
export const POLICIES: Readonly<Record<ConfirmPolicy, string>> = {
  flag: "confirm: true is enough",
  preview: "a preview has to be confirmed",
  human: "a person has to approve it",
};

const DOES = [
  "Reads, and changes nothing,",
  "Reads, and writes drafts,",
  "Reads, writes drafts, schedules, and changes other services",
  "Reads, writes, and publishes where a site allows it,",
  "Reads, writes, publishes and deletes",
] as const;

/** A group with its tools. */
export interface ToolGroup {
  readonly name: string;
  readonly tools: readonly string[];
}

/** What is granted, as far as a sentence tells. */
export interface Granting {
  readonly max_risk: number;
  /** Such as "12 sites of 3 projects". */
  readonly sites: string;
  /** The names of tools; null for every tool. */
  readonly tools: readonly string[] | null;
  readonly confirm_policy: string;
  /** When it ends; null where it does not. */
  readonly ends_at: number | null;
}

/** Two or three sentences on what is granted. */
export function grantWords(
  { max_risk, sites, tools, confirm_policy, ends_at }: Granting,
  groups: readonly ToolGroup[],
): string {
  const having = groups.filter((group) => tools === null || group.tools.some((name) => tools.includes(name)));
  const sensitive = having.flatMap(({ name }) => sensitiveOf(name) ?? []);
  const isPolicy = (word: string): word is ConfirmPolicy => CONFIRM_POLICIES.some((one) => one === word);
  const counted = tools === null ? "every tool" : tools.length === 1 ? "one tool" : `${tools.length} tools`;
  const confirmed = isPolicy(confirm_policy) ? POLICIES[confirm_policy] : POLICIES.preview;
  return [
    `${DOES[max_risk] ?? DOES[0]} on ${sites}, with ${counted}.`,
    sensitive.length === 0
      ? "No customers' data, no messages, no payments, no ads."
      : `Reaches ${sensitive.join("; ")}.`,
    ...max_risk === 0 ? [] : [`Before a change is made ${confirmed}.`],
    ends_at === null
      ? "Lasts until it is revoked."
      : `Expires on ${new Date(ends_at).toISOString().slice(0, 10)}.`,
  ].join(" ");
}
