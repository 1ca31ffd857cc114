/** Twelve jobs on repositories at a host that takes 150 ms for each request: what each costs before a commit, and now. */
import { type GitHubStandIn, startGitHub } from "../sandbox/github/start.ts";
import { worktree } from "./beside_durable.ts";
import { filled } from "./code_pages.ts";
import { type Gateway, inFolder, startGateway } from "./gateway.ts";
import { table } from "./table.ts";

/** How long the host takes for each request. */
const LATENCY_MS = 150;
const ROUTES = 300;
const TEXTS = 300;
const LARGE = { sites: 4, bytes: 25_000_000 } as const;

type Call = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** What is done; `calls` are sent at once where it says so, else one after the other. */
interface Job {
  readonly name: string;
  readonly calls: readonly Parameters<Call>[];
  readonly atOnce?: boolean;
  /** The same with the tools of an older gateway, where this one's are missing. */
  readonly older?: readonly Parameters<Call>[];
}

/** What it cost. */
interface Cost {
  readonly requests: number;
  readonly seconds: number;
  readonly peakMib: number;
  readonly calls: number;
  readonly failed: number;
}

const at = (count: number) => Array.from({ length: count }, (_, index) => index);
const site_id = "site";
const html = (n: number) => `<h1>Page ${n}</h1>\n${filled("<p>What is written on it</p>\n", 2048)}`;
const route = (n: number) => ({ route: `places/place-${n}`, title: `Place ${n}`, html: html(n) });
const write = (path: string, n: number): Parameters<Call> => [
  "write_static_file",
  { site_id, path, content: html(n) },
];

const JOBS: readonly Job[] = [
  { name: "read a file", calls: [["read_static_file", { site_id, path: "src/styles/site.css" }]] },
  { name: `list ${ROUTES} routes`, calls: [["list_static_routes", { site_id }]] },
  { name: "list them again", calls: [["list_static_routes", { site_id }]] },
  { name: `list ${TEXTS} texts in Markdown`, calls: [["list_md_from_repo", { site_id }]] },
  { name: "write a file to the preview, which makes its branch", calls: [write("public/first.html", 1)] },
  { name: "write the next one", calls: [write("public/next.html", 2)] },
  {
    name: "change one line of a file",
    calls: [["edit_static_file", {
      site_id,
      path: "src/styles/site.css",
      find: "color: red",
      replace: "color: blue",
    }]],
    older: [
      ["read_static_file", { site_id, path: "src/styles/site.css" }],
      ["write_static_file", {
        site_id,
        path: "src/styles/site.css",
        content: "p { color: blue }\n",
        allow_overwrite: true,
      }],
    ],
  },
  {
    name: "make 40 pages",
    calls: [["create_static_routes", { site_id, pages: at(40).map(route) }]],
    older: at(40).map((n) => ["create_static_route", { site_id, ...route(n) }]),
  },
  {
    name: "write 20 files at once, a call each",
    atOnce: true,
    calls: at(20).map((n) => write(`public/once-${n}.html`, n)),
  },
  {
    name: "write 100 pictures in one call",
    calls: [["bulk_write_static_files", {
      site_id,
      files: at(100).map((n) => picture(`public/${n}.png`, n, 20_000)),
    }]],
  },
  {
    name: `write ${LARGE.sites} times 25 MB at once, each to a site of its own`,
    atOnce: true,
    calls: at(LARGE.sites).map((n) => [
      "bulk_write_static_files",
      { site_id: `large-${n}`, files: [picture("public/film.mp4", n, LARGE.bytes)] },
    ]),
  },
  { name: "list all files", calls: [["list_static_files", { site_id }]] },
];

function picture(path: string, seed: number, bytes: number) {
  const content = new Uint8Array(bytes);
  let next = seed + 1;
  for (let n = 0; n < bytes; n++) {
    content[n] = (next = (Math.imul(next, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
  }
  return { path, content: content.toBase64(), encoding: "base64" };
}

/** A host with the site's repository and the empty ones, and the gateway in front of it. */
async function opened(folder: string, root?: string) {
  const host = await startGitHub();
  const pages = at(ROUTES).map((n) => [`src/pages/page-${n}.astro`, html(n)]);
  const texts = at(TEXTS).map((
    n,
  ) => [`content/text-${n}.md`, `---\ntitle: Text ${n}\nslug: text-${n}\n---\n${html(n)}`]);
  const files = Object.fromEntries([["src/styles/site.css", "p { color: red }\n"], ...pages, ...texts]);
  await host.make("acme/site", { files });
  const larges = at(LARGE.sites).map((n) => `large-${n}`);
  for (const id of larges) await host.make(`acme/${id}`, { files: { "src/pages/index.astro": html(0) } });
  const sites = [site_id, ...larges].map((id) => ({
    id,
    name: id,
    platform: "static",
    base_url: `https://${id}.example`,
    repo: `acme/${id}`,
    repo_branch: "main",
    flags: { allow_full_repo_write: true },
  }));
  const gateway = await startGateway(folder, sites, {
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    REPO_API_BASE: host.base_url,
    REPO_APP_ID: String(host.app.id),
    REPO_APP_PRIVATE_KEY: host.app.private_key,
  }, root);
  host.latency = LATENCY_MS;
  return {
    host,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await host.stop();
    },
  };
}

/** Does a job, with the older calls where this gateway lacks the tool. */
async function cost(host: GitHubStandIn, gateway: Gateway, { calls, atOnce, older }: Job): Promise<Cost> {
  const failed: string[] = [];
  const one = ([tool, args]: Parameters<Call>) =>
    gateway.call(tool, args).catch((thrown: Error) => void failed.push(thrown.message));
  const all = async (some: Job["calls"]) => {
    failed.length = 0;
    if (atOnce) await Promise.all(some.map(one));
    else for (const call of some) await one(call);
  };
  host.clear();
  let asked = calls;
  const began = performance.now();
  const peakMib = await gateway.peakMib(async () => {
    await all(calls);
    if (older === undefined || !failed.some((message) => message.includes("E_TOOL_NOT_FOUND"))) return;
    asked = older;
    await all(older);
  });
  // deno-lint-ignore no-console -- of the bench, which is read at a terminal
  for (const message of new Set(failed)) console.error(message);
  const seconds = (performance.now() - began) / 1000;
  return { requests: host.requests.length, seconds, peakMib, calls: asked.length, failed: failed.length };
}

async function costs(root?: string): Promise<Cost[]> {
  return await inFolder(async (folder) => {
    await using at = await opened(folder, root);
    const done: Cost[] = [];
    for (const job of JOBS) done.push(await cost(at.host, at.gateway, job));
    return done;
  });
}

const shown = ({ requests, seconds, peakMib, calls, failed }: Cost) => [
  String(calls),
  failed === 0 ? "" : `${failed} of ${calls}`,
  String(requests),
  seconds.toFixed(1),
  String(peakMib),
];
const HEAD = ["calls", "failed", "requests", "seconds", "peak MiB"];

/** The table, in some minutes; needs git. Where a commit is named, with what its gateway took. */
export async function repoJobsTable(against: string | null = null): Promise<string> {
  const now = await costs();
  if (against === null) return table(["", ...HEAD], JOBS.map(({ name }, at) => [name, ...shown(now[at]!)]));
  await using tree = await worktree(against);
  const before = await costs(tree.root);
  const rows = JOBS.map(({ name }, at) => [name, ...shown(before[at]!), ...shown(now[at]!)]);
  return table(["", ...HEAD.map((one) => `${one} before`), ...HEAD], rows);
}
