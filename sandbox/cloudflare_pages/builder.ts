/** Builds commits with the real site generator, and serves what comes of them on addresses of this machine. */
import { runGit } from "../github/git.ts";
import { said } from "./child.ts";
import { aliasOf, type Deployment } from "./deployments.ts";
import { type FileServer, startFiles } from "./files.ts";
import { type Packages, type Wanted } from "./packages.ts";
import type { Run } from "./run.ts";

/*
 * What a build runs was written by whoever may write to the repository, so it is kept from this machine as far as the
 * runtime can do it: it gets no variable of this process's environment, a home of its own, and permission to read its
 * folder and its packages, to write its folder, and to run one program, the generator's own compiler. It has no network.
 * That is no prison: compiled parts of packages do what they like. docs/decisions/0160 says more.
 */

/** What is needed to build. */
export interface BuilderOptions {
  /** Builds, and what came of them, are beside the packages that they were built with, until it stops. */
  readonly packages: Packages;
  /** The folder of a bare repository that is called `owner/name`. */
  readonly source: (repo: string) => Promise<string>;
}

const BUILD_MS = 180_000;
const GENERATOR = "node_modules/astro/bin/astro.mjs";

/** What the generator only asks whether it is there, or what its own name is, is refused without ending it. */
const PRELUDE = `import dns from "node:dns";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { existsSync } = fs;
fs.existsSync = (path) => {
  try {
    return existsSync(path);
  } catch {
    return false;
  }
};
const { lookup } = dns.promises;
dns.promises.lookup = (name, ...more) =>
  name === "localhost" ? Promise.resolve({ address: "127.0.0.1", family: 4 }) : lookup(name, ...more);
syncBuiltinESMExports();
`;

/** Another name of this machine than the gateway's, so that pages of a preview share no cookies with its console. */
const addressOf = ({ origin }: FileServer) => origin.replace("127.0.0.1", "localhost");

