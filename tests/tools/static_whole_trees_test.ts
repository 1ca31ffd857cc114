/** Whole trees before and after each write to a preview branch, while somebody else commits between preview and confirm. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { Args } from "../cms_kit.ts";
import { FILES, REPO, StaticWorld } from "./_static.ts";

const ON = { site_id: "open" };
const TO_PREVIEW = { ...ON, target_branch: "preview" };
const A = "public/a.txt";
const CSS = "src/styles/site.css";
const MD = "src/content/first.md";
const NEW = "src/content/ours.md";
const page = (route: string) => ({ route, title: "A page", html: "<h1>A page</h1>" });

/** Each write, the one file of it that somebody else makes or changes meanwhile, what then is said, and what it may change. */
const WRITES: readonly (readonly [tool: string, args: Args, theirs: string, code: Code, may: RegExp])[] = [
  ["write_static_file", { ...ON, path: A, content: "ours\n" }, A, "E_FILE_EXISTS", /^public\/a\.txt$/],
  [
    "edit_static_file",
    { ...ON, path: CSS, find: "red", replace: "blue" },
    CSS,
    "E_STALE_PREVIEW",
    /^src\/styles\//,
  ],
  [
    "bulk_write_static_files",
    { ...ON, files: ["b", "c"].map((name) => ({ path: `public/${name}.txt`, content: `${name}\n` })) },
    "public/c.txt",
    "E_STALE_PREVIEW",
    /^public\/[bc]\.txt$/,
  ],
  [
    "create_static_route",
    { ...ON, ...page("new") },
    "src/pages/new.astro",
    "E_ROUTE_EXISTS",
    /^src\/pages\/new\b/,
  ],
  [
    "create_static_routes",
    { ...ON, pages: [page("one"), page("two")] },
    "src/pages/two.astro",
    "E_ROUTE_EXISTS",
    /^src\/pages\/(one|two)\b/,
  ],
  [
    "save_md_to_repo",
    { ...TO_PREVIEW, path: NEW, content: "---\ntitle: Ours\nslug: ours\n---\nOurs\n" },
    NEW,
    "E_SHA_MISMATCH",
    /^src\/content\/ours\.md$/,
  ],
  [
    "update_md_status",
    { ...TO_PREVIEW, path: MD, status: "ready" },
    MD,
    "E_STALE_PREVIEW",
    /^src\/content\/first/,
  ],
];

interface Preview {
  readonly confirm_token: string;
}

/** The paths whose bytes differ. */
function differing(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).toSorted();
}

async function opened(): Promise<{ at: StaticWorld; branch: string }> {
  const at = await StaticWorld.open();
  const first = { ...ON, path: "public/first.txt", content: "first\n", confirm: true };
  return { at, branch: (await at.gw.call<{ branch: string }>("write_static_file", first)).branch };
}

for (const [tool, args, theirs, code, may] of WRITES) {
  Deno.test(`${tool} changes its own paths alone, on what others committed meanwhile, once`, async () => {
    const { at, branch } = await opened();
    await using _ = at;
    const before = await at.host.refs(REPO);
    const { confirm_token } = await at.gw.call<Preview>(tool, args);
    assert.deepEqual(await at.host.refs(REPO), before, "a preview moves nothing");
    const others = { "public/theirs.txt": "theirs\n", "src/content/theirs.md": "---\ntitle: Theirs\n---\n" };
    const parent = await at.host.commit(REPO, { branch, files: others });
    await at.host.commit(REPO, { files: { "public/on-main.txt": "main\n" } });
    const [main, found] = [await at.head("main"), await at.host.files(REPO, branch)];
    const confirmed = { ...args, confirm: true, confirm_token };
    const { commit_sha } = await at.gw.call<{ commit_sha: string }>(tool, confirmed);
    const after = await at.host.files(REPO, branch);
    const changed = differing(found, after);
    assert.ok(changed.length > 0);
    assert.deepEqual(changed.filter((path) => !may.test(path)), []);
    assert.equal((await at.host.git(REPO, "rev-parse", `${commit_sha}^`)).trim(), parent);
    assert.deepEqual([await at.head("main"), await at.head(branch)], [main, commit_sha]);
    const again = await at.gw.call<Args>(tool, confirmed);
    assert.deepEqual([again["replayed"], again["commit_sha"]], [true, commit_sha]);
    assert.equal(await at.head(branch), commit_sha, "the same call writes nothing twice");
  });

  Deno.test(`${tool} writes nothing over what somebody else made of its file meanwhile`, async () => {
    const { at, branch } = await opened();
    await using _ = at;
    const { confirm_token } = await at.gw.call<Preview>(tool, args);
    const was = FILES[theirs];
    const text = typeof was === "string" ? `${was}\n` : "theirs\n";
    const head = await at.host.commit(REPO, { branch, files: { [theirs]: text } });
    const refused = await at.gw.http(`/api/v1/tools/${tool}`, {
      method: "POST",
      body: JSON.stringify({ ...args, confirm: true, confirm_token }),
    });
    const { error } = await refused.json();
    assert.equal(error.code, code, error.message);
    assert.equal(await at.head(branch), head);
    assert.equal((await at.host.files(REPO, branch))[theirs], text);
  });
}
