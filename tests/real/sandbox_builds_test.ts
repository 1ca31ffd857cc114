/** The sandbox's hosting builds what tools have written, with the real generator, and serves it; what it runs gets nothing of ours. */
import assert from "node:assert/strict";
import { PROJECT, REPO, startProject, type StaticProject } from "../../sandbox/project.ts";
import { folder } from "../folder.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { cacheFolder } from "./_astro.ts";

const site_id = "demo-static";

/** The demo's static site with a gateway over it, whose hosting builds. */
class Sandbox implements AsyncDisposable {
  private constructor(
    readonly project: StaticProject,
    readonly gw: Kit,
    private readonly end: AsyncDisposableStack,
  ) {}

  static async open(): Promise<Sandbox> {
    await using end = new AsyncDisposableStack();
    const place = end.use(await folder());
    const packages = { folder: await cacheFolder("sandbox"), env: { PATH: Deno.env.get("PATH") ?? "" } };
    const project = end.adopt(await startProject(place.path, packages), (it) => it?.stop());
    assert.ok(project, "git is on this machine");
    const gw = end.use(
      await gateway({
        fetch: "network",
        allowPrivate: ["127.0.0.1", "localhost"],
        realClock: true,
        settings: { upstream: project.env },
        sites: [
          site(site_id, "static", {
            base_url: project.address,
            repo: REPO,
            repo_branch: "main",
            hosting_project: PROJECT,
            flags: { allow_full_repo_write: true, allow_main_branch_push: true },
          }),
        ],
      }),
    );
    return new Sandbox(project, gw, end.move());
  }

  /** Calls a tool that writes, and waits until what it committed is built. */
  async write(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { confirm_token } = await this.gw.call<{ confirm_token: string }>(tool, { site_id, ...args });
    const done = await this.gw.call<Record<string, unknown>>(tool, {
      site_id,
      ...args,
      confirm: true,
      confirm_token,
    });
    await this.project.builder!.idle();
    return done;
  }

