/** Sites' own tools made into entries of the catalogue: those of one name are one tool, shown by what its sites say of it. */
import type { AskedName } from "../../core/asked_names.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Asking, PlatformKind, Site } from "../../core/model.ts";
import type { ProxiedTool, ProxyClass, ServedTool, SiteOffer } from "../../platforms/tool_servers/types.ts";
import type { Shown, ToolEntry } from "../../registry/entry.ts";
import type { Proxies } from "../../registry/proxies.ts";
import { offered, type OfferedTool } from "../../registry/source.ts";
import { servedArguments } from "../../rules/proxied/arguments.ts";
import { withoutStates } from "../../rules/proxied/typed.ts";
import type { ToolCatalog } from "../../store/store.ts";
import { type Judgement, placeOf } from "./judge.ts";
import { mergedSchema } from "./merged_schema.ts";
import { cleanText, shownSchema, withValues } from "./shown_schema.ts";

/** What a tool does when it is called. */
export type Behaviour = (tool: ProxiedTool) => Pick<OfferedTool, "run"> & Partial<OfferedTool>;

/** What a tool does when a site has changed since it was listed. */
export interface Changed {
  /** A server said that a tool it listed is none of its own. */
  gone(site: Site): void;
}

/** A tool that may be called, and what is shown of it, whichever site has it. */
export interface ShownTool extends ProxyClass {
  readonly proxies: Proxies;
  readonly upstream_name: string;
  /** The server's own. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Ends with a full stop. */
  readonly description: string;
  readonly schema: Record<string, unknown>;
  readonly served: ServedTool;
  readonly more: Pick<SiteOffer, "known" | "typing" | "shown_by" | "describes" | "page">;
}

/** A tool of one site that may be called. */
export interface ShownOffer {
  readonly shown: ShownTool;
  readonly offer: SiteOffer;
  /** Where the server stood. */
  readonly place: string;
  /** What the site asks of its writes. */
  readonly asking: Asking;
}

const DESCRIPTION_CHARACTERS = 1000;

/** How a tool is shown; null where nothing of it was kept, or nobody has said what it touches. */
export function shownTool(
  proxies: Proxies,
  { name, listed: { name: upstream_name, tool }, state, class: chosen }: Judgement,
): ShownTool | null {
  if (tool === null || chosen === null) return null;
  const known = proxies.known.get(name);
  const { about, words = {}, values = {}, states = [] } = known ?? {};
  const read = state === "approved";
  const whole = shownSchema(
    servedArguments(tool.input_schema, proxies.argumentNames),
    { read, words: { ...proxies.words, ...words } },
  );
  const schema = withValues(withoutStates(whole, states), values);
  const description = read ? said(tool.description, about) : `${about}.`;
  const served = { name, ability: proxies.abilityName(upstream_name), description, input_schema: schema };
  const shown_by = chosen.writes ? proxies.shownBy(name) : undefined;
  const describes = proxies.describes(name);
  const moment = proxies.moment(name);
  const typing = { values, states, ...(moment === undefined ? {} : { moment }) };
  const more = {
    known: known !== undefined,
    typing,
    ...(chosen.page === undefined ? {} : { page: chosen.page }),
    ...(shown_by === undefined ? {} : { shown_by }),
    ...(describes === undefined ? {} : { describes }),
  };
  return {
    ...chosen,
    proxies,
    upstream_name,
    input_schema: tool.input_schema,
    description,
    schema,
    served,
    more,
  };
}

/** The tool of a site. */
export function shownOffer(
  shown: ShownTool,
  { site_id, server, bound_to }: ToolCatalog,
  asking: Asking,
): ShownOffer {
  const { proxies: { source }, upstream_name, input_schema, writes, effect, served, more } = shown;
  const ref = { source, server };
  const hold = writes ? shown.proxies.holdRule(served.name, server) : undefined;
  const held = hold === undefined ? {} : { hold };
  const offer = { site_id, ref, upstream_name, input_schema, writes, effect, served, ...more, ...held };
  return { shown, place: bound_to, offer, asking };
}

