/** Where a request enters the host: recorded, troubled on order, sent to its route, and its answer dressed. */
import { Hono } from "hono";
import { half } from "../core/faults.ts";
import type { Fate } from "../core/server.ts";
import { type Ask, type RepoEnv, type Routes } from "./access.ts";
import { addApp } from "./app_routes.ts";
import { type Json, json, notFound, Refusal, refused } from "./answer.ts";
import { addContents } from "./contents.ts";
import { addGitData } from "./git_data.ts";
import { countCall } from "./rate.ts";
import { addRefs } from "./refs.ts";
import { fullName, pushed, type Repository, type State } from "./state.ts";
import { instead, isApplied, type RepoTrouble, truncated } from "./faults.ts";

/** What was answered, as it was sent. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; null when empty; text of anything else. */
  readonly body: unknown;
}

/** One request as it came in, and what became of it. */
export interface RecordedExchange {
  readonly method: string;
  /** Percent-encoded, as it came. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; null when empty; text of anything else. */
  readonly body: unknown;
  /** By the host's clock, in milliseconds. */
  readonly at: number;
  /** The kind of trouble it met; null when it went well. */
  readonly trouble: RepoTrouble["kind"] | null;
  /** What the client got; null while it waits, and when it got nothing. */
  readonly answer: RecordedAnswer | null;
}

const VERSIONS = ["2022-11-28", "2026-03-10"];
const MARK = { name: "Somebody else", email: "somebody@example.com" };

function parsed(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function jsonObject(text: string): Json {
  if (text === "") return {};
  const value = parsed(text);
  if (typeof value === "string") throw new Refusal(400, "Problems parsing JSON");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal(400, "Body should be a JSON object");
  }
  return value as Json;
}

/** The repository part of a path: its name, or its id, and what follows. */
function repositoryOf(state: State, path: string): { repo: Repository; rest: string; moved: boolean } | null {
  const byId = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  if (byId) {
    const repo = [...state.repositories.values()].find(({ id }) => String(id) === byId[1]);
    return repo ? { repo, rest: byId[2] ?? "", moved: false } : null;
  }
  const found = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path);
  const repo = found && state.repositories.get(found[1]!.toLowerCase());
  if (!repo) return null;
  return { repo, rest: found[2] ?? "", moved: found[1]!.toLowerCase() !== fullName(repo).toLowerCase() };
}

/** The host's front door. */
export class Entry {
  readonly exchanges: RecordedExchange[] = [];
  readonly app: Routes = new Hono<RepoEnv>();

  constructor(readonly state: State) {
    this.app.notFound(() => refused(notFound()));
    this.app.onError((thrown) => {
      if (thrown instanceof Refusal) return refused(thrown);
      const words = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
      return json({ message: `The stand-in broke: ${words}` }, 500);
    });
    addApp(this.app);
    addContents(this.app);
    addGitData(this.app);
    addRefs(this.app);
  }

  /** Answers one request, or says how its connection shall end. */
  async answer(request: Request): Promise<Response | Fate> {
    const { state } = this;
    const url = new URL(request.url);
    const sent = await request.text();
    const trouble = state.troubles.next(request.method, url.pathname);
    const row = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(request.headers),
      body: parsed(sent),
      at: state.now(),
      trouble: trouble?.kind ?? null,
      answer: null as RecordedAnswer | null,
    };
    this.exchanges.push(row);
    const replaced = trouble && instead(trouble, state.now());
    if (replaced === undefined || isApplied(trouble!)) {
      const answer = await this.#carried(request, url, sent, trouble);
      if (replaced === undefined) {
        row.answer = await recorded(answer);
        return trouble?.kind === "half" ? await half(answer, trouble.length ?? "promised") : answer;
      }
    }
    if (replaced instanceof Response) {
      this.#dress(replaced);
      row.answer = await recorded(replaced);
    }
    return replaced;
  }

  async #carried(
    request: Request,
    url: URL,
    sent: string,
    trouble: RepoTrouble | undefined,
  ): Promise<Response> {
    const { state } = this;
    const place = repositoryOf(state, url.pathname);
    const within = async () => {
      if (trouble?.kind === "moved" && place) await this.#meddle(place.repo, trouble);
    };
    if (trouble?.kind !== "moved" || trouble.when !== "within") await within();
    const ask: Ask = {
      state,
      headers: request.headers,
      query: url.searchParams,
      body: () => jsonObject(sent),
      within: trouble?.kind === "moved" && trouble.when === "within" ? within : () => Promise.resolve(),
      words: trouble?.kind === "moved" && trouble.words || "expected to be at",
    };
    const answer = this.#doorstep(request, url, place) ?? await this.#routed(request, url, place, ask);
    const out = trouble?.kind === "truncated" ? await truncated(answer, trouble.keep) : answer;
    this.#dress(out, request);
    return out;
  }

  /** Somebody else commits. */
  async #meddle(repo: Repository, trouble: RepoTrouble & { kind: "moved" }): Promise<void> {
    const branch = trouble.branch ?? repo.bare.branch;
    const files = trouble.files ?? { "meanwhile.txt": `${this.state.next++}\n` };
    const by = { ...MARK, at: Math.floor(this.state.now() / 1000) };
    const sha = await repo.bare.put(branch, files, by, "Meanwhile");
    await pushed(this.state, repo, branch, sha);
  }

  /** What is answered before any route is asked. */
  #doorstep(
    { method, headers }: Request,
    url: URL,
    place: ReturnType<typeof repositoryOf>,
  ): Response | undefined {
    if (!headers.get("user-agent")) {
      const words =
        "Request forbidden by administrative rules. Please make sure your request has a User-Agent header";
      return new Response(`${words}\n`, { status: 403, headers: { "content-type": "text/plain" } });
    }
    const version = headers.get("x-github-api-version");
    if (version !== null && !VERSIONS.includes(version)) {
      return refused(new Refusal(400, `"${version}" is not a supported version.`));
    }
    if (!place?.moved || !headers.has("authorization")) return undefined;
    const location = `${this.state.origin()}/repositories/${place.repo.id}${place.rest}${url.search}`;
    const status = method === "GET" || method === "HEAD" ? 301 : 307;
    const answer = refused(new Refusal(status, "Moved Permanently", { url: location }));
    answer.headers.set("location", location);
    return answer;
  }

  async #routed(
    { method }: Request,
    url: URL,
    place: ReturnType<typeof repositoryOf>,
    ask: Ask,
  ): Promise<Response> {
    const path = place ? `/repos/${fullName(place.repo)}${place.rest}` : url.pathname;
    const inner = new Request(new URL(path, url.origin), { method });
    const answer = await this.app.fetch(inner, { carried: ask });
    return new Response(answer.body, answer);
  }

  #dress(answer: Response, request?: Request): void {
    const { headers } = answer;
    headers.set("date", new Date(this.state.now()).toUTCString());
    headers.set("x-github-request-id", crypto.randomUUID());
    headers.set(
      "x-github-api-version-selected",
      request?.headers.get("x-github-api-version") ?? VERSIONS[0]!,
    );
    const text = request?.headers.get("authorization")?.split(" ")[1] ?? "";
    const token = this.state.tokens.get(text);
    if (token === undefined || headers.has("x-ratelimit-limit")) return;
    for (const [name, value] of Object.entries(countCall(this.state, token.installation))) {
      headers.set(name, value);
    }
  }
}

async function recorded(answer: Response): Promise<RecordedAnswer> {
  const text = await answer.clone().text();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: parsed(text) };
}
