/** Sees by its own answer, and by what is read back, whether a record that a write to the CRM made or changed is public. */
import { type Fields, isFields } from "../../core/values.ts";
import { isRefused, payloadOf } from "../tool_servers/answers.ts";
import { forbiddenSaid, type LiveVerdict, type LiveWatch, mayPublish, NOTHING } from "./live_verdict.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { shownId } from "./record_lookup.ts";
import type { Resolved } from "./resolved.ts";
import type { UpstreamResult } from "../tool_servers/types.ts";
import type { Verdict } from "./verdict.ts";
import { plainAddress } from "./went_live.ts";

/** What a record's status is where visitors see it, whichever tool wrote it; `manifests/proxies/` may know more. */
const LIVE: readonly string[] = ["published", "publish", "posted"];
const SCHEDULED = "scheduled";
/** Where records say how a visitor opens them. */
const ADDRESSES: readonly string[] = ["permalink", "url", "link", "postUrl", "canonicalLink"];

/** The watch of one write to the CRM; it asks nothing itself. */
export class PostedWatch implements LiveWatch {
  constructor(readonly call: Resolved, readonly ctx: ProxyContext, readonly ports: ProxyPorts) {}

  before = () => Promise.resolve();

  async after(result: UpstreamResult | null, read: Promise<Verdict>): Promise<LiveVerdict> {
    const { ctx, call, ports } = this;
    const { shown } = await read;
    const said = result === null ? [] : recordsIn(payloadOf(result));
    const records = [...(shown === undefined ? [] : [shown]), ...said];
    const live = records.find((one) => this.#stateOf(one) === "live");
    if (live === undefined) return this.#unseen(result, records);
    ctx.annotate({ _published: true });
    const place = addressOf(records);
    const name = nameOf(records);
    if (mayPublish(ctx)) return NOTHING;
    const what = `made ${name} public${place}`;
    return {
      warnings: [],
      changes: [{ field: name, from: "not public", to: `public${place}` }],
      forbidden: await forbiddenSaid(call, ctx, ports, what),
    };
  }

  /** Of what nobody says to be live: whether it will be, or whether nobody can tell. */
  #unseen(result: UpstreamResult | null, records: readonly Fields[]): LiveVerdict {
    const { ctx, call } = this;
    const { moment } = call.target.typing;
    if (moment === undefined || (result !== null && result.isError && isRefused(result))) return NOTHING;
    const warned = (warning: string): LiveVerdict => ({ ...NOTHING, warnings: [warning] });
    const name = nameOf(records);
    const states = records.map((one) => this.#stateOf(one));
    if (states.every((one) => one === null)) {
      ctx.annotate({ _published: null });
      return warned(
        `Whether visitors see ${name} could not be told, since nothing shows its status: look at it in the CRM`,
      );
    }
    const scheduled = records.find((_, at) => states[at] === SCHEDULED);
    if (scheduled === undefined) return NOTHING;
    const date = records.map((one) => dateOf(one[moment])).find((one) => one !== null) ?? null;
    if (date !== null && date > ctx.now()) {
      return warned(`${name} is scheduled: it goes live by itself at ${new Date(date).toISOString()}`);
    }
    ctx.annotate({ _published: null });
    return warned(
      date === null
        ? `${name} is scheduled, and goes live by itself at a date that the CRM does not show: look at it there`
        : `${name} is scheduled for ${
          new Date(date).toISOString()
        }, which is past: visitors may see it already`,
    );
  }

  /** What a record says of itself; null where it says nothing. */
  #stateOf(record: Fields): "live" | "scheduled" | "other" | null {
    const { live = {} } = this.call.target.shown_by ?? {};
    const words = { status: [], ...live };
    let found: "scheduled" | "other" | null = null;
    for (const [name, own] of Object.entries(words)) {
      const value = record[name];
      if (typeof value !== "string" || value === "") continue;
      const word = value.trim().toLowerCase();
      if (LIVE.includes(word) || own.some((one) => one === word)) return "live";
      found = word === SCHEDULED ? SCHEDULED : found ?? "other";
    }
    return found;
  }
}

/** The records of an answer: itself, and what stands right within it, or within its `results`. */
function recordsIn(payload: unknown): readonly Fields[] {
  if (!isFields(payload)) return [];
  const levels = isFields(payload.results) ? [payload.results, payload] : [payload];
  return levels.flatMap((level) => [...Object.values(level).filter(isFields), level]);
}

const idOf = ({ _id, id }: Fields) => [_id, id].find((one) => typeof one === "string" && one !== "");

function nameOf(records: readonly Fields[]): string {
  const id = records.map(idOf).find((one) => one !== undefined);
  return id === undefined ? "what it wrote" : shownId(String(id));
}

function addressOf(records: readonly Fields[]): string {
  const all = records.flatMap((one) => ADDRESSES.map((name) => one[name]));
  const found = all.map((one) => typeof one === "string" ? plainAddress(one) : "").find((one) => one !== "");
  return found === undefined ? "" : ` (${found})`;
}

/** A moment as answers write it: ISO 8601, or milliseconds. */
function dateOf(value: unknown): number | null {
  const moment = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : NaN;
  return Number.isNaN(new Date(moment).getTime()) ? null : moment;
}
