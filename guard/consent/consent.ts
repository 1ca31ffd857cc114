/** Steps 13a to 16 of a call that may write: it is previewed, or carried out once among all that are equal to it. */
import { cancelled, GatewayError } from "../../core/errors.ts";
import { goneSince } from "../../rules/change.ts";
import { type Caller, LIMITS } from "../../core/model.ts";
import type { DryRun, Plan, Revision } from "../../registry/tool.ts";
import type { Beside, ChangeStore, ConsentContent, ConsentRecord, Run, Spending } from "../../store/store.ts";
import type { CallRecord, Ending } from "../audit/audit.ts";
import type { ReadyCall } from "../pipeline/nested_calls.ts";
import {
  type ApprovalPorts,
  type Approving,
  compareShown,
  dryRunOf,
  type Issued,
  PersonsPart,
  shownAs,
} from "./approval.ts";
import { meetsPolicy, needsPerson, type Preview, preview, type Previewed } from "./confirm.ts";
import { contentOf, differing, hashParts, type Subject } from "./consent_content.ts";
import { type EqualCallPorts, EqualCalls, type Waits } from "./equal_calls.ts";
import { repeatable, type Repeated } from "./repeated.ts";

/** What consent depends on. */
export interface ConsentPorts extends EqualCallPorts, ApprovalPorts {
  readonly store: EqualCallPorts["store"] & ApprovalPorts["store"] & {
    readonly changes: Pick<ChangeStore, "days">;
  };
  /** Does the work again and again, that far apart, until what it answers is called. */
  every(ms: number, work: () => Promise<void>): () => void;
}

/** What a call brings. */
export interface Presented {
  /** As it came; looked at only where the call is confirmed. */
  readonly confirmToken: string | undefined;
  readonly idempotencyKey: string | undefined;
}

const TOKEN = /^cft_[A-Za-z0-9_-]{22}$/;
const KEY = /^[\x21-\x7e]{1,255}$/;
const TOKEN_BYTES = 16;

const invalid = (why: string) =>
  new GatewayError("E_CONFIRM_INVALID", `confirm_token: ${why}; preview again and confirm with the new one`);

/** A call that may write: whose it is, what it is of, and what is known of it. */
export interface ConsentCall {
  readonly caller: Caller;
  readonly subject: Subject;
  readonly run: Run;
  /** How to see what became of an equal call that never said how it ended. */
  readonly inspectionHint: string;
  /** Given back while an equal call is waited for. */
  readonly place: Waits;
  readonly record: CallRecord;
  /** A person's part in it, where it has one. */
  readonly approving?: Approving | undefined;
}

/** A write that is asked for, as its steps. */
export interface Write {
  readonly presented: Presented;
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
async function previewed(ready: ReadyCall): Promise<{ call: Previewed; dryRun: DryRun | null }> {
  const { plan, tool } = ready;
  if (!ready.offered) {
    return { call: { ...ready, changes: [...ready.changes, ...await ready.shown()] }, dryRun: null };
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
  readonly #equal: EqualCalls;
  readonly #spendings: Spending[] = [];
  readonly #person: PersonsPart;
  #shown: ConsentRecord | null = null;

  constructor(ports: ConsentPorts, call: ConsentCall) {
    this.#ports = ports;
    this.#call = call;
    this.#person = new PersonsPart(ports, call);
    const { run: { deadline }, inspectionHint, place, record: { decision } } = call;
    this.#equal = new EqualCalls(ports, {
      deadline,
      inspectionHint,
      place,
      repeats: (first) => decision.finds({ repeats: first }),
    });
  }