/** One at a time, in the order of the commits. */
export class Builder implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #servers = new Map<string, FileServer>();
  readonly #made: string[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(private readonly options: BuilderOptions) {}

  /** The address that visitors of a project know; it says that nothing is there until a build has gone well. */
  address(project: string): string {
    return addressOf(this.#serverOf(`production ${project}`));
  }

  /** Builds a deployment once those before it are built, in the background. */
  begin(deployment: Deployment, run: Run): void {
    run.url = addressOf(this.#serverOf(`deployment ${deployment.id}`, isPreview(deployment)));
    if (isPreview(deployment)) run.alias = addressOf(this.#moving(deployment));
    this.#work = this.#work.then(() => this.#build(deployment, run)).catch((thrown) => {
      run.say(`The sandbox could not build it: ${thrown instanceof Error ? thrown.message : thrown}`);
      run.end({ kind: "failure", stage: run.stage });
    });
  }

  /** Resolves when nothing is left to build. */
  async idle(): Promise<void> {
    await this.#work;
  }

  #serverOf(name: string, preview = false): FileServer {
    const known = this.#servers.get(name);
    if (known !== undefined) return known;
    const made = startFiles(null, { preview });
    this.#servers.set(name, made);
    return made;
  }

  /** What shows the newest build of a deployment's branch. */
  #moving({ branch, project }: Pick<Deployment, "branch" | "project">): FileServer {
    const preview = isPreview({ branch, project });
    return this.#serverOf(`${preview ? `branch ${aliasOf(branch)}` : "production"} ${project.name}`, preview);
  }

  async #build(deployment: Deployment, run: Run): Promise<void> {
    if (this.#stop.signal.aborted) return run.end({ kind: "canceled", stage: run.stage });
    run.enter("initialize");
    run.enter("clone_repo");
    const bare = await this.options.source(deployment.project.repo ?? "");
    const wanted = await manifestOf(bare, deployment.commit);
    run.enter("build");
    if (wanted === null) {
      run.say("There is no package.json, so there is nothing to build");
      return run.end({ kind: "failure", stage: "build" });
    }
    const packages = await this.options.packages.of(wanted, (line) => run.say(line), this.#stop.signal);
    if ("cannot" in packages) return notBuilt(run, packages.cannot);
    if ("failed" in packages) return run.end({ kind: "failure", stage: "build" });
    if (!await isThere(`${packages.folder}/${GENERATOR}`)) {
      return notBuilt(run, "package.json does not ask for astro, and nothing else is built here");
    }
    const work = await Deno.makeTempDir({ dir: packages.folder, prefix: "build-" });
    this.#made.push(work);
    await checkout(bare, deployment.commit, `${work}/site`);
    const code = await this.#generate(deployment, work, packages.folder, (line) => run.say(line));
    if (this.#stop.signal.aborted) return run.end({ kind: "canceled", stage: "build" });
    if (code === null) run.say(`The build was ended after ${BUILD_MS / 1000} seconds`);
    if (code !== 0 || !await isThere(`${work}/site/dist`)) {
      return run.end({ kind: "failure", stage: "build" });
    }
    run.enter("deploy");
    await Deno.rename(`${work}/site/dist`, `${work}/dist`);
    await Promise.all(["site", "home"].map((name) => Deno.remove(`${work}/${name}`, { recursive: true })));
    this.#serverOf(`deployment ${deployment.id}`).show(`${work}/dist`);
    this.#moving(deployment).show(`${work}/dist`);
    run.say(`Deployed to ${run.url}`);
    run.end({ kind: "success" });
  }

  async #generate(
    { branch, commit }: Deployment,
    work: string,
    packages: string,
    say: (line: string) => void,
  ): Promise<number | null> {
    const [home, site] = [`${work}/home`, `${work}/site`];
    const hide = (line: string) => say(line.replaceAll(`${site}/`, "").replaceAll(`${packages}/`, ""));
    await Deno.mkdir(home);
    await Deno.writeTextFile(`${home}/prelude.mjs`, PRELUDE);
    await Deno.remove(`${site}/node_modules`, { recursive: true }).catch(() => {}); // of the repository's own
    const programs = await compilersIn(`${packages}/node_modules`);
    return await said(Deno.execPath(), [
      "run",
      `--preload=${home}/prelude.mjs`,
      ...["--no-prompt", "--no-lock", "--no-config", "--no-remote", "--node-modules-dir=manual"],
      ...[
        `--allow-read=${work},${packages}/node_modules,${packages}/package.json`,
        `--allow-write=${work}`,
        "--allow-env",
        "--allow-sys",
      ],
      `--allow-ffi=${packages}/node_modules`,
      ...programs.length > 0 ? [`--allow-run=${programs.join(",")}`] : [],
      `${packages}/${GENERATOR}`,
      "build",
    ], {
      cwd: site,
      env: {
        HOME: home,
        TMPDIR: home,
        CI: "true",
        CF_PAGES: "1",
        CF_PAGES_BRANCH: branch,
        CF_PAGES_COMMIT_SHA: commit,
        NO_COLOR: "1",
        ASTRO_TELEMETRY_DISABLED: "1",
        DENO_NO_UPDATE_CHECK: "1",
      },
      stop: this.#stop.signal,
      limit_ms: BUILD_MS,
      say: hide,
    });
  }

  /** Ends what is at work, and leaves nothing behind but the packages. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
    for (const server of this.#servers.values()) await server[Symbol.asyncDispose]();
    for (const folder of this.#made) await Deno.remove(folder, { recursive: true });
  }
}

const isPreview = ({ branch, project }: Pick<Deployment, "branch" | "project">) =>
  branch !== project.production_branch;

function notBuilt(run: Run, why: string): void {
  const reason = `Not built, so nothing of it is served: ${why}. The commit itself is in the repository`;
  run.say(reason);
  run.end({ kind: "skipped", reason });
}

const isThere = (path: string) => Deno.stat(path).then(() => true, () => false);

/** What the commit's package.json asks for; null where it has none. */
async function manifestOf(bare: string, commit: string): Promise<Wanted | null> {
  const { code, stdout } = await runGit([`--git-dir=${bare}`, "show", `${commit}:package.json`]);
  return code === 0 ? JSON.parse(new TextDecoder().decode(stdout)) : null;
}

/** The files of a commit. A link would lead out of the folder: it is a file that names where it leads. */
async function checkout(bare: string, commit: string, site: string): Promise<void> {
  const plain = ["-c", "core.symlinks=false"];
  const steps = [
    [...plain, "clone", "--quiet", "--no-checkout", bare, site],
    [...plain, "-C", site, "checkout", "--quiet", "--detach", commit],
  ];
  for (const args of steps) {
    const { code, stderr } = await runGit(args);
    if (code !== 0) throw new Error(`git could not check out ${commit}: ${stderr}`);
  }
  await Deno.remove(`${site}/.git`, { recursive: true });
}

/** The compiled part of the bundler that is a program of its own. */
async function compilersIn(packages: string): Promise<string[]> {
  const found: string[] = [];
  const folder = `${packages}/@esbuild`;
  for (const { name } of await Array.fromAsync(Deno.readDir(folder)).catch(() => [])) {
    const program = `${folder}/${name}/bin/esbuild`;
    if (await isThere(program)) found.push(await Deno.realPath(program));
  }
  return found;
}
