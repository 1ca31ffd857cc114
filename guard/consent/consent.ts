/** Steps 13a to 16 of a call that may write: it is previewed, or carried out once among all that are equal to it. */
import { cancelled, GatewayError } from "../../core/errors.ts";
import { goneSince } from "../../rules/change.ts";
import { LIMITS } from "../../core/model.ts";
import type { DryRun, Plan, PlannedSet } from "../../registry/tool.ts";
import type { Beside } from "../../store/store.ts";
import type { ReadyCall } from "../pipeline/nested_calls.ts";
import { type Approving, compareShown, dryRunOf, type Issued, requireItems, shownName } from "./approval.ts";
import { Brought } from "./brought.ts";
import {
  confirmsProxied,
  meetsPolicy,
  needsPerson,
  type Preview,
  preview,
  type Previewed,
} from "./confirm.ts";
import type { Bringing, ConsentCall, ConsentPorts, Ticket } from "./consent_call.ts";
import { contentOf, differing, hashParts, shownAs } from "./consent_content.ts";
import type { Repeated } from "./repeated.ts";

const TOKEN_BYTES = 16;

/** A write that is asked for, as its steps. */
export interface Write extends Bringing {
  /** Step 14: reads only. */
  plan(): Promise<ReadyCall>;
  /** Aborted where nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
  /** Keeps what stands there, and writes the intent's row, which takes those records into its commit. */
  intent(beside: readonly Beside[]): Promise<void>;
  /** Carries it out, as the dry run that was shown where there was one; answers what its caller is told. */
  run(ready: ReadyCall, expects?: string): Promise<unknown>;
}

const outOfTime = () =>
  new GatewayError("E_UPSTREAM", "The time of the call was used up before anything was written; try again", {
    upstream: 504,
  });

type ShownPlan = Pick<Plan, "dryRun"> | null;

/** Whether the site itself can show what its tool would do. */
const canShow = (plan: ShownPlan): boolean => typeof plan?.dryRun === "function";

function reasonOf(plan: ShownPlan): string {
  const { dryRun } = plan ?? {};
  return typeof dryRun === "object" ? dryRun.unavailable : "its kind of site holds nothing";
}

/** What a preview shows; of a site's own tool what its dry run found. Throws E_NOT_SUPPORTED. */
export async function previewed(ready: ReadyCall): Promise<{ call: Previewed; dryRun: DryRun | null }> {
  const { plan, tool } = ready;
  if (!ready.offered || plan?.told) {
    const changes = [...ready.changes, ...await ready.shown()];
    return { call: { ...ready, offered: false, changes }, dryRun: null };
  }
  if (typeof plan?.dryRun !== "function") {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `"${tool}" has no preview: the site does not hold what its own tools write (${
        reasonOf(plan)
      }), so nothing ` +
        "can be shown before it is written; nothing was sent",
    );
  }
  const dryRun = await plan.dryRun();
  const { summary, changes, warnings, digest, published, final } = dryRun;
  const call: Previewed = {
    ...ready,
    tier: published ? 3 : ready.tier,
    plan: { summary: `${plan.summary}: ${summary}` },
    changes,
    final,
    revision: { effects: digest },
    warnings: [...ready.warnings, ...warnings],
  };
  return { call, dryRun };
}

const unapproved = (tool: string) =>
  new GatewayError(
    "E_FORBIDDEN",
    `A person must approve what "${tool}" writes here, and nothing can be shown to one; nothing was sent`,
    { outcome: "none" },
  );

/** Of an item of a set: its policy has become stricter since the set was consented to. */
const notConsented = ({ set_id }: Ticket) =>
  new GatewayError(
    "E_FORBIDDEN",
    `By now a person must approve what is written here, which the consent to set "${set_id}" is not; nothing was sent`,
    { outcome: "none" },
  );

const askedTooLate = () =>
  new GatewayError(
    "E_FORBIDDEN",
    "A person must approve what is written here, and is asked only for what is planned while its call waits, which took " +
      "longer; make several smaller sets",
    { outcome: "none" },
  );

const plannedTooLate = () =>
  new GatewayError(
    "E_UPSTREAM",
    "Its items could not be planned within 20 seconds, so nothing was written; try again, or reject it and have smaller " +
      "sets asked for",
    { upstream: 504, outcome: "none" },
  );

const notHeldAnyMore = (plan: ShownPlan) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `The site does not hold what its own tools write any more (${
      reasonOf(plan)
    }), so nothing was sent; what was shown ` +
      "cannot be compared with what the call would do now",
    { outcome: "none" },
  );

/** The consent of one call, which is either previewed or asks for the write itself. */
export class Consent {
  readonly #ports: ConsentPorts;
  readonly #call: ConsentCall;
  readonly #brought: Brought;

