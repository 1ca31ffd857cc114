/** The site builder's stand-in: what its clients rely on, and the traps they meet. */
import assert from "node:assert/strict";
import { API_RATE, type DudaStandIn, startDuda } from "../../sandbox/duda/start.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");

async function ask(at: DudaStandIn, method: string, path: string, json?: unknown, headers?: HeadersInit) {
  const basic = `Basic ${btoa(`${at.api_user}:${at.api_password}`)}`;
  const response = await fetch(`${at.base_url}/sites/multiscreen/1a2b${path}`, {
    method,
    headers: headers ?? { authorization: basic, "content-type": "application/json" },
    ...json === undefined ? {} : { body: JSON.stringify(json) },
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

function open(): DudaStandIn {
  const at = startDuda({ now: () => NOON });
  at.site("1a2b");
  return at;
}

Deno.test("it wants Basic, and knows no other site, page or post", async () => {
  await using at = open();
  assert.equal((await ask(at, "GET", "", undefined, {})).status, 401);
  assert.equal((await ask(at, "GET", "")).body.site_name, "1a2b");
  for (const path of ["/pages/nobody", "/blog/posts/nobody"]) {
    const { status, body } = await ask(at, "GET", path);
    assert.deepEqual([status, body.error_code], [400, "ResourceNotExist"]);
  }
  const other = await ask(at, "GET", "x");
  assert.deepEqual([other.status, other.body.error_code], [400, "ResourceNotExist"]);
});

Deno.test("a page without a draft status goes live with the site; a live one tells none", async () => {
  await using at = open();
  const { status, body } = await ask(at, "POST", "/pages", { page: { title: "A", path: "a" } });
  assert.deepEqual([status, body.draft_status], [201, "STAGED_DRAFT"]);
  const { results } = (await ask(at, "GET", "/pages")).body;
  assert.deepEqual(results.map((page: { draft_status?: string }) => page.draft_status), [
    undefined,
    "STAGED_DRAFT",
  ]);
});

Deno.test("a write answers the record, or nothing", async () => {
  await using at = open();
  const page = at.page(at.state.sites.get("1a2b")!, { title: "A" });
  const put = () => ask(at, "PUT", `/pages/${page.uuid}`, { draft_status: "DRAFT" });
  assert.equal((await put()).body.uuid, page.uuid);
  at.state.switches.answers = "nothing";
  assert.deepEqual(await put(), { status: 204, body: null });
  at.state.switches.publishes_pages = false;
  const refused = await ask(at, "PUT", `/pages/${page.uuid}`, { draft_status: "PUBLISHED" });
  assert.deepEqual([refused.status, refused.body.error_code, page.draft_status], [
    400,
    "InvalidInput",
    "DRAFT",
  ]);
});

Deno.test("an import wants Base64 and a description, and shows no text afterwards", async () => {
  await using at = open();
  const post = { title: "A", description: "B", content: btoa("<p>x</p>") };
  const wrong = [
    { ...post, content: "<p>x</p>" },
    { title: "A", content: post.content },
    { ...post, status: "PUBLISHED" },
  ];
  for (const one of wrong) {
    const { status, body } = await ask(at, "POST", "/blog/posts/import", one);
    assert.deepEqual([status, body.error_code], [400, "InvalidInput"]);
  }
  const { id } = (await ask(at, "POST", "/blog/posts/import", post)).body;
  const { body } = await ask(at, "GET", `/blog/posts/${id}`);
  assert.deepEqual([body.status, body.creation_date, "content" in body], [
    "DRAFT",
    "2026-11-21T12:00:00",
    false,
  ]);
});

Deno.test("a scheduled post goes live by the clock; a list has pages", async () => {
  let now = NOON;
  await using at = startDuda({ now: () => now });
  const site = at.site("1a2b");
  const post = at.post(site, { title: "A" });
  for (let n = 0; n < 4; n++) at.post(site, { title: `More ${n}` });
  const date = "2026-11-21T12:05:00";
  const set = await ask(at, "PATCH", `/blog/posts/${post.id}`, { schedule_publish_date: date });
  assert.equal(set.body.schedule_publish_date, date);
  now += 300_000;
  assert.equal((await ask(at, "GET", `/blog/posts/${post.id}`)).body.status, "PUBLISHED");
  const { body } = await ask(at, "GET", "/blog/posts?limit=2&offset=4");
  assert.deepEqual([body.results.length, body.total_responses], [1, 5]);
});

Deno.test("one request too many in a second is refused with 429", async () => {
  await using at = startDuda({ now: () => NOON, limits: { rate: API_RATE } });
  at.site("1a2b");
  for (let n = 0; n < API_RATE.requests; n++) assert.equal((await ask(at, "GET", "")).status, 200);
  const { status, body } = await ask(at, "GET", "");
  assert.deepEqual([status, body.error_code], [429, "TooManyRequests"]);
});
