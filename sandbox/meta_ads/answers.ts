/** Answers in Meta's form, and how it refuses. */
import { json } from "../core/answers.ts";

/** A refusal on its way to the answer. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly more: { readonly subcode?: number; readonly status?: number; readonly transient?: boolean } = {},
  ) {
    super(message);
  }
}

/** Its answer. */
export function refused({ code, message, more: { subcode, status = 400, transient } }: Refusal): Response {
  const error = {
    message: code === 1 || code === 2 || code === 190 ? message : `(#${code}) ${message}`,
    type: "OAuthException",
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    ...(transient === undefined ? {} : { is_transient: transient }),
    fbtrace_id: "AStandInTrace",
  };
  return json({ error }, status);
}

/** A bad parameter. */
export const bad = (message: string, subcode?: number) =>
  new Refusal(100, message, subcode === undefined ? {} : { subcode });

/** A list as Meta takes it: JSON, or with commas. */
export function listOf(name: string, text: string | null): string[] {
  if (text === null || text === "") return [];
  if (!text.startsWith("[")) return text.split(",");
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((one) => typeof one === "string")) return list;
  } catch {
    // said below
  }
  throw bad(`Param ${name} must be an array`);
}

/** Refuses what is not among the known ones. */
export function among(name: string, values: readonly string[], known: ReadonlySet<string>): void {
  values.forEach((one, at) => {
    if (!known.has(one)) {
      throw bad(`${name}[${at}] must be one of the following values: ${[...known].join(", ")}`);
    }
  });
}

/** Refuses parameters that no question here has: a stand-in that passes them over would hide a slip. */
export function only(query: URLSearchParams, names: readonly string[]): void {
  for (const name of query.keys()) {
    if (!names.includes(name)) throw bad(`Unknown parameter ${name}`);
    if (query.getAll(name).length > 1) throw bad(`Parameter ${name} is given twice`);
  }
}

/** A page of a list, with the cursors and the links of Meta, which hold the token. */
export function paged(
  rows: readonly unknown[],
  url: URL,
  token: string,
  limits: { readonly usual: number; readonly most: number },
): object {
  const query = url.searchParams;
  const limit = Number(query.get("limit") ?? limits.usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.most) throw bad("Param limit is out of range");
  const after = query.get("after");
  const from = after === null ? 0 : offsetOf(after);
  if (from > rows.length) throw new Refusal(2642, "Invalid cursors values");
  const data = rows.slice(from, from + limit);
  if (data.length === 0) return { data };
  const cursors = { before: cursorOf(from), after: cursorOf(from + data.length) };
  const next = new URL(url);
  next.searchParams.set("access_token", token);
  next.searchParams.set("after", cursors.after);
  const more = from + data.length < rows.length;
  return { data, paging: { cursors, ...(more ? { next: next.href } : {}) } };
}

const cursorOf = (offset: number) => btoa(`after:${offset}`);

function offsetOf(cursor: string): number {
  try {
    const [, digits] = /^after:(\d+)$/.exec(atob(cursor)) ?? [];
    if (digits !== undefined) return Number(digits);
  } catch {
    // said below
  }
  throw new Refusal(2642, "Invalid cursors values");
}
