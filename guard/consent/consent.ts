/** Step 13a: a confirm token or an idempotency key is judged, repeated or waited for, and spent once. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { Beside, ConsentContent, ConsentRecord, Run, Spending } from "../../store/store.ts";
import { contentOf, differing, hashParts, type Subject } from "./consent_content.ts";
import { type EqualCallPorts, EqualCalls, type Waits } from "./equal_calls.ts";
import { repeatable, type Repeated } from "./repeated.ts";

/** What the steps need. */
export interface ConsentPorts extends EqualCallPorts {
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

/** The consent of one call. */
export class Consent {
  readonly #ports: ConsentPorts;
  readonly #subject: Subject;
  readonly #run: Run;
  readonly #equal: EqualCalls;
  readonly #spendings: Spending[] = [];
  #shown: ConsentRecord | null = null;
  #stopSigns: (() => void) | null = null;

  /**
   * `inspectionHint` says how to see what became of an equal call that never said how it ended; `place` is given back
   * while that one is waited for.
   */
  constructor(ports: ConsentPorts, subject: Subject, run: Run, inspectionHint: string, place: Waits) {
    this.#ports = ports;
    this.#subject = subject;
    this.#run = run;
    this.#equal = new EqualCalls(ports, { deadline: run.deadline, inspectionHint, place });
  }

  /** Whether a confirm token was judged to be of this call. */
  get bound(): boolean {
    return this.#shown !== null;
  }

  /** The request whose answer the call was given; null where it was given its own. */
  get repeats(): string | null {
    return this.#equal.repeats;
  }

  /**
   * Judges what a confirmed call brings; answers the first call's answer where there is one. Throws E_CONFIRM_INVALID,
   * E_IDEMPOTENCY_KEY, E_OUTCOME_UNKNOWN, and what the first call failed with.
   */
  async judge({ confirmToken, idempotencyKey }: Presented): Promise<Repeated | null> {
    if (confirmToken !== undefined) {
      const found = await this.#judgeToken(confirmToken);
      if ("value" in found) return found;
    }
    if (idempotencyKey === undefined) return null;
    const found = await this.#judgeKey(idempotencyKey);
    return found && "value" in found ? found : null;
  }

  /** Step 14a. Throws E_STALE_PREVIEW naming the parts that are not as the preview showed them. */
  compare(revision: Readonly<Record<string, unknown>> | null): void {
    if (this.#shown === null) return;
    const parts = differing(this.#shown.content.revision, hashParts(revision));
    if (parts.length === 0) return;
    const named = parts.slice(0, 5).map((part) => JSON.stringify(part)).join(", ");
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `${named}: changed since the preview, so nothing was written; preview again and look at what stands there now`,
    );
  }

  /**
   * Does the look before the write. Where that fails and an equal call has come first meanwhile, what it refuses may be
   * that call's own work: then its answer is answered, or thrown, instead.
   */
  async orRepeat<Looked extends object>(look: () => Promise<Looked>): Promise<Looked | Repeated> {
    try {
      return await look();
    } catch (thrown) {
      for (const { name, found } of this.#spendings) {
        const now = await this.#ports.store.consents.find(name);
        if (now === null || now.version === found?.version) continue;
        const ended = await this.#equal.settled(name);
        if (ended && "value" in ended) return ended;
      }
      throw thrown;
    }
  }

  /** A new confirm token for what a preview shows, and the record to be committed with the preview's audit row. */
  async issue(
    revision: Readonly<Record<string, unknown>> | null,
  ): Promise<{ token: string; expires_at: number; beside: Beside[] }> {
    const random = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
    const token = `cft_${random.toBase64({ alphabet: "base64url", omitPadding: true })}`;
    const expires_at = this.#ports.now() + LIMITS.CONFIRM_TOKEN_MS;
    const content = contentOf(this.#subject, revision);
    return { token, expires_at, beside: await this.#ports.store.consents.issue(token, content, expires_at) };
  }

  /** Spends what the call brought, in one commit; answers the first call's answer where another was first. */
  async spend(): Promise<Repeated | null> {
    while (this.#spendings.length > 0) {
      if (await this.#ports.store.consents.spend(this.#spendings, this.#run)) return null;
      for (const one of this.#spendings.splice(0)) {
        const ended = await this.#equal.settled(one.name);
        if (ended && "value" in ended) return ended;
        if (ended === null && one.found !== null) throw invalid("another call has used it up");
        this.#spendings.push({ ...one, found: ended });
      }
    }
    return null;
  }

  /** To be committed with the intent's row. From here on the call says that it is at work, until `end`. */
  async begin(): Promise<Beside[]> {
    const { consents } = this.#ports.store;
    const names = this.#spendings.map(({ name }) => name);
    if (names.length > 0) {
      // One that is not kept is no worse than a call that is slow to say so.
      const sign = () => consents.sign(names).catch(() => {});
      this.#stopSigns = this.#ports.every(LIMITS.WRITER_SIGN_MS, sign);
    }
    return (await Promise.all(this.#spendings.map((one) => consents.begin(one, this.#run)))).flat();
  }

  /** To be committed with the outcome's row: the answer to repeat, or the right to try again where nothing was done. */
  async settle(ending: { value: unknown } | { failure: GatewayError; outcome: string }): Promise<Beside[]> {
    const { consents } = this.#ports.store;
    const free = "failure" in ending && ending.outcome === "none";
    const answer = free ? null : repeatable(ending);
    return (await Promise.all(
      this.#spendings.map((one) => free ? consents.free(one) : consents.done(one, this.#run, answer)),
    )).flat();
  }

  /** The call is over. */
  end(): void {
    this.#stopSigns?.();
    this.#stopSigns = null;
  }

  async #judgeToken(token: string): Promise<Repeated | ConsentRecord> {
    const found = TOKEN.test(token) ? await this.#ports.store.consents.find(token) : null;
    if (found === null) throw invalid("it is unknown, or its 15 minutes are over");
    const { content } = found;
    const mine = contentOf(this.#subject, null);
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
    if (ended === null) throw invalid("nothing was carried out under it, and it cannot be used any more");
    this.#shown = ended;
    const expires_at = this.#ports.now() + LIMITS.IDEMPOTENCY_MS;
    this.#spendings.push({ name: token, content, found: ended, expires_at, frees_until: found.expires_at });
    return ended;
  }

  async #judgeKey(key: string): Promise<Repeated | null> {
    const refuse = (why: string) => new GatewayError("E_IDEMPOTENCY_KEY", `Idempotency-Key: ${why}`);
    if (!KEY.test(key)) throw refuse("expected 1 to 255 visible ASCII characters without spaces");
    const content = contentOf(this.#subject, null);
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
