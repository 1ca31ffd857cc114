/** Whether an image is there to its end: base64 that was cut short makes one of which visitors see half. */

/** Goes from part to part of an image; answers whether its end came. Bytes after the end do not count. */
type Walk = (bytes: Uint8Array, view: DataView) => boolean;

function png(bytes: Uint8Array, view: DataView): boolean {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === 0x49454e44) return at + 12 + view.getUint32(at) <= bytes.length; // IEND
  }
  return false;
}

function jpeg(bytes: Uint8Array, view: DataView): boolean {
  for (let at = 2; at + 2 <= bytes.length;) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff) at++; // of a picture's own data, where a marker has another byte than these behind it
    else if (marker === 0xd9) return true;
    else if (marker === 0xff) at++;
    else if (marker === 0x00 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (at + 4 > bytes.length) return false;
    else at += 2 + view.getUint16(at + 2);
  }
  return false;
}

function gif(bytes: Uint8Array): boolean {
  const colors = (flags: number) => flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
  let at = 13 + colors(bytes[10] ?? 0);
  let pictures = 0;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return pictures > 0;
    if (kind === 0x21) at += 2;
    else if (kind === 0x2c) {
      pictures++;
      at += 11 + colors(bytes[at + 9] ?? 0);
    } else return pictures > 0; // decoders stop here, and show what came before
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
    at++;
  }
  return pictures > 0 && at === bytes.length; // some lack the sign of their end
}

const webp: Walk = (bytes, view) => bytes.length >= 12 && 8 + view.getUint32(4, true) <= bytes.length;

const WALKS: Readonly<Record<string, Walk>> = {
  "image/png": png,
  "image/jpeg": jpeg,
  "image/gif": gif,
  "image/webp": webp,
};

/** Whether bytes of that kind, told by their first ones, are an image to its end. */
export function isWhole(bytes: Uint8Array, mime_type: string): boolean {
  return WALKS[mime_type]!(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
