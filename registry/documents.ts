/** What YAML files say; what `deno task gen` has parsed already is not parsed again. */
import { hash } from "node:crypto";
import { RegistryError } from "./files.ts";

/** What texts say, by their SHA-256. It cannot be out of date: a text that was changed is another text. */
export type Documents = Readonly<Record<string, unknown>>;

const FILE = "documents.gen.json";

/** The documents that `deno task gen` has parsed; none where its file is missing. Throws RegistryError. */
export async function readDocuments(url: URL = new URL(FILE, import.meta.url)): Promise<Documents> {
  try {
    return JSON.parse(await Deno.readTextFile(url));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    if (!(error instanceof SyntaxError)) throw error;
    throw new RegistryError("tools", [`registry/${FILE}: is not JSON; run deno task gen`]);
  }
}

/** What a YAML text says: as it was parsed before, or parsed now. Throws what is wrong with it. */
export async function parseYaml(text: string, parsed: Documents = {}): Promise<unknown> {
  const key = hash("sha256", text);
  if (Object.hasOwn(parsed, key)) return parsed[key];
  const { load } = await import("js-yaml"); // to start, nothing needs it
  return load(text);
}
