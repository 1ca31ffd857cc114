/** The way into a repository as an app: which installation covers it, and narrow tokens of that installation. */
import type { Octokit } from "@octokit/core";
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { ConnectorContext } from "../_connector/connector.ts";
import { appOf, type RepoSettings } from "./settings.ts";
import { CONTENTS_WAY, PULLS_WAY, RepoError, unreadable } from "./errors.ts";

/** What a token lets its holder do; never more (docs/upstreams/github.md, "Access as an app"). */
const PERMISSIONS = {
  read: { contents: "read", metadata: "read" },
  write: { contents: "write", metadata: "read" },
  propose: { contents: "read", metadata: "read", pull_requests: "write" },
} as const;
/** What is needed of a way out; no site is. */
export type RepoContext = Pick<
  ConnectorContext<RepoSettings>,
  "send" | "settings" | "cache" | "shared" | "now" | "deadline" | "joins"
>;
export type Right = keyof typeof PERMISSIONS;

/** Of any length; what is made of an answer without a token is shorter. */
const TOKEN = /^[\w.-]{20,}$/;
const INSTALLATION_MS = 10 * 60_000;
/** One minute less than a token lives. */
const TOKEN_MS = 59 * 60_000;

/** An installation of the app. */
export const INSTALLATION = z.object({
  id: z.number(),
  suspended_at: z.string().nullish(),
  app_slug: z.string().optional().catch(undefined),
  permissions: z.object({ contents: z.string().optional(), pull_requests: z.string().optional() }).catch({}),
});
/** The installation that covers a repository. */
export type Installation = z.infer<typeof INSTALLATION>;

/** How a token is asked for: made anew, and only where that does not throw, which is asked before it. */
interface TokenAsk {
  readonly refresh?: boolean;
  allowed?(installation: Installation): void;
}

/** Signs requests; what it found is kept in the cache. */
export class Access {
  readonly #ctx: RepoContext;
  readonly #octokit: Octokit;
  readonly #owner: string;
  readonly #name: string;
  #auth: Promise<ReturnType<typeof import("@octokit/auth-app").createAppAuth>> | undefined;

  constructor(ctx: RepoContext, octokit: Octokit, repo: string) {
    this.#ctx = ctx;
    this.#octokit = octokit;
    [this.#owner, this.#name] = repo.split("/") as [string, string];
  }

  /** The installation that was found before; null where it must be looked for. */
  get known(): Installation | null {
    return this.#ctx.cache.get<Installation | null>("installation") ?? null;
  }

  /** The Authorization header of the app itself. Throws E_MISSING_SECRET for a key that cannot sign. */
  async asApp(): Promise<string> {
    const strategy = await this.#strategy();
    try {
      return `Bearer ${(await strategy({ type: "app" })).token}`;
    } catch {
      throw new GatewayError(
        "E_MISSING_SECRET",
        "Repositories need REPO_APP_PRIVATE_KEY, and the one that is set is no RSA key that can be read; the " +
          "gateway's operator can set the file of the app's key as it was downloaded",
      );
    }
  }

  /**
   * The Authorization header of a token for this one repository; `refresh` makes a new one. An installation that was
   * taken out or suspended since it was found is looked for again. Throws E_REPO_APP_NOT_INSTALLED also where there is
   * none any more or not for that repository, E_UPSTREAM.
   */
  async asInstallation(
    right: Right,
    { refresh = false, allowed = () => {} }: TokenAsk = {},
  ): Promise<string> {
    try {
      const found = await this.installation();
      allowed(found);
      return await this.#token(found, right, refresh);
    } catch (thrown) {
      const ended = thrown instanceof RepoError &&
        ((thrown.upstream === 404 && !thrown.noApp) || thrown.suspended);
      if (!ended) throw this.#told(thrown, right);
    }
    try {
      return await this.#token(await this.installation(true), right, true);
    } catch (thrown) {
      throw this.#told(thrown, right);
    }
  }

  async #token(installation: Installation, right: Right, refresh: boolean): Promise<string> {
    const { token } = await (await this.#strategy())({
      type: "installation",
      installationId: installation.id,
      repositoryNames: [this.#name],
      permissions: PERMISSIONS[right],
      refresh,
    });
    if (TOKEN.test(token)) return `Bearer ${token}`;
    if (!refresh) return await this.#token(installation, right, true); // what cannot be read may have been kept
    throw unreadable(`${this.#owner}/${this.#name}`, 201, false);
  }

