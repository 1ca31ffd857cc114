/** The rules that rulesets ask of a branch, whoever may bypass them (docs/upstreams/github.md, "Contents, git objects, branches"). */
import { z } from "zod";
import { encoded, type RepoWire } from "./wire.ts";

const RULES = z.array(z.object({
  type: z.string(),
  parameters: z.object({
    required_status_checks: z.array(z.object({ context: z.string() })).optional().catch(undefined),
  }).optional().catch(undefined),
}));
const RULES_MAX = 100;

/** Reads only, of a branch that need not be there. Classic protection is not among them. Throws E_UPSTREAM. */
export const listedRules = (wire: RepoWire, branch: string): Promise<z.output<typeof RULES>> =>
  wire.ask({
    method: "GET",
    path: `/rules/branches/${encoded(branch)}`,
    query: { per_page: RULES_MAX },
    schema: RULES,
  });
