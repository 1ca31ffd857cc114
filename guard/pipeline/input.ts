/** The arguments of a call: what would publish, what the schema says, what the manifest's rules add. */
import { CUT_MARK, holdsCut } from "../../core/answer_parts.ts";
import { ASKED_NAMES, askedBy, type AskedName } from "../../core/asked_names.ts";
import { clipped, GatewayError } from "../../core/errors.ts";
import { finder } from "../../core/ids.ts";
import { type Manifest, takesParts, writes } from "../../registry/manifest.ts";
import type { Offer, ToolEntry } from "../../registry/entry.ts";
import { wouldPublish } from "../../rules/publishing.ts";
import { checkSchedule } from "../../rules/schedule.ts";
import { matches } from "./risk.ts";
import { notBoolean, type Wanted, wantedOf } from "./wanted.ts";

/** A call's arguments, checked, with what every tool takes set apart. */
export interface Input {
  /** Defaults filled in. */
  readonly args: Record<string, unknown>;
  readonly siteId: string | undefined;
  readonly confirm: boolean;
  readonly confirmToken: string | undefined;
  /** Whether a preview is asked for, whatever else the call says. */
  readonly dryRun: boolean;
  /** What of the answer is wanted, where it is not all of it. */
  readonly wanted?: Wanted;
}

/** What a call asks of the gateway beside its arguments, by headers or in `_meta`; as it came. */
export type Asks = { readonly [Name in AskedName]?: unknown } & {
  /**
   * Asked of what may write: throws E_BAD_INPUT where what came along would ask something in another spelling or at another
   * place.
   */
  judge?(): void;
};

/** Longer than any id a site can have, and short enough to look up. */
const SITE_ID_CHARACTERS = 128;

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Step 8. Throws E_FORBIDDEN_OP for what would publish, E_BAD_INPUT naming the field otherwise. */
export function readInput(
  entry: Pick<ToolEntry, "manifest" | "check">,
  raw: Record<string, unknown>,
  now: number,
  asks: Asks = {},
): Input {
  const { manifest, check } = entry;
  const isWrite = writes(manifest);
  if (isWrite) asks.judge?.();
  if (isWrite) refusePublishing(raw, manifest, now);
  const { site_id, confirm, confirm_token, ...given } = raw;
  refuseSiteId(site_id);
  if (isWrite) refuseCut(given);
  const { wanted, rest } = wantedOf(
    given,
    manifest,
    (name) => takesParts(manifest) && !hasOwn(manifest, name),
  );
  // What only reads is neither previewed nor confirmed, whatever was asked beside its arguments.
  const asked = askedOf({ confirm, confirm_token }, isWrite ? asks : NOTHING_BESIDE);
  if (isWrite) refuseDryRun(rest, manifest);
  const args = check(rest);
  if (isWrite) refuseRounded(args); // what a schema refuses is told in its words
  for (const rule of manifest.rules) applyRule(rule, args);
  return { args, siteId: site_id, ...asked, ...wanted };
}

/** Whether a number is not the one that was written: a whole one beyond 2^53 is rounded, one beyond all would go on as null. */
const isRounded = (value: number) =>
  !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));

function holdsRounded(value: unknown): boolean {
  if (typeof value === "number") return isRounded(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsRounded);
}

/** What is written, or asked of a site's own tool, is what was sent, or nothing: ids of 17 digits are in use. Throws E_BAD_INPUT. */
function refuseRounded(args: Record<string, unknown>): void {
  const [name] = Object.entries(args).find(([, value]) => holdsRounded(value)) ?? [];
  if (name === undefined) return;
  throw bad(
    `${
      clipped(name)
    }: holds a number beyond 2^53, which would go on as another one, and nothing was sent; send it as a ` +
      "text, or leave it out",
  );
}

const hasOwn = ({ input }: Manifest, name: string) => Object.hasOwn(input.properties ?? {}, name);

/** A text that an answer held the beginning of must not be stored as the whole. Throws E_BAD_INPUT. */
function refuseCut(args: Record<string, unknown>): void {
  const [name] = Object.entries(args).find(([, value]) => holdsCut(value)) ?? [];
  if (name === undefined) return;
  throw bad(
    `${clipped(name)}: holds ${
      JSON.stringify(CUT_MARK)
    }, so it is the beginning of a longer text that an answer cut; ` +
      "read the rest as the answer said, and give the whole; nothing was done",
  );
}

/** The gateway's own tools need no such argument: sites' own tools have it. Throws E_BAD_INPUT. */
function refuseDryRun(args: Record<string, unknown>, { input }: Manifest): void {
  const name = Object.keys(args).find((one) => askedBy(one) === "dry_run");
  if (name === undefined || Object.hasOwn(input.properties ?? {}, name)) return;
  throw bad(
    `${clipped(name)}: unknown argument; leave it out: without confirm: true the answer is a preview`,
  );
}

const NOTHING_BESIDE: Asks = Object.freeze({});
const NOTHING_ASKED = Object.freeze({ confirm: false, confirmToken: undefined, dryRun: false });

/** What is asked as an argument and beside the arguments, which may not contradict each other. Throws E_BAD_INPUT. */
function askedOf(given: Asks, asks: Asks): Pick<Input, "confirm" | "confirmToken" | "dryRun"> {
  if (ASKED_NAMES.every((name) => given[name] === undefined && asks[name] === undefined)) {
    return NOTHING_ASKED;
  }
  const one = (name: AskedName): unknown => {
    const [argument, beside] = [given[name], asks[name]];
    if (argument !== undefined && beside !== undefined && argument !== beside) {
      throw bad(`${name}: is given twice, as an argument and as a header or in _meta, and differs; give one`);
    }
    return argument === undefined ? beside : argument;
  };
  const [confirm, confirmToken, dryRun] = [one("confirm"), one("confirm_token"), one("dry_run")];
  if (confirm !== undefined && typeof confirm !== "boolean") throw notBoolean("confirm", confirm);
  if (confirmToken !== undefined && typeof confirmToken !== "string") {
    throw bad("confirm_token: expected the text that the preview answered");
  }
  if (dryRun !== undefined && typeof dryRun !== "boolean") throw notBoolean("dry_run", dryRun);
  return { confirm: confirm === true, confirmToken, dryRun: dryRun === true };
}

