/** Holds exchanges with the repository host to GitHub's own OpenAPI description: what is asked, and what is answered. */
import assert from "node:assert/strict";
import type { RecordedRequest } from "../../sandbox/github/start.ts";
import { addFormats, Ajv, type ValidateFunction } from "../packages/ajv.ts";

interface Json {
  readonly [key: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
  /** It may hold slashes. */
  readonly "x-multi-segment"?: boolean;
}

interface Operation {
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Json>>;
}

type Content = Readonly<Record<string, { readonly schema: Json }>>;

const FILE = new URL("../fixtures/openapi/github-openapi.slice.json", import.meta.url);
const slice = JSON.parse(Deno.readTextFileSync(FILE)) as Json & { paths: Record<string, Json> };

function answers(schema: Json): Json {
  return { description: "", content: { "application/json": { schema } } };
}

/** What the host also serves; the description has these, the slice does not. */
const MORE: Record<string, Json> = {
  // https://docs.github.com/en/rest/commits/commits#list-commits (author, committer, since and until are not asked for)
  "/repos/{owner}/{repo}/commits": {
    get: {
      parameters: [
        { $ref: "#/components/parameters/owner" },
        { $ref: "#/components/parameters/repo" },
        { name: "sha", in: "query", schema: { type: "string" } },
        { name: "path", in: "query", schema: { type: "string" } },
        { $ref: "#/components/parameters/per-page" },
        { $ref: "#/components/parameters/page" },
      ],
      responses: { 200: answers({ type: "array", items: { $ref: "#/components/schemas/commit" } }) },
    },
  },
  // https://docs.github.com/en/rest/git/refs#list-matching-references
  "/repos/{owner}/{repo}/git/matching-refs/{ref}": {
    get: {
      parameters: [
        { $ref: "#/components/parameters/owner" },
        { $ref: "#/components/parameters/repo" },
        { $ref: "#/components/parameters/git-ref-only" },
      ],
      responses: { 200: answers({ type: "array", items: { $ref: "#/components/schemas/git-ref" } }) },
    },
  },
  "/app/installations": {
    get: {
      parameters: [{ $ref: "#/components/parameters/per-page" }, { $ref: "#/components/parameters/page" }],
      responses: { 200: answers({ type: "array", items: { $ref: "#/components/schemas/installation" } }) },
    },
  },
  "/app/installations/{installation_id}": {
    get: {
      parameters: [{ $ref: "#/components/parameters/installation-id" }],
      responses: { 200: answers({ $ref: "#/components/schemas/installation" }) },
    },
  },
};

function map(value: unknown, each: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((one) => map(one, each));
  if (typeof value !== "object" || value === null) return value;
  return each(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one, each)])));
}

/** OpenAPI 3.0's `nullable` in the words of JSON Schema. */
function withoutNullable({ nullable, ...schema }: Json): Json {
  if (nullable !== true) return schema;
  if (typeof schema["type"] !== "string") return { anyOf: [schema, { type: "null" }] };
  const values = Array.isArray(schema["enum"]) ? { enum: [...schema["enum"], null] } : {};
  return { ...schema, type: [schema["type"], "null"], ...values };
}

/** Several all-optional schemas fit an error at once: one of them is enough. */
function anyError({ oneOf, ...schema }: Json): Json {
  return oneOf === undefined ? schema : { ...schema, anyOf: oneOf };
}

const description = map({ ...slice, paths: { ...slice.paths, ...MORE } }, withoutNullable) as Json & {
  paths: Record<string, Record<string, Operation>>;
};

function at(ref: string): Json {
  const found = ref.split("/").slice(1).reduce<unknown>((value, key) => (value as Json)[key], description);
  return found as Json;
}

function resolved(value: Json): Json {
  return typeof value["$ref"] === "string" ? resolved(at(value["$ref"])) : value;
}

