/** What YAML files say; what `deno task gen` has parsed and read already is not parsed or read again. */
import { hash } from "node:crypto";
import { RegistryError } from "./files.ts";

/** What texts say, by their SHA-256. It cannot be out of date: a text that was changed is another text. */
export type Documents = Readonly<Record<string, unknown>>;

/** What `deno task gen` keeps for boot. */
export interface Kept {
  readonly documents: Documents;
  /** The SHA-256 of what connectors brought for manifests to name, when these were read. */
  readonly brought: string;
  /** What the manifests came to, by the SHA-256 of their texts. */
  readonly manifests: Documents;
}

const FILE = "documents.gen.json";
const NOTHING: Kept = { documents: {}, brought: "", manifests: {} };

/** The SHA-256 of a text, under which what it says is kept. */
export const keyOf = (text: string): string => hash("sha256", text);

/** What `deno task gen` has kept; nothing where its file is missing. Throws RegistryError. */
export async function readKept(url: URL = new URL(FILE, import.meta.url)): Promise<Kept> {
  try {
    return JSON.parse(await Deno.readTextFile(url));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return NOTHING;
    if (!(error instanceof SyntaxError)) throw error;
    throw new RegistryError("tools", [`registry/${FILE}: is not JSON; run deno task gen`]);
  }
}

/** What a YAML text says: as it was parsed before, or parsed now. Throws what is wrong with it. */
export async function parseYaml(text: string, parsed: Documents = {}): Promise<unknown> {
  const key = keyOf(text);
  if (Object.hasOwn(parsed, key)) return parsed[key];
  const { load } = await import("js-yaml"); // to start, nothing needs it
  return load(text);
}
