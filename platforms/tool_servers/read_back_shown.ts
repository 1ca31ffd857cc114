/** What stands after a write that another of the site's own tools shows: which one, and how, `manifests/proxies/` says. */
import { failureText, payloadOf } from "./answers.ts";
import { putBack } from "./arguments.ts";
import { comparedRecord, comparedRows } from "./compared_records.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { type ReadBack, readerOf, unproven, type Verdict } from "./read_back.ts";
import type { Resolved } from "./resolved.ts";
import type { ShownBy, SiteOffer, ToolServers, UpstreamResult } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The read-back of a write whose tool has a rule; null for any other. */
export function shownReadBack(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): ReadBack | null {
  const { target: { shown_by: rule, ref, upstream_name }, targetArgs } = call;
  if (rule === undefined) return null;
  const reader = readerOf(ports, ctx.site.id, rule.tool);
  if (reader === undefined) return withoutReader(rule.tool);
  const hosted = ref.source === "crm";
  const location = ctx.site.crm_location_id ?? "";
  const ask = (args: Fields) =>
    servers.call(reader.ref, reader.upstream_name, hosted ? putBack(reader, args, location) : args, {
      writes: false,
    });
  const sent = hosted ? unprefixed(targetArgs) : targetArgs;
  if (Object.keys(rule.rows).length > 0) return rowsReadBack(rule, sent, reader, ask);
  const look = new Look(rule, sent, ask);
  const removes = upstream_name.includes("_remove-");
  return {
    before: () => Promise.resolve(),
    async after(payload) {
      const id = look.idOf(payload);
      if (id === null) return unproven("The tool does not say which record it wrote");
      ctx.note({ result_id: id });
      try {
        const record = await look.record(id, payload);
        if (record === undefined) return unproven(`The record ${id} could not be read back`);
        const found = record === null
          ? look.missing(id, reader)
          : comparedRecord(sent, record, rule, removes);
        return { warnings: [], ...found, changes: [], changed: null };
      } catch {
        return unproven(`The record ${id} could not be read back`);
      }
    },
  };
}

/** Where the tool that would show it may not be called. */
const withoutReader = (tool: string): ReadBack => ({
  before: () => Promise.resolve(),
  after: () =>
    Promise.resolve(unproven(`"${tool}" shows what this tool writes, and this site does not offer it`)),
});

type Ask = (args: Fields) => Promise<UpstreamResult>;

/** Looks for the record of one write. */
class Look {
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
      if (found !== null) return found;
    }
    return null;
  }

  /** The record; null where there is none, undefined where that could not be found out. */
  async record(id: string | number, payload: unknown): Promise<Fields | null | undefined> {
    const { by, with: fixed, ask, search } = this.rule;
    const own = { ...fixed, ...this.#given(ask, payload), ...(by === undefined ? {} : { [by]: id }) };
    const narrow = this.#given(search, null);
    const ways = Object.keys(narrow).length > 0 ? [narrow, {}] : [{}];
    for (const way of ways) {
      const result = await this.ask({ ...own, ...way });
      if (result.isError) return isMissing(result) ? null : undefined;
      const found = this.#recordIn(bare(payloadOf(result)), id);
      if (found !== null) return found;
    }
    return null;
  }

  /** What is said where the record is not there. */
  missing(
    id: string | number,
    { upstream_name }: SiteOffer,
  ): Pick<Verdict, "verified" | "reason" | "warnings"> {
    const { later } = this.rule;
    if (later !== undefined && this.sent[later] !== undefined) {
      return {
        verified: null,
        reason: `${id} is for later, and "${upstream_name}" does not show it yet`,
        warnings: [],
      };
    }
    const warning =
      `"${upstream_name}" does not show ${id}, which the tool reports that it wrote; it may be late to ` +
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
  #recordIn(answer: unknown, id: string | number): Fields | null | undefined {
    const there = this.rule.at.map((place) => placeIn(answer, place)).find((one) => one !== undefined) ??
      answer;
    if (Array.isArray(there)) {
      return there.find((one) =>
        isFields(one) && [one.id, one._id].some((own) => String(own) === String(id))
      ) ?? null;
    }
    return isFields(there) && this.rule.by !== undefined ? there : undefined;
  }
}

/** The read-back of a write to rows that have an `_id` each. */
function rowsReadBack({ rows }: ShownBy, sent: Fields, reader: SiteOffer, ask: Ask): ReadBack {
  const look = async () => {
    const result = await ask({});
    return result.isError ? null : comparedRows(sent, payloadOf(result), rows);
  };
  let before: Awaited<ReturnType<typeof look>> = null;
  return {
    async before() {
      before = await look();
    },
    async after() {
      const unread = `"${reader.upstream_name}" could not be asked what stands now`;
      try {
        const now = await look();
        if (now === null) return unproven(unread);
        const { shown, ...found } = now;
        const isSame = before?.shown === shown;
        const done = found.verified === true;
        // What stood so before says nothing of this call, and what stands otherwise now may be another's.
        const changed = before === null || isSame === done ? null : done;
        return { warnings: [], ...found, changes: [], changed };
      } catch {
        return unproven(unread);
      }
    },
  };
}

/** What stands at a place within. */
function placeIn(value: unknown, place: string): unknown {
  return place.split(".").reduce<unknown>((at, name) => isFields(at) ? at[name] : undefined, value);
}

/** Some answers have what they are about in `results`. */
const bare = (payload: unknown) => isFields(payload) && isFields(payload.results) ? payload.results : payload;

const asId = (value: unknown) =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? value : null;

/** Whether the tool says that there is no such record, and not that it failed. */
const isMissing = (result: UpstreamResult) =>
  result.status === undefined ? /\bnot found\b/i.test(failureText(result)) : result.status === 404;

const unprefixed = (args: Fields): Fields =>
  Object.fromEntries(
    Object.entries(args).map(([name, one]) => [name.replace(/^(path|query|body)_(?=.)/, ""), one]),
  );
