/** A new project of the site generator: the files it starts with, and what its repository may already have. */
import { GatewayError } from "../../core/errors.ts";
import { fileOfRoute, routeOf } from "../../rules/route.ts";
import { checkText } from "../../rules/text.ts";
import { GENERATED, LAYOUT_FILE, literal, pageSource } from "./page.ts";

/** A file to be written; `path` from the project's root. */
export interface ProjectFile {
  readonly path: string;
  readonly content: string;
}

/** What a new project is made of. */
export interface ProjectParts {
  readonly homepage_html: string;
  readonly site_name: string;
  readonly extra_pages: readonly { readonly route: string; readonly html: string; readonly title?: string }[];
  /** Paths of the files that are there already, all of them tolerated. */
  readonly existing: readonly string[];
}

/** Files a repository is often made with; they stay as they are. */
const TOLERATED = /^(readme[^/]*|license[^/]*|\.gitignore|\.gitattributes|\.github\/workflows\/.+)$/i;

/** The paths of those existing files that keep a project from being started, in their order. */
export function offenders(existing: readonly string[]): string[] {
  return existing.filter((path) => !TOLERATED.test(path));
}

/**
 * The files of a new project, its pages in the layout it brings. Throws E_BAD_ROUTE, E_ROUTE_EXISTS for a route given
 * twice, E_BAD_INPUT and E_FILE_TOO_LARGE of a page, naming the argument.
 */
export function projectFiles(
  { homepage_html, site_name, extra_pages, existing }: ProjectParts,
): ProjectFile[] {
  checkText(site_name, "site_name");
  const name = site_name.trim().replace(/\s+/g, " ");
  const files = new Map(Object.entries({
    "package.json": PACKAGE,
    "astro.config.mjs": CONFIG,
    "tsconfig.json": TSCONFIG,
    ".gitignore": GITIGNORE,
    "README.md": readme(name),
    [LAYOUT_FILE]: layout(name),
    "src/styles/global.css": STYLES,
    "src/components/.gitkeep": "",
    "src/content/.gitkeep": "",
    "public/favicon.svg": FAVICON,
    "public/robots.txt": "User-agent: *\nAllow: /\n",
  }));
  const home = { html: homepage_html, layout: true, title: undefined };
  files.set(fileOfRoute("/"), pageSource({ ...home, file: fileOfRoute("/") }, () => "homepage_html"));
  for (const [at, { route, html, title }] of extra_pages.entries()) {
    const file = fileOfRoute(routeOf(route, `extra_pages[${at}].route`));
    if (files.has(file)) {
      const shown = JSON.stringify(route);
      throw new GatewayError(
        "E_ROUTE_EXISTS",
        `extra_pages[${at}].route: ${shown} is a page already; give each route once, the home page is homepage_html`,
      );
    }
    files.set(file, pageSource({ file, html, title, layout: true }, (part) => `extra_pages[${at}].${part}`));
  }
  const kept = new Set(existing.map((path) => path.toLowerCase().replace(/^readme[^/]*$/, "readme.md")));
  return [...files].filter(([path]) => !kept.has(path.toLowerCase()))
    .map(([path, content]) => ({ path, content })).toSorted((a, b) => a.path < b.path ? -1 : 1);
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const PACKAGE = json({
  private: true,
  type: "module",
  scripts: { dev: "astro dev", build: "astro build", preview: "astro preview" },
  dependencies: { astro: "^7.3.5" },
});

const CONFIG = `import { defineConfig } from "astro/config";

export default defineConfig({ output: "static" });
`;

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

const STYLES = `/* Styles of every page that is put into the layout. */
*,
*::before,
*::after {
  box-sizing: border-box;
}

body {
  margin: 0;
  font-family: system-ui, sans-serif;
  line-height: 1.5;
}

img {
  max-width: 100%;
  height: auto;
}
`;

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#1f2937" />
  <circle cx="16" cy="16" r="7" fill="#f9fafb" />
</svg>
`;

function layout(name: string): string {
  return `---
// ${GENERATED}
import "../styles/global.css";

interface Props {
  title?: string;
  description?: string;
}

const SITE = ${literal(name)};
const { title, description } = Astro.props;
---
<!doctype html>
<html>
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>{title || SITE}</title>
    {description && <meta name="description" content={description} />}
    <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
  </head>
  <body><slot /></body>
</html>
`;
}

function readme(name: string): string {
  const heading = name.replace(/[\\`*_[\]<>#&]/g, "\\$&");
  return `# ${heading}

Pages lie in \`src/pages\`: a file is a route. Pages that are fragments of HTML are put into \`${LAYOUT_FILE}\`; set the language of your pages there (\`<html lang="…">\`). Pages that are whole documents stand for themselves. What lies in \`public\` is published as it is.

A page that starts with \`// ${GENERATED}\` is kept by the gateway; take that line out to keep it by hand.

\`\`\`
npm install
npm run dev
npm run build
\`\`\`
`;
}
