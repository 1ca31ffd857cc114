/** Sites' own tools made into entries of the catalogue: those of one name are one tool, shown by what its sites say of it. */
import { GatewayError } from "../errors.ts";
import type { PlatformKind, Site } from "../model.ts";
import type { ProxiedTool, SiteOffer } from "../platforms/tool_servers/types.ts";
import type { ToolEntry } from "../registry/load.ts";
import type { Proxies } from "../registry/proxies.ts";
import { offered, type OfferedTool, type Shown } from "../registry/source.ts";
import { servedArguments } from "../rules/proxied_arguments.ts";
import { cleanText, mergedSchema, shownSchema } from "../rules/proxied_schema.ts";
import type { ListedTool } from "../store/store.ts";
import { type JudgedTool, placeOf } from "./proxied_judge.ts";

/** What a tool does when it is called. */
export type Behaviour = (tool: ProxiedTool) => Pick<OfferedTool, "run"> & Partial<OfferedTool>;

/** What a tool does when a site has changed since it was listed. */
export interface Changed {
  /** A server said that a tool it listed is none of its own. */
  gone(site: Site): void;
}

/** A tool of one site that may be called, and what is shown of it. */
export interface ShownOffer {
  /** Where the server stood. */
  readonly place: string;
  readonly proxies: Proxies;
  readonly offer: SiteOffer;
  /** Ends with a full stop. */
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

const DESCRIPTION_CHARACTERS = 1000;

/** How a tool that may be called is shown; the same object for the same tool of the same site. */
export function shownOffer(proxies: Proxies, one: JudgedTool, tool: ListedTool): ShownOffer {
  const { name, catalog: { site_id, server, bound_to }, listed, state } = one;
  const { source } = proxies;
  const about = proxies.known.get(name)?.about;
  const read = state === "approved";
  const schema = shownSchema(
    servedArguments(tool.input_schema, proxies.argumentNames),
    { read, words: proxies.words },
  );
  return {
    place: bound_to,
    proxies,
    schema,
    description: read ? said(tool.description, about) : `${about}.`,
    offer: {
      ...one.class!,
      site_id,
      ref: { source, server },
      upstream_name: listed.name,
      input_schema: tool.input_schema,
    },
  };
}

/** What the site's server says, as its words; ours where it says nothing. */
function said(description: string, about: string | undefined): string {
  const clean = cleanText(description, DESCRIPTION_CHARACTERS);
  if (clean === "") return about === undefined ? "Its server does not describe it." : `${about}.`;
  return `The site's own tool server describes it so: ${clean}`;
}

const AT_ONCE = " It writes at once: there is no preview.";
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
  const [{ proxies }] = all as [ShownOffer, ...ShownOffer[]];
  const writes = all.some(({ offer }) => offer.writes);
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
    sites: [...bySite.keys()],
    platforms: proxies.kinds as PlatformKind[],
    links: [...proxies.links],
    shown: (sites) => shownBy(sites.flatMap((id) => bySite.get(id) ?? [])),
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
  return {
    ...behaviour,
    check(args, ctx) {
      const one = offers.get(ctx.site.id);
      if (!one || placeOf(ctx.site, one.proxies) !== one.place) throw moved(name, ctx.site.id);
      return behaviour.check?.(args, ctx);
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
    `Site "${site_id}" stands at another address than where "${name}" was listed; nothing was sent, and its tools are ` +
      "listed anew within some minutes",
  );

function shownBy(all: readonly ShownOffer[]): Shown {
  const { schema, differ } = mergedSchema(all.map((one) => one.schema));
  const ways = [...Map.groupBy(all, ({ description }) => description)];
  const writes = all.some(({ offer }) => offer.writes);
  const more = ways.length > WAYS_MAX ? " Other sites describe it otherwise." : "";
  const text = ways.length === 1
    ? ways[0]![0]
    : ways.slice(0, WAYS_MAX).map(([said, of]) => `On ${siteNames(of)}: ${said}`).join(" ") + more;
  return { description: `${text}${writes ? AT_ONCE : ""}${differ ? DIFFER : ""}`, input_schema: schema };
}

const siteNames = (all: readonly ShownOffer[]) => all.map(({ offer }) => offer.site_id).join(", ");

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
    description: "It is never carried out.",
    input_schema: { type: "object" },
    writes: true,
    sites,
    platforms: kinds,
    hidden: reason,
    run: () => {
      throw new Error(`"${name}" is hidden`);
    },
  });
