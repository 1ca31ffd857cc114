/** Change sets of one gateway: planned, shown, consented to, carried out, looked at. */
import { counted } from "../../core/one_line.ts";
import { hash } from "node:crypto";
import { asGatewayError, GatewayError } from "../../core/errors.ts";
import { canonical } from "../../core/canonical.ts";
import { ended } from "../../core/async.ts";
import { type Caller, LIMITS, type Site } from "../../core/model.ts";
import type { SetOrder, SetPlan } from "../../registry/set_port.ts";
import type { KeptSet, SetApproval, SetContent, SetResult, Store } from "../../store/store.ts";
import { underProjects } from "../consent/confirm.ts";
import type { AdmitPorts } from "../pipeline/admit.ts";
import type { CallParts, SetCalls } from "../pipeline/context_ports.ts";
import { reaches } from "../pipeline/scope.ts";
import { answerOf, highestOf, type Progress, shownOf, written } from "./answer.ts";
import { asFound, leftOf } from "./in_doubt.ts";
import { type Asking, planParts, prepare, type Prepared } from "./prepare.ts";
import { setEnded, type Tell } from "../webhooks/tell.ts";
import { REMOVED, type RunPorts, SetRun } from "./run.ts";

/** What sets depend on. */
export interface SetPorts extends AdmitPorts, Omit<RunPorts, "store" | "catalog"> {
  readonly store: AdmitPorts["store"] & Pick<Store, "sets" | "leases" | "consents" | "audit">;
  /** Does the work again and again, that far apart, until what it answers is called. */
  every(ms: number, work: () => Promise<void>): () => void;
  readonly tell: Tell;
  log(event: Record<string, unknown>): void;
  /** Those that this process is at work on: whoever ends it waits for them. None of them rejects. */
  readonly setRuns: Set<Promise<void>>;
}

type Opened = KeptSet & { readonly content: SetContent };
type Fields = Readonly<Record<string, unknown>>;

/** What this process knows of a set that it was asked to carry out, whatever the store still has of it. */
interface Known extends Pick<Progress, "results"> {
  readonly kept: Opened;
}

const UNPLANNED = "Its planning was cut off, and nothing was changed; prepare it again";
const NO_RESULTS: Progress["results"] = new Map();
const NONE_BEGUN: Progress["begun"] = new Map();

const leaseOf = (set_id: string) => `set ${set_id}`;
const LOOK_MS = 500;
const CANCELLED = "The set was cancelled";

const gone = (set_id: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `set_id: there is no change set "${
      set_id.slice(0, 40)
    }" of this token; one is kept for a day after it has ended; list_changes of a site names the sets that changed it`,
  );

const over = (failed: string | null) =>
  new GatewayError(
    "E_CONFIRM_INVALID",
    `confirm_token: ${failed ?? "The set has ended"}, and it is not begun any more; prepare it again`,
    { outcome: "none" },
  );

/** Two sets that show the same have the same. */
const digest = (content: SetContent) =>
  hash("sha256", canonical(content.items.map(({ shown, args }) => [shown, args])));

/** The sets of a gateway. */
export class ChangeSets {
  /** Those that this process is at work on, and what it knows of their items. */
  readonly #running = new Map<
    string,
    { readonly done: Promise<void>; readonly results: Map<number, SetResult> }
  >();
  /** Those that it is planning. */
  readonly #planning = new Map<
    string,
    { readonly done: Promise<unknown>; planned: number; readonly of: number; isLate: boolean }
  >();

  constructor(private readonly ports: SetPorts) {}

