/** A page of the documentation as what it tells a reader to do, and a copy of the project in which that is done. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { type Copy, copyProject } from "./copy.ts";
import { environment, run } from "./running.ts";

const ROOT = new URL("../../", import.meta.url);

/** One block of a page. */
export type Step =
  /** A command of the project. */
  | { readonly kind: "run"; readonly command: string }
  /** Lines that the command before it printed. */
  | { readonly kind: "printed"; readonly lines: readonly string[] }
  /** A whole file. */
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  /** Typed while a gateway runs. */
  | { readonly kind: "operator"; readonly command: string };

/**
 * The blocks of a page, in order: `sh` is run, `text` was printed, `console` is for a running gateway, and any other is
 * a file, whose path ends the line before it as "`path`:". Fails on a block that is none of these.
 */
export function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  const fences = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;
  for (const { 1: indent = "", 2: language, 3: block = "", index } of page.matchAll(fences)) {
    const text = block.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    const lines = text.trimEnd().split("\n");
    if (language === "sh") steps.push(...lines.map((command) => ({ kind: "run", command }) as const));
    else if (language === "console") {
      steps.push(...lines.map((command) => ({ kind: "operator", command }) as const));
    } else if (language === "text") steps.push({ kind: "printed", lines });
    else {
      const path = /`([\w./-]+)`:\s*$/.exec(page.slice(0, index))?.[1];
      assert.ok(path, `no path ends the line before this block:\n${text}`);
      steps.push({ kind: "file", path, text });
    }
  }
  return steps;
}

/** What a process printed. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the project under git, with everything committed. */
export class Project implements AsyncDisposable {
  private constructor(readonly copy: Copy) {}

  static async make(): Promise<Project> {
    const project = new Project(await copyProject());
    await project.git("init", "--quiet");
    // Into one file: of each file of its own git would wait until the disk has it.
    await project.git("-c", "core.bigFileThreshold=1", "add", "--all");
    const author = ["-c", "user.name=A contributor", "-c", "user.email=contributor@example.com"];
    await project.git(...author, "commit", "--quiet", "--message", "Before");
    return project;
  }

  get folder(): string {
    return this.copy.folder;
  }

  /** What git answers; a failure fails the test. */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#run("git", args);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  /** Runs `deno …`, offline as far as packages go, with that text on standard input. */
  async deno(
    args: readonly string[],
    { stdin = "", env = {} }: { readonly stdin?: string; readonly env?: Record<string, string> } = {},
  ): Promise<Printed> {
    return await this.#run(Deno.execPath(), args, stdin, env);
  }

  read(path: string): Promise<string> {
    return Deno.readTextFile(`${this.folder}/${path}`);
  }

  async write(path: string, text: string): Promise<void> {
    await Deno.mkdir(dirname(`${this.folder}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${this.folder}/${path}`, text);
  }

  /** Does what a page says; a command that fails, or prints something else, fails the test. */
  async follow(steps: readonly Step[]): Promise<void> {
    let last = "";
    for (const step of steps) {
      if (step.kind === "file") await this.write(step.path, step.text);
      else if (step.kind === "run") {
        const [program, ...args] = step.command.split(" ");
        assert.equal(program, "deno", step.command);
        const { code, stdout, stderr } = await this.deno(args);
        assert.equal(code, 0, `${step.command}\n${stdout}${stderr}`);
        last = stdout;
      } else if (step.kind === "printed") {
        for (const line of step.lines) {
          assert.ok(last.split("\n").includes(line), `${line}\nnot in:\n${last}`);
        }
      }
    }
  }

  /** What differs from the commit: path → git's two letters. */
  async changes(): Promise<Record<string, string>> {
    const lines = (await this.git("status", "--porcelain", "--untracked-files=all")).split("\n");
    return Object.fromEntries(
      lines.filter((line) => line !== "").map((line) => [line.slice(3), line.slice(0, 2)]),
    );
  }

  async #run(
    program: string,
    args: readonly string[],
    stdin = "",
    env: Record<string, string> = {},
  ): Promise<Printed> {
    const { code, out, err } = await run(program, args, {
      cwd: this.folder,
      env: environment(this.folder, { NO_COLOR: "1", ...env }),
      stdin,
    });
    return { code, stdout: out, stderr: err };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.copy[Symbol.asyncDispose]();
  }
}

/** The steps of a page of this project. */
export async function pageSteps(path: string): Promise<Step[]> {
  return stepsOf(await Deno.readTextFile(new URL(path, ROOT)));
}

/** deno.json without the lists that `deno task gen` writes. */
export function withoutEnvironment(config: string): unknown {
  const json = JSON.parse(config);
  for (const set of ["serve", "demo", "admin"]) delete json.permissions[set].env;
  return json;
}