/** Step 8 for a tool whose arguments the upstream checks: they go on as they came, without `site_id`. Throws as readInput does. */
export function readForwarded(
  { check, offer }: Pick<ToolEntry, "check"> & Partial<Pick<ToolEntry, "offer">>,
  raw: Record<string, unknown>,
): Input {
  const { site_id, ...rest } = raw;
  refuseSiteId(site_id);
  if (offer) refuseRounded(rest);
  return { args: check(rest), siteId: site_id, confirm: false, confirmToken: undefined, dryRun: false };
}

/**
 * What of such arguments the tool of a site gets, whatever that name is elsewhere: all but a `dry_run`, `confirm` or
 * `confirm_token` that it does not have, which are the gateway's. Who sends `confirm: false` asks for a preview. Throws
 * E_BAD_INPUT, also for another spelling of these names, and E_NOT_SUPPORTED where a write is to be shown that neither
 * such sites nor, where `shown` is false, the gateway shows before it is made.
 */
export function forwardedTo(
  { manifest, offer }: Pick<ToolEntry, "manifest"> & { readonly offer: Offer },
  input: Input,
  site: string,
  { asks = {}, shown = false }: { readonly asks?: Asks | undefined; readonly shown?: boolean } = {},
): Input {
  const args = { ...input.args };
  const given: Record<string, unknown> = {};
  for (const name of ASKED_NAMES) {
    if (!Object.hasOwn(args, name) || offer.has(name, site)) continue;
    given[name] = args[name];
    delete args[name];
  }
  const isWrite = offer.writesAt.includes(site) || writes(manifest);
  if (isWrite) asks.judge?.();
  const { dryRun, ...asked } = askedOf(given, asks);
  const { wanted, rest } = wantedOf(args, manifest, (name) => !isWrite && !offer.has(name, site));
  if (isWrite) refuseMisspelt(args, (name) => offer.has(name, site));
  const isShown = isWrite && (dryRun || (given.confirm ?? asks.confirm) === false);
  if (isWrite && !shown && !offer.previews(site)) {
    const way = "and nothing was sent; leave it out, and it writes at once";
    if (isShown) {
      const name = dryRun ? "dry_run" : "confirm";
      throw new GatewayError("E_NOT_SUPPORTED", `${name}: "${manifest.name}" has no preview, ${way}`);
    }
    if (asked.confirmToken !== undefined) {
      throw bad(`confirm_token: "${manifest.name}" has no preview to confirm, ${way}`);
    }
  }
  return { ...input, args: rest, ...asked, dryRun: isShown, ...wanted };
}

/** A preview that is asked for in another spelling must not become a write. */
function refuseMisspelt(args: Readonly<Record<string, unknown>>, isTools: (name: string) => boolean): void {
  for (const name of Object.keys(args)) {
    const meant = askedBy(name);
    if (meant === null || isTools(name)) continue;
    throw bad(`${clipped(name)}: unknown argument, did you mean ${meant}; nothing was sent`);
  }
}

/** What to do instead of publishing. */
const INSTEAD = "leave it out, and publish with publish_post or publish_page where the site allows it";
function refuseSiteId(site_id: unknown): asserts site_id is string | undefined {
  if (site_id !== undefined && typeof site_id !== "string") {
    const more = Array.isArray(site_id) ? "; not a list: make a call for each site" : "";
    throw bad(`site_id: expected a string, the id of a site as list_sites names it${more}`);
  }
  if (site_id !== undefined && site_id.length > SITE_ID_CHARACTERS) {
    throw bad(
      `site_id: expected at most ${SITE_ID_CHARACTERS} characters; list_sites names the sites you may use`,
    );
  }
}

/** What no tool of the gateway's own takes, whatever its schema. */
function refusePublishing(raw: Record<string, unknown>, manifest: Manifest, now: number): void {
  const apart = [...manifest.file_text, ...manifest.calls];
  const judged = Object.entries(raw).filter(([name]) => !apart.includes(name));
  const found = wouldPublish(Object.fromEntries(judged));
  if (found) {
    throw new GatewayError(
      "E_FORBIDDEN_OP",
      `${clipped(found.field)}: ${
        JSON.stringify(clipped(found.value))
      } would publish, which "${manifest.name}" never does; ${INSTEAD}`,
    );
  }
  if (typeof raw.scheduled_at === "string") checkSchedule(raw.scheduled_at, now);
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
  if (count === 0) {
    throw bad(
      `${quoted(names)}: give ${"one_of" in rule ? "one" : "at least one"} of them${finder(names[0] ?? "")}`,
    );
  }
  if ("one_of" in rule && count > 1) throw bad(`${quoted(names)}: give only one of them`);
}

/** Arguments that an older version kept of a write, with the defaults of those that its tool was given since. */
export function withDefaults(
  { manifest, offer }: Pick<ToolEntry, "manifest" | "offer">,
  kept: Record<string, unknown>,
): Record<string, unknown> {
  if (offer) return kept;
  const defaults = Object.entries(manifest.input.properties ?? {}).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const]
  );
  return { ...Object.fromEntries(defaults), ...kept };
}
