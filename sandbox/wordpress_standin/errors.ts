/** Errors of the WordPress REST API: a code, a sentence, a status and further data. */

/** Thrown by a route of the stand-in; becomes the error body WordPress would send. */
export class RestError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = "RestError";
  }

  /** `{code, message, data: {status, …}}`. */
  body(): { code: string; message: string; data: Record<string, unknown> } {
    return { code: this.code, message: this.message, data: { status: this.status, ...this.data } };
  }
}

/** Who asks; decides between 401 (nobody) and 403 (somebody without the right). */
export interface Asker {
  readonly id: number;
}

/** A refusal for want of a right: 401 for an anonymous request, else 403. */
export function refused(asker: Asker | null, code: string, message: string): RestError {
  return new RestError(code, message, asker === null ? 401 : 403);
}

/** The general refusal. */
export function forbidden(
  asker: Asker | null,
  message = "Sorry, you are not allowed to do that.",
): RestError {
  return refused(asker, "rest_forbidden", message);
}

/** What one parameter did wrong. */
export interface ParamFault {
  readonly code: string;
  readonly message: string;
  readonly data?: unknown;
}

/** 400 `rest_invalid_param` naming every wrong parameter. */
export function invalidParams(faults: ReadonlyMap<string, ParamFault>): RestError {
  const params: Record<string, string> = {};
  const details: Record<string, unknown> = {};
  for (const [name, fault] of faults) {
    params[name] = fault.message;
    details[name] = { code: fault.code, message: fault.message, data: fault.data ?? null };
  }
  const names = [...faults.keys()].join(", ");
  return new RestError("rest_invalid_param", `Invalid parameter(s): ${names}`, 400, { params, details });
}
