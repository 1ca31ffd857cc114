/** The stand-in for Google's services is strict: what the contract does not have is noted, tokens end, quotas run out. */
import assert from "node:assert/strict";
import { type GoogleStandIn, SEEDED, startGoogle } from "../../sandbox/google/start.ts";

const TOKEN = "token";
const DAYS = { startDate: "2026-11-01", endDate: "2026-11-02" };
const REPORT = `/analytics/v1beta/properties/${SEEDED.property}:runReport`;
const QUERY = `/search/v3/sites/${encodeURIComponent(SEEDED.search_site)}/searchAnalytics/query`;
const STREAM = `/ads/v26/customers/${SEEDED.customer}/googleAds:searchStream`;
const VALUES = `/sheets/v4/spreadsheets/${SEEDED.spreadsheet}/values/Plan`;

async function ask(
  at: GoogleStandIn,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(at.base_url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

Deno.test("a field, a query, a header, a version or a route that the contract does not have is noted", async () => {
  await using at = startGoogle({ now: () => Date.parse("2026-11-21T12:00:00Z") });
  at.grant(TOKEN);
  const metrics = [{ name: "sessions" }];
  const good: [string, unknown?][] = [
    [REPORT, { dateRanges: [DAYS], metrics }],
    [QUERY, { ...DAYS, dimensions: ["query"] }],
    [STREAM, { query: "SELECT campaign.name FROM campaign" }],
    [VALUES],
  ];
  for (const [path, body] of good) assert.equal((await ask(at, path, body)).status, 200, path);
  assert.deepEqual(at.violations, []);
  const bad: [string, unknown?, Record<string, string>?][] = [
    [REPORT, { dateRange: [DAYS], metrics }],
    [REPORT, { dateRanges: [{ ...DAYS, start: 1 }], metrics }],
    [REPORT, { dateRanges: [DAYS], metrics, limit: 10 }],
    [`${REPORT}?alt=json`, { dateRanges: [DAYS], metrics }],
    [QUERY, { ...DAYS, dimension: ["query"] }],
    [QUERY, { ...DAYS, dimensions: ["QUERY"] }],
    [QUERY, {
      ...DAYS,
      dimensionFilterGroups: [{ filters: [{ dimension: "query", operator: "like", expression: "a" }] }],
    }],
    [STREAM, { query: "SELECT campaign.name FROM campaign", pageSize: 10 }],
    [STREAM, { query: "SELECT campaign.name FROM campaign" }, { "login-customer-id": "123-456-7890" }],
    [STREAM.replace("v26", "v22"), { query: "SELECT campaign.name FROM campaign" }],
    [VALUES, undefined, { "x-goog-user-project": "p" }],
    [`${VALUES}?majorDimensions=ROWS`],
    ["/drive/v3/files?q=trashed%20%3D%20false"],
    ["/drive/v3/files/abc?supportsAllDrives=true&fields=id,nme"],
    ["/drive/v3/changes"],
  ];
  for (const [at_, [path, body, headers]] of bad.entries()) {
    const { status } = await ask(at, path, body, headers);
    assert.ok(status >= 400, path);
    // Of a file that is not there its absence comes first.
    if (path.includes("/files/abc")) continue;
    assert.ok(at.violations.length > 0, `${at_}: ${path} is noted`);
    (at.violations as string[]).length = 0;
  }
});

Deno.test("a token is for its scopes and ends; a quota runs out in Google's words", async () => {
  let now = Date.parse("2026-11-21T12:00:00Z");
  await using at = startGoogle({ now: () => now, limits: { rate: { requests: 3, window_ms: 60_000 } } });
  at.grant(TOKEN, { scopes: ["https://www.googleapis.com/auth/adwords"] }, 60);
  const { status, json } = await ask(at, VALUES);
  assert.equal(status, 403);
  assert.match(JSON.stringify(json), /ACCESS_TOKEN_SCOPE_INSUFFICIENT/);
  const query = { query: "SELECT campaign.name FROM campaign" };
  assert.equal((await ask(at, STREAM, query)).status, 200);
  now += 60_000;
  const ended = await ask(at, STREAM, query);
  assert.equal(ended.status, 401);
  assert.ok(Array.isArray(ended.json), "a stream's refusal stands in a list");
  at.grant(TOKEN);
  const statuses: number[] = [];
  for (let time = 0; time < 4; time++) statuses.push((await ask(at, VALUES)).status);
  assert.ok(statuses.includes(429), String(statuses));
});

Deno.test("an account sees only what it may read", async () => {
  await using at = startGoogle({ now: () => Date.parse("2026-11-21T12:00:00Z") });
  at.grant(TOKEN, { account: "stranger@example.com" });
  const metrics = [{ name: "sessions" }];
  for (
    const [path, body] of [
      [REPORT, { dateRanges: [DAYS], metrics }],
      [QUERY, DAYS],
      [STREAM, { query: "SELECT campaign.name FROM campaign" }],
      [VALUES, undefined],
    ] as const
  ) assert.equal((await ask(at, path, body)).status, 403, path);
  const { id } = at.folder();
  const gone = await ask(at, `/drive/v3/files/${id}?supportsAllDrives=true&fields=id`);
  assert.equal(gone.status, 404);
  assert.deepEqual(at.violations, []);
});
