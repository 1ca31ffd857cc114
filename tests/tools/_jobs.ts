/** Five jobs of an agency, done as an agent does them: from the texts of the tools and of their answers alone, over MCP. */
import assert from "node:assert/strict";
import type { Kit } from "../kit.ts";

type Args = Record<string, unknown>;

/** A write of a set. */
export interface Change {
  readonly tool: string;
  readonly arguments: Args;
}

/** What became of one. */
interface Item {
  readonly item: number;
  readonly state: string;
  readonly id?: number;
  readonly url?: string;
  readonly verified: boolean | null;
  readonly live?: { readonly as_expected: boolean | null } | null;
}

interface Ended {
  readonly state: string;
  readonly set_id: string;
  readonly items: readonly Item[];
  readonly verified: boolean | null;
}

/** Who calls, and how often. */
export class Agent {
  calls = 0;
  /** Bytes of the longest answer. */
  longest = 0;

  constructor(private readonly kit: Pick<Kit, "call">) {}

  /** The answer of a tool over MCP; a refusal fails the job. */
  async call<T>(tool: string, args: Args): Promise<T> {
    this.calls++;
    const answer = await this.kit.call<T>(tool, args, { door: "mcp" });
    this.longest = Math.max(this.longest, JSON.stringify(answer).length);
    return answer;
  }

  /** A set, previewed and confirmed; every item must be done and proven, and be what visitors get. */
  async set(title: string, changes: readonly Change[]): Promise<readonly Item[]> {
    const order = { title, changes };
    const { confirm_token } = await this.call<{ confirm_token: string }>("prepare_changes", order);
    const done = await this.call<Ended>("prepare_changes", { ...order, confirm: true, confirm_token });
    assert.equal(done.state, "ended", JSON.stringify(done));
    for (const one of done.items) {
      assert.equal(one.state, "done", JSON.stringify(one));
      assert.notEqual(one.live?.as_expected, false, JSON.stringify(one));
    }
    assert.equal(done.verified, true, JSON.stringify(done));
    return done.items;
  }
}

/** Calls on one site. */
const on = (site_id: string) => (tool: string, args: Args): Change => ({
  tool,
  arguments: { site_id, ...args },
});

const made = (item: number) => ({ $from: item });

/** A landing page with SEO and structured data, published, and a redirect to it. */
export async function landingPage(agent: Agent, site: string): Promise<void> {
  const call = on(site);
  await agent.set("Landing page of the spring offer", [
    call("create_page_draft", {
      title: "Spring offer",
      slug: "spring-offer",
      content_html: "<h2>All pots at half price</h2><p>Until the end of May.</p>",
    }),
    call("publish_page", { page_id: made(1) }),
    call("set_seo_meta", { post_id: made(1), title: "Spring offer", description: "All pots at half price." }),
    call("set_seo_schema", {
      post_id: made(1),
      schema: { "@context": "https://schema.org", "@type": "Offer", name: "Spring offer" },
    }),
    call("set_seo_redirect", { source: "/spring", destination: "/spring-offer" }),
  ]);
}

/** The moments of a series. */
export interface Series {
  readonly at: readonly [string, string, string, string];
  /** Where the third is moved to. */
  readonly moved: string;
}

/** A series of four posts, scheduled; later one is moved and one is cancelled. */
export async function series(agent: Agent, site: string, { at, moved }: Series): Promise<void> {
  const call = on(site);
  const items = await agent.set("A series of four posts", [
    ...at.map((_, n) =>
      call("create_draft", {
        title: `Growing herbs, part ${n + 1}`,
        content_html: `<p>Part ${n + 1}.</p>`,
        tags: ["Herbs"],
        categories: ["Garden"],
      })
    ),
    ...at.map((scheduled_at, n) => call("schedule_draft", { post_id: made(n + 1), scheduled_at })),
  ]);
  const ids = items.filter(({ item }) => item <= at.length).map(({ id }) => id);
  await agent.set("Part 3 moved, part 4 cancelled", [
    call("schedule_draft", { post_id: ids[2], scheduled_at: moved }),
    call("unschedule", { post_id: ids[3] }),
  ]);
}

interface Hit {
  readonly place: { readonly field: string };
  readonly snippet: string;
  readonly found: readonly string[];
  readonly times: number;
  readonly change: { readonly tool: string; readonly arguments: Args };
}

/** What a number is written as from now on; a link to it keeps its form. */
const written = (found: string) => found.startsWith("+49") ? "+49301112233" : "030 111 22 33";

/** The call that a hit names, with the new number in it. */
function changeOf({ place, snippet, found, times, change }: Hit): Args {
  if (place.field === "content_html") {
    const count = found.length === 1 ? times : 1;
    return {
      ...change.arguments,
      replacements: found.map((find) => ({ find, replace: written(find), count })),
    };
  }
  assert.equal(place.field, "seo description");
  return {
    ...change.arguments,
    description: found.reduce((text, one) => text.replaceAll(one, written(one)), snippet),
  };
}

/** A new phone number on all sites of a client. */
export async function phoneNumber(agent: Agent, client: string): Promise<void> {
  interface Row {
    readonly id: string;
    readonly platform: string;
    readonly project_id: string | null;
  }
  const { sites } = await agent.call<{ sites: readonly Row[] }>("list_sites", {});
  const changes: Change[] = [];
  for (const { id: site_id } of sites.filter(({ project_id }) => project_id === client)) {
    const { hits } = await agent.call<{ hits: readonly Hit[] }>("find_text", {
      site_id,
      text: "+49 30 1234567",
      kind: "phone",
    });
    changes.push(...hits.map((hit) => on(site_id)(hit.change.tool, changeOf(hit))));
  }
  await agent.set("The new phone number", changes);
}

/** A new author in the frontmatter of the files of a folder. */
export async function frontmatter(agent: Agent, site: string, prefix: string): Promise<void> {
  interface File {
    readonly path: string;
    readonly frontmatter: Readonly<Record<string, string>>;
    readonly body: string;
    readonly sha: string;
  }
  const { items } = await agent.call<{ items: readonly File[] }>("list_md_from_repo", {
    site_id: site,
    prefix,
  });
  const changes: Change[] = [];
  for (const { path } of items) {
    const { frontmatter, body, sha } = await agent.call<File>("read_md_from_repo", { site_id: site, path });
    const fields = Object.entries({ ...frontmatter, author: "Ada Example" });
    const content = `---\n${fields.map(([name, value]) => `${name}: ${value}`).join("\n")}\n---\n${body}`;
    changes.push(on(site)("save_md_to_repo", { path, sha, content }));
  }
  await agent.set("The new author", changes);
}

/** Alternative texts for the images of a library that have none; `shows` says what one shows. */
export async function alternativeTexts(
  agent: Agent,
  site: string,
  shows: (title: string) => string,
): Promise<void> {
  interface Image {
    readonly id: number;
    readonly title: string;
    readonly alt_text: string;
  }
  const listed = { site_id: site, type: "attachment", fields: ["title", "alt_text"], per_page: 50 };
  const { items } = await agent.call<{ items: readonly Image[] }>("list_content", listed);
  const without = items.filter(({ alt_text }) => alt_text === "");
  await agent.set(
    "Alternative texts",
    without.map(({ id, title }) => on(site)("revise_published", { media_id: id, alt_text: shows(title) })),
  );
}
