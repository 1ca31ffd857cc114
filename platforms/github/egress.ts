/** What may be sent to the repository host: reads of the site's own repository, and branches moved forward. */
import { BRANCH } from "../../rules/branch.ts";
import { isBlocked } from "../../rules/path.ts";
import type { Site } from "../../core/model.ts";
import type { Outgoing } from "../_http/request.ts";
import { isPreviewName, PREVIEW_PREFIX } from "./names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The first word of the host's own API in an address, whatever folder the API is in, and what follows. */
const PLACE = /^.*?\/(repos|repositories|app|users|orgs)\/(.+)/s;

/**
 * Why that request may never be sent, or null. Nothing is deleted but, where an operator cleans, a preview branch; a token is asked for this one repository and no
 * more than its contents; a branch is moved by force, and the deployed branch of a static site at all, only with the
 * right to publish; elsewhere only the site's own branch is written to.
 */
export function repoPolicy(out: Outgoing, site: Site, cleaning = false): string | null {
  if (site.repo === null) return "the site has no repository";
  const { pathname, search } = new URL(out.url);
  const [, kind, rest = ""] = PLACE.exec(pathname) ?? [];
  const own = kind === "repos" ? below(rest, site.repo) : null;
  if (out.method === "GET") {
    const [owner] = site.repo.toLowerCase().split("/");
    const installed = /^(users|orgs)$/.test(kind ?? "") && rest.toLowerCase() === `${owner}/installation`;
    // A renamed repository is read under its number; nothing is written there.
    const renamed = kind === "repositories" && /^\d+(\/|$)/.test(rest) && out.effect === "read";
    return own !== null || installed || renamed ? null : "it reads elsewhere";
  }
  if (search !== "" || out.body !== undefined) return "what it writes cannot be judged";
  if (out.method === "POST" && kind === "app" && /^installations\/\d+\/access_tokens$/.test(rest)) {
    return judgeToken(fieldsOf(out.json), site);
  }
  if (own === null) return "it writes elsewhere";
  return out.method === "DELETE" ? judgeRemoval(out, own, site, cleaning) : judgeWrite(out, own, site);
}

/** Why that request of the app itself, without a site, may not be sent, or null: only its installations are read. */
export function appPolicy(out: Outgoing, base: string): string | null {
  const own = ["/app", "/app/installations"].some((path) => out.url.split("?")[0] === `${base}${path}`);
  return out.method === "GET" && own ? null : "of the repository app only its installations are read";
}

/** What follows the repository's own name; null where the name is another's. */
function below(rest: string, repo: string): string | null {
  if (rest.slice(0, repo.length).toLowerCase() !== repo.toLowerCase()) return null;
  const more = rest.slice(repo.length);
  return more === "" || more.startsWith("/") ? more : null;
}

function judgeWrite(out: Outgoing, rest: string, site: Site): string | null {
  const body = fieldsOf(out.json);
  if (out.method === "POST" && rest === "/git/trees") return judgeTree(body);
  if (out.method === "POST" && /^\/git\/(blobs|commits)$/.test(rest)) return null; // nothing points to them yet
  if (out.method === "PUT" && rest.startsWith("/contents/")) {
    const path = decoded(rest.slice("/contents/".length));
    if (path === null || isBlocked(path)) return neverWritten(path);
    if (body["sha"] !== undefined) return "a file is only written this way where there is none";
    return judgeBranch(out, body["branch"] ?? null, site);
  }
  if (out.method === "POST" && rest === "/git/refs") {
    const branch = /^refs\/heads\/(.+)$/.exec(String(body["ref"]))?.[1];
    return branch === undefined ? "only branches are made" : judgeBranch(out, branch, site);
  }
  if (rest === "/pulls" || rest.startsWith("/pulls/")) return judgePull(out, rest, body, site);
  const branch = /^\/git\/refs\/heads\/(.+)$/.exec(rest)?.[1];
  if (out.method !== "PATCH" || branch === undefined) return "it is no way to write that is used here";
  if (body["force"] !== false && out.grant === undefined) return "a branch is only moved forward";
  return judgeBranch(out, decoded(branch) ?? "", site);
}

