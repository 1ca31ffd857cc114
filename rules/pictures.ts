/** Pictures: what bytes are one, and which of them a change names, as they are and as they would be. */
import { hash } from "node:crypto";
import type { Change } from "../core/model.ts";
import { isFields } from "../core/values.ts";

/** The types of pictures that every browser draws and none of which runs anything. */
const PICTURE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

const ENDINGS = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"];
/** The brands of a still or moving AVIF (AV1 Image File Format, 6). */
const AVIF_BRANDS = ["avif", "avis"];
const BRANDS_BYTES = 64;

/** What the bytes are by what they begin with, whatever anybody calls them; null for what is no such picture. */
export function pictureType(bytes: Uint8Array): PictureType | null {
  const head = String.fromCharCode(...bytes.subarray(0, BRANDS_BYTES));
  if (head.startsWith("\x89PNG\r\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.startsWith("WEBPVP8", 8)) return "image/webp";
  if (!head.startsWith("ftyp", 4)) return null;
  const size = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
  const brands = [8, ...Array.from({ length: (BRANDS_BYTES - 16) / 4 }, (_, at) => 16 + 4 * at)];
  const isAvif = brands.some((at) => at < size && AVIF_BRANDS.includes(head.slice(at, at + 4)));
  return isAvif ? "image/avif" : null;
}

/** A picture that a call names. */
export type PictureRef =
  /** Of the media library. */
  | { readonly kind: "media"; readonly id: string | number }
  /** At an address, as it is written. */
  | { readonly kind: "address"; readonly address: string; readonly alt: string | null }
  /** That the call itself takes from an address. */
  | { readonly kind: "taken"; readonly address: string; readonly alt: string | null }
  /** Whose bytes the call has, by their base64's hash. */
  | { readonly kind: "sent"; readonly sha256: string; readonly alt: string | null };

/** The pictures of a field that only one of its sides has. */
export interface PictureChange {
  readonly field: string;
  readonly now: readonly PictureRef[];
  readonly then: readonly PictureRef[];
}

/** Fields that hold the id of an image of the library. */
const MEDIA_FIELDS = ["featured_media_id", "media_id", "image_id"];
/** Fields that hold its address, whatever that ends with. */
const ADDRESS_WORDS = ["image", "picture", "logo", "photo"];
/** Of a longer name the end is looked at. */
const NAME_CHARACTERS = 40;
const DEPTH_MAX = 6;
/** More of a side are not looked for. */
const SIDE_MAX = 50;

/** Which pictures come and go with those changes. */
export function changedPictures(changes: readonly Change[]): PictureChange[] {
  return changes.flatMap(({ field, from, to }) => {
    const [now, then] = [from, to].map((value) => picturesIn(lastName(field), value)) as [
      PictureRef[],
      PictureRef[],
    ];
    const only = (side: readonly PictureRef[], other: readonly PictureRef[]) => {
      const known = new Set(other.map((one) => JSON.stringify(one)));
      return side.filter((one) => !known.has(JSON.stringify(one)));
    };
    const change = { field, now: only(now, then), then: only(then, now) };
    return change.now.length + change.then.length === 0 ? [] : [change];
  });
}

/** What the plan of a call that takes pictures from addresses found there: the SHA-256 of their bytes. */
export const plannedBytes = (changes: readonly Change[]): string[] =>
  changes.flatMap(({ field, to }) => lastName(field) === "sha256" && typeof to === "string" ? [to] : []);

/** Which pictures a call brings with it, or is about, by its arguments; those of the calls within it as well. */
export function sentPictures(args: unknown, depth = 0): PictureChange[] {
  if (typeof args !== "object" || args === null || depth > DEPTH_MAX) return [];
  if (Array.isArray(args)) return args.flatMap((one) => sentPictures(one, depth + 1)).slice(0, SIDE_MAX);
  const { source_url, media_id, alt_text, ...rest } = args as Record<string, unknown>;
  const base64 = base64In(rest);
  const alt = typeof alt_text === "string" ? alt_text : null;
  const found: PictureChange[] = [];
  if (typeof source_url === "string") {
    found.push({ field: "source_url", now: [], then: [{ kind: "taken", address: source_url, alt }] });
  }
  if (base64 !== null) {
    const sha256 = hash("sha256", base64);
    const field = typeof rest["path"] === "string" ? rest["path"] : "content_base64";
    found.push({ field, now: [], then: [{ kind: "sent", sha256, alt }] });
  }
  if (isId(media_id)) found.push({ field: "media_id", now: [{ kind: "media", id: media_id }], then: [] });
  return [...found, ...Object.values(rest).flatMap((one) => sentPictures(one, depth + 1))].slice(0, SIDE_MAX);
}

/** The base64 of an image that those arguments bring: for a library, or as a file of a site's sources. */
function base64In(
  { content_base64, content, encoding, path }: Readonly<Record<string, unknown>>,
): string | null {
  if (typeof content_base64 === "string") return content_base64;
  if (encoding !== "base64" || typeof content !== "string" || typeof path !== "string") return null;
  return ENDINGS.some((ending) => path.toLowerCase().endsWith(ending)) ? content : null;
}

/** The base64 of such a picture in the arguments that have it; null where they do not. */
export function sentBytes(args: unknown, sha256: string, depth = 0): string | null {
  if (typeof args !== "object" || args === null || depth > DEPTH_MAX) return null;
  const own = Array.isArray(args) ? null : base64In(args as Readonly<Record<string, unknown>>);
  if (own !== null && hash("sha256", own) === sha256) return own;
  for (const value of Object.values(args)) {
    const within = sentBytes(value, sha256, depth + 1);
    if (within !== null) return within;
  }
  return null;
}

const isId = (value: unknown): value is string | number =>
  (typeof value === "number" && value > 0) || (typeof value === "string" && value !== "" && value !== "0");

/** A field without what stands before it: the item of a set, the path to it. */
const lastName = (field: string) =>
  field.slice(1 + Math.max(...[" ", "."].map((sign) => field.lastIndexOf(sign))));

/** Whether an address ends as that of a picture does. */
export const endsAsPicture = ({ pathname }: URL): boolean =>
  ENDINGS.some((ending) => pathname.toLowerCase().endsWith(ending));

function picturesIn(name: string, value: unknown, depth = 0): PictureRef[] {
  if (isId(value) && MEDIA_FIELDS.includes(name)) return [{ kind: "media", id: value }];
  if (typeof value === "string") {
    const url = value.length > 2000 || value.includes("\n")
      ? null
      : URL.parse(value, "https://relative.invalid");
    const isAddress = value.startsWith("http://") || value.startsWith("https://") || value.startsWith("/");
    const end = name.slice(-NAME_CHARACTERS).toLowerCase();
    const isNamed = ADDRESS_WORDS.some((word) => end.includes(word));
    if (url !== null && isAddress && (isNamed || endsAsPicture(url))) {
      return [{ kind: "address", address: value, alt: null }];
    }
    return imagesOf(value);
  }
  if (!isFields(value) && !Array.isArray(value) || depth > DEPTH_MAX) return [];
  const parts = Object.entries(value);
  return parts.flatMap(([key, one]) => picturesIn(Array.isArray(value) ? name : key, one, depth + 1))
    .slice(0, SIDE_MAX);
}

/** The images of HTML, by their `src`; read by a scan that takes the text once, whatever it holds. */
export function imagesOf(html: string): PictureRef[] {
  const lower = html.toLowerCase();
  const found: PictureRef[] = [];
  let next = 0;
  while (found.length < SIDE_MAX) {
    const at = lower.indexOf("<img", next);
    if (at < 0) break;
    next = at + 4;
    if (!BLANKS.includes(lower[next] ?? "x")) continue;
    const { src = "", alt = null, end } = attributesAt(html, next);
    next = end;
    const known = found.some((one) => one.kind === "address" && one.address === src && one.alt === alt);
    if (src !== "" && !known) found.push({ kind: "address", address: src, alt });
  }
  return found;
}

const BLANKS = " \n\t\r\f/";
/** A tag of more attributes, or characters, is read no further. */
const ATTRIBUTES_MAX = 50;
const TAG_CHARACTERS = 20_000;

/** The attributes `src` and `alt` of the tag whose name ends there, as HTML's tokenizer reads them (13.2.5.32 and on), and where it ends. */
function attributesAt(html: string, from: number): { src?: string; alt?: string | null; end: number } {
  const found: { src?: string; alt?: string } = {};
  const end = Math.min(html.length, from + TAG_CHARACTERS);
  const to = (at: number, stops: string) => {
    while (at < end && !stops.includes(html[at]!)) at++;
    return at;
  };
  const past = (at: number, signs: string) => {
    while (at < end && signs.includes(html[at]!)) at++;
    return at;
  };
  let at = from;
  for (let count = 0; count < ATTRIBUTES_MAX; count++) {
    at = past(at, BLANKS);
    if (at >= end || html[at] === ">") break;
    const nameEnd = to(at + 1, `${BLANKS}=>`);
    const name = html.slice(at, nameEnd).toLowerCase();
    at = past(nameEnd, BLANKS);
    let value = "";
    if (html[at] === "=") {
      at = past(at + 1, " \n\t\r\f");
      const quote = html[at] === '"' || html[at] === "'" ? html[at]! : null;
      const start = quote === null ? at : at + 1;
      const valueEnd = to(start, quote ?? " \n\t\r\f>");
      value = html.slice(start, valueEnd);
      at = quote === null ? valueEnd : valueEnd + 1;
    }
    if ((name === "src" || name === "alt") && found[name] === undefined) found[name] = decoded(value.trim());
  }
  return { ...found, end: at };
}

const REFERENCES = { "&quot;": '"', "&#039;": "'", "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** The character references that editors write. */
const decoded = (text: string): string =>
  Object.entries(REFERENCES).reduce((all, [reference, sign]) => all.replaceAll(reference, sign), text);
