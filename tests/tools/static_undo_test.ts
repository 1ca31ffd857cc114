/** undo_change of files of a static site: a new commit puts back what stood there, unless somebody changed it since. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { FILES, REPO, StaticWorld, test } from "./_static.ts";

interface Undone {
  readonly undone: readonly string[];
  readonly left_out: readonly { readonly request_id: string; readonly reason: string }[];
  readonly verified: boolean;
  readonly warnings: readonly string[];
  readonly request_id: string;
}

interface Listed {
  readonly changes: readonly {
    readonly request_id: string;
    readonly undoable: boolean;
    readonly undoable_reason?: string;
  }[];
}

const ON = { site_id: "open" };
const CSS = "src/styles/site.css";

/** Writes; answers the request's id and what else the tool answered. */
const write = (at: StaticWorld, tool: string, args: Args, as?: string) =>
  at.gw.call<Args & { request_id: string; branch: string }>(tool, { ...ON, ...args, confirm: true }, { as });

const css = (content: string, more: Args = {}) => ({ path: CSS, content, allow_overwrite: true, ...more });

const undo = (at: StaticWorld, args: Args, as?: string) =>
  at.gw.call<Undone>("undo_change", { ...ON, ...args, confirm: true }, { as });

/** The text of a file on a branch. */
const text = async (at: StaticWorld, branch: string, path = CSS) => (await at.host.files(REPO, branch))[path];

test("a file that was overwritten is put back by a new commit, by the name of its blob, and that can be taken back", async (at) => {
  const { request_id, branch } = await write(at, "write_static_file", css("new"));
  const parent = await at.head(branch);
  const preview = await at.preview("undo_change", { ...ON, request_id }) as unknown as Args & {
    changes: readonly { field: string; from: unknown; to: unknown }[];
  };
  assert.equal(preview["undoable"], true);
  assert.deepEqual(preview.changes.find(({ field }) => field === `${CSS} (text)`), {
    field: `${CSS} (text)`,
    text_of: CSS,
    from: "new",
    to: FILES[CSS],
  });
  assert.deepEqual(preview.changes[0], { field: "branch", from: null, to: branch });
  const before = at.host.writes.length;
  const done = await undo(at, { request_id });
  assert.deepEqual([done.undone, done.left_out, done.verified], [[request_id], [], true]);
  assert.deepEqual(done.warnings, [], "the commit that made it is nothing to delete");
  const sent = at.host.writes.slice(before).map(({ path, body }) => [path, JSON.stringify(body)] as const);
  assert.ok(
    !sent.some(([path, body]) => path.endsWith("/blobs") || body?.includes("color: red")),
    "no content is sent",
  );
  await at.wrote({ branch, parent, line: `Set back ${CSS}`, files: { [CSS]: FILES[CSS] as string } });
  await undo(at, { request_id: done.request_id });
  assert.equal(await text(at, branch), "new");
});

test("a page goes back with the script rules of what is put back", async (at) => {
  const loud = { route: "", html: "<script>alert(1)</script>" };
  const first = await write(at, "update_static_route", { route: "", html: "<p>One</p>" });
  const second = await write(at, "update_static_route", loud);
  const third = await write(at, "update_static_route", { route: "", html: "<p>Three</p>" });
  const tierOf = async (
    request_id: string,
  ) => (await at.gw.call<{ tier: number; warnings: string[] }>("undo_change", { ...ON, request_id }));
  const back = await tierOf(third.request_id);
  assert.equal(back.tier, 2, "script comes back");
  assert.match(back.warnings.join(), /html holds .*script/);
  await undo(at, { request_id: third.request_id });
  assert.equal((await tierOf(second.request_id)).tier, 1);
  await undo(at, { request_ids: [first.request_id, second.request_id] });
  assert.equal(await text(at, first.branch, "src/pages/index.astro"), FILES["src/pages/index.astro"]);
});