  /** The sets as one call may use them. */
  port(call: CallParts): SetCalls {
    const mine = async (set_id: string) => await this.#mine(set_id, call);
    return {
      plan: async (make) => await this.#plan(call, make),
      run: async ({ id }, wait_seconds) => {
        call.place?.leave(); // its items take places of their own
        const opened = await this.#opened(id);
        const approved = approvedIn(call);
        if (!await this.ports.store.sets.start(id, approved)) throw over((await this.#opened(id)).failed);
        const results = this.#begin({ ...opened, state: "running", approved }, call);
        return written(await this.#followed({ kept: opened, results }, wait_seconds));
      },
      show: async (set_id, wait_seconds = 0) => {
        await mine(set_id);
        call.place?.leave();
        return await this.#waited(set_id, wait_seconds);
      },
      cancel: async (set_id) => {
        const { state } = await mine(set_id);
        if (state === "ended") return await this.#told(set_id);
        await this.ports.store.sets.cancel(set_id);
        const { sets } = this.ports.store;
        if (state !== "running") await sets.end(set_id, CANCELLED);
        else if (!await this.#isAlive(set_id)) {
          await this.#end(await this.#opened(set_id), await sets.results(set_id), CANCELLED);
        }
        return await this.#told(set_id);
      },
      again: async (set_id, wait_seconds, yes) => {
        call.place?.leave();
        const opened = await this.#opened(set_id);
        const approved = opened.approved ?? yes ?? null;
        const goesOn = opened.state !== "ended" && await this.ports.store.sets.start(set_id, approved);
        const results = goesOn ? this.#begin({ ...opened, state: "running", approved }, call) : NO_RESULTS;
        return {
          ...written(await this.#followed({ kept: opened, results }, wait_seconds)).toJSON(),
          replayed: true,
        };
      },
    };
  }

  /** A set of the caller's own token; of any on sites that it reaches for who may do everything. */
  async #mine(set_id: string, { caller }: CallParts): Promise<KeptSet> {
    const kept = await this.ports.store.sets.find(set_id);
    if (kept === null) throw gone(set_id);
    const mayAll = caller.superAdmin && kept.sites.every((id) => reaches(caller, id));
    if (!mayAll && kept.grant !== caller.token.id) throw gone(set_id);
    return kept;
  }

  async #opened(set_id: string): Promise<Opened> {
    const kept = await this.ports.store.sets.find(set_id);
    if (kept === null || kept.content === null) throw gone(set_id);
    return kept as Opened;
  }

  async #plan(call: CallParts, make: () => SetOrder | Promise<SetOrder>): Promise<SetPlan> {
    const shown = call.record.root.decision.latest("set");
    if (call.inSet) {
      throw new GatewayError(
        "E_FORBIDDEN_OP",
        `"${call.manifest.name}" makes a set, and a set has none within it`,
      );
    }
    if (shown !== undefined) return await this.#asShown(shown);
    const order = await make();
    const id = call.record.requestId;
    let isLate = false;
    const isLeft = () => !isLate && call.follower?.signal.aborted === true;
    const planning = this.#prepare(id, { ...call, isLeft }, order);
    const { promise, resolve } = Promise.withResolvers<"late">();
    const stop = this.ports.every(LIMITS.SET_ANSWER_MS, () => Promise.resolve(resolve("late")));
    const found = await Promise.race([planning, promise]).finally(stop);
    isLate = found === "late";
    return found === "late" ? await this.#pending(id, call, planning) : planOf(id, found);
  }

  /** What was shown, so that nothing else is carried out. */
  async #asShown(set_id: string): Promise<SetPlan> {
    const { content, state, failed } = await this.#opened(set_id);
    if (state === "ended") throw over(failed);
    const sites: Site[] = [];
    for (const id of new Set(content.items.flatMap((one) => one.sites))) {
      const site = await this.ports.store.sites.get(id);
      if (site !== null) sites.push(site);
    }
    const tier = Math.max(...content.items.map(({ shown }) => shown.tier)) as Prepared["tier"];
    return planOf(set_id, { content, sites: await underProjects(this.ports.store.projects, sites), tier });
  }

