/** The repository host under the libraries the gateway drives it with: Octokit's core, app authentication and errors. */
import assert from "node:assert/strict";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/core";
import { RequestError } from "../packages/octokit.ts";
import { type GitHubStandIn, startGitHub } from "../../sandbox/github/start.ts";
import { coded } from "./github_asker.ts";
import { assertDescribed } from "./github_openapi.ts";

const SITE = { owner: "acme", repo: "site" };

function client(host: GitHubStandIn, installation: { installationId?: number } = {}): Octokit {
  const { id: appId, private_key: privateKey } = host.app;
  const auth = { appId, privateKey, ...installation };
  const octokit = new Octokit({ baseUrl: host.base_url, authStrategy: createAppAuth, auth });
  octokit.hook.before("request", (options) => {
    options.headers["x-github-api-version"] = "2022-11-28";
  });
  return octokit;
}

async function installed(host: GitHubStandIn): Promise<Octokit> {
  const { data } = await client(host).request("GET /repos/{owner}/{repo}/installation", SITE);
  return client(host, { installationId: data.id });
}

Deno.test("Octokit makes the first commit of an empty repository, and a second through a branch", async () => {
  await using host = await startGitHub();
  await host.make("acme/site", { empty: true });
  const octokit = await installed(host);
  await assert.rejects(
    octokit.request("GET /repos/{owner}/{repo}/git/ref/{ref}", { ...SITE, ref: "heads/main" }),
    {
      status: 409,
    },
  );
  const seed = await octokit.request("PUT /repos/{owner}/{repo}/contents/{path}", {
    ...SITE,
    path: "src/pages/über.md",
    message: "Seed",
    content: coded("# Über\n"),
  });
  assert.equal(seed.status, 201);
  const ref = "heads/mcp/tok/17";
  const head = seed.data.commit.sha!;
  await octokit.request("POST /repos/{owner}/{repo}/git/refs", { ...SITE, ref: `refs/${ref}`, sha: head });
  const blob = await octokit.request("POST /repos/{owner}/{repo}/git/blobs", {
    ...SITE,
    content: coded(new Uint8Array([255, 0])),
    encoding: "base64",
  });
  const tree = await octokit.request("POST /repos/{owner}/{repo}/git/trees", {
    ...SITE,
    base_tree: seed.data.commit.tree!.sha!,
    tree: [
      { path: "logo.png", mode: "100644", type: "blob", sha: blob.data.sha },
      { path: "src/pages/über.md", mode: "100644", type: "blob", sha: null },
    ],
  });
  const commit = await octokit.request("POST /repos/{owner}/{repo}/git/commits", {
    ...SITE,
    message: "Swap",
    tree: tree.data.sha,
    parents: [head],
  });
  await octokit.request("PATCH /repos/{owner}/{repo}/git/refs/{ref}", { ...SITE, ref, sha: commit.data.sha });
  assert.deepEqual(Object.keys(await host.files("acme/site", "mcp/tok/17")), ["logo.png"]);
  assert.deepEqual(await host.files("acme/site"), { "src/pages/über.md": "# Über\n" });
  assert.equal(await host.git("acme/site", "fsck", "--strict", "--no-dangling"), "");
  assert.equal(host.writes.length, 6);
  assertDescribed(host.requests);
});

Deno.test("Octokit's errors carry the host's status, words and headers", async () => {
  await using host = await startGitHub();
  await host.make("acme/site");
  const octokit = await installed(host);
  host.inject({ kind: "busy", retry_after: 7 }, { path: "/contents/" });
  const read = octokit.request("GET /repos/{owner}/{repo}/contents/{path}", {
    ...SITE,
    path: "README.md",
  });
  const error = await read.then(() => null, (thrown: unknown) => thrown);
  assert.ok(error instanceof RequestError);
  assert.deepEqual([error.status, error.response?.headers["retry-after"]], [403, "7"]);
  assert.match(error.message, /secondary rate limit/);
  assertDescribed(host.requests);
});
