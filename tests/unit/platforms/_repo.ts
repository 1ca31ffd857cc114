/** Clients of a repository host over real git, their requests judged as in service. */
import assert from "node:assert/strict";
import { type ConnectorPorts, makeConnectorContext } from "../../../guard/connector_context.ts";
import { FactCaches } from "../../../guard/fact_caches.ts";
import { flagStep } from "../../../guard/pipeline/flags.ts";
import { LIMITS, type Site } from "../../../core/model.ts";
import { createHttp, type HttpOptions } from "../../../platforms/_http/http.ts";
import type { ConnectorContext } from "../../../platforms/_connector/connector.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import type { Decide, RepoClient } from "../../../platforms/github/client.ts";
import github from "../../../platforms/github/connector.ts";
import {
  type GitHubStandIn,
  type RecordedRequest,
  type RepoOptions,
  startGitHub,
} from "../../../sandbox/github/start.ts";
import { changedTree, type Mode } from "../../../sandbox/github/trees.ts";
import { readSettings } from "../../../core/settings.ts";
import type { Store } from "../../../store/store.ts";
import { CONNECTORS } from "../../connectors.ts";
import { assertDescribed } from "../../sandbox/github_openapi.ts";
import { unkept } from "./_servers.ts";
import { site } from "./_site.ts";

/** The repository of every client that is not given another. */
export const REPO = "acme/site";
/** The message that commits of a test carry. */
export const MESSAGE = "A change\n\nX-Gateway-Token: tok\n";

/** How a world differs from one whose repository has a README. */
export interface RepoWorldOptions extends RepoOptions {
  /** Settings by name; null leaves one out. */
  readonly settings?: (host: GitHubStandIn) => Readonly<Record<string, string | null>>;
  /** Stands between the clients and the host. */
  readonly fetch?: typeof fetch;
}

/** A host and what its clients share: the memory of a site's facts, and the way out. */
export class RepoWorld implements AsyncDisposable {
  /** What went out, as it stood before the look. */
  readonly sent: Outgoing[] = [];
  /** What was waited for between tries, in milliseconds. */
  readonly waits: number[] = [];
  /** The gateway's clock is that much ahead of the host's, in milliseconds. */
  ahead = 0;
  /** Changes a request right before it leaves, as a shorter deadline. */
  bend: (out: Outgoing) => Outgoing = (out) => out;
  readonly #ports: ConnectorPorts;

