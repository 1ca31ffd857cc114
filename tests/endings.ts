/** How a call through a door ended, read from the answer. */
import type { Code } from "../core/errors.ts";

/** How a call ended: what was answered, of a site's own tool with what the gateway says beside it; or the refusal. */
export type Ending = { readonly value: unknown; readonly beside?: unknown } | {
  readonly code: Code;
  readonly message: string;
  status: number;
};

/** Reads it. */
export async function endingOf(door: "rest" | "mcp", response: Response): Promise<Ending> {
  const { ok, result, error, ...beside } = await response.json();
  if (door === "rest") {
    if (!ok) return { ...error, status: response.status };
    return beside.answered_by === "site" ? { value: result, beside } : { value: result };
  }
  const text: string = result.content[0].text;
  if (!result.isError) {
    const value = /^[[{]/.test(text) ? JSON.parse(text) : text;
    const { _meta: said } = result;
    return said?.["site-operations/answered-by"] === "site" ? { value, beside: said } : { value };
  }
  const [, code, message] = /^(E_[A-Z0-9_]+): ([\s\S]*)$/.exec(text) ?? [];
  return { code: code as Code, message: message ?? "", status: response.status };
}
