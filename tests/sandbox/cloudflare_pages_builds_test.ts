/** The hosting stand-in where it cannot build: it says why, and nothing is called deployed that is not. */
import assert from "node:assert/strict";
import type { PackagesOptions } from "../../sandbox/cloudflare_pages/packages.ts";
import { startService } from "../../sandbox/core/service.ts";
import { PROJECT, REPO, startProject } from "../../sandbox/project.ts";
import { folder } from "../folder.ts";
import { gateway, site } from "../kit.ts";

const PACKAGE = { "package.json": JSON.stringify({ dependencies: { astro: "^7.0.0" } }) };
const PATH = Deno.env.get("PATH") ?? "";

interface Found {
  readonly status: string;
  readonly stage: string;
  readonly note?: string;
  readonly log_tail?: readonly string[];
  readonly preview_url: string;
}

/** What the tool says of the newest commit of a project with these files, where npm is as the options say. */
async function deployed(
  files: Readonly<Record<string, string>>,
  options: (folder: string) => Partial<PackagesOptions> | Promise<Partial<PackagesOptions>>,
): Promise<Found> {
  await using place = await folder();
  const packages = { folder: `${place.path}/packages`, env: { PATH }, ...await options(place.path) };
  const project = await startProject(place.path, packages);
  assert.ok(project?.builder, "git is on this machine");
  try {
    await project.repo.commit(REPO, { files });
    await project.builder.idle();
    await using gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      realClock: true,
      settings: { upstream: project.env },
      sites: [site("acme", "static", { repo: REPO, repo_branch: "main", hosting_project: PROJECT })],
    });
    const found = await gw.call<Found>("check_static_deploy", { site_id: "acme" });
    for (const address of [found.preview_url, project.address!]) {
      const page = await fetch(address);
      assert.deepEqual([page.status, /Nothing is deployed/.test(await page.text())], [404, true], address);
    }
    return found;
  } finally {
    await project.stop();
  }
}

Deno.test("where npm is missing or does not answer, a commit is not built, and its deployment says why", async () => {
  const registry = (npm_config_registry: string) => ({ env: { PATH, npm_config_registry } });
  await using busy = startService({}, { handle: () => Promise.resolve(new Response("", { status: 503 })) });
  const cases: readonly [Partial<PackagesOptions>, RegExp][] = [
    [{ npm: "no-such-program" }, /: npm is not installed on this machine\. The commit itself is/],
    [registry("http://127.0.0.1:1/"), /: npm does not answer \(.*ECONNREFUSED.*\)\. The commit itself is/],
    [registry(`${busy.base_url}/`), /: npm does not answer \(.*E503.*\)\. The commit itself is/],
  ];
  for (const [options, says] of cases) {
    const found = await deployed(PACKAGE, () => options);
    assert.deepEqual([found.status, found.log_tail], ["canceled", undefined]);
    assert.match(found.note ?? "", /^Not built, so nothing of it is served: /);
    assert.match(found.note ?? "", says);
  }
});

Deno.test("only versions of npm are installed, and only projects of the generator are built", async () => {
  const asks = (dependencies: unknown) => ({ "package.json": JSON.stringify({ dependencies }) });
  const places = [
    "file:../..",
    "/etc",
    "git+ssh://git@a.example/b",
    "a/b",
    "http://127.0.0.1:1/a.tgz",
    "link:..",
  ];
  for (const version of places) {
    const found = await deployed(asks({ other: version }), () => ({ npm: "no-such-program" }));
    assert.equal(found.status, "canceled");
    assert.ok(
      found.note?.includes(`package.json asks for other from ${JSON.stringify(version)}; here only`),
      found.note,
    );
  }
  const none = await deployed(asks({}), () => ({}));
  assert.match(none.note ?? "", /package\.json does not ask for astro/);
  const empty = await deployed({ "README.md": "x" }, () => ({}));
  assert.deepEqual([empty.status, empty.stage], ["failure", "build"]);
  assert.deepEqual(empty.log_tail, ["There is no package.json, so there is nothing to build"]);
  const broken = await deployed({ "package.json": "{" }, () => ({}));
  assert.equal(broken.status, "failure");
  assert.match(broken.log_tail!.at(-1)!, /JSON/);
});

Deno.test("what npm does not have is a failure of the project, told in npm's words", async () => {
  await using registry = startService({}, {
    handle: () => Promise.resolve(Response.json({ error: "Not found" }, { status: 404 })),
  });
  const env = { PATH, npm_config_registry: `${registry.base_url}/` };
  const found = await deployed(PACKAGE, () => ({ env }));
  assert.deepEqual([found.status, found.stage], ["failure", "build"]);
  assert.ok(found.log_tail!.some((line) => /npm error 404/.test(line)), String(found.log_tail));
  assert.ok(registry.requests.some(({ path }) => path === "/astro"));
});

Deno.test("npm gets its way to the registry and a home of its own, and no variable of this process", async () => {
  Deno.env.set("MASTER_TOKEN_OF_TEST", "canary-of-the-environment");
  try {
    const found = await deployed(PACKAGE, async (place) => {
      const npm = `${place}/npm`;
      await Deno.writeTextFile(npm, "#!/bin/sh\nenv\nexit 1\n", { mode: 0o755 });
      return { npm, env: { PATH, npm_config_registry: "http://127.0.0.1:1/" } };
    });
    const said = found.log_tail!.filter((line) => line.includes("="));
    const names = said.map((line) => line.slice(0, line.indexOf("="))).filter((name) =>
      !["_", "PWD", "SHLVL", "OLDPWD"].includes(name)
    );
    assert.deepEqual(names.toSorted(), ["HOME", "PATH", "npm_config_cache", "npm_config_registry"]);
    assert.doesNotMatch(said.join("\n"), /canary-of-the-environment/);
    assert.doesNotMatch(
      said.join("\n"),
      new RegExp(`^HOME=${RegExp.escape(Deno.env.get("HOME") ?? "/")}$`, "m"),
    );
  } finally {
    Deno.env.delete("MASTER_TOKEN_OF_TEST");
  }
});
