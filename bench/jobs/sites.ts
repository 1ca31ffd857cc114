/** The clients of the agency that the jobs are about: their sites and what stands on them before a job begins. */
import type { Gateway } from "../../gateway/wire.ts";
import type { NewSite } from "../../store/store.ts";
import type { CmsSandbox } from "../../sandbox/wordpress/sandbox.ts";

/** The ids of the clients' sites; a player finds them out. */
export const SITES = {
  /** A roofer's WordPress: pages, posts, SEO, figures, topic planning. */
  roofer: "huber-www",
  /** A dentist's WordPress, where new pages and posts are made. */
  dentist: "brunner-site",
  crm: "brunner-crm",
  /** A garden designer's static site and its articles. */
  garden: "lindner-web",
  /** A yoga studio's WordPress, whose page builder has tools of its own. */
  yoga: "moser-yoga",
  /** A café whose repository is still empty. */
  cafe: "nord-cafe",
  /** A shop whose newest deployment failed. */
  bikes: "weber-bikes",
} as const;

/** What an answer of WordPress's REST API holds, as far as it is read here. */
export interface WpPost {
  readonly id: number;
  readonly slug: string;
  readonly status: string;
  readonly link: string;
  readonly date: string;
  readonly title: { readonly raw: string };
  readonly content: { readonly raw: string };
  readonly excerpt: { readonly raw: string };
}

