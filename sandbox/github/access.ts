/** Who asks, and what for: the app by its own token, or one of its installations by the token it was given. */
import type { Context, Hono } from "hono";
import { badCredentials, type Json, notAccessible, notFound, Refusal } from "./answer.ts";
import { checkAppToken, credentialOf } from "./app_key.ts";
import { covers, type InstallationToken, type Permissions, type Repository, type State } from "./state.ts";
import { entryAt } from "./trees.ts";

/** A request on its way to its route. */
export interface Ask {
  readonly state: State;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  /** The request's JSON object; empty where it sent none. Throws a Refusal (400). */
  readonly body: () => Json;
  /** Runs what was ordered to happen between a write's look at a branch and its moving it. */
  readonly within: () => Promise<void>;
  /** How a write is told that its branch has moved meanwhile. */
  readonly words: "expected to be at" | "is at";
}

/** The routes' environment. */
export interface RepoEnv {
  readonly Bindings: { readonly carried: Ask };
}

export type RepoContext = Context<RepoEnv>;
export type Routes = Hono<RepoEnv>;

/** A request for one repository. */
export interface RepoAsk extends Ask {
  readonly repo: Repository;
  readonly token: InstallationToken;
}

/** What a request needs of a token. */
export type Need = "metadata" | "read" | "write";

/** Lets the app itself in. Throws a Refusal (401, 404). */
export function asApp({ env: { carried } }: RepoContext): Ask {
  const { state, headers } = carried;
  checkAppToken(state.app, credentialOf(headers.get("authorization")), state.now() / 1000);
  return carried;
}

/** The installation token of a request. Throws a Refusal (401, 403). */
export function tokenOf({ state, headers }: Ask): InstallationToken {
  const token = state.tokens.get(credentialOf(headers.get("authorization")));
  if (token === undefined || token.expires_at <= state.now()) throw badCredentials();
  if (token.account.installation !== token.installation) throw badCredentials();
  if (token.installation.suspended_at !== null) {
    throw new Refusal(403, "This installation has been suspended");
  }
  return token;
}

/** Whether a token reaches a repository. */
export function sees(token: InstallationToken, repo: Repository): boolean {
  return covers(token.installation, repo) && (token.repositories?.has(repo.id) ?? true);
}

/** Whether one permission is as much as another, or more. */
export function grants(permissions: Permissions, subject: string, level: "read" | "write"): boolean {
  const has = permissions[subject];
  return has === "write" || (level === "read" && has === "read");
}

/** Whether a token may do something now; what the installation has lost since, it has lost too. */
export function may(token: InstallationToken, subject: string, level: "read" | "write"): boolean {
  return grants(token.permissions, subject, level) && grants(token.installation.permissions, subject, level);
}

/** A repository by its path; renamed ones by their old name too. */
export function repoOf(state: State, c: RepoContext): Repository | undefined {
  const name = `${c.req.param("owner")}/${c.req.param("repo")}`;
  return state.repositories.get(name.toLowerCase());
}

/** Lets a token in to a repository. Throws a Refusal (401, 403, 404). */
export function asInstallation(c: RepoContext, need: Need): RepoAsk {
  const { carried } = c.env;
  const token = tokenOf(carried);
  const repo = repoOf(carried.state, c);
  if (repo === undefined || !sees(token, repo)) throw notFound();
  if (need !== "metadata" && !may(token, "contents", need)) throw notAccessible();
  return { ...carried, repo, token };
}

const FOLDER = ".github/workflows";

/** Whether going from one tree (null: none) to another changes workflows without the permission to. */
export async function touchesWorkflows(ask: RepoAsk, from: string | null, to: string): Promise<boolean> {
  if (may(ask.token, "workflows", "write")) return false;
  const { objects } = ask.repo.bare;
  const was = from === null ? null : await entryAt(objects, from, FOLDER);
  const is = await entryAt(objects, to, FOLDER);
  return (was?.sha ?? null) !== (is?.sha ?? null);
}
