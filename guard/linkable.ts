/** Lists what a site could be linked to, with the accounts it is bound to, for those who may change its links. */
import { shownFailure } from "../core/errors.ts";
import { quoted } from "../core/faults.ts";
import { LIMITS, type Site } from "../core/model.ts";
import type { Connector } from "../platforms/_connector/connector.ts";
import type { Linkable, LinkableKind } from "../platforms/_connector/operator.ts";
import { optionOf } from "../registry/field_schema.ts";
import type { LinkableEntry, LinkableList, LinkableReport } from "../registry/linkable_report.ts";
import { type Actor, adminRow, appendOrLog, tookSince } from "./audit/admin_row.ts";
import { makeConnectorContext } from "./connector_context.ts";
import type { ReviewPorts } from "./probe.ts";

/** Who asks, of which site. */
export interface LinkableOrder {
  readonly site: Site;
  readonly by: Actor;
  /** By the name of a connector: why its account is not shown to whoever asks. It is sent nothing. */
  readonly closed: ReadonlyMap<string, string>;
}

/** A kind, and what lists it. */
interface Asked {
  readonly connector: Connector;
  readonly name: string;
  readonly kind: LinkableKind;
}

/**
 * Lists every kind; one that fails says so and stops no other. The audit gets one row, with how many of each were shown
 * and never which. Throws E_INTERNAL where that row cannot be written.
 */
export async function listLinkable(ports: ReviewPorts, order: LinkableOrder): Promise<LinkableReport> {
  const { site, by } = order;
  const row = { ...adminRow(ports.newId(), by, ports.now(), "site.linkable", {}), site_id: site.id };
  const deadline = ports.now() + LIMITS.CALL_DEADLINE_MS;
  const lists = await Promise.all(ports.connectors.all.flatMap((connector) => {
    const kinds = Object.entries(connector.linkable ?? {});
    if (kinds.length === 0) return [];
    const ctx = makeConnectorContext(ports, { site, caller: null, deadline, listing: true }, connector);
    return kinds.map(async ([name, kind]) => {
      const gathered = await gather({ connector, name, kind }, order, ctx, (thrown) => {
        ports.report(row.id, thrown);
      });
      return shown({ connector, name, kind }, site, gathered);
    });
  }));
  const named = <T>(some: readonly LinkableList[], value: (one: LinkableList) => T) =>
    Object.fromEntries(some.map((one) => [one.kind, value(one)]));
  const what = {
    shown: named(lists, ({ entries }) => entries.length),
    problems: named(lists.filter(({ problem }) => problem), ({ problem }) => problem!.code),
  };
  await appendOrLog(ports, { ...row, arguments: what, duration_ms: tookSince(row, ports.now()) });
  return { site_id: site.id, kinds: lists };
}

/** What was listed of a kind, and what ended it. */
interface Gathered {
  readonly found: readonly Linkable[];
  readonly problem: LinkableList["problem"];
  readonly cut: boolean;
}

/** Page by page, up to a number of entries and of pages. */
async function gather(
  { connector, kind }: Asked,
  { closed }: LinkableOrder,
  ctx: ReturnType<typeof makeConnectorContext>,
  report: (thrown: unknown) => void,
): Promise<Gathered> {
  const same = kind.same ?? ((id: string) => id);
  const found = new Map<string, Linkable>();
  const ended = (problem: Gathered["problem"], cut = false) => ({ found: [...found.values()], problem, cut });
  const why = closed.get(connector.name);
  if (why !== undefined) return ended({ code: "E_FORBIDDEN", message: why });
  try {
    let pages = 0;
    for await (const page of kind.list(ctx)) {
      if (pages++ === LIMITS.LINKABLE_PAGES_MAX) return ended(null, true);
      for (const one of page) {
        if (found.has(same(one.id))) continue;
        if (found.size === LIMITS.LINKABLE_MAX) return ended(null, true);
        found.set(same(one.id), one);
      }
    }
    return ended(null);
  } catch (thrown) {
    const { code, message } = shownFailure(thrown, `listed ${kind.what}`, report);
    return ended({ code, message });
  }
}

function shown(
  { connector, name, kind }: Asked,
  site: Site,
  { found, problem, cut }: Gathered,
): LinkableList {
  const { what, field } = kind;
  const same = kind.same ?? ((id: string) => id);
  const held = heldBy(site, field);
  const taken = found.map((one) => ({ one, set: { [field]: one.id, ...one.also } }))
    .filter(({ set }) => Object.entries(set).every((entry) => takes(connector, entry)));
  const notes = [
    ...left(field, found.filter((one) => !taken.some((other) => other.one === one))),
    ...cut
      ? [
        `There are more ${what} than are listed at once; to link one that is missing, set ${field} to its id`,
      ]
      : [],
  ];
  return {
    kind: name,
    what,
    field,
    linked_to: held,
    entries: taken.map(({ one: { id, name = null, within = null, note = null }, set }): LinkableEntry => ({
      id,
      name,
      within,
      note,
      linked: held !== null && same(id) === same(held),
      set,
      command: commandOf(site, set, connector),
    })),
    complete: problem === null && notes.length === 0,
    problem,
    notes,
  };
}

const heldBy = (site: Site, field: string): string | null =>
  (site as unknown as Readonly<Record<string, string | null>>)[field] ?? null;

/** Whether a field takes a value; what its connector does not name takes none. */
function takes({ siteFields = {} }: Connector, [field, value]: [string, string | null]): boolean {
  const spec = Object.hasOwn(siteFields, field) ? siteFields[field] : undefined;
  return spec !== undefined && (value === null || spec.schema.safeParse(value).success);
}

function left(field: string, some: readonly Linkable[]): string[] {
  if (some.length === 0) return [];
  return [
    `${field} does not take every id there is: ${some.length} left out, such as ${quoted(some[0]!.id)}`,
  ];
}

/** The line that links it; an option that unsets nothing is left out. */
function commandOf(site: Site, set: LinkableEntry["set"], { siteFields = {} }: Connector): string {
  const words = Object.entries(set).flatMap(([field, value]) => {
    const option = optionOf(field, siteFields[field]!);
    if (value !== null) return [`--${option}`, shellWord(value)];
    return heldBy(site, field) === null ? [] : ["--unset", option];
  });
  return ["deno task admin site update", site.id, ...words].join(" ");
}

/** A text as one word of a shell: a vendor lists what strangers named. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
