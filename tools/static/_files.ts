/** Bytes of files as callers give and get them, and what is refused about them. */
import { GatewayError } from "../../core/errors.ts";
import { textIn } from "../../core/bytes.ts";
import { sourcePath, underPrefix } from "../../rules/path.ts";
import type { Site } from "../../core/model.ts";

export type Encoding = "utf-8" | "base64";

/** The bytes of a content. Throws E_BAD_INPUT for what is not base64, or text that cannot be written as UTF-8. */
export function bytesOf(content: string, encoding: Encoding, field: string): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") {
    if (content.isWellFormed()) return new TextEncoder().encode(content);
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: holds an unpaired surrogate, which UTF-8 cannot write; take it out`,
    );
  }
  try {
    return Uint8Array.fromBase64(content);
  } catch {
    throw new GatewayError("E_BAD_INPUT", `${field}: is not base64; set encoding to utf-8 for plain text`);
  }
}

/** Bytes as a caller gets them: as text where they are UTF-8. */
export function contentOf(bytes: Uint8Array): { encoding: Encoding; content: string } {
  const text = textIn(bytes);
  return text === undefined
    ? { encoding: "base64", content: bytes.toBase64() }
    : { encoding: "utf-8", content: text };
}

/** A path, already judged, that also fits below the site's folder in its repository. Throws E_BAD_PATH. */
export function inSite({ repo_prefix }: Site, path: string, field: string): string {
  underPrefix(repo_prefix, path, field);
  return path;
}

/** A path of the site's sources that may be read. Throws E_BAD_PATH. */
export const sourceIn = (site: Site, path: string, field: string): string =>
  inSite(site, sourcePath(path, field), field);