/** What the site's server says, as its words; ours where it says nothing. */
function said(description: string, about: string | undefined): string {
  const clean = cleanText(description, DESCRIPTION_CHARACTERS);
  if (clean === "") return about === undefined ? "Its server does not describe it." : `${about}.`;
  return `The site's own tool server describes it so: ${clean}${/[.!?…]$/.test(clean) ? "" : "."}`;
}

const FIRST = [" answers a preview first", "; confirm: true with its confirm_token carries it out."];
const AT_ONCE = " writes at once: there is no preview.";
/** How a preview is asked for: by an argument that none of these tools has itself. */
const shownFirst = (asked: string) =>
  ` writes at once; ${asked} only shows what it would change, where the site can.`;
const BY_NAME = " counts as a write, though it is not known to change anything.";
const DIFFER = " Its arguments differ between these sites.";
/** Of sites that describe a tool each in their own way, so many ways are shown. */
const WAYS_MAX = 3;

/** The tool of that name, which these sites offer; all of one source. */
export function proxiedEntry(
  name: string,
  all: readonly ShownOffer[],
  behave: Behaviour,
  changed: Changed,
): ToolEntry {
  const bySite = new Map(all.map((one) => [one.offer.site_id, one]));
  const [{ shown: { proxies } }] = all as [ShownOffer, ...ShownOffer[]];
  const writing = siteIds(all.filter(({ offer }) => offer.writes));
  const writes = writing.length === all.length; // what one server says makes no write of another's
  const tool: ProxiedTool = {
    name,
    source: proxies.source,
    offers: new Map(all.map(({ offer }) => [offer.site_id, offer])),
  };
  return offered({
    name,
    group: "proxied",
    title: titleOf(name),
    ...shownBy(all),
    writes,
    writesAt: writes ? [] : writing,
    sites: [...bySite.keys()],
    platforms: proxies.kinds as PlatformKind[],
    links: [...proxies.links],
    previews: (site) => bySite.get(site)?.offer.hold !== undefined,
    has: (argument, site) => Object.hasOwn(bySite.get(site)?.shown.schema.properties ?? {}, argument),
    shown: (sites, token) => shownBy(sites.flatMap((id) => bySite.get(id) ?? []), token),
    first: (sites, token) => isFirst(sites.flatMap((id) => bySite.get(id) ?? []), token),
    ...watched(name, bySite, behave(tool), changed),
  });
}

/** Nothing is asked of a site that stands elsewhere by now; one whose server lacks the tool is listed again. */
function watched(
  name: string,
  offers: ReadonlyMap<string, ShownOffer>,
  behaviour: ReturnType<Behaviour>,
  { gone }: Changed,
): ReturnType<Behaviour> {
  const { restore } = behaviour;
  const assertThere = ({ site }: { readonly site: Site }) => {
    const one = offers.get(site.id);
    if (!one || placeOf(site, one.shown.proxies) !== one.place) throw moved(name, site.id);
  };
  return {
    ...behaviour,
    check(args, ctx) {
      assertThere(ctx);
      return behaviour.check?.(args, ctx);
    },
    ...restore === undefined ? {} : {
      restore: {
        ...restore,
        async plan(kept, ctx) {
          assertThere(ctx);
          return await restore.plan(kept, ctx);
        },
      },
    },
    async run(args, ctx, plan) {
      try {
        return await behaviour.run(args, ctx, plan);
      } catch (thrown) {
        if (thrown instanceof GatewayError && "isGone" in thrown && thrown.isGone === true) gone(ctx.site);
        throw thrown;
      }
    },
  };
}

const moved = (name: string, site_id: string) =>
  new GatewayError(
    "E_TOOL_NOT_FOUND",
    `Site "${site_id}" has another address than the one where "${name}" was listed; nothing was sent, and its tools are ` +
      "listed anew within some minutes",
  );

