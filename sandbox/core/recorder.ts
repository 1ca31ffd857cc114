/** What a stand-in was asked, as its tests look at it. */

/** What was answered, as it was sent. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; null when empty; text of anything else. */
  readonly body: unknown;
}

/** One request as it came in, and what became of it; `Q` is how the vendor reads a query. */
export interface RecordedRequest<Q = Readonly<Record<string, string>>> {
  readonly method: string;
  /** What the vendor takes the method to be. */
  readonly effective_method: string;
  /** Percent-encoded, as it came. */
  readonly path: string;
  /** The request line's target, byte for byte. */
  readonly target: string;
  readonly query: Q;
  /** As they came, credentials too; `shown` leaves those out. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON or form; text of other texts; bytes of the rest; null when empty. */
  readonly body: unknown;
  /** By the stand-in's clock, in milliseconds. */
  readonly at: number;
  /** The kind of fault it met; null when it went well. */
  readonly fault: string | null;
  /** What the client got; null while it waits, when it got nothing, and where answers are not recorded. */
  readonly answer: RecordedAnswer | null;
}

const SECRET_HEADER = /authorization|cookie|token|secret|api-?key/i;
const READS = ["GET", "HEAD", "OPTIONS"];

/** Whether a request asked for a change, by its effective method. */
export function isWrite({ effective_method }: Pick<RecordedRequest, "effective_method">): boolean {
  return !READS.includes(effective_method);
}

/** A request for the eyes: headers that hold credentials say only that they were there. */
export function shown<R extends Pick<RecordedRequest, "headers">>(row: R): R {
  const headers = Object.entries(row.headers).map(([name, value]) =>
    [name, SECRET_HEADER.test(name) ? "(hidden)" : value] as const
  );
  return { ...row, headers: Object.fromEntries(headers) };
}

/** Text as parsed JSON, or as it stands; null when empty. */
export function parsed(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A body as it is recorded: parsed by its type, text where it is text, else its bytes; null when empty. */
export function recordedBody(bytes: Uint8Array<ArrayBuffer>, type: string): unknown {
  if (bytes.length === 0) return null;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes;
  }
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  return parsed(text);
}

/** An answer as it is recorded, which can still be sent. */
export async function recordedAnswer(answer: Response): Promise<RecordedAnswer> {
  const text = await answer.clone().text();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: parsed(text) };
}
