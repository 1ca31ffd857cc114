/** The description of the API as it is served: valid in both versions, every answer described, every example as its schema says. */
import assert from "node:assert/strict";
import { openapi } from "../../doors/openapi.ts";
import { describedTools } from "../../doors/openapi.ts";
import { CODES } from "../../core/errors.ts";
import { loadTools } from "../../registry/load.ts";
import EXAMPLES from "../../registry/examples.gen.json" with { type: "json" };
import { CONNECTORS } from "../connectors.ts";
import { addFormats, Ajv2020 } from "../packages/ajv.ts";
import { Validator } from "../packages/openapi.ts";

const ROOT = new URL("../../", import.meta.url);
const TOOLS = describedTools((await loadTools({ roots: [ROOT], known: CONNECTORS })).values());
const PARTS = { baseUrl: "https://gate.test", codes: CODES, kinds: CONNECTORS.kinds, examples: EXAMPLES };

for (const version of ["3.0", "3.1"] as const) {
  Deno.test(`the description of all tools is valid OpenAPI ${version}, and no result is unknown`, async () => {
    const document = JSON.parse(openapi(TOOLS, PARTS, version));
    const open = Object.entries<{ post?: { responses: Record<string, unknown> } }>(document.paths)
      .filter(([path, { post }]) =>
        post && !path.includes("{") && JSON.stringify(post.responses[200]).includes("ToolEnvelope")
      );
    assert.deepEqual(open.map(([path]) => path), []);
    const validator = new Validator();
    const result = await validator.validate(document);
    assert.ok(result.valid, JSON.stringify("errors" in result ? result.errors : null)?.slice(0, 500));
    assert.equal(validator.version, version);
  });
}

Deno.test("each example is a call and an answer as the schemas beside it say", () => {
  const { paths, components } = JSON.parse(openapi(TOOLS, PARTS, "3.1"));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv as never);
  ajv.addSchema({ $id: "https://gate.test/api", components });
  const there = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://gate.test/api#/')));
  let answers = 0;
  for (const { name } of TOOLS) {
    const { requestBody, responses } = paths[`/api/v1/tools/${name}`].post;
    const asked = requestBody.content["application/json"];
    assert.ok(asked.example, `${name}: has an example`);
    const isCall = there(asked.schema);
    assert.ok(isCall(asked.example), `${name}: ${JSON.stringify(isCall.errors)}`);
    const answered = responses["200"].content["application/json"];
    const isAnswer = there(answered.schema);
    for (const { value } of Object.values<{ value: unknown }>(answered.examples ?? {})) {
      answers++;
      assert.ok(isAnswer(value), `${name}: ${JSON.stringify(isAnswer.errors)}`);
    }
  }
  assert.ok(answers > TOOLS.length / 2, `${answers} answers are shown`);
});
