/** What a site's pages lack for search engines, weakest first: read by a button, and by the tool that every caller asks by. */
import { counted } from "../../core/one_line.ts";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { AdminPorts } from "../../admin/ports.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { Section, Stats, Tag } from "../parts.tsx";
import { Table } from "../table.tsx";
import { siteAddress } from "./sites_list.tsx";

const PAGES_AT_ONCE = 10;
const UNREAD_SHOWN = 5;

/** A page with what it lacks. */
interface WeakPage {
  readonly url: string;
  readonly id?: string | number;
  readonly name?: string;
  readonly title?: string | null;
  /** Why it could not be read; of a wall also what to do. */
  readonly why?: string;
  readonly issues: readonly string[];
}

/** What the tool answered. */
interface Audit {
  readonly total: number;
  readonly page: number;
  readonly total_pages: number;
  readonly pages: readonly WeakPage[];
  readonly counts: Readonly<Record<string, number>>;
  readonly not_read?: readonly string[];
}

/** What was found, or why nothing could be. */
export type FoundGaps = { readonly audit: Audit; readonly tools: ReadonlySet<string> } | {
  readonly message: string;
};

/** Reads so many of a site's pages in the name of who pressed the button; what is refused is part of the answer. */
export async function findGaps(
  { operate, toolNames }: Pick<AdminPorts, "operate" | "toolNames">,
  { caller }: Person,
  site: Site,
  page: number,
): Promise<FoundGaps> {
  const at = Number.isInteger(page) && page > 0 ? page : 1;
  try {
    const args = { site_id: site.id, page: at, per_page: PAGES_AT_ONCE };
    const audit = await operate("audit_seo", args, caller.user) as Audit;
    return { audit, tools: new Set(await toolNames(site.platform)) };
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { message: thrown.message };
    throw thrown;
  }
}

/** What search engines and visitors are told of a page, and what its text is mended by; those that run on the site's kind are named. */
const META = ["set_seo_meta", "revise_published", "write_static_file"];
const TEXT = ["revise_published", "write_static_file"];
const SCHEMA = ["set_seo_schema", "revise_published", "write_static_file"];
const ROUTE = ["set_seo_redirect", "write_static_file"];
const READ = ["diagnose_site"];

/** An issue in words, and the tools that mend it, the best first. */
const ISSUES: Readonly<Record<string, { readonly words: string; readonly tools: readonly string[] }>> = {
  not_reached: { words: "could not be read", tools: READ },
  blocked: { words: "hidden behind a wall", tools: READ },
  not_found: { words: "leads to nothing", tools: ROUTE },
  noindex: { words: "kept out of search", tools: META },
  canonical_elsewhere: { words: "names another address as its own", tools: META },
  redirected: { words: "leads elsewhere", tools: ROUTE },
  no_title: { words: "no title", tools: META },
  no_description: { words: "no description", tools: META },
  duplicate_title: { words: "title of another page too", tools: META },
  duplicate_description: { words: "description of another page too", tools: META },
  no_h1: { words: "no main heading", tools: TEXT },
  several_h1: { words: "several main headings", tools: TEXT },
  thin_text: { words: "little text", tools: TEXT },
  images_without_alt: { words: "images without a description", tools: TEXT },
  broken_structured_data: { words: "broken structured data", tools: SCHEMA },
  no_structured_data: { words: "no structured data", tools: SCHEMA },
  short_title: { words: "short title", tools: META },
  long_title: { words: "long title", tools: META },
  long_description: { words: "long description", tools: META },
};

const wordsOf = (issue: string) => ISSUES[issue]?.words ?? issue.replaceAll("_", " ");

/** For each issue the first of its tools that the site's kind has. */
function toolsFor(issues: readonly string[], here: ReadonlySet<string>): string[] {
  const first = issues.flatMap((issue) => ISSUES[issue]?.tools.find((tool) => here.has(tool)) ?? []);
  return [...new Set(first)];
}

