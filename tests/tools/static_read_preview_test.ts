/** Reading at "preview": what the token's own preview branch holds, and never another token's. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { REPO, StaticWorld, test } from "./_static.ts";

const ON = { site_id: "open" };
const MD = "src/content/mine.md";
const TEXT = "---\ntitle: Mine\nslug: mine\n---\nzeppelin\n";

/** The reading tools, their arguments, and what of the answer tells that the new file was seen. */
const READS: readonly (readonly [tool: string, args: Args, sees: RegExp])[] = [
  ["list_static_files", { prefix: "src/content/" }, /mine\.md/],
  ["read_static_file", { path: MD }, /zeppelin/],
  ["read_md_from_repo", { path: MD }, /zeppelin/],
  ["find_text", { text: "zeppelin" }, /mine\.md/],
  ["get_content_history", { path: MD }, /"id":/],
];

test("every reading tool of files reads what the token's preview branch holds", async (at) => {
  await at.gw.call("write_static_file", { ...ON, path: MD, content: TEXT, confirm: true });
  for (const [tool, args, sees] of READS) {
    const found = JSON.stringify(await at.both(tool, { ...ON, ...args, ref: "preview" }));
    assert.match(found, sees, tool);
    const deployed = await at.gw.end(tool, { ...ON, ...args });
    assert.doesNotMatch(JSON.stringify("code" in deployed ? {} : deployed), sees, `${tool} without ref`);
  }
});

Deno.test("without a preview branch of one's own it is refused, and nothing is asked of the host", async () => {
  await using at = await StaticWorld.open({ tokens: { other: { max_risk: 1 } } });
  await at.host.commit(REPO, { branch: "preview", files: { [MD]: TEXT } });
  const refused = async (as?: string) => {
    for (const [tool, args] of READS) {
      const asked = at.host.requests.length;
      const ending = await at.gw.end(tool, { ...ON, ...args, ref: "preview" }, { as });
      assert.ok("code" in ending, JSON.stringify(ending));
      assert.equal(ending.code, "E_NOT_FOUND", tool);
      assert.match(
        ending.message,
        /^ref: this token has no preview branch on the site yet.*leave ref out/,
        tool,
      );
      assert.equal(at.host.requests.length, asked, tool);
    }
  };
  await refused();
  await at.gw.call("write_static_file", { ...ON, path: MD, content: TEXT, confirm: true });
  await refused("other");
});

test("a preview branch that somebody deleted is named", async (at) => {
  const { branch } = await at.gw.call<{ branch: string }>("write_static_file", {
    ...ON,
    path: MD,
    content: TEXT,
    confirm: true,
  });
  await at.host.git(REPO, "update-ref", "-d", `refs/heads/${branch}`);
  const ending = await at.gw.end("read_static_file", { ...ON, path: MD, ref: "preview" });
  assert.ok("code" in ending && ending.code === "E_NOT_FOUND", JSON.stringify(ending));
  assert.ok(ending.message.includes(branch), ending.message);
});
