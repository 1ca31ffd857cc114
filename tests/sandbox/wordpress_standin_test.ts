/** The stand-in's own powers: it records, misbehaves on order, and lives by the clock it is given. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { Asker, cut } from "./asker.ts";

const NOON = Date.UTC(2026, 10, 21, 12);

function at(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

Deno.test("every request is recorded, and writes are told apart however they were smuggled in", async () => {
  await using site = await startWordPressStandIn({ now: () => NOON });
  const asker = new Asker(site);
  const id = await asker.draft("ed");
  await asker.rest("auth", "GET", "/posts?status[]=draft&per_page=5");
  await asker.rest(null, "GET", `/posts/${id}?_method=DELETE`);
  assert.deepEqual(site.requests.map((row) => [row.method, row.path, row.login]), [
    ["POST", "/wp/v2/posts", "ed"],
    ["GET", "/wp/v2/posts", "auth"],
    ["GET", `/wp/v2/posts/${id}`, null],
  ]);
  assert.deepEqual(site.requests[0]!.body, { title: "A draft", status: "draft" });
  assert.equal(site.requests[0]!.at, NOON);
  assert.deepEqual(site.requests[1]!.query, { status: ["draft"], per_page: "5" });
  assert.equal(site.requests[1]!.target, "/wp-json/wp/v2/posts?status[]=draft&per_page=5");
  assert.equal(site.requests[1]!.body, null);
  assert.deepEqual(site.writes.map((row) => row.effective_method), ["POST", "DELETE"]);
  site.clear();
  assert.deepEqual(site.requests, []);
  assert.equal(site.posts.get(id)?.title, "A draft");
});

Deno.test("the injected clock decides what is future, is told in Date, and cron publishes what it makes due", async () => {
  let now = NOON;
  await using site = await startWordPressStandIn({ now: () => now });
  const asker = new Asker(site);
  const id = await asker.draft("ed");
  const path = `/posts/${id}`;
  const late = await asker.rest("ed", "POST", path, { status: "future", date_gmt: at(NOON + 59_000) });
  assert.equal(late.body["status"], "publish");
  assert.equal(late.headers.get("date"), new Date(NOON).toUTCString());
  const next = await asker.rest("ed", "POST", path, { status: "future", date_gmt: at(NOON + 60_000) });
  assert.equal(next.body["status"], "future");
  await site.runCron();
  assert.equal(site.posts.get(id)?.status, "future");
  now += 60_000;
  await site.runCron();
  assert.equal(site.posts.get(id)?.status, "publish");
});

Deno.test("a skewed clock shows in Date and changes what is published", async () => {
  await using site = await startWordPressStandIn({ now: () => NOON });
  const asker = new Asker(site);
  const id = await asker.draft("ed");
  site.inject({ kind: "skew", seconds: 600 }, { method: "GET" });
  const read = await asker.rest("ed", "GET", `/posts/${id}`);
  assert.equal(read.headers.get("date"), new Date(NOON + 600_000).toUTCString());
  site.skew(600);
  const body = { status: "future", date_gmt: at(NOON + 300_000) };
  assert.equal((await asker.rest("ed", "POST", `/posts/${id}`, body)).body["status"], "publish");
});

Deno.test("faults of every stand-in are told in the words of this one", async () => {
  await using site = await startWordPressStandIn({ now: () => NOON });
  const asker = new Asker(site);
  site.inject({ kind: "html" });
  const html = await fetch(`${site.base_url}/wp-json/`);
  assert.deepEqual([html.status, html.headers.get("content-type")], [500, "text/html; charset=UTF-8"]);
  assert.match(await html.text(), /critical error/);
  site.inject({ kind: "busy", status: 429, retry_after: 7 });
  const busy = await asker.rest("ed", "GET", "/posts");
  assert.deepEqual([...cut(busy), busy.headers.get("retry-after")], [429, "busy", "7"]);
  site.inject({ kind: "unauthorized" });
  assert.deepEqual(cut(await asker.rest("ed", "GET", "/users/me")), [401, "incorrect_password"]);
});

Deno.test("somebody publishes a post right after it was read", async () => {
  await using site = await startWordPressStandIn();
  const asker = new Asker(site);
  const id = await asker.draft("ed");
  site.inject({ kind: "publish", post_id: id }, { method: "GET", path: `/posts/${id}` });
  const path = `/posts/${id}?context=edit`;
  assert.deepEqual(cut(await asker.rest("ed", "GET", path), "status"), [200, "draft"]);
  assert.deepEqual(cut(await asker.rest("ed", "GET", path), "status"), [200, "publish"]);
  assert.throws(() => site.publish(9999), /no post 9999/);
});

Deno.test("plugins and namespaces are what the options say, and further routes can be added", async () => {
  const row = { plugin: "seo/seo", status: "active", name: "SEO", version: "1.0" } as const;
  await using site = await startWordPressStandIn({ plugins: [row], namespaces: ["rankmath/v1"] });
  site.app.get("/rankmath/v1/ping", (c) => c.json({ pong: true }));
  const asker = new Asker(site);
  const rows = (await asker.rest("admin", "GET", "/plugins")).body;
  assert.deepEqual(rows[0]?.["plugin"], "seo/seo");
  const index = (await asker.send(null, "GET", "/wp-json/")).body;
  assert.ok((index["namespaces"] as string[]).includes("rankmath/v1"));
  assert.deepEqual((await asker.send(null, "GET", "/wp-json/rankmath/v1/ping")).body, { pong: true });
});
