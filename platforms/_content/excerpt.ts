/** What of an upstream's own words is shown to a person. */
import { decodeHTML } from "entities/decode";
import { redactText } from "../../core/credentials.ts";
import { hiding } from "../../core/signed_secrets.ts";
import { LIMITS } from "../../core/model.ts";

/**
 * Text for a person: scripts and tags dropped, entities decoded, blanks joined, marks that turn the direction of
 * writing, `secrets` and whatever looks like a credential taken out, cut to the excerpt's length.
 */
export function excerpt(html: string, secrets: readonly string[] = []): string {
  const plain = decodeHTML(
    html.slice(0, 20_000).replace(/<(script|style)\b[\s\S]*?(<\/\1\s*>|$)/gi, " ").replace(/<[^<>]*>/g, " "),
  ).replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]|\s+/gu, " ").replace(/ +/g, " ").trim();
  const text = redactText(hiding(secrets)(plain));
  const cut = text.length > LIMITS.UPSTREAM_EXCERPT_CHARACTERS;
  return (cut ? `${text.slice(0, LIMITS.UPSTREAM_EXCERPT_CHARACTERS)}…` : text).replace(
    /(?<![.\s])[.\s]+$/,
    "",
  );
}

/** The same as a failure carries it, beside its message: nothing where nothing was said. */
export function excerptOf(text: string, secrets: readonly string[] = []): { readonly excerpt?: string } {
  const words = excerpt(text, secrets);
  return words === "" ? {} : { excerpt: words };
}
