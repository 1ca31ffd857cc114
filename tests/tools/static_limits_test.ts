/** Sizes and counts of static sites: what is exactly at a limit goes through byte for byte, one more is refused unsent. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Code } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { Args } from "../cms_kit.ts";
import { FILES, StaticWorld } from "./_static.ts";

const SINGLE = LIMITS.STATIC_FILE_BYTES;
const READ = 1024 * 1024;
const TOOLS = {
  page: "create_static_route",
  change: "update_static_route",
  file: "write_static_file",
  bulk: "bulk_write_static_files",
  begin: "init_static_project",
} as const;

/** Text of that many bytes of UTF-8, most of it of two bytes each. */
const text = (bytes: number) => "é".repeat(Math.floor(bytes / 2)) + "x".repeat(bytes % 2);
const base64 = (bytes: number) => new Uint8Array(bytes).fill(255).toBase64();
const page = (route: string, html: string) => ({ route, html });
const pages = (count: number) => Array.from({ length: count }, (_, n) => page(`p${n}`, "x"));
const path = (length: number) => `public/${"a".repeat(length - 7)}`;
/** A route whose file's path has that many characters. */
const route = (length: number) => "a".repeat(length - "src/pages/.astro".length);

/** A limit: the call at it, the call one beyond, and how the second is refused. */
const LIMITS_OF: readonly (readonly [string, string, Args, Args, Code, RegExp])[] = [
  [
    "text of a file",
    TOOLS.file,
    { content: text(SINGLE) },
    { content: text(SINGLE + 1) },
    "E_FILE_TOO_LARGE",
    /^content: has 921601/,
  ],
  [
    "bytes of a file",
    TOOLS.file,
    { content: base64(SINGLE), encoding: "base64" },
    { content: base64(SINGLE + 1), encoding: "base64" },
    "E_FILE_TOO_LARGE",
    /^content: has 921601/,
  ],
  [
    "a file's path",
    TOOLS.file,
    { path: path(250) },
    { path: path(251) },
    "E_BAD_PATH",
    /^path: .*has 251 characters/,
  ],
  [
    "a message",
    TOOLS.file,
    { message: "m".repeat(200) },
    { message: "m".repeat(201) },
    "E_BAD_INPUT",
    /^message: /,
  ],
  [
    "html",
    TOOLS.page,
    { html: text(SINGLE) },
    { html: text(SINGLE + 1) },
    "E_FILE_TOO_LARGE",
    /^html: 921601/,
  ],
  [
    "a new html",
    TOOLS.change,
    { html: text(SINGLE) },
    { html: text(SINGLE + 1) },
    "E_FILE_TOO_LARGE",
    /^html: 921601/,
  ],
  [
    "a route",
    TOOLS.page,
    { route: route(250) },
    { route: route(251) },
    "E_BAD_ROUTE",
    /^route: .*251 characters/,
  ],
  ["a title", TOOLS.page, { title: "t".repeat(300) }, { title: "t".repeat(301) }, "E_BAD_INPUT", /^title: /],
  [
    "a description",
    TOOLS.page,
    { description: "d".repeat(500) },
    { description: "d".repeat(501) },
    "E_BAD_INPUT",
    /^description: /,
  ],
  [
    "the pages of a project",
    TOOLS.begin,
    { extra_pages: pages(50) },
    { extra_pages: pages(51) },
    "E_BAD_INPUT",
    /^extra_pages: /,
  ],
  [
    "a page of a project",
    TOOLS.begin,
    { homepage_html: text(SINGLE), extra_pages: [page("a", text(SINGLE))] },
    { extra_pages: [page("a", text(SINGLE + 1))] },
    "E_FILE_TOO_LARGE",
    /^extra_pages\[0\]\.html: /,
  ],
];

const BASE: Readonly<Record<string, Args>> = {
  [TOOLS.page]: { route: "new", html: "<p>x</p>" },
  [TOOLS.change]: { route: "", html: "<p>x</p>" },
  [TOOLS.file]: { path: "public/new.txt", content: "x" },
  [TOOLS.begin]: { homepage_html: "x" },
};

for (const [what, tool, at_limit, beyond, code, says] of LIMITS_OF) {
  Deno.test(`${tool}: ${what} may be as large as told and no larger`, async () => {
    await using at = await StaticWorld.open();
    const target = tool === TOOLS.begin ? { site_id: "empty" } : { site_id: "open", target_branch: "main" };
    const args = { ...target, ...BASE[tool] };
    await at.refuses(tool, { ...args, ...beyond }, code, { says });
    await at.refuses(tool, { ...args, ...beyond, confirm: false }, code, { says });
    await at.preview(tool, { ...args, ...at_limit });
    const { done } = await at.write("rest", tool, { ...args, ...at_limit });
    await using clone = await at.clone("main", tool === TOOLS.begin ? "acme/empty" : undefined);
    const { sha, changes } = await clone.commit();
    assert.equal(done["commit_sha"], sha);
    const { content, encoding } = at_limit;
    if (typeof content !== "string") return;
    const wanted = encoding === "base64" ? Uint8Array.fromBase64(content) : new TextEncoder().encode(content);
    assert.equal(Buffer.compare((await clone.bytes(changes[0]!.slice(2)))!, wanted), 0);
  });
}

