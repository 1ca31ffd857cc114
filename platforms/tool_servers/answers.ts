/** What a site's own tool answered, as callers get it: bounded, in its own words where it failed, never another location's. */
import { GatewayError } from "../../core/errors.ts";
import { Content, type ContentProof, parsed } from "../../core/content.ts";
import { LIMITS, type Outcome } from "../../core/model.ts";
import { cleaned } from "../../core/one_line.ts";
import { cut, type Fields, isFields } from "../../core/values.ts";
import { namesAnotherLocation } from "../../rules/crm_location.ts";
import type { UpstreamResult } from "./types.ts";

const UNREADABLE = 502;
/** How deep an answer is looked through for records of another location. */
const LEVELS_MAX = 32;

/** What items a protocol knows, and which of their members are handed on. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource: ["resource"],
  resource_link: ["uri", "name", "title", "description", "mimeType", "size"],
};

/** What is handed on of a resource within a result. */
const RESOURCE: readonly string[] = ["uri", "mimeType", "text", "blob"];

/** What a tool answered, as one value: its structured contents, else its single text. */
export function payloadOf({ content, structuredContent }: UpstreamResult): unknown {
  if (isFields(structuredContent)) return unwrapped(structuredContent);
  const [only, ...more] = content;
  const text = isFields(only) && more.length === 0 ? only.text : undefined;
  return typeof text === "string" ? unwrapped(parsed(text)) : content;
}

/** What stands in an envelope that says how it went beside its data. */
function unwrapped(value: unknown): unknown {
  return isFields(value) && "data" in value &&
      (typeof value.success === "boolean" || typeof value.status === "number")
    ? value.data
    : value;
}

/** The items of a result, with its structured contents where they say something else than its one text does. */
export function contentOf({ content, structuredContent }: UpstreamResult, proof?: ContentProof): Content {
  const items = content.map(itemOf);
  if (!isFields(structuredContent)) return new Content(items, undefined, proof);
  if (items.length === 0) items.push({ type: "text", text: JSON.stringify(structuredContent) });
  const bare = new Content(items);
  const same = JSON.stringify(bare.value) === JSON.stringify(structuredContent);
  return new Content(items, same ? undefined : structuredContent, proof);
}

/** An item with the members that it may have; anything else becomes a text. */
function itemOf(item: unknown): unknown {
  const type = isFields(item) && typeof item.type === "string" ? item.type : "";
  const members = Object.hasOwn(MEMBERS, type) ? MEMBERS[type]! : [];
  const known = isFields(item) && members.length > 0 &&
    (type === "resource" ? isFields(item.resource) : typeof item[members[0]!] === "string");
  if (!known) return { type: "text", text: JSON.stringify(item) ?? "null" };
  if (type === "resource") return { type, resource: only(item.resource as Fields, RESOURCE) };
  return { type, ...only(item, members) };
}

/** Those members, where they are there. */
const only = (item: Fields, members: readonly string[]) =>
  Object.fromEntries(members.filter((one) => item[one] !== undefined).map((one) => [one, item[one]]));

/** What the tool says of its failure; unseen characters taken out, and cut. */
export function failureText({ content, structuredContent }: UpstreamResult): string {
  const texts = content.map((one) => isFields(one) && typeof one.text === "string" ? one.text : "");
  const said = texts.filter((one) => one !== "").join(" ") || JSON.stringify(structuredContent) || "";
  return cut(cleaned(said.slice(0, 4 * LIMITS.TOOL_ERROR_CHARACTERS)), LIMITS.TOOL_ERROR_CHARACTERS);
}

/** How the content platform's servers word what they refuse before anything is changed. */
const REFUSED = new RegExp(
  '^(Permission denied|Ability "[^"]{1,200}" has invalid input\\. Reason: |Target element is not a widget\\.$|' +
    '(Post|Template|Element|Container|Parent element|Parent container|Widget type)( "[^"]{1,200}")? not found' +
    "( on this page)?\\.$)",
);

/** Whether the failure says of itself that the tool was not run. */
export function isRefused(result: UpstreamResult): boolean {
  const { status } = result;
  if (status !== undefined) return status >= 400 && status < 500 && status !== 408 && status !== 499;
  return REFUSED.test(failureText(result));
}

/** What servers answer over HTTP where a tool of theirs fails. */
const ANSWERED = 200;

/** E_TOOL_ERROR with the tool's own words beside the message, and the status that they name. */
export function toolError(name: string, result: UpstreamResult, outcome?: Outcome): GatewayError {
  const text = failureText(result);
  const why = text === "" ? ", without saying why" : ": the site's own tool says why";
  return new GatewayError("E_TOOL_ERROR", `"${name}" failed${why}`, {
    upstream: result.status ?? ANSWERED,
    ...text === "" ? {} : { excerpt: text },
    outcome,
  });
}

/**
 * Refuses a result that may not be handed on: throws E_UPSTREAM for one that is too large, and for one with data of
 * another location than the `location` given, each with what is known of the change, the `outcome`.
 */
export function assertFit(
  name: string,
  { content, structuredContent }: UpstreamResult,
  location: string | null,
  outcome?: Outcome,
): void {
  const known = { upstream: UNREADABLE, ...(outcome === undefined ? {} : { outcome }) };
  const bytes = [content, structuredContent].reduce<number>(
    (sum, one) => sum + (JSON.stringify(one)?.length ?? 0),
    0,
  );
  if (bytes > LIMITS.TOOL_RESULT_BYTES) {
    const most = LIMITS.TOOL_RESULT_BYTES / 1024;
    throw new GatewayError(
      "E_UPSTREAM",
      `"${name}" answered ${
        Math.ceil(bytes / 1024)
      } KiB, and at most ${most} KiB are handed on; ask for less`,
      known,
    );
  }
  if (location === null) return;
  const texts = content.map((one) => isFields(one) && typeof one.text === "string" ? parsed(one.text) : one);
  if (![...texts, structuredContent].some((one) => namesAnotherLocation(one, location, LEVELS_MAX))) return;
  throw new GatewayError(
    "E_UPSTREAM",
    `"${name}" answered with data of another location, of which nothing is shown; check the site's crm_location_id and ` +
      "integration token",
    known,
  );
}

/** The same failure with what is known of the change; what is none of ours as it is. */
export function withOutcome(thrown: unknown, outcome: Outcome): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  const { code, message, upstream, excerpt, cause } = thrown;
  return new GatewayError(code, message, { upstream, excerpt, cause, outcome });
}