/** One request to a WordPress as its administrator, past the gateway. Throws with the answer where it is refused. */
async function wp<T = WpPost>(cms: CmsSandbox, path: string, body?: object): Promise<T> {
  const { username, application_password } = cms.users.admin;
  const response = await fetch(`${cms.base_url}/wp-json/wp/v2/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Basic ${btoa(`${username}:${application_password}`)}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

/** All pages and posts of a WordPress, in every state but the bin. */
export async function allOf(cms: CmsSandbox): Promise<(WpPost & { readonly kind: "pages" | "posts" })[]> {
  const lists = (["pages", "posts"] as const).map(async (kind) => {
    const rows = await wp<WpPost[]>(cms, `${kind}?context=edit&per_page=100&status=any`);
    return rows.map((row) => ({ ...row, kind }));
  });
  return (await Promise.all(lists)).flat();
}

/** The old number, as people wrote it on the roofer's site, and the new one. */
export const PHONE = { shown: "01 555 70 44", dialled: "tel:+4315557044", next: "01 555 90 10" } as const;

const call = `<a href="${PHONE.dialled}">${PHONE.shown}</a>`;
const long = (about: string) =>
  `<p>${
    `We have looked after ${about} in Vienna for thirty years, with our own people and our own scaffolds. `
      .repeat(12)
  }</p>`;

/** What the roofer's site says: `seo` is what search engines get of it, null for nothing. */
export const ROOFER_TEXTS = [
  {
    kind: "pages",
    slug: "home",
    title: "Roofers in Vienna since 1994",
    content: `<h2>Roofs, gutters, tiles</h2>${long("roofs")}`,
    seo: {
      title: "Huber Roofing: roofers in Vienna since 1994",
      description:
        "Repairs, new roofs and gutters in Vienna, by a family of roofers with scaffolds of their own.",
    },
  },
  {
    kind: "pages",
    slug: "prices",
    title: "Prices",
    content: `<h2>What it costs</h2><p>An inspection from 90 euros.</p>${long("roofs")}<p>Call ${call}.</p>`,
    seo: {
      title: "What a roof costs in Vienna | Huber Roofing",
      description:
        "Prices of inspections, repairs and new roofs, with what they hold, from a roofer in Vienna.",
    },
  },
  {
    kind: "pages",
    slug: "contact",
    title: "Contact",
    content: `<h2>Talk to us</h2><p>Phone: ${call}, Monday to Friday.</p>${long("questions")}`,
    seo: {
      title: "Contact Huber Roofing in Vienna by phone or letter",
      description: "How to reach Huber Roofing in Vienna: phone, address and opening hours, and who answers.",
    },
  },
  {
    kind: "pages",
    slug: "emergency",
    title: "Storm damage",
    content: `<p>Storm damage? ${PHONE.shown}, day and night.</p>${long("damaged roofs")}`,
    seo: {
      title: "Storm damage to your roof: help day and night | Huber",
      description:
        "What to do when the storm has taken tiles off your roof in Vienna, and whom to call at night.",
    },
  },
  { kind: "pages", slug: "terms", title: "T", content: "<p>See above.</p>", seo: null },
  {
    kind: "posts",
    slug: "gutters-before-winter",
    title: "Clean gutters before winter",
    content: `<p>Leaves block them.</p>${long("gutters")}<p>Or call us: ${PHONE.shown}.</p>`,
    seo: {
      title: "Clean your gutters before winter: how and when | Huber",
      description:
        "Why gutters should be clean before the first frost, and how often a roofer should look at them.",
    },
  },
  {
    kind: "posts",
    slug: "moss-on-tiles",
    title: "Moss on tiles",
    content: `<p>Moss holds water.</p>${long("tiles")}`,
    seo: {
      title: "Moss on roof tiles: when to take it off | Huber Roofing",
      description:
        "Moss holds water and breaks tiles in the frost. When it has to go, and what it costs in Vienna.",
    },
  },
] as const;

/** The page that somebody changed today: what it said, says, and a change beside it that has to stay. */
export const CHANGED = {
  slug: "prices",
  from: "An inspection from 90 euros.",
  to: "An inspection from 900 euros.",
  kept: { from: "What it costs", to: "Our prices in Vienna" },
} as const;

/** The articles whose frontmatter is to be changed, and one that must stay as it is. */
export const ARTICLES = Object.fromEntries([
  ["content/hedges-in-spring.md", "Hedges in spring", "draft", "Hedges want a cut before the birds come."],
  ["content/hedges-in-summer.md", "Hedges in summer", "draft", "A light cut, and water in the evening."],
  ["content/hedges-in-autumn.md", "Hedges in autumn", "draft", "The time to plant: the ground is warm."],
  ["content/hedges-in-winter.md", "Hedges in winter", "draft", "Shake the snow off: it breaks them."],
  ["content/hedges-for-shade.md", "Hedges for shade", "draft", "Yew and box grow where others do not."],
  ["content/lawns.md", "Lawns", "draft", "Sow in May or in September."],
].map(([path, title, status, text]) => [
  path!,
  `---\ntitle: "${title}"  # as it is shown\nslug: ${
    path!.slice(8, -3)
  }\ntype: post\nstatus: ${status}\nauthor: Office\ntags: [garden]\n---\n\n# ${title}\n\n${text}\n`,
]));

/** A call of a tool by whoever readies the world, confirmed. Throws with the refusal. */
export type Ready = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<Record<string, unknown>>;

/** Fills the roofer's site, past the gateway and then, for what counts as changes, through it. */
export async function fillRoofer(cms: CmsSandbox, ready: Ready): Promise<void> {
  const site_id = SITES.roofer;
  const ids = new Map<string, number>();
  for (const { kind, seo, ...text } of ROOFER_TEXTS) {
    const { id } = await wp(cms, kind, { ...text, status: "publish" });
    ids.set(text.slug, id);
    if (seo !== null) await ready("set_seo_meta", { site_id, post_id: id, ...seo });
  }
  for (const { kind, id, slug } of await allOf(cms)) {
    if (["hello-world", "sample-page"].includes(slug)) await wp(cms, `${kind}/${id}`, { status: "draft" });
  }
  await wp(cms, "settings", {
    title: "Huber Roofing",
    show_on_front: "page",
    page_on_front: ids.get("home"),
  });
  await wp(cms, "posts", { title: "Ideas", content: `<p>Ask at ${PHONE.shown}?</p>`, status: "draft" });
  const revise = (find: string, replace: string) =>
    ready("revise_published", { site_id, page_id: ids.get(CHANGED.slug), replacements: [{ find, replace }] });
  await revise(CHANGED.kept.from, CHANGED.kept.to);
  await revise(CHANGED.from, CHANGED.to);
  await ready("create_draft", { site_id, title: "Snow guards", content_html: "<p>To be written.</p>" });
}