Deno.test("of many files each may be as large as told and no larger", async () => {
  await using at = await StaticWorld.open();
  const call = (more: number, confirm: boolean): Args => {
    const content = base64(LIMITS.BULK_FILE_BYTES + more);
    const files = [{ path: "b.txt", content: "x" }, { path: "a.bin", content, encoding: "base64" }];
    return { site_id: "open", target_branch: "main", files, confirm };
  };
  const says = /^files\[1\]\.content: has 26214401 bytes, over the 26214400/;
  // Each body has 35 MB: one through each door is refused, as a preview and as a write.
  for (const [door, confirm] of [["rest", false], ["mcp", true]] as const) {
    await at.quietly(() => at.gw.fails(TOOLS.bulk, call(1, confirm), "E_FILE_TOO_LARGE", says, { door }));
  }
  const shown = await at.quietly(() => at.gw.call<Args>(TOOLS.bulk, call(0, false), { door: "rest" }));
  assert.equal(shown["needs_confirmation"], true);
  await at.write("mcp", TOOLS.bulk, call(0, true));
  await using clone = await at.clone("main");
  const wanted = new Uint8Array(LIMITS.BULK_FILE_BYTES).fill(255);
  assert.equal(Buffer.compare((await clone.bytes("a.bin"))!, wanted), 0);
});

for (const tool of [TOOLS.page, TOOLS.file]) {
  Deno.test(`${tool} takes its largest text in whatever way JSON spells it`, async () => {
    await using at = await StaticWorld.open();
    const large = "\u0436".repeat(SINGLE / 2);
    const args = { site_id: "open", confirm: true, ...BASE[tool] };
    const plain = JSON.stringify({ ...args, [tool === TOOLS.page ? "html" : "content"]: large });
    const body = plain.replaceAll("\u0436", "\\u0436");
    assert.ok(body.length > 3 * SINGLE);
    const headers = { "content-type": "application/json" };
    const answer = await at.gw.http(`/api/v1/tools/${tool}`, { method: "POST", headers, body });
    const { ok, result, error } = await answer.json();
    assert.ok(ok, JSON.stringify(error));
    assert.equal(await at.head(result.branch), result.commit_sha);
  });
}

Deno.test("a file of exactly 1 MB is read, one of a byte more is refused, in text and in bytes", async () => {
  const files = {
    ...FILES,
    "public/most.txt": text(READ),
    "public/more.txt": text(READ + 1),
    "public/most.bin": new Uint8Array(READ).fill(255),
    "public/more.bin": new Uint8Array(READ + 1).fill(255),
  };
  await using at = await StaticWorld.open({ files });
  const most = await at.both("read_static_file", { site_id: "open", path: "public/most.txt" });
  assert.deepEqual([most["size"], most["encoding"], most["content"] === text(READ)], [READ, "utf-8", true]);
  const bytes = await at.both("read_static_file", { site_id: "open", path: "public/most.bin" });
  assert.deepEqual([bytes["size"], bytes["encoding"], bytes["content"] === base64(READ)], [
    READ,
    "base64",
    true,
  ]);
  for (const path of ["public/more.txt", "public/more.bin"]) {
    await at.refuses("read_static_file", { site_id: "open", path }, "E_FILE_TOO_LARGE", {
      says: /has 1048577 bytes, over the 1048576 that are read; clone the repository for it$/,
      sends: "reads",
    });
  }
});

Deno.test("a listing of exactly as many files as are asked for is whole, of one more it is not", async () => {
  const files = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`public/${n}.txt`, "x"]));
  await using at = await StaticWorld.open({ files });
  const listed = async (args: Args) => {
    const found = await at.both<{ files: unknown[]; truncated: boolean }>("list_static_files", {
      site_id: "open",
      ...args,
    });
    return [found.files.length, found.truncated];
  };
  assert.deepEqual(await listed({}), [500, true], "the default");
  assert.deepEqual(await listed({ limit: 1000 }), [1000, true]);
  assert.deepEqual(await listed({ limit: 1000, prefix: "public/1" }), [112, false]);
  assert.deepEqual(await listed({ limit: 112, prefix: "public/1" }), [112, false]);
  assert.deepEqual(await listed({ limit: 111, prefix: "public/1" }), [111, true]);
  for (const limit of [0, 1001, 1.5]) {
    await at.refuses("list_static_files", { site_id: "open", limit }, "E_BAD_INPUT", { says: /^limit: / });
  }
});
