/** What a confirmed call brings, a confirm token, a key or the ticket of a set's item: judged, spent once, settled. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { Beside, ConsentContent, ConsentRecord, Spending } from "../../store/store.ts";
import type { Ending } from "../audit/audit.ts";
import { PersonsPart } from "./approval.ts";
import {
  type Bringing,
  type ConsentCall,
  type ConsentPorts,
  type Ticket,
  ticketName,
} from "./consent_call.ts";
import { contentOf, differing } from "./consent_content.ts";
import { EqualCalls } from "./equal_calls.ts";
import { repeatable, type Repeated } from "./repeated.ts";

const TOKEN = /^cft_[A-Za-z0-9_-]{22}$/;
const KEY = /^[\x21-\x7e]{1,255}$/;

const invalid = (why: string) =>
  new GatewayError("E_CONFIRM_INVALID", `confirm_token: ${why}; preview again and confirm with the new one`);

const goesElsewhere = (site: string) =>
  invalid(`the settings of site "${site}" have changed, so the call would go elsewhere`);

const notKnown = () =>
  new GatewayError(
    "E_STALE_PREVIEW",
    "How an earlier item left what it made is not known any more, so whether somebody changed that since is not either, " +
      "and nothing was written; look at it, and make a new set for what is left to do",
    { outcome: "none" },
  );

/** What one call brought. */
export class Brought {
  readonly #ports: ConsentPorts;
  readonly #call: ConsentCall;
  readonly #equal: EqualCalls;
  readonly #spendings: Spending[] = [];
  /** The part that a person has in the call. */
  readonly person: PersonsPart;
  #shown: ConsentContent | null = null;
  #ticket: Pick<Ticket, "isPartial" | "further" | "open"> | null = null;
  #again: Bringing["again"];