/** The button, and what it found. */
export function GapsSection(
  { site, person, found }: {
    readonly site: Site;
    readonly person: Person;
    readonly found: FoundGaps | undefined;
  },
): Child {
  if (site.base_url === null) return null;
  return (
    <Section id="gaps" title="Content and search: what is lacking">
      {found && <Found found={found} site={site} person={person} />}
      <Form visitor={person} action={`${siteAddress(site.id)}/gaps`}>
        <p class="hint">
          {`Reads ${PAGES_AT_ONCE} of the site's published pages as search engines get them, those first that look weakest.
          Nothing is asked before you press this, and nothing is changed.`}
        </p>
        <Submit quiet>{found ? "Look again" : "Find the weakest pages"}</Submit>
      </Form>
    </Section>
  );
}

function Found(
  { found, site, person }: { readonly found: FoundGaps; readonly site: Site; readonly person: Person },
): Child {
  if ("message" in found) {
    return (
      <Notice kind="problem">
        <p>{`The pages could not be read: ${seen(found.message)}.`}</p>
      </Notice>
    );
  }
  const { audit, tools } = found;
  const weak = audit.pages.filter(({ issues }) => issues.length > 0);
  return (
    <>
      {weak.length === 0 && (
        <Notice kind="done">
          <p>
            {`Nothing is lacking on ${
              audit.pages.length === 1 ? "this page" : `these ${audit.pages.length} pages`
            }.`}
          </p>
        </Notice>
      )}
      <Stats
        all={Object.entries(audit.counts).slice(0, 4).map(([issue, value]) => ({
          label: wordsOf(issue),
          value,
        }))}
      />
      <Table
        caption={`${audit.pages.length} of ${counted(audit.total, "page")}, the weakest first`}
        columns={["Page", "What is lacking", "Mended by"]}
        rows={weak.map((page) => [
          <PageLink page={page} />,
          <Lacks page={page} />,
          <Tools tools={toolsFor(page.issues, tools)} />,
        ])}
        empty=""
      />
      <Unread all={audit.not_read ?? []} />
      {weak.length > 0 && (
        <p class="hint">
          {`Ask your agent to mend them on ${site.id}, or call the tools yourself: each shows what would change before it does.`}
        </p>
      )}
      {audit.page < audit.total_pages && (
        <Form visitor={person} action={`${siteAddress(site.id)}/gaps`}>
          <input type="hidden" name="page" value={String(audit.page + 1)} />
          <Submit quiet>{`Read the next ${PAGES_AT_ONCE}`}</Submit>
        </Form>
      )}
    </>
  );
}

function PageLink({ page: { url, title, name, id } }: { readonly page: WeakPage }): Child {
  const label = title || name || url;
  const isWeb = ["https:", "http:"].includes(URL.parse(url)?.protocol ?? "");
  return (
    <>
      {isWeb ? <a href={url} rel="noopener noreferrer">{seen(label)}</a> : seen(label)}
      {id !== undefined && <div class="hint">{`id ${id}`}</div>}
    </>
  );
}

function Lacks({ page: { issues, why } }: { readonly page: WeakPage }): Child {
  return (
    <>
      {issues.map((issue) => (
        <>
          <Tag tone="wait">{wordsOf(issue)}</Tag>
          {" "}
        </>
      ))}
      {why && <div class="hint">{seen(why)}</div>}
    </>
  );
}

function Tools({ tools }: { readonly tools: readonly string[] }): Child {
  return tools.map((tool) => (
    <div>
      <a class="tool-name" href={`/docs#${tool}`}>
        <code>{tool}</code>
      </a>
    </div>
  ));
}

/** What could not be read, and why. */
function Unread({ all }: { readonly all: readonly string[] }): Child {
  return all.slice(0, UNREAD_SHOWN).map((one) => <p class="hint">{`Not read: ${seen(one)}.`}</p>);
}
