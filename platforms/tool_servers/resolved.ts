/** What a call of a proxied tool comes to: which tool is really run, with what, and what it may touch. Sends nothing. */
import { clipped, GatewayError } from "../../core/errors.ts";
import type { Caller } from "../../core/model.ts";
import { Steps } from "../../core/steps.ts";
import { numericId } from "../../core/ids.ts";
import { namedForbidden } from "../../rules/proxied/named.ts";
import {
  ARGUMENT_KEYS,
  NAME_KEYS,
  neverRun,
  RUN_LEVELS_MAX,
  runsAnother,
} from "../../rules/proxied/names.ts";
import { assertUnpublished, payloadFault } from "../../rules/proxied/payload.ts";
import { walk } from "../../rules/proxied/walk.ts";
import { asAbility, assertDescribed, assertMayUse, notOffered, offerNamed } from "./abilities.ts";
import { toUpstreamArguments } from "./arguments.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { ProxiedTool, ProxyEffect, SiteOffer } from "./types.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** A call that nothing forbids that can be known without asking. */
export interface Resolved {
  /** The tool that is called. */
  readonly offer: SiteOffer;
  /** As they are sent. */
  readonly args: Arguments;
  /** The tool that is run: another one where the called one runs tools by name. */
  readonly target: SiteOffer;
  /** What that one gets. */
  readonly targetArgs: Arguments;
  readonly writes: boolean;
  readonly effect: ProxyEffect;
  /** The page that is changed; null where the effect is another. */
  readonly pageId: number | null;
}

/** Whose statuses are none of content's. */
const RECORDS =
  /^(contacts|conversations|opportunities|calendars|payments|locations|invoices|tasks|appointments|objects|associations)_/;
/** Posts that visitors see, and what of them says when. */
const POSTS: readonly (readonly [RegExp, string])[] = [
  [/^blogs_/, "publishedAt"],
  [/^social-?media-?posting_/, "scheduleDate"],
];

/** The argument that says when a tool's posts for visitors go live; null of tools that write none. */
export const momentOf = ({ ref, upstream_name: name }: SiteOffer): string | null =>
  ref.source === "crm" ? POSTS.find(([family]) => family.test(name))?.[1] ?? null : null;

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);
const forbidden = (message: string) => new GatewayError("E_FORBIDDEN_OP", message);
const quoted = (text: string) => JSON.stringify(text.slice(0, 80));

/** The location that answers may be of; null for any other source. */
export const locationOf = ({ offer }: Resolved, { site }: ProxyContext) =>
  offer.ref.source === "crm" ? site.crm_location_id : null;

/** Throws E_FORBIDDEN_OP for what no call may do, E_BAD_INPUT for arguments that cannot be judged. */
export function resolve(tool: ProxiedTool, given: Arguments, ctx: ProxyContext, ports: ProxyPorts): Resolved {
  const offer = tool.offers.get(ctx.site.id);
  if (offer === undefined) throw bad(`site_id: "${ctx.site.id}" does not offer "${tool.name}" any more`);
  const args = offer.ref.source === "crm"
    ? toUpstreamArguments(offer, given, ctx.site.crm_location_id ?? "")
    : given;
  const steps = new Steps();
  const run = runOf({ offer, args, field: "" }, ctx.caller, ports, 0, steps);
  const { offer: target, args: targetArgs } = run.last;
  if (target.writes) {
    if (target !== offer) assertUnconfirmed(run.last);
    assertHarmless(target, targetArgs, ctx.now(), steps);
  }
  const changesPage = target.effect === "page" || (target.writes && target.page !== undefined);
  const pageId = changesPage ? pageOf(target, targetArgs, steps) : null;
  const page = pageId === null ? targetArgs : { ...targetArgs, [target.page!]: pageId };
  return {
    offer,
    args: run.withLast(page),
    target,
    targetArgs: page,
    writes: offer.writes || target.writes,
    effect: target.effect,
    pageId,
  };
}

interface Level {
  readonly offer: SiteOffer;
  readonly args: Arguments;
  /** Where its arguments stand. */
  readonly field: string;
}

/** The tool that is run in the end, and the arguments of all with those of the last put in. */
interface Run {
  readonly last: Level;
  withLast(args: Arguments): Arguments;
}

function runOf(level: Level, caller: Caller, ports: ProxyPorts, depth: number, steps: Steps): Run {
  const { offer, args, field } = level;
  if (!runsAnother(offer.upstream_name)) {
    assertNames(args, field, steps);
    const withLast = (last: Arguments) => last;
    if (offer.describes !== "fully") return { last: level, withLast };
    assertDescribed(offer, args, caller, field, ports);
    return { last: { ...level, args: asAbility(args, offer, ports) }, withLast };
  }
  if (depth >= RUN_LEVELS_MAX) {
    throw forbidden(`${field}: tools run each other more than ${RUN_LEVELS_MAX} deep`);
  }
  const nameKey = oneOf(NAME_KEYS, args, field);
  const argumentKey = oneOf(ARGUMENT_KEYS, args, field) ?? ARGUMENT_KEYS[0];
  if (nameKey === undefined) throw bad(`${at(field, NAME_KEYS[0])} is required`);
  const { [argumentKey]: inner, ...own } = args;
  assertNames(own, field, steps);
  const next = {
    offer: named(args[nameKey], at(field, nameKey), offer, caller, ports),
    args: objectOf(inner, at(field, argumentKey)),
    field: at(field, argumentKey),
  };
  const run = runOf(next, caller, ports, depth + 1, steps);
  const sent = asAbility(args, offer, ports);
  return {
    last: run.last,
    withLast: (last) => inner === undefined ? sent : { ...sent, [argumentKey]: run.withLast(last) },
  };
}

