/** Finds the record of a write by the site's own tool that shows it, as `manifests/proxies/` says. */
import { type Fields, isFields } from "../../core/values.ts";
import { readerOf } from "./abilities.ts";
import { failureText, payloadOf } from "../tool_servers/answers.ts";
import { toUpstreamArguments } from "../tool_servers/arguments.ts";
import type { Found } from "./compared_records.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { Resolved } from "./resolved.ts";
import { shownName } from "./unheld.ts";
import type { ShownBy, SiteOffer, ToolServers, UpstreamResult } from "../tool_servers/types.ts";

/** Asks the tool that reads. */
export type Ask = (args: Fields) => Promise<UpstreamResult>;

/** The tool that shows what a call writes, and how to ask it; null of the tool where the site does not offer it. */
export function lookupOf(
  { target, targetArgs }: Resolved,
  rule: ShownBy,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): {
  readonly lookup: RecordLookup;
  readonly reader: SiteOffer | null;
  readonly sent: Fields;
  readonly ask: Ask;
} {
  const reader = readerOf(ports, target, rule.tool) ?? null;
  const hosted = target.ref.source === "crm";
  const sent = hosted ? unprefixed(targetArgs) : targetArgs;
  const location = ctx.site.crm_location_id ?? "";
  const ask: Ask = async (args) => {
    if (reader === null) throw new Error("There is no tool to ask");
    const asked = hosted ? toUpstreamArguments(reader, args, location) : args;
    return await servers.call(reader.ref, reader.upstream_name, asked, { writes: false });
  };
  return { lookup: new RecordLookup(rule, sent, ask), reader, sent, ask };
}

/** Looks for the record of one write. */
export class RecordLookup {
  constructor(readonly rule: ShownBy, readonly sent: Fields, readonly ask: Ask) {}

  /** What the write named, or its answer says it made. */
  idOf(payload: unknown): string | number | null {
    const { id, made } = this.rule;
    if (id !== undefined) {
      const named = asId(this.sent[id]);
      if (named !== null) return named;
    }
    for (const place of made) {
      const there = placeIn(bare(payload), place);
      const found = asId(isFields(there) ? there.id ?? there._id : there);
      if (typeof found === "number" || (found !== null && PLAIN_ID.test(found))) return found;
    }
    return null;
  }

  /** Whether the tool makes a record, which a write that names one or takes what is there does not. */
  makes(name: string): boolean {
    const { id } = this.rule;
    return !name.includes("upsert") && (id === undefined || asId(this.sent[id]) === null);
  }

  /** The record, or why there is none. */
  async record(id: string | number, payload: unknown): Promise<Fields | Without> {
    const { by, with: fixed, ask, search } = this.rule;
    const own = { ...fixed, ...this.#given(ask, payload), ...(by === undefined ? {} : { [by]: id }) };
    const narrow = this.#given(search, null);
    const ways = Object.keys(narrow).length > 0 ? [narrow, {}] : [{}];
    let found: Fields | Without = "missing";
    for (const way of ways) {
      const result = await this.ask({ ...own, ...way });
      if (result.isError) return isMissing(result) ? "missing" : "unread";
      found = this.#recordIn(bare(payloadOf(result)), id);
      if (found !== "missing" && found !== "beyond") return found;
    }
    return found;
  }

  /** What is said where the record is not there. */
  without(why: Without, id: string | number, { upstream_name }: SiteOffer): Found {
    const { later } = this.rule;
    const one = idShown(id);
    if (why === "unread") {
      return { verified: null, reason: `The record ${one} could not be read back` };
    }
    if (why === "another") {
      const warnings = [`"${upstream_name}" was asked for ${one} and shows another record`];
      return { verified: false, warnings };
    }
    if (why === "beyond") {
      return { verified: null, reason: `${one} is not among the first that "${upstream_name}" lists` };
    }
    if (later !== undefined && this.sent[later] !== undefined) {
      return {
        verified: null,
        reason: `${one} is for later, and "${upstream_name}" does not show it yet`,
      };
    }
    const warning =
      `"${upstream_name}" does not show ${one}, which the tool reports that it wrote; it may be late to ` +
      "show, so look again before you write it once more";
    return { verified: false, warnings: [warning] };
  }

  #given(names: Readonly<Record<string, string>>, payload: unknown): Fields {
    const answer = bare(payload);
    const values = Object.entries(names).map(([name, from]) =>
      [name, this.sent[from] ?? (isFields(answer) ? answer[from] : undefined)] as const
    );
    return Object.fromEntries(values.filter(([, value]) => ["string", "number"].includes(typeof value)));
  }

  /** The record where it stands, of a list the row of that id. */
  #recordIn(answer: unknown, id: string | number): Fields | Without {
    const { by, with: { limit } } = this.rule;
    const there = this.rule.at.map((place) => placeIn(answer, place)).find((one) => one !== undefined) ??
      answer;
    if (Array.isArray(there)) {
      const found = there.find((one) => isFields(one) && idsOf(one).includes(String(id)));
      const isFull = limit !== undefined && there.length >= Number(limit);
      return found as Fields | undefined ?? (isFull ? "beyond" : "missing");
    }
    if (!isFields(there) || by === undefined) return "unread";
    const own = idsOf(there);
    return own.length === 0 || own.includes(String(id)) ? there : "another";
  }
}

/** What stands at a place within. */
function placeIn(value: unknown, place: string): unknown {
  return place.split(".").reduce<unknown>((at, name) => isFields(at) ? at[name] : undefined, value);
}

/** Some answers have what they are about in `results`. */
const bare = (payload: unknown) => isFields(payload) && isFields(payload.results) ? payload.results : payload;

/** Why there is no record: there is none, it stands further back in a list, another one is shown, or nothing that is one. */
export type Without = "missing" | "beyond" | "another" | "unread";

/** The ids of a record, as text. */
const idsOf = ({ id, _id }: Fields): readonly string[] =>
  [id, _id].filter((one) => asId(one) !== null).map(String);

/** An id that a server names, of which nothing is a sentence. */
const PLAIN_ID = /^[\w.:~-]{1,128}$/;

/** An id as it may be part of the gateway's own words, whatever a site's server calls its records. */
export const shownId = (id: string): string =>
  /^[\w.:-]{1,64}$/.test(id) ? JSON.stringify(id) : "with no plain id";

/** An id as a sentence shows it. */
export const idShown = (id: string | number) => typeof id === "number" ? String(id) : shownId(id);
const asId = (value: unknown) =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? value : null;

/** Whether the tool says that there is no such record, and not that it failed. */
const isMissing = (result: UpstreamResult) =>
  result.status === undefined ? /\bnot found\b/i.test(failureText(result)) : result.status === 404;

const unprefixed = (args: Fields): Fields =>
  Object.fromEntries(Object.entries(args).map(([name, one]) => [shownName(name), one]));
