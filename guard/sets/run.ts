/** A set is carried out: the items of a site in their order, sites side by side, each a call of its own. */
import { Buffer } from "node:buffer";
import { abortable } from "../../core/async.ts";
import { asGatewayError, GatewayError } from "../../core/errors.ts";
import { type AuditRow, type Caller, LIMITS, type Outcome } from "../../core/model.ts";
import { Content } from "../../core/content.ts";
import { oneLine } from "../../core/one_line.ts";
import { isFields } from "../../core/values.ts";
import type { Follower } from "../../registry/tool.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { Beside, KeptSet, SetContent, SetItem, SetResult, Store } from "../../store/store.ts";
import type { CallRecord, Ending } from "../audit/audit.ts";
import { redactText } from "../audit/redact.ts";
import type { Dispatch } from "../pipeline/dispatch.ts";
import { bySite, whyNot } from "./answer.ts";
import { ticketName } from "../consent/consent_call.ts";
import {
  changesMade,
  expected,
  type Left,
  madeThing,
  objectOf,
  ownParts,
  thingOf,
  Touched,
} from "./things.ts";

/** Where it is looked for what an earlier run of a set has left. */
export interface DoubtStore {
  readonly sets: Pick<Store["sets"], "result">;
  readonly consents: Pick<Store["consents"], "find">;
}

/**
 * What an earlier run has left of an item: its result as it was kept; `unknown` where its write was begun and has not said
 * how it ended; null where nothing was begun.
 */
export async function leftBefore(
  { sets, consents }: DoubtStore,
  set_id: string,
  item: number,
): Promise<SetResult | null> {
  const record = await consents.find(ticketName({ set_id, item }));
  const kept = await sets.result(set_id, item);
  if (kept !== null || record === null || record.state !== "running" || !record.begun) return kept;
  const message =
    `Request "${record.request_id}" was begun and has not said how it ended, and it is not carried out twice; look at ` +
    "the site, or ask the gateway's operator what became of that request";
  const answer = { error: { code: "E_OUTCOME_UNKNOWN", message }, outcome: "unknown" };
  return { item, state: "unknown", request_id: record.request_id, answer, left: null };
}

/** What carrying out depends on. */
export interface RunPorts {
  readonly store: DoubtStore & { readonly sets: Pick<Store["sets"], "told" | "head"> };
  readonly catalog: Pick<Catalog, "get" | "fresh">;
  readonly dispatch: Dispatch;
  /** The caller as it is by now. Throws E_AUTH where it may not call any more. */
  callerNow(caller: Caller): Promise<Caller>;
  newId(): string;
  delay(ms: number): Promise<void>;
  /** Aborted once the gateway is to end. */
  readonly stopping: AbortSignal;
}

/** A set that somebody has consented to. */
export interface Consented {
  readonly kept: KeptSet & { readonly content: SetContent };
  readonly caller: Caller;
  readonly door: AuditRow["door"];
  readonly follower?: Follower | undefined;
  /** What is known of its items already, and is added to. */
  readonly results: Map<number, SetResult>;
  /** Asked before each item; false says that another instance may be at work. */
  renew(): Promise<boolean>;
  /** Hashes of what a call would replace, by part; only reads. Throws what it is refused with. */
  look(caller: Caller, tool: string, args: Readonly<Record<string, unknown>>): Promise<Left | null>;
}

/** Why nothing more is begun of a set that there is not any more. */
export const REMOVED =
  "A site of the set, or who made it, was erased, and what was kept of the set with it; the audit has what was done";

/** Of an answer so much is kept of an item. */
const ANSWER_BYTES = 1024;
const ANSWER_FIELDS = [
  "id",
  "post_id",
  "status",
  "url",
  "path",
  "commit_sha",
  "branch",
  "verified",
  "verified_reason",
  "live",
  "live_reason",
  "warnings",
  "undone",
  "left_out",
  "said",
];
/** Of what a site's own tool said so much. */
const SAID_CHARACTERS = 300;
/** How often an item is asked for again that came too early, and the longest wait for that. */
const TRIES = 6;
const WAIT_SECONDS_MAX = 60;

