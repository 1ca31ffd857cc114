/** Where a site's REST API is: its root, found once and kept for a while. */
import { GatewayError } from "../../../core/errors.ts";
import { NO_ANSWER } from "../../_http/failures.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import { refusal } from "../errors.ts";
import { routeUrl } from "./route_url.ts";

const ROOT_KEY = "root";
const ROOT_TTL_MS = 600_000;

/** Where the site is. Throws E_MISSING_SECRET, with the command that sets it, where its record does not say. */
export function addressOf({ site: { id, base_url } }: Pick<SiteContext, "site">): string {
  if (base_url !== null) return base_url;
  throw new GatewayError(
    "E_MISSING_SECRET",
    `Site "${id}" has no base_url, the address of the CMS; its operator can set it with deno task admin site update ` +
      `${id} --base-url …`,
  );
}

/**
 * The API's root as the front page's Link header gives it, always on the origin of base_url and without anything else
 * in its query, which would go along with every write; without that header the usual place, or the one of plain
 * permalinks where only that answers (docs/upstreams/wordpress.md, "Requests and answers"). With little time (`hurried`)
 * the usual place is a guess, which is not kept. Throws E_MISSING_SECRET without a base_url, E_UPSTREAM.
 */
export async function findRoot(
  ctx: SiteContext,
  signIn: () => Promise<string>,
  hurried: boolean,
): Promise<URL> {
  const { cache } = ctx;
  const base = addressOf(ctx);
  if (!hurried) {
    const find = async () =>
      (await linkedRoot(ctx, base, false) ?? await answeringRoot(ctx, base, signIn)).href;
    return new URL(await cache.once(ROOT_KEY, ROOT_TTL_MS, find));
  }
  const known = cache.get<string>(ROOT_KEY);
  if (known !== undefined) return new URL(known);
  const root = await linkedRoot(ctx, base, true).catch(withoutAnswer);
  if (root === null) return new URL(`${base}/wp-json/`);
  cache.set(ROOT_KEY, root.href, ROOT_TTL_MS);
  return root;
}

async function linkedRoot(ctx: SiteContext, base: string, hurried: boolean): Promise<URL | null> {
  const out = {
    method: "HEAD",
    url: `${base}/`,
    effect: "read",
    headers: { accept: "text/html" },
  } as const;
  const answer = await ctx.send(hurried ? { ...out, deadline_ms: 1200 } : out);
  const link = /<([^<>]+)>\s*;\s*rel="https:\/\/api\.w\.org\/"/.exec(answer.headers.get("link") ?? "")?.[1];
  const named = link === undefined ? null : URL.parse(link, base);
  if (named === null) return null;
  const root = new URL(base);
  root.pathname = named.pathname;
  const plain = named.searchParams.get("rest_route");
  if (plain !== null) root.searchParams.set("rest_route", plain);
  return root;
}

async function answeringRoot(ctx: SiteContext, base: string, signIn: () => Promise<string>): Promise<URL> {
  const usual = new URL(`${base}/wp-json/`);
  const plain = new URL(`${base}/?rest_route=/`);
  for (const root of [usual, plain]) {
    const url = routeUrl(root, "", { _fields: "namespaces" });
    const out = {
      method: "GET",
      url,
      effect: "read",
      headers: { authorization: await signIn() },
    } as const;
    const answer = await ctx.send(out);
    const index = answer.json();
    const speaks = typeof index === "object" && index !== null &&
      ("namespaces" in index || "code" in index);
    if (speaks) return root;
    if (answer.status === 429 || answer.status >= 500) throw refusal(out, answer);
  }
  throw new GatewayError(
    "E_UPSTREAM",
    `"${base}" shows no WordPress REST API; check that base_url is the address of its front page and that no ` +
      "plugin or firewall hides the API",
    { upstream: NO_ANSWER },
  );
}

/** A front page that fails says nothing about the API behind it. */
function withoutAnswer(thrown: unknown): null {
  if (thrown instanceof GatewayError && thrown.code === "E_UPSTREAM") return null;
  throw thrown;
}