test("several changes of one path go back in one commit, to what stood there before the first", async (at) => {
  const one = await write(at, "write_static_file", css("one"));
  const two = await write(at, "write_static_file", css("two"));
  const commits = (await at.log(one.branch)).length;
  const ids = [one.request_id, two.request_id];
  assert.deepEqual((await undo(at, { request_ids: ids })).undone.toSorted(), ids.toSorted());
  assert.equal(await text(at, one.branch), FILES[CSS]);
  assert.equal((await at.log(one.branch)).length, commits + 1);
});

test("of many files each that somebody changed since is named, and what another branch has stays", async (at) => {
  const files = (mark: string) => [
    { path: CSS, content: mark, allow_overwrite: true },
    { path: "src/content/first.md", content: `---\ntitle: ${mark}\n---\n`, allow_overwrite: true },
    { path: "public/new.txt", content: mark, allow_overwrite: true },
  ];
  const one = await write(at, "bulk_write_static_files", { files: files("one") });
  const { branch } = one;
  await at.host.commit(REPO, { branch: "main", files: { [CSS]: "main's" } });
  const preview = await at.gw.call<{ warnings: string[] }>("undo_change", {
    ...ON,
    request_id: one.request_id,
  });
  assert.match(preview.warnings.join(), /"public\/new.txt" was made by that change and will stay/);
  await at.host.commit(REPO, { branch, files: { "src/content/first.md": "a person's" } });
  const says = /"src\/content\/first.md" changed since, so it is not set back/;
  await at.refuses("undo_change", { ...ON, request_id: one.request_id }, "E_STALE_PREVIEW", says, "reads");
  await at.host.commit(REPO, { branch, files: { "src/content/first.md": "---\ntitle: one\n---\n" } });
  await at.host.commit(REPO, { branch, files: { "elsewhere.txt": "a person's" } });
  await undo(at, { request_id: one.request_id });
  const now = await at.host.files(REPO, branch);
  assert.deepEqual(
    [now[CSS], now["src/content/first.md"], now["public/new.txt"], now["elsewhere.txt"]],
    [FILES[CSS], FILES["src/content/first.md"], "one", "a person's"],
  );
  assert.equal(await text(at, "main"), "main's");
});

test("more files than a preview's parts are told apart by go back as a whole", async (at) => {
  const files = (mark: string) =>
    Array.from(
      { length: 130 },
      (_, n) => ({ path: `public/${n}.txt`, content: `${mark} ${n}`, allow_overwrite: true }),
    );
  await write(at, "bulk_write_static_files", { files: files("one") });
  const { request_id, branch } = await write(at, "bulk_write_static_files", { files: files("two") });
  await at.host.commit(REPO, { branch, files: { "public/129.txt": "a person's" } });
  await at.refuses("undo_change", { ...ON, request_id }, "E_STALE_PREVIEW", /changed since/, "reads");
  await at.host.commit(REPO, { branch, files: { "public/129.txt": "two 129" } });
  await undo(at, { request_id });
  const now = await at.host.files(REPO, branch);
  assert.deepEqual([now["public/0.txt"], now["public/129.txt"]], ["one 0", "one 129"]);
});

test("what is pushed between the preview and the confirmation is not overwritten", async (at) => {
  const { request_id, branch } = await write(at, "write_static_file", css("new"));
  const { confirm_token } = await at.gw.call<Args>("undo_change", { ...ON, request_id });
  await at.host.commit(REPO, { branch, files: { [CSS]: "a person's" } });
  const args = { ...ON, request_id, confirm_token };
  await at.refuses("undo_change", args, "E_STALE_PREVIEW", /changed/, "reads");
  assert.equal(await text(at, branch), "a person's");
});

test("what was only made cannot be taken back, and the list and the refusal say what to do", async (at) => {
  const page = await write(at, "create_static_route", { route: "new", html: "<p>New</p>" });
  const file = await write(at, "write_static_file", { path: "public/new.txt", content: "x" });
  const preview = await at.gw.call<Args>("create_static_route", { ...ON, route: "other", html: "x" });
  assert.equal(preview["undoable"], false);
  assert.match(String(preview["undoable_reason"]), /never deleted: delete_static_route takes out a page/);
  const { changes } = await at.gw.call<Listed>("list_changes", ON);
  for (const { request_id } of [page, file]) {
    const row = changes.find((one) => one.request_id === request_id);
    assert.equal(row?.undoable, false);
    assert.match(row?.undoable_reason ?? "", /It makes new files, which are never deleted/);
    const says = /cannot be taken back\. It makes new files, which are never deleted: delete_static_route/;
    await at.refuses("undo_change", { ...ON, request_id }, "E_FORBIDDEN_OP", says, "nothing");
  }
});

