/** A tag or category as it stands, compared with the one that was asked for. */
import type { Compared } from "../../_content/compared.ts";
import type { NewTerm, Term } from "./terms.ts";
import { slugLoss, valueLoss, wordsLoss } from "./warnings.ts";

/** Compares a term with what was asked for, also one that was there already and was left as it is. */
export function compareTerm(stored: Term, { parent_id, ...texts }: NewTerm, created: boolean): Compared {
  const found = [
    ...created ? wordsLoss("name", texts.name, stored.name) : [], // else it was found by it, in any case
    ...slugLoss(texts.slug, stored.slug),
    ...wordsLoss("description", texts.description, stored.description),
    ...valueLoss("parent_id", parent_id, stored.parent_id),
  ];
  if (created) return { differences: found };
  return {
    differences: found.map((one) => `${one}; one of that name was there already and was left as it is`),
  };
}
