/** Writes of repositories. */
import { PAGE, SOURCES, TEXTS } from "./_ground.ts";
import type { Act, Edit, Write } from "./_write_cases.ts";

const push = (repo: string, files: Readonly<Record<string, string>>): Act => (at) =>
  at.host!.commit(repo, { files });
const theirs = (part: (n: number) => string, more: Partial<Edit> = {}, repo = SOURCES): Edit => ({
  part,
  act: (at, args, n) => push(repo, { [part(n)]: `${PAGE}theirs ${n}` })(at, args, n),
  ...more,
});
const elsewhere = push(SOURCES, { "elsewhere.txt": "theirs" });
const inTexts = push(TEXTS, { "elsewhere.md": "theirs" });
const MAIN = { target_branch: "main" };
const MD = (n: number) => `---\ntitle: New ${n}\nslug: new-${n}\n---\nText\n`;

const css = (n: number) => `src/styles/old-${n}.css`;
const newPage = (n: number) => `src/pages/new-${n}.astro`;
const oldPage = (n: number) => `src/pages/old-${n}.astro`;
const newText = (n: number) => `posts/new-${n}.md`;
const oldText = (n: number) => `posts/old-${n}.md`;

/** Files and pages of a static site. */
export const STATIC: readonly Write[] = [
  {
    tool: "write_static_file",
    site: "static",
    args: (_, n) => ({ path: css(n), content: "mine", allow_overwrite: true, ...MAIN }),
    edits: [theirs(css)],
    beside: elsewhere,
    compares: true,
  },
  {
    tool: "write_static_file",
    of: "a preview",
    site: "static",
    args: (_, n) => ({ path: `public/new-${n}.txt`, content: `mine ${n}` }),
    edits: [],
    beside: elsewhere,
  },
  {
    tool: "bulk_write_static_files",
    site: "static",
    args: (_, n) => ({
      files: [{ path: css(n), content: "mine", allow_overwrite: true }, {
        path: `public/b-${n}`,
        content: "b",
      }],
      ...MAIN,
    }),
    edits: [theirs(css)],
    beside: elsewhere,
    compares: true,
  },
  {
    tool: "edit_static_file",
    site: "static",
    args: (_, n) => ({ path: css(n), find: "order", replace: "z-index" }),
    edits: [],
    beside: elsewhere,
  },
  {
    tool: "create_static_route",
    site: "static",
    args: (_, n) => ({ route: `new-${n}`, html: "<p>x</p>", ...MAIN }),
    edits: [theirs(newPage, { code: "E_ROUTE_EXISTS" })],
    beside: elsewhere,
    compares: true,
  },
  {
    tool: "create_static_routes",
    site: "static",
    args: (_, n) => ({
      pages: ["a", "b"].map((name) => ({ route: `many-${name}-${n}`, html: "<p>x</p>" })),
    }),
    edits: [],
    beside: elsewhere,
  },
  {
    tool: "update_static_route",
    site: "static",
    args: (_, n) => ({ route: `old-${n}`, html: "<p>Mine</p>", ...MAIN }),
    edits: [theirs(oldPage)],
    beside: elsewhere,
    compares: true,
  },
  {
    tool: "delete_static_route",
    site: "static",
    args: (_, n) => ({ route: `old-${n}` }),
    edits: [theirs(oldPage)],
    beside: elsewhere,
    compares: true,
  },
];

/** Markdown of the repository that is linked to a CMS. */
export const MARKDOWN: readonly Write[] = [
  {
    tool: "save_md_to_repo",
    args: (_, n) => ({ path: newText(n), content: MD(n) }),
    edits: [theirs(newText, { code: "E_SHA_MISMATCH" }, TEXTS)],
    beside: inTexts,
    compares: true,
  },
  {
    tool: "update_md_status",
    args: (_, n) => ({ path: oldText(n), status: "published" }),
    edits: [{
      part: oldText,
      act: (at, args, n) => push(TEXTS, { [oldText(n)]: MD(n) })(at, args, n),
    }],
    beside: inTexts,
    compares: true,
  },
  {
    tool: "deploy_md_to_site",
    args: (_, n) => ({ path: oldText(n), target_site_id: "twin", append_deployment: true }),
    edits: [{
      part: oldText,
      act: (at, args, n) =>
        push(TEXTS, { [oldText(n)]: MD(n).replace("---\nText", "type: post\n---\nTheirs") })(at, args, n),
    }],
    beside: inTexts,
    writes: 2,
  },
];
