/** How pages word what is kept. */

/** A moment as people read it, in UTC. */
export function time(at: string | number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A ceiling in words. */
export const CEILINGS = [
  "read only",
  "drafts",
  "changes at other services",
  "publishing and pushes",
  "deleting",
] as const;

const PAIR = "run deno task admin site pair ";
const COMMANDS = [" (user update ", " (site update ", ": deno task admin "];

/** A sentence that an operator is told everywhere, for a page: what a command would do has a form here. */
export function pageWords(text: string): string {
  const parts = text.split(PAIR);
  const paired = parts.map((part, at) => {
    if (at === 0) return part;
    const rest = [...part].findIndex((sign) => !"abcdefghijklmnopqrstuvwxyz0123456789-".includes(sign));
    return rest < 0 ? "" : part.slice(rest);
  }).join("pair it on the site's page");
  const ends = COMMANDS.map((command) => paired.indexOf(command)).filter((at) => at >= 0);
  return ends.length === 0 ? paired : paired.slice(0, Math.min(...ends));
}

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** What a browser calls itself, as people call it; as it is where it is none that is known. */
export function browserOf(agent: string): string {
  const named = (names: readonly [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser === undefined) return agent.slice(0, 60) || "A browser that does not say what it is";
  return system === undefined ? browser : `${browser} on ${system}`;
}
