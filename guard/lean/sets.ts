/** What became of a change set as an agent reads it: what is so of all items once. */
import { isFields } from "../../core/values.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A key with its value where every item has the same; nothing where they differ. */
export function sharedBy(items: readonly Fields[], name: string): Fields {
  const values = new Set(items.map((one) => one[name]));
  const [value] = values;
  return values.size === 1 && value != null ? { [name]: value } : {};
}

/**
 * The answer of a change set: the site of all items once, and where all are done and proven only what each made. An item
 * that is not done says all that it did before. Answered right after its confirmation (`isOwn`), the set does not repeat its
 * title, and an item that is done names neither its tool nor its call: the caller has sent them, and get_change_set has them.
 * Of several commits on one branch the last is named, which holds the others; why nobody looked at several items is said
 * once. Any other answer is the same.
 */
export function leanSet(answer: Fields, isOwn: boolean): Fields {
  const { set_id, items, counts, verified } = answer;
  if (typeof set_id !== "string" || !Array.isArray(items) || !items.every(isFields)) return answer;
  const { title, ...rest } = answer;
  const site = sharedBy(items, "site_id");
  const named = new Set<string>();
  const areDone = isFields(counts) && Object.keys(counts).join() === "done";
  const branch = areDone && "site_id" in site ? sharedBy(items, "branch") : {};
  const unseen = items.length > 1 ? sharedBy(items, "live_reason") : {};
  return {
    ...isOwn || title === undefined ? {} : { title },
    ...rest,
    ...site,
    ...branch,
    ...unseen,
    items: items.map((item, at) => {
      const { item: n, site_id, tool, request_id, state, verified: own, live, live_reason, ...made } = item;
      return {
        item: n,
        ..."site_id" in site ? {} : { site_id },
        ...isOwn && state === "done" ? {} : { tool, ...request_id === undefined ? {} : { request_id } },
        ...areDone ? {} : { state },
        ...withoutTwins("branch" in branch ? lastCommit(made, at, items) : made, named),
        ...own === undefined || (own === true && verified === true) ? {} : { verified: own },
        ...live == null ? {} : { live: seen(live) },
        ...live_reason === undefined || "live_reason" in unseen ? {} : { live_reason },
      };
    }),
  };
}

/** What an item made on the branch of all, its commit only where no later one holds it. */
function lastCommit(
  { branch: _, commit_sha, ...made }: Fields,
  at: number,
  items: readonly Fields[],
): Fields {
  const isLast = items.slice(at + 1).every((other) => other["commit_sha"] === undefined);
  return isLast && commit_sha !== undefined ? { ...made, commit_sha } : made;
}

/** An id once, which some answers have under the name of the argument as well; and the address of a thing once. */
function withoutTwins({ post_id, path, url, ...rest }: Fields, named: Set<string>): Fields {
  const name = `${rest["id"]} ${url}`;
  const isNew = url !== undefined && !named.has(name);
  named.add(name);
  return {
    ...post_id === undefined || post_id === rest["id"] ? {} : { post_id },
    ...path === undefined || path === rest["id"] ? {} : { path },
    ...rest,
    ...isNew ? { url } : {},
  };
}

/** What visitors get of an item: where it is as it should be, only that. */
const seen = (live: unknown): unknown =>
  isFields(live) && live["as_expected"] === true ? { as_expected: true } : live;
