/** What texts that ask another program for something set: flags of commands, SQL, routes of an API, GraphQL, tables. */
import type { Steps } from "../../core/steps.ts";
import { bare, OF_INTEREST, type Settings } from "./lines.ts";

const COMMAND =
  /^\s*(?:[$>]\s*)?(?:(?:\S{0,200}\/)?(?:wp|wp-cli\.phar|php|sudo|bash|sh|env|export|cd|post|page)\s|--?[a-z])/i;
const FLAG = /--([\w-]{1,64})(?:=|\s{1,8})("[^"]{0,200}"|'[^']{0,200}'|[^\s"']{1,200})/g;

/** What the flags of a command line set: `wp post update 5 --post_status=publish`. */
export function flagsSet(text: string, steps: Steps): Settings[] {
  if (!COMMAND.test(text)) return [];
  return [...steps.matches(FLAG, text)].filter(([flag]) => OF_INTEREST.test(flag))
    .map(([, name, value]) => ({ [name!]: bare(value!) }));
}

const SQL =
  /^[\s;(]*(?:\/\*[^*]{0,400}\*\/\s*)?(?:insert|update|replace|merge|set|with|begin|start)\b|^\s*[`"[]?[\w.`"]{0,80}status[`"\]]?\s*=\s*['"]/i;
const ASSIGNED =
  /status(?<=([\w.]{0,64}status))[`"\]]?\s{0,8}:?=\s{0,8}N?(?:'([^']{0,64})'|"([^"]{0,64})")/gi;
const COLUMN = /status(?<=[(,]\s{0,40}[`"[]?([\w.]{0,64}status))[`"\]]?\s{0,40}[,)]/i;
const WORD = /'([a-z_-]{1,20})'|"([a-z_-]{1,20})"/gi;

/** What SQL sets a status to; of what it inserts every word, where one of the columns is a status. */
export function sqlSets(text: string, steps: Steps): Settings[] {
  if (!SQL.test(text) || !/status/i.test(text)) return [];
  const assigned = [...steps.matches(ASSIGNED, text)].map(([, name, one, other]) => ({
    [name!]: one ?? other ?? "",
  }));
  const values = text.search(/\bvalues\b|\bselect\b/i);
  const column = values < 0 ? undefined : COLUMN.exec(text.slice(0, values))?.[1];
  if (column === undefined) return assigned;
  const words = [...steps.matches(WORD, text.slice(values))].map(([, one, other]) => one ?? other!);
  return [...assigned, { [column]: [...new Set(words)] }];
}

const MUTATION = /^\s*mutation\b/;
const FIELD = /status(?<=(\w{0,64}status))\s{0,8}:\s{0,8}"?(\w{1,64})/gi;

/** What GraphQL that changes something sets a status to. */
export const mutationSets = (text: string, steps: Steps): Settings[] =>
  MUTATION.test(text) ? [...steps.matches(FIELD, text)].map(([, name, value]) => ({ [name!]: value })) : [];

const ROUTE = /(?:^|\/)(?:wp-json\/|[\w-]{1,64}\/v\d+\/)|[?&]rest_route=/;
const ROUTE_CHARACTERS_MAX = 2000;

/** What stands behind the mark of a route of a site's API: `/wp/v2/pages/5?status=publish`. */
export function routeSets(text: string, steps: Steps): Settings[] {
  const mark = text.indexOf("?");
  if (mark < 0 || /\s/.test(text) || !ROUTE.test(text.slice(0, Math.min(mark + 20, ROUTE_CHARACTERS_MAX)))) {
    return [];
  }
  const query = text.slice(mark + 1);
  steps.takeEach("&", query);
  return OF_INTEREST.test(query) ? [Object.fromEntries(new URLSearchParams(query))] : [];
}

const SEPARATED = /[,;\t|]/;
const STATUS_CELL = /^"?\w{0,58}status"?$/i;
const CELL = /(?:^|[,;\t|])[ "]{0,4}([a-z_-]{1,20})[ "]{0,4}(?=[,;\t|\r\n]|$)/gim;

/** The words in the rows of a table whose first line names a status among its columns. */
export function tableSets(text: string, steps: Steps): Settings[] {
  const end = text.indexOf("\n");
  if (end < 0 || end > 4000) return [];
  const columns = text.slice(0, end).split(SEPARATED).map((one) => one.trim());
  const column = columns.length > 1 ? columns.find((one) => STATUS_CELL.test(one)) : undefined;
  if (column === undefined) return [];
  const words = new Set([...steps.matches(CELL, text.slice(end + 1))].map(([, word]) => word!));
  return [{ [bare(column)]: [...words].filter((word) => OF_INTEREST.test(word)) }];
}
