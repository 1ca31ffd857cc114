/** Holds exchanges with the topic-planning service to the contract that docs/topicmap-openapi.yaml publishes. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import type { RecordedRequest } from "../../sandbox/topic_map/start.ts";
import { addFormats, Ajv2020, type ValidateFunction } from "../packages/ajv.ts";

interface Json {
  readonly [key: string]: unknown;
}
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Json;
}
type Content = { readonly content: { readonly "application/json": { readonly schema: Json } } };
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Json>>;
}

/** The contract as it is published. */
export const CONTRACT = load(
  await Deno.readTextFile(new URL("../../docs/topicmap-openapi.yaml", import.meta.url)),
) as Json & { paths: Record<string, Record<string, Operation> & { parameters?: readonly Json[] }> };

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "contract", components: CONTRACT["components"] });

function resolved<T>(value: Json): T {
  const ref = value["$ref"];
  if (typeof ref !== "string") return value as T;
  return ref.split("/").slice(1).reduce<unknown>((at, key) => (at as Json)[key], CONTRACT) as T;
}

const compiled = new Map<string, ValidateFunction>();

function faults(name: string, schema: Json, value: unknown): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"contract#/components');
  const check = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, check);
  if (check(value)) return [];
  return (check.errors ?? []).map(({ instancePath, message }) =>
    `${name}: ${instancePath || "/"} ${message}`
  );
}

const routes = Object.entries(CONTRACT.paths).map(([path, operations]) => ({
  path,
  operations,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "([A-Za-z0-9_-]{1,64})")}$`),
}));

/** The operations that the contract has, by their ids. */
export const OPERATIONS: readonly string[] = Object.values(CONTRACT.paths).flatMap((path) =>
  Object.values(path).flatMap((one) => "operationId" in one ? (one as Operation).operationId : [])
);

function found({ method, path }: RecordedRequest) {
  const route = routes.find(({ pattern }) => pattern.test(path));
  const operation = route?.operations[method.toLowerCase()];
  return route && operation ? { route, operation } : null;
}

/** Which operation was asked for; null where the contract has none. */
export function operationOf(exchange: RecordedRequest): string | null {
  return found(exchange)?.operation.operationId ?? null;
}

function asked(name: string, parameters: readonly Parameter[], operation: Operation, one: RecordedRequest) {
  const out: string[] = [];
  for (const { name: header, required } of parameters.filter((parameter) => parameter.in === "header")) {
    if (required && !one.headers[header.toLowerCase()]) out.push(`${name}: the header ${header} is missing`);
  }
  const known = parameters.filter((parameter) => parameter.in === "query");
  for (const [key, value] of Object.entries(one.query)) {
    const parameter = known.find((parameter) => parameter.name === key);
    if (!parameter) out.push(`${name}: the query ${key} is not described`);
    else {
      const schema = resolved<Json>(parameter.schema);
      out.push(...faults(`${name}?${key}`, schema, schema["type"] === "integer" ? Number(value) : value));
    }
  }
  const schema = operation.requestBody?.content["application/json"].schema;
  if (schema) {
    const closed = { ...resolved<Json>(schema), additionalProperties: false };
    out.push(...faults(`${name} asked`, closed, one.body));
  } else if (one.body !== null) out.push(`${name}: a body is not described`);
  return out;
}

/** What is wrong with an exchange; empty when nothing is. The answer of a fault on order is not looked at. */
export function faultsOf(exchange: RecordedRequest): string[] {
  const { method, path, answer, fault } = exchange;
  const at = found(exchange);
  if (!at) return [`${method} ${path} is not described`];
  const name = `${method} ${at.route.path}`;
  const parameters = [...at.route.operations.parameters ?? [], ...at.operation.parameters ?? []]
    .map((one) => resolved<Parameter>(one));
  const out = asked(name, parameters, at.operation, exchange);
  if (!exchange.headers["authorization"]?.startsWith("Bearer ")) out.push(`${name}: no bearer token`);
  if (answer === null || fault !== null) return out;
  const described = at.operation.responses[String(answer.status)] ??
    (answer.status >= 400 ? at.operation.responses["default"] : undefined);
  if (!described) return [...out, `${name} answered ${answer.status}, which is not described`];
  const { content } = resolved<Content>(described);
  return [
    ...out,
    ...faults(`${name} answered ${answer.status}`, content["application/json"].schema, answer.body),
  ];
}

/** Fails with all that is wrong with the exchanges, or when there are none. */
export function assertDescribed(exchanges: readonly RecordedRequest[]): void {
  assert.ok(exchanges.length > 0, "there are exchanges to look at");
  assert.deepEqual([...new Set(exchanges.flatMap(faultsOf))], []);
}
