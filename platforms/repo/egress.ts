/** What may be sent to the repository host: reads of the site's own repository, and branches moved forward. */
import { isBlocked } from "../../guard/rules/path.ts";
import type { Site } from "../../model.ts";
import type { Outgoing } from "../platform.ts";

/** Preview branches begin with it. */
export const PREVIEW_PREFIX = "mcp/";

type Fields = Readonly<Record<string, unknown>>;

/** The base addresses reads of which are no repository: the app's own, and who has it installed. */
const APP_READABLE =
  /\/(app(\/installations)?|installation\/repositories|(users|orgs)\/[^/]+\/installation)$/;
const TOKENS = /\/app\/installations\/\d+\/access_tokens$/;

/**
 * Why that request may never be sent, or null. Nothing is deleted; a token is asked for this one repository and no
 * more than its contents; a branch is moved by force, and the deployed branch of a static site at all, only with the
 * right to publish; elsewhere only the site's own branch is written to.
 */
export function repoForbids(out: Outgoing, _now: number, site: Site): string | null {
  if (site.repo === null) return "the site has no repository";
  const { pathname } = new URL(out.url);
  const rest = below(pathname, site.repo);
  if (out.method === "GET") {
    return rest !== null || APP_READABLE.test(pathname) || renamed(out) ? null : "it reads elsewhere";
  }
  if (out.method === "POST" && TOKENS.test(pathname)) return judgeToken(fieldsOf(out), site);
  return rest === null ? "it writes elsewhere" : judgeWrite(out, rest, site);
}

/** What follows the repository's own address; null where the address is another's. */
function below(pathname: string, repo: string): string | null {
  const at = pathname.indexOf("/repos/");
  const own = `/repos/${repo}`;
  if (at < 0 || pathname.slice(at, at + own.length).toLowerCase() !== own.toLowerCase()) return null;
  const rest = pathname.slice(at + own.length);
  return rest === "" || rest.startsWith("/") ? rest : null;
}

/** A renamed repository is read under its number; nothing is written there. */
const renamed = (out: Outgoing) =>
  out.effect === "read" && /\/repositories\/\d+(\/|$)/.test(new URL(out.url).pathname);

function judgeWrite(out: Outgoing, rest: string, site: Site): string | null {
  const body = fieldsOf(out);
  if (out.method === "POST" && rest === "/git/trees") return judgeTree(body);
  if (out.method === "POST" && /^\/git\/(blobs|commits)$/.test(rest)) return null; // nothing points to them yet
  if (out.method === "PUT" && rest.startsWith("/contents/")) {
    if (body["sha"] !== undefined) return "a file is only written this way where there is none";
    return judgeBranch(out, typeof body["branch"] === "string" ? body["branch"] : null, site);
  }
  if (out.method === "POST" && rest === "/git/refs") {
    const branch = /^refs\/heads\/(.+)$/.exec(String(body["ref"]))?.[1];
    return branch === undefined ? "only branches are made" : judgeBranch(out, branch, site);
  }
  const branch = /^\/git\/refs\/heads\/(.+)$/.exec(rest)?.[1];
  if (out.method !== "PATCH" || branch === undefined) return "it is no way to write that is used here";
  if (body["force"] !== false && out.grant === undefined) return "a branch is only moved forward";
  return judgeBranch(out, decodeURIComponent(branch), site);
}

function judgeTree({ tree }: Fields): string | null {
  const paths = Array.isArray(tree) ? tree.map((entry: Fields) => entry["path"]) : [null];
  const blocked = paths.find((path) => typeof path !== "string" || isBlocked(path));
  return blocked === undefined ? null : `the path ${JSON.stringify(blocked)} is never written`;
}

/** `branch` null: the repository's default one. */
function judgeBranch(out: Outgoing, branch: string | null, site: Site): string | null {
  if (out.grant !== undefined) return null;
  if (site.platform !== "static") {
    const own = site.repo_branch === null || branch === site.repo_branch;
    return own ? null : "only the site's own branch is written to";
  }
  const preview = branch?.startsWith(PREVIEW_PREFIX) ?? false;
  if (branch === null || branch === site.repo_branch || (site.repo_branch === null && !preview)) {
    return "it would reach the deployed branch without the right to";
  }
  return null;
}

function judgeToken(body: Fields, site: Site): string | null {
  const name = site.repo?.split("/")[1];
  const narrow = Array.isArray(body["repositories"]) && body["repositories"].length === 1 &&
    body["repositories"][0] === name;
  if (!narrow) return "a token is asked for the site's repository only";
  const { contents, metadata, ...more } = (body["permissions"] ?? {}) as Fields;
  const modest = ["read", "write"].includes(String(contents)) && metadata === "read";
  return modest && Object.keys(more).length === 0 ? null : "a token is asked for the contents only";
}

const fieldsOf = ({ json }: Outgoing): Fields =>
  typeof json === "object" && json !== null ? json as Fields : {};
