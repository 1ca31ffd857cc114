/** The way into a repository as an app: narrow tokens, kept and renewed, and what the operator is shown of the app. */
import assert from "node:assert/strict";
import { MASTER } from "../kit.ts";
import { FILES, JOURNAL, REPO, StaticWorld } from "./_static.ts";

const READ = { site_id: "closed", path: "README.md" };
const WRITE = { site_id: "closed", path: "public/a.txt", content: "x", allow_overwrite: true };

/** What tokens were asked for since the host forgot, oldest first. */
const asked = ({ host }: StaticWorld) =>
  host.exchanges.filter(({ path }) => path.endsWith("/access_tokens")).map(({ body }) => body);
const token = (repository: string, contents: "read" | "write") => ({
  repositories: [repository],
  permissions: { contents, metadata: "read" },
});

Deno.test("a read asks for a token that can only read that one repository, once for many reads", async () => {
  await using at = await StaticWorld.open();
  for (let more = 0; more < 3; more++) await at.both("read_static_file", READ);
  await at.both("list_static_files", { site_id: "open" });
  const wanted = token("site", "read");
  const found = asked(at);
  assert.ok(found.length >= 1 && found.length <= 2, "one a site at most");
  for (const one of found) assert.deepEqual(one, wanted);
  at.host.forget();
  await at.both("read_md_from_repo", { site_id: "journal", path: "src/content/first.md" });
  assert.deepEqual(asked(at), [token("journal", "read")]);
});

Deno.test("a write asks for a token that can write that one repository's contents and nothing else", async () => {
  await using at = await StaticWorld.open();
  await at.write("rest", "write_static_file", WRITE);
  const found = asked(at);
  assert.ok(found.some((one) => JSON.stringify(one) === JSON.stringify(token("site", "write"))));
  for (const one of found) {
    const { repositories, permissions } = one as ReturnType<typeof token>;
    assert.deepEqual([repositories, Object.keys(permissions).toSorted()], [["site"], [
      "contents",
      "metadata",
    ]]);
  }
  at.host.forget();
  await at.write("mcp", "write_static_file", { ...WRITE, content: "y" });
  assert.deepEqual(asked(at), [], "both tokens are kept");
});

Deno.test("a token that has died is made anew once, and the call goes on", async () => {
  await using at = await StaticWorld.open();
  await at.both("read_static_file", READ);
  at.host.expireTokens();
  at.host.forget();
  await at.gw.call("read_static_file", READ);
  assert.deepEqual(asked(at), [token("site", "read")]);
  at.host.expireTokens();
  at.host.forget();
  const { done } = await at.write("rest", "write_static_file", WRITE);
  assert.match(String(done["commit_sha"]), /^[0-9a-f]{40}$/);
  assert.ok(asked(at).length <= 2, "one for reading, one for writing");
});

/** The operator's page of the repository app. */
async function page(at: StaticWorld) {
  const headers = { authorization: `Bearer ${MASTER}` };
  const response = await at.gw.http("/admin/api/repo", { headers });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.doesNotMatch(text, /PRIVATE KEY|ghs_|eyJ/, "neither key nor token is shown");
  return JSON.parse(text).result;
}

Deno.test("the operator sees the app, where it is installed, and which sites link to what", async () => {
  await using at = await StaticWorld.open();
  at.host.install("other", { type: "Organization", permissions: { contents: "read", metadata: "read" } });
  const found = await at.quietly(() => page(at));
  assert.deepEqual([found.configured, found.problem, found.app.id], [true, null, at.host.app.id]);
  const [acme, other] = found.installations;
  assert.deepEqual([acme.account, acme.may_write, acme.suspended], ["acme", true, false]);
  assert.deepEqual([other.account, other.may_write, other.suspended], ["other", false, false]);
  const sites = new Map(found.sites.map((one: { id: string }) => [one.id, one]));
  assert.deepEqual(sites.get("closed"), {
    id: "closed",
    name: "closed",
    platform: "static",
    repo: REPO,
    repo_branch: "main",
    repo_prefix: null,
    installation_id: acme.id,
  });
  assert.deepEqual((sites.get("journal") as { repo: string }).repo, JOURNAL);
  assert.equal((sites.get("elsewhere") as { installation_id: number | null }).installation_id, null);
  assert.ok(!sites.has("unlinked"));
});

Deno.test("the operator's page says what keeps the app from being known, and shows the sites all the same", async () => {
  for (const name of ["REPO_APP_ID", "REPO_APP_PRIVATE_KEY"]) {
    await using at = await StaticWorld.open({ env: { [name]: null } });
    const found = await page(at);
    assert.deepEqual([found.configured, found.app, found.installations], [false, null, []]);
    assert.match(found.problem, new RegExp(name));
    assert.ok(found.sites.length > 5);
    assert.deepEqual(at.host.exchanges, []);
  }
  await using at = await StaticWorld.open({ files: FILES });
  at.host.misbehave({ kind: "bad_gateway" }, { path: "/app", times: 9 });
  const found = await page(at);
  assert.deepEqual([found.configured, found.app], [true, null]);
  assert.match(found.problem, /502/);
  assert.doesNotMatch(found.problem, /<[a-z/!]/i);
  assert.ok(found.sites.length > 5);
});

Deno.test("the operator's page is for the operator alone", async () => {
  await using at = await StaticWorld.open();
  for (const authorization of [`Bearer ${at.gw.token("all")}`, "Bearer nothing", ""]) {
    const response = await at.gw.http("/admin/api/repo", { headers: { authorization } });
    assert.equal(response.status, 401);
    await response.body?.cancel();
  }
  assert.deepEqual(at.host.exchanges, []);
});
