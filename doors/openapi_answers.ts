/** The parts of the OpenAPI document that say what calls of tools answer, and what schemas are written with. */
import { CHANGE, PREVIEW, PROOF } from "../registry/answers.ts";
import { type OpenApiSchema, toOpenApi } from "./openapi_schema.ts";

/** A reference to a named component. */
export const ref = (kind: "schemas" | "responses" | "parameters", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** A text. */
export const text = (description: string): OpenApiSchema => ({ type: "string", description });
/** A list of those. */
export const list = (items: OpenApiSchema, description: string): OpenApiSchema => ({
  type: "array",
  items,
  description,
});
/** An object that has all of those but the `optional` ones. */
export const object = (
  properties: Record<string, OpenApiSchema>,
  description: string,
  optional: readonly string[] = [],
): OpenApiSchema => ({
  type: "object",
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
/** The envelope of a success. */
export const envelope = (result: OpenApiSchema, description: string) =>
  object({ ok: { type: "boolean", enum: [true] }, result }, description);

/** What every write answers about itself. */
const PROOF_PROPERTIES = toOpenApi(PROOF)["properties"] as Record<string, OpenApiSchema>;

/** A preview, whose changes have a name of their own. */
function preview(): OpenApiSchema {
  const { properties, ...rest } = toOpenApi(PREVIEW) as { properties: Record<string, OpenApiSchema> };
  return {
    ...rest,
    properties: { ...properties, changes: list(ref("schemas", "Change"), "What would change, read live") },
  };
}

/** What tools answer: previews, writes, and their envelopes. */
export const ANSWERS: Record<string, OpenApiSchema> = {
  Change: toOpenApi(CHANGE),
  Preview: preview(),
  Written: {
    type: "object",
    description: "What a tool answers that wrote: its own result, and what was proven of it",
    required: ["verified", "warnings", "request_id"],
    properties: PROOF_PROPERTIES,
    additionalProperties: true,
  },
  ToolEnvelope: envelope({ description: "What the tool answered" }, "The answer to a call that succeeded"),
  AnyToolEnvelope: {
    type: "object",
    description:
      "The answer to a call of any tool. Of a site's own tool the result is what it answered, unchanged, and what " +
      "the gateway says of it is beside the result",
    required: ["ok", "result"],
    properties: {
      ok: { type: "boolean", enum: [true] },
      result: { description: "What the tool answered" },
      answered_by: {
        type: "string",
        enum: ["site"],
        description: "Whose words the result is; set where a site's own tool answered",
      },
      ...PROOF_PROPERTIES,
      notice: text("Set where the site's words could be taken for the gateway's"),
    },
  },
  WriteEnvelope: envelope(
    { anyOf: [ref("schemas", "Preview"), ref("schemas", "Written")] },
    "The answer to a write: a preview without `confirm: true`, else what the tool answered",
  ),
  ReadOrWriteEnvelope: envelope(
    { anyOf: [ref("schemas", "Preview"), ref("schemas", "Written"), { description: "What was read" }] },
    "The answer of a tool that writes for some arguments: of a write as any write's, else what it read",
  ),
};
