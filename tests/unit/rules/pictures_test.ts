/** Which bytes are a picture, and which pictures a change names. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { changedPictures, imagesOf, pictureType, sentBytes, sentPictures } from "../../../rules/pictures.ts";

const bytes = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

Deno.test("a picture is what its first bytes say, whatever it is called", () => {
  const rows: readonly [text: string, type: string | null][] = [
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["GIF89a", "image/gif"],
    ["GIF87a", "image/gif"],
    ["RIFF\x04\x00\x00\x00WEBPVP8L", "image/webp"],
    ["\x00\x00\x00\x1cftypavif\x00\x00\x00\x00", "image/avif"],
    ["\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00miafavif", "image/avif"],
    ["\x00\x00\x00\x14ftypmif1\x00\x00\x00\x00miafavif", null],
    ["\x00\x00\x00\x1cftypheic\x00\x00\x00\x00mif1", null],
    ["\x00\x00\x00\x1cftypisom\x00\x00\x00\x00mp41", null],
    ["RIFF\x04\x00\x00\x00WAVEfmt ", null],
    ["<svg xmlns='http://www.w3.org/2000/svg'/>", null],
    ["<!DOCTYPE html><script>", null],
    [" \x89PNG\r\n", null],
    ["GIF", null],
    ["%PDF-1.7", null],
    ["\x00\x00", null],
    ["", null],
  ];
  for (const [text, type] of rows) assert.equal(pictureType(bytes(text)), type, JSON.stringify(text));
});

const at = (address: string, alt: string | null = null) => ({ kind: "address", address, alt });

Deno.test("the images of a text are read as a browser reads their tags", () => {
  const rows: readonly [html: string, found: readonly object[]][] = [
    ['<img src="/a.png" alt="A &amp; &quot;B&quot;">', [at("/a.png", 'A & "B"')]],
    ["<IMG\nALT=Us SRC=/a.png>", [at("/a.png", "Us")]],
    ["<img alt='x > y' class=\"b\" src='/a b.png'/>", [at("/a b.png", "x > y")]],
    ["<img/src=/a.png/>", [at("/a.png/")]],
    ['<img src="/a.png" src="/b.png">', [at("/a.png")]],
    ['<img alt="<img src=/no.png>" src="/a.png">', [at("/a.png", "<img src=/no.png>")]],
    ["<imgs src=/a.png><image src=/b.png><img>", []],
    ['<img src="/a.png', [at("/a.png")]],
    ["<img src=/a.png><img src=/a.png>", [at("/a.png")]],
  ];
  for (const [html, found] of rows) assert.deepEqual(imagesOf(html), found, html);
  assert.equal(imagesOf(Array.from({ length: 90 }, (_, n) => `<img src=/${n}.png>`).join("")).length, 50);
});

Deno.test("pictures that only one side has come or go, of the library, at an address or within a value", () => {
  const changes = [
    { field: "item 2: featured_media_id", from: 7, to: "8" },
    { field: "featured_media_id", from: 0, to: 7 },
    { field: "og_image", from: null, to: "https://acme.example/share?id=1" },
    { field: "title", from: "/a.png", to: "/a.png and more\n" },
    { field: "canonical", from: null, to: "https://acme.example/about" },
    { field: "settings", from: null, to: { image: { url: "/x.webp", id: 4 }, more: [{ image_id: 5 }] } },
    { field: "content_html", from: '<img src="/a.png"><img src="/b.png">', to: '<img src="/a.png">' },
  ];
  assert.deepEqual(changedPictures(changes), [
    {
      field: "item 2: featured_media_id",
      now: [{ kind: "media", id: 7 }],
      then: [{ kind: "media", id: "8" }],
    },
    { field: "featured_media_id", now: [], then: [{ kind: "media", id: 7 }] },
    { field: "og_image", now: [], then: [at("https://acme.example/share?id=1")] },
    { field: "title", now: [at("/a.png")], then: [] },
    { field: "settings", now: [], then: [at("/x.webp"), { kind: "media", id: 5 }] },
    { field: "content_html", now: [at("/b.png")], then: [] },
  ]);
});

Deno.test("a call's own pictures are found in its arguments, and in those of calls within it", () => {
  const base64 = "AAAA";
  const args = {
    title: "A set",
    changes: [
      { tool: "upload_media", arguments: { source_url: "https://x.example/a", alt_text: "A" } },
      { tool: "upload_media", arguments: { content_base64: base64 } },
      { tool: "write_static_file", arguments: { path: "public/A.PNG", content: base64, encoding: "base64" } },
      { tool: "write_static_file", arguments: { path: "public/a.pdf", content: base64, encoding: "base64" } },
      { tool: "revise_published", arguments: { media_id: 7, alt_text: "New" } },
    ],
  };
  const sha256 = hash("sha256", base64);
  assert.deepEqual(sentPictures(args), [
    { field: "source_url", now: [], then: [{ kind: "taken", address: "https://x.example/a", alt: "A" }] },
    { field: "content_base64", now: [], then: [{ kind: "sent", sha256, alt: null }] },
    { field: "public/A.PNG", now: [], then: [{ kind: "sent", sha256, alt: null }] },
    { field: "media_id", now: [{ kind: "media", id: 7 }], then: [] },
  ]);
  assert.equal(sentBytes(args, sha256), base64);
  assert.equal(sentBytes(args, hash("sha256", "BBBB")), null);
});