const at = (field: string, name: string) => clipped(field === "" ? name : `${field}.${name}`);

function oneOf<Key extends string>(keys: readonly Key[], args: Arguments, field: string): Key | undefined {
  const [found, ...more] = keys.filter((key) => Object.hasOwn(args, key));
  if (more.length > 0) throw bad(`${at(field, found!)}: give only one of ${[found, ...more].join(", ")}`);
  return found;
}

function objectOf(inner: unknown, field: string): Arguments {
  if (inner === undefined || inner === null) return {};
  if (typeof inner !== "object" || Array.isArray(inner)) throw bad(`${field}: expected an object`);
  return inner as Arguments;
}

/** The tool of that name, as the site's servers of the same source know it: one that may be called there, and no other. */
function named(name: unknown, field: string, by: SiteOffer, caller: Caller, ports: ProxyPorts): SiteOffer {
  if (typeof name !== "string") throw bad(`${field}: expected the name of a tool`);
  const never = neverRun(name);
  if (never) throw forbidden(`${field}: ${quoted(name)} is refused: the name contains "${never.word}"`);
  const found = offerNamed(name, by, ports);
  if (found === undefined) throw notOffered(name, field);
  assertMayUse(caller, found, field);
  return found;
}

function assertNames(args: Arguments, field: string, steps: Steps): void {
  const fault = namedForbidden(args, steps);
  if (fault === null) return;
  const where = clipped([field, fault.field].filter((one) => one !== "").join(".")) || "arguments";
  throw forbidden(
    fault.word === null
      ? `${where}: runs another tool, which cannot be judged here; call that tool itself`
      : `${where}: ${quoted(fault.value)} is refused: the name contains "${fault.word}"`,
  );
}

/** Who asks for a preview of what is run by name, or confirms one, does not get a write instead. */
function assertUnconfirmed({ offer: { served, input_schema }, args, field }: Level): void {
  const { properties } = input_schema;
  const own = typeof properties === "object" && properties !== null ? properties : {};
  const asked = ["confirm", "confirm_token"].find((name) =>
    !Object.hasOwn(own, name) && Object.hasOwn(args, name) && !(name === "confirm" && args[name] === true)
  );
  if (asked === undefined) return;
  throw bad(
    `${
      at(field, asked)
    }: "${served.name}" has no preview, and nothing was sent; leave it out, and it writes at once`,
  );
}

function assertHarmless(
  offer: SiteOffer,
  args: Arguments,
  now: number,
  steps: Steps,
): void {
  const { ref, upstream_name: name } = offer;
  const moment = momentOf(offer);
  if (moment !== null) return assertPost(args, moment, now, steps);
  const fault = payloadFault(args, ref.source === "crm" && RECORDS.test(name), steps);
  if (fault === null) return;
  const read = fault.text === undefined
    ? ""
    : ` (a server can read the text of ${clipped(fault.text)} as settings)`;
  throw forbidden(
    `${clipped(fault.field)}: ${fault.value} is not allowed${read}; use "draft" or "pending" as a status; ` +
      "publish_post and publish_page publish where the site allows it",
  );
}

/** A post for visitors: its own status as it must be, and no other that publishes. */
function assertPost(args: Arguments, moment: string, now: number, steps: Steps): void {
  const own = (name: string) =>
    [name, `body_${name}`, `query_${name}`].find((one) => Object.hasOwn(args, one)) ?? name;
  const status = own("status");
  // Under the names that callers are shown.
  assertUnpublished({ status: args[status], [moment]: args[own(moment)] }, { status: "status", moment }, now);
  const { [status]: _, ...others } = args;
  const fault = payloadFault(others, false, steps);
  if (fault !== null) {
    throw forbidden(
      `${clipped(fault.field)}: ${fault.value} is not allowed; use "draft" or "pending" as a status`,
    );
  }
}

/** What tools call the page that they change, beside the name that is known of one. */
const PAGE_NAMES = /^(post|page)_?id$/i;

/** The page that an argument names: what is judged is what is sent. */
function pageOf({ page = "post_id" }: SiteOffer, args: Arguments, steps: Steps): number {
  const value = args[page];
  if (value === undefined || value === null) throw bad(`${page} is required`);
  if (typeof value !== "number" && typeof value !== "string") throw bad(`${page}: expected a whole number`);
  const id = numericId(value, page);
  const other = walk(args, ({ key, field, value, within }) => {
    const isPage = key === page || (within?.within === null && PAGE_NAMES.test(key));
    return isPage && typeof value !== "object" && String(value) !== String(id) ? field : undefined;
  }, steps);
  if (other !== undefined) {
    throw bad(`${clipped(other)}: names another page than ${page}; change one page in a call`);
  }
  return id;
}
