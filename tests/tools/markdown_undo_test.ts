/** undo_change of a markdown file: a new commit on the site's branch puts back what stood there. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { FILES, JOURNAL, REPO, test } from "./_static.ts";

type World = Parameters<Parameters<typeof test>[1]>[0];

const PATH = "src/content/first.md";
const FIRST = FILES[PATH] as string;
const NEXT = "---\ntitle: Next\nslug: first\n---\nOther\n";

const write = (at: World, tool: string, args: Args) =>
  at.gw.call<Args & { request_id: string; sha: string }>(tool, { ...args, confirm: true });

/** What the newest answer said that was set back. */
const undo = async (
  at: World,
  args: Args,
) => (await at.gw.call<{ undone: string[]; request_id: string; live?: unknown }>("undo_change", {
  ...args,
  confirm: true,
}));

for (const [site_id, repo, isLive] of [["journal", JOURNAL, false], ["open", REPO, true]] as const) {
  const text = async (at: World) => (await at.host.files(repo, "main"))[PATH];

  test(`a markdown file goes back byte for byte, and so does that: ${site_id}`, async (at) => {
    const on = { site_id };
    const status = await write(at, "update_md_status", { ...on, path: PATH, status: "ready" });
    const parent = await at.head("main", repo);
    const preview = await at.gw.call<Args & { changes: Args[]; tier: number }>("undo_change", {
      ...on,
      request_id: status.request_id,
    });
    assert.deepEqual([preview["undoable"], preview.tier], [true, isLive ? 3 : 1]);
    assert.deepEqual(preview.changes.at(-1)?.["to"], FIRST);
    const done = await undo(at, { ...on, request_id: status.request_id });
    await at.wrote({ repo, branch: "main", parent, line: `Set back ${PATH}`, files: { [PATH]: FIRST } });
    assert.equal("live" in done, isLive, "a commit to a branch that is deployed is looked at later");
    await undo(at, { ...on, request_id: done.request_id });
    assert.match(await text(at) ?? "", /status: ready/);
  });

  test(`what somebody pushed since stays, and a new file is never deleted: ${site_id}`, async (at) => {
    const on = { site_id };
    const { sha } = await at.gw.call<{ sha: string }>("read_md_from_repo", { ...on, path: PATH });
    const saved = await write(at, "save_md_to_repo", { ...on, path: PATH, content: NEXT, sha });
    await at.host.commit(repo, { branch: "main", files: { [PATH]: "a person's", "other.txt": "x" } });
    const args = { ...on, request_id: saved.request_id };
    await at.refuses(
      "undo_change",
      args,
      "E_STALE_PREVIEW",
      /"src\/content\/first.md" changed since/,
      "reads",
    );
    await at.host.commit(repo, { branch: "main", files: { [PATH]: NEXT } });
    await undo(at, args);
    assert.equal(await text(at), FIRST);
    const made = await write(at, "save_md_to_repo", { ...on, path: "posts/new.md", content: NEXT });
    const says =
      /cannot be taken back\. It makes a new file, and files are never deleted; a person takes it out/;
    await at.refuses("undo_change", { ...on, request_id: made.request_id }, "E_FORBIDDEN_OP", says);
  });
}