/** One run of a set, of this process. */
export class SetRun {
  readonly #ports: RunPorts;
  readonly #set: Consented;
  /** What stands at each thing since items have changed it. */
  readonly #left = new Map<string, Left>();
  readonly #touched = new Touched();
  #stopped: string | null = null;
  #isLost = false;

  constructor(ports: RunPorts, set: Consented) {
    this.#ports = ports;
    this.#set = set;
  }

  /** Does what is left to do. Answers whether the set has ended with that, and why not all of it was begun. */
  async all(): Promise<{ readonly hasEnded: boolean; readonly stopped: string | null }> {
    const { kept: { content }, results } = this.#set;
    for (const item of content.items) {
      const result = results.get(item.item);
      if (result !== undefined) this.#leaves(item, result);
    }
    const groups = [...bySite(content.items)];
    if (content.first && groups.length > 1) {
      await this.#group(groups[0]!);
      const why = this.#unproven(groups.shift()!);
      if (why !== null && this.#stopped === null) this.#stopped = `The first site is not proven: ${why}`;
    }
    const work = async () => {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) await this.#group(group);
    };
    await Promise.all(Array.from({ length: LIMITS.SET_SITES_AT_ONCE }, work));
    return { hasEnded: !this.#isLost, stopped: this.#stopped };
  }

  async #group(group: readonly SetItem[]): Promise<void> {
    const { kept: { content }, results } = this.#set;
    for (const item of group) {
      if (results.has(item.item)) continue;
      if (await this.#isOver()) return;
      if (whyNot(item, group, content, results) !== null) continue;
      const result = await this.#item(item);
      if (result === null) return;
      results.set(item.item, result);
      const said = `item ${item.item}, ${item.tool}: ${result.state}`;
      this.#set.follower?.progress(results.size, content.items.length, said);
      this.#leaves(item, result);
      await this.#seeMade(item, result);
    }
  }

  /** Whether nothing more may be begun, by this instance at least. */
  async #isOver(): Promise<boolean> {
    if (this.#stopped !== null || this.#isLost) return true;
    if (this.#ports.stopping.aborted || !await this.#set.renew().catch(() => false)) {
      this.#isLost = true;
      return true;
    }
    const head = await this.#ports.store.sets.head(this.#set.kept.set_id);
    if (head === null) this.#stopped ??= REMOVED;
    else if (head.cancelled_at !== null) this.#stopped ??= "The set was cancelled";
    return this.#stopped !== null;
  }

  /** Does one, and again where it came too early; null where the set may not go on. */
  async #item(item: SetItem): Promise<SetResult | null> {
    for (let tries = 1;; tries++) {
      const result = await this.#once(item);
      if (result === null || !("wait" in result)) return result;
      if (tries === TRIES) return result.result;
      const { delay, stopping } = this.#ports;
      const waited = delay(Math.min(result.wait, WAIT_SECONDS_MAX) * 1000);
      await abortable(waited, stopping).catch(() => {}); // a gateway that ends waits for no turn
      if (await this.#isOver()) return null;
    }
  }

  /** Who consented, as it is by now; null where that one may not call any more, or nobody can tell. */
  async #callerNow(): Promise<Caller | null> {
    try {
      return await this.#ports.callerNow(this.#set.caller);
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === "E_AUTH") this.#stopped ??= thrown.message;
      else this.#isLost = true;
      return null;
    }
  }

  async #once(
    item: SetItem,
  ): Promise<SetResult | { readonly wait: number; readonly result: SetResult } | null> {
    const { kept, door } = this.#set;
    const request_id = this.#ports.newId();
    let result: SetResult | null = null;
    const caller = await this.#callerNow();
    if (caller === null) return null;
    const args = { ...item.args, ...this.#idsOf(item) };
    await this.#ports.catalog.fresh(item.tool);
    const entry = this.#ports.catalog.get(item.tool, caller);
    const uses = Object.keys(item.uses).length > 0;
    const isLater = uses || item.follows != null;
    const thing = uses && entry != null ? thingOf(entry, args, item.site_id) : item.thing;
    const left = thing === null ? undefined : this.#left.get(thing);
    const revision = isLater ? left ?? null : expected(item.shown.revision, left);
    const open = entry == null
      ? new Set<string>()
      : this.#touched.of(entry, objectOf(entry, args, item.site_id), item.sites);
    const told = async (ending: Ending, record: CallRecord): Promise<readonly Beside[]> => {
      result = await this.#resultOf(item, ending, record);
      return shouldWait(ending) ? [] : await this.#ports.store.sets.told(kept, result);
    };
    let wait: number | null = null;
    try {
      await this.#ports.dispatch({
        door,
        requestId: request_id,
        caller,
        tool: item.tool,
        asks: { confirm: true },
        item: {
          ticket: {
            set_id: kept.set_id,
            item: item.item,
            shown: { ...item.shown, revision },
            isPartial: isLater,
            further: isLater
              ? []
              : Object.keys(left ?? {}).filter((part) => item.shown.revision?.[part] === undefined),
            open,
            isUnknown: left === undefined && entry != null && changesMade(entry, item.uses),
          },
          told,
        },
        parse: () => ({ args, bytes: Buffer.byteLength(JSON.stringify(args)) }),
      });
    } catch (thrown) {
      const failure = asGatewayError(thrown, request_id);
      wait = waitOf(failure, failure.outcome ?? "none");
      // What was to be told of a call that went well, and whose row could not be kept, is not told.
      if (result === null || (result as SetResult).state === "done") {
        result = resultOf(item, request_id, { failure, outcome: failure.outcome ?? "unknown" }, null);
      }
    }
    const known: SetResult = result ??
      { item: item.item, state: "unknown", request_id, answer: {}, left: null };
    return wait === null ? known : { wait, result: known };
  }

  /** What is known of an item by how its call ended, and of one that an earlier run has begun by what that left. */
  async #resultOf(item: SetItem, ending: Ending, record: CallRecord): Promise<SetResult> {
    const own = resultOf(item, record.requestId, ending, record);
    const isOwn = "failure" in ending
      ? ending.outcome !== "none" && ending.failure.code !== "E_OUTCOME_UNKNOWN"
      : record.decision.latest("repeats") === undefined;
    if (isOwn) return own;
    const before = await leftBefore(this.#ports.store, this.#set.kept.set_id, item.item);
    if (before === null || before.request_id === record.requestId) return own;
    return own.state === "unknown" ? { ...own, request_id: before.request_id } : before;
  }

  /** The ids that earlier items made. */
  #idsOf({ uses }: SetItem): Record<string, unknown> {
    const { results } = this.#set;
    return Object.fromEntries(
      Object.entries(uses).map(([name, from]) => [name, results.get(from)?.answer["id"]]),
    );
  }

  /** Notes what an item has left at the thing that it changed, or made. */
  #leaves(item: SetItem, { state, answer, left }: SetResult): void {
    if (state !== "done") return;
    const { tool, site_id, thing, args } = item;
    const entry = this.#ports.catalog.get(tool, this.#set.caller);
    if (entry == null) return;
    const id = answer["id"] as string | number | undefined;
    const given = { ...args, ...this.#idsOf(item) };
    const hasUses = Object.keys(item.uses).length > 0;
    const named = hasUses ? thingOf(entry, given, site_id) : thing;
    const made = id === undefined ? null : madeThing(entry, id, site_id);
    const place = entry.manifest.makes === undefined ? named ?? made : made; // not what it was made of
    const object = objectOf(entry, given, site_id) ??
      (id === undefined ? null : objectOf(entry, { post_id: id }, site_id));
    this.#touched.add(entry, object, site_id);
    if (place === null || left === null) return;
    this.#left.set(place, { ...this.#left.get(place), ...left });
    this.#touched.told(entry, object, left);
  }

  /** Looks at what an item has made and does not tell, where a later one changes that: so it knows what to find. */
  async #seeMade({ item, site_id, tool }: SetItem, { state, answer, left }: SetResult): Promise<void> {
    const id = answer["id"] as string | number | undefined;
    if (state !== "done" || left !== null || id === undefined) return;
    const maker = this.#ports.catalog.get(tool, this.#set.caller);
    const place = maker && madeThing(maker, id, site_id);
    if (place == null) return;
    for (const later of this.#set.kept.content.items) {
      const entry = this.#ports.catalog.get(later.tool, this.#set.caller);
      if (entry == null || !Object.values(later.uses).includes(item) || !changesMade(entry, later.uses)) {
        continue;
      }
      try {
        const args = { ...later.args, ...this.#idsOf(later) };
        const seen = await this.#set.look(await this.#ports.callerNow(this.#set.caller), later.tool, args);
        if (seen !== null) this.#left.set(place, { ...this.#left.get(place), ...ownParts(seen) });
      } catch {
        // What it is refused with, its own call is refused with as well.
      }
    }
  }

  /** Why a site is not proven to have what was asked for; null where it is. */
  #unproven(group: readonly SetItem[]): string | null {
    for (const { item } of group) {
      const result = this.#set.results.get(item);
      if (result?.state !== "done") return `item ${item} was not done`;
      const { verified, live } = result.answer;
      if (verified !== true) return `item ${item} is not verified`;
      if (isFields(live) && live["as_expected"] !== true) {
        return `visitors do not get what item ${item} should give them`;
      }
    }
    return null;
  }
}