  async #prepare(set_id: string, call: CallParts & Asking, order: SetOrder): Promise<Prepared> {
    const found = Promise.withResolvers<Prepared>();
    const planning = {
      done: found.promise.catch(() => {}),
      planned: 0,
      of: order.changes.length,
      isLate: false,
    };
    this.#planning.set(set_id, planning);
    const isConfirmed = call.record.root.decision.latest("confirmed") === true; // progress is of what is done then
    try {
      const prepared = await prepare(this.ports, call, order, (planned) => {
        planning.planned = planned;
        if (!isConfirmed) {
          call.follower?.progress(planned, order.changes.length, `${counted(planned, "item")} planned`);
        }
      });
      const head = { set_id, grant: call.caller.token.id, token: null, failed: null };
      // Of one whose call could not wait the preview is shown with its token, and not before there is one. What a person
      // is only shown is planned anew for a yes.
      if (!planning.isLate && !call.record.root.view?.isShown) {
        await this.ports.store.sets.prepared(head, prepared.content);
      }
      found.resolve(prepared);
      return prepared;
    } catch (thrown) {
      found.reject(thrown);
      throw thrown;
    } finally {
      this.#planning.delete(set_id);
    }
  }

  /** What takes longer than its call may wait is planned on, and shown by get_change_set. */
  async #pending(set_id: string, call: CallParts, planning: Promise<Prepared>): Promise<SetPlan> {
    const { store } = this.ports;
    const grant = call.caller.token.id;
    const at = this.#planning.get(set_id);
    if (at !== undefined) at.isLate = true;
    const issued = Promise.withResolvers<(plan: SetPlan) => Promise<{ text: string; expires_at: number }>>();
    const begun = Promise.withResolvers<void>();
    const work = async () => {
      await store.sets.begin({ set_id, grant });
      begun.resolve();
      try {
        const prepared = await planning;
        const issue = await issued.promise;
        const token = await issue(planOf(set_id, prepared));
        await store.sets.prepared({ set_id, grant, token, failed: null }, prepared.content);
      } catch (thrown) {
        const { message } = asGatewayError(thrown, set_id);
        await store.sets.prepared({ set_id, grant, token: null, failed: message }, null);
      }
    };
    this.#held(set_id, work).catch((cause) => {
      begun.reject(cause);
      this.ports.log({ event: "internal", request_id: set_id, cause: String(cause) });
    });
    await begun.promise;
    const { planned = 0, of = 0 } = this.#planning.get(set_id) ?? {};
    return {
      summary: "",
      changes: [],
      revision: {},
      warnings: [],
      raises: [],
      set: {
        id: set_id,
        items: [],
        names: [],
        sites: [],
        final: null,
        later: (issue) => issued.resolve(issue),
        pending: {
          set_id,
          state: "preparing",
          planned,
          of,
          next:
            "Nothing was changed; its items are still planned: call get_change_set, which shows the preview and its " +
            "confirm_token once it is whole",
        },
      },
    };
  }

  /** Carries it out in this process, unless another is at work on it. Answers what is known of its items, as it grows. */
  #begin(set: Opened, { caller, record, follower }: CallParts): Progress["results"] {
    const { set_id } = set;
    const running = this.#running.get(set_id);
    if (running !== undefined) return running.results;
    const results = new Map<number, SetResult>();
    const done = this.#held(set_id, async (renew) => {
      for (const [item, result] of await this.ports.store.sets.results(set_id)) results.set(item, result);
      const look = async (now: Caller, tool: string, args: Readonly<Record<string, unknown>>) =>
        await planParts(this.ports, record.apart(tool, args), { caller: now, tool, args: { ...args } });
      const consented = { kept: set, caller, door: record.door, follower, results, renew, look };
      const { hasEnded, stopped } = await new SetRun(this.ports, consented).all();
      if (hasEnded) await this.#end(set, results, stopped);
    }).then(() => {}).catch((thrown) =>
      this.ports.log({ event: "internal", request_id: set_id, cause: String(thrown) })
    ).finally(() => {
      this.#running.delete(set_id);
      this.ports.setRuns.delete(done);
    });
    this.#running.set(set_id, { done, results });
    this.ports.setRuns.add(done);
    return results;
  }

  /** A set that was begun ends, and webhooks are told. */
  async #end({ set_id, content, approved }: Opened, results: Progress["results"], failed: string | null) {
    const items = content.items.map(({ item, site_id }) => ({
      site_id,
      state: results.get(item)?.state ?? "not_begun" as const,
    }));
    const approval_id = approved?.approval_id ?? null;
    const told = await this.ports.tell(setEnded({ set_id, title: content.title, items, approval_id }));
    await this.ports.store.sets.end(set_id, failed, told);
  }

  /** Does the work on a set while no other instance is at work on it; false where one is. */
  async #held(set_id: string, work: (renew: () => Promise<boolean>) => Promise<void>): Promise<boolean> {
    return await this.ports.store.leases.hold(leaseOf(set_id), LIMITS.SET_LEASE_MS, async (renew) => {
      const again = async () => void await renew().catch(() => false);
      const stop = this.ports.every(LIMITS.SET_LEASE_MS / 4, again);
      await work(renew).finally(stop);
    });
  }

  /** What is known of one that was begun; where it cannot be told, that it was begun is. */
  async #followed(known: Known, seconds = LIMITS.SET_ANSWER_MS / 1000): Promise<Fields> {
    const { set_id } = known.kept;
    try {
      return await this.#waited(set_id, seconds, known);
    } catch (thrown) {
      const { code, message } = asGatewayError(thrown, set_id);
      throw new GatewayError(
        code,
        `${message}; set "${set_id}" was begun and may go on: look with get_change_set, or send the same call again`,
        { cause: thrown, outcome: "unknown" },
      );
    }
  }

  async #isAlive(set_id: string): Promise<boolean> {
    return this.#running.has(set_id) || this.#planning.has(set_id) ||
      await this.ports.store.leases.isHeld(leaseOf(set_id), LIMITS.SET_LEASE_MS);
  }

  /** What is known of it once it has ended, is whole, or that time is over. */
  async #waited(set_id: string, seconds: number, known?: Known): Promise<Fields> {
    let left = Math.min(seconds, LIMITS.SET_WAIT_SECONDS) * 1000;
    while (left > 0 && await this.#isOpen(set_id)) {
      const began = this.ports.now();
      const own = this.#running.get(set_id)?.done ?? this.#planning.get(set_id)?.done;
      if (own !== undefined) await ended(own, left);
      else await this.ports.delay(Math.min(LOOK_MS, left)); // another instance, or this one has just lost it
      left -= Math.max(LOOK_MS, this.ports.now() - began); // whatever the clock does
    }
    return await this.#told(set_id, known);
  }

  /** Whether somebody is at work on it, or plans it: by its head alone, for all of it may be four megabytes. */
  async #isOpen(set_id: string): Promise<boolean> {
    const head = await this.ports.store.sets.head(set_id);
    return (head?.state === "running" || head?.state === "preparing") && await this.#isAlive(set_id);
  }

  async #told(set_id: string, known?: Known): Promise<Fields> {
    const kept = await this.ports.store.sets.find(set_id);
    if (kept === null && known === undefined) throw gone(set_id);
    if (kept === null) {
      const progress = { ...known!, begun: NONE_BEGUN, isAlive: false };
      return answerOf({ ...known!.kept, state: "ended", failed: REMOVED }, progress);
    }
    const isAlive = await this.#isAlive(set_id); // before its results: what ends meanwhile was not cut off
    const own = this.#running.get(set_id)?.results ?? [];
    const results = new Map([...await this.ports.store.sets.results(set_id), ...own]);
    if (kept.state === "preparing" && !isAlive) {
      return answerOf({ ...kept, state: "ended", failed: UNPLANNED }, {
        results,
        begun: NONE_BEGUN,
        isAlive,
      });
    }
    const left = await leftOf(this.ports.store, set_id, kept.content?.items ?? [], results);
    const begun = new Map(isAlive ? left : []);
    const all = new Map([...results, ...isAlive ? [] : left]);
    const found = await asFound(this.ports.store, all);
    const { planned, of } = this.#planning.get(set_id) ?? {};
    return {
      ...answerOf(kept, { results: found, begun, isAlive }),
      ...kept.state === "preparing" && planned !== undefined ? { planned, of } : {},
    };
  }
}

