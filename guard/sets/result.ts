/** What is kept of an item of a change set by how its call ended. */
import { Buffer } from "node:buffer";
import { Content } from "../../core/content.ts";
import { oneLine } from "../../core/one_line.ts";
import { isFields } from "../../core/values.ts";
import type { SetItem, SetResult } from "../../store/store.ts";
import type { CallRecord, Ending } from "../audit/audit.ts";
import { redactText } from "../audit/redact.ts";

/** Of an answer so much is kept of an item. */
const ANSWER_BYTES = 1024;
const ANSWER_FIELDS = [
  "id",
  "post_id",
  "status",
  "url",
  "path",
  "commit_sha",
  "branch",
  "verified",
  "verified_reason",
  "live",
  "live_reason",
  "warnings",
  "undone",
  "left_out",
  "said",
];
/** Of what a site's own tool said so much. */
const SAID_CHARACTERS = 300;
/** What is known of an item by how its call ended. */
export function resultOf(
  item: SetItem,
  request_id: string | null,
  ending: Ending,
  record: CallRecord | null,
): SetResult {
  const left = record?.left ?? null;
  const of = { item: item.item, request_id, left };
  if ("failure" in ending) {
    const { failure: { code, message, upstreamAnswer }, outcome } = ending;
    // What an operator has found to be made is not to be done any more.
    if (code === "E_OUTCOME_UNKNOWN" && outcome === "made") {
      return { ...of, state: "done", answer: { verified: null, verified_reason: message } };
    }
    const state = outcome === "unknown" ? "unknown" : "failed";
    const error = { code, message, ...upstreamAnswer === undefined ? {} : { upstream: upstreamAnswer } };
    return { ...of, state, answer: { error, ...outcome === "none" ? {} : { outcome } } };
  }
  const id = record?.facts.result_id ?? record?.allMade.at(-1)?.id;
  return {
    ...of,
    state: "done",
    answer: { ...id == null ? {} : { id }, ...shortened(fieldsOf(ending.value), id) },
  };
}

/** What was proven of what a site's own tool wrote, and what it said; of any other answer that. */
function fieldsOf(value: unknown): unknown {
  if (!(value instanceof Content)) return value;
  const text = typeof value.value === "string" ? value.value : JSON.stringify(value.value) ?? "";
  return { ...value.proof, said: redactText(oneLine(text, SAID_CHARACTERS)) };
}

/** The fields of an answer that are kept, as many as fit; of what visitors get whether that is as expected in any case. */
function shortened(value: unknown, id: unknown): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  if (!isFields(value)) return kept;
  const fits = () => Buffer.byteLength(JSON.stringify(kept)) <= ANSWER_BYTES;
  for (const name of ANSWER_FIELDS) {
    const one = value[name];
    if (one === undefined || (name === "id" && id != null) || (Array.isArray(one) && one.length === 0)) {
      continue;
    }
    kept[name] = one;
    if (fits()) continue;
    // The first site of a canary is judged by it.
    if (name === "live" && isFields(one)) {
      kept[name] = { as_expected: one["as_expected"], left_out: "what differs" };
    } else delete kept[name];
  }
  return kept;
}