  /**
   * Step 15 for what is not to be carried out: the preview of a plan, with a confirm token that its row keeps. Of a site's
   * own tool it shows a dry run: throws E_NOT_SUPPORTED where the site can make none, and what the write is refused with.
   */
  async preview(ready: ReadyCall): Promise<Preview> {
    const { record } = this.#call;
    record.decision.begin("confirm");
    const { call, dryRun } = await previewed(ready);
    const { beside, ...issued } = await this.#issue(ready, call, dryRun?.id);
    record.beside = () => beside;
    const isKept = this.#ports.store.changes.days > 0;
    const answer = preview(call, record, { ...issued, isKept });
    record.decision.ends("previewed");
    if (this.#call.approving === undefined) return answer;
    return { ...answer, shown: shownAs(ready, record.highestTier, dryRun?.id) };
  }

  /**
   * Steps 13a to 16 for what is: carries the write out, at most once among all calls that bring the same confirm token or
   * idempotency key. Answers what `run` does; the first call's answer, or its failure, where an equal one came before; the
   * preview where a policy asks for more than the call brings. Throws E_CONFIRM_INVALID, E_IDEMPOTENCY_KEY,
   * E_OUTCOME_UNKNOWN, E_STALE_PREVIEW, E_CANCELLED, E_UPSTREAM where the time is up, and what the steps of the write do.
   */
  async once(write: Write): Promise<unknown> {
    const { caller, record } = this.#call;
    const { decision } = record;
    decision.begin("consent", { confirmed: true });
    const ready = await this.#judge(write.presented) ?? await this.#look(write);
    if ("value" in ready) return this.#givenAgain(ready);
    const { approving } = this.#call;
    if (approving !== undefined) await approving.judge(record.allSites);
    else if (!meetsPolicy(caller, record.allSites, this.#shown !== null)) {
      if (ready.gate || canShow(ready.plan)) return await this.preview(ready);
      if (needsPerson(caller, record.allSites)) throw unapproved(ready.tool);
    }
    const expects = approving?.shown ? dryRunOf(approving.shown) : this.#shown?.content.dry_run;
    if (expects !== undefined && !canShow(ready.plan)) throw notHeldAnyMore(ready.plan);
    decision.begin("confirm");
    this.#requireTime();
    if (write.signal?.aborted) throw cancelled();
    const repeated = await this.#spend();
    if (repeated) return this.#givenAgain(repeated);
    this.#requireTime(); // an equal call may take its place from now on
    return await this.#carryOut(write, ready, expects);
  }

  /** Step 16. Says that it is at work until it has ended; what was spent is settled with the outcome's row. */
  async #carryOut(write: Write, ready: ReadyCall, expects?: string): Promise<unknown> {
    const { record } = this.#call;
    record.beside = (ending) => this.#settle(ending);
    const stopSigns = this.#sign();
    try {
      await write.intent(await this.#begun());
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

  /** Step 13a: judges what a confirmed call brings; answers the first call's answer where there is one. */
  async #judge({ confirmToken, idempotencyKey }: Presented): Promise<Repeated | null> {
    if (confirmToken !== undefined) {
      const found = await this.#judgeToken(confirmToken);
      if ("value" in found) return found;
      this.#call.record.decision.finds({ bound: true });
    }
    if (idempotencyKey === undefined) return null;
    const found = await this.#judgeKey(idempotencyKey);
    return found && "value" in found ? found : null;
  }

  /**
   * Steps 14 and 14a, the read before the write. Where that fails and an equal call has come first meanwhile, what it
   * refuses may be that call's own work: then its answer is answered, or thrown, instead.
   */
  async #look(write: Write): Promise<ReadyCall | Repeated> {
    try {
      const ready = await write.plan();
      this.#compare(ready.revision);
      return ready;
    } catch (thrown) {
      for (const { name, found } of this.#spendings) {
        const now = await this.#ports.store.consents.find(name);
        if (now === null || now.version === found?.version) continue;
        const ended = await this.#equal.settled(name);
        if (ended && "value" in ended) return ended;
      }
      const wasShown = this.#shown !== null && thrown instanceof GatewayError && thrown.gone !== undefined;
      throw wasShown ? goneSince(thrown.gone, thrown) : thrown;
    }
  }

  /** Step 14a. Throws E_STALE_PREVIEW naming the parts that are not as the preview showed them. */
  #compare(revision: Revision | null): void {
    if (this.#shown === null) return;
    const { approving, record } = this.#call;
    record.decision.begin("revision");
    if (approving?.shown) return compareShown(approving.shown, { revision }, record.highestTier);
    const parts = differing(this.#shown.content.revision, hashParts(revision));
    if (parts.length === 0) return;
    const named = parts.slice(0, 5).map((part) => JSON.stringify(part)).join(", ");
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `${named}: changed since the preview, so nothing was written; preview again and look at what is there now`,
    );
  }

  /** A new confirm token for what a preview shows, and the record to be committed with the preview's audit row. */
  async #issue(ready: ReadyCall, { plan }: Previewed, dry_run?: string): Promise<Issued> {
    const { caller, subject, record, approving } = this.#call;
    const now = this.#ports.now();
    if (approving !== undefined) return { token: "", expires_at: now, beside: [] };
    const random = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
    const token = `cft_${random.toBase64({ alphabet: "base64url", omitPadding: true })}`;
    const shown = contentOf(subject, ready.revision);
    const content = dry_run === undefined ? shown : { ...shown, dry_run };
    if (needsPerson(caller, record.allSites)) {
      return await this.#person.ask(content, plan?.summary ?? "", token);
    }
    const expires_at = now + LIMITS.CONFIRM_TOKEN_MS;
    return { token, expires_at, beside: await this.#ports.store.consents.issue(token, content, expires_at) };
  }

  /** Spends what the call brought, in one commit; answers the first call's answer where another was first. */
  async #spend(): Promise<Repeated | null> {
    while (this.#spendings.length > 0) {
      if (await this.#ports.store.consents.spend(this.#spendings, this.#call.run)) return null;
      for (const one of this.#spendings.splice(0)) {
        const ended = await this.#equal.settled(one.name);
        if (ended && "value" in ended) return ended;
        if (ended === null && one.found !== null) throw invalid("another call has used it up");
        this.#spendings.push({ ...one, found: ended });
      }
    }
    return null;
  }

  /** From here on the call says that it is at work, until what it answers is called. */
  #sign(): () => void {
    const { consents } = this.#ports.store;
    const names = this.#spendings.map(({ name }) => name);
    if (names.length === 0) return () => {};
    // One that is not kept is no worse than a call that is slow to say so.
    return this.#ports.every(LIMITS.WRITER_SIGN_MS, () => consents.sign(names).catch(() => {}));
  }

  /** To be committed with the intent's row. */
  async #begun(): Promise<Beside[]> {
    const { store: { consents } } = this.#ports;
    const spent = await Promise.all(this.#spendings.map((one) => consents.begin(one, this.#call.run)));
    return [...spent.flat(), ...await this.#person.begun()];
  }

  /** To be committed with the outcome's row: the answer to repeat, or the right to try again where nothing was done. */
  async #settle(ending: Ending): Promise<Beside[]> {
    const { consents } = this.#ports.store;
    const free = "failure" in ending && ending.outcome === "none";
    const answer = free ? null : repeatable(ending);
    const settled = await Promise.all(
      this.#spendings.map((one) => free ? consents.free(one) : consents.done(one, this.#call.run, answer)),
    );
    return [...settled.flat(), ...await this.#person.ended(ending)];
  }

  async #judgeToken(token: string): Promise<Repeated | ConsentRecord> {
    const found = TOKEN.test(token) ? await this.#ports.store.consents.find(token) : null;
    if (found === null) throw invalid("it is unknown, or its 15 minutes are over");
    const { content } = found;
    const mine = contentOf(this.#call.subject, null);
    if (content.grant !== mine.grant) throw invalid("it belongs to another token");
    if (content.tool !== mine.tool) throw invalid(`it is of a preview of "${content.tool}"`);
    const sites = (one: ConsentContent) => one.sites.map(([id]) => id).join(", ");
    if (sites(content) !== sites(mine)) {
      throw invalid(`it is of a preview for ${sites(content) || "no site"}`);
    }
    const moved = content.sites.find(([, at], index) => at !== mine.sites[index]?.[1]);
    if (moved) {
      throw invalid(`the settings of site "${moved[0]}" have changed, so the call would go elsewhere`);
    }
    const other = differing(content.args, mine.args);
    if (other.length > 0) {
      throw invalid(`it is of a preview with other arguments, which differ in ${other.join(", ")}`);
    }
    const ended = found.state === "open" ? found : await this.#equal.settled(token);
    if (ended && "value" in ended) return ended;
    if (content.approval !== undefined) await this.#person.judge(content.approval);
    if (ended === null) throw invalid("nothing was carried out under it, and it cannot be used any more");
    this.#shown = ended;
    const expires_at = this.#ports.now() + LIMITS.IDEMPOTENCY_MS;
    this.#spendings.push({ name: token, content, found: ended, expires_at, frees_until: found.expires_at });
    return ended;
  }

  async #judgeKey(key: string): Promise<Repeated | null> {
    const refuse = (why: string) => new GatewayError("E_IDEMPOTENCY_KEY", `Idempotency-Key: ${why}`);
    if (!KEY.test(key)) throw refuse("expected 1 to 255 visible ASCII characters without spaces");
    const content = contentOf(this.#call.subject, null);
    const name = `key\n${content.grant}\n${key}`;
    const found = await this.#ports.store.consents.find(name);
    if (found !== null) {
      const same = found.content.tool === content.tool &&
        differing(found.content.args, content.args).length === 0 &&
        found.content.sites.map(([id]) => id).join() === content.sites.map(([id]) => id).join();
      if (!same) throw refuse("it was used for another call within the last 24 hours; take a new one");
    }
    const ended = found === null || found.state === "open" ? found : await this.#equal.settled(name);
    if (ended && "value" in ended) return ended;
    const expires_at = this.#ports.now() + LIMITS.IDEMPOTENCY_MS;
    this.#spendings.push({ name, content, found: ended, expires_at, frees_until: null });
    return null;
  }
}
