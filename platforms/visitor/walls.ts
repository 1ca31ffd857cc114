/** What stands between a visitor and a page: a firewall, a challenge, a log-in, maintenance, a crash; each with its next step. */
import type { PageFacts } from "./page.ts";

/** A page that is not the page asked for. Sentences' parts: no full stop. */
export interface Wall {
  readonly kind:
    | "firewall"
    | "challenge"
    | "rate_limit"
    | "password"
    | "login"
    | "maintenance"
    | "coming_soon"
    | "crash";
  /** What it is by, where its answer tells. */
  readonly by: string | null;
  readonly message: string;
  readonly next: string;
}

/** What a wall is told by. */
export interface WallSigns {
  readonly status: number;
  readonly headers: Headers;
  readonly page: Pick<PageFacts, "title" | "text" | "metas" | "comments" | "body_class"> | null;
  /** Where it leads, of a redirect. */
  readonly location?: URL | null;
}

const READER = 'the gateway\'s reader, whose user agent begins with "site-operations-gateway",';

type Sign = (signs: WallSigns & { words: string }) => boolean;
const header = (name: string, part = ""): Sign => ({ headers }) =>
  headers.get(name)?.toLowerCase().includes(part) ?? false;
/** Answers that a page's own words are found in: a text on walls is none, and neither is the page of what is missing. */
const OWN_WORDS: ReadonlySet<number> = new Set([404, 410]);
const isRefusal = (status: number) => status >= 400 && !OWN_WORDS.has(status);
const says = (...parts: string[]): Sign => ({ words, status }) =>
  isRefusal(status) && parts.some((part) => words.includes(part));
const titleOf = ({ page }: Pick<WallSigns, "page">) => (page?.title ?? "").trim().toLowerCase();
const titled = (part: string): Sign => (signs) => titleOf(signs).startsWith(part);
const all = (...signs: Sign[]): Sign => (given) => signs.every((sign) => sign(given));

/** Challenges, by their vendors (docs/upstreams/visitors.md, "Walls"). */
const CHALLENGES: readonly (readonly [by: string, sign: Sign])[] = [
  ["Cloudflare", header("cf-mitigated", "challenge")],
  ["Cloudflare", all(header("cf-ray"), titled("just a moment..."))],
  ["AWS WAF", header("x-amzn-waf-action")],
  ["SiteGround", header("sg-captcha")],
  ["SiteGround", says("/.well-known/sgcaptcha")],
  ["DataDome", all(header("x-datadome"), ({ status }) => status >= 400)],
  ["Imunify360", titled("one moment, please...")],
  ["Imunify360", says("imunify360 bot-protection")],
];

/** Firewalls that refuse, by their vendors. */
const FIREWALLS: readonly (readonly [by: string, sign: Sign])[] = [
  ["Sucuri", header("x-sucuri-block")],
  ["Sucuri", says("sucuri website firewall")],
  ["Wordfence", all(({ status }) => status === 403 || status === 503, says("wordfence"))],
  ["Imunify360", says("imunify360")],
  ["Incapsula", says("incapsula incident id")],
  ["Akamai", all(header("server", "akamaighost"))],
  ["ModSecurity", says("mod_security", "not acceptable!")],
  [
    "Cloudflare",
    all(header("server", "cloudflare"), says("attention required!", "you have been blocked", "error 1020")),
  ],
];

/** Whether an address is that of a host's bot check. */
export const isCheck = ({ pathname }: URL): boolean =>
  pathname.toLowerCase().includes("/.well-known/sgcaptcha");

const byOf = (table: typeof FIREWALLS, signs: WallSigns & { words: string }): string | null | undefined =>
  table.find(([, sign]) => sign(signs))?.[0];

