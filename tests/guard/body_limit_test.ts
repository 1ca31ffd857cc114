/** How much of a body is read: by REST for the tool it names, by MCP for the tools the token may really call. */
import assert from "node:assert/strict";
import { LIMITS, type Tier } from "../../core/model.ts";
import { gateway, type Kit, owned } from "../kit.ts";

const MIB = 1024 * 1024;
const USUAL = LIMITS.BODY_BYTES;
const ROUTE = 6 * MIB;
const MEDIA = 28 * MIB;
const PROJECT = 56 * MIB;
const BULK = 140 * MIB;
const TOYS = new URL("../fixtures/toys/", import.meta.url);
/** A toy of tier 0. */
const TOY = 40 * MIB;

/** Who calls, and what they may send to each tool; what is not named takes the usual. */
const TOKENS: Record<string, { readonly rest: Record<string, number>; readonly mcp: number }> = {
  super: {
    rest: {
      toy_big: TOY,
      write_static_file: ROUTE,
      upload_media: MEDIA,
      init_static_project: PROJECT,
      bulk_write_static_files: BULK,
    },
    mcp: BULK,
  },
  pusher: {
    rest: {
      toy_big: TOY,
      write_static_file: ROUTE,
      upload_media: MEDIA,
      init_static_project: PROJECT,
      bulk_write_static_files: BULK,
    },
    mcp: BULK,
  },
  drafts: { rest: { toy_big: TOY, write_static_file: ROUTE, upload_media: MEDIA }, mcp: TOY },
  read: { rest: { toy_big: TOY }, mcp: TOY },
  owned: { rest: { toy_big: TOY, write_static_file: ROUTE, upload_media: MEDIA }, mcp: TOY },
  narrow: { rest: {}, mcp: USUAL },
  writer: { rest: { write_static_file: ROUTE }, mcp: ROUTE },
  capped: { rest: {}, mcp: USUAL },
};
const TOOLS = [
  "toy_big",
  "toy_destroy",
  "list_sites",
  "write_static_file",
  "upload_media",
  "init_static_project",
  "bulk_write_static_files",
  "no_such_tool",
];

async function opened(): Promise<{ gw: Kit; texts: Record<string, string> }> {
  const gw = await gateway({
    roots: [TOYS],
    tokens: {
      super: {},
      pusher: { max_risk: 3 },
      drafts: { max_risk: 1 },
      read: { max_risk: 0 },
      narrow: { allowed_tools: ["list_sites"] },
      writer: { allowed_tools: ["list_sites", "write_static_file"] },
      capped: { allowed_tools: ["list_sites", "bulk_write_static_files"], max_risk: 0 },
    },
  });
  const names = ["super", "pusher", "drafts", "read", "narrow", "writer", "capped"];
  const texts = Object.fromEntries(names.map((name) => [name, gw.token(name)]));
  return { gw, texts: { ...texts, owned: (await owned(gw.store, { max_risk: 1 as Tier })).text } };
}

/** A request that says how long its body is, and has none: it is refused for its length, or found to be no JSON. */
async function declares(gw: Kit, path: string, token: string, bytes: number): Promise<string> {
  const response = await gw.http(path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": String(bytes),
    },
  });
  return `${response.status} ${await response.text()}`;
}

Deno.test("REST takes what the named tool takes, from a token that may call it, else the usual", async () => {
  const { gw, texts } = await opened();
  await using _ = gw;
  for (const [name, { rest }] of Object.entries(TOKENS)) {
    for (const tool of TOOLS) {
      const limit = rest[tool] ?? USUAL;
      const at = `/api/v1/tools/${tool}`;
      const why = `${name}, ${tool}`;
      assert.match(await declares(gw, at, texts[name]!, limit), /^400 .*E_BAD_JSON/, why);
      assert.match(await declares(gw, at, texts[name]!, limit + 1), /^413 .*E_PAYLOAD_TOO_LARGE/, why);
    }
  }
});

Deno.test("MCP takes the most that a tool takes which the token may really call, its ceiling included", async () => {
  const { gw, texts } = await opened();
  await using _ = gw;
  for (const [name, { mcp }] of Object.entries(TOKENS)) {
    assert.match(await declares(gw, "/mcp", texts[name]!, mcp), /^400 .*Parse error/, name);
    assert.match(await declares(gw, "/mcp", texts[name]!, mcp + 1), /^413 .*E_PAYLOAD_TOO_LARGE/, name);
  }
});

Deno.test("a body over the limit is audited, under the tool it named, whether that exists or not", async () => {
  await using gw = await gateway({ tokens: { read: { max_risk: 0 } } });
  for (const tool of ["bulk_write_static_files", "no_such_tool"]) {
    await declares(gw, `/api/v1/tools/${tool}`, gw.token("read"), 3 * MIB);
  }
  assert.deepEqual((await gw.audit()).map(({ tool, status, error }) => [tool, status, error]), [
    ["no_such_tool", "error", "E_PAYLOAD_TOO_LARGE"],
    ["bulk_write_static_files", "error", "E_PAYLOAD_TOO_LARGE"],
  ]);
});

/** A body that comes in pieces for as long as somebody asks for it, and how much of it was asked for. */
function endless(): { readonly body: ReadableStream<Uint8Array>; given: number; cancelled: boolean } {
  const seen = {
    given: 0,
    cancelled: false,
    body: new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = new Uint8Array(64 * 1024).fill(0x20);
        seen.given += piece.length;
        controller.enqueue(piece);
      },
      cancel: () => void (seen.cancelled = true),
    }, { highWaterMark: 0 }),
  };
  return seen;
}

for (const path of ["/api/v1/tools/bulk_write_static_files", "/mcp"]) {
  Deno.test(`${path}: of a body that is too long by its own word nothing is read`, async () => {
    await using gw = await gateway({ tokens: { read: { max_risk: 0 } } });
    const sent = endless();
    const headers = { "content-type": "application/json", "content-length": String(3 * MIB) };
    const response = await gw.http(path, { method: "POST", headers, body: sent.body, as: "read" });
    assert.equal(response.status, 413);
    assert.equal(sent.given, 0);
  });

  Deno.test(`${path}: a body that does not say how long it is is refused after the limit and 4 MiB more, and never cancelled`, async () => {
    await using gw = await gateway({ tokens: { read: { max_risk: 0 } } });
    const sent = endless();
    const headers = { "content-type": "application/json" };
    const response = await gw.http(path, { method: "POST", headers, body: sent.body, as: "read" });
    assert.equal(response.status, 413);
    assert.deepEqual([sent.given, sent.cancelled], [USUAL + 64 * 1024 + 4 * MIB, false]);
  });
}