/** A branch that the gateway named is taken away for an operator who cleans, and nothing else ever. */
function judgeRemoval(out: Outgoing, rest: string, site: Site, cleaning: boolean): string | null {
  const branch = decoded(/^\/git\/refs\/heads\/(.+)$/.exec(rest)?.[1] ?? "") ?? "";
  const isOurs = site.platform === "static" && isPreviewName(branch) && branch !== site.repo_branch;
  if (!cleaning || !isOurs || out.json !== undefined || out.grant !== undefined) {
    return "only an operator who cleans has a preview branch taken away";
  }
  return null;
}

/** Files alone: a folder, a link or a submodule could bring along what no path of the tree names. */
function judgeTree({ tree }: Fields): string | null {
  if (!Array.isArray(tree)) return "its tree cannot be judged";
  for (const entry of tree) {
    const { path, mode, type } = fieldsOf(entry);
    if (typeof path !== "string" || isBlocked(path)) return neverWritten(path);
    if (type !== "blob" || !/^100(644|755)$/.test(String(mode))) return "only files are put into a tree";
  }
  return null;
}

const neverWritten = (path: unknown) => `the path ${JSON.stringify(path)} is never written`;

const isNumber = (text: string) => Number.isSafeInteger(Number(text)) && String(Number(text)) === text;

/** A pull request is opened from a preview branch to the deployed one, or worded anew; nothing else is done with it. */
function judgePull(out: Outgoing, rest: string, body: Fields, site: Site): string | null {
  const { title, body: text, head, base, maintainer_can_modify, ...more } = body;
  if (typeof title !== "string" || typeof text !== "string" || Object.keys(more).length > 0) {
    return "of a pull request only its texts are written";
  }
  if (out.method === "PATCH" && isNumber(rest.slice("/pulls/".length))) {
    const isMoved = head !== undefined || base !== undefined || maintainer_can_modify !== undefined;
    return isMoved ? "of a pull request only its texts are written" : null;
  }
  if (out.method !== "POST" || rest !== "/pulls") {
    return "a pull request is opened, or worded anew, and nothing else";
  }
  const isOurs = site.platform === "static" && isPlain(head) && String(head).startsWith(PREVIEW_PREFIX);
  if (!isOurs || !isPlain(base) || (site.repo_branch !== null && base !== site.repo_branch)) {
    return "a pull request leads from a preview branch to the deployed one";
  }
  return maintainer_can_modify === false ? null : "nobody else is let into the preview branch";
}

/** A name the host takes for that branch and no other. */
const isPlain = (branch: unknown) =>
  typeof branch === "string" && BRANCH.test(branch) && !/^(HEAD$|(refs|heads)\/)/i.test(branch);

/** `branch` null: the repository's default one. */
function judgeBranch(out: Outgoing, branch: unknown, site: Site): string | null {
  if (branch !== null && !isPlain(branch)) return "its branch is not named plainly";
  if (out.grant !== undefined) return null;
  if (site.platform !== "static") {
    const own = site.repo_branch === null || branch === site.repo_branch;
    return own ? null : "only the site's own branch is written to";
  }
  const preview = String(branch).startsWith(PREVIEW_PREFIX);
  if (branch === null || branch === site.repo_branch || (site.repo_branch === null && !preview)) {
    return "it would reach the deployed branch without the right to";
  }
  return null;
}

function judgeToken({ repositories, permissions, ...more }: Fields, site: Site): string | null {
  const narrow = Array.isArray(repositories) && repositories.length === 1 &&
    repositories[0] === site.repo?.split("/")[1];
  if (!narrow || Object.keys(more).length > 0) return "a token is asked for the site's repository only";
  const { contents, metadata, pull_requests, ...others } = fieldsOf(permissions);
  const proposes = pull_requests === "write" && contents === "read";
  const isPlainToken = pull_requests === undefined && (contents === "read" || contents === "write");
  const modest = (proposes || isPlainToken) && metadata === "read";
  return modest && Object.keys(others).length === 0 ? null : "a token is asked for the contents only";
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? value as Fields : {};
