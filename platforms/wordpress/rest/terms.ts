/** Tags and categories: names to ids, lists, and new ones. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import { allOrThrow } from "../../../core/async.ts";
import type { Making } from "../../../core/model.ts";
import { isDoubtful } from "../../_http/failures.ts";
import { CmsError } from "../errors.ts";
import { type ContentRecord, fieldsOf, plainName, TERM, type TermRecord, totals } from "./records.ts";
import { accountIfShown, hasRight } from "./users.ts";
import { slugDifference, valueDifference, wordsDifference } from "./warnings.ts";
import type { Query, WordPressClient } from "./wordpress_client.ts";
import type { Compared } from "../../_content/compared.ts";

/** The two vocabularies of posts. */
export type Taxonomy = "tag" | "category";

/** A name a caller gave; `id` is null where the site has no such term yet. */
export interface TermPick {
  readonly name: string;
  readonly id: number | null;
}

/** A term in this gateway's words. */
export interface Term {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly count: number;
  readonly parent_id: number | null;
  readonly description: string;
}

/** What may be set of a term that is made. */
export interface NewTerm {
  readonly name: string;
  readonly slug?: string;
  readonly description?: string;
  readonly parent_id?: number;
}

/** Which terms to list. */
export interface TermsQuery {
  readonly search?: string;
  readonly page: number;
  readonly per_page: number;
}

