/** list_changes by path finds every write of a file, also where no argument of the call names it, and every undo of one. */
import assert from "node:assert/strict";
import type { GitHubStandIn } from "../../sandbox/github/start.ts";
import type { Kit } from "../kit.ts";
import { ground, SOURCES, TEXTS } from "./_ground.ts";
import { EMPTY, StaticWorld } from "./_static.ts";
import { MARKDOWN, STATIC } from "./_writes_static.ts";
import { nameOf } from "./_writes.ts";

interface Done {
  readonly request_id: string;
}

interface Page {
  readonly changes: readonly { readonly request_id: string; readonly undoable: boolean }[];
}

const HEADS = "refs/heads/";

/** Every file of every branch, by branch and path. */
async function filesOf(host: GitHubStandIn, repo: string): Promise<Map<string, unknown>> {
  const heads = Object.keys(await host.refs(repo)).filter((ref) => ref.startsWith(HEADS));
  const all = new Map<string, unknown>();
  for (const branch of heads.map((ref) => ref.slice(HEADS.length))) {
    for (const [path, content] of Object.entries(await host.files(repo, branch))) {
      all.set(`${branch}:${path}`, content);
    }
  }
  return all;
}

/** The paths of what is another file than before; a branch that is new began as the deployed one. */
const changedPaths = (
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): string[] => {
  const was = (at: string) => before.has(at) ? before.get(at) : before.get(`main:${at.split(":")[1]}`);
  const wrote = [...after].filter(([at, content]) => was(at) !== content).map(([at]) => at);
  const tookOut = [...before.keys()].filter((at) => !after.has(at));
  return [...new Set([...wrote, ...tookOut].map((at) => at.split(":")[1]!))];
};

const listed = async (gw: Kit, site_id: string, path: string) =>
  (await gw.call<Page>("list_changes", { site_id, path })).changes;

Deno.test("whatever writes a file of a repository, and whatever sets it back, is found by the file's path", async (t) => {
  await using at = await ground({ repositories: true });
  for (const [n, write] of [...STATIC, ...MARKDOWN].entries()) {
    await t.step(nameOf(write), async () => {
      const site_id = write.site ?? "cms";
      const repo = write.site === "static" ? SOURCES : TEXTS;
      const makes = async (tool: string, args: object) => {
        const before = await filesOf(at.host!, repo);
        const { request_id } = await at.gw.call<Done>(tool, { site_id, ...args, confirm: true });
        const paths = changedPaths(before, await filesOf(at.host!, repo));
        assert.notEqual(paths.length, 0, "it writes");
        for (const path of paths) {
          const found = await listed(at.gw, site_id, path);
          assert.ok(found.some((one) => one.request_id === request_id), `${path} by ${tool}`);
        }
        return (await listed(at.gw, site_id, paths[0]!)).find((one) => one.request_id === request_id)!;
      };
      const { request_id, undoable } = await makes(write.tool, write.args(at, n));
      if (undoable) await makes("undo_change", { request_id });
    });
  }
});

Deno.test("a project that was begun is found by each of its files, and by none that it has not", async () => {
  await using at = await StaticWorld.open({ git: false });
  const pages = Array.from(
    { length: 40 },
    (_, n) => ({ route: `page-${n}`, html: `<p>${n}</p>`, title: "P" }),
  );
  const args = { site_id: "empty", homepage_html: "<p>x</p>", extra_pages: pages, confirm: true };
  const { request_id } = await at.gw.call<Done>("init_static_project", args);
  const files = Object.keys(await at.host.files(EMPTY));
  assert.ok(files.length > 50, `${files.length}`);
  for (const path of [...files.slice(0, 15), ...files.slice(-5)]) {
    assert.deepEqual((await listed(at.gw, "empty", path)).map((one) => one.request_id), [request_id], path);
  }
  assert.deepEqual(await listed(at.gw, "empty", "src/pages/other.astro"), []);
});
