/** The file of the store is taken away under a running gateway: nothing is promised that a restart would not know. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { inFolder, MASTER, start } from "./running.ts";

for (const end of ["", "-wal"]) {
  Deno.test(`while gateway.sqlite3${end} is away calls are refused and nothing is written; once it is back all goes on`, async () => {
    await using cms = await startWordPressStandIn();
    await inFolder(async (folder) => {
      await using gateway = start(folder);
      const { username, application_password } = cms.users.admin;
      const credentials = { cms: { username, application_password } };
      const site = { id: "acme", name: "Acme", platform: "cms", base_url: cms.base_url, credentials };
      await gateway.admin("POST", "/sites", site);
      const { token } = await gateway.token();
      const draft = (title: string) =>
        gateway.call(
          token,
          "create_draft",
          { site_id: "acme", title, content_html: "<p>x</p>", confirm: true },
        );
      assert.equal((await draft("before")).status, 200);
      const [path, aside] = [`${folder}/gateway.sqlite3${end}`, `${folder}/aside`];

      await Deno.rename(path, aside);
      const refused = await draft("meanwhile");
      assert.deepEqual(
        [refused.status, refused.error?.code, refused.error?.outcome],
        [500, "E_INTERNAL", "none"],
      );
      assert.match(
        refused.error!.message,
        /^The audit log cannot be written, so nothing was carried out; give request/,
      );
      assert.equal((await gateway.call(token, "list_drafts", { site_id: "acme" })).status, 500);
      const operators = await gateway.ask("POST", "/admin/api/projects", MASTER, { id: "p", name: "P" });
      assert.equal(operators.status, 500, "nor is anything taken from an operator");
      assert.equal((await gateway.ask("GET", "/healthz", "")).status, 503);
      const health = await gateway.ask("GET", "/admin/api/health", MASTER);
      assert.match(
        health.error!.message,
        new RegExp(`gateway\\.sqlite3${end}" was removed while the gateway has it open`),
      );
      const titles = [...cms.posts.values()].map(({ title }) => title);
      assert.ok(
        titles.includes("before") && !titles.includes("meanwhile"),
        `the site got nothing: ${titles}`,
      );

      await Deno.rename(aside, path);
      assert.equal((await draft("after")).status, 200);
      assert.equal((await gateway.ask("GET", "/healthz", "")).status, 200);
      gateway.kill("SIGTERM");
      const { stderr } = await gateway.ended;
      assert.match(
        stderr,
        /"event":"audit_failed".*was removed while the gateway has it open/,
        "the log says why",
      );

      await using again = start(folder);
      await again.address();
      const tools = (await again.audit()).map(({ tool, status }) => [tool, status]);
      assert.deepEqual(tools, [["create_draft", "ok"], ["create_draft", "ok"]]);
    });
  });
}