/** What keeps the page from its visitors, or from this reader alone; null for a page as it is meant. */
export function wallOf(given: WallSigns): Wall | null {
  const { page, status, location } = given;
  const words = `${page?.title ?? ""} ${(page?.text ?? "").slice(0, 5000)} ${
    (page?.comments ?? []).join(" ")
  }`.toLowerCase();
  const signs = { ...given, words };
  const challenge = byOf(CHALLENGES, signs) ??
    (location && isCheck(location) ? "SiteGround" : undefined);
  if (challenge !== undefined) return challengeOf(challenge);
  if (status === 401 || status === 407) return passwordOf(given.headers);
  if (isLogin(signs)) return LOGIN;
  if (status === 429) return { ...RATE, by: null };
  const firewall = isRefusal(status) ? byOf(FIREWALLS, signs) : undefined;
  if (firewall !== undefined || [403, 406, 418, 451].includes(status)) {
    return firewallOf(firewall ?? null, status);
  }
  return outage(signs);
}

const challengeOf = (by: string | null): Wall => ({
  kind: "challenge",
  by,
  message: `a bot check${
    by ? ` of ${by}` : ""
  } answers in place of the page, which says nothing of what people see`,
  next: `look at the page in a browser, or let ${READER} through in ${by ?? "what makes the check"}`,
});

const firewallOf = (by: string | null, status: number): Wall => ({
  kind: "firewall",
  by,
  message: `${
    by ? `the firewall of ${by}` : "a firewall or the web server"
  } refuses ${READER} (${status}); people may see the page all the same`,
  next: `look at the page in a browser, or have the site's firewall let that user agent read pages`,
});

function passwordOf(headers: Headers): Wall {
  const scheme = (headers.get("www-authenticate") ?? "").split(" ", 1)[0]!.toLowerCase();
  const named = scheme === "basic" ? "basic authentication" : "a user name and a password";
  return {
    kind: "password",
    by: null,
    message:
      `the web server asks every visitor for ${named}, which this reader never sends; nobody sees the page without`,
    next:
      "take the protection off before the site goes live, or look at the page in a browser that is signed in",
  };
}

const LOGIN: Wall = {
  kind: "login",
  by: null,
  message: "visitors are sent to a log-in in place of the page",
  next:
    "see which plugin shuts the site (a membership, or a private or staging site), or whether the post is private",
};

const RATE: Wall = {
  kind: "rate_limit",
  by: null,
  message: `the site takes ${READER} for too busy (429), which says nothing of what people see`,
  next: "wait a minute and read the page again with view_live",
};

/** WordPress's own log-in, by its address or its form. */
function isLogin({ location, words, page }: WallSigns & { words: string }): boolean {
  if (location) {
    const path = location.pathname.toLowerCase();
    return path.includes("wp-login.php") || path.includes("/wp-admin") ||
      location.searchParams.get("password-protected") === "login";
  }
  return words.includes("powered by wordpress") && titleOf({ page }).startsWith("log in ‹");
}

/** WordPress's maintenance mode and crash page by their words, plugins' placeholders by their marks. */
function outage({ status, words, page, headers }: WallSigns & { words: string }): Wall | null {
  const isBrief = (status >= 500 || titleOf({ page }) === "maintenance") &&
    words.includes("briefly unavailable for scheduled maintenance");
  if (isBrief || (status === 503 && (headers.has("retry-after") || words.includes("maintenance")))) {
    return {
      kind: "maintenance",
      by: isBrief ? "WordPress" : null,
      message: "the site is in maintenance mode, so nobody sees the page just now",
      next: isBrief
        ? "wait until the update on the site is over (a file .maintenance that stays behind after it is to be taken away), and read again with view_live"
        : "end the maintenance mode (a plugin, or the host), and read again with view_live",
    };
  }
  const placeholder = placeholderOf(page);
  if (placeholder !== null) {
    return {
      kind: "coming_soon",
      by: placeholder,
      message: "a placeholder (coming soon) is shown to visitors in place of the page",
      next: "switch the placeholder off in the site's settings or its plugin, and read again with view_live",
    };
  }
  if (status >= 500) {
    const isCritical = words.includes("there has been a critical error");
    return {
      kind: "crash",
      by: isCritical ? "WordPress" : null,
      message: `the site answers visitors with an error of the server (${status})${
        isCritical ? ": WordPress met a critical error" : ""
      }`,
      next: "see the site's error log; the plugin, theme or page changed last is the likeliest cause",
    };
  }
  return null;
}

