/** Holds exchanges with the CRM to the vendor's own OpenAPI files, and to the overlay where these are wrong. */
import assert from "node:assert/strict";
import type { RecordedRequest } from "../../sandbox/core/recorder.ts";
import { Ajv, type ValidateFunction } from "../packages/ajv.ts";
import { ANSWERS, CHANGES } from "./highlevel_overlay.ts";

interface Json {
  readonly [key: string]: unknown;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { type?: string; enum?: readonly string[]; minimum?: number; maximum?: number };
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Json }> }>>;
}
interface Family {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { schemas: Record<string, Json> };
}

const FILE = new URL("../fixtures/openapi/crm-openapi.slice.json", import.meta.url);
const families = JSON.parse(Deno.readTextFileSync(FILE)) as Record<string, Family>;
for (const { at: [family, schema], change } of CHANGES) {
  const { schemas } = families[family]!.components;
  assert.ok(schemas[schema], `the overlay changes a schema that is there: ${family} ${schema}`);
  schemas[schema] = change(schemas[schema]);
}

/** Schemas as JSON Schema has them: no `nullable`, no type "any"; how a date is written is held by those that read it. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, type, ...rest } = Object.fromEntries(
    Object.entries(value).filter(([key, one]) => key !== "format" || typeof one !== "string")
      .map(([key, one]) => [key, plain(one)]),
  );
  if (type === undefined || type === "any") return rest;
  return { ...rest, type: nullable === true ? [type, "null"] : type };
}

const ajv = new Ajv({ strict: false, allErrors: true });
for (const [name, { components }] of Object.entries(families)) {
  ajv.addSchema({ $id: name, components: plain(components) as Json });
}

interface Route {
  readonly name: string;
  readonly family: string;
  readonly pattern: RegExp;
  readonly operation: Operation;
}
const EXECUTIONS: Route = {
  name: "GET /workflows/{id}/executions",
  family: "workflows",
  pattern: /^GET \/workflows\/[\w-]+\/executions$/,
  operation: {
    parameters: [
      { name: "Version", in: "header", required: true, schema: { enum: ["2021-07-28"] } },
      { name: "locationId", in: "query", required: true, schema: { type: "string" } },
    ],
    responses: {},
  },
};
// A path without parameters is tried before one whose parameter would take its place.
const routes: Route[] = [
  ...Object.entries(families).flatMap(([family, { paths }]) =>
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        family,
        pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "[^/]+")}$`),
        operation,
      }))
    )
  ).sort((a, b) => a.name.split("{").length - b.name.split("{").length),
  EXECUTIONS,
];

function valueFaults({ name, schema }: Parameter, value: string): string[] {
  const { type, enum: allowed, minimum = -Infinity, maximum = Infinity } = schema;
  if (allowed && !value.split(",").every((one) => allowed.includes(one))) return [`${name} is "${value}"`];
  if (type !== "number") return [];
  const fine = /^-?\d+(\.\d+)?$/.test(value) && Number(value) >= minimum && Number(value) <= maximum;
  return fine ? [] : [`${name} is "${value}"`];
}

function requestFaults(
  { operation: { parameters = [] } }: Route,
  { query, headers }: RecordedRequest,
): string[] {
  const given = (one: Parameter) => one.in === "header" ? headers[one.name.toLowerCase()] : query[one.name];
  return [
    ...Object.keys(query).filter((name) => !parameters.some((one) => one.in === "query" && one.name === name))
      .map((name) => `query ${name} is not described`),
    ...parameters.filter((one) => one.in !== "path").flatMap((one) => {
      const value = given(one);
      if (value === undefined) return one.required ? [`${one.name} is missing`] : [];
      return valueFaults(one, value);
    }),
    ...(headers["user-agent"] ? [] : ["no User-Agent"]),
    ...(headers["accept"] === "application/json" ? [] : ["Accept is not JSON"]),
  ];
}

const compiled = new Map<string, ValidateFunction>();

function answerFaults({ name, family, operation }: Route, { answer, fault }: RecordedRequest): string[] {
  if (answer === null || fault !== null || answer.status !== 200) return [];
  const described = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1];
  const schema = ANSWERS[name]?.schema ?? described?.content?.["application/json"]?.schema;
  if (schema === undefined) return ["its answer is not described"];
  const absolute = JSON.parse(JSON.stringify(plain(schema)).replaceAll('"#/', `"${family}#/`)) as Json;
  const check = compiled.get(name) ?? ajv.compile(absolute);
  compiled.set(name, check);
  if (check(answer.body)) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `answer ${instancePath || "/"} ${message}`);
}

/** What is wrong with an exchange; empty where nothing is. */
function faultsOf(exchange: RecordedRequest): string[] {
  const at = `${exchange.method} ${exchange.path}`;
  const route = routes.find(({ pattern }) => pattern.test(at));
  if (route === undefined) return [`${at} is not described`];
  return [...requestFaults(route, exchange), ...answerFaults(route, exchange)].map((one) =>
    `${route.name}: ${one}`
  );
}

/** Fails with all that is wrong with the exchanges, or where there are none. */
export function assertDescribed(exchanges: readonly RecordedRequest[]): void {
  assert.ok(exchanges.length > 0, "there are exchanges to look at");
  assert.deepEqual([...new Set(exchanges.flatMap(faultsOf))], []);
}
