/** Repositories written half-way: the caller and the audit are told which commit stands, or may stand. */
import assert from "node:assert/strict";
import type { GitHubFault } from "../../sandbox/github/start.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { DOORS } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { EMPTY, FILES, JOURNAL, StaticWorld } from "./_static.ts";

const TWO = [{ path: "src/a.md", content: "a" }, { path: "src/b.md", content: "b" }];

for (const door of DOORS) {
  Deno.test(`a first commit that nothing took the place of is named through ${door}`, async () => {
    const faults: GitHubFault[] = [{ kind: "html" }, { kind: "reset" }, { kind: "forbidden" }];
    for (const fault of faults) {
      await using at = await StaticWorld.open();
      at.host.inject(fault, { method: "POST", path: /\/git\/trees$/, times: 5 });
      const args = { site_id: "empty", files: TWO, confirm: true };
      const ending = await at.gw.end("bulk_write_static_files", args, { door });
      assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
      const seed = await at.head("main", EMPTY);
      const says = `by then it had made commit ${seed} ("a .gitattributes on branch main")`;
      assert.ok(ending.message.includes(says), ending.message);
      const [row] = await at.rows(1);
      assert.deepEqual([row?.status, row?.made?.map(({ id }) => id)], ["error", [seed]]);
    }
  });

  Deno.test(`a commit that a branch may lead to is named, one that it leads to as well, through ${door}`, async () => {
    await using at = await StaticWorld.open();
    const args = { site_id: "open", path: "public/x.txt", content: "x", target_branch: "main" };
    at.host.inject({ kind: "reset", applied: true }, { method: "PATCH", path: /\/git\/refs\// });
    const moved = {
      path: /\/git\/ref\//,
      times: 9,
      while: () => at.host.writes.some((one) => one.method === "PATCH"),
    };
    at.host.inject({ kind: "html" }, moved);
    const ending = await at.gw.end("write_static_file", { ...args, confirm: true }, { door });
    assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
    const head = await at.head("main");
    assert.match(ending.message, new RegExp(`was to be moved to the commit ${head}, .*outcome is unknown`));
    const [row] = await at.rows(1);
    assert.deepEqual(row?.made, [{ what: "commit", id: head, name: "on branch main", unsure: true }]);
    at.host.clear();
    const second = await at.write(door, "write_static_file", { ...args, path: "public/y.txt" });
    assert.deepEqual(
      second.row.made,
      [{ what: "commit", id: second.done["commit_sha"], name: "on branch main" }],
    );
  });

  Deno.test(`what a deployed file made on the other site is named, whichever step fails, through ${door}`, async () => {
    await using cms = await startWordPressStandIn();
    const { username, application_password } = cms.users.admin;
    const credentials = { cms: { username, application_password } };
    const path = "posts/fish.md";
    const text = "---\ntitle: Fish\nslug: fish\ntype: post\nstatus: draft\ntags: [Sea]\n---\nText\n";
    const linked = { base_url: cms.base_url, credentials, repo: JOURNAL, repo_branch: "main" };
    await using at = await StaticWorld.open({
      files: { ...FILES, [path]: text },
      sites: [site("blog", "cms", linked)],
    });
    const args = { site_id: "blog", path, append_deployment: true };
    cms.inject({ kind: "html" }, { method: "POST", path: /^\/wp\/v2\/posts$/ });
    const says =
      /; by then it had made tag 2 \("Sea"\)(?:; (?:a part of the change was made, )?the outcome is unknown: [^;]*)?$/;
    await at.gw.fails("deploy_md_to_site", { ...args, confirm: true }, "E_UPSTREAM", says, { door });
    const [row] = await at.rows(1);
    assert.deepEqual(row?.made, [{ what: "tag", id: 2, name: "Sea" }]);
    const { done, row: whole } = await at.write(door, "deploy_md_to_site", args);
    assert.deepEqual(whole.made?.map(({ what }) => what), ["post", "commit"]);
    assert.equal(whole.made?.[0]?.id, done["id"]);
    assert.equal(whole.made?.[1]?.id, await at.head("main", JOURNAL));
  });
}
