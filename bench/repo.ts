/** What work on a repository costs through the gateway, beside the same requests sent by a bare client. */
import assert from "node:assert/strict";
import { type GitHubStandIn, type RecordedRequest, startGitHub } from "../sandbox/github/start.ts";
import { asInstallation, type RepoAsker } from "../tests/sandbox/github_asker.ts";
import { filled } from "./code_pages.ts";
import { type Gateway, inFolder, startGateway } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { inTurn } from "./timing.ts";

const REPO = "acme/site";
/** What the bare client writes to: made as the other one. */
const TWIN = "acme/twin";
const BULK = { rounds: 5, files: 1000, bytes: 4 * 1024 } as const;
const LISTED = { rounds: 5, files: 2000, inFlight: 6 } as const;
/** A status that one file alone has, so that the files are read to the last to find it. */
const RARE = "review";
const READ_ROUNDS = 50;

/** A listing: its arguments, how many items it must answer, and the repositories it is made of, one a round. */
interface Listing {
  readonly name: string;
  readonly texts: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly items: number;
}

const LISTINGS: readonly Listing[] = [
  { name: `500 of ${LISTED.files} files`, texts: "some", args: { limit: 500 }, items: 500 },
  { name: `the one of ${LISTED.files} with a status`, texts: "one", args: { status: RARE }, items: 1 },
];
const roundsOf = (texts: string) =>
  Array.from({ length: LISTED.rounds + 1 }, (_, round) => `acme/${texts}-${round}`);
const idOf = (repo: string) => repo.slice("acme/".length);

/** The rows, in about a minute; needs git. */
export async function repoRows(): Promise<Line[]> {
  await using host = await startGitHub();
  for (const repo of [REPO, TWIN]) await host.make(repo, { files: { "public/page.html": page(0) } });
  const texts = LISTINGS.flatMap(({ texts }) => roundsOf(texts));
  for (const [serial, repo] of texts.entries()) {
    const files = Array.from({ length: LISTED.files }, (_, at) => text(at, serial));
    await host.make(repo, { files: Object.fromEntries(files) });
  }
  return await inFolder(async (folder) => {
    const flags = { allow_full_repo_write: true };
    const linked = (id: string, repo: string) => ({
      id,
      name: id,
      platform: "static",
      base_url: `https://${id}.example`,
      repo,
      repo_branch: "main",
      flags,
    });
    const sites = [linked("site", REPO), ...texts.map((repo) => linked(idOf(repo), repo))];
    await using gateway = await startGateway(folder, sites, {
      ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
      REPO_API_BASE: host.base_url,
      REPO_APP_ID: String(host.app.id),
      REPO_APP_PRIVATE_KEY: host.app.private_key,
    });
    const listed: Line[] = [];
    for (const listing of LISTINGS) listed.push(await list(gateway, host, listing));
    return [await bulk(gateway, host), ...listed, await read(gateway, host)];
  });
}

const page = (serial: number) => filled(`<p>Page ${serial}, and what is written on it</p>\n`, BULK.bytes);

/** A file of a repository, as no other repository has it. */
function text(at: number, serial: number): [path: string, content: string] {
  const state = at === 0 ? RARE : "draft";
  const head = `title: Text ${at}\nslug: text-${at}\ntype: post\nstatus: ${state}`;
  return [`texts/${String(at % 20)}/text-${at}.md`, `---\n${head}\nserial: ${serial}\n---\n${page(at)}`];
}

/** Sends requests of the gateway once more, under names that differ: its repository, and the commits made meanwhile. */
class Bare {
  readonly #commits = new Map<string, string>();

  constructor(readonly asker: RepoAsker, readonly repo = REPO, readonly twin = REPO) {}

  /**
   * Sends them in their order, so many at a time, all but those of getting a token, which it has. Throws an Error where
   * one is answered with another status.
   */
  async send(exchanges: readonly RecordedRequest[], inFlight = 1): Promise<void> {
    const left = exchanges.filter(({ path }) => !/^\/app\/|\/installation$/.test(path)).values();
    const work = async () => {
      for (const one of left) await this.#send(one);
    };
    await Promise.all(Array.from({ length: inFlight }, work));
  }

