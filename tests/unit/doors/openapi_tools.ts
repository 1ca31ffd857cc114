/** Tools for the OpenAPI tests: between them they use every word of the dialect. */
import { CODES } from "../../../core/errors.ts";
import type { OpenApiParts, OpenApiTool } from "../../../doors/openapi.ts";
import { resultOf } from "../../../registry/answers.ts";

const site_id = { type: "string", description: "The site" } as const;
const confirm = { type: "boolean", default: false, description: "Without true nothing is changed" } as const;

/** What the document is made of beside them. */
export const PARTS: OpenApiParts = {
  baseUrl: "https://gate.test",
  codes: CODES,
  kinds: ["cms", "crm", "sitebuilder", "static"],
  examples: {
    create_draft: {
      args: { site_id: "acme", title: "Hello" },
      answer: { id: 7, status: "draft", url: "https://acme.example/?p=7" },
    },
  },
};

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
    result: resultOf({ tier: 1, raise: [], result: { $with: "content" } }),
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
