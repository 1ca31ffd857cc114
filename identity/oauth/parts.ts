/** What the endpoints of OAuth depend on. */
import type { AuthorizingPorts } from "./authorizing.ts";
import type { IssuingPorts } from "./issuing.ts";
import type { User } from "../../core/model.ts";

/** Who has signed in, as the browser's session says. */
export interface SignedIn {
  readonly user: User;
  readonly session_id: string;
  /** What a form of ours carries. */
  readonly csrf: string;
}

/** What the endpoints depend on. */
export interface OAuthParts extends AuthorizingPorts, IssuingPorts {
  readonly store: AuthorizingPorts["store"] & IssuingPorts["store"];
  signedIn(request: Request): Promise<SignedIn | null>;
  /** Logs a fault that is the gateway's own. */
  report(requestId: string, thrown: unknown): void;
}