/** What is known of an item by how its call ended. */
function resultOf(
  item: SetItem,
  request_id: string | null,
  ending: Ending,
  record: CallRecord | null,
): SetResult {
  const left = record?.left ?? null;
  const of = { item: item.item, request_id, left };
  if ("failure" in ending) {
    const { failure: { code, message }, outcome } = ending;
    const state = outcome === "unknown" ? "unknown" : "failed";
    return { ...of, state, answer: { error: { code, message }, ...outcome === "none" ? {} : { outcome } } };
  }
  const id = record?.facts.result_id ?? record?.allMade.at(-1)?.id;
  return {
    ...of,
    state: "done",
    answer: { ...id == null ? {} : { id }, ...shortened(fieldsOf(ending.value), id) },
  };
}

/** What was proven of what a site's own tool wrote, and what it said; of any other answer that. */
function fieldsOf(value: unknown): unknown {
  if (!(value instanceof Content)) return value;
  const text = typeof value.value === "string" ? value.value : JSON.stringify(value.value) ?? "";
  return { ...value.proof, said: redactText(oneLine(text, SAID_CHARACTERS)) };
}

/** The fields of an answer that are kept, as many as fit; of what visitors get whether that is as expected in any case. */
export function shortened(value: unknown, id: unknown): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  if (!isFields(value)) return kept;
  const fits = () => Buffer.byteLength(JSON.stringify(kept)) <= ANSWER_BYTES;
  for (const name of ANSWER_FIELDS) {
    const one = value[name];
    if (one === undefined || (name === "id" && id != null) || (Array.isArray(one) && one.length === 0)) {
      continue;
    }
    kept[name] = one;
    if (fits()) continue;
    // The first site of a canary is judged by it.
    if (name === "live" && isFields(one)) {
      kept[name] = { as_expected: one["as_expected"], left_out: "what differs" };
    } else delete kept[name];
  }
  return kept;
}

/** How many seconds to wait for another try; null for what would not go better then. */
const waitOf = ({ code, retryAfter }: GatewayError, outcome: Outcome): number | null =>
  outcome === "none" && (code === "E_RATE_LIMITED" || code === "E_BUSY") ? retryAfter ?? 1 : null;

const shouldWait = (ending: Ending): boolean =>
  "failure" in ending && waitOf(ending.failure, ending.outcome) !== null;
