/** What every write answers beside its own result: what was proven of it, what to know of it, and which request it was. */
import { Content } from "../../core/content.ts";
import { ReadResult, WriteResult } from "../../registry/write_result.ts";

/** Why a tool that was loaded from elsewhere, and whose types nobody checked, proves nothing. */
const SILENT = "The tool does not say whether the site holds what was asked for";
const UPSTREAMS_OWN = "The site's own tool does not say whether the site holds what was asked for";

type Fields = Readonly<Record<string, unknown>>;

/** Whether it is an object of names and values, and no list, text or content that goes on as it came. */
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** The answer of a handler that has written. One without a proof is reported as unverified; its own warnings stay. */
export function asWritten(answer: unknown): WriteResult {
  if (answer instanceof WriteResult) return answer;
  return silent(plain(answer));
}

/** The answer of a handler that has only read. */
export const plain = (answer: unknown): unknown => answer instanceof ReadResult ? answer.result : answer;

/** The answer of a site's own tool as content, in which nothing is added or taken away, whatever it says. */
export function asOffered(answer: unknown): Content {
  if (answer instanceof Content) return answer;
  return Content.of(answer instanceof ReadResult ? answer.result : answer);
}

/**
 * What a caller is answered after a write: the result with `verified`, `warnings` and `request_id`, which content of a
 * site's own tool has beside its items.
 */
export function answered(answer: unknown, requestId: string): unknown {
  if (answer instanceof Content) {
    return answer.answering(requestId, { verified: null, verified_reason: UPSTREAMS_OWN, warnings: [] });
  }
  return { ...asWritten(answer).toJSON(), request_id: requestId };
}

function silent(answer: unknown): WriteResult {
  const { verified: _, verified_reason: __, request_id: ___, warnings, ...result } = isFields(answer)
    ? answer
    : { value: answer ?? null };
  const said = Array.isArray(warnings) ? warnings.filter((one) => typeof one === "string") : [];
  return new WriteResult(result, { verified: null, reason: SILENT, warnings: said });
}
