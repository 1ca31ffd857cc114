/** The demo's static site: real git, a hosting project that follows its commits, and settings that lead to both. */
import assert from "node:assert/strict";
import { PROJECT, REPO, startProject } from "../../sandbox/project.ts";
import { CONNECTORS } from "../connectors.ts";
import { readSettings } from "../../core/settings.ts";

Deno.test("the demo's project is empty, its commits become deployments, and it leaves nothing behind", async () => {
  const folder = await Deno.makeTempDir();
  const project = await startProject(folder);
  assert.ok(project, "git is on this machine");
  const env: Record<string, string> = {
    ...project.env,
    MASTER_TOKEN: "m".repeat(43),
    ENCRYPTION_KEYS: new Uint8Array(32).toBase64(),
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
  };
  const { upstream } = readSettings((name) => env[name], "start", CONNECTORS.settings);
  assert.ok(upstream.REPO_APP_PRIVATE_KEY && upstream.HOSTING_API_TOKEN && upstream.HOSTING_ACCOUNT_ID);
  assert.deepEqual(await project.repo.files(REPO), {});
  assert.deepEqual(project.hosting.deployments(PROJECT), []);
  const commit = await project.repo.commit(REPO, { files: { "README.md": "# Site\n" } });
  assert.deepEqual(project.hosting.deployments(PROJECT).map((one) => one.commit), [commit]);
  await project.stop();
  assert.deepEqual([...Deno.readDirSync(folder)], []);
  await Deno.remove(folder);
});
