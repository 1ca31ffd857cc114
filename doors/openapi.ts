/** The OpenAPI 3.0 document of the REST door, made once from the registry. */
import type { Tier } from "../core/model.ts";
import type { Schema } from "../registry/dialect.ts";
import type { ToolEntry } from "../registry/entry.ts";
import { ascii } from "../registry/listing.ts";
import {
  type Codes,
  fixedPaths,
  json,
  refusals,
  responses,
  sharedSchemas,
  statuses,
} from "./openapi_parts.ts";
import { ref } from "./openapi_answers.ts";
import { type OpenApiSchema, toOpenApi } from "./openapi_schema.ts";

/** A built-in tool as the document needs it. */
export interface OpenApiTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input_schema: Schema;
  readonly group: string;
  readonly tier: Tier;
}

/** The tools as the document describes them. */
export const describedTools = (tools: Iterable<ToolEntry>): OpenApiTool[] =>
  [...tools].map(({ definition, group, manifest }) => ({ ...definition, group, tier: manifest.tier }));

/**
 * The document as one ASCII string. Each tool has a path of its own, and its arguments are a named schema
 * (`CreateDraftArguments`), so that client generators give them a type.
 */
export function openapi(
  tools: readonly OpenApiTool[],
  baseUrl: string,
  codes: Codes,
  kinds: readonly string[],
): string {
  const schemas = sharedSchemas(codes, kinds);
  const paths = fixedPaths(codes);
  for (const tool of tools) {
    const component = freeName(`${pascal(tool.name)}Arguments`, schemas);
    schemas[component] = toOpenApi(tool.input_schema);
    paths[`/api/v1/tools/${encodeURIComponent(tool.name)}`] = { post: operation(tool, component, codes) };
  }
  const groups = [...new Set(tools.map((tool) => tool.group))];
  return ascii({
    openapi: "3.0.3",
    info: {
      title: "Site operations gateway",
      version: "1.0.0",
      description: "Named tools run against registered sites, behind one set of guardrails.",
      license: { name: "MIT" },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    tags: ["gateway", ...groups].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas,
      responses: refusals(codes),
    },
  });
}

function operation(tool: OpenApiTool, component: string, codes: Codes): OpenApiSchema {
  const confirmed = "confirm" in (tool.input_schema.properties ?? {});
  const answer = !confirmed ? "ToolEnvelope" : tool.tier > 0 ? "WriteEnvelope" : "ReadOrWriteEnvelope";
  return {
    operationId: tool.name.replaceAll("-", "_"),
    ...(tool.title === undefined ? {} : { summary: tool.title }),
    description: tool.description,
    tags: [tool.group],
    "x-tier": tool.tier,
    requestBody: { required: true, ...json(ref("schemas", component)) },
    responses: responses("What the tool answered", ref("schemas", answer), statuses(codes)),
  };
}

/** `create_draft` as `CreateDraft`. */
function pascal(name: string): string {
  return name.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** The name, with a number behind it where another tool has it already. */
function freeName(name: string, taken: Record<string, unknown>): string {
  let free = name;
  for (let number = 2; free in taken; number++) free = `${name}${number}`;
  return free;
}
