/** `previews`: the preview branches of static sites, and how the merged ones go. */
import type {
  PreviewList,
  PreviewRepository,
  PreviewRow,
  PreviewsCleaned,
  RemovedPreview,
} from "../registry/preview_report.ts";
import type { Command } from "./command.ts";
import { cell, table } from "./terminal.ts";

const NOTES =
  "Deleted is only a branch that the gateway made, that is merged (by its commits, a squash or a rebase), that ends where it\n" +
  "did when it was listed, that no rule protects and no pull request is open for. What it changed is on the deployed branch;\n" +
  "the line that brings a deleted branch back is printed, and its commit is in the audit. It ends with 1 where a branch that\n" +
  "was to be deleted stayed.";

const previews: Command = {
  words: ["previews"],
  summary: "List preview branches of static sites; with --confirm the merged ones go",
  options: {
    site: { value: "id", help: "the site (every static site)" },
    confirm: { value: "branch@commit,…", help: "as the list prints it: delete those" },
  },
  notes: NOTES,
  async run({ api, words, show }) {
    const confirm = words.list("confirm");
    const done = await api.call("POST", "previews", { site_id: words.text("site"), confirm });
    if (confirm === undefined) {
      show(done as PreviewList, (found) => listed(found, words.text("site")));
      return 0;
    }
    show(done as PreviewsCleaned, ({ removed }) => removed.map(became).join(""));
    return (done as PreviewsCleaned).removed.every(({ outcome }) => outcome === "deleted") ? 0 : 1;
  },
};

const COLUMNS = [
  "branch",
  "commit",
  "when",
  "merged",
  "not deployed",
  "pull request",
  "now",
  "stays because",
];

function listed({ repositories, confirm }: PreviewList, site: string | undefined): string {
  if (repositories.length === 0) return "No static site has a repository.\n";
  const words = ["deno task admin previews", ...site === undefined ? [] : [`--site ${cell(site)}`]];
  const all = repositories.flatMap(({ branches }) => branches.filter(({ keep }) => keep === null)).length;
  const some = all > confirm.length ? `the first ${confirm.length} of the ${all}` : `the ${all}`;
  const end = confirm.length === 0
    ? "Nothing is to be deleted.\n"
    : `Nothing was changed. To delete ${all === 1 ? "the one" : some} with "goes":\n` +
      `  ${words.join(" ")} --confirm ${confirm.map(cell).join(",")}\n`;
  return [...repositories.map(section), end].join("\n");
}

function section({ repository, sites, deployed, branches, left, problem }: PreviewRepository): string {
  return [
    `${cell(repository)}: ${cell(sites)}, deployed from ${cell(deployed)}\n`,
    branches.length === 0 && (problem !== null || left > 0) ? "" : table(branches.map(row), COLUMNS),
    ...left === 0 ? [] : [`${left} more not looked at: run it again once these are gone.\n`],
    ...problem === null ? [] : [`${cell(problem.code)}: ${cell(problem.message)}\n`],
  ].join("");
}

const row = (one: PreviewRow) => ({
  branch: one.branch,
  commit: one.commit.slice(0, 12),
  when: one.committed_at,
  merged: one.merged === null ? "no" : `by ${one.merged}`,
  "not deployed": one.not_deployed,
  "pull request": one.pull_request?.number,
  now: one.keep === null ? "goes" : "stays",
  "stays because": one.keep,
});

function became({ repository, branch, commit, outcome, reason }: RemovedPreview): string {
  const name = [repository, branch].filter((one) => one !== null).map(cell).join(" ");
  if (outcome === "deleted") {
    return `Deleted: ${name}. To bring it back: git push origin ${cell(commit)}:refs/heads/${cell(branch)}\n`;
  }
  return `${outcome === "left" ? "Not deleted" : "Not known"}: ${name}: ${cell(reason)}\n`;
}

/** The command about preview branches. */
export const PREVIEW_COMMANDS: readonly Command[] = [previews];
