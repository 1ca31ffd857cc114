/** Which names in a repository nobody reads or writes through the gateway, however they are spelled. */
import { holdsSecrets } from "./secret_files.ts";

/** Folders, by what they are. */
const FOLDERS = new Map([
  [".git", "the repository's own records"],
  ["node_modules", "installed packages"],
  ["dist", "build output"],
  ["build", "build output"],
  [".astro", "build output"],
  [".output", "build output"],
  [".wrangler", "build output"],
  [".cache", "build output"],
]);
/** Those that are a route's own folders where they lie below the pages: /build/house is a page as any other. */
const PAGE_FOLDERS: ReadonlySet<string> = new Set(["dist", "build"]);
/** What a build service runs with the repository's rights and secrets: folders, and files. */
const RUN_BY_BUILDS = new Set([
  ...[".circleci", ".buildkite", ".travis.yml", ".gitlab-ci.yml", ".drone.yml", "azure-pipelines.yml"],
  ...["bitbucket-pipelines.yml", "jenkinsfile"],
]);
const WORKFLOWS = "the workflows that run with the repository's rights";
/** The short names Windows gives to the names above. */
const SHORT_NAMES =
  /^(git|github|env|dev|npmrc|netrc|node_m|astro|output|wrangl|cache|id_ed2|creden|git-cr|yarnrc|htpass|servic|terraf|secret)~\d/;

/** A plain character, then those that are read as it and that Unicode's compatibility forms leave alone. */
const LOOK_ALIKES = (
  ".\u0589\u0660\u06d4\u0701\u00b7\u2027\u3002\u30fb\ua4f8\ua60e /\u2044\u2215\u2571\u29f8 ~\u2053\u223c \\\u2216\u29f5\u29f9 " +
  "aаɑαАΑᴀ bьвƅʙВΒ cсϲᴄςСϹ dԁɗᴅ eеҽ℮εєᴇЕΕ fғ gɡցɢԍ hһհнʜНΗ iіıιɩɪІΙ jјϳᴊЈ kκкᴋКΚ lӏǀʟӀ mмᴍМΜ nոпռηɴΝ " +
  "oоοօσᴏОΟ pрρᴘРΡ qԛ rгᴦʀɾ sѕꜱʂЅ tтτᴛТΤ uυսʋᴜ vνѵᴠ wѡԝωɯᴡ xхχХΧ yуγүʏУΥҮ zᴢΖ 2ƨ 5ƽ"
).split(" ").flatMap(([plain, ...others]) => others.map((other): [string, string] => [other, plain!]));
const PLAIN = new Map(LOOK_ALIKES.toReversed());

/** Characters a file system or a reader may pass over: marks, joiners, fillers, everything without a form. */
const PASSED_OVER = /[\p{M}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** The path with `%2e` and its like read once; null when they do not encode text. */
export function percentDecoded(path: string): string | null {
  try {
    return path.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
  } catch {
    return null;
  }
}

/** The path a careless reader, Windows or macOS would take this one for: lower case, plain letters, parts trimmed. */
export function plainPath(path: string): string {
  return folded(path).split(/[/\\]/)
    .map((part) => part.replace(/:.*$/s, "").trimStart().replace(/(?<![\s.])[\s.]+$/, ""))
    .join("/");
}

function folded(path: string): string {
  if (/^[ -~]*$/.test(path)) return path.toLowerCase();
  const letters = (text: string) => [...text].map((one) => PLAIN.get(one) ?? one).join("");
  return letters(letters(path.normalize("NFKC")).toLowerCase().normalize("NFKD").replace(PASSED_OVER, ""));
}

/** What a path leads to that is blocked, in words, or null; also as it reads once percent-decoded. */
export function blockedFor(path: string): string | null {
  const decoded = percentDecoded(path);
  for (const reading of decoded === null || decoded === path ? [path] : [path, decoded]) {
    const segments = plainPath(reading).split("/");
    let pages = false;
    for (const [at, segment] of segments.entries()) {
      const what = pages && PAGE_FOLDERS.has(segment) ? null : blockedName(segment, segments[at + 1]);
      if (what !== null) return what;
      pages ||= segment === "pages" && segments[at - 1] === "src";
    }
  }
  return null;
}

function blockedName(name: string, next: string | undefined): string | null {
  const folder = FOLDERS.get(name);
  if (folder !== undefined) return folder;
  if (holdsSecrets(name, next)) return "a file that holds secrets";
  if (SHORT_NAMES.test(name)) return "a short name of a blocked file";
  if (RUN_BY_BUILDS.has(name)) return WORKFLOWS;
  if (name !== ".github") return null;
  return next === "workflows" || next === "actions" ? WORKFLOWS : null;
}

/** Whether a path of a listing is left out of it: one that leads to secrets, workflows, packages or build output. */
export function isBlocked(path: string): boolean {
  return blockedFor(path) !== null;
}
