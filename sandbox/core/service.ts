/** What every stand-in is built on: a server that records, waits, limits and goes wrong on order, around true answers. */
import { broke, json } from "./answers.ts";
import { Clock, realSleep, type Sleep } from "./clock.ts";
import {
  altered,
  type CommonFault,
  delayOf,
  type FaultMatch,
  Faults,
  type FaultWords,
  isApplied,
  type Latency,
  replacement,
} from "./faults.ts";
import { RateWindows } from "./limits.ts";
import { isWrite, recordedAnswer, recordedBody, type RecordedRequest } from "./recorder.ts";
import { aborted, type Disconnect, type Incoming, listen } from "./server.ts";
import {
  type AnyFault,
  type Call,
  PLAIN,
  type RateRule,
  type StandInOptions,
  type Vendor,
} from "./vendor.ts";

/** A running stand-in. */
export interface Service<R extends RecordedRequest<unknown>, F extends AnyFault> extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly base_url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly R[];
  /** Those that asked for a change. */
  readonly writes: readonly R[];
  readonly clock: Clock;
  /** How long it takes to answer, from the next request on. */
  latency: Latency;
  /** Goes wrong for the next request (or `times` requests, or `while` something holds) that fits. */
  inject(fault: F, match?: FaultMatch): void;
  /** Forgets the faults to come. */
  clearFaults(): void;
  /** Forgets recorded requests and faults to come; what the vendor remembers stays. */
  clear(): void;
  /** Leaves no connection behind; safe to call twice. */
  stop(): Promise<void>;
}

/** A stream of events may never end, and so is not recorded. */
const isStream = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

type Row<R extends RecordedRequest<unknown>> = { -readonly [K in keyof R]: R[K] };

class Running<R extends RecordedRequest<unknown>, F extends AnyFault> {
  readonly requests: R[] = [];
  readonly faults = new Faults<F>();
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly words: FaultWords;
  readonly rate: RateRule | undefined;
  latency: Latency;
  #active = 0;

  constructor(readonly options: StandInOptions, readonly vendor: Vendor<R, F>) {
    this.clock = vendor.clock ?? new Clock(options.now);
    this.sleep = options.sleep ?? realSleep;
    this.latency = options.latency ?? 0;
    this.words = { busy: vendor.busy ?? PLAIN.busy, page: vendor.page ?? PLAIN.page };
    const rate = options.limits?.rate;
    this.rate = vendor.rate ??
      (rate && { windows: new RateWindows(rate.requests, rate.window_ms, this.clock.now) });
  }

  /** Answers one request, or says how its connection shall end. */
  async answer(incoming: Incoming): Promise<Response | Disconnect> {
    this.#active++;
    try {
      const call: Call = { ...incoming, url: new URL(incoming.request.url) };
      const row = this.#record(call);
      const refusal = this.#overLimit(call);
      const fault = refusal ? undefined : this.#nextFault(row, call.bytes);
      row.fault = fault?.kind ?? null;
      const ms = delayOf(this.latency, row.effective_method, row.path);
      if (ms > 0) await this.sleep(ms, call.signal());
      const answer = refusal ?? await this.#faulty(call, fault);
      if (refusal) this.vendor.dress?.(refusal, call, false);
      if (answer === "hang") await aborted(call.signal());
      if (this.vendor.records_answers && answer instanceof Response && !isStream(answer)) {
        row.answer = await recordedAnswer(answer);
      }
      if (fault === undefined || !(answer instanceof Response)) return answer;
      return await altered(fault as CommonFault, answer, this.sleep, call.signal);
    } catch (thrown) {
      // Whoever waited has gone, or this stops: nobody is there to be answered.
      if (thrown instanceof DOMException && thrown.name === "AbortError") return "reset";
      return json({ message: broke(thrown) }, 500);
    } finally {
      this.#active--;
    }
  }

  #nextFault({ effective_method, path }: R, bytes: Uint8Array): F | undefined {
    return this.faults.next(effective_method, path, () => new TextDecoder().decode(bytes));
  }

  #record(call: Call): Row<R> {
    const { request, url, target, bytes } = call;
    const usual: RecordedRequest = {
      method: request.method,
      effective_method: request.method,
      path: url.pathname,
      target,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(request.headers),
      body: null,
      at: this.clock.now(),
      fault: null,
      answer: null,
    };
    const own = this.vendor.describe?.(call);
    const body = own && "body" in own
      ? own.body
      : recordedBody(bytes, request.headers.get("content-type") ?? "");
    const row = { ...usual, ...own, body } as unknown as R;
    this.requests.push(row);
    return row as Row<R>;
  }

  #overLimit(call: Call): Response | undefined {
    const { concurrency = Infinity } = this.options.limits ?? {};
    if (this.#active > concurrency) return this.words.busy({});
    if (this.rate === undefined) return undefined;
    const { windows, refuse } = this.rate;
    const key = this.rate.key ? this.rate.key(call) : "";
    if (key === null || windows.take(key) !== null || refuse === null) return undefined;
    const quota = windows.quota(key);
    return refuse?.(quota) ?? this.words.busy({ retry_after: quota.retry_after });
  }

  /** The true answer, or what a fault puts in its place. */
  async #faulty(call: Call, fault: F | undefined): Promise<Response | Disconnect> {
    const instead = fault &&
      (replacement(fault as CommonFault, this.words) ?? this.vendor.replace?.(fault));
    if (instead === undefined || isApplied(fault!)) {
      const answer = await this.vendor.handle(call, fault);
      this.vendor.dress?.(answer, call, true);
      if (instead === undefined) return answer;
      await answer.body?.cancel();
    }
    if (instead instanceof Response) this.vendor.dress?.(instead, call, false);
    return instead;
  }
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startService<
  R extends RecordedRequest<unknown> = RecordedRequest,
  F extends AnyFault = CommonFault,
>(
  options: StandInOptions,
  vendor: Vendor<R, F>,
): Service<R, F> {
  const running = new Running(options, vendor);
  const server = listen((incoming) => running.answer(incoming));
  let stopped: Promise<void> | undefined;
  const stop = () => stopped ??= server.stop();
  return {
    base_url: server.origin,
    requests: running.requests,
    get writes() {
      return running.requests.filter((row) => vendor.isWrite?.(row) ?? isWrite(row));
    },
    clock: running.clock,
    get latency() {
      return running.latency;
    },
    set latency(latency) {
      running.latency = latency;
    },
    inject: (fault, match) => running.faults.add(fault, match),
    clearFaults: () => running.faults.clear(),
    clear() {
      running.requests.length = 0;
      running.faults.clear();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
