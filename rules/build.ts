/** Which files of a static site run: as code in its build, or as pages in the browsers of those who open them. */

/** Source that the site's generator imports and runs while it builds; the last two are styles that may name code. */
const CODE = /\.(astro|[cm]?[jt]sx?|mdx|vue|svelte|less|styl)$/i;
/** Other styles, and the rules in them that have the build run a file, wherever that lies. */
const STYLE = /\.(css|pcss|postcss|scss|sass)$/i;
const LOADS_CODE = /@(plugin|config)\b/i;
/** Files that a browser shows as documents, with the script in them. */
const DOCUMENTS = /\.(x?html?|svg|xml|md|markdown)$/i;

/** Whether the build runs a file, or what the file names: what lies below public is handed out as it is. */
export const runsInBuild = (path: string, text: () => string): boolean =>
  !path.startsWith("public/") && (CODE.test(path) || (STYLE.test(path) && LOADS_CODE.test(text())));

/** Whether the script in a file runs in the browser of whoever opens it, or the page made of it. */
export const isShown = (path: string): boolean => DOCUMENTS.test(path);
