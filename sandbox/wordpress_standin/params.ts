/** Request parameters the way WordPress reads, checks and converts them. */
import { invalidParams, type ParamFault, RestError } from "./errors.ts";
import { parseDate } from "./dates.ts";

/** What a route allows of one parameter. */
export interface ParamRule {
  readonly type: "integer" | "string" | "boolean" | "array" | "object" | "date" | "any";
  readonly items?: ParamRule;
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly fallback?: unknown;
  readonly required?: boolean;
  /** The route judges the value itself and may refuse it. */
  readonly judge?: (value: unknown) => ParamFault | null;
}

/** All parameters of a route. */
export type ParamRules = Readonly<Record<string, ParamRule>>;

/** Parameters after checking. */
export type Params = Record<string, unknown>;

/** `a=1&b[]=2&b[]=3` as PHP reads it. */
export function readQuery(search: URLSearchParams): Params {
  const out: Params = {};
  for (const [key, value] of search) {
    const [, name, index] = /^([^\[]+)\[([^\]]*)\]$/.exec(key) ?? [];
    if (name === undefined) out[key] = value;
    else if (index === "" || /^\d+$/.test(index!)) {
      const held = out[name];
      out[name] = Array.isArray(held) ? [...held, value] : [value];
    } else out[name] = { ...(out[name] as Params | undefined), [index!]: value };
  }
  return out;
}

/** The body's parameters: JSON or a form; other bodies have none. */
export function readBody(bytes: Uint8Array, contentType: string | null): Params {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (bytes.length === 0) return {};
  const text = new TextDecoder().decode(bytes);
  if (type === "application/x-www-form-urlencoded") return readQuery(new URLSearchParams(text));
  if (type !== "application/json" && !type?.endsWith("+json")) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Params : {};
  } catch {
    throw new RestError("rest_invalid_json", "Invalid JSON body passed.", 400, {
      json_error_code: 4,
      json_error_message: "Syntax error",
    });
  }
}

function typeFault(name: string, type: string): ParamFault {
  return { code: "rest_invalid_type", message: `${name} is not of type ${type}.`, data: { param: name } };
}

function enumFault(name: string, allowed: readonly string[]): ParamFault {
  const list = allowed.length > 1
    ? `${allowed.slice(0, -1).join(", ")}${allowed.length > 2 ? "," : ""} and ${allowed.at(-1)}`
    : allowed[0];
  const message = allowed.length === 1 ? `${name} is not ${list}.` : `${name} is not one of ${list}.`;
  return { code: "rest_not_in_enum", message, data: { enum: allowed } };
}

function boundsFault(name: string, rule: ParamRule): ParamFault {
  const message = rule.max === undefined
    ? `${name} must be greater than or equal to ${rule.min}`
    : `${name} must be between ${rule.min} (inclusive) and ${rule.max} (inclusive)`;
  return { code: "rest_out_of_bounds", message, data: null };
}

/** The value as the route gets it, or what is wrong with it. */
function convert(name: string, value: unknown, rule: ParamRule): { value: unknown } | ParamFault {
  switch (rule.type) {
    case "integer": {
      const number = typeof value === "string" && /^\s*[+-]?\d+(?:\.0*)?\s*$/.test(value)
        ? Number(value)
        : value;
      if (typeof number !== "number" || !Number.isInteger(number)) return typeFault(name, "integer");
      const low = rule.min !== undefined && number < rule.min;
      const high = rule.max !== undefined && number > rule.max;
      return low || high ? boundsFault(name, rule) : { value: number };
    }
    case "string":
      if (typeof value !== "string") return typeFault(name, "string");
      return rule.enum && !rule.enum.includes(value) ? enumFault(name, rule.enum) : { value };
    case "boolean": {
      const known: Record<string, boolean> = { true: true, false: false, 1: true, 0: false, "": false };
      const made = typeof value === "boolean" ? value : known[String(value).toLowerCase()];
      return made === undefined ? typeFault(name, "boolean") : { value: made };
    }
    case "array": {
      const list = Array.isArray(value)
        ? value
        : typeof value === "string"
        ? value.split(/[\s,]+/).filter((part) => part !== "")
        : typeof value === "number" || typeof value === "boolean"
        ? [String(value)]
        : null;
      if (list === null) return typeFault(name, "array");
      const out: unknown[] = [];
      for (const [index, item] of list.entries()) {
        const made = convert(`${name}[${index}]`, item, rule.items ?? { type: "any" });
        if ("code" in made) return made;
        out.push(made.value);
      }
      return { value: out };
    }
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) || value === ""
        ? { value: value === "" ? {} : value }
        : typeFault(name, "object");
    case "date":
      if (value === null) return { value };
      return typeof value === "string" && parseDate(value, "UTC") !== null
        ? { value }
        : { code: "rest_invalid_date", message: "Invalid date." };
    case "any":
      return { value };
  }
}

/** The known parameters, converted, defaults filled in. Throws `rest_missing_callback_param`, `rest_invalid_param`. */
export function checkParams(given: Params, rules: ParamRules): Params {
  const missing = Object.entries(rules).filter(([name, rule]) => rule.required && given[name] === undefined);
  if (missing.length > 0) {
    const params = missing.map(([name]) => name);
    throw new RestError("rest_missing_callback_param", `Missing parameter(s): ${params.join(", ")}`, 400, {
      params,
    });
  }
  const out: Params = {};
  const faults = new Map<string, ParamFault>();
  for (const [name, rule] of Object.entries(rules)) {
    const value = given[name];
    if (value === undefined) {
      if (rule.fallback !== undefined) out[name] = rule.fallback;
      continue;
    }
    const made = convert(name, value, rule);
    if ("code" in made) faults.set(name, made);
    else {
      const fault = rule.judge?.(made.value) ?? null;
      if (fault !== null) faults.set(name, fault);
      else out[name] = made.value;
    }
  }
  if (faults.size > 0) throw invalidParams(faults);
  return out;
}
