/** How long an edit can still fall between the gateway's last look at a post and its write, where nothing compares at once. */
import { type CmsSandbox, startCms } from "../sandbox/wordpress/start.ts";
import { Asker, type Json } from "../tests/sandbox/asker.ts";
import { type Gateway, inFolder, startOver } from "./gateway.ts";
import { freePort } from "./process.ts";
import { type Line, ms } from "./table.ts";
import { median } from "./timing.ts";

const SITE = "acme";
const AHEAD_MS = 86_400_000;

/** One request as it passed: when it came from the gateway, and when its answer went back. */
interface Passed {
  readonly method: string;
  readonly came: number;
  readonly answered: number;
}

/** Stands between the gateway and a site, and writes down when what passed. */
class Between implements AsyncDisposable {
  readonly base_url: string;
  passed: Passed[] = [];
  readonly #server: Deno.HttpServer;

  constructor(site: string) {
    const port = freePort();
    this.base_url = `http://127.0.0.1:${port}`;
    this.#server = Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
      const came = performance.now();
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = request.body === null ? null : await request.bytes();
      const answer = await fetch(`${site}${pathname}${search}`, {
        method,
        headers,
        body,
        redirect: "manual",
      });
      const bytes = await answer.bytes();
      this.passed.push({ method, came, answered: performance.now() });
      const kept = new Headers(answer.headers);
      for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name);
      return new Response(method === "HEAD" ? null : bytes, { status: answer.status, headers: kept });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

const CHANGES: Readonly<Record<string, { type: "posts" | "pages"; args: (id: number) => Json }>> = {
  update_draft: { type: "posts", args: (post_id) => ({ post_id, title: "Changed" }) },
  schedule_draft: {
    type: "posts",
    args: (post_id) => ({ post_id, scheduled_at: new Date(Date.now() + AHEAD_MS).toISOString() }),
  },
  publish_post: { type: "posts", args: (post_id) => ({ post_id }) },
  update_page_draft: { type: "pages", args: (page_id) => ({ page_id, title: "Changed" }) },
};

/** The rows; without PHP and WordPress, which this needs, one row with the reason. */
export async function windowRows(rounds: number): Promise<Line[]> {
  let site: CmsSandbox;
  try {
    site = await startCms({ kind: "wordpress" });
  } catch (thrown) {
    return [{ name: "the window", figure: "not measured", beside: (thrown as Error).message, aim: "" }];
  }
  await using cms = site;
  await using between = new Between(cms.base_url);
  return await inFolder(async (folder) => {
    const { base_url } = between;
    const flags = { allow_publish: true };
    await using gateway = await startOver(folder, cms, { id: SITE, base_url, flags });
    const rows: Line[] = [];
    for (const tool of Object.keys(CHANGES)) {
      rows.push(await measured(tool, gateway, between, new Asker(cms), rounds));
    }
    return rows;
  });
}

async function measured(
  tool: string,
  gateway: Gateway,
  between: Between,
  site: Asker,
  rounds: number,
): Promise<Line> {
  const { type, args } = CHANGES[tool]!;
  const [gaps, wholes]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const id = await site.draft("admin", { title: "Bench", content: "<p>x</p>" }, type);
    between.passed = [];
    await gateway.call(tool, { site_id: SITE, ...args(id) });
    const write = between.passed.find(({ method }) => method === "POST");
    const look = between.passed.findLast(({ method, answered }) =>
      method === "GET" && answered < write!.came
    );
    if (round === 0) continue; // the first finds the site's API
    gaps.push(write!.came - look!.answered);
    wholes.push(write!.answered - look!.came);
  }
  return {
    name: `${tool}: from the answer of the last look to the write's arrival`,
    figure: ms(median(gaps)),
    beside: `${
      ms(median(wholes))
    } from the look's arrival to the write's answer, the longest an edit can go unseen`,
    aim: "",
  };
}
