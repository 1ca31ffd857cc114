/** How a call waits for an equal one: as long as a call may take, whatever the clock does, and never in vain. */
import assert from "node:assert/strict";
import { Consent } from "../../../guard/consent/consent.ts";
import { CallRecord } from "../../../guard/audit/audit.ts";
import { contentOf } from "../../../guard/consent/consent_content.ts";
import type { ReadyCall } from "../../../guard/pipeline/nested_calls.ts";
import { CallsInFlight } from "../../../guard/pipeline/in_flight.ts";
import { LIMITS } from "../../../core/model.ts";
import type { ApprovalStore, ConsentRecord, ConsentStore } from "../../../store/store.ts";
import { caller } from "./_callers.ts";

const SUBJECT = { grant: "t", tool: "write", sites: [], args: { a: 1 }, tier: 1 } as const;
/** Given back while a call waits, and taken again. */
const PLACE = new CallsInFlight(1).place("t");
const START = 1_000_000_000_000;

/** What a call is stopped with that was given no earlier answer. */
const GOES_ON = new Error("goes on to its plan");

/** What a call depends on, over what is kept of consents. */
const portsOver = (consents: Partial<ConsentStore>, now = START) => ({
  store: {
    consents: consents as ConsentStore,
    audit: { resolution: () => Promise.resolve(null) },
    changes: { days: 30 },
    approvals: {} as ApprovalStore,
  },
  tell: () => Promise.resolve([]),
  baseUrl: "https://gateway.example",
  now: () => now,
  every: () => () => {},
  delay: () => Promise.resolve(),
});

/** A call that may take as long as any, and its record. */
const calling = (requestId = "r") => ({
  caller: caller(),
  subject: SUBJECT,
  run: { request_id: requestId, deadline: START + LIMITS.CALL_DEADLINE_MS },
  inspectionHint: "look at the site",
  place: PLACE,
  record: new CallRecord(START, { door: "rest", requestId, caller: caller(), tool: "write" }),
});

/** A call that meets a record of an equal one, and what it waited for altogether. */
function meeting(
  record: Partial<ConsentRecord>,
  tick: (waited: number) => Partial<ConsentRecord & { now: number }>,
  signed: (waited: number) => number | null = () => null,
) {
  let waited = 0;
  let now = START;
  const found: ConsentRecord = {
    name: "",
    content: contentOf(SUBJECT, null),
    state: "running",
    request_id: "first",
    deadline: START + LIMITS.CALL_DEADLINE_MS,
    begun: true,
    expires_at: START + LIMITS.IDEMPOTENCY_MS,
    version: "1",
    ...record,
  };
  const consents: Partial<ConsentStore> = {
    find: (name) => Promise.resolve({ ...found, name }),
    answer: () => Promise.resolve({ value: { id: 7 } }),
    signed: () => Promise.resolve(signed(waited)),
  };
  const ports = {
    ...portsOver(consents),
    now: () => now,
    delay(ms: number) {
      waited += ms;
      now += ms;
      const { now: jumped = now, ...changed } = tick(waited);
      now = jumped;
      Object.assign(found, changed);
      return Promise.resolve();
    },
  };
  const judged = new Consent(ports, calling("second")).once({
    presented: { confirmToken: undefined, idempotencyKey: "k" },
    plan: () => Promise.reject(GOES_ON),
    intent: () => Promise.reject(GOES_ON),
    run: () => Promise.reject(GOES_ON),
  }).then((value) => ({ value }), (thrown) => {
    if (thrown === GOES_ON) return null;
    throw thrown;
  });
  return { judged, waited: () => waited };
}

const UNKNOWN = { code: "E_OUTCOME_UNKNOWN", outcome: "unknown" };

Deno.test("the answer of the first is answered as soon as it is there", async () => {
  const { judged, waited } = meeting({}, (ms) => ms >= 500 ? { state: "done" } : {});
  assert.deepEqual(await judged, { value: { id: 7, replayed: true } });
  assert.ok(waited() < 1000, `${waited()} ms`);
});

Deno.test("a call waits no longer than it may take itself, and not at all for one that is over", async () => {
  const slow = meeting({}, () => ({}));
  await assert.rejects(slow.judged, UNKNOWN);
  assert.ok(slow.waited() <= LIMITS.CALL_DEADLINE_MS, `${slow.waited()} ms`);
  const over = meeting({ deadline: START - 1000 }, () => ({}));
  await assert.rejects(over.judged, UNKNOWN);
  assert.equal(over.waited(), 0);
});

Deno.test("nobody waits longer because the clock steps back, or because it was ahead when the first began", async () => {
  const back = meeting({}, (ms) => ms < 100 ? { now: START - 3_600_000 } : {});
  await assert.rejects(back.judged, UNKNOWN);
  assert.ok(back.waited() <= LIMITS.CALL_DEADLINE_MS, `${back.waited()} ms`);
  const ahead = meeting({ deadline: START + 24 * 3_600_000 }, () => ({}));
  await assert.rejects(ahead.judged, UNKNOWN);
  assert.ok(ahead.waited() <= LIMITS.CALL_DEADLINE_MS, `${ahead.waited()} ms`);
});

