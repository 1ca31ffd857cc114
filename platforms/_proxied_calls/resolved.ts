/** What a call of a proxied tool comes to: which tool is really run, with what, and what it may touch. Sends nothing. */
import { askedBy } from "../../core/asked_names.ts";
import { clipped, GatewayError } from "../../core/errors.ts";
import { numericId } from "../../core/ids.ts";
import {
  ARGUMENT_KEYS,
  NAME_KEYS,
  neverRun,
  RUN_LEVELS_MAX,
  runsAnother,
} from "../../rules/proxied/names.ts";
import { asAbility, assertDescribed, assertMayUse, notOffered, offerNamed } from "./abilities.ts";
import { toUpstreamArguments } from "../tool_servers/arguments.ts";
import type { ProxyCaller, ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { ProxiedTool, ProxyEffect, SiteOffer } from "../tool_servers/types.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** A call that nothing forbids that can be known without asking. */
export interface Resolved {
  /** The tool that is called. */
  readonly offer: SiteOffer;
  /** As they are sent. */
  readonly args: Arguments;
  /** The tools that run another one by name, outermost first. */
  readonly runners: readonly RunTool[];
  /** The tool that is run: another one where the called one runs tools by name. */
  readonly target: SiteOffer;
  /** What that one gets. */
  readonly targetArgs: Arguments;
  readonly writes: boolean;
  readonly effect: ProxyEffect;
  /** The page that is changed; null where the effect is another. */
  readonly pageId: number | null;
}

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
  const run = runOf({ offer, args, field: "" }, ctx.caller, ports, 0);
  const { offer: target, args: targetArgs } = run.last;
  if (target.writes && target !== offer) {
    for (const inner of [...run.runners.slice(1), run.last]) assertOwnArguments(inner, offer);
  }
  const changesPage = target.effect === "page" || (target.writes && target.page !== undefined);
  const pageId = changesPage ? pageOf(target, targetArgs) : null;
  const page = pageId === null ? targetArgs : { ...targetArgs, [target.page!]: pageId };
  return {
    offer,
    args: run.withLast(page),
    runners: run.runners,
    target,
    targetArgs: page,
    writes: offer.writes || target.writes,
    effect: target.effect,
    pageId,
  };
}

/** A tool that is run, and what it gets. */
export interface RunTool {
  readonly offer: SiteOffer;
  readonly args: Arguments;
}

interface Level extends RunTool {
  /** Where its arguments stand. */
  readonly field: string;
}

/** The tool that is run in the end, and the arguments of all with those of the last put in. */
interface Run {
  readonly last: Level;
  readonly runners: readonly Level[];
  withLast(args: Arguments): Arguments;
}

function runOf(level: Level, caller: ProxyCaller, ports: ProxyPorts, depth: number): Run {
  const { offer, args, field } = level;
  if (!runsAnother(offer.upstream_name)) {
    const withLast = (last: Arguments) => last;
    if (offer.describes !== "fully") return { last: level, runners: [], withLast };
    assertDescribed(offer, args, caller, field, ports);
    return { last: { ...level, args: asAbility(args, offer, ports) }, runners: [], withLast };
  }
  if (depth >= RUN_LEVELS_MAX) {
    throw forbidden(`${field}: tools run each other more than ${RUN_LEVELS_MAX} deep`);
  }
  const nameKey = oneOf(NAME_KEYS, args, field);
  const argumentKey = oneOf(ARGUMENT_KEYS, args, field) ?? ARGUMENT_KEYS[0];
  if (nameKey === undefined) throw bad(`${at(field, NAME_KEYS[0])} is required`);
  const inner = args[argumentKey];
  const next = {
    offer: named(args[nameKey], at(field, nameKey), offer, caller, ports),
    args: objectOf(inner, at(field, argumentKey)),
    field: at(field, argumentKey),
  };
  const run = runOf(next, caller, ports, depth + 1);
  const sent = asAbility(args, offer, ports);
  return {
    last: run.last,
    runners: [level, ...run.runners],
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
function named(
  name: unknown,
  field: string,
  by: SiteOffer,
  caller: ProxyCaller,
  ports: ProxyPorts,
): SiteOffer {
  if (typeof name !== "string") throw bad(`${field}: expected the name of a tool`);
  const never = neverRun(name);
  if (never) throw forbidden(`${field}: ${quoted(name)} is refused: the name contains "${never.word}"`);
  const found = offerNamed(name, by, ports);
  if (found === undefined) throw notOffered(name, field, by, caller, ports);
  assertMayUse(caller, found, field);
  return found;
}

/**
 * Refuses within the arguments of a tool that is run what asks the gateway for a preview, or confirms one: there it would
 * ask nobody. `confirm: true` alone asks for what happens anyway. Throws E_BAD_INPUT.
 */
function assertOwnArguments(
  { offer: { served, input_schema }, args, field }: Level,
  runner: SiteOffer,
): void {
  const { properties } = input_schema;
  const own = typeof properties === "object" && properties !== null ? properties : {};
  const given = Object.keys(args).filter((name) => !Object.hasOwn(own, name) && askedBy(name) !== null);
  const asked = given.filter((name) => !(name === "confirm" && args[name] === true));
  if (asked.length === 0) return;
  const names = [...new Set(given.map(askedBy))].join(" and ");
  throw bad(
    `${
      at(field, asked[0]!)
    }: "${served.name}" has no such argument, and nothing was sent; give ${names} to ` +
      `"${runner.served.name}" itself, beside ${field}`,
  );
}

/** What tools call the page that they change, beside the name that is known of one. */
const PAGE_NAMES = /^(post|page)_?id$/i;

/** The page that an argument names: what is judged is what is sent. */
function pageOf({ page = "post_id" }: SiteOffer, args: Arguments): number {
  const value = args[page];
  if (value === undefined || value === null) throw bad(`${page} is required`);
  if (typeof value !== "number" && typeof value !== "string") throw bad(`${page}: expected a whole number`);
  const id = numericId(value, page);
  const other = Object.keys(args).find((name) =>
    PAGE_NAMES.test(name) && typeof args[name] !== "object" && String(args[name]) !== String(value)
  );
  if (other !== undefined) {
    throw bad(`${clipped(other)}: names another page than ${page}; change one page in a call`);
  }
  return id;
}
