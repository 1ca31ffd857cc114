/** Which files of a static site run: as code in its build, or as pages in the browsers of those who open them. */

/** Source that the site's generator imports and runs while it builds. */
const CODE = /\.(astro|[cm]?[jt]sx?|mdx|vue|svelte)$/i;
/** Files that a browser shows as documents, with the script in them. */
const DOCUMENTS = /\.(x?html?|svg|xml|md|markdown)$/i;

/** Whether the build runs a file: what lies below public is handed out as it is. */
export const runsInBuild = (path: string): boolean => CODE.test(path) && !path.startsWith("public/");

/** Whether the script in a file runs in the browser of whoever opens it, or the page made of it. */
export const isShown = (path: string): boolean => DOCUMENTS.test(path);
