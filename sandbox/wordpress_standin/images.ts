/** What an image file says of itself: its kind and size. */

/** A recognised image. */
export interface ImageFacts {
  readonly mime_type: string;
  readonly extension: string;
  readonly width: number;
  readonly height: number;
}

function starts(bytes: Uint8Array, text: string, at = 0): boolean {
  return [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
}

function jpegSize(bytes: Uint8Array, view: DataView): { width: number; height: number } {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!;
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (frame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return { width: 0, height: 0 };
}

function webpSize(bytes: Uint8Array, view: DataView): { width: number; height: number } {
  if (starts(bytes, "VP8X", 12) && bytes.length >= 30) {
    const three = (at: number) => view.getUint16(at, true) + (bytes[at + 2]! << 16) + 1;
    return { width: three(24), height: three(27) };
  }
  if (starts(bytes, "VP8L", 12) && bytes.length >= 25) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (bytes.length < 30) return { width: 0, height: 0 };
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** The image's facts by its bytes, whatever its name says; null for anything else. */
export function imageFacts(bytes: Uint8Array): ImageFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (starts(bytes, "\x89PNG\r\n\x1a\n") && bytes.length >= 24) {
    return {
      mime_type: "image/png",
      extension: "png",
      width: view.getUint32(16),
      height: view.getUint32(20),
    };
  }
  if (starts(bytes, "GIF8") && bytes.length >= 10) {
    const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    return { mime_type: "image/gif", extension: "gif", ...size };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) {
    return { mime_type: "image/jpeg", extension: "jpg", ...jpegSize(bytes, view) };
  }
  if (starts(bytes, "RIFF") && starts(bytes, "WEBP", 8)) {
    return { mime_type: "image/webp", extension: "webp", ...webpSize(bytes, view) };
  }
  return null;
}
