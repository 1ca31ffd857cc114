/** Requests to the repository host (GitHub's REST API), through the guarded way out. */
import type { Octokit } from "@octokit/core";
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { Incoming, Outgoing, PublishGrant } from "../_http/request.ts";
import { Access, type Installation, type RepoContext, type Right } from "./access.ts";
import { Blocked } from "./blocked.ts";
import { busyFor, CONTENTS_WAY, refusal, RepoError, unreadable } from "./errors.ts";
import { leavesDoubt } from "../_http/failures.ts";
import { remembered } from "./memory.ts";

/** The version of the API whose shapes are read here. */
const API_VERSION = "2022-11-28";

/** One request below the repository's own address. */
export interface Ask<T> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** What follows `/repos/{owner}/{repo}`, every part of it percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly json?: Readonly<Record<string, unknown>>;
  readonly schema: z.ZodType<T>;
  /**
   * Whether something can be seen of it in the repository: a branch that moves is a write; blobs, trees and commits
   * that nothing points to are not, and may be sent again. Default: GET reads, the rest writes.
   */
  readonly effect?: Outgoing["effect"];
  /** What the token is asked for that it is sent with. Default: GET reads, the rest writes the contents. */
  readonly right?: Right;
  readonly grant?: PublishGrant;
  readonly max_bytes?: number;
  /** Also once the call's time is used up: to read what became of a write. */
  readonly cleanup?: true;
}

/** A path with each of its segments percent-encoded. */
export const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** The one way to a site's repository. */
export class RepoWire {
  /** As owner/name; null for the app alone. */
  readonly repo: string | null;
  readonly ctx: RepoContext;
  /** Set when the host sent a read on to another address: the repository has another name now. */
  moved = false;
  /** Set once a read of the repository was answered well, so that the repository is known to be there. */
  isThere = false;
  #access: Promise<{ octokit: Octokit; access: Access }> | undefined;
  readonly #secrets: string[] = [];
  readonly #blocked: Blocked;

  constructor(ctx: RepoContext, repo: string | null) {
    this.ctx = ctx;
    this.#blocked = new Blocked(ctx);
    this.repo = repo;
  }

  /**
   * Asks as the app's installation. Throws what `installation` throws, RepoError (E_UPSTREAM) for every answer that is
   * no success or cannot be read.
   */
  async ask<T>(ask: Ask<T>): Promise<T> {
    const { access } = await this.#open();
    const right: Right = ask.right ?? (ask.method === "GET" ? "read" : "write");
    const route = `${ask.method} /repos/${encoded(this.repo ?? "")}${ask.path}`;
    const allowed = (of: Installation) => {
      if (!ask.cleanup) this.#blocked.require(of, this.repo); // what became of a write is read all the same
    };
    const authorization = await access.asInstallation(right, { allowed });
    try {
      return await this.#once(route, ask, authorization);
    } catch (thrown) {
      this.#blocked.heard(access.known, thrown);
      const ended = thrown instanceof RepoError && (thrown.upstream === 401 || thrown.suspended);
      if (!ended) throw thrown;
      return await this.#once(route, ask, await access.asInstallation(right, { refresh: true }));
    }
  }

  /** Asks as the app itself; `path` is the whole path. Throws RepoError. */
  async askApp<T>(
    path: string,
    query: Readonly<Record<string, string | number>>,
    schema: z.ZodType<T>,
  ): Promise<T> {
    const { octokit, access } = await this.#open();
    const headers = { authorization: await access.asApp() };
    const { data, status } = await octokit.request(`GET ${path}`, { ...query, headers });
    const read = schema.safeParse(data);
    if (read.success) return read.data;
    throw unreadable(null, status, false);
  }

  /** The app's name in addresses, which its own account is named after; null where its installation does not tell. */
  async appSlug(): Promise<string | null> {
    const { access } = await this.#open();
    return (await access.installation()).app_slug ?? null;
  }

  /** Whether the app may write to the repository, as far as its installation tells. */
  async mayWrite(): Promise<boolean> {
    const { access } = await this.#open();
    const writes = ({ permissions: { contents } }: Installation) =>
      contents === undefined || contents === "write";
    return writes(await access.installation()) || writes(await access.installation(true));
  }

  /** Whether the app may open pull requests in the repository, as its installation tells. */
  async mayPropose(): Promise<boolean> {
    const { access } = await this.#open();
    const proposes = ({ permissions }: Installation) => permissions.pull_requests === "write";
    return proposes(await access.installation()) || proposes(await access.installation(true));
  }

  /** Refuses before anything is written an app that may not write to the repository. */
  async requireWrite(): Promise<void> {
    if (this.moved) {
      throw new GatewayError(
        "E_UPSTREAM",
        `Repository "${this.repo}" has been renamed; nothing was written: set the site's repo to its new name`,
        { upstream: 301 },
      );
    }
    if (await this.mayWrite()) return;
    throw new GatewayError(
      "E_UPSTREAM",
      `Repository "${this.repo}": the app may only read it; nothing was written: ${CONTENTS_WAY}`,
      { upstream: 403 },
    );
  }