  constructor(ports: ConsentPorts, call: ConsentCall) {
    this.#ports = ports;
    this.#call = call;
    this.person = new PersonsPart(ports, call);
    const { run: { deadline }, inspectionHint, place, record: { decision } } = call;
    this.#equal = new EqualCalls(ports, {
      deadline,
      inspectionHint,
      place,
      repeats: (first) => decision.finds({ repeats: first }),
    });
  }

  /** What was shown of the call; null where it brings nothing that says so. */
  get shown(): ConsentContent | null {
    return this.#shown;
  }

  /** Whether it is planned only now, for what it changes was made, or changed, by an earlier item of its set. */
  get isLater(): boolean {
    return this.#ticket?.isPartial ?? false;
  }

  /** Of which of the differing parts it matters that they differ, by what is there now. */
  drifted(differ: readonly string[], now: Readonly<Record<string, unknown>>): readonly string[] {
    if (this.#ticket === null) return differ;
    const { isPartial, further, open } = this.#ticket;
    const shown = this.#shown?.revision;
    const isOpen = (part: string) => open.has(part) || open.has(part.slice(part.lastIndexOf(": ")));
    const closed = differ.filter((part) => !isOpen(part) && (part in now || !further.includes(part)));
    return isPartial ? closed.filter((part) => shown?.[part] !== undefined && part in now) : closed;
  }

  /** Step 13a: judges what a confirmed call brings; answers the first call's answer where there is one. */
  async judge(
    { presented: { confirmToken, idempotencyKey, ticket }, again }: Bringing,
  ): Promise<Repeated | null> {
    this.#again = again;
    if (ticket !== undefined) {
      const found = await this.#judgeTicket(ticket);
      this.#call.record.decision.finds({ bound: true });
      return found && "value" in found ? found : null;
    }
    if (confirmToken !== undefined) {
      const found = await this.#judgeToken(confirmToken, again);
      if ("value" in found) return found;
      this.#call.record.decision.finds({ bound: true });
    }
    if (idempotencyKey === undefined) return null;
    const found = await this.#judgeKey(idempotencyKey, again);
    return found && "value" in found ? found : null;
  }

  /** What an equal call has answered that came first since this one was judged; null where there is none. */
  async answeredSince(): Promise<Repeated | null> {
    for (const { name, found } of this.#spendings) {
      const now = await this.#ports.store.consents.find(name);
      if (now === null || now.version === found?.version) continue;
      const ended = await this.#equal.settled(name);
      if (ended && "value" in ended) return ended;
    }
    return null;
  }

  /** Spends what the call brought, in one commit; answers the first call's answer where another was first. */
  async spend(set?: string): Promise<Repeated | null> {
    if (set !== undefined) this.#areOf(set);
    while (this.#spendings.length > 0) {
      if (await this.#ports.store.consents.spend(this.#spendings, this.#call.run)) return null;
      for (const one of this.#spendings.splice(0)) {
        const now = await this.#ports.store.consents.find(one.name);
        const of = now && await this.#ofSet(now, this.#again);
        if (of !== null) return of;
        const ended = await this.#equal.settled(one.name);
        if (ended && "value" in ended) return ended;
        if (ended === null && one.found !== null) throw invalid("another call has used it up");
        this.#spendings.push({ ...one, found: ended });
      }
    }
    return null;
  }

  /** What is spent says for which change set, so that whoever brings it again is told what became of that. */
  #areOf(set: string): void {
    const all = this.#spendings.splice(0);
    this.#spendings.push(...all.map((one) => ({ ...one, content: { ...one.content, set } })));
  }

  /** From here on the call says that it is at work, until what it answers is called. */
  sign(): () => void {
    const { consents } = this.#ports.store;
    const names = this.#spendings.map(({ name }) => name);
    if (names.length === 0) return () => {};
    // One that is not kept is no worse than a call that is slow to say so.
    return this.#ports.every(LIMITS.WRITER_SIGN_MS, () => consents.sign(names).catch(() => {}));
  }

  /** To be committed with the intent's row. */
  async begun(): Promise<Beside[]> {
    const { store: { consents } } = this.#ports;
    const spent = await Promise.all(this.#spendings.map((one) => consents.begin(one, this.#call.run)));
    return [...spent.flat(), ...await this.person.begun()];
  }

  /** To be committed with the outcome's row: the answer to repeat, or the right to try again where nothing was done. */
  async settle(ending: Ending): Promise<Beside[]> {
    const { consents } = this.#ports.store;
    const free = "failure" in ending && ending.outcome === "none";
    const answer = free ? null : repeatable(ending);
    const settled = await Promise.all(
      this.#spendings.map((one) => free ? consents.free(one) : consents.done(one, this.#call.run, answer)),
    );
    return [...settled.flat(), ...await this.person.ended(ending)];
  }

  async #judgeTicket(ticket: Ticket): Promise<Repeated | ConsentRecord | null> {
    const { shown } = ticket;
    const name = ticketName(ticket);
    const moved = contentOf(this.#call.subject, null).sites.find(([id, at]) =>
      shown.sites.some(([other, then]) => id === other && at !== then)
    );
    if (moved !== undefined) throw goesElsewhere(moved[0]);
    const found = await this.#ports.store.consents.find(name);
    const ended = found === null || found.state === "open" ? found : await this.#equal.settled(name);
    if (ended && "value" in ended) return ended;
    if (ticket.isUnknown) throw notKnown();
    this.#shown = shown;
    this.#ticket = ticket;
    const expires_at = this.#ports.now() + 2 * LIMITS.SET_KEPT_MS;
    this.#spendings.push({ name, content: shown, found: ended, expires_at, frees_until: null });
    return ended;
  }

  async #judgeToken(token: string, again: Bringing["again"]): Promise<Repeated | ConsentRecord> {
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
    if (moved) throw goesElsewhere(moved[0]);
    const other = differing(content.args, mine.args);
    if (other.length > 0) {
      throw invalid(`it is of a preview with other arguments, which differ in ${other.join(", ")}`);
    }
    if (content.approval !== undefined) this.#call.record.facts.approval_id = content.approval;
    const set = await this.#ofSet(found, again);
    if (set !== null) return set;
    const ended = found.state === "open" ? found : await this.#equal.settled(token);
    if (ended && "value" in ended) return ended;
    if (content.approval !== undefined) await this.person.judge(content.approval);
    if (ended === null) throw invalid("nothing was carried out under it, and it cannot be used any more");
    this.#shown = content;
    // For who decides on a request a set is always planned anew.
    if (content.set !== undefined && content.approval === undefined) {
      this.#call.record.decision.finds({ set: content.set });
    }
    const expires_at = this.#ports.now() + LIMITS.IDEMPOTENCY_MS;
    this.#spendings.push({ name: token, content, found: ended, expires_at, frees_until: found.expires_at });
    return ended;
  }

  /** Where it was spent on a change set: what became of that, which has a life of its own. */
  async #ofSet({ state, request_id, content: { set, approval } }: ConsentRecord, again: Bringing["again"]) {
    if (state === "open" || set === undefined || again === undefined) return null;
    const yes = approval === undefined ? null : await this.person.yesTo(approval);
    if (approval !== undefined && yes === null) return null; // spent, and nobody's yes has begun anything
    if (request_id !== null) this.#call.record.decision.finds({ repeats: request_id });
    return { value: await again(set, yes) };
  }

  async #judgeKey(key: string, again: Bringing["again"]): Promise<Repeated | null> {
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
    const set = found && await this.#ofSet(found, again);
    if (set !== null) return set;
    const ended = found === null || found.state === "open" ? found : await this.#equal.settled(name);
    if (ended && "value" in ended) return ended;
    const expires_at = this.#ports.now() + LIMITS.IDEMPOTENCY_MS;
    this.#spendings.push({ name, content, found: ended, expires_at, frees_until: null });
    return null;
  }
}