/** Which plugin's placeholder a page is (docs/upstreams/visitors.md, "Walls"); null for none. */
function placeholderOf(page: WallSigns["page"]): string | null {
  if (page === null) return null;
  if (page.metas["woo-coming-soon-page"] !== undefined) return "WooCommerce";
  if (page.body_class.split(" ").includes("elementor-maintenance-mode")) return "Elementor";
  const marks = [...page.comments, page.metas["generator"] ?? ""].join(" ").toLowerCase();
  if (marks.includes("underconstructionpage")) return "Under Construction Page";
  const isSoon = (page.title ?? "").toLowerCase().includes("coming soon");
  return isSoon && marks.includes("seedprod") ? "SeedProd" : null;
}

/** Walls that visitors meet too: what they get is known, and it is not the page. */
const SEEN_BY_ALL: ReadonlySet<Wall["kind"]> = new Set([
  "password",
  "login",
  "maintenance",
  "coming_soon",
  "crash",
]);

/** Whether visitors meet the wall too, and not this reader alone. */
export const isForAll = ({ kind }: Wall): boolean => SEEN_BY_ALL.has(kind);

/** An answer in the place of a site's REST API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Where it came from, redirects followed. */
  readonly url: string;
  text(): string;
}

/** What to do where something answers in the place of the REST API, and what that is. Sentences' parts. */
const API_WALLS: Partial<Record<Wall["kind"], (wall: Wall) => readonly [message: string, next: string]>> = {
  challenge: ({ by }) => [
    `a bot check${by ? ` of ${by}` : ""} answers in place of the REST API`,
    `let requests to /wp-json/ whose user agent begins with "site-operations-gateway" through in ${
      by ?? "what makes the check"
    }`,
  ],
  firewall: ({ by }) => [
    `the firewall of ${by} refuses the gateway`,
    `let requests to /wp-json/ whose user agent begins with "site-operations-gateway" through in ${by}`,
  ],
  password: () => [
    "the web server asks for a user name and a password of its own (basic authentication), which takes the place of " +
    "the application password: both use the header Authorization",
    "take /wp-json/ out of that protection",
  ],
  login: () => [
    "a log-in page answers in place of the REST API",
    "have the plugin that shuts the site let requests to /wp-json/ through, which sign in by an application password",
  ],
  maintenance: (
    { next },
  ) => ["the site is in maintenance mode", next.replace(", and read again with view_live", "")],
  coming_soon: ({ by }) => [
    `a placeholder (coming soon)${by ? ` of ${by}` : ""} answers in place of the REST API`,
    "have it let requests to /wp-json/ through, or switch it off",
  ],
};

const READ_CHARACTERS = 20_000;

/** What an answer that is none of WordPress's own comes from instead; null where that cannot be told. */
export function apiWallOf(answer: ApiAnswer): Wall | null {
  const { status, headers, url } = answer;
  const html = answer.text().slice(0, READ_CHARACTERS);
  const lower = html.toLowerCase();
  const title = lower.includes("<title")
    ? words(html.slice(lower.indexOf("<title")).split("</", 1)[0]!).replace("&lsaquo;", "‹")
    : null;
  const metas: Record<string, string> = lower.includes("woo-coming-soon-page")
    ? { "woo-coming-soon-page": "yes" }
    : {};
  const page = {
    title,
    text: words(html),
    metas,
    comments: lower.includes("underconstructionpage") ? ["underconstructionpage"] : [],
    body_class: lower.includes("elementor-maintenance-mode") ? "elementor-maintenance-mode" : "",
  };
  const at = URL.parse(url);
  const led = at !== null && (isCheck(at) || isLogin({ status, headers, page, location: at, words: "" }));
  const wall = wallOf({ status, headers, page, location: led ? at : null });
  if (wall === null || (wall.kind === "firewall" && wall.by === null)) return null;
  if (wall.kind === "password" && !wall.message.includes("basic")) return null;
  const said = API_WALLS[wall.kind]?.(wall);
  return said === undefined ? null : { ...wall, message: said[0], next: said[1] };
}

/** A text of HTML without its tags. */
const words = (html: string): string =>
  html.split("<").map((part, at) => at === 0 ? part : part.slice(part.indexOf(">") + 1)).join(" ").trim();
