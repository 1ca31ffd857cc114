/** The repository host: what it does wrong on order, in its own words; the client's tests show the rest. */
import assert from "node:assert/strict";
import { PUBLISHED } from "../../sandbox/github/rate.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import type { Json } from "./asker.ts";
import { asApp, asInstallation, coded, cut } from "./github_asker.ts";
import { assertDescribed } from "./github_openapi.ts";
import { folder } from "../folder.ts";

const REPO = "acme/site";
const R = `/repos/${REPO}`;
const FILE = { message: "m", content: coded("x") };

Deno.test("refusals on order: once each, for what fits the filter, and nothing is carried out", async () => {
  await using host = await startGitHub({ now: () => 1_800_000_000_000 });
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const put = () => asker.put(`${R}/contents/x`, FILE);
  const orders = [
    [{ kind: "unauthorized" }, 401, "Bad credentials"],
    [{ kind: "forbidden" }, 403, "Resource not accessible by integration"],
    [{ kind: "limited", reset_in: 90 }, 403, "API rate limit exceeded for installation."],
    [{ kind: "busy", status: 429, retry_after: 3 }, 429, /secondary rate limit/],
    [{ kind: "busy" }, 403, /secondary rate limit/],
    [{ kind: "html" }, 502, undefined],
    [{ kind: "malformed" }, 200, undefined],
    [{ kind: "redirect", to: "http://127.0.0.1:9/" }, 302, undefined],
  ] as const;
  for (const [fault, status, message] of orders) {
    host.inject(fault, { method: "PUT", path: "/contents/" });
    assert.equal((await asker.get(`${R}/contents/README.md`)).status, 200);
    const answer = await put();
    assert.equal(answer.status, status);
    if (message instanceof RegExp) assert.match(String(answer.body["message"]), message);
    else assert.equal(answer.body["message"], message);
    const header = (name: string) => answer.headers.get(name);
    assert.equal(header("retry-after"), fault.kind === "busy" && "retry_after" in fault ? "3" : null);
    if (fault.kind === "limited") {
      assert.deepEqual([header("x-ratelimit-remaining"), header("x-ratelimit-reset")], ["0", "1800000090"]);
    } else assert.notEqual(header("x-ratelimit-remaining"), "0");
    if (fault.kind === "malformed") assert.throws(() => JSON.parse(answer.text), SyntaxError);
    assert.equal(host.writes.at(-1)?.fault, fault.kind);
  }
  assert.deepEqual(Object.keys(await host.files(REPO)), ["README.md"]);
  assert.equal((await put()).status, 201);
  assert.equal(host.writes.length, orders.length + 1);
  assertDescribed(host.requests);
});

Deno.test("the head moves just before a request, or within it", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const head = await asker.head(REPO);
  const { body } = await asker.get(`${R}/git/commits/${head}`);
  const tree = String((body["tree"] as Json)["sha"]);
  const mine = await asker.made(`${R}/git/commits`, { message: "Mine", tree, parents: [head] });
  const patch = () => asker.patch(`${R}/git/refs/heads/main`, { sha: mine });
  host.inject({ kind: "moved", files: { "theirs.txt": "1" } }, { method: "PATCH" });
  assert.deepEqual(cut(await patch()), [422, "Update is not a fast forward"]);
  assert.deepEqual(await host.files(REPO), { "README.md": "# Site\n", "theirs.txt": "1" });

  host.inject({ kind: "moved", when: "within" }, { method: "PUT" });
  const before = await asker.head(REPO);
  const put = () => asker.put(`${R}/contents/x`, FILE);
  assert.deepEqual(cut(await put()), [409, `refs/heads/main expected to be at ${before}`]);
  host.inject({ kind: "moved", when: "within", words: "is at" }, { method: "PUT" });
  const then = await asker.head(REPO);
  assert.deepEqual(cut(await put()), [409, `is at ${await asker.head(REPO)} but expected ${then}`]);
  host.inject({ kind: "moved", files: { "README.md": "theirs" } }, { method: "PUT" });
  const { sha } = (await asker.get(`${R}/contents/README.md`)).body;
  const late = await asker.put(`${R}/contents/README.md`, { ...FILE, sha });
  assert.deepEqual(cut(late), [409, `README.md does not match ${sha}`]);

  const next = await asker.head(REPO);
  const again = await asker.made(`${R}/git/commits`, { message: "Again", tree, parents: [next] });
  host.inject({ kind: "moved", when: "within", branch: "main" }, { method: "PATCH" });
  assert.deepEqual(cut(await asker.patch(`${R}/git/refs/heads/main`, { sha: again })), [
    422,
    "Update is not a fast forward",
  ]);
  assertDescribed(host.requests);
});

