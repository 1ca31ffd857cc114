/** Arguments of others' tools held to the schemas that servers list, and states of content to those of drafts. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import {
  assertUnpublished,
  stateFault,
  typeFault,
  type Typing,
  withoutStates,
} from "../../../rules/proxied/typed.ts";
import { StepsTaken } from "../../steps_taken.ts";

type Args = Record<string, unknown>;

const bare = (name: string) => name.replace(/^(path|query|body)_/, "");
const told = (args: Args, schema: Args, more: Partial<Typing> = {}) => {
  const fault = typeFault(args, { schema, values: {}, shown: bare, ...more });
  return fault === null ? null : `${fault.field}: ${fault.because}`;
};

const TOOL = {
  type: "object",
  properties: {
    post_id: { type: "integer" },
    title: { type: "string" },
    ratio: { type: "number" },
    open: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    settings: { type: "object" },
    mode: { type: "string", enum: ["before", "after", "3"] },
    position: { type: "object", properties: { mode: { enum: ["prepend"] } }, additionalProperties: false },
    rows: { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } },
    maybe: { type: ["integer", "null"] },
    either: { anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }] },
    nullable: { anyOf: [{ type: "integer" }, { type: "null" }] },
    both: { allOf: [{ type: "object" }, { properties: { id: { type: "integer" } } }] },
    fixed: { const: 1 },
    any: {},
    anything: true,
    listed: { $ref: "#/$defs/list" },
    looped: { $ref: "#/$defs/loop" },
    foreign: { $ref: "https://example.test/schema" },
    pair: { type: "array", items: [{ type: "integer" }, { type: "string" }] },
    odd: { type: "money", enum: "none", items: 7, properties: [], required: {} },
  },
  $defs: {
    list: { type: "array", items: { $ref: "#/$defs/one" } },
    one: { type: "string" },
    loop: { $ref: "#/$defs/loop" },
  },
};

Deno.test("an argument is one that the schema names, and of the type that it says", () => {
  const rows: readonly [args: Args, fault: string | null][] = [
    [{}, null],
    [{ titel: "T" }, "titel: unknown argument, did you mean title"],
    [{ __proto__x: 1, ...JSON.parse('{"__proto__":{"a":1}}') }, "__proto__x: unknown argument"],
    [JSON.parse('{"__proto__":{"a":1}}'), "__proto__: unknown argument"],
    [{ constructor: 1 }, "constructor: unknown argument"],
    [{ post_id: 5, title: "T", ratio: 0.5, open: false, tags: ["a"], settings: { a: [{}] } }, null],
    [{ post_id: "5", title: 5, ratio: "-0.5", open: "true", mode: 3 }, null],
    [{ open: 1 }, null],
    [{ post_id: "5x" }, "post_id: expected a whole number"],
    [{ post_id: 5.5 }, "post_id: expected a whole number"],
    [{ post_id: "" }, "post_id: expected a whole number"],
    [{ post_id: [5] }, "post_id: expected a whole number"],
    [{ ratio: "a" }, "ratio: expected a number"],
    [{ title: true }, "title: expected a text"],
    [{ title: { a: 1 } }, "title: expected a text"],
    [{ title: ["T"] }, "title: expected a text"],
    [{ open: "maybe" }, "open: expected true or false"],
    [{ open: {} }, "open: expected true or false"],
    [{ tags: "a" }, "tags: expected a list"],
    [{ tags: ["a", {}] }, "tags[1]: expected a text"],
    [{ tags: [null] }, "tags[0]: expected a text"],
    [{ tags: {} }, "tags: expected a list"],
    [{ mode: "instead" }, "mode: expected one of before, after, 3"],
    [{ mode: ["before"] }, "mode: expected one of before, after, 3"],
    [{ position: { mode: "prepend" } }, null],
    [{ position: { mode: "append" } }, "position.mode: expected one of prepend"],
    [{ position: { mod: "prepend" } }, "position.mod: unknown argument, did you mean mode"],
    [{ position: "top" }, "position: expected an object"],
    [{ rows: [{ id: 1, more: true }] }, null],
    [{ rows: [{ id: 1 }, { id: "x" }] }, "rows[1].id: expected a whole number"],
    [{ rows: [{ id: null }] }, null],
    [{ fixed: 2 }, "fixed: expected one of 1"],
    [{ any: { a: 1 }, anything: [] }, null],
    [{ title: null, post_id: null }, null],
  ];
  for (const [args, fault] of rows) {
    const said = told(args, TOOL);
    const isTold = said !== null && fault !== null && said.startsWith(fault);
    assert.ok(said === fault || isTold, `${JSON.stringify(args)}: ${said}`);
  }
});

Deno.test("what JSON Schema may say besides is understood, and what is no schema says nothing", () => {
  const rows: readonly [args: Args, fault: string | null][] = [
    [{ maybe: 5, either: [5], nullable: 5, both: { id: 5 } }, null],
    [{ maybe: "five" }, "maybe: expected a whole number or nothing"],
    [{ either: "five" }, "either: is none of the kinds of value that it takes"],
    [{ either: ["five"] }, "either: is none of the kinds of value that it takes"],
    [{ nullable: "five" }, "nullable: is none of the kinds of value that it takes"],
    [{ both: { id: "five" } }, "both.id: expected a whole number"],
    [{ listed: ["a"], looped: 1, foreign: { a: 1 } }, null],
    [{ listed: [{}] }, "listed[0]: expected a text"],
    [{ pair: ["whatever", 7] }, null],
    // PHP has an empty object as a list.
    [{ settings: [], position: [] }, null],
    [{ odd: [{ a: 1 }] }, null],
  ];
  for (const [args, fault] of rows) assert.equal(told(args, TOOL), fault, JSON.stringify(args));
  for (const schema of [{ properties: [] }, { properties: null }, {}, { properties: "none" }]) {
    assert.equal(told({}, schema), null);
    assert.equal(told({ a: 1 }, schema), "a: unknown argument; it takes none");
  }
  for (
    const open of [{ additionalProperties: true }, { additionalProperties: {} }, { patternProperties: {} }]
  ) {
    assert.equal(told({ a: 1 }, open), null);
  }
  assert.match(told({ a: 1 }, { additionalProperties: false })!, /^a: unknown/);
});

Deno.test("arguments that a schema names in its parts are named, and demanded where every part demands them", () => {
  const id = { properties: { id: { type: "integer" } } };
  const name = { properties: { name: { type: "string" } }, required: ["name"] };
  const rows: readonly [schema: Args, args: Args, fault: string | null][] = [
    [{ anyOf: [id, name] }, { id: 5 }, null],
    [{ oneOf: [id, name] }, { name: "N" }, null],
    [{ anyOf: [id, name] }, { id: "x" }, "id: expected a whole number"],
    [{ allOf: [id, name] }, { id: 5 }, "name: is required"],
    [{ allOf: [id, name] }, { id: 5, nam: "N" }, "nam: unknown argument, did you mean name"],
    [{ ...id, anyOf: [{ required: ["id"] }, { required: ["name"] }] }, { id: 5 }, null],
    [{ $ref: "#/$defs/all", $defs: { all: id } }, { id: 5 }, null],
    [{ $ref: "#/$defs/all", $defs: { all: id } }, { other: 5 }, "other: unknown argument; it takes id"],
  ];
  for (const [schema, args, fault] of rows) assert.equal(told(args, schema), fault, JSON.stringify(schema));
});

Deno.test("what is required is demanded by the name that callers know, and null is nothing", () => {
  const schema = { properties: { body_title: { type: "string" } }, required: ["body_title", 7] };
  for (const args of [{}, { body_title: null }, { body_title: undefined }]) {
    assert.equal(told(args, schema), "title: is required");
  }
  assert.equal(told({ body_title: "" }, schema), null);
  assert.equal(
    told({ body_title: 0, body_titel: "" }, schema),
    "titel: unknown argument, did you mean title",
  );
});

Deno.test("of texts that are known better than the schema only those are taken, and any text where none is named", () => {
  const schema = {
    properties: {
      body_status: { enum: ["DRAFT", "PUBLISHED"] },
      body_kind: { type: "object", properties: { a: {} } },
    },
  };
  const values = { status: ["DRAFT"], kind: [] };
  const rows: readonly [args: Args, fault: string | null][] = [
    [{ body_status: "DRAFT", body_kind: "SMS" }, null],
    [{ body_kind: { a: 1 } }, null],
    [{ body_kind: 7 }, "kind: expected an object"],
    [{ body_status: "PUBLISHED" }, "status: expected one of DRAFT"],
    [{ body_status: ["DRAFT"] }, "status: expected one of DRAFT"],
    [{ body_status: { value: "DRAFT" } }, "status: expected one of DRAFT"],
  ];
  for (const [args, fault] of rows) assert.equal(told(args, schema, { values }), fault, JSON.stringify(args));
});

Deno.test("an argument that the server takes and does not list may be sent", () => {
  const schema = { properties: { body_title: {} } };
  assert.equal(told({ path_postId: "p1", body_title: "T" }, schema, { also: "postId" }), null);
  assert.match(told({ path_postId: "p1" }, schema)!, /^postId: unknown argument/);
});

Deno.test("a schema that is made to be slow is given up, whatever is sent", async () => {
  const two = (one: unknown) => ({ anyOf: [one, one], allOf: [one, one] });
  const bomb = { properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: two({ $ref: "#/$defs/b" }) } };
  const wide = { properties: { a: { items: { enum: Array.from({ length: 3000 }, (_, n) => `v${n}`) } } } };
  const many = { $defs: { b: { allOf: Array(50).fill({ $ref: "#/$defs/b" }) } }, $ref: "#/$defs/b" };
  const names = Array.from({ length: 900 }, (_, n) => `a_long_name_of_an_argument_${n}`);
  const closed = {
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, {}])),
  };
  const near = { properties: { a: { items: { anyOf: [closed, { type: "string" }, {}] } } } };
  const rows: readonly [schema: Args, args: Args][] = [
    [bomb, { a: 1 }],
    [wide, { a: Array(5000).fill("v2999") }],
    [many, { a: 1 }],
  ];
  for (const [schema, args] of rows) {
    const refused = (thrown: unknown) => thrown instanceof GatewayError && thrown.code === "E_BAD_INPUT";
    assert.throws(() => told(args, schema), refused, JSON.stringify(Object.keys(schema)));
  }
  // No name is looked for that is near to one that nobody is told of.
  const misspelt = { a: Array(100).fill({ a_long_name_of_an_argumnet: 1 }) };
  assert.equal(told(misspelt, near), null);
  using steps = await StepsTaken.started();
  const taken = await steps.of([() => told(misspelt, near)]);
  assert.ok(taken < 100 * names.length, `${taken} steps for 100 beside ${names.length} names`);
});

Deno.test("a state of content is a draft's wherever a tool takes one", () => {
  const places = ["status", "page_settings.post_status"];
  const rows: readonly [args: Args, fault: RegExp | null][] = [
    [{}, null],
    [{ status: "draft", page_settings: { post_status: "Pending" } }, null],
    [{ status: null, page_settings: null }, null],
    [{ status: undefined, page_settings: [] }, null],
    [{ page_settings: { other: { post_status: "publish" } }, settings: { status: "publish" } }, null],
    [{ status: "publish" }, /^status: "publish" is not allowed; use "draft" or "pending", for publish_post/],
    [{ status: "future" }, /^status: "future" is not allowed/],
    [{ status: "private" }, /^status: /],
    [{ status: " draft" }, /^status: /],
    [{ status: "" }, /^status: "" is not allowed/],
    [{ status: ["draft"] }, /^status: \["draft"\] is not allowed/],
    [{ status: { value: "draft" } }, /^status: /],
    [{ status: 0 }, /^status: 0 is not allowed/],
    [{ status: "x".repeat(500) }, /^status: "x{79} is not allowed/],
    [{ page_settings: { post_status: "publish" } }, /^page_settings\.post_status: "publish" is not allowed/],
    [{ page_settings: '{"post_status":"publish"}' }, /^page_settings: expected an object$/],
    [{ page_settings: [{ post_status: "publish" }] }, /^page_settings: expected an object$/],
    [JSON.parse('{"page_settings":{"__proto__":{"post_status":"publish"}}}'), null],
  ];
  for (const [args, fault] of rows) {
    const found = stateFault(args, places);
    const said = found === null ? null : `${found.field}: ${found.because}`;
    assert.equal(said === null, fault === null, `${JSON.stringify(args)}: ${said}`);
    if (fault !== null) assert.match(said!, fault);
  }
  assert.equal(stateFault({ status: "publish" }, []), null);
});

Deno.test("a post that visitors see by itself is a draft, or scheduled sixty seconds ahead", () => {
  const now = Date.UTC(2026, 0, 1);
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  const rows: readonly [args: Args, code: string | null, says?: RegExp][] = [
    [{ status: "draft" }, null],
    [{ status: "DRAFT", when: at(-60) }, null],
    [{ status: "SCHEDULED", when: at(60) }, null],
    [{ status: "scheduled", when: at(59) }, "E_FORBIDDEN_OP", /is not at least 60 s ahead/],
    [{ status: "scheduled", when: at(-1) }, "E_FORBIDDEN_OP", /^when: /],
    [{ status: "scheduled" }, "E_FORBIDDEN_OP", /^when: a scheduled post needs it as a text/],
    [{ status: "scheduled", when: now + 600_000 }, "E_FORBIDDEN_OP", /needs it as a text/],
    [{ status: "scheduled", when: "soon" }, "E_BAD_INPUT"],
    [{}, "E_FORBIDDEN_OP", /^status: is missing; send status "draft", or "scheduled" with when/],
    [{ status: null }, "E_FORBIDDEN_OP"],
    [{ status: "published" }, "E_FORBIDDEN_OP", /"published" is neither a draft nor for later/],
    [{ status: ["draft"] }, "E_FORBIDDEN_OP"],
    [{ status: { value: "draft" } }, "E_FORBIDDEN_OP"],
  ];
  for (const [args, code, says = /./] of rows) {
    const call = () => assertUnpublished(args, "when", now);
    if (code === null) call();
    else {
      assert.throws(
        call,
        (thrown) => thrown instanceof GatewayError && thrown.code === code && says.test(thrown.message),
        JSON.stringify(args),
      );
    }
  }
});

Deno.test("a schema is shown without the states that are refused, and as it is elsewhere", () => {
  const status = { type: "string", enum: ["publish", "draft", "pending"], default: "publish" };
  const page_settings = { type: "object", properties: { post_status: { enum: ["publish"] }, title: status } };
  const schema = { type: "object", properties: { status, page_settings, other: status } };
  assert.deepEqual(withoutStates(schema, ["status", "page_settings.post_status", "missing", "other.none"]), {
    type: "object",
    properties: {
      status: { type: "string", enum: ["draft", "pending"] },
      page_settings: { type: "object", properties: { post_status: {}, title: status } },
      other: status,
    },
  });
  const preset = { properties: { status: { enum: ["draft"], default: "draft" } } };
  assert.deepEqual(withoutStates(preset, ["status"]), preset);
  assert.equal(status.enum.length, 3, "the server's own is left as it is");
});

Deno.test("what a server's schema says is cut and on one line in a refusal, however much and however deep it is", () => {
  const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown;
  const names = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`${at}\n\u001b[2J${"x".repeat(5000)}`, {}]),
  );
  const cases: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
    [{ a: "x" }, { properties: { a: { enum: [deep, `ok\n\u202eapproved${"y".repeat(5000)}`] } } }],
    [{ a: "x" }, { properties: { a: { const: deep } } }],
    [{ zzz: "x" }, { properties: names }],
    [{ a: 1 }, { properties: { a: {} }, required: Array(100_000).fill("b") }],
  ];
  for (const [args, schema] of cases) {
    let said: string;
    try {
      said = typeFault(args, { schema, values: {}, shown: (name) => name })!.because;
    } catch (thrown) {
      assert.ok(thrown instanceof GatewayError, String(thrown));
      said = thrown.message;
    }
    assert.ok(said.length < 6000 && !/[\p{Cc}\p{Cf}]/u.test(said), said.slice(0, 300));
  }
});
