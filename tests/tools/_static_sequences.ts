/** A repository as the ground of sequences: the files of every branch as cells, what callers write there, and what a person pushes. */
import { found } from "../../sandbox/github/setup.ts";
import { type GitHubStandIn, startGitHub } from "../../sandbox/github/start.ts";
import { site } from "../kit.ts";
import type { Cells, Ground, Write } from "../sequences_ground.ts";
import type { Dice } from "./_crm_dice.ts";
import { FILES, OPEN_FLAGS, REPO, settingsAt } from "./_static_sites.ts";

const PATHS = [
  "src/styles/site.css",
  "src/content/first.md",
  "src/content/second.md",
  "src/pages/notes.md",
  "public/a.txt",
  "public/b/c.txt",
  "src/pages/hand.astro",
];
const ROUTES = ["", "new", "about/us", "notes"];
const TEXTS = [
  "Plain",
  "\u00dcn\u00ef \u{1f600}",
  'a\\b "q" ${x} `y`',
  "line\r\nline",
  "",
  "x\u0000y",
  "{curly} --- <b>",
];

const targetOf = ({ tool, args }: Write) =>
  String(args["target_branch"] ?? (/_md_/.test(tool) ? "main" : "preview"));
const branchOf = (cell: string) => cell.slice(0, cell.indexOf(" "));
const pathOf = (cell: string) => cell.slice(cell.indexOf(" ") + 1);

/** The files that a call names. */
function pathsOf({ tool, args }: Write): string[] | null {
  if (/^reset|^replace_text|^init/.test(tool)) return null;
  const routes = "route" in args
    ? [args["route"]]
    : (args["pages"] as { route: string }[] | undefined)?.map(({ route }) => route);
  if (routes !== undefined) return routes.map((route) => `src/pages/${route || "index"}`);
  return (args["files"] as { path: string }[] | undefined)?.map(({ path }) => path) ?? [String(args["path"])];
}

/** A host with one repository, and the files of all its branches. */
export class StaticGround implements Ground {
  readonly sites = [
    site("open", "static", { repo: REPO, repo_branch: "main", flags: OPEN_FLAGS }),
    site("closed", "static", { repo: REPO, repo_branch: "main" }),
  ];
  readonly settings;
  readonly #trees = new Map<string, Cells>();

  private constructor(readonly host: GitHubStandIn) {
    this.settings = settingsAt(host);
  }

  static async open(): Promise<StaticGround> {
    const host = await startGitHub();
    await host.make(REPO, { files: FILES });
    return new StaticGround(host);
  }

  async cells(): Promise<Cells> {
    const { bare } = found(this.host.state, REPO);
    const all: Record<string, string> = {};
    for (const [ref, sha] of Object.entries(await this.host.refs(REPO))) {
      const branch = ref.replace("refs/heads/", "");
      let tree = this.#trees.get(sha);
      if (tree === undefined) {
        const rows = await bare.list(sha, true);
        tree = Object.fromEntries(
          rows.flatMap((row) => row.type === "blob" ? [[row.path, `${row.mode} ${row.sha}`]] : []),
        );
        this.#trees.set(sha, tree);
      }
      for (const [path, blob] of Object.entries(tree)) all[`${branch} ${path}`] = blob;
    }
    return all;
  }

  async person(dice: Dice, n: number): Promise<void> {
    const branches = Object.keys(await this.host.refs(REPO)).map((ref) => ref.replace("refs/heads/", ""));
    const branch = dice.pick(branches);
    const path = dice.pick([...PATHS, "src/pages/index.astro", "src/pages/new.astro"]);
    const there = await this.host.files(REPO, branch);
    const was = FILES[path];
    const content = dice.pick([
      `By hand ${n}`,
      "By hand",
      there[path] === undefined ? `New ${n}` : null,
      was ?? "x",
    ]);
    await this.host.commit(REPO, { branch, files: { [path]: content } });
  }

