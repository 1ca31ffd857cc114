/** Rules of branches: what a pull request, a linear history and a status check ask of a commit, and the route that names them. */
import { asInstallation, type Routes } from "./access.ts";
import { type Json, json, Refusal } from "./answer.ts";
import { fullName, type Repository } from "./state.ts";

const RULESET = 4711;

/**
 * What the rules say against moving a branch to a commit, in the host's words as others have seen them over the API
 * (satisfactory-factories/application issue 67) and with `git push` (vndee/llm-sandbox pull request 182); null where nothing.
 */
async function against(
  { bare, rules, passed }: Repository,
  branch: string,
  to: string,
): Promise<string | null> {
  const own = rules.get(branch);
  if (own === undefined) return null;
  const words: string[] = [];
  if (own.pull_request) words.push("Changes must be made through a pull request.");
  if (own.linear_history) {
    const added = await bare.between(await bare.head(branch), to);
    const commits = await Promise.all(added.map((sha) => bare.commit(sha)));
    if (commits.some((one) => (one?.parents.length ?? 0) > 1)) {
      words.push("This branch must not contain merge commits.");
    }
  }
  for (const name of own.status_checks ?? []) {
    if (!passed.get(to)?.has(name)) words.push(`Required status check "${name}" is expected.`);
  }
  if (words.length === 0) return null;
  return own.by === "classic"
    ? words.join(" ")
    : `Repository rule violations found\n\n${words.join("\n\n")}\n\n`;
}

/** Refuses to move a branch where its rules say so; `doing` goes before the words. Throws a Refusal (422, or 409 of a file). */
export async function checkRules(
  repo: Repository,
  branch: string,
  to: string,
  doing?: string,
): Promise<void> {
  const words = await against(repo, branch, to);
  if (words === null) return;
  throw doing === undefined ? new Refusal(422, words) : new Refusal(409, `${doing}: ${words}`);
}

/**
 * Refuses to take a branch away that has rules, in the host's words as others have seen them: of classic protection
 * (suzuki-shunsuke/lock-action pull request 255), of a ruleset (referential-ai/platonic issue 596). Throws a Refusal (422).
 */
export function checkRemoval(repo: Repository, branch: string): void {
  const own = repo.rules.get(branch);
  if (own === undefined) return;
  const words = "Cannot delete this branch";
  throw new Refusal(
    422,
    own.by === "classic"
      ? "Cannot delete this protected branch"
      : `Repository rule violations found\n\n${words}\n\n`,
  );
}

/** The rules of rulesets for a branch, as the API lists them; of classic protection it lists nothing. */
function rulesView(repo: Repository, branch: string): Json[] {
  const own = repo.rules.get(branch);
  if (own === undefined || own.by === "classic") return [];
  const of = { ruleset_source_type: "Repository", ruleset_source: fullName(repo), ruleset_id: RULESET };
  const rows: Json[] = [{ type: "deletion" }, { type: "non_fast_forward" }];
  if (own.linear_history) rows.push({ type: "required_linear_history" });
  if (own.pull_request) rows.push({ type: "pull_request", parameters: REVIEWS });
  if (own.status_checks !== undefined) {
    const required_status_checks = own.status_checks.map((context) => ({ context }));
    rows.push({
      type: "required_status_checks",
      parameters: { strict_required_status_checks_policy: false, required_status_checks },
    });
  }
  for (const type of own.more ?? []) rows.push({ type });
  return rows.map((row) => ({ ...row, ...of }));
}

const REVIEWS = {
  dismiss_stale_reviews_on_push: false,
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_approving_review_count: 1,
  required_review_thread_resolution: false,
};

/** Adds the route. The branch need not be there. */
export function addRules(app: Routes): void {
  app.get("/repos/:owner/:repo/rules/branches/:branch{.+}", (c) => {
    const { repo, query } = asInstallation(c, "metadata");
    const per = Math.min(100, Number(query.get("per_page") ?? 30));
    const from = (Number(query.get("page") ?? 1) - 1) * per;
    return json(rulesView(repo, c.req.param("branch") ?? "").slice(from, from + per));
  });
}
