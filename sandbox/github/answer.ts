/** What the host answers: JSON, and its errors in the API's own form. */

import { json } from "../core/answers.ts";

/** A JSON object. */
export interface Json {
  readonly [key: string]: unknown;
}

const DOCS = "https://docs.github.com/rest";

/** An answer other than success. */
export class Refusal extends Error {
  constructor(readonly status: number, message: string, readonly more: Json = {}) {
    super(message);
  }
}

export { json };

/** The answer of a refusal: `{message, documentation_url, status}`. */
export function refused({ status, message, more }: Refusal): Response {
  return json({ message, documentation_url: DOCS, status: String(status), ...more }, status);
}

export const notFound = () => new Refusal(404, "Not Found");
export const badCredentials = () => new Refusal(401, "Bad credentials");
export const notAccessible = () => new Refusal(403, "Resource not accessible by integration");
export const emptyRepository = () => new Refusal(409, "Git Repository is empty.");

/** A request the API does not take for what it says. */
export function invalid(message: string): Refusal {
  return new Refusal(422, message);
}

/** `Invalid request` naming one field that was left out. */
export function missing(field: string): Refusal {
  return new Refusal(422, `Invalid request.\n\n"${field}" wasn't supplied.`);
}
