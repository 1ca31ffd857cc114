/** The OpenAPI document of the REST door, made once from the registry. */
import { CODES } from "../core/errors.ts";
import type { Tier } from "../core/model.ts";
import type { Schema } from "../registry/dialect.ts";
import { resultOf } from "../registry/answers.ts";
import type { ToolEntry } from "../registry/entry.ts";
import { ascii } from "../registry/listing.ts";
import {
  type Codes,
  fixedPaths,
  PARAMETERS,
  refusals,
  responses,
  sharedSchemas,
  statuses,
} from "./openapi_parts.ts";
import { envelope, ref } from "./openapi_answers.ts";
import { asVersion31, type OpenApiSchema, toOpenApi } from "./openapi_schema.ts";

/** A built-in tool as the document needs it. */
export interface OpenApiTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input_schema: Schema;
  readonly group: string;
  readonly tier: Tier;
  /** Its result where it was carried out; null or left out where nothing is known of it. */
  readonly result?: Schema | null;
}

/** A call of a tool that was made, its preview where it writes, and its answer. */
export interface OpenApiExample {
  readonly args: object;
  readonly preview?: unknown;
  readonly answer?: unknown;
}

/** What the document is made of beside the tools. */
export interface OpenApiParts {
  readonly baseUrl: string;
  readonly codes: Codes;
  /** The kinds of site. */
  readonly kinds: readonly string[];
  readonly examples?: Readonly<Record<string, OpenApiExample>>;
}

/** The versions of OpenAPI that the document is written in. */
export const OPENAPI_VERSIONS = ["3.0", "3.1"] as const;
export type OpenApiVersion = typeof OPENAPI_VERSIONS[number];

/** The tools as the document describes them. */
export const describedTools = (tools: Iterable<ToolEntry>): OpenApiTool[] =>
  [...tools].map(({ definition, group, manifest }) => ({
    ...definition,
    group,
    tier: manifest.tier,
    result: resultOf(manifest),
  }));

/** The document of all those tools, with the examples that are kept for it. */
export async function described(
  tools: ReadonlyMap<string, ToolEntry>,
  parts: Pick<OpenApiParts, "baseUrl" | "kinds">,
  version: OpenApiVersion,
): Promise<string> {
  const { default: examples } = await import("../registry/examples.gen.json", { with: { type: "json" } });
  return openapi(describedTools(tools.values()), { ...parts, codes: CODES, examples }, version);
}

/**
 * The document as one ASCII string. Each tool has a path of its own, and its arguments and its result are named schemas
 * (`CreateDraftArguments`, `CreateDraftOutput`), so that client generators give them a type.
 */
export function openapi(
  tools: readonly OpenApiTool[],
  { baseUrl, codes, kinds, examples = {} }: OpenApiParts,
  version: OpenApiVersion = "3.0",
): string {
  const schemas = sharedSchemas(codes, kinds);
  const paths = fixedPaths(codes);
  for (const tool of tools) {
    const takes = freeName(`${pascal(tool.name)}Arguments`, schemas);
    schemas[takes] = toOpenApi(tool.input_schema);
    const answers = answerOf(tool, schemas);
    paths[`/api/v1/tools/${encodeURIComponent(tool.name)}`] = {
      post: operation(tool, { takes, answers, codes, example: examples[tool.name] }),
    };
  }
  const groups = [...new Set(tools.map((tool) => tool.group))];
  const document = {
    openapi: version === "3.0" ? "3.0.3" : "3.1.0",
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
      parameters: PARAMETERS,
      responses: refusals(codes),
    },
  };
  return ascii(version === "3.0" ? document : asVersion31(document));
}

/** Whether a call of it can be a write. */
const canWrite = ({ input_schema }: OpenApiTool) => "confirm" in (input_schema.properties ?? {});

/** The schema of a success; its result gets a name among the schemas. */
function answerOf(tool: OpenApiTool, schemas: Record<string, OpenApiSchema>): OpenApiSchema {
  const writes = canWrite(tool);
  if (!tool.result) {
    return ref("schemas", !writes ? "ToolEnvelope" : tool.tier > 0 ? "WriteEnvelope" : "ReadOrWriteEnvelope");
  }
  const name = freeName(`${pascal(tool.name)}Output`, schemas);
  schemas[name] = toOpenApi(tool.result);
  const result = ref("schemas", name);
  if (!writes) return envelope(result, "The answer to a call that succeeded");
  const said = tool.tier > 0
    ? "The answer to a write: a preview without `confirm: true`, else what the tool answered"
    : "The answer of a tool that writes for some arguments: of a write a preview without `confirm: true`";
  return envelope({ anyOf: [ref("schemas", "Preview"), result] }, said);
}

function operation(tool: OpenApiTool, { takes, answers, codes, example }: {
  readonly takes: string;
  readonly answers: OpenApiSchema;
  readonly codes: Codes;
  readonly example?: OpenApiExample | undefined;
}): OpenApiSchema {
  const all = responses("What the tool answered", answers, statuses(codes));
  const shown = example === undefined ? {} : answerExamples(example);
  const isShown = Object.keys(shown).length > 0;
  if (isShown) Object.assign(all[200].content["application/json"], { examples: shown });
  return {
    operationId: tool.name.replaceAll("-", "_"),
    ...(tool.title === undefined ? {} : { summary: tool.title }),
    description: tool.description,
    tags: [tool.group],
    "x-tier": tool.tier,
    ...(canWrite(tool) ? { parameters: [ref("parameters", "IdempotencyKey")] } : {}),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: ref("schemas", takes),
          ...(example === undefined ? {} : { example: example.args }),
        },
      },
    },
    responses: all,
  };
}

/** What was answered to the call that the example of the body shows. */
const answerExamples = ({ preview, answer }: OpenApiExample) => ({
  ...(preview === undefined
    ? {}
    : { preview: { summary: "Without confirm", value: { ok: true, result: preview } } }),
  ...(answer === undefined ? {} : {
    answer: {
      summary: preview === undefined ? "The answer" : "With confirm: true and the confirm_token",
      value: { ok: true, result: answer },
    },
  }),
});

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
