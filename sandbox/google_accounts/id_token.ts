/** Identity tokens, truly signed, by a key that is made when the first is wanted. */

let key: Promise<CryptoKeyPair> | undefined;

const text = (value: unknown) => base64url(new TextEncoder().encode(JSON.stringify(value)));
const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Who somebody is, for one client, for an hour. */
export async function idToken(
  { iss, aud, sub, email }: { iss: string; aud: string; sub: string; email: string },
  now: number,
): Promise<string> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  };
  const { privateKey } = await (key ??= crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]));
  const iat = Math.floor(now / 1000);
  const claims = { iss, aud, azp: aud, sub, email, email_verified: true, iat, exp: iat + 3600 };
  const signed = `${text({ alg: "RS256", typ: "JWT", kid: "stand-in" })}.${text(claims)}`;
  const bytes = new TextEncoder().encode(signed);
  const signature = new Uint8Array(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", privateKey, bytes));
  return `${signed}.${base64url(signature)}`;
}
