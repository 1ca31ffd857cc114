/** Refusals as Google's services word them, and the strict reading of what they are sent. */
import { json } from "../core/answers.ts";

/** A refusal; `reason` is Drive's word for it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly word: string,
    message: string,
    readonly more: {
      readonly reason?: string;
      readonly details?: readonly object[];
      readonly retry_after?: number;
    } = {},
  ) {
    super(message);
  }

  /** The answer; `wrapped` as a stream of Google Ads wraps it. */
  answer(wrapped = false): Response {
    const { status, word, message, more: { reason, details, retry_after } } = this;
    const error = {
      code: status,
      message,
      ...reason ? { errors: [{ domain: "global", reason, message }] } : {},
      ...word ? { status: word } : {},
      ...details ? { details } : {},
    };
    const headers: Record<string, string> = retry_after === undefined
      ? {}
      : { "retry-after": String(retry_after) };
    return json(wrapped ? [{ error }] : { error }, status, headers);
  }
}

/** 400 in the words of most services. */
export const invalid = (message: string) => new Refusal(400, "INVALID_ARGUMENT", message);
/** 403 for what the account may not see. */
export const denied = (message: string) => new Refusal(403, "PERMISSION_DENIED", message);

/** What no client may send: kept, for a test to fail by, and refused as the service does. */
export class Strict {
  readonly violations: string[] = [];

  /** Notes a breach of the contract and refuses. */
  breach(what: string): never {
    this.violations.push(what);
    throw invalid(`Invalid request: ${what}`);
  }

  /** An object with no other fields than those. */
  fields(value: unknown, known: readonly string[], at: string): Record<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return this.breach(`${at} is no object`);
    }
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) this.breach(`Unknown name "${name}" at '${at}': Cannot find field.`);
    }
    return value as Record<string, unknown>;
  }

  /** A query string with no other names than those, each once. */
  query(params: URLSearchParams, known: readonly string[], at: string): Record<string, string> {
    for (const name of params.keys()) {
      if (!known.includes(name)) this.breach(`Unknown query parameter "${name}" at ${at}`);
      if (params.getAll(name).length > 1) this.breach(`Query parameter "${name}" stands twice at ${at}`);
    }
    return Object.fromEntries(params);
  }

  /** A list. */
  list(value: unknown, at: string): unknown[] {
    if (value === undefined) return [];
    return Array.isArray(value) ? value : this.breach(`${at} is no list`);
  }

  /** The whole body as JSON. */
  body(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return this.breach("the body is not JSON");
    }
  }
}