  async #once<T>(route: string, ask: Ask<T>, authorization: string): Promise<T> {
    const { octokit } = await this.#open();
    const { effect = ask.method === "GET" ? "read" : "write", grant, max_bytes, cleanup } = ask;
    const { data, status } = await octokit.request(route, {
      ...ask.query,
      headers: { authorization },
      request: { fetch: this.#fetch({ effect, grant, max_bytes, cleanup, json: ask.json }) },
    });
    const read = ask.schema.safeParse(data);
    if (!read.success) throw unreadable(this.repo, status, effect === "write");
    this.isThere = true;
    return read.data;
  }

  #open(): Promise<{ octokit: Octokit; access: Access }> {
    this.#access ??= (async () => {
      const { Octokit } = await import("@octokit/core");
      const octokit = new Octokit({
        baseUrl: this.ctx.settings.REPO_API_BASE ?? "",
        userAgent: "site-operations-gateway",
        request: { fetch: this.#fetch({ effect: "read" }) },
        log: { debug() {}, info() {}, warn() {}, error() {} },
      });
      octokit.hook.wrap("request", (request, options) => {
        options.headers["x-github-api-version"] = API_VERSION;
        return request(options);
      });
      octokit.hook.error("request", (error) => {
        throw this.#told(error);
      });
      return { octokit, access: new Access(this.ctx, octokit, this.repo ?? "/") };
    })();
    return this.#access;
  }

  /** What Octokit throws, as an error of the gateway's. */
  #told(error: Error): unknown {
    if (error.cause instanceof GatewayError) return error.cause;
    if (!("status" in error) || !("response" in error)) return error;
    const { status, response } = error as RequestFailure;
    const data = response?.data;
    const said = typeof data === "object" && data !== null && "message" in data ? String(data.message) : data;
    const headers = new Headers(response?.headers);
    const unknown = headers.has(IN_DOUBT);
    const text = typeof said === "string" ? said : "";
    return refusal(this.repo, { status, headers, said: text, unknown }, this.#secrets, this.ctx.now());
  }

  /**
   * Sends it; a read that was answered before asks whether that still holds, and costs nothing of the hour's limit then
   * (docs/upstreams/github.md, "Rate limits").
   */
  async #sent(out: Outgoing): Promise<Incoming> {
    if (out.method !== "GET" || out.max_bytes !== undefined) return await this.ctx.send(out);
    const answers = remembered(this.ctx, "answers");
    const kept = answers.get<Kept>(out.url);
    const answer = await this.ctx.send(
      kept ? { ...out, headers: { ...out.headers, "if-none-match": kept.etag } } : out,
    );
    if (kept && answer.status === 304) return { ...kept.answer, url: answer.url };
    const etag = answer.headers.get("etag");
    const isKept = answer.status === 200 && etag !== null && answer.bytes.byteLength <= KEPT_BYTES_MAX;
    if (isKept) answers.set(out.url, { etag, answer }, answer.bytes.byteLength + 2048);
    return answer;
  }

  /** A fetch for Octokit that goes the guarded way. */
  #fetch(how: Pick<Outgoing, "effect" | "grant" | "max_bytes" | "cleanup" | "json">): typeof fetch {
    return async (input, init = {}) => {
      const out: Outgoing = {
        method: init.method as Outgoing["method"],
        url: String(input),
        headers: init.headers as Record<string, string>,
        busy: busyFor,
        isRefusal,
        ...how,
        json: how.json ?? (typeof init.body === "string" ? JSON.parse(init.body) : undefined),
      };
      const [, secret = ""] = (out.headers?.["authorization"] ?? "").split(" ");
      if (secret !== "" && !this.#secrets.includes(secret)) this.#secrets.push(secret);
      const answer = await this.#sent(out);
      if (new URL(answer.url).pathname !== new URL(out.url).pathname) this.moved = true;
      const headers = new Headers(answer.headers);
      headers.delete(IN_DOUBT);
      if (leavesDoubt(out, answer)) headers.set(IN_DOUBT, "true");
      const bare = [204, 205, 304].includes(answer.status);
      return new Response(bare ? null : answer.bytes, { status: answer.status, headers });
    };
  }
}

/** An answer as it is kept, to be used again while the host says that it still holds. */
interface Kept {
  readonly etag: string;
  readonly answer: Incoming;
}

/** Longer answers are objects of git, which are kept by their names. */
const KEPT_BYTES_MAX = 256 * 1024;

/** Stands beside an answer, within the process, where its write may have been carried out although it failed. */
const IN_DOUBT = "x-in-doubt";

/** Whether an answer's body is a refusal as the host words it. */
const isRefusal = (json: unknown): boolean =>
  typeof json === "object" && json !== null && "message" in json && typeof json.message === "string";

interface RequestFailure {
  readonly status: number;
  readonly response?: { readonly headers: Record<string, string>; readonly data: unknown };
}

/** Throws RepoError where the repository itself is not there, or no longer within the app's reach. */
export async function requireRepository(wire: RepoWire): Promise<void> {
  await wire.ask({ method: "GET", path: "", schema: z.object({ id: z.number() }) });
}

/** Throws E_NOT_FOUND for a ref that leads nowhere, RepoError where there is not even a repository. */
export async function noRef(wire: RepoWire, ref: string, given: boolean): Promise<never> {
  await requireRepository(wire);
  const field = given ? "ref" : "The site's repo_branch";
  throw new GatewayError(
    "E_NOT_FOUND",
    `${field}: repository "${wire.repo}" has no branch, tag or commit ${JSON.stringify(ref)}`,
  );
}
