/** The files that every new project has: settings and words that are made here, and templates kept in `scaffold/`. */
import { GENERATED, LAYOUT_FILE } from "./page.ts";

/** A file to be written; `path` from the project's root. */
export interface ProjectFile {
  readonly path: string;
  readonly content: string;
}

/** What is known of a site when its project begins. */
export interface Beginning {
  /** In one line. */
  readonly name: string;
  /** A language tag of BCP 47. */
  readonly language: string;
  /** The address that visitors know, such as `https://www.example.com`; null where it is not known yet. */
  readonly address: string | null;
  /** Builds of other branches are previews. */
  readonly deployed_branch: string;
  readonly blog: boolean;
  /** Routes of the first level, in the order that visitors shall see. */
  readonly navigation: readonly string[];
}

/** Where the site's name, language, navigation and the layout's words are kept, for people and tools to change. */
const SITE_FILE = "src/content/site.json";

const ALWAYS = [
  LAYOUT_FILE,
  "src/components/Navigation.astro",
  "src/styles/global.css",
  "public/favicon.svg",
  "public/_headers",
];
const OF_A_BLOG = [
  "src/content.config.ts",
  "src/components/posts.ts",
  "src/pages/blog/index.astro",
  "src/pages/blog/[...slug].astro",
];

/** The files by their paths, without any page but those of a blog. */
export function scaffold(site: Beginning): Map<string, string> {
  const { name, address, blog, language, deployed_branch, navigation } = site;
  const words = wordsOf(language);
  const pages = navigation.map((route) => ({ route }));
  return new Map([
    ["package.json", PACKAGE],
    [".node-version", `${NODE_VERSION}\n`],
    ["astro.config.mjs", config(address)],
    ["tsconfig.json", TSCONFIG],
    [".gitignore", GITIGNORE],
    ["README.md", readme(name, blog)],
    [SITE_FILE, json({ name, language, deployed_branch, navigation: pages, words })],
    ["public/robots.txt", robots(address)],
    ...[...ALWAYS, ...blog ? OF_A_BLOG : []].map((path) => [path, template(path)] as const),
    ...blog ? [["src/content/blog/.gitkeep", ""] as const] : [],
  ]);
}

const read = new Map<string, string>();

