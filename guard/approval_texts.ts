/** The texts of a request that who decides may change: which they are, and the arguments with others in their place. */
import { Buffer } from "node:buffer";
import { redactText } from "../core/credentials.ts";
import { clipped, GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import type { EditableText } from "../registry/approval_reports.ts";

type Args = Readonly<Record<string, unknown>>;

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message, { outcome: "none" });

/** Line ends as every form sends them are others than those of a text; what differs by them alone is the same. */
const lines = (text: string) => text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");

/** Whether a form brings a text back as it is: controls are lost on the way, and what looks like a credential is not shown. */
function isCarried(text: string): boolean {
  for (const sign of text) if (sign < " " && !"\t\n\r".includes(sign)) return false;
  return text.isWellFormed() && redactText(text) === text;
}

/** The texts among the arguments that can be edited on a page; none where they are too long together. */
export function editableTexts(names: readonly string[], args: Args): EditableText[] {
  const texts = names.flatMap((name) => {
    const text = args[name];
    return typeof text === "string" && isCarried(text) ? [{ name, text }] : [];
  });
  const bytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return bytes > LIMITS.APPROVAL_EDIT_BYTES ? [] : texts;
}

/** The arguments with those texts. Throws E_BAD_INPUT for what cannot be edited, and where nothing differs. */
export function withTexts(
  names: readonly string[],
  args: Args,
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const known = new Map(editableTexts(names, args).map(({ name, text }) => [name, text]));
  const changed = Object.entries(texts).flatMap(([name, text]) => {
    const before = known.get(name);
    if (before === undefined) {
      const can = known.size === 0 ? "none of this request can" : `${[...known.keys()].join(", ")} can`;
      throw bad(`${clipped(name)}: is no text that can be edited here; ${can}`);
    }
    if (lines(text) === lines(before)) return [];
    return [[name, before.includes("\r\n") ? lines(text).replaceAll("\n", "\r\n") : lines(text)]];
  });
  if (changed.length === 0) {
    throw bad("texts: none differs from what was asked for; change one, or approve it as it is");
  }
  return { ...args, ...Object.fromEntries(changed) };
}
