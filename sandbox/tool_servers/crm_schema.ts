/** The CRM's hosted tools as its OpenAPI files have them; run with the path of those, it writes crm_tools.gen.json. */
import type { ListedTool } from "./sdk.ts";

interface Json {
  readonly [key: string]: unknown;
}
interface Operation extends Json {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
}
/** One of the vendor's files. */
interface ApiFile extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A tool, and the route that it stands for. */
export interface CrmTool extends ListedTool {
  readonly route: string;
}

/** What the hosted server offers: 24 that read, 12 that write. */
export const CRM_TOOLS = [
  "calendars_get-calendar-events",
  "calendars_get-appointment-notes",
  "contacts_get-contact",
  "contacts_get-contacts",
  "contacts_get-all-tasks",
  "contacts_add-tags",
  "contacts_remove-tags",
  "contacts_create-contact",
  "contacts_update-contact",
  "contacts_upsert-contact",
  "conversations_search-conversation",
  "conversations_get-messages",
  "conversations_send-a-new-message",
  "locations_get-location",
  "locations_get-custom-fields",
  "opportunities_search-opportunity",
  "opportunities_get-pipelines",
  "opportunities_get-opportunity",
  "opportunities_update-opportunity",
  "payments_get-order-by-id",
  "payments_list-transactions",
  "blogs_check-url-slug-exists",
  "blogs_get-all-blog-authors-by-location",
  "blogs_get-all-categories-by-location",
  "blogs_get-blog-post",
  "blogs_get-blogs",
  "blogs_create-blog-post",
  "blogs_update-blog-post",
  "emails_fetch-template",
  "emails_create-template",
  "social-media-posting_get-account",
  "social-media-posting_get-social-media-statistics",
  "social-media-posting_get-post",
  "social-media-posting_get-posts",
  "social-media-posting_create-post",
  "social-media-posting_edit-post",
] as const;

/** What says something of a value to a person alone. */
const PROSE = ["example", "examples", "title", "deprecated", "nullable"];

/** A schema with what it refers to in its place; a part of itself is left open. */
function resolved(value: unknown, root: Json, open: readonly string[] = [], inProperties = false): unknown {
  if (Array.isArray(value)) return value.map((one) => resolved(one, root, open));
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref !== undefined) {
    if (open.includes($ref)) return {};
    const target = $ref.split("/").slice(1).reduce<unknown>((at, key) => (at as Json)[key], root);
    return resolved(target, root, [...open, $ref]);
  }
  const rows = Object.entries(value).filter(([key]) => inProperties || !PROSE.includes(key));
  return Object.fromEntries(rows.map(([key, one]) => [key, resolved(one, root, open, key === "properties")]));
}

function found(file: ApiFile, id: string): readonly [route: string, operation: Operation] {
  for (const [path, methods] of Object.entries(file.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === id) return [`${method.toUpperCase()} ${path}`, operation];
    }
  }
  throw new Error(`The files have no operation ${id}`);
}

function toolOf(name: string, file: ApiFile): CrmTool {
  const [route, operation] = found(file, name.slice(name.indexOf("_") + 1));
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const parameter of operation.parameters ?? []) {
    const { in: place, name, required: needed, description, schema } = resolved(parameter, file) as Json;
    if (place === "header") continue;
    const key = `${place}_${name}`;
    properties[key] = { ...schema as Json, ...(description === undefined ? {} : { description }) };
    if (needed === true) required.push(key);
  }
  const [{ schema } = { schema: {} }] = Object.values(operation.requestBody?.content ?? {});
  const body = resolved(schema, file) as Json;
  for (const [key, one] of Object.entries(body["properties"] ?? {})) properties[`body_${key}`] = one;
  for (const key of body["required"] as string[] ?? []) required.push(`body_${key}`);
  return {
    name,
    description: operation.summary ?? name,
    inputSchema: { type: "object", properties, ...(required.length > 0 ? { required } : {}) },
    route,
  };
}

/** The tools, made of the vendor's files by their names. */
export function crmTools(files: Readonly<Record<string, unknown>>): CrmTool[] {
  return CRM_TOOLS.map((name) => toolOf(name, files[name.slice(0, name.indexOf("_"))] as ApiFile));
}

if (import.meta.main) {
  const files = JSON.parse(Deno.readTextFileSync(Deno.args[0]!));
  const lines = crmTools(files).map((tool) => JSON.stringify(tool)).join(",\n");
  Deno.writeTextFileSync(new URL("crm_tools.gen.json", import.meta.url), `[\n${lines}\n]\n`);
}
