/** Whether a job was done: what the stand-ins hold, not what a player says of it. */
import { all } from "../../sandbox/tool_servers/elements.ts";
import { Check, type Judge } from "./check.ts";
import { STATIC_JUDGES } from "./judge_static.ts";
import { allOf, ARTICLES, CHANGED, PHONE, ROOFER_TEXTS, SITES, STATIC } from "./sites.ts";
import type { World } from "./stand_ins.ts";

/** What came of a job: `lacks` is what is missing of it, a sentence each; whole where there is none. */
export interface Judged {
  readonly whole: boolean;
  readonly lacks: readonly string[];
}

const SEO_TITLE = ROOFER_TEXTS.find(({ slug }) => slug === CHANGED.slug)!.seo!.title;

const tag = (html: string, pattern: RegExp) => pattern.exec(html)?.[1]?.trim() ?? "";

const landingPage: Judge = async ({ dentist }, check) => {
  const response = await fetch(`${dentist.base_url}/teeth-whitening/`);
  const html = await response.text();
  check.that(response.ok, `visitors get ${response.status}`);
  check.that(/<h1[^>]*>\s*(<[^>]+>\s*)*Teeth whitening in Vienna/.test(html), "no headline");
  check.that(html.includes("249"), "no price");
  check.that(/href="[^"]*\/book\/?"/.test(html), "no link to book");
  const title = tag(html, /<title>([^<]*)<\/title>/);
  check.that(title.length >= 20, `its title is "${title}"`);
  check.that(tag(html, /<meta name="description" content="([^"]*)"/).length >= 50, "no description");
  const page = (await allOf(dentist)).find(({ slug, status }) =>
    slug === "teeth-whitening" && status === "publish"
  );
  check.that(page !== undefined, "no published page of that address");
};

const whatChanged: Judge = async ({ roofer, ready }, check) => {
  const posts = await allOf(roofer);
  const page = posts.find(({ slug }) => slug === CHANGED.slug)!;
  check.that(page.content.raw.includes(CHANGED.from), "the old price is not there");
  check.that(!page.content.raw.includes(CHANGED.to), "the wrong price is there");
  check.that(page.content.raw.includes(CHANGED.kept.to), "the other change is gone");
  check.that(page.status === "publish", `the page is ${page.status}`);
  const seo = await ready("get_seo_meta", { site_id: SITES.roofer, post_id: page.id });
  check.that(seo["title"] === SEO_TITLE, "the SEO title has changed");
  check.that(
    posts.some(({ title, status }) => title.raw === "Snow guards" && status === "draft"),
    "the draft is gone",
  );
};

const weakestSeo: Judge = (_world, check, answer) => {
  check.that(/\/terms\b/.test(answer), "the page with the address /terms/ is not named");
  check.that(/description|thin|words|short/i.test(answer), "no reason");
  return Promise.resolve();
};

const PLANNED = [
  ["Brushing at night", "future", "2026-12-08T09:00:00"],
  ["Sugar and children", "future", "2026-12-15T09:00:00"],
  ["When a crown is needed", "future", "2026-12-24T09:00:00"],
  ["Flossing", "draft", null],
] as const;

const fourPosts: Judge = async ({ dentist }, check) => {
  const posts = await allOf(dentist);
  for (const [name, status, date] of PLANNED) {
    const found = posts.filter(({ title, kind }) => title.raw === name && kind === "posts");
    check.that(found.length === 1, `${found.length} posts "${name}"`);
    const post = found[0];
    if (post === undefined) continue;
    check.that(post.status === status, `"${name}" is ${post.status}`);
    check.that(date === null || post.date === date, `"${name}" is planned for ${post.date}`);
  }
};

const phoneNumber: Judge = async ({ roofer }, check) => {
  const posts = await allOf(roofer);
  const digits = (text: string) => text.replaceAll(/[^0-9+]/g, "");
  for (const { title, slug, status, content } of posts) {
    check.that(
      !/555\s?70\s?44/.test(content.raw) && !digits(content.raw).includes("5557044"),
      `"${title.raw}" has the old number`,
    );
    const before = ROOFER_TEXTS.find((one) => one.slug === slug);
    const had = before === undefined ? title.raw === "Ideas" : before.content.includes(PHONE.shown);
    check.that(!had || content.raw.includes(PHONE.next), `"${title.raw}" lacks the new number`);
    const dialled = before?.content.includes(PHONE.dialled) === true;
    check.that(
      !dialled || digits(content.raw).includes("+4315559010"),
      `"${title.raw}" does not dial the new number`,
    );
    check.that(before === undefined || status === "publish", `"${title.raw}" is ${status}`);
  }
};

