/** An authority of the tests' own, and certificates by it: no private key lies in a file. */
import { isIP } from "node:net";
import type { Identity } from "../sandbox/core/tls.ts";
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "./packages/x509.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 60 * 60_000;

/** Issues certificates; whoever trusts `pem` trusts them. */
export interface Authority {
  readonly pem: string;
  /** A certificate for those names and addresses, valid until then; for a day where that is left out. */
  issue(names: readonly string[], until?: Date): Promise<Identity>;
}

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);

/** Makes an authority: some 10 ms, nothing on disk. */
export async function newAuthority(): Promise<Authority> {
  const keys = await newKeys();
  const name = `CN=authority of a test ${crypto.randomUUID()}`;
  const since = new Date(Date.now() - 2 * DAY_MS);
  const root = await X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    notBefore: since,
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    pem: root.toString("pem"),
    async issue(names, until = new Date(Date.now() + DAY_MS)) {
      const own = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        subject: "CN=test",
        issuer: name,
        notBefore: since,
        notAfter: until,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new BasicConstraintsExtension(false),
          new SubjectAlternativeNameExtension(
            names.map((value) => ({ type: isIP(value) === 0 ? "dns" as const : "ip" as const, value })),
          ),
        ],
      });
      const key = await crypto.subtle.exportKey("pkcs8", own.privateKey);
      return { cert: certificate.toString("pem"), key: PemConverter.encode(key, "PRIVATE KEY") };
    },
  };
}
