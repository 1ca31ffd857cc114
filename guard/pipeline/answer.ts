/** What a call answers: of a write the proof beside its own result, of a read the parts that were asked for. */
import {
  isLonger,
  type Left,
  offsets,
  type Part,
  type Path,
  picked,
  summaryOf,
  within,
} from "../../core/answer_parts.ts";
import { Content } from "../../core/content.ts";
import { isLasting, memoize } from "../../core/made_once.ts";
import { LIMITS } from "../../core/model.ts";
import { valueWays } from "../../registry/answer_names.ts";
import { askedParts, type NotFound } from "../../registry/asked_parts.ts";
import { ReadResult, WriteResult } from "../../registry/write_result.ts";
import type { Wanted } from "./wanted.ts";

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

/**
 * The answer of a read as it was asked for: by paths, as a summary; over MCP never much longer than an agent can hold. What
 * was left out is named. One that is asked for whole, and short enough, is the very value.
 */
export function shaped(answer: unknown, wanted: Wanted | undefined, isBounded: boolean): unknown {
  const max = LIMITS.ANSWER_CHARACTERS;
  const isContent = answer instanceof Content;
  const whole = isContent ? [answer.items, answer.structured] : answer;
  if (wanted === undefined && !(isBounded && isTooLong(whole))) return answer;
  if (isContent && !answer.items.every(isText)) return answer; // the beginning of an image is none
  const value: unknown = isContent
    ? answer.structured ?? answer.value
    : JSON.parse(JSON.stringify(answer) ?? "null");
  const found = foundOf(value, wanted);
  const { paths, summary } = { summary: false, ...wanted, paths: found.paths };
  const begun: Part = summary ? summaryOf(found.value) : { value: found.value, left: [] };
  const isLong = isBounded && isLonger(begun.value, max);
  const part = isLong ? within(begun.value, max - TOLD_CHARACTERS, offsets(paths)) : begun;
  const told = { ...toldOf(part.left), ...found.told };
  return isContent ? contentOf(answer, part.value, told) : withTold(part.value ?? {}, told);
}

/** Of an answer that is given more than once it is found out once. */
const isTooLong = (whole: unknown): boolean =>
  isLasting(whole) ? isLastingTooLong(whole) : isLonger(whole, LIMITS.ANSWER_CHARACTERS);

const isLastingTooLong = memoize((whole: object) => isLonger(whole, LIMITS.ANSWER_CHARACTERS));

const isText = (item: unknown) => isFields(item) && item.type === "text";

/** Room for what is told of an answer beside its parts. */
const TOLD_CHARACTERS = 1500;

/** So many ways to read on are told in words; `shortened` has all places. */
const WAYS_MAX = 2;

function toldOf(left: readonly Left[]): Fields {
  if (left.length === 0) return {};
  const further = left.filter(({ names }) => !names);
  const ways = further.slice(0, WAYS_MAX).map(({ at, shown }) => `"${at}[${shown}..]"`).join(", then ");
  const read_on = further.length === 0
    ? "name what you need with fields"
    : `call again with fields, such as ${ways}; each call reads anew, and a next page begins behind what was left out`;
  return { shortened: left, read_on };
}

/** The parts that are wanted, and what is told of names that are none: of those that nobody knew beforehand, by the answer itself. */
function foundOf(
  value: unknown,
  wanted: Wanted | undefined,
): { readonly value: unknown; readonly paths: readonly Path[]; readonly told: Fields } {
  if (wanted === undefined) return { value, paths: [], told: {} };
  const { paths, open, not_found, there } = wanted;
  if (paths.length === 0) return { value, paths, told: toldMissing(not_found, there) };
  const first = picked(value, paths);
  if (first.missing.length === 0) return { value: first.value, paths, told: toldMissing(not_found, there) };
  const { missing } = first;
  const unknown = paths.filter(({ text }) => missing.includes(text) && open.has(text));
  const asked = askedParts(unknown, valueWays(value));
  const kept = paths.filter(({ text }) => !missing.includes(text));
  const all = [...kept, ...asked.paths];
  const again = picked(value, all);
  const still = new Set(again.missing);
  const origin = (text: string) => not_found.find(({ answered }) => answered === text)?.asked ?? text;
  const told = [
    ...not_found.filter(({ answered }) => answered === undefined || !missing.includes(answered)),
    // Those that the answer may have, and does not have now.
    ...[
      ...missing.filter((text) => !open.has(text)),
      ...unknown.map(({ text }) => text).filter((text) => still.has(text)),
    ]
      .map((text) => ({ asked: origin(text) })),
    ...asked.not_found.map(({ asked, answered, ...more }) => ({
      asked: origin(asked),
      ...answered === undefined || still.has(answered) ? {} : { answered },
      ...more,
    })),
  ];
  return { value: again.value, paths: all, told: toldMissing(told, [...there, ...asked.there]) };
}

function toldMissing(not_found: readonly NotFound[], there: readonly string[]): Fields {
  if (not_found.length === 0) return {};
  return { fields_not_found: not_found, ...there.length === 0 ? {} : { fields_there: there } };
}

/** What is told stands first, where a reader who sees the beginning alone meets it. */
function withTold(value: unknown, told: Fields): unknown {
  if (Object.keys(told).length === 0) return value;
  return isFields(value) ? { ...told, ...value } : { ...told, value };
}

/** The parts of the answer of a site's own tool, as items where it had several; a text that was cut says so itself. */
function contentOf(answer: Content, value: unknown, told: Fields): Content {
  const isItems = Array.isArray(value) && value.length > 0 && answer.items.length > 1 && value.every(isText);
  const text = typeof value === "string" ? value : JSON.stringify(withTold(value ?? {}, told));
  const beside = isItems && Object.keys(told).length > 0
    ? [{ type: "text", text: JSON.stringify(told) }]
    : [];
  const items = isItems ? [...value, ...beside] : [{ type: "text", text }];
  return new Content(items, undefined, answer.proof, answer.undoing);
}
