/** Images as callers give them: what they are, how their files may be called. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { pictureType } from "../../rules/pictures.ts";
import { isWhole } from "./_whole.ts";

/** The endings of the kinds of image that a site is given. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** An image whose kind is known. */
export interface KnownImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mime_type: string;
  readonly ending: string;
}

/** Reads base64, with or without blanks, of either alphabet. Throws E_BAD_INPUT naming the field. */
export function fromBase64(text: string, field: string): Uint8Array<ArrayBuffer> {
  const alphabet = /[-_]/.test(text) ? "base64url" : "base64";
  try {
    return Uint8Array.fromBase64(text, { alphabet });
  } catch {
    const data = text.startsWith("data:") ? "; leave out what is before the comma" : "";
    throw new GatewayError("E_BAD_INPUT", `${field}: not base64${data}`);
  }
}

/** Judges bytes by what they are. Throws E_BAD_INPUT, E_FILE_TOO_LARGE naming the field. */
export function knownImage(
  bytes: Uint8Array<ArrayBuffer>,
  field: string,
  wanted: string | undefined,
): KnownImage {
  if (bytes.byteLength > LIMITS.MEDIA_BYTES) {
    throw new GatewayError("E_FILE_TOO_LARGE", `${field}: an image of more than ${LIMITS.MEDIA_BYTES} bytes`);
  }
  const mime_type = pictureType(bytes) ?? "";
  const ending = ENDINGS[mime_type];
  if (ending === undefined) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: the bytes are not those of a PNG, JPEG, GIF or WebP image`,
    );
  }
  if (wanted !== undefined && wanted !== mime_type) {
    throw new GatewayError("E_BAD_INPUT", `mime_type: "${wanted}" was given, but the bytes are ${mime_type}`);
  }
  if (!isWhole(bytes, mime_type)) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: the ${mime_type} is cut short or broken; give a whole one`,
    );
  }
  return { bytes, mime_type, ending };
}

/** A plain file name with the ending of its kind: no folders, one dot, ASCII letters, digits, dashes, underscores. */
export function plainFilename(given: string, ending: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  const stem = last.replace(/\.(png|jpe?g|gif|webp)$/i, "").normalize("NFKD").replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|(?<!-)-+$/g, "").slice(0, 100);
  return `${stem === "" ? "image" : stem}.${ending}`;
}
