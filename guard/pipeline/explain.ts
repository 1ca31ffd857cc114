/** What a call would meet on its way to its plan: its steps are taken, and their verdicts are the answer. */
import { asGatewayError, GatewayError } from "../../core/errors.ts";
import type { Caller } from "../../core/model.ts";
import type { Http } from "../../platforms/_http/http.ts";
import type { ExplainedFlag, ExplainedStep, Explanation } from "../../registry/tool.ts";
import type { CallRecord } from "../audit/audit.ts";
import { confirmation } from "../consent/confirm.ts";
import type { Decision, Judged, Step } from "./decision.ts";
import type { RateLimit } from "./limits.ts";

/** Steps 5 to 13 in their order, by the numbers of docs/ARCHITECTURE.md. */
const LINE: readonly (readonly [number: number, step: Step])[] = [
  [5, "scope"],
  [6, "super_admin"],
  [7, "risk"],
  [8, "arguments"],
  [9, "site"],
  [10, "risk"],
  [10, "rate"],
  [11, "platform"],
  [12, "flags"],
  [12, "check"],
  [13, "links"],
];
const LIVE = "depends on the live state";
const BEYOND = "not reached";
const PLAN: ExplainedStep = { number: 14, step: "plan", verdict: LIVE };

const UNSENT: Http = {
  send: () => Promise.reject(new GatewayError("E_INTERNAL", "A call that is only explained sends nothing")),
};

interface Ways {
  readonly http: Http;
  readonly siteLimit: Pick<RateLimit, "take" | "look">;
}

/** The same ports, but that nothing can be sent by them, and a site's rate is only looked at. */
export function traceless<Ports extends Ways>(ports: Ports): Ports {
  const look = (key: string) => ports.siteLimit.look(key);
  return { ...ports, http: UNSENT, siteLimit: { take: look, look } };
}

/**
 * What steps 5 to 13 say of a call that `takeSteps` takes through them, up to the first that refuses it. Throws what step 4
 * refuses it with, and whatever is a fault of the gateway's.
 */
export async function explain(
  caller: Caller,
  record: CallRecord,
  takeSteps: (record: CallRecord) => Promise<unknown>,
): Promise<Explanation> {
  const { decision } = record;
  let passed = true;
  try {
    await record.watch(() => takeSteps(record));
  } catch (thrown) {
    const { code } = asGatewayError(thrown, record.requestId);
    if (code === "E_INTERNAL" || decision.steps.at(-1)?.step === "tool") throw thrown;
    passed = false;
  }
  const { name, offer } = decision.latest("entry")!;
  const got = (step: Step) => decision.steps.some((one) => one.step === step);
  const tier = decision.tier ?? 0;
  return {
    tool: name,
    site_id: record.siteId,
    passed,
    // Who may not use a tool learns nothing of it.
    tier: got("risk") ? tier : null,
    steps: [...stepsOf(decision), ...passed && tier > 0 ? [PLAN] : []],
    flags: got("flags") ? flagsOf(decision, passed) : null,
    confirm: got("platform")
      ? confirmation(caller, { tier, gate: !offer }, decision.latest("sites") ?? [])
      : null,
  };
}

/** What was judged from step 5 on, and what was not come to. */
function stepsOf({ steps }: Decision): ExplainedStep[] {
  let next = 0;
  let number = 0;
  const judged = steps.filter(({ step }) => step !== "tool").map((one): ExplainedStep => {
    const at = LINE.findIndex(([, step], place) => place >= next && step === one.step);
    if (at >= 0) next = at + 1;
    number = at >= 0 ? LINE[at]![0] : numberAgain(one.step) ?? number;
    return { number, step: one.step, ...verdictOf(one) };
  });
  return [
    ...judged,
    ...LINE.slice(next).map(([number, step]) => ({ number, step, verdict: BEYOND } as const)),
  ];
}

/** The number of a step that is taken again; null for one that every call takes twice, which goes by where it is taken. */
function numberAgain(step: Step): number | null {
  const [first, ...more] = LINE.filter(([, one]) => one === step);
  return first === undefined || more.length > 0 ? null : first[0];
}

function verdictOf({ verdict, code, reason }: Judged): Omit<ExplainedStep, "number" | "step"> {
  if (verdict === "refused") return { verdict, code: code!, message: reason! };
  return { verdict: "passed", ...reason === null ? {} : { because: reason } };
}

/** The flags that the call needs by what was judged, and after them those that its plan may find it to need. */
function flagsOf(decision: Decision, passed: boolean): ExplainedFlag[] {
  const site = decision.latest("site");
  const { manifest } = decision.latest("entry")!;
  if (!site) return [];
  const needs = new Set(decision.steps.flatMap(({ looked }) => looked.needs ?? []));
  const isRead = passed && decision.tier === 0;
  const live = isRead ? [] : manifest.flags.filter((one) => one.live).map(({ flag }) => flag);
  return [...needs.union(new Set(live))].map((flag) => ({
    flag,
    set: site.flags[flag],
    needed: needs.has(flag) || (passed ? LIVE : BEYOND),
  }));
}
