/** The check of diagnose_site: whether the project answers to its token; asked at most once in three hours. */
import { type Check, fail, pass, probe, unknown, withDeadline } from "../_connector/checks.ts";
import type { Configured, SiteContext } from "../_connector/connector.ts";
import { Behavior } from "./client.ts";
import type { ClaritySettings } from "./wire.ts";

const NAME = "behavior";

/** The check, over within that time; `assertConfigured` refuses a site that is linked to no project. */
export async function projectCheck(
  ctx: SiteContext<ClaritySettings>,
  limitMs: number,
  assertConfigured: (configured: Configured<ClaritySettings>) => void,
): Promise<Check[]> {
  const linked = await probe(() => Promise.resolve(assertConfigured(ctx)));
  if (linked.error) return [fail(NAME, linked.error.message, "Set what is missing, then diagnose again")];
  const client = new Behavior(withDeadline(ctx, ctx.now() + limitMs));
  const pulled = await probe(() => client.pull({ num_of_days: 1, dimensions: [] }));
  if (!pulled.error) return [pass(NAME, answers(client.project_id, pulled.found.cached))];
  return [refusal(pulled.error.message, pulled.error.upstream ?? 0)];
}

const answers = (project: string, cached: boolean) =>
  `Clarity answers to the token of project "${project}"${cached ? ", within the last three hours" : ""}`;

function refusal(message: string, status: number): Check {
  return status === 401 || status === 403
    ? fail(NAME, message, "Make a new export token, set it, then diagnose again")
    : unknown(NAME, message, status === 429 ? "Diagnose again after 00:00 UTC" : "Diagnose again");
}
