/** A tag or category as it stands, compared with the one that was asked for. */
import type { Compared } from "../../_content/compared.ts";
import type { NewTerm, Term } from "./terms.ts";
import { slugDifference, valueDifference, wordsDifference } from "./warnings.ts";

/** Compares a term with what was asked for, also one that was there already and was left as it is. */
export function compareTerm(stored: Term, { parent_id, ...texts }: NewTerm, created: boolean): Compared {
  const found = [
    ...created ? wordsDifference("name", texts.name, stored.name) : [], // else it was found by it, in any case
    ...slugDifference(texts.slug, stored.slug),
    ...wordsDifference("description", texts.description, stored.description),
    ...valueDifference("parent_id", parent_id, stored.parent_id),
  ];
  if (created) return { differences: found };
  return {
    differences: found.map((one) => `${one}; one of that name was there already and was left as it is`),
  };
}