  /** What kept a token from being made, never to be taken for an answer about what it was wanted for. */
  #told(thrown: unknown, right: Right): unknown {
    if (!(thrown instanceof RepoError)) return thrown;
    const { upstream, said, noApp, message, retryAfter } = thrown;
    if (upstream === 422 && /permission/i.test(said)) {
      const repo = `Repository "${this.#owner}/${this.#name}"`;
      const way = right === "propose" ? PULLS_WAY : CONTENTS_WAY;
      const lacks = `${repo}: the app lacks a permission it asks for; ${way}`;
      return new GatewayError("E_UPSTREAM", lacks, { upstream, cause: thrown });
    }
    if (upstream === 422 && /repositor/i.test(said)) {
      return new GatewayError(
        "E_REPO_APP_NOT_INSTALLED",
        `The repository app is installed for "${this.#owner}", but not for a repository "${this.#name}": it is not there, ` +
          "has another name now, or was not chosen; check the site's repo, or have its owner add it to the installation",
      );
    }
    if (upstream === 404 && !noApp) return this.#absent("not installed any more");
    return new GatewayError("E_UPSTREAM", message, { upstream, retryAfter });
  }

  #absent(how: string): GatewayError {
    return new GatewayError(
      "E_REPO_APP_NOT_INSTALLED",
      `The repository app is ${how} for "${this.#owner}/${this.#name}"; its owner can install it for that ` +
        "repository, and GET /admin/api/repo shows where it is",
    );
  }

  /**
   * The installation that covers the repository, looked for by repository, user and organisation; `anew` where what is
   * remembered will not do. Throws E_REPO_APP_NOT_INSTALLED when there is none or it is suspended.
   */
  async installation(anew = false): Promise<Installation> {
    const { known } = this;
    if (known && !anew) return known;
    this.#ctx.cache.set("installation", null, INSTALLATION_MS);
    const found = await this.#lookUp();
    if (found === null || (found.suspended_at ?? null) !== null) {
      throw this.#absent(found === null ? "not installed" : "suspended");
    }
    this.#ctx.cache.set("installation", found, INSTALLATION_MS);
    return found;
  }

  async #lookUp(): Promise<Installation | null> {
    const [owner, repo] = [this.#owner, this.#name];
    const places = [
      ["GET /repos/{owner}/{repo}/installation", { owner, repo }],
      ["GET /users/{owner}/installation", { owner }],
      ["GET /orgs/{owner}/installation", { owner }],
    ] as const;
    const authorization = await this.asApp();
    for (const [route, place] of places) {
      try {
        const { data, status } = await this.#octokit.request(route, { ...place, headers: { authorization } });
        const read = INSTALLATION.safeParse(data);
        if (read.success) return read.data;
        throw new RepoError(
          "The repository host's answer about the app's installation cannot be read",
          status,
          "",
        );
      } catch (thrown) {
        if (!(thrown instanceof RepoError && thrown.upstream === 404) || thrown.noApp) throw thrown;
      }
    }
    return null;
  }

  #strategy() {
    this.#auth ??= (async () => {
      const { createAppAuth } = await import("@octokit/auth-app");
      const { cache } = this.#ctx;
      return createAppAuth({
        ...appOf(this.#ctx),
        request: this.#octokit.request,
        cache: {
          get: (key: string) => cache.get<string>(key) ?? "",
          set: (key: string, value: string) => cache.set(key, value, TOKEN_MS),
        },
        log: { warn: () => {} },
      });
    })();
    return this.#auth;
  }
}
