/** What may be put on a page as its structured data (JSON-LD): objects that say what they are. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import { checkStructured } from "./structured_data.ts";

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;
/** Structured data as it is stored. */
export type PageSchema = JsonObject | readonly JsonObject[];

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/**
 * What was given as `schema`, a JSON text read. Throws what `checkStructured` throws, and E_BAD_INPUT for what is neither
 * an object nor a list of objects, or without @type.
 */
export function pageSchema(given: unknown): PageSchema {
  const value = typeof given === "string" ? parsed(given) : given;
  if (!isFields(value) && !(Array.isArray(value) && value.length > 0 && value.every(isFields))) {
    throw bad("schema: expected an object, or a list of at least one object");
  }
  checkStructured(value, "schema");
  if (typesOf(value).includes("")) {
    throw bad('schema: every object needs its "@type", a text such as "Article" or a list of texts');
  }
  return value as PageSchema;
}

function parsed(text: string): unknown {
  if (text.length > LIMITS.STRUCTURED_DATA_BYTES * 4) {
    throw new GatewayError("E_PAYLOAD_TOO_LARGE", `schema: ${text.length} characters of JSON; send less`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw bad("schema: the text is not JSON; send an object, or mend the text");
  }
}

/** The types of each object in it, those of a @graph in its place; "" for one that has none. */
export function typesOf(data: unknown): string[] {
  if (Array.isArray(data)) return data.length === 0 ? [""] : data.flatMap(typesOf);
  if (!isFields(data)) return [""];
  if (Array.isArray(data["@graph"])) return typesOf(data["@graph"]);
  const types = [data["@type"]].flat();
  const plain = types.every((type) => typeof type === "string" && type.trim() !== "");
  return types.length > 0 && plain ? [types.join(", ")] : [""];
}

/** Whether search engines are told what its words mean: without @context they do not read it. */
export function hasContext(data: PageSchema): boolean {
  return [data].flat().every((one) => "@context" in one);
}
