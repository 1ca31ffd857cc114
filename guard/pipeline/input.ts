/** The arguments of a call: what would publish, what the schema says, what the manifest's rules add. */
import { clipped, GatewayError } from "../../core/errors.ts";
import { type Manifest, writes } from "../../registry/manifest.ts";
import type { Offer, ToolEntry } from "../../registry/entry.ts";
import { wouldPublish } from "../../rules/publishing.ts";
import { checkSchedule, parseSchedule } from "../../rules/schedule.ts";
import { matches } from "./risk.ts";

/** A call's arguments, checked, with what every tool takes set apart. */
export interface Input {
  /** Defaults filled in. */
  readonly args: Record<string, unknown>;
  readonly siteId: string | undefined;
  readonly confirm: boolean;
  readonly confirmToken: string | undefined;
}

/** Longer than any id a site can have, and short enough to look up. */
const SITE_ID_CHARACTERS = 128;

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Step 8. Throws E_FORBIDDEN_OP for what would publish, E_BAD_INPUT naming the field otherwise. */
export function readInput(
  entry: Pick<ToolEntry, "manifest" | "check">,
  raw: Record<string, unknown>,
  now: number,
): Input {
  const { manifest, check } = entry;
  refuseAny(manifest, raw, now);
  const { site_id, confirm, confirm_token, ...rest } = raw;
  refuseSiteId(site_id);
  if (confirm !== undefined && typeof confirm !== "boolean") throw bad("confirm: expected true or false");
  if (confirm_token !== undefined && typeof confirm_token !== "string") {
    throw bad("confirm_token: expected the text that the preview answered");
  }
  const args = check(rest);
  for (const rule of manifest.rules) applyRule(rule, args);
  return { args, siteId: site_id, confirm: confirm === true, confirmToken: confirm_token };
}

/** Step 8 for a tool whose arguments the upstream checks: they go on as they came, without `site_id`. Throws as readInput does. */
export function readForwarded(
  { manifest, check }: Pick<ToolEntry, "manifest" | "check">,
  raw: Record<string, unknown>,
  now: number,
): Input {
  refuseAny(manifest, raw, now, FORWARDED);
  const { site_id, ...rest } = raw;
  refuseSiteId(site_id);
  return { args: check(rest), siteId: site_id, confirm: false, confirmToken: undefined };
}

/**
 * What of such arguments the tool of a site gets, whatever that name is elsewhere: all but a `confirm` or `confirm_token`
 * that it does not have; who asks for a preview with them, or confirms one, does not get a write instead. Throws
 * E_FORBIDDEN_OP for what would publish, E_BAD_INPUT naming the field.
 */
export function forwardedTo(
  { manifest, offer }: Pick<ToolEntry, "manifest"> & { readonly offer: Offer },
  input: Input,
  site: string,
  now: number,
): Input {
  const { name } = manifest;
  const { confirm, confirm_token, ...rest } = input.args;
  const own = {
    ...(confirm !== undefined && offer.has("confirm", site) ? { confirm } : {}),
    ...(confirm_token !== undefined && offer.has("confirm_token", site) ? { confirm_token } : {}),
  };
  const isRaised = offer.writesAt.includes(site);
  if (isRaised) refusePublishing(input.args, manifest, now, FORWARDED);
  if (isRaised || writes(manifest)) {
    const instead = (argument: string) =>
      `and nothing was sent; leave ${argument} out, and it writes at once`;
    if (confirm !== undefined && confirm !== true && !("confirm" in own)) {
      throw bad(`confirm: "${name}" has no preview, ${instead("confirm")}`);
    }
    if (confirm_token !== undefined && !("confirm_token" in own)) {
      throw bad(`confirm_token: "${name}" has no preview to confirm, ${instead("confirm_token")}`);
    }
  }
  return { ...input, args: { ...rest, ...own } };
}

/** What to do instead of publishing. */
const INSTEAD = "leave it out, and publish with publish_post or publish_page where the site allows it";
/** The same of a tool that may need a status, on a site that may be no place of posts. */
const FORWARDED =
  'send "draft" where it is a status, else leave it out; publish_post and publish_page publish on a cms site that ' +
  "allows it";

/** What no tool takes, whatever its schema. */
function refuseAny(manifest: Manifest, raw: Record<string, unknown>, now: number, instead = INSTEAD): void {
  if (writes(manifest)) refusePublishing(raw, manifest, now, instead);
}

function refuseSiteId(site_id: unknown): asserts site_id is string | undefined {
  if (site_id !== undefined && typeof site_id !== "string") throw bad("site_id: expected a string");
  if (site_id !== undefined && site_id.length > SITE_ID_CHARACTERS) {
    throw bad(
      `site_id: expected at most ${SITE_ID_CHARACTERS} characters; list_sites names the sites you may use`,
    );
  }
}

function refusePublishing(
  raw: Record<string, unknown>,
  manifest: Manifest,
  now: number,
  instead: string,
): void {
  const judged = Object.entries(raw).filter(([name]) => !manifest.file_text.includes(name));
  const found = wouldPublish(Object.fromEntries(judged));
  if (found) {
    throw new GatewayError(
      "E_FORBIDDEN_OP",
      `${clipped(found.field)}: ${
        JSON.stringify(clipped(found.value))
      } would publish, which "${manifest.name}" never does; ${instead}`,
    );
  }
  if (typeof raw.scheduled_at !== "string") return;
  // What the tool of a site makes of a date without a time, nobody knows.
  if (instead === FORWARDED) parseSchedule(raw.scheduled_at, now);
  else checkSchedule(raw.scheduled_at, now);
}

const quoted = (names: readonly string[]) => names.join(", ");

function applyRule(rule: Manifest["rules"][number], args: Record<string, unknown>): void {
  const given = (names: readonly string[]) => names.filter((name) => args[name] !== undefined);
  if ("require" in rule) {
    if (!matches(rule.when, args, null)) return;
    const missing = rule.require.filter((name) => args[name] === undefined);
    if (!missing.length) return;
    const because = Object.entries(rule.when).map(([name, value]) => `${name} is ${JSON.stringify(value)}`)
      .join(" and ");
    throw bad(`${quoted(missing)} is required when ${because}`);
  }
  const names = "one_of" in rule ? rule.one_of : rule.any_of;
  const count = given(names).length;
  if (count === 0) throw bad(`${quoted(names)}: give ${"one_of" in rule ? "one" : "at least one"} of them`);
  if ("one_of" in rule && count > 1) throw bad(`${quoted(names)}: give only one of them`);
}
