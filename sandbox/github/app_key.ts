/** The app's key pair, and the look at a JSON web token signed with it. */
import { Buffer } from "node:buffer";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { badCredentials, Refusal } from "./answer.ts";

/** The app as its owner configures it. */
export interface App {
  readonly id: number;
  readonly client_id: string;
  readonly slug: string;
  /** PEM, PKCS#1: as it is handed out. */
  readonly private_key: string;
  /** The same key in PKCS#8. */
  readonly private_key_pkcs8: string;
}

const LIFE_MAX_S = 600;
/** Clocks may differ by that much. */
const SKEW_S = 60;

/** A key pair for one app; some 70 ms. */
function makeApp(): App {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = (type: "pkcs1" | "pkcs8") => privateKey.export({ type, format: "pem" }).toString();
  const identity = { id: 428_117, client_id: "Iv23liSandboxGateway", slug: "site-gateway" };
  return { ...identity, private_key: pem("pkcs1"), private_key_pkcs8: pem("pkcs8") };
}

let made: App | undefined;

/** The app of this process; its key is made once, whatever the number of hosts. */
export function theApp(): App {
  return made ??= makeApp();
}

function part(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text ?? "", "base64url").toString());
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Not JSON: said below.
  }
  throw new Refusal(401, "A JSON web token could not be decoded");
}

/** Accepts a token the app signed, at a time in seconds. Throws a Refusal (401, 404) as the API would. */
export function checkAppToken(app: App, token: string, now: number): void {
  const [head, body, signature = ""] = token.split(".");
  if (part(head)["alg"] !== "RS256") throw new Refusal(401, "A JSON web token could not be decoded");
  const { iat, exp, iss } = part(body);
  if (String(iss) !== String(app.id) && iss !== app.client_id) {
    throw new Refusal(404, "Integration not found");
  }
  const key = createPublicKey(app.private_key);
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify("sha256", signed, key, Buffer.from(signature, "base64url"))) {
    throw new Refusal(401, "A JSON web token could not be decoded");
  }
  if (!Number.isInteger(iat) || Number(iat) > now + SKEW_S) {
    const must = "must be an Integer representing the time that the assertion was issued";
    throw new Refusal(401, `'Issued at' claim ('iat') ${must}`);
  }
  if (!Number.isInteger(exp) || Number(exp) <= now - SKEW_S) {
    const must = "must be a numeric value representing the future time at which the assertion expires";
    throw new Refusal(401, `'Expiration time' claim ('exp') ${must}`);
  }
  if (Number(exp) > now + LIFE_MAX_S + SKEW_S || Number(exp) - Number(iat) > LIFE_MAX_S + SKEW_S) {
    throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
  }
}

/** The credential of an Authorization header: `Bearer` or `token`. Throws a Refusal (401). */
export function credentialOf(header: string | null): string {
  if (header === null) throw new Refusal(401, "Requires authentication");
  const found = /^(?:bearer|token) +(\S+)$/i.exec(header);
  if (!found) throw badCredentials();
  return found[1]!;
}
