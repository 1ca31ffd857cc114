/** What reruns share: when one may be, what it resets, and whether the answer says that it did. */
import { counted, formOf } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Rerun, Step } from "../../platforms/topic_map/client.ts";
import { type Rerunnable, resetBy } from "../../platforms/topic_map/steps.ts";
import type { Plan } from "../../registry/tool.ts";

/** Shown before each write: what it costs is nothing the gateway can know. */
export const SPENDS = "It spends credits of the topic-planning service";

/** What is asked for, and what was found. */
export interface Found {
  /** The argument that named it. */
  readonly field: string;
  readonly id: string;
  /** As a person knows it. */
  readonly title: string;
  readonly status: string;
  readonly steps: readonly Step[];
  /** Of a brief: a rerun takes its approval back. */
  readonly approval_status?: string;
}

const either = (words: readonly string[]) => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** Refuses what is not in a state to be rerun: E_BAD_INPUT with that state and those allowed. */
export function rerunPlan(what: Rerunnable, from_step: string, site: string, found: Found): Plan {
  const { field, id, title, status, approval_status } = found;
  if (!what.states.includes(status)) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: the ${what.noun} "${id}" is "${status}", and only one that is ${
        either(what.states)
      } can be ` +
        "rerun; look at it again later",
    );
  }
  const before = new Map(found.steps.map((step) => [step.name, step]));
  const reset = resetBy(what.steps, from_step);
  const steps = reset.map((name) => ({
    field: `steps.${name}`,
    from: before.get(name)?.status ?? null,
    to: "pending",
  }));
  const approval = approval_status === undefined
    ? []
    : [{ field: "approval_status", from: approval_status, to: "pending" }];
  const approved = approval_status === "approved";
  return {
    summary: `Rerun the ${what.noun} "${title}" (${id}) of ${site} from ${from_step}: ${reset.length} of ` +
      `${counted(what.steps.length, "step")} ${formOf(reset.length, "is", "are")} reset`,
    changes: [{ field: "status", from: status, to: "queued" }, ...approval, ...steps],
    revision: {
      status,
      ...(approval_status === undefined ? {} : { approval_status }),
      ...Object.fromEntries(reset.map((name) => {
        const { status: at, started_at, completed_at } = before.get(name) ?? {};
        return [`steps.${name}`, [at ?? null, started_at ?? null, completed_at ?? null]];
      })),
    },
    warnings: [
      SPENDS,
      ...(approved ? ["The brief's approval is taken back; a person approves it anew"] : []),
    ],
    final: "A rerun writes over what the steps had found, and nothing keeps that",
  };
}

/** The answer beside what of it is not as it was asked for. */
export function rerunDone(what: Rerunnable, id: string, from_step: string, answer: Rerun) {
  const expected = resetBy(what.steps, from_step);
  const differences = [
    answer.id === id ? [] : [`id: the answer is about "${answer.id}"`],
    answer.from_step === from_step ? [] : [`from_step: it begins at "${answer.from_step}"`],
    answer.reset_steps.join() === expected.join() ? [] : [
      `reset_steps: expected ${expected.join(", ")}, and these are reset: ${answer.reset_steps.join(", ")}`,
    ],
  ].flat();
  return { ...answer, differences };
}
