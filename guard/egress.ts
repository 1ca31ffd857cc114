/** The last look at each outgoing request: nothing is deleted, nothing is published without a grant. */
import { GatewayError } from "../errors.ts";
import type { Site } from "../model.ts";
import type { Outgoing, Platform, PublishGrant } from "../platforms/platform.ts";

/** What a request is judged by. */
export interface EgressRules {
  /** Its own rules come after those that hold for every upstream. */
  readonly platform: Pick<Platform<unknown>, "name" | "forbids">;
  readonly site: Site;
  /** Whether `guard/flags.ts` made that grant. */
  readonly granted: (grant: PublishGrant) => boolean;
  readonly now: number;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH"]);
/** `_method` as PHP reads a name: leading blanks dropped; blank, dot and an open bracket taken for `_`. */
const METHOD_NAME = /^\s*[_.\s[]method(\[|$)/i;
const METHOD_HEADER = /^x[-_](http[-_])?method([-_]override)?$/i;

/** Throws E_FORBIDDEN_OP when the request may never be sent; sends nothing and answers nothing otherwise. */
export function egress(rules: EgressRules, out: Outgoing): void {
  const why = forbiddenAnywhere(rules, out) ?? rules.platform.forbids?.(out, rules.now, rules.site) ?? null;
  if (why !== null) {
    throw new GatewayError("E_FORBIDDEN_OP", `The request to ${rules.platform.name} was not sent: ${why}`);
  }
}

function forbiddenAnywhere(rules: EgressRules, out: Outgoing): string | null {
  if (!METHODS.has(out.method)) return `the gateway never sends ${JSON.stringify(out.method)}`;
  if (out.json !== undefined && out.body !== undefined) return "it has two bodies";
  const url = URL.parse(out.url);
  if (url === null) return "its address cannot be read";
  if ([...url.searchParams.keys()].some(isMethodName)) return "its query changes the method";
  for (const [name, value] of Object.entries(out.headers ?? {})) {
    if (METHOD_HEADER.test(name.trim())) return `its header "${name.trim()}" changes the method`;
    if (/[\r\n\0]/.test(name + value)) return "a header holds a line break";
  }
  if (bodyNames(out).some(isMethodName)) return "its body changes the method";
  if (out.grant !== undefined && !rules.granted(out.grant)) return "its right to publish is not genuine";
  return null;
}

/** PHP reads a name up to its first NUL. */
const isMethodName = (name: string) => METHOD_NAME.test(name.split("\0", 1)[0]!);

/** The names of a body's top level: of JSON, of a form, of the parts of a multipart body. Images have none. */
function bodyNames(out: Outgoing): string[] {
  if (out.json !== undefined) return namesOf(out.json);
  if (out.body === undefined) return [];
  const kind =
    Object.entries(out.headers ?? {}).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  if (typeof out.body !== "string" && !/json|form|text/i.test(kind)) return [];
  const text = typeof out.body === "string" ? out.body : new TextDecoder().decode(out.body);
  const parts = [...text.matchAll(/\bname="?([^";\r\n]*)/gi)].map((match) => match[1] ?? "");
  return [...jsonNames(text), ...new URLSearchParams(text).keys(), ...parts];
}

function jsonNames(text: string): string[] {
  try {
    return namesOf(JSON.parse(text));
  } catch {
    return [];
  }
}

function namesOf(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