/** A page of terms; the totals are null where the site did not tell them. */
export interface TermList {
  readonly terms: readonly Term[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number | null;
  readonly total_pages: number | null;
}

const TAXONOMY = { tag: "post_tag", category: "category" } as const;
const ROUTE = { tag: "wp/v2/tags", category: "wp/v2/categories" } as const;
const FIELDS = fieldsOf(TERM);
const TERMS = z.array(TERM);
const PER_PAGE = 100;

const same = (a: string, b: string) => a.localeCompare(b, "en", { sensitivity: "accent" }) === 0;

/** A name as people type it: the CMS takes the same letters in another Unicode form for another name. */
const composed = (name: string) => name.normalize("NFC");

function term(record: TermRecord): Term {
  const { id, name, slug, count, parent, description } = record;
  return {
    id,
    name: plainName(name),
    slug,
    count,
    parent_id: parent || null,
    description: plainName(description),
  };
}

/** One page of terms. Terms are public, so the account is proven beside, once a minute. */
export async function listTerms(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  query: TermsQuery,
): Promise<TermList> {
  const { page, per_page, search } = query;
  const asked = { page, per_page, search: escaped(search), _fields: FIELDS };
  const [, got] = await allOrThrow(accountIfShown(wire), wire.get(ROUTE[taxonomy], asked, TERMS));
  return { terms: got.data.map(term), page, per_page, ...totals(got.headers) };
}

/** The terms of a post in its own order, those that did not come with it asked for; unknown ids are left out. */
export async function termsOf(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  record: ContentRecord,
): Promise<TermPick[]> {
  const ids = taxonomy === "tag" ? record.tags : record.categories;
  const along = record._embedded?.terms.filter((one) => one.taxonomy === TAXONOMY[taxonomy]) ?? [];
  const names = new Map(along.map(({ id, name }) => [id, name]));
  const missing = ids.filter((id) => !names.has(id)).slice(0, PER_PAGE);
  if (missing.length > 0) {
    const query = { include: missing, per_page: PER_PAGE, _fields: FIELDS };
    const { data } = await wire.get(ROUTE[taxonomy], query, TERMS);
    for (const { id, name } of data) names.set(id, name);
  }
  return ids.flatMap((id) => names.has(id) ? [{ id, name: plainName(names.get(id)!) }] : []);
}

/** The names of terms by their ids, plain as people write them; those that the site does not have are left out. */
export async function termNames(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  for (let at = 0; at < ids.length; at += PER_PAGE) {
    const query = { include: ids.slice(at, at + PER_PAGE), per_page: PER_PAGE, _fields: FIELDS };
    const { data } = await wire.get(ROUTE[taxonomy], query, TERMS);
    for (const { id, name } of data) names.set(id, plainName(name));
  }
  return names;
}

/**
 * Finds terms by name without making any (docs/upstreams/wordpress.md, "Names of terms"): the CMS makes the slugs of
 * the names itself; names whose slug was changed are searched, in the escaped form they are stored in. `at_once` is for
 * where there is little to ask: both are asked in one step, and of names in ASCII the search alone, for it finds them
 * whatever their slug is. With `lang` only terms of that language are found, and a name
 * that one of another has is refused. Throws E_BAD_INPUT for an empty name and for one that several terms share.
 */
export async function findTerms(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  given: readonly string[],
  { at_once = false, lang }: { readonly at_once?: boolean; readonly lang?: string | undefined } = {},
): Promise<TermPick[]> {
  const names: string[] = [];
  for (const name of given.map((text) => composed(text.replace(/\s+/g, " ").trim()))) {
    if (name === "") throw new GatewayError("E_BAD_INPUT", `${argument(taxonomy)}: a name is empty`);
    if (!names.some((other) => same(other, name))) names.push(name);
  }
  if (names.length === 0) return [];
  const ask = async (query: Query) =>
    (await wire.get(ROUTE[taxonomy], { lang, ...query, per_page: PER_PAGE, _fields: FIELDS }, TERMS)).data;
  const search = (name: string) => ask({ search: escaped(name) });
  const searchesAlone = at_once && names.every(isAscii);
  const [bySlug, ...searched] = await allOrThrow(
    searchesAlone ? [] : ask({ slug: names }),
    ...at_once ? names.map(search) : [],
  );
  const isCut = searched.some((rows) => rows.length === PER_PAGE);
  const known = searchesAlone && isCut ? await ask({ slug: names }) : bySlug;
  return await allOrThrow(...names.map(async (name, at): Promise<TermPick> => {
    const beside = searched[at]?.filter(({ id }) => !known.some((one) => one.id === id)) ?? [];
    const found = pick(taxonomy, name, [...known, ...beside]);
    const id = found ?? (at_once ? null : pick(taxonomy, name, await search(name)));
    if (id === null && lang !== undefined) {
      requireOwn(taxonomy, name, lang, await ask({ search: escaped(name), lang: undefined }));
    }
    return { name, id };
  }));
}

/**
 * Refuses a name that a term of another language has: E_BAD_INPUT. WordPress would answer that term in place of a new one
 * (docs/upstreams/wordpress.md, "Languages").
 */
function requireOwn(taxonomy: Taxonomy, name: string, lang: string, others: readonly TermRecord[]): void {
  const other = others.find((record) => same(plainName(record.name), name));
  if (other === undefined) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `${argument(taxonomy)}: ${
      JSON.stringify(name)
    } (${other.id}) is not of the post's language, "${lang}", and the site ` +
      "makes no second one of that name over REST: make its translation in the CMS, or leave it out",
  );
}

/** A search is blind to case everywhere in ASCII alone: SQLite knows no other letters. */
const isAscii = (name: string) => Array.from(name).every((one) => one.codePointAt(0)! < 128);

/** The id of the term of exactly that name, else of one that differs in case only; a top-level one before others. */
function pick(taxonomy: Taxonomy, name: string, records: readonly TermRecord[]): number | null {
  const alike = records.filter((record) => same(plainName(record.name), name));
  const exact = alike.filter((record) => plainName(record.name) === name);
  const fits = exact.length > 0 ? exact : alike;
  const top = fits.filter((record) => record.parent === 0);
  const [first, second] = top.length > 0 ? top : fits;
  if (first === undefined) return null;
  if (second === undefined) return first.id;
  throw new GatewayError(
    "E_BAD_INPUT",
    `${argument(taxonomy)}: the site has several terms named ${
      JSON.stringify(name)
    }; rename one of them there`,
  );
}