Deno.test("a listing is cut short and says so, while each folder alone is whole", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: { "a/1": "", "a/2": "", "b/1": "", "b/2": "" } });
  const asker = await asInstallation(host, REPO);
  host.inject({ kind: "truncated", keep: 2 }, { path: "/git/trees/" });
  const cutShort = (await asker.get(`${R}/git/trees/main?recursive=1`)).body;
  assert.deepEqual([(cutShort["tree"] as Json[]).map(({ path }) => path), cutShort["truncated"]], [[
    "a",
    "a/1",
  ], true]);
  const [, b] = (await asker.get(`${R}/git/trees/main`)).body["tree"] as Json[];
  const folder = (await asker.get(`${R}/git/trees/${b!["sha"]}`)).body;
  assert.deepEqual([(folder["tree"] as Json[]).map(({ path }) => path), folder["truncated"]], [
    ["1", "2"],
    false,
  ]);
  assertDescribed(host.requests);
});

Deno.test("it leaves nothing behind", async () => {
  await using place = await folder();
  const host = await startGitHub({ folder: place.path });
  await host.make(REPO);
  assert.ok((await host.path(REPO)).startsWith(place.path));
  await host.stop();
  assert.deepEqual(await Array.fromAsync(Deno.readDir(place.path)), []);
});

Deno.test("what it is told to do with a repository it has not is refused", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  await assert.rejects(host.path("acme/nope"), /no repository acme\/nope/);
  await assert.rejects(host.make(REPO), /already/);
  await assert.rejects(host.git(REPO, "nonsense"), /git nonsense failed/);
  host.inject({ kind: "hang" });
  host.clear();
  assert.equal((await asApp(host).get("/app")).status, 200);
  assert.equal(host.requests.length, 1);
});

Deno.test("with a limit of calls an hour, one more is refused until the hour is over, for that installation", async () => {
  await using host = await startGitHub({
    now: () => 1_800_000_000_000,
    limits: { rate: { requests: 3, window_ms: 3_600_000 } },
  });
  await host.make(REPO);
  await host.make("other/site");
  const asker = await asInstallation(host, REPO);
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) statuses.push((await asker.put(`${R}/contents/${n}`, FILE)).status);
  assert.deepEqual(statuses, [201, 201, 201, 403]);
  const refused = await asker.get(R);
  assert.equal(refused.body["message"], "API rate limit exceeded for installation.");
  assert.deepEqual(
    ["limit", "remaining", "reset"].map((name) => refused.headers.get(`x-ratelimit-${name}`)),
    ["3", "0", "1800003600"],
  );
  const other = await asInstallation(host, "other/site");
  assert.equal((await other.get("/repos/other/site")).headers.get("x-ratelimit-remaining"), "2");
  host.clock.advance(3600);
  assert.equal((await (await asInstallation(host, REPO)).get(R)).status, 200);
  assertDescribed(host.requests);
});

Deno.test("with the limit of writes, one more in a minute or an hour is refused and nothing is carried out", async () => {
  assert.deepEqual(PUBLISHED, { a_minute: 80, an_hour: 500 });
  await using host = await startGitHub({
    now: () => 1_800_000_000_000,
    content: { a_minute: 2, an_hour: 3 },
  });
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const blob = async () => {
    const { status, headers } = await asker.post(`${R}/git/blobs`, { content: "x", encoding: "utf-8" });
    return [status, headers.get("retry-after")];
  };
  assert.deepEqual(await blob(), [201, null]);
  assert.deepEqual(await blob(), [201, null]);
  const refused = await asker.put(`${R}/contents/x`, FILE);
  assert.equal(refused.status, 403);
  assert.match(String(refused.body["message"]), /secondary rate limit/);
  assert.equal(refused.headers.get("retry-after"), "60");
  assert.equal((await asker.get(R)).status, 200, "reading goes on");
  host.clock.advance(60);
  assert.deepEqual(await blob(), [201, null]);
  assert.deepEqual(await blob(), [403, "3540"]);
  assert.deepEqual(Object.keys(await host.files(REPO)), ["README.md"]);
  assertDescribed(host.requests);
});