  /** How the deployment of a commit is doing. */
  deployment(commit_sha: unknown) {
    return this.gw.call<
      { status: string; stage: string; preview_url: string; log_tail?: string[]; note?: string }
    >(
      "check_static_deploy",
      { site_id, commit_sha },
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end[Symbol.asyncDispose]();
  }
}

async function get(address: string): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(address);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** What a page shows of what its build could find out, as JSON between two marks. */
const SPY = (secret: string, address: string) =>
  `---
import fs from "node:fs";
import os from "node:os";
import { spawnSync } from "node:child_process";
const tried = async (what) => {
  try {
    return { got: String(await what()) };
  } catch (error) {
    return { refused: error.name };
  }
};
const found = {
  env: process.env,
  home: os.homedir(),
  secret: await tried(() => fs.readFileSync(${JSON.stringify(secret)}, "utf8")),
  parent: await tried(() => fs.readFileSync("/proc/" + process.ppid + "/environ", "utf8")),
  own: await tried(() => fs.readFileSync("/proc/self/environ", "utf8")),
  written: await tried(() => fs.writeFileSync(${JSON.stringify(`${secret}.new`)}, "x")),
  network: await tried(() => fetch(${JSON.stringify(address)})),
  program: await tried(() => { const { error, stdout } = spawnSync("env"); if (error) throw error; return stdout; }),
};
---
<pre set:text={"<<<" + JSON.stringify(found) + ">>>"} />
`;

Deno.test("what tools write is built and served: productions and previews at addresses of their own, failures in the compiler's words", async () => {
  await using at = await Sandbox.open();
  const address = at.project.address!;
  assert.deepEqual((await get(address)).status, 404);
  const begun = await at.write("init_static_project", { homepage_html: "<h1>Hello</h1>", blog: true });
  const first = await at.deployment(begun["commit_sha"]);
  assert.deepEqual([first.status, first.stage], ["success", "deploy"]);
  for (const place of [address, first.preview_url]) {
    assert.match((await get(place)).text, /<h1>Hello<\/h1>/);
    assert.match(new URL(place).href, /^http:\/\/localhost:\d+\/$/);
  }

  const page = await at.write("create_static_route", {
    route: "offer",
    html: "<h1>Offer</h1>",
    title: "Offer",
  });
  const preview = await at.deployment(page["commit_sha"]);
  const offer = await get(`${preview.preview_url}/offer`);
  assert.match(offer.text, /<h1>Offer<\/h1>/);
  assert.deepEqual(
    ["x-robots-tag", "x-content-type-options"].map((name) => offer.headers.get(name)),
    ["noindex", "nosniff"],
  );
  assert.equal((await get(`${address}/offer`)).status, 404, "a preview is not what visitors get");
  const of_commit = at.project.hosting.deployments(PROJECT).find(({ commit }) =>
    commit === page["commit_sha"]
  );
  assert.notEqual(
    of_commit!.run!.url,
    preview.preview_url,
    "a deployment has an address beside its branch's",
  );
  assert.match((await get(`${of_commit!.run!.url}/offer/`)).text, /<h1>Offer<\/h1>/);

  const broken = await at.write("edit_static_file", {
    path: "src/layouts/Base.astro",
    find: "<!doctype html>",
    replace: "<!doctype html>{nothing.}",
  });
  const failed = await at.deployment(broken["commit_sha"]);
  assert.deepEqual([failed.status, failed.stage], ["failure", "build"]);
  assert.match(failed.log_tail!.join("\n"), /\[CompilerError\] [^]*src\/layouts\/Base\.astro:\d+/);
  assert.ok(
    !failed.log_tail!.join("\n").includes(Deno.env.get("HOME") ?? "/root"),
    "no path of this machine",
  );
  assert.match(
    (await get(`${preview.preview_url}/offer/`)).text,
    /<h1>Offer<\/h1>/,
    "the last good build stays",
  );

  const content = "---\ntitle: Bread\nslug: bread\nstatus: published\n---\n\nOf *rye*.\n";
  const post = await at.write("save_md_to_repo", { path: "src/content/blog/bread.md", content });
  assert.equal((await at.deployment(post["commit_sha"])).status, "success");
  assert.match((await get(`${address}/blog/bread/`)).text, /<em>rye<\/em>/);
  assert.match((await get(`${address}/blog/`)).text, /<a href="\/blog\/bread\/">Bread<\/a>/);
});

Deno.test("what a build runs gets no variable of ours, a home of its own, no file, program or network of this machine", async () => {
  await using place = await folder();
  const secret = `${place.path}/secret`;
  await Deno.writeTextFile(secret, "canary-of-a-file");
  await using at = await Sandbox.open();
  await at.write("init_static_project", { homepage_html: "<h1>Hello</h1>" });
  Deno.env.set("MASTER_TOKEN_OF_TEST", "canary-of-the-environment");
  try {
    const spy = SPY(secret, at.project.repo.base_url);
    const commit = await at.project.repo.commit(REPO, {
      branch: "main",
      files: { "src/pages/spy.astro": spy, "deno.json": '{"permissions": {"default": {"all": true}}}' },
    });
    await at.project.builder!.idle();
    const built = await at.deployment(commit);
    assert.deepEqual([built.status, built.log_tail], ["success", undefined]);
    const { text } = await get(`${built.preview_url}/spy`);
    const entities: Record<string, string> = {
      "&quot;": '"',
      "&#34;": '"',
      "&#39;": "'",
      "&lt;": "<",
      "&gt;": ">",
    };
    const plain = text.replace(/&(?:quot|#34|#39|lt|gt);/g, (one) => entities[one]!).replaceAll("&amp;", "&");
    const found = JSON.parse(plain.split("<<<")[1]!.split(">>>")[0]!);
    assert.doesNotMatch(plain, /canary/);
    const OURS = ["HOME", "TMPDIR", "CI", "CF_PAGES", "CF_PAGES_BRANCH", "CF_PAGES_COMMIT_SHA", "NO_COLOR"];
    const own = [...OURS, "ASTRO_TELEMETRY_DISABLED", "DENO_NO_UPDATE_CHECK"];
    // What the generator and the runtime set themselves; the runtime's path leads to a program in its own cache.
    const generator = ["NODE_ENV", "PROD", "DEV", "MODE", "BASE_URL", "SSR", "ASSETS_PREFIX", "SITE"];
    const set = [...generator, "VITE_USER_NODE_ENV", "DENO_NODE_SHIM_ACTIVE", "PATH"];
    assert.ok(
      found.env.PATH.split(":").every((path: string) => path === "" || path.startsWith(`${found.home}/`)),
      found.env.PATH,
    );
    assert.deepEqual(Object.keys(found.env).filter((name) => ![...own, ...set].includes(name)), []);
    assert.deepEqual(own.filter((name) => !(name in found.env)), []);
    assert.deepEqual([found.env.CF_PAGES_BRANCH, found.env.CF_PAGES_COMMIT_SHA], ["main", commit]);
    assert.notEqual(found.home, Deno.env.get("HOME"));
    for (const name of ["secret", "parent", "own", "written", "network", "program"]) {
      assert.ok(found[name].refused !== undefined, `${name}: ${JSON.stringify(found[name])}`);
    }
    await assert.rejects(Deno.stat(`${secret}.new`), Deno.errors.NotFound);
  } finally {
    Deno.env.delete("MASTER_TOKEN_OF_TEST");
  }
});