test("after the preview branch was reset a change goes back on the branch that it was made on", async (at) => {
  const old = await write(at, "write_static_file", css("old"));
  await write(at, "reset_static_preview_branch", {});
  const next = await write(at, "write_static_file", css("next"));
  assert.notEqual(old.branch, next.branch);
  await undo(at, { request_id: old.request_id });
  assert.deepEqual([await text(at, old.branch), await text(at, next.branch)], [FILES[CSS], "next"]);
});

test("a branch that is gone is said so", async (at) => {
  const gone = await write(at, "write_static_file", css("new"));
  await at.host.git(REPO, "branch", "-D", gone.branch);
  const says = new RegExp(`^Branch "${gone.branch}", which the change was made on, is not there any more`);
  await at.refuses("undo_change", { ...ON, request_id: gone.request_id }, "E_STALE_PREVIEW", says, "reads");
});

Deno.test("bytes that the host has dropped are not put back", async () => {
  await using at = await StaticWorld.open();
  const { branch } = await write(at, "write_static_file", css("p {} ".repeat(5000)));
  const { request_id } = await write(at, "write_static_file", css("second"));
  // A person rewrites the history, and the host cleans up.
  const tree = (await at.host.git(REPO, "rev-parse", `${branch}^{tree}`)).trim();
  const root = (await at.host.git(
    REPO,
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b.example",
    "commit-tree",
    "-m",
    "all",
    tree,
  )).trim();
  await at.host.git(REPO, "update-ref", `refs/heads/${branch}`, root);
  await at.host.git(REPO, "reflog", "expire", "--expire=now", "--all");
  await at.host.git(REPO, "prune", "--expire=now");
  const says = /"src\/styles\/site.css": the repository's host does not have what stood there any more/;
  await at.refuses("undo_change", { ...ON, request_id }, "E_NOT_FOUND", says, "reads");
});

Deno.test("the deployed branch is set back by who may push to it alone, and a deleted page is put back", async () => {
  await using at = await StaticWorld.open({
    tokens: { drafts: { max_risk: 2, super_admin: true }, other: { super_admin: false } },
  });
  const main = { target_branch: "main" };
  const over = await write(at, "write_static_file", css("live", main));
  const deleted = await write(at, "delete_static_route", { route: "" });
  const own = await write(at, "write_static_file", css("a"));
  const args = { ...ON, request_id: over.request_id };
  await at.refuses("undo_change", args, "E_SCOPE_DENIED", {
    says: /max_risk|risk/,
    sends: "nothing",
    audit: "risk_capped",
    as: "drafts",
  });
  const foreign = { ...ON, request_id: own.request_id };
  await at.refuses("undo_change", foreign, "E_NOT_FOUND", {
    says: /nothing is kept/,
    sends: "nothing",
    as: "other",
  });
  const site = (await at.gw.store.sites.get("open"))!;
  await at.gw.store.sites.update("open", { flags: { ...site.flags, allow_main_branch_push: false } });
  await at.refuses("undo_change", args, "E_MAIN_BRANCH_LOCKED", /allow_main_branch_push/, "nothing");
  await at.gw.store.sites.update("open", { flags: site.flags });
  await undo(at, { request_ids: [over.request_id, deleted.request_id] });
  const now = await at.host.files(REPO, "main");
  assert.deepEqual([now[CSS], now["src/pages/index.astro"]], [FILES[CSS], FILES["src/pages/index.astro"]]);
  await undo(at, { request_id: own.request_id }, "drafts");
  assert.equal(await text(at, own.branch), "live", "a super-admin's token, on the branch of another's");
});

