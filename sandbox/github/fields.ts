/** The fields of a request's body, checked as the API checks them. */
import { Buffer } from "node:buffer";
import type { RepoAsk } from "./access.ts";
import { invalid, type Json, missing } from "./answer.ts";
import type { Signature } from "./commits.ts";

/** A text. Throws a Refusal (422) where it is left out or something else. */
export function text(body: Json, field: string): string {
  const value = optionalText(body, field);
  if (value === undefined) throw missing(field);
  return value;
}

/** A text that may be left out. Throws a Refusal (422) where it is something else. */
export function optionalText(body: Json, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw invalid(`Invalid request.\n\nFor 'properties/${field}', ${JSON.stringify(value)} is not a string.`);
}

/** An array. Throws a Refusal (422) where it is left out or something else. */
export function list(body: Json, field: string): readonly unknown[] {
  const value = body[field];
  if (value === undefined) throw missing(field);
  if (Array.isArray(value)) return value;
  throw invalid(`Invalid request.\n\nFor 'properties/${field}', ${JSON.stringify(value)} is not an array.`);
}

/** The bytes base64 stands for; line breaks do not count. Throws a Refusal (422). */
export function base64(value: string): Uint8Array<ArrayBuffer> {
  const plain = value.replace(/[\r\n]/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.replace(/=+$/, "").length % 4 === 1) {
    throw invalid("content is not valid Base64");
  }
  return new Uint8Array(Buffer.from(plain, "base64"));
}

/** Base64 in lines of 60, each ended by a line break, as the API writes it. */
export function lines(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/.{1,60}/g, "$&\n");
}

/** Who the app is as an author. */
export function bot({ state }: Pick<RepoAsk, "state">): Signature {
  const { id, slug } = state.app;
  const name = `${slug}[bot]`;
  return { name, email: `${id}+${name}@users.noreply.github.com`, at: Math.floor(state.now() / 1000) };
}

/** The `author` or `committer` of a body; `otherwise` where it is left out. Throws a Refusal (422). */
export function person(body: Json, field: string, otherwise: Signature): Signature {
  const value = body[field];
  if (value === undefined || value === null) return otherwise;
  const given = value as Json;
  const date = optionalText(given, "date");
  const at = date === undefined ? otherwise.at : Math.floor(Date.parse(date) / 1000);
  if (Number.isNaN(at)) {
    throw invalid(`Invalid request.\n\n${JSON.stringify(date)} is not a valid date-time.`);
  }
  return { name: text(given, "name"), email: text(given, "email"), at };
}