/** The static sites: each its repository, and its project at the hosting. */
export const STATIC = {
  garden: { repo: "lindner/site", hosting_project: "lindner-garden" },
  cafe: { repo: "nord/site", hosting_project: "nord-cafe" },
  bikes: { repo: "weber/site", hosting_project: "weber-bikes" },
} as const;

/** What the start page of the garden's site says. */
export const HEADING = "Lindner Garden Design";

/** What the build of the shop said in the end. */
export const BROKEN = {
  path: "src/pages/workshop.astro",
  log: [
    "[build] Building static entrypoints...",
    "[CompilerError] Unable to assign attributes when using <> Fragment shorthand syntax!",
    "  Location: /opt/buildhome/repo/src/pages/workshop.astro:7:3",
    "Failed: build command exited with code: 1",
  ],
} as const;

/** What the sites lead to. */
interface Places {
  readonly roofer: CmsSandbox;
  readonly dentist: CmsSandbox;
  readonly yoga: CmsSandbox;
  readonly crm: { readonly location_id: string; readonly token: string };
  readonly workspace: string;
}

const CLIENTS = {
  huber: "Huber Roofing",
  brunner: "Brunner Dental",
  lindner: "Lindner Garden Design",
  moser: "Moser Yoga",
  nord: "Café Nord",
  weber: "Weber Bikes",
};

const cmsOf = ({ base_url, users: { admin } }: CmsSandbox) => ({
  platform: "cms" as const,
  base_url,
  credentials: { cms: { username: admin.username, application_password: admin.application_password } },
});

/** The WordPress sites; what may be published where is what their jobs need. */
const wordPresses = ({ roofer, dentist, yoga, workspace }: Places): NewSite[] => [
  {
    ...cmsOf(roofer),
    id: SITES.roofer,
    name: "Huber Roofing, website",
    project_id: "huber",
    seo: { enabled: true, channel: "plugin" },
    topicmap_workspace_id: workspace,
    flags: {
      allow_publish: true,
      allow_seo_on_published: true,
      allow_topicmap_write: true,
      allow_storage_write: true,
    },
  },
  {
    ...cmsOf(dentist),
    id: SITES.dentist,
    name: "Brunner Dental, website",
    project_id: "brunner",
    seo: { enabled: true, channel: "plugin" },
    flags: { allow_publish: true, allow_seo_on_published: true },
  },
  { ...cmsOf(yoga), id: SITES.yoga, name: "Moser Yoga, website", project_id: "moser" },
];

const statics: readonly NewSite[] = ([
  [SITES.garden, "Lindner Garden Design, website", "lindner", STATIC.garden],
  [SITES.cafe, "Café Nord, website", "nord", STATIC.cafe],
  [SITES.bikes, "Weber Bikes, website", "weber", STATIC.bikes],
] as const).map(([id, name, project_id, linked]) => ({
  id,
  name,
  platform: "static",
  base_url: `https://${linked.hosting_project}.example`,
  project_id,
  repo_branch: "main",
  ...linked,
  flags: { allow_full_repo_write: true, allow_main_branch_push: true },
}));

const others = ({ crm }: Places): NewSite[] => [
  {
    id: SITES.crm,
    name: "Brunner Dental, CRM",
    platform: "crm",
    base_url: null,
    project_id: "brunner",
    crm_location_id: crm.location_id,
    credentials: { crm: { integration_token: crm.token } },
  },
  ...statics,
];

/** Registers the sites, each of a client of its own, as a person would have. */
export async function registerClients({ store }: Pick<Gateway, "store">, places: Places): Promise<void> {
  for (const [id, name] of Object.entries(CLIENTS)) await store.projects.create({ id, name });
  for (const site of [...wordPresses(places), ...others(places)]) await store.sites.create(site);
}