/** Whether each site where it writes, or the token, asks that this is shown first. */
const isFirst = (all: readonly ShownOffer[], token?: Asking): boolean =>
  all.every((one) => {
    const { offer: { writes, hold }, asking } = one;
    const mayHold = hold !== undefined && [asking, token].some((of) => of?.confirm_policy === "preview");
    return !writes || mayHold || isAlways([one], token);
  });

/** The same where no site needs to be able to: the gateway shows it. */
const isAlways = (all: readonly ShownOffer[], token?: Asking): boolean =>
  all.every(({ asking }) =>
    [asking, token].some((of) => of?.confirm_proxied === true || of?.confirm_policy === "human")
  );

function shownBy(all: readonly ShownOffer[], token?: Asking): Shown {
  // Sites that list the same have the same object.
  const schemas = [...Map.groupBy(all, ({ shown }) => shown.schema)];
  const { schema, differ } = mergedSchema(schemas.map(([schema, of]) => ({ schema, sites: siteIds(of) })));
  const ways = [...Map.groupBy(all, ({ shown }) => shown.description)];
  const writing = all.filter(({ offer }) => offer.writes);
  const isShown = writing.length > 0 && writing.every(({ offer }) => offer.hold !== undefined);
  const changes = writing.some(({ offer }) => offer.effect !== "read");
  const first = writing.length > 0 && isFirst(writing, token);
  const some = first || writing.some((one) => isFirst([one], token));
  const counted = first
    ? FIRST.join(isAlways(writing, token) ? "" : ", where the site can")
    : !changes
    ? BY_NAME
    : isShown
    ? shownFirst(askedOf(schema))
    : AT_ONCE;
  const where = writing.length < all.length ? ` On ${siteNames(writing)} it` : " It";
  const more = ways.length > WAYS_MAX ? " Other sites describe it otherwise." : "";
  const text = ways.length === 1
    ? ways[0]![0]
    : ways.slice(0, WAYS_MAX).map(([said, of]) => `On ${siteNames(of)}: ${said}`).join(" ") + more;
  return {
    description: `${text}${writing.length > 0 ? where + counted : ""}${differ ? DIFFER : ""}`,
    input_schema: isShown || some ? withAsked(schema, some) : schema,
  };
}

/**
 * The schema with what asks for a preview, where the tool has no arguments of those names itself; with what confirms one
 * where a preview has to be confirmed. These are taken elsewhere too, and there nothing has to be confirmed.
 */
function withAsked(schema: Record<string, unknown>, confirms: boolean): Record<string, unknown> {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, unknown>> };
  const { dry_run, confirm } = ASKED;
  const asked = confirms ? ASKED : askedOf(schema) === "dry_run: true" ? { dry_run } : { confirm };
  return { ...schema, properties: { ...properties, ...asked, ...properties } };
}

const ASKED = {
  dry_run: { type: "boolean" },
  confirm: { type: "boolean" },
  confirm_token: { type: "string" },
} satisfies Record<AskedName, unknown>;

/** What asks for a preview of a tool: a dry_run of its own is not the gateway's. */
const askedOf = ({ properties }: Record<string, unknown>): string =>
  Object.hasOwn((properties ?? {}) as object, "dry_run") ? "confirm: false" : "dry_run: true";

const siteIds = (all: readonly ShownOffer[]) => all.map(({ offer }) => offer.site_id);
const siteNames = (all: readonly ShownOffer[]) => siteIds(all).join(", ");

/** The name as words. */
function titleOf(name: string): string {
  const words = name.replace(/^(?:builder-mcp|mcp-adapter)-/, "").replace(/[-_.]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The tool of that name, which is refused whoever calls it and wherever. */
export const hiddenEntry = (
  name: string,
  reason: string,
  sites: readonly string[],
  kinds: readonly PlatformKind[],
): ToolEntry =>
  offered({
    name,
    group: "proxied",
    description: "Every call of it is refused.",
    input_schema: { type: "object" },
    writes: true,
    sites,
    platforms: kinds,
    hidden: reason,
    run: () => {
      throw new Error(`"${name}" is hidden`);
    },
  });
