/** What a refusal of the CRM is about: one thing, a permission, a whole route. Tools ask, so it loads no client. */
import { GatewayError } from "../../core/errors.ts";

/** Whether the CRM's words say that a route is closed to tokens of integrations. */
export const isUnsupported = (words: string): boolean => /not yet supported/i.test(words);

/** Whether a refusal with that status and those words is for a permission that the token lacks. */
export const isOfScope = (status: number, words: string): boolean =>
  (status === 401 || status === 403) && !isUnsupported(words) && /scope/i.test(words);

/** Whether the route is closed to this kind of token, or not there: nobody can open it. */
export function isClosedRoute(error: GatewayError): boolean {
  return error.upstream === 404 || (error.upstream === 401 && isUnsupported(error.excerpt ?? ""));
}

/** Whether the token may not read that: its location's other data can be read all the same. */
export function lacksPermission(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === "E_UPSTREAM" &&
    isOfScope(error.upstream ?? 0, error.excerpt ?? "");
}

/** Statuses that say nothing against what was asked for, but against who asks, or how often. */
const OF_THE_CALLER: readonly number[] = [401, 429];

/** Whether it is one thing that was refused, such as a calendar that is gone, and not the token or the pace. */
export function refusesOne(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError) || error.code !== "E_UPSTREAM") return false;
  const status = error.upstream ?? 0;
  return status >= 400 && status < 500 && !OF_THE_CALLER.includes(status) && !lacksPermission(error);
}
