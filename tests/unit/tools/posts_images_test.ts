/** Images that are cut short, of every kind that is taken. */
import assert from "node:assert/strict";
import { knownImage } from "../../../tools/posts/_images.ts";
import { PNG } from "../../cms_kit.ts";

const bytes = (...parts: (number[] | string)[]) =>
  Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : part),
  );

/** The end that a decoder looks for stands in a preview within the first segment too. */
const JPEG = bytes(
  [0xff, 0xd8, 0xff, 0xe1, 0, 8],
  "Ex",
  [0xff, 0xd9, 0, 0],
  [0xff, 0xff, 0xda, 0, 3, 1],
  [0x11, 0xff, 0x00, 0x22, 0xff, 0xd3, 0x33],
  [0xff, 0xc4, 0, 2, 0xff, 0xda, 0, 2, 0x44, 0xff, 0xd9],
);

const IMAGES = {
  png: Uint8Array.fromBase64(PNG),
  jpeg: JPEG,
  gif: Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  webp: Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
};

const take = (image: Uint8Array, field = "content_base64") =>
  knownImage(Uint8Array.from(image), field, undefined).mime_type;

for (const [kind, image] of Object.entries(IMAGES)) {
  Deno.test(`a whole ${kind} is taken, also with bytes behind its end, and one cut anywhere is not`, () => {
    assert.equal(take(image), `image/${kind}`);
    assert.equal(take(bytes([...image], "<?behind", [0, 0, 0])), `image/${kind}`);
    // A GIF without the last byte, the sign of its end, is one that decoders take.
    for (let at = 16; at < image.length - (kind === "gif" ? 1 : 0); at++) {
      const says = new RegExp(
        `^content_base64: the image/${kind} is cut short or broken; give a whole one$`,
      );
      assert.throws(() => take(image.subarray(0, at)), { code: "E_BAD_INPUT", message: says }, `${at} bytes`);
    }
  });
}

Deno.test("a GIF with a byte between its parts, of which decoders show the pictures before it, is taken", () => {
  assert.equal(take(bytes([...IMAGES.gif.subarray(0, -1)], [0, 0x3b])), "image/gif");
});

Deno.test("the first bytes of an image do not make one of other text", () => {
  for (const start of ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "GIF89a", "RIFF\xff\xff\x00\x00WEBPVP8 "]) {
    assert.throws(() => take(bytes(start, "<?php echo 'no image at all';")), { code: "E_BAD_INPUT" }, start);
  }
});