  async #send({ method, path, query, body, answer }: RecordedRequest): Promise<void> {
    const search = new URLSearchParams(query).toString();
    const to = this.#renamed(path.replace(`/repos/${this.repo}`, `/repos/${this.twin}`));
    const sent = body === null ? undefined : this.#renamed(JSON.stringify(body));
    const got = await this.asker.send(method, search === "" ? to : `${to}?${search}`, sent);
    if (got.status !== answer?.status) throw new Error(`${method} ${to} answered ${got.status}: ${got.text}`);
    const [before, now] = [namesIn(answer.body), namesIn(got.body)];
    for (const [at, name] of before.entries()) this.#commits.set(name, now[at] ?? name);
  }

  #renamed(text: string): string {
    return text.replace(/\b[0-9a-f]{40}\b/g, (name) => this.#commits.get(name) ?? name);
  }
}

/** Names of commits and other objects that an answer is about: its own, and that of what a branch points at. */
function namesIn(answer: unknown): string[] {
  const { sha, object } = answer as { sha?: unknown; object?: { sha?: unknown } };
  return [sha, object?.sha].filter((name) => typeof name === "string");
}

/** What the host was asked during some work. */
async function recorded(host: GitHubStandIn, work: () => Promise<unknown>): Promise<RecordedRequest[]> {
  host.clear();
  await work();
  return [...host.requests];
}

/** A bare client's figure, and how often the gateway's holds it. */
const against = (bare: number, what: string, took: number) =>
  `${ms(bare)} for ${what} by a bare client: ${(took / bare).toFixed(2)}x`;

async function bulk(gateway: Gateway, host: GitHubStandIn): Promise<Line> {
  const bare = new Bare(await asInstallation(host, TWIN), REPO, TWIN);
  let exchanges: RecordedRequest[] = [];
  const took = await inTurn(BULK.rounds, {
    async gateway(round) {
      const files = Array.from({ length: BULK.files }, (_, at) => ({
        path: `public/${at % 10}/page-${at}.html`,
        content: page(round * BULK.files + at),
      }));
      const write = () => gateway.call("bulk_write_static_files", { site_id: "site", files });
      exchanges = await recorded(host, write);
    },
    bare: () => bare.send(exchanges),
  });
  return {
    name: `bulk_write_static_files, ${BULK.files} files of 4 KiB in one commit`,
    figure: `${ms(took.gateway)}, ${exchanges.length} requests`,
    beside: against(took.bare, "the same requests", took.gateway),
    aim: "",
  };
}

async function list(
  gateway: Gateway,
  host: GitHubStandIn,
  { name, texts, args, items }: Listing,
): Promise<Line> {
  const repos = roundsOf(texts);
  const bares = await Promise.all(repos.map(async (repo) => new Bare(await asInstallation(host, repo))));
  let exchanges: RecordedRequest[] = [];
  const call = (round: number) =>
    recorded(host, async () => {
      const site_id = idOf(repos[round]!);
      const answer = await gateway.call("list_md_from_repo", { site_id, ...args }) as { items: unknown[] };
      assert.equal(answer.items.length, items, name);
    });
  let repeated = 0;
  const took = await inTurn(LISTED.rounds, {
    gateway: async (round) => void (exchanges = await call(round)),
    bare: (round) => bares[round]!.send(exchanges, LISTED.inFlight),
    again: async (round) => void (repeated = (await call(round)).length),
  });
  return {
    name: `list_md_from_repo, ${name}`,
    figure: `${ms(took.gateway)}, ${exchanges.length} requests; again ${ms(took.again)}, ${repeated}`,
    beside: against(took.bare, "the same requests", took.gateway),
    aim: "",
  };
}

async function read(gateway: Gateway, host: GitHubStandIn): Promise<Line> {
  const path = "public/page.html";
  const bare = new Bare(await asInstallation(host, REPO));
  let exchanges: RecordedRequest[] = [];
  const took = await inTurn(READ_ROUNDS, {
    async gateway() {
      const call = () => gateway.call("read_static_file", { site_id: "site", path });
      exchanges = await recorded(host, call);
    },
    one: () => bare.asker.get(`/repos/${REPO}/contents/${path}?ref=main`),
    all: () => bare.send(exchanges, exchanges.length),
  });
  return {
    name: "read_static_file, 4 KiB",
    figure: `${ms(took.gateway)}, ${exchanges.length} requests`,
    beside: [
      against(took.one, "the file's own request", took.gateway),
      against(took.all, "all of them at once", took.gateway),
    ].join("; "),
    aim: "",
  };
}