/** A request's schema that takes no property it does not name: a misspelt one would be ignored unseen. */
function closed(schema: Json): Json {
  return map(schema, (object) => {
    const own = typeof object["$ref"] === "string" ? closed(at(object["$ref"])) : object;
    return own["properties"] === undefined ? own : { ...own, additionalProperties: false };
  }) as Json;
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat("timestamp", true);
ajv.addFormat("repo.nwo", true);
ajv.addSchema({ $id: "api", components: description["components"] });

const compiled = new Map<string, ValidateFunction>();

function faults(name: string, schema: () => Json, value: unknown): string[] {
  const check = compiled.get(name) ?? ajv.compile(
    map(schema(), (object) => {
      const ref = object["$ref"];
      return typeof ref === "string" && ref.startsWith("#/") ? { ...object, $ref: `api${ref}` } : object;
    }) as Json,
  );
  compiled.set(name, check);
  if (check(value)) return [];
  return (check.errors ?? []).map(({ instancePath, message, params }) =>
    `${name}: ${instancePath || "/"} ${message} ${JSON.stringify(params)}`
  );
}

interface Route {
  readonly path: string;
  readonly pattern: RegExp;
  readonly operations: Readonly<Record<string, Operation>>;
}

function parametersOf(operation: Operation): Parameter[] {
  return (operation.parameters ?? []).map((one) => resolved(one) as unknown as Parameter);
}

const routes: Route[] = Object.entries(description.paths).map(([path, operations]) => {
  const greedy = new Set(
    Object.values(operations).flatMap(parametersOf).filter((one) => one["x-multi-segment"]).map((one) =>
      one.name
    ),
  );
  const pattern = path.replace(/\/\{(\w+)\}/g, (_, name) => greedy.has(name) ? "(?:/.*)?" : "/[^/]+");
  return { path, operations, pattern: new RegExp(`^${pattern}$`) };
});

function headerFaults({ headers }: RecordedRequest): string[] {
  const out: string[] = [];
  if (!headers["user-agent"]) out.push("no User-Agent");
  if (!headers["accept"]?.includes("application/vnd.github")) out.push(`Accept is ${headers["accept"]}`);
  if (!headers["x-github-api-version"]) out.push("no X-GitHub-Api-Version");
  return out;
}

function queryFaults(operation: Operation, { query }: RecordedRequest): string[] {
  const known = parametersOf(operation).filter((one) => one.in === "query");
  return Object.entries(query).flatMap(([name, value]) => {
    const parameter = known.find((one) => one.name === name);
    if (parameter === undefined) return [`query ${name} is not described`];
    return parameter.schema.type === "integer" && !/^\d+$/.test(value) ? [`query ${name} is no integer`] : [];
  });
}

function bodyFaults(name: string, { requestBody }: Operation, { body }: RecordedRequest): string[] {
  if (requestBody === undefined) return body === null ? [] : [`${name}: a body is not described`];
  if (body === null) return requestBody.required ? [`${name}: the body is missing`] : [];
  const schema = requestBody.content["application/json"]!.schema;
  return faults(`${name} asked`, () => closed(schema), body);
}

function answerFaults(
  name: string,
  operation: Operation,
  { answer, fault, headers }: RecordedRequest,
): string[] {
  const truthful = fault === null || fault === "moved" || fault === "truncated";
  if (answer === null || !truthful || headers["accept"]?.includes("raw")) return [];
  const { status, body } = answer;
  const label = `${name} answered ${status}`;
  const described = operation.responses[String(status)];
  // Any read may be conditional, although the description says so of few.
  if (status === 304 && headers["if-none-match"] !== undefined) {
    return body === null ? [] : [`${label} with a body`];
  }
  if (described === undefined) {
    if (status < 400) return [`${label}, which is not described`];
    // Any route may refuse; what it says then is an error all the same.
    return faults(
      "any error",
      () => ({ ...at("#/components/schemas/basic-error"), required: ["message"] }),
      body,
    );
  }
  const content = resolved(described)["content"] as Content | undefined;
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return body === null ? [] : [`${label} with a body, which is not described`];
  return faults(label, () => (status < 400 ? schema : map(schema, anyError) as Json), body);
}

/** What is wrong with an exchange; empty when nothing is. The answer of a fault on order is not looked at. */
export function faultsOf(exchange: RecordedRequest): string[] {
  const { method } = exchange;
  const path = exchange.path.replace(/^\/repositories\/\d+/, "/repos/renamed/renamed");
  const route = routes.find(({ pattern }) => pattern.test(path));
  const operation = route?.operations[method.toLowerCase()];
  if (route === undefined || operation === undefined) return [`${method} ${path} is not described`];
  const name = `${method} ${route.path}`;
  return [
    ...headerFaults(exchange).map((one) => `${name}: ${one}`),
    ...queryFaults(operation, exchange).map((one) => `${name}: ${one}`),
    ...bodyFaults(name, operation, exchange),
    ...answerFaults(name, operation, exchange),
  ];
}

/** Fails with all that is wrong with the exchanges, or when there are none. */
export function assertDescribed(exchanges: readonly RecordedRequest[]): void {
  assert.ok(exchanges.length > 0, "there are exchanges to look at");
  assert.deepEqual([...new Set(exchanges.flatMap(faultsOf))], []);
}