const argument = (taxonomy: Taxonomy) => taxonomy === "tag" ? "tags" : "categories";

/** As the CMS stores names, which is what it searches in. */
function escaped<T extends string | undefined>(text: T): T {
  return text?.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;") as T;
}

/** Refuses, before anything is written, what the account may not make (authors: tags yes, categories no). */
export async function requireTermRight(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  picks: readonly TermPick[],
): Promise<void> {
  const missing = picks.filter(({ id }) => id === null).map(({ name }) => JSON.stringify(name));
  if (missing.length === 0) return;
  if (await hasRight(wire, taxonomy === "tag" ? "edit_posts" : "manage_categories") !== false) return;
  throw new GatewayError(
    "E_UPSTREAM",
    `CMS 403: the site's account may not make ${argument(taxonomy)}, and ${
      missing.join(", ")
    } does not exist; ` +
      "nothing was written: use existing ones, or give the account a role that may",
    { upstream: 403 },
  );
}

/**
 * Makes the terms that are missing; answers all ids in order, and puts a sentence into `renamed` for each that the site
 * named otherwise. Throws before any post is written.
 */
export async function makeMissing(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  picks: readonly TermPick[],
  made: Making,
  renamed: string[],
  lang?: string,
): Promise<number[]> {
  const ids: number[] = [];
  for (const { name, id } of picks) {
    const one = id === null ? await makeOneOf(wire.aside(), taxonomy, name, made, lang) : { id, name };
    if (!same(one.name, name)) renamed.push(...valueDifference(argument(taxonomy), name, one.name));
    ids.push(one.id);
  }
  return [...new Set(ids)];
}

/** Makes one of several; where no answer tells whether it was made, that is told too. */
async function makeOneOf(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  name: string,
  made: Making,
  lang: string | undefined,
): Promise<Term> {
  try {
    return (await makeTerm(wire, taxonomy, { name }, made, lang)).term;
  } catch (thrown) {
    const failed = thrown instanceof CmsError && (thrown.upstream ?? 0) >= 500;
    if (failed || isDoubtful(thrown)) made({ what: taxonomy, id: null, name, unsure: true });
    throw thrown;
  }
}

/** Makes a term, of that language where it is given; one of that name that is there already (the CMS compares without case) is answered instead. */
export async function makeTerm(
  wire: WordPressClient,
  taxonomy: Taxonomy,
  given: NewTerm,
  made: Making,
  lang?: string,
): Promise<{ term: Term; created: boolean }> {
  const { parent_id: parent, ...rest } = given;
  try {
    const json = { ...rest, name: composed(rest.name), ...(parent === undefined ? {} : { parent }) };
    const fresh = term(await wire.post(ROUTE[taxonomy], { lang, _fields: FIELDS }, json, TERM));
    made({ what: taxonomy, id: fresh.id, name: fresh.name });
    return { term: fresh, created: true };
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.reason !== "term_exists") throw thrown;
    const id = numericId(Number(thrown.data["term_id"]), "term_id");
    return { term: await readTerm(wire, taxonomy, id), created: false };
  }
}

/** Refuses a parent that is no category of the site: E_BAD_INPUT. */
export async function requireParentTerm(wire: WordPressClient, parent: Id | undefined): Promise<void> {
  if (parent === undefined) return;
  const id = numericId(parent, "parent_id");
  try {
    await readTerm(wire, "category", id);
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.upstream !== 404) throw thrown;
    throw new GatewayError(
      "E_BAD_INPUT",
      `parent_id: the site has no category ${id}; list_taxonomies names those there are`,
      { cause: thrown },
    );
  }
}

/** The term of that id. Throws CmsError 404. */
export async function readTerm(wire: WordPressClient, taxonomy: Taxonomy, id: number): Promise<Term> {
  const { data } = await wire.get(`${ROUTE[taxonomy]}/${id}`, { _fields: FIELDS }, TERM);
  return term(data);
}

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