test("a person's page that was put back is a person's still: nobody replaces it who has not seen it", async (at) => {
  const page = "src/pages/index.astro";
  const theirs = (FILES[page] as string).replace("Home", "By a person");
  const main = { target_branch: "main" };
  await at.host.commit(REPO, { branch: "main", files: { [page]: theirs } });
  const over = { route: "", html: "<p>Over</p>", force: true, ...main };
  const { request_id } = await write(at, "update_static_route", over);
  await undo(at, { request_id });
  assert.equal(await text(at, "main", page), theirs);
  const unseen = { ...ON, route: "", html: "<p>Again</p>", ...main };
  await at.refuses(
    "update_static_route",
    unseen,
    "E_NOT_MCP_MANAGED",
    /was changed by .* since this service wrote it/,
    "reads",
  );
});

/** Numbers that look random, the same each time. */
function* dice(seed: number): Generator<number> {
  for (let state = seed;;) yield (state = (state * 48271) % 2147483647);
}

for (const seed of [1, 2, 3]) {
  test(`after any writes by two tokens and a person each file is as before a token's writes, or named (${seed})`, async (at) => {
    const rolls = dice(seed);
    const roll = (sides: number) => rolls.next().value! % sides;
    const paths = ["public/a.txt", "public/b.txt", "public/c.txt"];
    const main = { target_branch: "main" };
    await at.host.commit(REPO, {
      branch: "main",
      files: Object.fromEntries(paths.map((path) => [path, "begin"])),
    });
    const own: string[] = [];
    const stands = async () => {
      const files = await at.host.files(REPO, "main");
      return paths.map((path) => files[path]);
    };
    /** What each file was before the own writes of it that nobody has written over, by the newest such run. */
    const writers: Map<string, { by: string; text: string }[]> = new Map(
      paths.map((path) => [path, [{ by: "start", text: "begin" }]]),
    );
    for (let n = 0; n < 12; n++) {
      const path = paths[roll(paths.length)]!;
      const by = ["own", "other", "person"][roll(3)]!;
      const content = `${by} ${n}`;
      writers.get(path)!.push({ by, text: content });
      if (by === "person") await at.host.commit(REPO, { branch: "main", files: { [path]: content } });
      else {
        const args = { path, content, allow_overwrite: true, ...main };
        const { request_id } = await write(at, "write_static_file", args, "all");
        if (by === "own") own.push(request_id);
      }
    }
    const before = await stands();
    const done = own.length === 0
      ? null
      : await at.gw.end("undo_change", { ...ON, request_ids: own, confirm: true });
    const after = await stands();
    const out = done !== null && "value" in done ? (done.value as Undone).left_out.length : own.length;
    for (const [at, path] of paths.entries()) {
      const all = writers.get(path)!;
      const last = all.findLastIndex(({ by }) => by !== "own");
      // Own writes behind the last of somebody else go back to that; where somebody else was last, nothing does.
      assert.equal(after[at], all[last]!.text, `${path}: ${JSON.stringify(all)}`);
      assert.ok(before[at] === all.at(-1)!.text);
    }
    const kept = paths.flatMap((path) => {
      const all = writers.get(path)!;
      const last = all.findLastIndex(({ by }) => by !== "own");
      return all.slice(0, last).filter(({ by }) => by === "own");
    });
    assert.equal(out, kept.length, "each that stays is named");
  });
}

test("a project that was begun, and a preview that was left, cannot be taken back, and it is said why", async (at) => {
  const begun = await at.gw.call<Args & { request_id: string }>("init_static_project", {
    site_id: "empty",
    homepage_html: "<p>x</p>",
    confirm: true,
  });
  const made = { site_id: "empty", request_id: begun.request_id, confirm: true };
  await at.gw.refuses("undo_change", made, "E_FORBIDDEN_OP", /makes new files, which are never deleted/);
  await write(at, "write_static_file", css("new"));
  const left = await write(at, "reset_static_preview_branch", {});
  const reset = { ...ON, request_id: left.request_id, confirm: true };
  await at.gw.refuses("undo_change", reset, "E_FORBIDDEN_OP", /the branch stays there/);
});
