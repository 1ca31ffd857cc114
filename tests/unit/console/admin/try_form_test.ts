/** A form from a schema: which field a kind of value has, and that what is filled in is read as the schema has it. */
import assert from "node:assert/strict";
import { Area } from "../../../../console/form.tsx";
import {
  argumentsIn,
  AS_JSON,
  faultsIn,
  fieldsFrom,
  readArguments,
} from "../../../../console/admin/try_form.tsx";

type Schema = Readonly<Record<string, unknown>>;
const formOf = (value: Schema) => ({ schema: { properties: { it: value } }, texts: [] });
const id = { anyOf: [{ type: "integer", minimum: 1 }, { type: "string", pattern: "^[a-z]+$" }] };

Deno.test("each kind of value has a field of its own, and is read as what it is", () => {
  const inner = { type: "object", properties: { on: { type: "boolean" }, n: { type: "integer" } } };
  const table: [Schema, string, Record<string, string | string[]>, unknown][] = [
    [{ type: "string" }, "line", { "arg.it": " a " }, " a "],
    [{ type: "string", maxLength: 5000 }, "text", { "arg.it": "a\r\nb" }, "a\nb"],
    [{ type: "string", enum: ["a", "b"] }, "choice", { "arg.it": "b" }, "b"],
    [{ type: "integer", enum: [1, 2] }, "choice", { "arg.it": "2" }, 2],
    [{ type: "integer" }, "number", { "arg.it": "12" }, 12],
    [{ type: "number" }, "number", { "arg.it": "0.5" }, 0.5],
    [{ type: "number" }, "number", { "arg.it": "many" }, "many"],
    [{ type: "integer" }, "number", { "arg.it": "12345678901234567890" }, "12345678901234567890"],
    [{ type: "boolean" }, "yesno", { "arg.it": "false" }, false],
    [id, "line", { "arg.it": "7" }, 7],
    [id, "line", { "arg.it": "abc" }, "abc"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "line", { "arg.it": "7" }, "7"],
    [{ type: ["string", "null"] }, "line", { "arg.it": "x" }, "x"],
    [{ type: "array", items: { type: "string" } }, "list", { "arg.it": "a\r\n\r\n b " }, ["a", "b"]],
    [{ type: "array", items: { type: "integer" } }, "list", { "arg.it": "1\n2" }, [1, 2]],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, "several", { "arg.it": ["a", "b"] }, [
      "a",
      "b",
    ]],
    [{ type: "array", items: inner }, "json", { "arg.it": '[{"n": 1}]' }, [{ n: 1 }]],
    [inner, "group", { "arg.it.on": "true", "arg.it.n": "3" }, { on: true, n: 3 }],
    [{ type: "object" }, "json", { "arg.it": '{"a": 1}' }, { a: 1 }],
    [{ oneOf: [{ type: "string" }] }, "json", { "arg.it": '"a"' }, "a"],
    [{ anyOf: [{ type: "string" }, inner] }, "json", { "arg.it": '"a"' }, "a"],
    [{ type: "string" }, "line", { "arg.it": "" }, undefined],
    [inner, "group", { "arg.it.on": "" }, undefined],
  ];
  for (const [schema, kind, fields, expected] of table) {
    const of = formOf(schema);
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) {
      for (const one of typeof value === "string" ? [value] : value) form.append(name, one);
    }
    const name = `${JSON.stringify(schema)} ${JSON.stringify(fields)}`;
    assert.equal(argumentsIn(of)[0]!.kind, kind, name);
    const { args, faults } = readArguments(of, form);
    assert.deepEqual([args["it"], faults], [expected, {}], name);
    assert.deepEqual(readArguments(of, fieldsFrom(of, args)).args, args, `${name}, shown again`);
  }
});

Deno.test("arguments that are shown again are those that were sent, also where a field would say something else", () => {
  const list = { type: "array", items: { type: "string" } };
  const inner = { type: "object", properties: { on: { type: ["string", "null"] } } };
  const table: [Schema, unknown][] = [
    [{ type: ["string", "null"] }, null],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, null],
    [{ type: "boolean" }, null],
    [{ type: "string" }, ""],
    [{ type: "string" }, "one\ntwo"],
    [{ type: "string", maxLength: 5000 }, "\n  code\r\n"],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, "7"],
    [list, []],
    [list, ["", " a", "b\nc"]],
    [{ type: "array", items: { type: "string", enum: ["a"] } }, []],
    [inner, {}],
    [inner, { on: null }],
    [inner, { on: "x", further: 1 }],
    [inner, null],
    [{ type: "object" }, null],
  ];
  for (const [schema, it] of table) {
    const of = formOf(schema);
    const { args, faults } = readArguments(of, fieldsFrom(of, { it }));
    assert.deepEqual([args, faults], [{ it }, {}], `${JSON.stringify(schema)} ${JSON.stringify(it)}`);
  }
  const line = fieldsFrom(formOf({ type: "string" }), { it: "one\ntwo" });
  assert.ok(line.has(AS_JSON), "a field of one line drops line ends");
});

Deno.test("a text keeps the line end that it begins with: a browser drops one behind the tag", () => {
  for (const [value, shown] of [["\n  code", "\n\n  code"], ["code\n", "code\n"]] as const) {
    const html = String(Area({ name: "text", label: "Text", value }));
    assert.ok(html.includes(`>${shown}</textarea>`), html);
  }
});

Deno.test("what is no JSON is said at its field, and JSON of all stands for the fields", () => {
  const of = formOf({ type: "object" });
  assert.match(readArguments(of, new URLSearchParams({ "arg.it": "{" })).faults["it"]!, /not JSON/);
  for (const [text, isWrong] of [['{"it": 1}', false], ["[1]", true], ["nothing", true]] as const) {
    const { args, faults } = readArguments(of, new URLSearchParams({ [AS_JSON]: text, "arg.it": "{" }));
    assert.deepEqual([args, AS_JSON in faults], [isWrong ? {} : { it: 1 }, isWrong]);
  }
  const unknown = fieldsFrom(of, { other: 1 });
  assert.deepEqual(readArguments(of, unknown).args, { other: 1 }, "what the form has no field for");
});

Deno.test("a refusal's sentences stand at the fields that they name", () => {
  const properties = {
    post: { type: "string" },
    post_id: { type: "string" },
    seo: { type: "object", properties: { title: { type: "string" } } },
  };
  const of = { schema: { properties }, texts: [] };
  assert.deepEqual(
    faultsIn(["post_id is required", 'seo.title: "a; post: b" is too short', "other: unknown argument"], of),
    {
      post_id: "post_id is required",
      "seo.title": 'seo.title: "a; post: b" is too short',
      "": "other: unknown argument",
    },
  );
});
