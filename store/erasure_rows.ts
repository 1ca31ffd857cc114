/** Which rows of the audit go with an erased site or person, and what rows of others lose. */
import type { AuditRow } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import { sitesOf } from "./audit/segment.ts";
import type { Erased } from "./erasure_rules.ts";

const ERASED = "(erased)";

/** Which rows of the audit go, and which only stop naming it. */
export function rowsOf(of: Erased) {
  const texts = of.kind === "site"
    ? [JSON.stringify(of.id)]
    : [of.id, ...of.names, ...of.names.map((one) => one.toLowerCase()), ...of.tokens];
  return { needles: [...new Set(texts)], judge: of.kind === "site" ? siteJudge(of) : personJudge(of) };
}

/** What names a site in a row of an operator's, beside what is called one. */
const OF_SITES = ["id", "shared_with"];

/** A site's id can be any word, so that elsewhere only lists of sites and what is called a site are taken for it. */
function siteJudge({ id }: Erased) {
  return (row: AuditRow): AuditRow | null => {
    if (sitesOf(row).includes(id)) return null;
    const isOf = (text: string, name: string) =>
      text === id && (name.includes("site") || (row.door === "admin" && OF_SITES.includes(name)));
    const { arguments: args, ...rest } = row;
    const left = without({ args: withoutCallsOn(args, id) }, isOf);
    return left.args === args ? row : { ...rest, arguments: left.args };
  };
}

/** Of a call that holds calls on several sites, as that of a change set does, those on one go with all they say. */
function withoutCallsOn(args: unknown, id: string): unknown {
  if (typeof args !== "object" || args === null) return args;
  if (isFields(args) && args["site_id"] === id) return { site_id: ERASED };
  if (Array.isArray(args)) {
    const left = args.map((one) => withoutCallsOn(one, id));
    return left.some((one, at) => one !== args[at]) ? left : args;
  }
  const left = Object.entries(args).map(([name, one]) => [name, withoutCallsOn(one, id)] as const);
  return left.some(([name, one]) => one !== (args as Record<string, unknown>)[name])
    ? Object.fromEntries(left)
    : args;
}

/** Ids and e-mail addresses are nobody else's, wherever they stand. */
function personJudge({ id, names, tokens }: Erased) {
  const words = [id, ...names.map((one) => one.toLowerCase()), ...tokens.map((one) => one.toLowerCase())];
  return (row: AuditRow): AuditRow | null => {
    const { owner_user_id, token_id, arguments: args } = row;
    const about = row.door === "admin" && isFields(args) && args["user_id"] === id;
    if (owner_user_id === id || tokens.includes(token_id) || about) return null;
    return without(row, (text) => {
      const lower = text.toLowerCase();
      return text.includes(id) || words.some((word) => lower.includes(word));
    });
  };
}

/** The record with what `isOf` says of it taken out; itself where that is nothing. */
function without<T extends object>(record: T, isOf: (text: string, name: string) => boolean): T {
  let isChanged = false;
  const copy = (value: unknown, name: string): unknown => {
    if (typeof value === "string") {
      if (!isOf(value, name)) return value;
      isChanged = true;
      return ERASED;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => copy(one, name));
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [copy(key, name), copy(one, key)]));
  };
  const left = copy(record, "") as T;
  return isChanged ? left : record;
}
