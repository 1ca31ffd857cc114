/** Reads what a tool answered: whether it failed, also where only its contents say so. */
import { isFields } from "../../core/values.ts";
import type { UpstreamResult } from "./types.ts";

type Fields = Record<string, unknown>;
/** How often the CRM's answers are found wrapped in each other. */
const WRAPPED_MAX = 2;

/** The result of a tool of the content platform; null where it is none. */
export function cmsResult(result: Fields): UpstreamResult | null {
  const { content = [], structuredContent, isError } = result;
  if (!Array.isArray(content) || (result.content === undefined && structuredContent === undefined)) {
    return null;
  }
  const own = { content, ...(structuredContent === undefined ? {} : { structuredContent }) };
  if (isError === true) return { ...own, isError: true };
  const said = isFields(structuredContent) ? structuredContent : textOf(content);
  return isFields(said) && reportsFailure(said)
    ? { ...own, isError: true, soft: true }
    : { ...own, isError: false };
}

/**
 * `{success: false}`, an `error` with something in it where no success is said beside it, or nothing updated and something
 * skipped.
 */
function reportsFailure({ success, error, updated, skipped }: Fields): boolean {
  if (success === false) return true;
  if (success !== true && (typeof error === "string" ? error !== "" : isFields(error))) return true;
  return isEmpty(updated) && !isEmpty(skipped) && (Array.isArray(skipped) || isFields(skipped));
}

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : isFields(value) && Object.keys(value).length === 0;

/** The result of a tool of the CRM, out of what it is wrapped in; null where it is none. */
export function crmResult(result: Fields): UpstreamResult | null {
  let { content, structuredContent, isError } = result;
  if (!Array.isArray(content)) return cmsResult(result);
  for (let times = 0; times < WRAPPED_MAX; times++) {
    const inner = textOf(content as unknown[]);
    if (!isFields(inner) || !Array.isArray(inner.content)) break;
    content = inner.content.map((one) => isFields(one) && "text" in one ? { type: "text", ...one } : one);
    isError = isError === true || inner.isError === true;
    structuredContent = inner.structuredContent;
  }
  const items = content as unknown[];
  const own = { content: items, ...(structuredContent === undefined ? {} : { structuredContent }) };
  const said = textOf(items);
  const status = isFields(said) ? statusOf(said) : isError === true ? statusIn(items) : null;
  const failure = status === null ? {} : { status };
  if (isError === true) return { ...own, isError: true, ...failure };
  const soft = isFields(said) && (said.success === false || status !== null);
  return soft ? { ...own, isError: true, soft: true, ...failure } : { ...own, isError: false };
}

/** The status of an answer or of its refusal; a record that has an id may call something else its status. */
function statusOf({ id, _id, status, statusCode }: Fields): number | null {
  if (id !== undefined || _id !== undefined) return null;
  const found = [status, statusCode].map(Number).find((one) => one >= 400 && one <= 599);
  return found ?? null;
}

function statusIn(items: readonly unknown[]): number | null {
  const text = items.map((one) => isFields(one) && typeof one.text === "string" ? one.text : "").join(" ");
  const found = /\bstatus(?:Code| code)?\W{1,4}([45]\d\d)\b/i.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

/** What the one text item holds, where that is JSON. */
function textOf(items: readonly unknown[]): unknown {
  const [only, ...more] = items;
  if (more.length > 0 || !isFields(only) || typeof only.text !== "string") return undefined;
  try {
    return JSON.parse(only.text);
  } catch {
    return undefined;
  }
}