  private constructor(readonly host: GitHubStandIn, { settings, fetch }: RepoWorldOptions) {
    const env: Record<string, string | null> = {
      MASTER_TOKEN: "master-token-of-the-tests-0123456789abcdef",
      ENCRYPTION_KEYS: new Uint8Array(32).fill(7).toBase64(),
      ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
      REPO_API_BASE: host.base_url,
      REPO_APP_ID: String(host.app.id),
      REPO_APP_PRIVATE_KEY: host.app.private_key,
      ...settings?.(host),
    };
    const now = () => Date.now() + this.ahead;
    const sleep: HttpOptions["sleep"] = (ms) => {
      this.waits.push(ms);
      return Promise.resolve();
    };
    this.#ports = {
      connectors: CONNECTORS,
      store: undefined as unknown as Store, // a repository's client has nothing of it
      http: createHttp({
        allowPrivate: ["127.0.0.1"],
        now,
        sleep,
        random: () => 0.5,
        fetch: fetch ?? unkept,
      }),
      upstream: readSettings((name) => env[name] ?? undefined, "start", CONNECTORS.settings).upstream,
      cache: new FactCaches(now),
      now,
    };
  }

  /** Starts one; dispose of it with `await using`. */
  static async open(options: RepoWorldOptions = {}): Promise<RepoWorld> {
    const host = await startGitHub();
    await host.make(REPO, options);
    return new RepoWorld(host, options);
  }

  /** A client as one call of a tool has it; what is known of a site is kept from call to call. */
  async client(given: Partial<Site> = {}): Promise<RepoClient> {
    return await github.connect!(this.reach(given));
  }

  /** Of a call that has its whole time before it. */
  reach(given: Partial<Site> = {}): ConnectorContext {
    const call = { site: siteOf(given), deadline: this.#ports.now() + LIMITS.CALL_DEADLINE_MS };
    const reach = makeConnectorContext(this.#ports, call, github);
    return {
      ...reach,
      send: (out) => {
        this.sent.push(out);
        return reach.send(this.bend(out));
      },
    };
  }

  /** Pushes files to the deployed branch, each as text or null to take it out. */
  async push(files: Readonly<Record<string, string | null>>, client?: RepoClient) {
    const own = client ?? await this.client();
    return await own.push({ branch: "main", message: MESSAGE, grant: GRANT }, edits(files));
  }

  /** Commits entries to the deployed branch past the API, each with its mode: links, submodules, what may be run. */
  async plant(entries: Readonly<Record<string, readonly [mode: string, content: string]>>): Promise<void> {
    const { bare } = this.host.state.repositories.get(REPO)!;
    const was = (await bare.commit((await bare.head("main"))!))!;
    const changes = await Promise.all(
      Object.entries(entries).map(async ([path, [mode, content]]) => {
        const blob = () => bare.objects.write("blob", new TextEncoder().encode(content));
        return { path, entry: { mode: mode as Mode, sha: mode === "160000" ? content : await blob() } };
      }),
    );
    const tree = await changedTree(bare.objects, was.tree, changes);
    const parents = [(await bare.head("main"))!];
    const sha = await bare.addCommit({ ...was, tree, parents, message: "Planted" });
    await this.host.git(REPO, "update-ref", "refs/heads/main", sha);
  }

  /** The branch's commits, newest first, by the first line of their messages; none where there is no commit. */
  async log(branch = "main"): Promise<string[]> {
    if (await this.head(branch) === null) return [];
    return (await this.host.git(REPO, "log", "--format=%s", branch)).trim().split("\n");
  }

  /** The commit a branch stands at; null where there is none. */
  async head(branch = "main"): Promise<string | null> {
    return await this.host.state.repositories.get(REPO)!.bare.head(branch);
  }

  async branches(): Promise<string[]> {
    return Object.keys(await this.host.refs(REPO)).map((ref) => ref.slice("refs/heads/".length));
  }

  /** The exchanges so far as "GET /git/trees", the repository's own address left out. */
  get asked(): string[] {
    return this.host.requests.map(short);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      // Any route of a repository that was renamed may redirect.
      const exchanges = this.host.requests.filter(({ answer }) => answer?.status !== 301);
      if (exchanges.length > 0) assertDescribed(exchanges);
      if (this.host.writes.length > 0) await this.host.git(REPO, "fsck", "--strict", "--no-dangling");
    } finally {
      await this.host.stop();
    }
  }
}

function siteOf(given: Partial<Site>): Site {
  return site({ platform: "static", repo: REPO, repo_branch: "main", ...given });
}

/** The right to reach the deployed branch of the sites here. */
export const GRANT: PublishGrant = flagStep({ name: "test", tier: 4, flags: [] }, {}, siteOf({}))!;

/** What decides on files as they are given, whatever stands there. */
export function edits(files: Readonly<Record<string, string | Uint8Array | null>>): Decide {
  return () =>
    Promise.resolve(
      Object.entries(files).map(([path, text]) => ({
        path,
        bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
      })),
    );
}

function short({ method, path }: Pick<RecordedRequest, "method" | "path">): string {
  return `${method} ${path.replace(`/repos/${REPO}`, "")}`;
}

/** Bytes as text. */
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A fetch that holds requests of that kind back until so many are there: all have looked, none has written. */
export function gate(fits: (method: string, path: string) => boolean, count: number): typeof fetch {
  const open = Promise.withResolvers<void>();
  let waiting = 0;
  return async (input, init) => {
    if (fits(init?.method ?? "GET", new URL(String(input)).pathname)) {
      if (++waiting === count) open.resolve();
      await open.promise;
    }
    return await fetch(input, init);
  };
}

/** Asserts that a world's host was asked for no change. */
export function nothingWritten({ host }: RepoWorld): void {
  assert.deepEqual(host.writes.map(short), []);
}
