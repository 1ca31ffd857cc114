/** A static site whose previews are built by a stand-in of the hosting, and what is done on the way to bring one live. */
import { DONE_AFTER_S, type Outcome } from "../../sandbox/cloudflare_pages/start.ts";
import type { Args } from "../cms_kit.ts";
import { type World, world as opened } from "./_deploy.ts";
import { REPO } from "./_static.ts";

export const TOOL = "publish_static_preview";
export const ON = { site_id: "live" };
export const PULLS = { contents: "write", metadata: "read", pull_requests: "write" } as const;

/** What a preview of a call shows. */
export interface Shown {
  readonly tier: number;
  readonly summary: string;
  readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
  readonly warnings: readonly string[];
  readonly undoable: boolean;
  readonly confirm_token: string;
}

/** What it answers. */
export interface Answer {
  readonly state: "published" | "joined" | "unchanged";
  readonly branch: string;
  readonly preview_branch: string;
  readonly commit_sha: string;
  readonly previous_sha?: string;
  readonly files: number;
  readonly deployment?: { readonly found: boolean; readonly status: string | null };
  readonly verified: boolean;
  readonly request_id: string;
}

/** A world, and the steps. */
export class Publishing implements AsyncDisposable {
  constructor(readonly here: World) {}

  static async open(...options: Parameters<typeof opened>): Promise<Publishing> {
    return new Publishing(await opened(...options));
  }

  get at() {
    return this.here.at;
  }

  /** Lets every build end that has begun. */
  built(): void {
    this.here.hosting.clock.advance(DONE_AFTER_S + 5);
  }

  /** Writes to the preview; its build ends as given. */
  async wrote(tool: string, args: Args, outcome?: Outcome): Promise<{ branch: string; commit_sha: string }> {
    if (outcome !== undefined) this.here.hosting.next("site", outcome);
    return await this.at.gw.call(tool, { ...ON, ...args, confirm: true });
  }

  /** A new page on a preview branch that has been built. */
  async ready(html = "<p>New</p>"): Promise<{ branch: string; commit_sha: string }> {
    const made = await this.wrote("create_static_route", { route: "new", html });
    this.built();
    return made;
  }

  async shown(tool: string = TOOL, args: Args = {}): Promise<Shown> {
    return await this.at.gw.call<Shown>(tool, { ...ON, ...args });
  }

  /** Shows it, lets something happen, and confirms it. */
  async publish(between: () => unknown = () => {}): Promise<Answer> {
    const { confirm_token } = await this.shown();
    await between();
    return await this.at.gw.call<Answer>(TOOL, { ...ON, confirm: true, confirm_token });
  }

  /** What it is refused with once it was shown and something has happened since. */
  async fails(code: Parameters<Publishing["at"]["gw"]["fails"]>[2], says: RegExp, between: () => unknown) {
    const { confirm_token } = await this.shown();
    await between();
    return await this.at.gw.fails(TOOL, { ...ON, confirm: true, confirm_token }, code, says);
  }

  /** Refused through both doors, and nothing is written at the host. */
  async refused(code: Parameters<Publishing["at"]["gw"]["fails"]>[2], says: RegExp, site_id = "live") {
    return await this.at.refuses(TOOL, { site_id }, code, { says, sends: "reads" });
  }

  /** What moved a branch, oldest first. */
  moves() {
    return this.at.host.writes.filter(({ method, path }) => method === "PATCH" && path.includes("/git/refs/"))
      .map(({ path, body }) => [path.slice(`/repos/${REPO}/git/refs/heads/`.length), body] as const);
  }

  async files(branch = "main"): Promise<string[]> {
    return Object.keys(await this.at.host.files(REPO, branch)).toSorted();
  }

  async parents(commit: string): Promise<string[]> {
    return (await this.at.host.git(REPO, "log", "-1", "--format=%P", commit)).trim().split(" ");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.here[Symbol.asyncDispose]();
  }
}

/** A preview that has been built, and the writes that it waits for. */
export async function previews() {
  const here = await Publishing.open();
  here.at.host.install("acme", { permissions: PULLS });
  await here.ready();
  return {
    gw: here.at.gw,
    cases: [
      { tool: "propose_static_changes", args: { ...ON, title: "News", body: "Text" } },
      { tool: "propose_static_changes", args: { ...ON, title: "Other news", body: "Text" } },
      { tool: TOOL, args: ON },
    ],
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  };
}
