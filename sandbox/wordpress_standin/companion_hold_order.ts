/** What a held request asks for, as its header and body say (docs/upstreams/wordpress.md, "Held calls", "Asking"). */
import { fault } from "./companion.ts";

/** Effects that no call may be allowed. */
const NEVER = ["publish", "schedule", "code", "people", "delete"];

/** What a held call may do, and what it is compared with. */
export interface Order {
  readonly mode: "dry" | "hold";
  readonly id: string;
  readonly allow: readonly string[];
  readonly of: number | null;
  readonly expect: string | null;
  readonly own: readonly string[];
  readonly files: boolean;
}

/** Reads the header. Throws 400 `site_ops_hold_header`. */
export function orderOf(text: string): Order {
  const [mode = "", ...parts] = text.split("; ");
  const fields = new Map(parts.map((part) => part.split("=") as [string, string]));
  const [id = "", allow = [], own = []] = [
    fields.get("id"),
    fields.get("allow")?.split(","),
    fields.get("own")?.split(","),
  ];
  const known = ["id", "allow", "of", "files", "expect", "http", "own"];
  const isWrong = !/^[0-9a-f]{32}$/.test(id) || (mode !== "dry" && mode !== "hold") ||
    [...fields.keys()].some((name) => !known.includes(name)) || allow.some((one) => NEVER.includes(one));
  if (isWrong) throw fault("hold_header", 400, `X-Site-Ops-Hold cannot be read: ${text}`);
  const of = fields.has("of") ? Number(fields.get("of")) : null;
  return {
    mode: mode as "dry",
    id,
    allow,
    own,
    of,
    expect: fields.get("expect") ?? null,
    files: fields.has("files"),
  };
}

/** What a tool server gets of a call that came by the companion plugin's own method. */
export const asPlainCall = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    new TextDecoder().decode(bytes).replace('"method":"site-ops/tools/call"', '"method":"tools/call"'),
  );