  constructor(ports: ConsentPorts, call: ConsentCall) {
    this.#ports = ports;
    this.#call = call;
    this.#brought = new Brought(ports, call);
  }

  /**
   * Step 15 for what is not to be carried out: the preview of a plan, with a confirm token that its row keeps. Of a site's
   * own tool it shows a dry run: throws E_NOT_SUPPORTED where the site can make none, and what the write is refused with.
   */
  async preview(ready: ReadyCall): Promise<Preview | PlannedSet["pending"]> {
    const { record } = this.#call;
    record.decision.begin("confirm");
    const set = ready.plan?.set;
    const { approving } = this.#call;
    if (approving !== undefined) this.#requireShowable(ready, approving);
    if (set?.pending !== undefined) return this.#pending(set);
    const { call, dryRun } = await previewed(ready);
    const { beside, ...issued } = await this.#issue(ready, call, dryRun?.id);
    record.beside = () => beside;
    const isKept = this.#ports.store.changes.days > 0;
    const answer = preview(call, record, { ...issued, isKept, isWhole: approving?.whole });
    record.decision.ends("previewed");
    if (approving === undefined || approving.edits) return answer;
    return { ...answer, shown: shownName(ready, record.highestTier, dryRun?.id) };
  }

  /**
   * Steps 13a to 16 for what is: carries the write out, at most once among all calls that bring the same confirm token or
   * idempotency key. Answers what `run` does; the first call's answer, or its failure, where an equal one came before; the
   * preview where a policy asks for more than the call brings. Throws E_CONFIRM_INVALID, E_IDEMPOTENCY_KEY,
   * E_OUTCOME_UNKNOWN, E_STALE_PREVIEW, E_CANCELLED, E_UPSTREAM where the time is up, and what the steps of the write do.
   */
  async once(write: Write): Promise<unknown> {
    const { decision } = this.#call.record;
    try {
      return await this.#once(write);
    } finally {
      if (decision.latest("repeats") !== undefined) await this.#brought.person.repeated();
    }
  }

  async #once(write: Write): Promise<unknown> {
    const { caller, record } = this.#call;
    const { decision } = record;
    decision.begin("consent", { confirmed: true });
    const { ticket } = write.presented;
    const ready = await this.#brought.judge(write) ?? await this.#look(write);
    if ("value" in ready) return this.#givenAgain(ready);
    const set = ready.plan?.set;
    const { approving } = this.#call;
    if (set?.pending !== undefined) return this.#pending(set);
    if (approving !== undefined) await approving.judge(record.allSites);
    else if (
      ticket?.approved == null &&
      (!meetsPolicy(caller, record.allSites, this.#brought.shown !== null, ready.offered) ||
        (ready.plan?.onlyShown === true && ticket === undefined && this.#brought.shown === null))
    ) {
      if (ticket !== undefined) throw notConsented(ticket);
      if (ready.gate || ready.plan?.told || canShow(ready.plan)) return await this.preview(ready);
      if (needsPerson(caller, record.allSites)) throw unapproved(ready.tool);
      if (confirmsProxied(caller, record.allSites)) return await this.preview(ready); // which says why there is none
    }
    const expects = approving?.shown ? dryRunOf(approving.shown) : this.#brought.shown?.dry_run;
    if (expects !== undefined && !canShow(ready.plan)) throw notHeldAnyMore(ready.plan);
    decision.begin("confirm");
    this.#requireTime();
    if (write.signal?.aborted) throw cancelled();
    const repeated = await this.#brought.spend(set?.id);
    if (repeated) return this.#givenAgain(repeated);
    this.#requireTime(); // an equal call may take its place from now on
    return await this.#carryOut(write, ready, expects);
  }

  /** Step 16. Says that it is at work until it has ended; what was spent is settled with the outcome's row. */
  async #carryOut(write: Write, ready: ReadyCall, expects?: string): Promise<unknown> {
    const { record } = this.#call;
    record.beside = (ending) => this.#brought.settle(ending);
    const stopSigns = this.#brought.sign();
    try {
      await write.intent(await this.#brought.begun());
      record.decision.begin("run", { writing: true });
      if (this.#isLate()) {
        record.beside = () => []; // what was spent may be another call's by now
        throw outOfTime();
      }
      return await write.run(ready, expects);
    } finally {
      stopSigns();
    }
  }

  /** Of a set that is still planned: what is answered meanwhile. Its token is made once it is whole. */
  #pending({ id: set, later, pending }: PlannedSet): PlannedSet["pending"] {
    const { caller, subject, record } = this.#call;
    later?.(async ({ revision, raises, set: { sites } }) => {
      if (needsPerson(caller, sites)) throw askedTooLate();
      const tier = Math.max(subject.tier, ...raises.map((one) => one.tier));
      const { text, expires_at } = this.#newToken();
      const content = { ...contentOf(subject, revision), tier, set };
      await this.#ports.store.consents.keep(text, content, expires_at);
      return { text, expires_at };
    });
    record.decision.ends("previewed");
    return pending;
  }

  /** Throws E_UPSTREAM where a set is not planned in time for who decides, and E_BAD_INPUT as `requireItems` does. */
  #requireShowable(ready: ReadyCall, approving: Approving): void {
    const { pending, later } = ready.plan?.set ?? {};
    if (pending !== undefined) {
      later?.(() => Promise.reject(plannedTooLate()));
      throw plannedTooLate();
    }
    requireItems(ready, approving);
  }

