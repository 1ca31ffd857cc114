/** What became of an equal call that spent a record before: its answer, its silence, or what an operator found of it. */
import { type Code, GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { ConsentRecord, Store } from "../../store/store.ts";
import type { Place } from "../pipeline/in_flight.ts";
import { isInDoubt, type Repeated, repeated } from "./repeated.ts";

/** What it depends on. */
export interface EqualCallPorts {
  readonly store: Pick<Store, "consents"> & { readonly audit: Pick<Store["audit"], "resolution"> };
  now(): number;
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A call's place among those of its token. */
export type Waits = Pick<Place, "take" | "leave">;

/** The call that waits: when it gives up, where to look instead, and its place, which is given back meanwhile. */
interface WaitingCall {
  readonly deadline: number;
  readonly inspectionHint: string;
  readonly place: Waits;
  /** Told of the request whose answer the call is given. */
  repeats(first: string): void;
}

const WAIT_MS_MIN = 10;
const WAIT_MS_MAX = 250;

/** A confirm token's record, which ends with its call; keys, and items of sets, may be spent again. */
const isConfirmToken = (name: string) => !name.includes("\n");

/** Equal calls that came before one call. */
export class EqualCalls {
  readonly #ports: EqualCallPorts;
  readonly #call: WaitingCall;

  constructor(ports: EqualCallPorts, call: WaitingCall) {
    this.#ports = ports;
    this.#call = call;
  }

  /**
   * Waits for the call that spent a record. Answers its answer; the record again where it may be spent once more, also
   * because an operator found that nothing was done; null where it is gone. Throws E_OUTCOME_UNKNOWN where this call's
   * time runs out, or the first was cut off, or an operator found that it was made.
   */
  async settled(name: string): Promise<Repeated | ConsentRecord | null> {
    const { store: { consents }, now, delay } = this.#ports;
    // A clock that steps back meanwhile makes nobody wait longer.
    let left = LIMITS.CALL_DEADLINE_MS;
    for (let wait = WAIT_MS_MIN;; wait = Math.min(wait * 2, WAIT_MS_MAX)) {
      const record = await consents.find(name);
      if (record === null || record.state === "open") {
        await this.#call.place.take();
        return record;
      }
      if (record.state === "done") {
        const kept = await consents.answer(name);
        if (isInDoubt(kept) && await this.#wasNone(record.request_id)) {
          await this.#call.place.take();
          return record;
        }
        if (record.request_id !== null) this.#call.repeats(record.request_id);
        return repeated(kept, record.request_id);
      }
      if (now() > (record.deadline ?? 0) + wait || await this.#isDead(record)) {
        if (record.begun && !await this.#wasNone(record.request_id)) {
          throw outcomeUnknown(record.request_id, this.#call.inspectionHint);
        }
        await this.#call.place.take();
        // A person can decide once more.
        const isLasting = !isConfirmToken(name) || record.content.approval !== undefined;
        return record.begun || isLasting ? record : null;
      }
      left -= wait;
      if (left <= 0 || now() + wait >= this.#call.deadline) {
        throw outcomeUnknown(record.request_id, this.#call.inspectionHint);
      }
      this.#call.place.leave();
      await delay(wait);
    }
  }

  /** Whether the process of a write that has begun is gone: it has said nothing of being at work for so long. */
  async #isDead({ name, begun }: ConsentRecord): Promise<boolean> {
    if (!begun) return false;
    const signed = await this.#ports.store.consents.signed(name);
    return signed !== null && this.#ports.now() - signed > LIMITS.WRITER_SILENT_MS;
  }

  /** Whether an operator found that nothing of that write was done. Throws E_OUTCOME_UNKNOWN where it was found made. */
  async #wasNone(requestId: string | null): Promise<boolean> {
    const resolution = requestId === null ? null : await this.#ports.store.audit.resolution(requestId);
    if (resolution?.found === "made") {
      this.#call.repeats(requestId!);
      throw foundMade(requestId!, resolution.at, this.#call.inspectionHint);
    }
    return resolution?.found === "none";
  }
}

function foundMade(requestId: string, at: string, inspectionHint: string): GatewayError {
  return new GatewayError(
    "E_OUTCOME_UNKNOWN" satisfies Code,
    `Made, request "${requestId}": the first call gave no answer, and the gateway's operator found at ${at} that it was ` +
      `carried out. Nothing was done now, and nothing is left to do; ${inspectionHint}`,
    { outcome: "made", replayed: true },
  );
}

function outcomeUnknown(requestId: string | null, inspectionHint: string): GatewayError {
  const first = requestId === null ? "The first call" : `The first call, request id "${requestId}",`;
  return new GatewayError(
    "E_OUTCOME_UNKNOWN" satisfies Code,
    `${first} has not said how it ended, and it is not carried out twice; ${inspectionHint}, or ask the gateway's ` +
      "operator what became of that request, before you send it again as a new call",
    { outcome: "unknown" },
  );
}
