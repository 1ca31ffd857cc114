/** The lines that calls leave on standard output: one each, with who called what and how it ended, and nothing that was sent. */
import assert from "node:assert/strict";
import { Lines, type LineStream } from "../../core/say.ts";
import { gateway, site } from "../kit.ts";

/** A stream that keeps what it is given, in pieces as small as it likes. */
class Kept implements LineStream {
  text = "";
  writes = 0;
  constructor(private readonly most = Infinity) {}
  write(bytes: Uint8Array): Promise<number> {
    this.writes++;
    const part = bytes.subarray(0, this.most);
    this.text += new TextDecoder().decode(part);
    return Promise.resolve(part.length);
  }
  get lines(): Record<string, unknown>[] {
    return this.text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }
}

Deno.test("each call through either door is one line, refused ones too, without arguments and secrets", async () => {
  const callLog = new Kept();
  const kit = await gateway({ callLog, settings: { logsCalls: true }, sites: [site("acme", "cms")] });
  {
    await using gw = kit;
    await gw.call("list_sites", {});
    await gw.call("list_sites", {}, { door: "mcp" });
    await gw.end("create_draft", { site_id: "acme", titel: "secret-title" });
    await gw.end("secret_tool", {});
    const rows = (await gw.audit()).toReversed();
    const known = callLog.lines;
    assert.deepEqual(known.map(({ request_id }) => request_id), rows.map(({ request_id }) => request_id));
  }
  const [read, , wrong, unknown] = callLog.lines;
  assert.deepEqual({ ...read, request_id: "", token_id: "", ms: 0 }, {
    at: "2026-11-21T12:00:00.000Z",
    ...{ event: "call", request_id: "", door: "rest", tool: "list_sites", site_id: null },
    ...{ token_id: "", token_name: "all", status: "ok", code: null, ms: 0 },
  });
  assert.deepEqual(callLog.lines.map(({ door }) => door), ["rest", "mcp", "rest", "rest"]);
  assert.deepEqual([wrong!.tool, wrong!.status, wrong!.code], ["create_draft", "error", "E_BAD_INPUT"]);
  assert.deepEqual([unknown!.tool, unknown!.code], ["unknown", "E_TOOL_NOT_FOUND"]);
  for (const hidden of ["secret", "titel", kit.token()]) assert.ok(!callLog.text.includes(hidden), hidden);
});

Deno.test("without the setting no line is written", async () => {
  const callLog = new Kept();
  {
    await using gw = await gateway({ callLog });
    await gw.call("list_sites", {});
  }
  assert.equal(callLog.text, "");
});

Deno.test("lines are whole however little a stream takes at once, and those of one turn are one write", async () => {
  for (const [most, writes] of [[Infinity, 1], [3, 8]] as const) {
    const kept = new Kept(most);
    const lines = new Lines(kept, "call_log_lines_left_out");
    for (const text of ['{"n":1}', '{"n":2}', '{"n":3}']) lines.add(text);
    await lines.flush();
    assert.deepEqual([kept.lines, kept.writes], [[{ n: 1 }, { n: 2 }, { n: 3 }], writes]);
  }
});

Deno.test("a reader that hangs fills no memory: later lines are left out, and their number is told once it reads again", async () => {
  const reads = Promise.withResolvers<void>();
  const kept = new Kept();
  let hangs = true;
  const lines = new Lines({
    async write(bytes) {
      if (hangs) await reads.promise;
      return await kept.write(bytes);
    },
  }, "call_log_lines_left_out");
  const line = JSON.stringify({ text: "x".repeat(1000) });
  for (let nth = 0; nth < 5000; nth++) lines.add(line);
  hangs = false;
  reads.resolve();
  await lines.flush();
  const written = kept.lines.length;
  assert.ok(written > 1000 && written < 1100, String(written));
  lines.add('{"n":1}');
  await lines.flush();
  assert.deepEqual(kept.lines.slice(written), [{ event: "call_log_lines_left_out", lines: 5000 - written }, {
    n: 1,
  }]);
});

Deno.test("a reader that is gone ends nothing", async () => {
  const lines = new Lines(
    { write: () => Promise.reject(new Deno.errors.BrokenPipe("gone")) },
    "call_log_lines_left_out",
  );
  lines.add("{}");
  await lines.flush();
  lines.add("{}");
  await lines.flush();
});
