/** The egress policy, asked of each outgoing request: to its own origins, nothing deleted, nothing published without a grant. */
import { GatewayError } from "../core/errors.ts";
import type { Connector, PolicyContext } from "../platforms/_connector/connector.ts";
import type { Outgoing, PublishGrant } from "../platforms/_http/request.ts";

/** What a request is judged by. */
export interface EgressRules {
  /** Its own policy comes after what holds for every upstream. */
  readonly connector: Pick<Connector, "name" | "policy">;
  /** Where requests may go; `public` is every public https address. */
  readonly origins: readonly string[] | "public";
  readonly ctx: PolicyContext;
  /** Whether `guard/pipeline/flags.ts` made that grant. */
  readonly granted: (grant: PublishGrant) => boolean;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH"]);
/** `_method` as PHP reads a name: leading blanks dropped; blank, dot and an open bracket taken for `_`. */
const METHOD_NAME = /^\s*[_.\s[]method(\[|$)/i;
const METHOD_HEADER = /^x[-_](http[-_])?method([-_]override)?$/i;

/** Headers that are no credential, which is all that goes to any public address. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "user-agent"]);

/** Throws E_FORBIDDEN_OP when the request may never be sent; sends nothing and answers nothing otherwise. */
export function egress(rules: EgressRules, out: Outgoing): void {
  const { connector } = rules;
  const policy = () => connector.policy ? connector.policy(out, rules.ctx) : "the connector has no policy";
  const url = URL.parse(out.url);
  const why = forbiddenAnywhere(rules, out, url) ?? offOrigin(rules, out, url!) ?? policy();
  if (why !== null) {
    throw new GatewayError("E_FORBIDDEN_OP", `The request to ${connector.name} was not sent: ${why}`);
  }
}

/** An origin is scheme, host and port; a path behind it is the policy's to judge. */
function offOrigin({ origins }: EgressRules, out: Outgoing, url: URL): string | null {
  if (origins === "public") return offPublic(out);
  const { origin, protocol, username, password } = url;
  if (protocol !== "https:" && protocol !== "http:") return `"${protocol}" is no way to an upstream`;
  if (username !== "" || password !== "") return "its address holds a user name or a password";
  if (origins.some((one) => isOf(origin, one))) return null;
  return `"${origin}" is not where its upstream is`;
}

/** Whether that address is of the origin; one that begins with it need not be parsed. */
const isOf = (origin: string, address: string) =>
  address === origin || address.startsWith(`${origin}/`) || URL.parse(address)?.origin === origin;

/** What leaves for an address that anybody may have named; which addresses are public, platforms/_http/addresses.ts tells. */
function offPublic(out: Outgoing): string | null {
  if (!out.public_only) return "it might reach a private address";
  const carried = Object.keys(out.headers ?? {}).find((name) => !HARMLESS_HEADERS.has(name.toLowerCase()));
  if (carried === undefined) return null;
  return `what may go anywhere gets no credentials, and its header "${carried}" could be one`;
}

function forbiddenAnywhere(rules: EgressRules, out: Outgoing, url: URL | null): string | null {
  const isKnown = METHODS.has(out.method) || (out.method === "DELETE" && rules.ctx.cleaning === true);
  if (!isKnown) return `the gateway never sends ${JSON.stringify(out.method)}`;
  if (out.json !== undefined && out.body !== undefined) return "it has two bodies";
  if (url === null) return "its address cannot be read";
  if (url.search !== "" && [...url.searchParams.keys()].some(isMethodName)) {
    return "its query changes the method";
  }
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
