/** The list of sites: searched, narrowed, a page at a time, with what is known of each; opening it asks no site anything. */
import { counted } from "../../core/one_line.ts";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { type AuditRow, type Flag, FLAGS, type Project, type Site } from "../../core/model.ts";
import type { Recent } from "../../admin/recent_rows.ts";
import { isOwnSite, managesAllSites } from "../../admin/site_rights.ts";
import { nameOf } from "../../admin/freezes.ts";
import { findSite } from "../../admin/sites.ts";
import { GatewayError } from "../../core/errors.ts";
import { quoted } from "../../core/faults.ts";
import type { PagesParts } from "./frame.tsx";
import type { Person } from "../../identity/visitors.ts";
import { Field, Select } from "../form.tsx";
import { showPage } from "../respond.tsx";
import { Empty, Tag, Time } from "../parts.tsx";
import { Table } from "../table.tsx";

/** Where the list is. */
export const SITES = "/admin/sites";
/** The address of a site's own page. */
export const siteAddress = (id: string): string => `${SITES}/${encodeURIComponent(id)}`;

const PAGE_SITES = 50;
/** More projects than that are not listed to choose from. */
export const PROJECTS_LISTED = 50;

/** What the address asks for. */
export interface SitesQuery {
  readonly q: string;
  readonly project: string;
  readonly platform: string;
  readonly after: string;
}

/** What calls of late have shown of sites; nothing is asked for it. */
export interface Lately {
  /** By site: the newest call that asked whether it answers. */
  readonly pings: ReadonlyMap<string, AuditRow>;
  /** By site: when a call last changed something there. */
  readonly changes: ReadonlyMap<string, string>;
}

/** Reads what calls have shown. */
export async function latelyOf({ pings, changes }: Recent): Promise<Lately> {
  const ofSite = ({ site_id }: AuditRow) => site_id;
  const [asked, written] = await Promise.all([pings.newest(ofSite), changes.newest(ofSite)]);
  return { pings: asked, changes: new Map([...written].map(([id, { at }]) => [id, at] as const)) };
}

/** The sites of somebody that fit what is asked for, by id; `after` is the id that the page before ended with. */
export function sitesFor(
  all: readonly Site[],
  { caller }: Person,
  { q, project, platform, after }: SitesQuery,
): { readonly shown: readonly Site[]; readonly count: number; readonly next: string | null } {
  const words = q.toLowerCase().split(" ").filter((one) => one !== "");
  const fits = (site: Site) =>
    (project === "" || (site.project_id ?? "") === project) &&
    (platform === "" || site.platform === platform) &&
    (words.length === 0 || hasAll(`${site.id} ${site.name} ${site.base_url ?? ""}`.toLowerCase(), words)) &&
    isOwnSite(caller, site.id);
  const found = all.filter(fits);
  const start = after === "" ? 0 : found.findIndex(({ id }) => id > after);
  const shown = start < 0 ? [] : found.slice(start, start + PAGE_SITES);
  const isLast = start < 0 || start + PAGE_SITES >= found.length;
  return { shown, count: found.length, next: isLast ? null : shown.at(-1)!.id };
}

const hasAll = (text: string, words: readonly string[]) => words.every((one) => text.includes(one));

/** What the last call that asked said: it answers, or why not. */
export function healthOf(row: AuditRow | undefined): Child {
  if (row === undefined) return <span class="soft">not tested lately</span>;
  const isWell = row.status === "ok";
  return (
    <>
      <Tag tone={isWell ? "good" : "bad"}>{isWell ? "answers" : "failed"}</Tag>
      {!isWell && row.error && <span class="hint">{row.error}</span>}
      <span class="hint">
        <Time at={row.at} />
      </span>
    </>
  );
}

/** The site of that id, which the person manages. Throws E_NOT_FOUND, of a site that is not the person's too. */
export async function ownSite({ ports }: PagesParts, { caller }: Person, id: string): Promise<Site> {
  if (isOwnSite(caller, id)) return await findSite(id, ports);
  throw new GatewayError("E_NOT_FOUND", `No site ${quoted(id)}`);
}

const FLAG_TAGS: Readonly<Record<Flag, string>> = {
  allow_publish: "publish",
  allow_seo_on_published: "live SEO",
  allow_main_branch_push: "main branch",
  allow_full_repo_write: "whole repository",
  allow_storage_write: "storage",
  allow_topicmap_write: "topics",
  allow_crm_write: "CRM",
};

/** The flags that are set, as tags. */
export function FlagTags({ site }: { readonly site: Site }): Child {
  const set = FLAGS.filter((flag) => site.flags[flag]);
  if (set.length === 0) return <span class="soft">drafts only</span>;
  return <span>{set.map((flag) => <Tag>{FLAG_TAGS[flag]}</Tag>)}</span>;
}

/** What the list is shown with. */
export interface ListedSites {
  readonly sites: readonly Site[];
  readonly projects: readonly Project[];
  readonly kinds: readonly { readonly kind: string; readonly product: string }[];
  readonly lately: Lately;
  readonly frozen: readonly string[];
  readonly query: SitesQuery;
  readonly done: Child;
}