/** Who has said yes to the call that begins a set, where a person has. */
function approvedIn({ record: { root } }: Pick<CallParts, "record">): SetApproval | null {
  const { approval_id, approved_by, items_left_out } = root.facts;
  if (approval_id === undefined || approved_by === undefined) return null;
  return { approval_id, approved_by, ...items_left_out === undefined ? {} : { items_left_out } };
}

/** The plan of a set that can be shown. */
function planOf(id: string, { content, sites, tier }: Prepared): SetPlan {
  const { summary, changes, items, final } = shownOf(content, sites.map(({ name }) => name));
  const { because } = highestOf(content);
  return {
    summary,
    changes,
    revision: { items: digest(content) },
    warnings: content.warnings,
    raises: because === null ? [] : [{ tier, because }],
    set: { id, items, names: namesOf(content), sites, final },
  };
}

/** Each item by what it was shown as, its tier first, at its place. */
function namesOf({ items, left_out = [] }: SetContent): (string | null)[] {
  const names: (string | null)[] = Array.from({ length: items.length + left_out.length }, () => null);
  for (const { item, shown, args, said } of items) {
    const all = canonical([shown, args, said]);
    names[item - 1] = `${shown.tier}${hash("sha256", all, "base64url").slice(0, 22)}`;
  }
  return names;
}
