/** A list of tools taken apart as text: what is read of it is what JSON says, wherever its parts stand. */
import assert from "node:assert/strict";
import {
  ListAnswer,
  ROW_VALUES_MAX,
  rowOf,
  TOO_MANY_VALUES,
} from "../../../platforms/tool_servers/list_text.ts";
import { listText } from "./_list_text.ts";

/** The message with its tools put back. */
function read(text: string): unknown {
  const { message, rows } = listText(text);
  const { result } = message as { result?: { tools?: unknown[] } };
  if (rows.length > 0) result!.tools = rows.map(rowOf);
  return message;
}

/** So many answers are made up. */
const ANSWERS = 2000;

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
  for (
    const twice of [
      '{"result":{"tools":[1,2]},"result":{"tools":[3,{"a":[4]}]}}',
      '{"result":{"tools":[1],"tools":[]}}',
      '{"result":{"tools":[1],"\\u0074ools":[]}}',
      '{"result":{"tools":[1],"\\u0074ools":[2]}}',
      '{"result":{"tools":[1]},"\\u0072esult":{"tools":[2]}}',
      '{"result":{"tools":[1]},"result":null}',
    ]
  ) {
    assert.deepEqual(
      listText(twice),
      { message: undefined, rows: [], fault: "it has its list of tools more than once" },
      twice,
    );
  }
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
  const marks = { id: 1, result: { tools: ["\ufeff", { "a\ufeff\ufeffb": "\ufeff" }] } };
  const marked = new TextEncoder().encode(`\ufeff${JSON.stringify(marks)}`);
  for (let size = 1; size < 8; size++) {
    const answer = new ListAnswer();
    for (let at = 0; at < marked.length; at += size) answer.add(marked.subarray(at, at + size));
    assert.deepEqual(answer.end().rows.map(rowOf), marks.result.tools, `${size} bytes`);
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

/** Numbers from 0 to 1, the same for the same seed. */
function chances(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = ["result", "tools", "error", "name", "", "__proto__", 'a"b\\', "]", "Grüße 👋\u2028", "\u0000"];
const SPACES = ["", "", "", " ", "\n", "\t "];
/** Which JSON has none of. */
const OTHER_SPACES = ["\u00a0", "\ufeff"];

/** An answer that names lists of tools in many ways: twice, escaped, where none is, within each other; also what is no JSON. */
function adversarial(chance: () => number): string {
  const one = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;
  const space = () => one(chance() < 0.003 ? OTHER_SPACES : SPACES);
  const many = (most: number, make: () => string) =>
    Array.from({ length: Math.floor(chance() * (most + 1)) }, make).join(`,${space()}`);
  const text = (word: string) =>
    chance() < 0.2
      ? `"${[...word].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`
      : JSON.stringify(word);
  const value = (levels: number): string => {
    const kind = levels === 0 ? 0 : chance();
    if (kind < 0.3) return one(["1", "-0.5e3", "null", "true", text(one(WORDS)), "{}", "[]"]);
    if (kind < 0.6) return `[${space()}${many(3, () => value(levels - 1))}${space()}]`;
    return `{${many(3, () => `${text(one(WORDS))}${space()}:${space()}${value(levels - 1)}`)}}`;
  };
  const list = () => `[${space()}${many(3, () => value(3))}${space()}]`;
  const tools = () =>
    chance() < 0.6
      ? `{"tools":${list()}}`
      : `{${many(3, () => `${text(one(["tools", "nextCursor"]))}:${chance() < 0.7 ? list() : value(2)}`)}}`;
  const message = chance() < 0.6
    ? `{"id":1,"result":${tools()}}`
    : `{${many(3, () => `${text(one(["result", "id"]))}:${chance() < 0.8 ? tools() : value(2)}`)}}`;
  if (chance() < 0.7) return message;
  const at = Math.floor(chance() * message.length);
  return message.slice(0, at) + one(["", "]", "[", "{", "}", ",", '"', "\\", ":", "1"]) +
    message.slice(at + 1);
}

/** How often a list could be named in the text, and how often a reader finds one. */
const namedTools = (text: string) =>
  [...text.matchAll(/"(?:tools|(?:\\u00[67][0-9a-f]){5})"[^"]{0,3}:/g)].length;
function countTools(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = !Array.isArray(value) && Object.hasOwn(value, "tools") ? 1 : 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countTools(one), own);
}

Deno.test("of answers made to mislead the same is read as JSON says, however they are cut", () => {
  const chance = chances(20_260_101);
  let lists = 0;
  for (let nth = 0; nth < ANSWERS; nth++) {
    const text = adversarial(chance);
    const bytes = new TextEncoder().encode(text);
    const answer = new ListAnswer();
    for (let at = 0; at < bytes.length;) {
      const size = 1 + Math.floor(chance() * 12);
      answer.add(bytes.subarray(at, at += size));
    }
    const { message, rows, fault } = answer.end();
    if (fault !== undefined) {
      assert.ok(!isJson(text) || namedTools(text) > countTools(JSON.parse(text)), text);
      continue;
    }
    const values = rows.map(rowOf);
    const isRead = message !== undefined && values.every((one) => one !== undefined);
    const expected = isJson(text) ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
    if (!isRead || expected === undefined) {
      assert.equal(isRead, expected !== undefined, text);
      continue;
    }
    const found = (message as { result?: { tools?: unknown } }).result?.tools;
    const wanted = expected.result?.tools;
    if (!Array.isArray(wanted)) {
      assert.ok(!Array.isArray(found), text);
      continue;
    }
    assert.ok(Array.isArray(found), text);
    assert.deepEqual(found.length > 0 ? found : values, wanted, text);
    if (wanted.length > 0) lists++;
  }
  assert.ok(lists > ANSWERS / 10, `${lists} had tools`);
});