const frontmatter: Judge = async ({ repo }, check) => {
  const files = await repo.files(STATIC.garden.repo, "main");
  for (const [path, before] of Object.entries(ARTICLES)) {
    const meant = path.startsWith("content/hedges-");
    const wanted = meant ? before.replace("status: draft", "status: review") : before;
    const text = files[path]?.replace(/^author: (["']?)Maria Lindner\1$/m, "author: Maria Lindner");
    check.that(
      text === (meant ? wanted.replace("author: Office", "author: Maria Lindner") : wanted),
      `${path} is not as wanted`,
    );
  }
};

/** Whether a text has a number, however it is written: 1234.5, 1,234.50; a share also in percent. */
function has(text: string, value: number, share = false): boolean {
  const plain = text.replaceAll(/(?<=\d)[,\u202f\u00a0' ](?=\d{3}\b)/g, "");
  const numbers = [...plain.matchAll(/\d+(?:\.\d+)?/g)].map(([one]) => Number(one));
  const near = (one: number, to: number, by: number) => Math.abs(one - to) <= by;
  return numbers.some((one) =>
    near(one, value, Math.max(0.0051, value * 1e-5)) || share && near(one, value * 100, 0.51)
  );
}

const crmMonth: Judge = async ({ ready }, check, answer) => {
  const site_id = SITES.crm;
  const { current } = await ready("crm_compute_window_compare", { site_id, month: "2026-10" }) as unknown as {
    current: { won: number; lost: number; appointments: number; no_show_rate: number };
  };
  const revenue = await ready("crm_compute_revenue_stats", {
    site_id,
    start_at: "2026-10-01",
    end_at: "2026-10-31",
  });
  check.that(has(answer, current.appointments), `appointments are ${current.appointments}`);
  check.that(has(answer, current.no_show_rate, true), `the share of no-shows is ${current.no_show_rate}`);
  check.that(has(answer, current.won), `won are ${current.won}`);
  check.that(has(answer, current.lost), `lost are ${current.lost}`);
  const { collected } = revenue as { collected: number };
  check.that(has(answer, collected) || has(answer, Math.round(collected)), `collected is ${collected}`);
};

const clientReport: Judge = async ({ figures, ready }, check) => {
  const files = [...figures.google.state.world.files.values()]
    .filter(({ parents }) => parents.includes(figures.folder.id));
  check.that(files.length > 0, "the folder is empty");
  const text = files.map(({ content }) => new TextDecoder().decode(content ?? new Uint8Array())).join("\n");
  const report = await ready("generate_seo_report", {
    site_id: SITES.roofer,
    start_date: "2026-10-01",
    end_date: "2026-10-31",
  }) as unknown as {
    analytics: { totals: { sessions: number } };
    search: { totals: { clicks: number; impressions: number }; top_queries: { query: string }[] };
  };
  const { clicks, impressions } = report.search.totals;
  for (
    const [name, value] of Object.entries({ sessions: report.analytics.totals.sessions, clicks, impressions })
  ) {
    check.that(has(text, value), `${name} are ${value}`);
  }
  for (const { query } of report.search.top_queries.slice(0, 3)) {
    check.that(text.includes(query) || text.includes(query.replace("|", "\\|")), `"${query}" is not named`);
  }
};

const clusterToDraft: Judge = async ({ roofer, topics }, check) => {
  const clusters = topics.state.maps[0]!["clusters"] as {
    gap_label: string;
    search_volume: number;
    keywords: { keyword: string; is_primary: boolean }[];
  }[];
  const [gap] = clusters.filter(({ gap_label }) => gap_label === "GAP").sort((a, b) =>
    b.search_volume - a.search_volume
  );
  const { keyword } = gap!.keywords.find(({ is_primary }) => is_primary)!;
  const job = topics.state.jobs.find((one) => one.id.startsWith("job_new") && one.keyword === keyword);
  check.that(job !== undefined, `no job for "${keyword}"`);
  const drafts = (await allOf(roofer)).filter(({ content }) => content.raw.includes(`All about ${keyword}.`));
  check.that(drafts.length === 1, `${drafts.length} posts have the article`);
  check.that(drafts.every(({ status }) => status === "draft"), "it is not a draft");
};

const ownTool: Judge = ({ yoga }, check) => {
  const { elements } = yoga.servers.state.pages.get(yoga.page.id)!;
  const [first, second] = elements;
  check.that(elements.length === 2, `${elements.length} sections`);
  const titles = all(elements).map(({ settings }) => settings["title"]).filter(Boolean);
  const wanted = ["Yoga in the Josefstadt", "Classes", "Closed from 24 to 26 December"];
  check.that(JSON.stringify(titles) === JSON.stringify(wanted), `its headings are ${titles.join(", ")}`);
  check.that(
    second?.elements.at(-1)?.settings["title"] === wanted[2],
    "the section does not end in the heading",
  );
  check.that(first?.elements.length === 1 && second?.elements.length === 3, "something else has changed");
  return Promise.resolve();
};

const JUDGES: Readonly<Record<string, Judge>> = {
  landing_page: landingPage,
  what_changed: whatChanged,
  weakest_seo: weakestSeo,
  four_posts: fourPosts,
  phone_number: phoneNumber,
  frontmatter,
  crm_month: crmMonth,
  client_report: clientReport,
  cluster_to_draft: clusterToDraft,
  own_tool: ownTool,
  ...STATIC_JUDGES,
};

/** Judges a job by its id, with what the player answered in the end. */
export async function judge(world: World, job: string, answer: string): Promise<Judged> {
  const check = new Check();
  await JUDGES[job]!(world, check, answer);
  return { whole: check.lacks.length === 0, lacks: check.lacks };
}
