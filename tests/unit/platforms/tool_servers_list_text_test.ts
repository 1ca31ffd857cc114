/** A list of tools taken apart as text: what is read of it is what JSON says, wherever its parts stand. */
import assert from "node:assert/strict";
import {
  ListAnswer,
  listText,
  ROW_VALUES_MAX,
  rowOf,
  TOO_MANY_VALUES,
} from "../../../platforms/tool_servers/list_text.ts";

/** The message with its tools put back. */
function read(text: string): unknown {
  const { message, rows } = listText(text);
  const { result } = message as { result?: { tools?: unknown[] } };
  if (rows.length > 0) result!.tools = rows.map(rowOf);
  return message;
}

const STRANGE = [
  { name: 'a "quoted" name', description: "ends with \\" },
  { name: "]}", description: '"tools":[1,2],', inputSchema: { result: { tools: [[], [1, [2]], {}] } } },
  7,
  "text, with a comma",
  [[1, 2], { tools: [3] }],
  null,
  {},
];

Deno.test("whatever the tools hold and wherever they stand, the parts are what the whole is", () => {
  const messages: unknown[] = [
    { jsonrpc: "2.0", id: 1, result: { tools: STRANGE, nextCursor: "more" } },
    { result: { _meta: { tools: [1, 2] }, nextCursor: "[", tools: STRANGE }, id: 1 },
    { result: { tools: [] } },
    { result: { tools: [[]] } },
    { result: { tools: {} } },
    { result: { other: [1, 2] } },
    { error: { code: 1, message: "x", data: { tools: [1, 2] } } },
    { tools: [1, 2], result: {} },
    { result: null },
    {},
  ];
  for (const message of messages) {
    for (const space of [0, 2, "\t"]) {
      const text = JSON.stringify(message, null, space);
      assert.deepEqual(read(text), message, text);
    }
  }
  const twice = '{"result":{"tools":[1,2]},"result":{"tools":[3,{"a":[4]}]}}';
  assert.deepEqual(read(twice), JSON.parse(twice), "of two lists the later counts");
});

Deno.test("an answer is read alike however it is cut", () => {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    result: { a: '\\"', tools: [...STRANGE, "Grüße 👋 \\\\"], b: "tools" },
  };
  const bytes = new TextEncoder().encode(JSON.stringify(message));
  for (let size = 1; size < 40; size++) {
    const answer = new ListAnswer();
    for (let at = 0; at < bytes.length; at += size) answer.add(bytes.subarray(at, at + size));
    const { message: { result }, rows } = answer.end() as ReturnType<typeof listText> & {
      message: typeof message;
    };
    assert.deepEqual({ ...message, result: { ...result, tools: rows.map(rowOf) } }, message, `${size} bytes`);
    assert.deepEqual([answer.bytes, answer.kept()], [bytes.length, bytes]);
  }
  const large = new ListAnswer();
  for (let n = 0; n < 40; n++) large.add(new Uint8Array(10_000));
  assert.ok(large.kept().length < 80_000, "of a large one the beginning is kept");
});

Deno.test("what is no JSON is read as none, wherever it is broken", () => {
  const whole = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: STRANGE, nextCursor: "x" } });
  const isRead = (text: string) => {
    const { message, rows } = listText(text);
    return message !== undefined && rows.every((row) => rowOf(row) !== undefined);
  };
  assert.equal(isRead(whole), true);
  for (let at = 0; at < whole.length; at++) {
    assert.equal(isRead(whole.slice(0, at)), false, `cut at ${at}`);
    const without = whole.slice(0, at) + whole.slice(at + 1);
    assert.equal(isRead(without), isJson(without), `without ${at}: ${without}`);
  }
  for (
    const text of ["", "[1,2", '"', "\\", "]]]]", '{"result":{"tools":[1,]}}', '{"result":{"tools":[,1]}}']
  ) {
    assert.equal(isRead(text), false, text);
  }
});

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

Deno.test("a tool of too many values, and much beside the tools, are not parsed", () => {
  const row = (values: number) => JSON.stringify(Array.from({ length: values }, () => 0));
  assert.ok(Array.isArray(rowOf(row(ROW_VALUES_MAX))));
  assert.equal(rowOf(row(ROW_VALUES_MAX + 1)), TOO_MANY_VALUES);
  assert.equal(rowOf(JSON.stringify(",".repeat(ROW_VALUES_MAX * 2))), ",".repeat(ROW_VALUES_MAX * 2));
  const beside = JSON.stringify({ result: { tools: [], _meta: "x".repeat(64 * 1024) } });
  assert.deepEqual(listText(beside), {
    message: undefined,
    rows: [],
    fault: "it has more than 64 KiB beside a list of tools",
  });
});