/** A template, read when it is first needed; those in TypeScript have an ending of their own, for they are no module of ours. */
function template(path: string): string {
  const file = path.endsWith(".ts") ? `${path}.txt` : path;
  const known = read.get(path) ??
    Deno.readTextFileSync(new URL(`scaffold/${file}`, import.meta.url));
  read.set(path, known);
  return known;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** What Astro 7 and the packages that it brings take: itself 22.12, undici 22.19 (their package.json, `engines`). */
const NODE_RANGE = ">=22.19.0";
/** One with years to go, which the host installs (docs/upstreams/cloudflare-pages.md). */
const NODE_VERSION = "24.18.0";

const PACKAGE = json({
  private: true,
  type: "module",
  scripts: { dev: "astro dev", build: "astro build", preview: "astro preview" },
  engines: { node: NODE_RANGE },
  dependencies: { "@astrojs/sitemap": "^3.7.4", astro: "^7.3.5" },
});

function config(address: string | null): string {
  const site = address === null
    ? '  // The address that visitors know; canonical links and the sitemap need it.\n  // site: "https://www.example.com",'
    : `  site: ${JSON.stringify(address)},`;
  return `import sitemap from "@astrojs/sitemap";
import { defineConfig } from "astro/config";

export default defineConfig({
${site}
  integrations: [sitemap()],
});
`;
}

const TSCONFIG = json({
  extends: "astro/tsconfigs/strict",
  include: [".astro/types.d.ts", "**/*"],
  exclude: ["dist"],
});

const GITIGNORE = `dist/
.astro/
node_modules/
.env*
`;

const robots = (address: string | null) =>
  `User-agent: *\nAllow: /\n${address === null ? "" : `\nSitemap: ${address}/sitemap-index.xml\n`}`;

/** Words that the layout and its own pages say. */
export interface Words {
  readonly skip: string;
  readonly navigation: string;
  readonly more: string;
  readonly blog: string;
  readonly no_posts: string;
  readonly all_posts: string;
  readonly draft: string;
  readonly missing: string;
  readonly missing_text: string;
  readonly start: string;
}

const ENGLISH: Words = {
  skip: "Skip to content",
  navigation: "Main",
  more: "More pages",
  blog: "Blog",
  no_posts: "There are no posts yet.",
  all_posts: "All posts",
  draft: "Draft",
  missing: "Page not found",
  missing_text: "There is no page at this address.",
  start: "To the start page",
};

const WORDS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  de: {
    skip: "Zum Inhalt",
    navigation: "Hauptmenü",
    more: "Weitere Seiten",
    blog: "Blog",
    no_posts: "Noch gibt es keine Beiträge.",
    all_posts: "Alle Beiträge",
    draft: "Entwurf",
    missing: "Seite nicht gefunden",
    missing_text: "Unter dieser Adresse gibt es keine Seite.",
    start: "Zur Startseite",
  },
  fr: {
    skip: "Aller au contenu",
    navigation: "Menu principal",
    more: "Autres pages",
    blog: "Blog",
    no_posts: "Il n’y a pas encore d’articles.",
    all_posts: "Tous les articles",
    draft: "Brouillon",
    missing: "Page introuvable",
    missing_text: "Aucune page ne se trouve à cette adresse.",
    start: "Vers la page d’accueil",
  },
  es: {
    skip: "Ir al contenido",
    navigation: "Menú principal",
    more: "Más páginas",
    blog: "Blog",
    no_posts: "Todavía no hay artículos.",
    all_posts: "Todos los artículos",
    draft: "Borrador",
    missing: "Página no encontrada",
    missing_text: "No hay ninguna página en esta dirección.",
    start: "A la página de inicio",
  },
  it: {
    skip: "Vai al contenuto",
    navigation: "Menu principale",
    more: "Altre pagine",
    blog: "Blog",
    no_posts: "Non ci sono ancora articoli.",
    all_posts: "Tutti gli articoli",
    draft: "Bozza",
    missing: "Pagina non trovata",
    missing_text: "A questo indirizzo non c’è nessuna pagina.",
    start: "Alla pagina iniziale",
  },
};

/** The words in a language, whatever its region; in English where there are none. */
export function wordsOf(language: string): Words {
  return WORDS[language.toLowerCase().split("-")[0]!] ?? ENGLISH;
}

function readme(name: string, blog: boolean): string {
  const heading = name.replace(/[\\`*_[\]<>#&]/g, "\\$&");
  const posts = `
Posts are markdown files in \`src/content/blog\`, with \`title\` and \`slug\` in their frontmatter and, where it is known, \`date\` and \`excerpt\`. A post is shown once its \`status\` is \`published\`; previews show the others too, marked as drafts.
`;
  return `# ${heading}

Pages lie in \`src/pages\`: a file is a route. Pages that are fragments of HTML are put into \`${LAYOUT_FILE}\`. Pages that are whole documents stand for themselves. What lies in \`public\` is published as it is.

The site's name, its language and the layout's words are in \`${SITE_FILE}\`. Every page of the first level is in the navigation by itself; \`navigation\` there puts pages in order (\`{ "route": "/about", "label": "About", "place": "header" }\`; other places are \`"footer"\` and \`"none"\`). Colors and sizes are at the beginning of \`src/styles/global.css\`, with the classes that pages can use: \`lead\`, \`button\`, \`cards\`, \`note\`.
${blog ? posts : ""}
A page that starts with \`// ${GENERATED}\` is kept by the gateway; take that line out to keep it by hand.

\`\`\`
npm install
npm run dev
npm run build
\`\`\`
`;
}
