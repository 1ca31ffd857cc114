/** Where a request enters the host: sent to its route, with what somebody else does meanwhile, and its answer dressed. */
import { Hono } from "hono";
import { broke } from "../core/answers.ts";
import { isWrite, parsed, type RecordedRequest } from "../core/recorder.ts";
import type { Call, RateRule, Vendor } from "../core/vendor.ts";
import type { Clock } from "../core/clock.ts";
import { type Ask, type RepoEnv, type Routes } from "./access.ts";
import { addApp } from "./app_routes.ts";
import { type Json, json, notFound, Refusal, refused } from "./answer.ts";
import { addCompare } from "./compare.ts";
import { addContents } from "./contents.ts";
import { conditional } from "./etags.ts";
import { type GitHubFault, replacement, truncated, WORDS } from "./faults.ts";
import { addGitData } from "./git_data.ts";
import { addHistory } from "./history.ts";
import { addPulls } from "./pulls.ts";
import { type ContentWindows, overQuota, rateHeaders, rateOf } from "./rate.ts";
import { addRefs } from "./refs.ts";
import { addRules } from "./rules.ts";
import { fullName, type Installation, pushed, type Repository, type State } from "./state.ts";

const VERSIONS = ["2022-11-28", "2026-03-10"];
const MARK = { name: "Somebody else", email: "somebody@example.com" };

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

/** The host's front door: what the kit asks of a vendor. */
export class Entry implements Vendor<RecordedRequest, GitHubFault> {
  readonly app: Routes = new Hono<RepoEnv>();
  readonly page = WORDS.page;
  readonly busy = WORDS.busy;
  readonly records_answers = true;
  readonly rate: RateRule;

  constructor(
    readonly state: State,
    readonly clock: Clock,
    enforced: boolean,
    readonly content: ContentWindows | null = null,
  ) {
    this.rate = {
      windows: state.rate,
      key: (call) => this.#installation(call)?.id.toString() ?? null,
      refuse: enforced ? overQuota : null,
    };
    this.app.notFound(() => refused(notFound()));
    this.app.onError((thrown) =>
      thrown instanceof Refusal ? refused(thrown) : json({ message: broke(thrown) }, 500)
    );
    addApp(this.app);
    addCompare(this.app);
    addContents(this.app);
    addGitData(this.app);
    addHistory(this.app);
    addPulls(this.app);
    addRefs(this.app);
    addRules(this.app);
  }

  /** All but reads and the making of tokens. */
  isWrite(row: RecordedRequest): boolean {
    return isWrite(row) && !row.path.startsWith("/app/");
  }

  replace(fault: GitHubFault): Response | undefined {
    return replacement(fault, this.state.now());
  }

  async handle({ request, url, bytes }: Call, fault: GitHubFault | undefined): Promise<Response> {
    const { state } = this;
    const place = repositoryOf(state, url.pathname);
    const limited = place && request.method !== "GET" ? this.#tooMuchContent(request) : null;
    if (limited) return limited;
    const moved = fault?.kind === "moved" ? fault : undefined;
    const meddle = async () => {
      if (moved && place) await this.#meddle(place.repo, moved);
    };
    const meanwhile = moved?.when === "within";
    if (!meanwhile) await meddle();
    const ask: Ask = {
      state,
      headers: request.headers,
      query: url.searchParams,
      body: () => jsonObject(new TextDecoder().decode(bytes)),
      within: meanwhile ? meddle : () => Promise.resolve(),
      words: moved?.words ?? "expected to be at",
    };
    const answer = this.#doorstep(request, url, place) ?? await this.#routed(request, url, place, ask);
    if (fault?.kind === "truncated") return await truncated(answer, fault.keep);
    return fault ? answer : await conditional(request, answer, () => this.#uncounted({ request }));
  }

  dress({ headers }: Response, call: Call, genuine: boolean): void {
    const asked = genuine ? call.request.headers.get("x-github-api-version") : null;
    headers.set("date", new Date(this.state.now()).toUTCString());
    headers.set("x-github-request-id", crypto.randomUUID());
    headers.set("x-github-api-version-selected", asked ?? VERSIONS[0]!);
    const installation = genuine ? this.#installation(call) : undefined;
    if (installation === undefined || headers.has("x-ratelimit-limit")) return;
    for (const [name, value] of Object.entries(rateHeaders(rateOf(this.state.rate, installation)))) {
      headers.set(name, value);
    }
  }

  /** The refusal of one write too many; null where none is enforced, or it is not too many. */
  #tooMuchContent(request: Request): Response | null {
    const installation = this.#installation({ request });
    const wait = installation && this.content?.take(installation);
    return typeof wait === "number" ? this.busy({ retry_after: wait }) : null;
  }

  /** A read whose answer still held. */
  #uncounted(call: Pick<Call, "request">): void {
    const installation = this.#installation(call);
    if (installation) this.state.rate.giveBack(String(installation.id));
  }

  #installation({ request }: Pick<Call, "request">): Installation | undefined {
    const text = request.headers.get("authorization")?.split(" ")[1] ?? "";
    return this.state.tokens.get(text)?.installation;
  }

  /** Somebody else commits. */
  async #meddle(repo: Repository, fault: GitHubFault & { kind: "moved" }): Promise<void> {
    const branch = fault.branch ?? repo.bare.branch;
    const files = fault.files ?? { "meanwhile.txt": `${this.state.next++}\n` };
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
}