Deno.test("what was spent and not begun is free for a key once the first call's time is over, not before", async () => {
  const { judged, waited } = meeting({ begun: false, deadline: START + 5000 }, () => ({}));
  assert.equal(await judged, null);
  assert.ok(waited() >= 5000, `${waited()} ms`);
});

Deno.test("a write whose process has been silent for long enough is told to be in doubt at once, one that signs is waited for", async () => {
  const silent = meeting({}, () => ({}), () => START - LIMITS.WRITER_SILENT_MS - 1);
  await assert.rejects(silent.judged, UNKNOWN);
  assert.equal(silent.waited(), 0);
  const died = meeting({}, () => ({}), () => START);
  await assert.rejects(died.judged, UNKNOWN);
  assert.ok(died.waited() < LIMITS.WRITER_SILENT_MS + 1000, String(died.waited()));
  const works = meeting({}, (ms) => ms >= 30_000 ? { state: "done" } : {}, (ms) => START + ms);
  assert.deepEqual(await works.judged, { value: { id: 7, replayed: true } });
  // One that was spent and has not begun may begin still.
  const spent = meeting({ begun: false }, (ms) => ms >= 20_000 ? { state: "done" } : {}, () => 0);
  assert.deepEqual(await spent.judged, { value: { id: 7, replayed: true } });
});

Deno.test("a call whose client has left, or whose time is up, once its plan is made begins nothing", async () => {
  const left = new AbortController();
  left.abort();
  const cases = [
    { signal: left.signal, now: START, code: "E_CANCELLED" },
    { signal: undefined, now: START + LIMITS.CALL_DEADLINE_MS, code: "E_UPSTREAM" },
  ];
  for (const { signal, now, code } of cases) {
    const call = calling();
    const { record } = call;
    const consent = new Consent(portsOver({}, now), call);
    const begun: string[] = [];
    const once = consent.once({
      presented: { confirmToken: undefined, idempotencyKey: undefined },
      plan: () => Promise.resolve({ gate: false, revision: null } as ReadyCall),
      signal,
      intent: () => Promise.resolve(void begun.push("intent")),
      run: () => Promise.resolve(void begun.push("run")),
    });
    await assert.rejects(once, { code });
    assert.deepEqual([begun, record.decision.writing], [[], false]);
    assert.deepEqual(record.decision.steps.map(({ step }) => step), ["consent", "confirm"]);
  }
});

Deno.test("a plan is told whether the call carries the token of its preview, or only confirms", async () => {
  const token = `cft_${"a".repeat(22)}`;
  const open = { state: "open", content: contentOf(SUBJECT, null), version: "1", expires_at: START + 1000 };
  const consents: Partial<ConsentStore> = {
    find: (name) => Promise.resolve({ ...open, name } as ConsentRecord),
  };
  for (const confirmToken of [token, undefined]) {
    const call = calling();
    const { record } = call;
    const consent = new Consent(portsOver(consents), call);
    const once = consent.once({
      presented: { confirmToken, idempotencyKey: undefined },
      plan: () => Promise.reject(GOES_ON),
      intent: () => Promise.reject(GOES_ON),
      run: () => Promise.reject(GOES_ON),
    });
    await assert.rejects(once, GOES_ON);
    const { decision } = record;
    assert.deepEqual([decision.latest("confirmed"), decision.latest("bound")], [true, confirmToken && true]);
  }
});

Deno.test("a token that another call has spent is spent, also where that call never began to write", async () => {
  const content = contentOf(SUBJECT, null);
  const open = { state: "open", content, version: "1", expires_at: START + 1000 } as const;
  const spent = {
    ...open,
    state: "running",
    request_id: "first",
    deadline: START - 1000,
    begun: false,
    version: "2",
  };
  let spendings = 0;
  const consents: Partial<ConsentStore> = {
    find: (name) => Promise.resolve({ ...spendings === 0 ? open : spent, name } as ConsentRecord),
    spend: () => Promise.resolve(++spendings > 1),
  };
  const once = new Consent(portsOver(consents), calling()).once({
    presented: { confirmToken: `cft_${"a".repeat(22)}`, idempotencyKey: undefined },
    plan: () => Promise.resolve({ gate: true, revision: null, changes: [] } as unknown as ReadyCall),
    intent: () => Promise.reject(GOES_ON),
    run: () => Promise.reject(GOES_ON),
  });
  await assert.rejects(once, { code: "E_CONFIRM_INVALID", message: /another call has used it up/ });
  assert.equal(spendings, 1);
});
