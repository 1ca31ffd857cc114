/** A set is carried out: the items of a site in their order, sites side by side, each a call of its own. */
import { Buffer } from "node:buffer";
import { abortable } from "../../core/async.ts";
import { asGatewayError, GatewayError } from "../../core/errors.ts";
import { type AuditRow, type Caller, LIMITS, type Outcome } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import type { Follower } from "../../registry/tool.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { Beside, KeptSet, SetContent, SetItem, SetResult, Store } from "../../store/store.ts";
import type { CallRecord, Ending } from "../audit/audit.ts";
import type { Ticket } from "../consent/consent_call.ts";
import { type Dispatch, NotAudited } from "../pipeline/dispatch.ts";
import { bySite, whyNot } from "./answer.ts";
import { type DoubtStore, leftBefore } from "./in_doubt.ts";
import { resultOf } from "./result.ts";
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

/** What carrying out depends on. */
export interface RunPorts {
  readonly store: DoubtStore & { readonly sets: Pick<Store["sets"], "told" | "head"> };
  readonly catalog: Pick<Catalog, "get" | "fresh">;
  readonly dispatch: Dispatch;
  /** The caller as it is by now. Throws E_AUTH where it may not call any more. */
  callerNow(caller: Caller): Promise<Caller>;
  newId(): string;
  delay(ms: number, signal?: AbortSignal): Promise<void>;
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

/** How often an item is asked for again that came too early, and the longest wait for that. */
const TRIES = 6;
const WAIT_SECONDS_MAX = 60;
/** Until one is asked for again whose row could not be written. */
const AUDIT_WAIT_SECONDS = 0.5;

/** An item that was refused before anything was done, and may not be that many seconds later. */
interface TooEarly {
  readonly wait: number;
  readonly result: SetResult;
  /** Whether a row tells of it. */
  readonly isKept: boolean;
}

/** One run of a set, of this process. */
export class SetRun {
  readonly #ports: RunPorts;
  readonly #set: Consented;
  /** What stands at each thing since items have changed it. */
  readonly #left = new Map<string, Left>();
  readonly #touched = new Touched();
  #stopped: string | null = null;
  #isLost = false;
  #fault: unknown = null;

  constructor(ports: RunPorts, set: Consented) {
    this.#ports = ports;
    this.#set = set;
  }

  /**
   * Does what is left to do. Answers whether the set has ended with that, and why not all of it was begun. Throws what
   * keeps it from going on here, once nothing of it is under way.
   */
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
    if (this.#fault !== null) throw this.#fault;
    return { hasEnded: !this.#isLost, stopped: this.#stopped };
  }

  /** The items of one site. Never throws: what they fail with beyond themselves, as a store that is away, ends all. */
  async #group(group: readonly SetItem[]): Promise<void> {
    try {
      await this.#inOrder(group);
    } catch (thrown) {
      this.#isLost = true;
      this.#fault ??= thrown;
    }
  }

  async #inOrder(group: readonly SetItem[]): Promise<void> {
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
      const result = await this.#once(item, tries === TRIES);
      if (result === null || !("wait" in result)) return result;
      if (tries === TRIES && result.isKept) return result.result;
      if (tries === TRIES) {
        this.#isLost = true; // what no row says was not told to anybody
        return null;
      }
      const { delay, stopping } = this.#ports;
      const waited = delay(Math.min(result.wait, WAIT_SECONDS_MAX) * 1000);
      await abortable(waited, stopping).catch(() => {}); // a gateway that ends waits for no turn
      if (await this.#isOver()) return null;
    }
  }

  /** Who consented, as it is by now; null where that one may not call any more. */
  async #callerNow(): Promise<Caller | null> {
    try {
      return await this.#ports.callerNow(this.#set.caller);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.code !== "E_AUTH") throw thrown;
      this.#stopped ??= thrown.message;
      return null;
    }
  }

  async #once(item: SetItem, isLast: boolean): Promise<SetResult | TooEarly | null> {
    const { kept, door } = this.#set;
    const request_id = this.#ports.newId();
    let result: SetResult | null = null;
    const caller = await this.#callerNow();
    if (caller === null) return null;
    const args = { ...item.args, ...this.#idsOf(item) };
    await this.#ports.catalog.fresh(item.tool);
    const ticket = this.#ticketFor(item, args, caller);
    const told = async (ending: Ending, record: CallRecord): Promise<readonly Beside[]> => {
      result = await this.#resultOf(item, ending, record);
      return !isLast && shouldWait(ending) ? [] : await this.#ports.store.sets.told(kept, result);
    };
    let wait: number | null = null;
    let isKept = true;
    try {
      await this.#ports.dispatch({
        door,
        requestId: request_id,
        caller,
        tool: item.tool,
        asks: { confirm: true },
        item: { ticket, told },
        parse: () => ({ args, bytes: Buffer.byteLength(JSON.stringify(args)) }),
      });
    } catch (thrown) {
      const failure = asGatewayError(thrown, request_id);
      wait = waitOf(failure, failure.outcome ?? "none");
      isKept = !(failure instanceof NotAudited);
      // Its row may be written late, with what became of it: until then nothing that follows can be judged.
      if (!isKept && wait === null) this.#isLost = true;
      // What was to be told of a call that went well, and whose row could not be kept, is not told.
      if (result === null || (result as SetResult).state === "done") {
        result = resultOf(item, request_id, { failure, outcome: failure.outcome ?? "unknown" }, null);
      }
    }
    const known: SetResult = result ??
      { item: item.item, state: "unknown", request_id, answer: {}, left: null };
    return wait === null ? known : { wait, isKept, result: known };
  }

  /** What was consented to of an item, with what those before it have left. */
  #ticketFor(item: SetItem, args: Readonly<Record<string, unknown>>, caller: Caller): Ticket {
    const entry = this.#ports.catalog.get(item.tool, caller);
    const uses = Object.keys(item.uses).length > 0;
    const isLater = uses || item.follows != null;
    const thing = uses && entry != null ? thingOf(entry, args, item.site_id) : item.thing;
    const left = thing === null ? undefined : this.#left.get(thing);
    const revision = isLater ? left ?? null : expected(item.shown.revision, left);
    return {
      set_id: this.#set.kept.set_id,
      item: item.item,
      shown: { ...item.shown, revision },
      isPartial: isLater,
      approved: this.#set.kept.approved,
      further: isLater
        ? []
        : Object.keys(left ?? {}).filter((part) => item.shown.revision?.[part] === undefined),
      open: entry == null
        ? new Set<string>()
        : this.#touched.of(entry, objectOf(entry, args, item.site_id), item.sites),
      isUnknown: left === undefined && entry != null && changesMade(entry, item.uses),
    };
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
    // Also of one that an operator has found to be made.
    const isToldNow = own.state === "unknown" || (own.state === "done" && "failure" in ending);
    return isToldNow ? { ...own, request_id: before.request_id } : before;
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

/** How many seconds to wait for another try; null for what would not go better then. */
function waitOf(failure: GatewayError, outcome: Outcome): number | null {
  if (outcome !== "none") return null;
  if (failure instanceof NotAudited) return AUDIT_WAIT_SECONDS;
  const { code, retryAfter } = failure;
  return code === "E_RATE_LIMITED" || code === "E_BUSY" ? retryAfter ?? 1 : null;
}

const shouldWait = (ending: Ending): boolean =>
  "failure" in ending && waitOf(ending.failure, ending.outcome) !== null;
