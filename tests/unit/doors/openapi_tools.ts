/** Tools for the OpenAPI tests: between them they use every word of the dialect. */
import type { OpenApiTool } from "../../../doors/openapi.ts";

const site_id = { type: "string", description: "The site" } as const;
const confirm = { type: "boolean", default: false, description: "Without true nothing is changed" } as const;

/** One tool that reads, one that writes, and one with all the oddities. */
export const TOOLS: OpenApiTool[] = [
  {
    name: "list_sites",
    description: "List the sites – all of them.",
    group: "discovery",
    tier: 0,
    input_schema: { type: "object", properties: {}, required: [], additionalProperties: false },
  },
  {
    name: "create_draft",
    title: "Create a draft",
    description: "Create a draft.",
    group: "posts",
    tier: 1,
    input_schema: {
      type: "object",
      properties: {
        site_id,
        title: { type: "string", minLength: 1, maxLength: 200 },
        tags: { type: "array", items: { type: "string" }, minItems: 0, maxItems: 20 },
        confirm,
      },
      required: ["site_id", "title"],
      additionalProperties: false,
    },
  },
  {
    name: "forms_get-submissions",
    description: "Count form submissions.",
    group: "crm",
    tier: 0,
    input_schema: {
      type: "object",
      properties: {
        site_id,
        id: { anyOf: [{ type: "integer", minimum: 1 }, { type: "string", pattern: "^[a-z]+$" }] },
        end: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
        nothing: { type: "null" },
        order: { type: "string", enum: ["asc", "desc"], default: "asc" },
        maybe: { type: "string", enum: ["a", null] },
        rows: { type: "array" },
        extra: { type: "object", additionalProperties: { type: "number", maximum: 9 } },
        open: { type: "object", additionalProperties: true },
      },
      required: ["site_id"],
      additionalProperties: false,
    },
  },
];
