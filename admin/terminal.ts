/** What the command line is given of the machine, and how it ends when its operator must put something right. */

/** Something the operator must put right; shown without a trace, exit code 1. */
export class CommandError extends Error {}

/** What the command line is given of the machine. */
export interface Terminal {
  readonly env: (name: string) => string | undefined;
  /** Standard input to its end, or one line of it where a person types. */
  readonly stdin: () => Promise<string>;
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** A secret as `dev` and `demo` keep it, or null. */
  readonly kept: (name: "MASTER_TOKEN" | "ENCRYPTION_KEYS") => string | null;
  /** Waits; false when it is time to stop. */
  readonly wait: (ms: number) => Promise<boolean>;
}
