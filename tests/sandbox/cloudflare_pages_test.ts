/** The hosting stand-in: deployments as Cloudflare Pages lists them, by a clock, out of commits, and its refusals. */
import assert from "node:assert/strict";
import {
  API_RATE,
  DONE_AFTER_S,
  type PagesStandIn,
  startPages,
} from "../../sandbox/cloudflare_pages/start.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import type { Json } from "./asker.ts";
import { asInstallation, coded } from "./github_asker.ts";

const NOON = Date.UTC(2026, 4, 4, 12);

interface Envelope {
  readonly success: boolean;
  readonly errors: readonly { readonly code: number; readonly message: string }[];
  readonly messages: readonly unknown[];
  readonly result: (Json & Json[]) | null;
  readonly result_info?: Json;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope;
}

async function ask(
  hosting: PagesStandIn,
  path: string,
  token = `Bearer ${hosting.api_token}`,
): Promise<Answer> {
  const url = `${hosting.base_url}/accounts/${hosting.account_id}/pages/projects/${path}`;
  const response = await fetch(url, { headers: token === "" ? {} : { authorization: token } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Status and code of a refusal. */
function cut({ status, body }: Answer): unknown[] {
  assert.deepEqual([body.success, body.result, body.errors.length], [false, null, 1]);
  return [status, body.errors[0]!.code];
}

const stage = (row: Json) => {
  const { name, status } = row["latest_stage"] as Json;
  return [name, status];
};

Deno.test("deployments are listed newest first, in pages of 25 at most, by environment", async () => {
  await using hosting = await startPages({ now: () => NOON });
  hosting.project("site", { production_branch: "trunk" });
  for (let n = 0; n < 30; n++) {
    hosting.deploy("site", { branch: n % 10 === 0 ? "trunk" : `side/${n}`, message: `${n}` });
    hosting.clock.advance(1);
  }
  const first = await ask(hosting, "site/deployments?per_page=25&page=1");
  assert.deepEqual([first.status, first.body.success, first.body.errors, first.body.messages], [
    200,
    true,
    [],
    [],
  ]);
  assert.deepEqual(first.body.result_info, {
    page: 1,
    per_page: 25,
    count: 25,
    total_count: 30,
    total_pages: 2,
  });
  const messages = (rows: Envelope["result"]) =>
    rows!.map((row) => ((row["deployment_trigger"] as Json)["metadata"] as Json)["commit_message"]);
  assert.deepEqual(messages(first.body.result).slice(0, 2), ["29", "28"]);
  const second = await ask(hosting, "site/deployments?page=2");
  assert.deepEqual(messages(second.body.result), ["4", "3", "2", "1", "0"]);
  const live = await ask(hosting, "site/deployments?env=production");
  assert.deepEqual(messages(live.body.result), ["20", "10", "0"]);
  for (const query of ["per_page=26", "per_page=0", "page=0", "page=x"]) {
    assert.deepEqual(cut(await ask(hosting, `site/deployments?${query}`)), [400, 8000024], query);
  }
});

Deno.test("a deployment is shown with its addresses, its trigger, and variables that are nobody's business", async () => {
  await using hosting = await startPages({ now: () => NOON });
  hosting.project("site", { repo: "acme/site" });
  const commit = "abc1".repeat(10);
  const { id } = hosting.deploy("site", {
    branch: "mcp/Tok_7-abcdefghijk/1777888999",
    commit,
    message: "Hello",
  });
  const { body } = await ask(hosting, `site/deployments/${id}`);
  const row = body.result!;
  assert.equal(row["url"], `https://${id.slice(0, 8)}.site.pages.dev`);
  assert.deepEqual(row["aliases"], ["https://mcp-tok-7-abcdefghijk-177788.site.pages.dev"]);
  assert.deepEqual([row["environment"], row["project_name"], row["is_skipped"]], ["preview", "site", false]);
  assert.deepEqual((row["deployment_trigger"] as Json)["metadata"], {
    branch: "mcp/Tok_7-abcdefghijk/1777888999",
    commit_hash: commit,
    commit_message: "Hello",
    commit_dirty: false,
  });
  assert.deepEqual((row["env_vars"] as Json)["API_SECRET"], { type: "secret_text", value: hosting.secret });
  hosting.deploy("site");
  const [live] = (await ask(hosting, "site/deployments")).body.result!;
  assert.deepEqual([live!["environment"], live!["aliases"]], ["production", null]);
});

Deno.test("stages advance by the clock", async () => {
  await using hosting = await startPages({ now: () => NOON });
  hosting.project("site");
  const { id } = hosting.deploy("site");
  const seen: unknown[] = [];
  const look = async () => (await ask(hosting, `site/deployments/${id}`)).body.result!;
  for (const seconds of [0, 3, 2, 3, 4, 30]) {
    hosting.clock.advance(seconds);
    seen.push(stage(await look()));
  }
  assert.deepEqual(seen, [
    ["queued", "active"],
    ["initialize", "idle"],
    ["initialize", "active"],
    ["clone_repo", "active"],
    ["build", "active"],
    ["deploy", "active"],
  ]);
  hosting.clock.advance(DONE_AFTER_S);
  const done = await look();
  assert.deepEqual(stage(done), ["deploy", "success"]);
  assert.deepEqual([done["created_on"], done["modified_on"]], [
    "2026-05-04T12:00:00.000Z",
    "2026-05-04T12:00:45.000Z",
  ]);
  assert.deepEqual((done["stages"] as Json[]).map(({ status }) => status), Array(5).fill("success"));
  const { result } = (await ask(hosting, `site/deployments/${id}/history/logs`)).body;
  assert.deepEqual([result!["total"], result!["includes_container_logs"]], [5, true]);
});

Deno.test("a deployment fails, is canceled, or is skipped", async () => {
  await using hosting = await startPages({ now: () => NOON });
  hosting.project("site");
  hosting.deploy("site", { outcome: { kind: "failure", stage: "build" } });
  hosting.deploy("site", { outcome: { kind: "canceled", stage: "queued" } });
  hosting.deploy("site", { message: "[CI Skip] words only" });
  hosting.clock.advance(DONE_AFTER_S);
  const rows = (await ask(hosting, "site/deployments")).body.result!;
  assert.deepEqual(rows.map(stage), [["queued", "skipped"], ["queued", "canceled"], ["build", "failure"]]);
  assert.deepEqual(rows.map((row) => row["is_skipped"]), [true, false, false]);
  assert.equal(rows[0]!["skip_reason"], "The commit message asks for no build.");
  const statuses = (rows[2]!["stages"] as Json[]).map(({ status }) => status);
  assert.deepEqual(statuses, ["success", "success", "success", "failure", "idle"]);
});

Deno.test("a commit on any branch of a linked repository is deployed, after a while where wanted", async () => {
  await using host = await startGitHub({ now: () => NOON });
  await using hosting = await startPages({ host, registers_after: 5 });
  await host.make("acme/site");
  await host.make("acme/other");
  hosting.project("site", { repo: "acme/site" });
  hosting.next("site", { kind: "failure", stage: "deploy" });
  const asker = await asInstallation(host, "acme/site");
  const put = await asker.put("/repos/acme/site/contents/a.md", {
    message: "Through the API",
    content: coded("a"),
  });
  const made = (put.body["commit"] as Json)["sha"];
  const theirs = await host.commit("acme/site", { branch: "side", files: { b: "b" }, message: "By hand" });
  await host.commit("acme/other", { files: { c: "c" } });
  assert.deepEqual((await ask(hosting, "site/deployments")).body.result, []);
  hosting.clock.advance(5 + DONE_AFTER_S);
  const rows = (await ask(hosting, "site/deployments")).body.result!;
  const metadata = rows.map((row) => (row["deployment_trigger"] as Json)["metadata"] as Json);
  assert.deepEqual(metadata.map((one) => [one["branch"], one["commit_hash"]]), [["side", theirs], [
    "main",
    made,
  ]]);
  assert.deepEqual(rows.map((row) => [row["environment"], ...stage(row)]), [
    ["preview", "deploy", "success"],
    ["production", "deploy", "failure"],
  ]);
  await hosting.stop();
  await host.commit("acme/site", { files: { d: "d" } });
  assert.equal(hosting.deployments("site").length, 2);
});

Deno.test("unknown things and wrong credentials are refused with the API's codes", async () => {
  await using hosting = await startPages();
  hosting.project("site");
  assert.deepEqual(cut(await ask(hosting, "nope/deployments")), [404, 8000007]);
  assert.deepEqual(cut(await ask(hosting, "site/deployments/none")), [404, 8000009]);
  assert.deepEqual(cut(await ask(hosting, "site/nothing")), [404, 7003]);
  assert.deepEqual(cut(await ask(hosting, "site/deployments", "Bearer wrong")), [403, 10000]);
  assert.deepEqual(cut(await ask(hosting, "site/deployments", "")), [403, 10000]);
  for (const token of ["Basic abc", "Bearer two words", hosting.api_token]) {
    assert.deepEqual(cut(await ask(hosting, "site/deployments", token)), [400, 6003], token);
  }
  const other = await fetch(`${hosting.base_url}/accounts/other/pages/projects/site/deployments`, {
    headers: { authorization: `Bearer ${hosting.api_token}` },
  });
  assert.equal(other.status, 403);
  await other.body?.cancel();
  assert.throws(() => hosting.deploy("nope"), /no project nope/);
});

Deno.test("it is refused and busy on order, in the envelope", async () => {
  await using hosting = await startPages();
  hosting.project("site");
  const get = () => ask(hosting, "site/deployments");
  hosting.inject({ kind: "refused" });
  assert.deepEqual(cut(await get()), [403, 10000]);
  hosting.inject({ kind: "refused", status: 500, code: 8000000, message: "An unknown error occurred" });
  assert.deepEqual(cut(await get()), [500, 8000000]);
  hosting.inject({ kind: "busy", retry_after: 4 });
  const busy = await get();
  assert.deepEqual([...cut(busy), busy.headers.get("retry-after")], [429, 971, "4"]);
  hosting.inject({ kind: "result", result: [{ id: 7 }] });
  assert.deepEqual((await get()).body.result, [{ id: 7 }]);
  assert.equal(hosting.requests[0]!.headers["authorization"], `Bearer ${hosting.api_token}`);
});

Deno.test("the vendor's limit of requests in five minutes is refused in the envelope, with when to come again", async () => {
  let now = NOON;
  assert.deepEqual(API_RATE, { requests: 1200, window_ms: 300_000 });
  await using hosting = await startPages({ now: () => now, limits: { rate: { ...API_RATE, requests: 2 } } });
  hosting.project("site");
  const get = () => ask(hosting, "site/deployments");
  assert.deepEqual([(await get()).status, (await get()).status], [200, 200]);
  now += 100_000;
  const refused = await get();
  assert.deepEqual([cut(refused), refused.headers.get("retry-after")], [[429, 971], "200"]);
  now += 200_000;
  assert.equal((await get()).status, 200);
});