/** The page. */
export async function sitesPage(c: Context, person: Person, listed: ListedSites): Promise<Response> {
  const { sites, query, projects, kinds, lately, frozen } = listed;
  const { shown, count, next } = sitesFor(sites, person, query);
  const isNarrowed = query.q + query.project + query.platform !== "";
  const projectNames = new Map(projects.map(({ id, name }) => [id, name]));
  const products = new Map(kinds.map(({ kind, product }) => [kind, product]));
  const rows = shown.map((site) => [
    <>
      <a href={siteAddress(site.id)}>{site.name}</a>
      <span class="hint">
        {site.base_url === null ? site.id : `${site.id}, ${URL.parse(site.base_url)?.host}`}
      </span>
      {frozen.includes(site.id) && <Tag tone="bad">frozen</Tag>}
    </>,
    products.get(site.platform) ?? site.platform,
    site.project_id === null
      ? <span class="soft">none</span>
      : projectNames.get(site.project_id) ?? site.project_id,
    healthOf(lately.pings.get(site.id)),
    lately.changes.has(site.id)
      ? <Time at={lately.changes.get(site.id)!} />
      : <span class="soft">none lately</span>,
    <FlagTags site={site} />,
  ]);
  const mayAdd = managesAllSites(person.caller);
  return await showPage(
    c,
    {
      ...{ title: "Sites", visitor: person, current: SITES, wide: true, times: true },
      ...mayAdd && (count > 0 || isNarrowed) && { action: { href: `${SITES}/new`, label: "Add a site" } },
    },
    <>
      {listed.done}
      {(count > 0 || isNarrowed) && <SearchForm query={query} projects={projects} kinds={kinds} />}
      {count === 0 && !isNarrowed && <NoSites mayAdd={mayAdd} />}
      {(count > 0 || isNarrowed) && (
        <Table
          caption={captionOf(count, shown.length, isNarrowed)}
          columns={["Site", "Platform", "Project", "Health", "Last change", "Allowed"]}
          rows={rows}
          empty="No site fits. Search for less, or for a part of its name, id or address."
        />
      )}
      <Pages query={query} next={next} />
    </>,
  );
}

function NoSites({ mayAdd }: { readonly mayAdd: boolean }): Child {
  return mayAdd
    ? (
      <Empty title="There is no site yet" action={{ href: `${SITES}/new`, label: "Add a site" }}>
        A form asks for what its platform needs. Nothing is sent to the site until you test the connection.
      </Empty>
    )
    : (
      <Empty title="None of the sites is yours">
        Ask whoever holds the master token to make you an admin of one.
      </Empty>
    );
}

const captionOf = (count: number, shown: number, isNarrowed: boolean) =>
  `${counted(count, "site")}${isNarrowed ? " that fit" : ""}${shown < count ? `, ${shown} shown` : ""}`;

const addressOf = (query: SitesQuery, more: Partial<SitesQuery>) => {
  const given = Object.entries({ ...query, ...more }).filter(([, value]) => value !== "");
  return given.length === 0 ? SITES : `${SITES}?${new URLSearchParams(given)}`;
};

function Pages({ query, next }: { readonly query: SitesQuery; readonly next: string | null }): Child {
  if (query.after === "" && next === null) return null;
  return (
    <nav aria-label="Pages of the list">
      <p class="ways">
        {query.after !== "" && <a href={addressOf(query, { after: "" })}>First page</a>}
        {next !== null && <a href={addressOf(query, { after: next })}>Next page</a>}
      </p>
    </nav>
  );
}

function SearchForm(
  { query, projects, kinds }: Pick<ListedSites, "query" | "projects" | "kinds">,
): Child {
  const isListed = projects.length > 0 && projects.length <= PROJECTS_LISTED;
  return (
    <form method="get" action={SITES} class="filters" role="search">
      <Field name="q" label="Search" value={query.q} required={false} autocomplete="off" maxlength={200} />
      {isListed && (
        <Select
          name="project"
          label="Project"
          value={query.project}
          options={[
            { value: "", label: "every project" },
            ...projects.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      {!isListed && projects.length > 0 && (
        <Field
          name="project"
          label="Project (its id)"
          value={query.project}
          required={false}
          autocomplete="off"
        />
      )}
      <Select
        name="platform"
        label="Platform"
        value={query.platform}
        options={[
          { value: "", label: "every platform" },
          ...kinds.map(({ kind, product }) => ({ value: kind, label: product })),
        ]}
      />
      <button type="submit" class="quiet">Show</button>
    </form>
  );
}

/** What freezes a site, in a sentence; null where nothing does. */
export const freezeLine = (
  one: Parameters<typeof nameOf>[0] & { readonly by: string; readonly reason: string | null },
) => `${nameOf(one)} is frozen by ${one.by}${one.reason ? `: ${one.reason}` : ""}.`;
