/** What is refused about a file of a repository, and which files a static site runs in its build or in browsers. */
import { GatewayError } from "../core/errors.ts";

/** Throws E_FILE_TOO_LARGE over the limit, both in bytes. */
export function checkFileSize(bytes: number, limit: number, field: string): void {
  if (bytes <= limit) return;
  throw new GatewayError(
    "E_FILE_TOO_LARGE",
    `${field}: has ${bytes} bytes, over the ${limit} of one file; make it smaller`,
  );
}

/** Throws E_SHA_MISMATCH, naming the present sha, when a caller read something else; without a sha nothing is asked. */
export function checkSha(
  sha: string | undefined,
  standing: { readonly path: string; readonly sha: string },
  field = "sha",
): void {
  if (sha === undefined || sha === standing.sha) return;
  throw new GatewayError(
    "E_SHA_MISMATCH",
    `${field}: ${
      JSON.stringify(standing.path)
    } has changed since it was read and is ${standing.sha} now; read it again`,
  );
}

/** Source that the site's generator imports and runs while it builds; the last two are styles that may name code. */
const CODE = /\.(astro|[cm]?[jt]sx?|mdx|vue|svelte|less|styl)$/i;
/** Other styles, and the rules in them that have the build run a file, wherever that lies. */
const STYLE = /\.(css|pcss|postcss|scss|sass)$/i;
const LOADS_CODE = /@(plugin|config)\b/i;
/** Files that a browser shows as documents, with the script in them. */
const DOCUMENTS = /\.(?:[xs]?html?|xht|svgz?|xml|xslt?|rss|atom|rdf|mml|md|markdown)(?:\.(?:gz|br|zst))?$/i;
/** Files below public whose kind no browser reads markup in, whatever they begin with. */
const NO_MARKUP =
  /\.(?:png|jpe?g|webp|avif|gif|ico|woff2?|ttf|otf|pdf|mp[34]|webm|txt|css|json|webmanifest)$/i;
/** Files below public that browsers run, or that say what browsers get and run; of those for hosts only such as they read. */
const SERVED_CODE =
  /^public\/(?:.*\.(?:[cm]?jsx?|es6?|ecma|wasm)(?:\.(?:gz|br|zst))?|_headers|_redirects|_worker\.js|_routes\.json)$/i;

/** Whether the build runs a file, or what the file names: what lies below public is handed out as it is. */
export const runsInBuild = (path: string, text: () => string): boolean =>
  !path.startsWith("public/") && (CODE.test(path) || (STYLE.test(path) && LOADS_CODE.test(text())));

/** Whether browsers run a file that is handed out as it is, or it says what they get and run. */
export const runsAsServed = (path: string): boolean => SERVED_CODE.test(path);

/** Whether a file could be shown as a document, whatever it is called: where it is not read that must be expected. */
export const mayBeShown = (path: string): boolean =>
  isShown(path) || (path.startsWith("public/") && !NO_MARKUP.test(path));

/** Whether the script in a file runs in the browser of whoever opens it, or the page made of it. */
export const isShown = (path: string): boolean => DOCUMENTS.test(path);