  #newToken() {
    const random = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
    const text = `cft_${random.toBase64({ alphabet: "base64url", omitPadding: true })}`;
    return { text, expires_at: this.#ports.now() + LIMITS.CONFIRM_TOKEN_MS };
  }

  #givenAgain({ value }: Repeated): unknown {
    this.#call.record.decision.ends("repeated");
    return value;
  }

  #isLate(): boolean {
    return this.#ports.now() >= this.#call.run.deadline;
  }

  #requireTime(): void {
    if (this.#isLate()) throw outOfTime();
  }

  /**
   * Steps 14 and 14a, the read before the write. Where that fails and an equal call has come first meanwhile, what it
   * refuses may be that call's own work: then its answer is answered, or thrown, instead.
   */
  async #look(write: Write): Promise<ReadyCall | Repeated> {
    try {
      const ready = await write.plan();
      const { approving } = this.#call;
      if (approving !== undefined) this.#requireShowable(ready, approving);
      this.#compare(
        this.#brought.isLater ? { ...ready, revision: { ...ready.plan?.whole, ...ready.revision } } : ready,
      );
      this.#requireNoMore();
      return ready;
    } catch (thrown) {
      const first = await this.#brought.answeredSince();
      if (first !== null) return first;
      const wasShown = this.#brought.shown !== null && thrown instanceof GatewayError &&
        thrown.gone !== undefined;
      throw wasShown ? goneSince(thrown.gone, thrown) : thrown;
    }
  }

  /** Step 14a. Throws E_STALE_PREVIEW naming the parts that are not as the preview showed them. */
  #compare({ revision, plan, changes }: Pick<ReadyCall, "revision" | "plan" | "changes">): void {
    if (this.#brought.shown === null) return;
    const { approving, record } = this.#call;
    record.decision.begin("revision");
    if (approving?.shown) {
      return compareShown(approving.shown, { revision, plan, changes }, record.highestTier);
    }
    const all = differing(this.#brought.shown.revision, hashParts(revision));
    const parts = this.#brought.drifted(all, revision ?? {});
    if (parts.length === 0) return;
    const named = parts.slice(0, 5).map((part) => JSON.stringify(part)).join(", ");
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `${named}: changed since the preview, so nothing was written; preview again and look at what is there now`,
    );
  }

  /** Throws E_STALE_PREVIEW where the plan found a higher tier, or a further flag, than was shown. */
  #requireNoMore(): void {
    const { record, approving } = this.#call;
    const shown = this.#brought.shown;
    if (shown === null || shown.needs === undefined || approving !== undefined) return;
    const tier = record.highestTier ?? 0;
    const flags = record.needs.filter((flag) => !shown.needs!.includes(flag));
    if (tier <= shown.tier && flags.length === 0) return;
    const why = tier > shown.tier
      ? `it would be of tier ${tier}, not ${shown.tier}`
      : `it needs ${flags.join(", ")} as well`;
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `The call would do more than the preview showed (${why}), so nothing was written; preview again and look at what it does now`,
    );
  }

  /** A new confirm token for what a preview shows, and the record to be committed with the preview's audit row. */
  async #issue(
    { revision, plan }: Pick<ReadyCall, "revision" | "plan">,
    { plan: shown }: Previewed,
    dry_run?: string,
  ): Promise<Issued> {
    const { text: token, expires_at } = this.#newToken();
    const { caller, subject, record, approving } = this.#call;
    if (approving !== undefined && !approving.edits) return { token: "", expires_at, beside: [] };
    const set = plan?.set?.id;
    const asked = { ...shownAs(subject, record, revision), ...dry_run === undefined ? {} : { dry_run } };
    if (approving !== undefined) {
      return await this.#brought.person.edit(approving, asked, shown?.summary ?? "", token);
    }
    if (needsPerson(caller, record.allSites)) {
      // A set is planned anew for who decides: what is kept of this one does not live as long as the request.
      return await this.#brought.person.ask(asked, shown?.summary ?? "", token);
    }
    const content = set === undefined ? asked : { ...asked, set };
    return { token, expires_at, beside: await this.#ports.store.consents.issue(token, content, expires_at) };
  }
}