  #one(dice: Dice, n: number): Write {
    const path = dice.pick(PATHS);
    const content = `${dice.pick(TEXTS)} ${dice.chance(0.2) ? "same" : n}`;
    const html = `<p>${content.replaceAll("\u0000", "")}</p>`;
    const allow_overwrite = dice.chance(0.8);
    const to = dice.chance(0.25) ? { target_branch: "main" } : {};
    const md = dice.pick(["src/content/first.md", "src/content/second.md"]);
    const route = dice.pick(ROUTES);
    const files = dice.times(
      dice.int(1, 4),
      (at) => ({ path: PATHS[(n + at * 2) % PATHS.length]!, content, allow_overwrite }),
    );
    const pages = [...new Set(dice.times(2, () => dice.pick(ROUTES)))].map((route) => ({
      route,
      html,
      title: `T ${n}`,
    }));
    return dice.pick<() => Write>([
      () => ({ tool: "write_static_file", args: { path, content, allow_overwrite, ...to } }),
      () => ({ tool: "write_static_file", args: { path, content, allow_overwrite, ...to } }),
      () => ({
        tool: "edit_static_file",
        args: {
          path,
          replacements: [{ find: dice.pick(["color", "First", "By hand", "Plain"]), replace: content }],
          ...to,
        },
      }),
      () => ({ tool: "bulk_write_static_files", args: { files, ...to } }),
      () => ({ tool: "create_static_route", args: { route, html, ...to } }),
      () => ({ tool: "create_static_routes", args: { pages, ...to } }),
      () => ({ tool: "update_static_route", args: { route, html, ...to } }),
      () => ({ tool: "delete_static_route", args: { route: dice.pick(["new", "about/us", "hand"]), ...to } }),
      () => ({
        tool: "save_md_to_repo",
        args: {
          path: md,
          content: `---\ntitle: T\nstatus: draft\n---\n${content}\n`,
          ...dice.chance(0.5) ? { target_branch: "preview" } : {},
        },
      }),
      () => ({
        tool: "update_md_status",
        args: {
          path: md,
          status: dice.pick(["draft", "review"]),
          ...dice.chance(0.5) ? { target_branch: "preview" } : {},
        },
      }),
    ])();
  }

  write(dice: Dice, n: number): Write {
    const site_id = dice.chance(0.2) ? "closed" : "open";
    const one = () => {
      const { tool, args } = this.#one(dice, n);
      return { tool, args: { site_id, ...args } };
    };
    if (dice.chance(0.05)) return { tool: "reset_static_preview_branch", args: { site_id } };
    if (dice.chance(0.08)) {
      return {
        tool: "replace_text",
        args: { site_id, find: dice.pick(["Plain", "Text", "By hand"]), replace: `Said ${n}` },
      };
    }
    if (!dice.chance(0.15)) return one();
    const changes = dice.times(dice.int(1, 3), one).map(({ tool, args }) => ({ tool, arguments: args }));
    return { tool: "prepare_changes", args: { title: `Set ${n}`, changes } };
  }

  may(write: Write, _fields: readonly string[] | null, cell: string, before: Cells): boolean {
    const { tool, args } = write;
    if (tool === "prepare_changes") {
      return (args["changes"] as { tool: string; arguments: Write["args"] }[])
        .some((one) => this.may({ tool: one.tool, args: one.arguments }, null, cell, before));
    }
    const branch = branchOf(cell);
    if ((branch === "main") !== (targetOf(write) === "main")) return false;
    const isNew = !Object.keys(before).some((one) => branchOf(one) === branch);
    if (isNew && before[`main ${pathOf(cell)}`] !== undefined) return true;
    const paths = pathsOf(write);
    return paths === null || paths.some((path) => pathOf(cell).startsWith(path));
  }

  isPublic(cell: string): boolean {
    return branchOf(cell) === "main";
  }

  publishes(write: Write): boolean {
    if (write.tool === "prepare_changes") {
      return (write.args["changes"] as { tool: string; arguments: Write["args"] }[])
        .some((one) => this.publishes({ tool: one.tool, args: one.arguments }));
    }
    return write.args["site_id"] === "open" && targetOf(write) === "main";
  }

  stays(_cell: string, was: string | undefined): boolean {
    return was === undefined;
  }

  shown(cell: string, at: Cells): string | undefined {
    const isThere = Object.keys(at).some((one) => branchOf(one) === branchOf(cell));
    return at[isThere ? cell : `main ${pathOf(cell)}`];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.stop();
  }
}
