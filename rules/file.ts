/** What is refused about a file of a repository: its size, and a caller who read another one. */
import { GatewayError } from "../core/errors.ts";

/** Throws E_FILE_TOO_LARGE over the limit, both in bytes. */
export function checkFileSize(bytes: number, limit: number, field: string): void {
  if (bytes <= limit) return;
  throw new GatewayError(
    "E_FILE_TOO_LARGE",
    `${field}: has ${bytes} bytes, over the ${limit} of one file; make it smaller`,
  );
}

/** Throws E_SHA_MISMATCH, naming the sha that stands, when a caller read something else; without a sha nothing is asked. */
export function checkSha(
  sha: string | undefined,
  standing: { readonly path: string; readonly sha: string },
  field = "sha",
): void {
  if (sha === undefined || sha === standing.sha) return;
  throw new GatewayError(
    "E_SHA_MISMATCH",
    `${field}: ${
      JSON.stringify(standing.path)
    } has changed since it was read and is ${standing.sha} now; read it again`,
  );
}
