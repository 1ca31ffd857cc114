/** The OpenAPI document: valid 3.0, every route, named bodies, every code. */
import assert from "node:assert/strict";
import { openapi } from "../../../doors/openapi.ts";
import { toOpenApi } from "../../../doors/openapi_schema.ts";
import { CODES } from "../../../core/errors.ts";
import { Validator } from "../../packages/openapi.ts";
import { PARTS, TOOLS } from "./openapi_tools.ts";
import { words } from "../../words.ts";

const text = openapi(TOOLS, PARTS);
const document = JSON.parse(text);
const { paths, components } = document;

Deno.test("the document is valid OpenAPI 3.0, and so is one without tools", async () => {
  for (
    const one of [text, openapi([], PARTS)]
  ) {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(one));
    assert.ok(result.valid, JSON.stringify("errors" in result ? result.errors : null));
    assert.equal(validator.version, "3.0");
  }
});

Deno.test("the text is ASCII and loses nothing by it", () => {
  assert.ok([...text].every((character) => character < "\x7f"));
  assert.equal(paths["/api/v1/tools/list_sites"].post.description, "List the sites – all of them.");
});

Deno.test("the five routes and a path for each tool stand in it", () => {
  assert.deepEqual(
    Object.keys(paths).sort(),
    words(`
    /api/v1/openapi.json /api/v1/sites /api/v1/tools /api/v1/tools/create_draft
    /api/v1/tools/forms_get-submissions /api/v1/tools/list_sites /api/v1/tools/{name} /api/v1/whoami
  `),
  );
});

Deno.test("each tool's body is a named schema, its operation id an identifier, its tag the group", () => {
  const { post } = paths["/api/v1/tools/forms_get-submissions"];
  assert.equal(post.operationId, "forms_get_submissions");
  assert.deepEqual(post.tags, ["crm"]);
  assert.deepEqual(post.requestBody.content["application/json"].schema, {
    $ref: "#/components/schemas/FormsGetSubmissionsArguments",
  });
  assert.deepEqual(components.schemas.CreateDraftArguments.required, ["site_id", "title"]);
  const ids = Object.values<Record<string, { operationId: string }>>(paths)
    .flatMap((path) => Object.values(path).map((operation) => operation.operationId));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z][a-z0-9_]*$/);
});

Deno.test("two tools whose names differ only in signs get bodies of their own", () => {
  const [tool] = TOOLS;
  assert.ok(tool);
  const twins = [{ ...tool, name: "a-b" }, { ...tool, name: "a_b" }];
  const { schemas } = JSON.parse(openapi(twins, PARTS))
    .components;
  assert.ok("ABArguments" in schemas && "ABArguments2" in schemas);
});

Deno.test("a write answers a preview or the tool's result, which has a name; what nobody described stays open", () => {
  const answer = (tool: string) =>
    paths[`/api/v1/tools/${tool}`].post.responses["200"].content["application/json"].schema;
  assert.deepEqual(answer("create_draft").properties.result.anyOf, [
    { $ref: "#/components/schemas/Preview" },
    { $ref: "#/components/schemas/CreateDraftOutput" },
  ]);
  const { required, properties } = components.schemas.CreateDraftOutput;
  assert.deepEqual(required, ["id", "status", "url", "verified", "warnings", "request_id"]);
  assert.equal(properties.verified.nullable, true);
  assert.equal(answer("list_sites").$ref, "#/components/schemas/ToolEnvelope");
});

Deno.test("a write takes an Idempotency-Key, and shows a call with its answer; a read takes none", () => {
  const { parameters, requestBody, responses } = paths["/api/v1/tools/create_draft"].post;
  assert.deepEqual(parameters, [{ $ref: "#/components/parameters/IdempotencyKey" }]);
  const { name, required = false } = components.parameters.IdempotencyKey;
  assert.deepEqual([name, required], ["Idempotency-Key", false]);
  assert.deepEqual(requestBody.content["application/json"].example, { site_id: "acme", title: "Hello" });
  const { examples } = responses["200"].content["application/json"];
  assert.equal(examples.answer.value.result.status, "draft");
  assert.equal(paths["/api/v1/tools/list_sites"].post.parameters, undefined);
});

Deno.test("as OpenAPI 3.1 the document is valid, and what may be null has two types", async () => {
  const newer = JSON.parse(openapi(TOOLS, PARTS, "3.1"));
  const validator = new Validator();
  const result = await validator.validate(structuredClone(newer));
  assert.ok(result.valid, JSON.stringify("errors" in result ? result.errors : null));
  assert.equal(validator.version, "3.1");
  assert.ok(!JSON.stringify(newer).includes("nullable"));
  const { schemas } = newer.components;
  assert.deepEqual(schemas.CreateDraftOutput.properties.verified.type, ["boolean", "null"]);
  assert.deepEqual(schemas.FormsGetSubmissionsArguments.properties.maybe, {
    type: ["string", "null"],
    enum: ["a", null],
  });
});

Deno.test("every code stands in the enumeration and in the response of its status", () => {
  assert.deepEqual(components.schemas.ErrorCode.enum, Object.keys(CODES));
  const operation = paths["/api/v1/tools/create_draft"].post;
  for (const [code, { status }] of Object.entries(CODES)) {
    const name = operation.responses[String(status)].$ref.split("/").at(-1);
    assert.ok(components.responses[name].description.includes(`\`${code}\``), code);
  }
});

Deno.test("every route but the document itself asks for a bearer token and answers 401 with where to get one", () => {
  assert.deepEqual(document.security, [{ bearer: [] }]);
  assert.deepEqual(paths["/api/v1/openapi.json"].get.security, []);
  assert.ok("WWW-Authenticate" in components.responses.Unauthorized.headers);
  for (const [path, operations] of Object.entries<Record<string, { responses: object }>>(paths)) {
    if (path.endsWith("openapi.json")) continue;
    for (const operation of Object.values(operations)) assert.ok("401" in operation.responses, path);
  }
});

Deno.test("the dialect's words become those of OpenAPI 3.0", () => {
  const { properties, additionalProperties } = components.schemas.FormsGetSubmissionsArguments;
  assert.equal(additionalProperties, false);
  assert.deepEqual(properties.id.anyOf, [
    { type: "integer", minimum: 1 },
    { type: "string", pattern: "^[a-z]+$" },
  ]);
  assert.deepEqual(properties.end, { type: "string", format: "date-time", nullable: true });
  assert.deepEqual(properties.nothing, { type: "string", nullable: true, enum: [null] });
  assert.deepEqual(properties.order, {
    type: "string",
    enum: ["asc", "desc"],
    description: 'Default: "asc"',
  });
  assert.deepEqual(properties.maybe, { type: "string", enum: ["a", null], nullable: true });
  assert.deepEqual(properties.rows, { type: "array", items: {} });
  assert.deepEqual(properties.extra.additionalProperties, { type: "number", maximum: 9 });
  assert.equal(properties.open.additionalProperties, true);
  assert.deepEqual(toOpenApi({ type: "object", required: [] }), { type: "object" });
});
