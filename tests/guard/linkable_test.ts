/** What a site could be linked to, over a whole gateway: listed to the end, each kind by itself, for nobody's token. */
import assert from "node:assert/strict";
import { runCommand } from "../../admin/commands.ts";
import type { LinkableList, LinkableReport } from "../../registry/linkable_report.ts";
import { FOREIGN, OWN } from "../../sandbox/meta_ads/start.ts";
import { ACCOUNT, SEEDED } from "../../sandbox/google/start.ts";
import { CONNECTORS } from "../connectors.ts";
import { type Kit, MASTER } from "../kit.ts";
import { GoogleWorld, test } from "../tools/_google.ts";
import { graph, test as metaTest } from "../tools/_meta.ts";

const ANALYTICS_SCOPE = "https://www.googleapis.com/auth/analytics.readonly";

async function asked(gw: Kit, id: string, token = MASTER) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await gw.http(`/admin/api/sites/${id}/linkable`, { headers });
  return { status: response.status, ...await response.json() };
}

async function kinds(gw: Kit, id: string): Promise<Readonly<Record<string, LinkableList>>> {
  const { ok, result, error } = await asked(gw, id) as {
    ok: boolean;
    result: LinkableReport;
    error: unknown;
  };
  assert.ok(ok, JSON.stringify(error));
  assert.doesNotMatch(JSON.stringify(result), /ya29|EAAB|-of-the-operator/);
  return Object.fromEntries(result.kinds.map((one) => [one.kind, one]));
}
const ids = (list: LinkableList | undefined) => list!.entries.map(({ id }) => id);
/** What left the gateway, but for renewals of tokens. */
const paths = ({ google }: GoogleWorld) =>
  google.requests.map(({ method, path }) => `${method} ${path}`).sort();

const LISTS = [
  "GET /ads/v26/customers:listAccessibleCustomers",
  "GET /analyticsadmin/v1beta/accountSummaries",
  "GET /search/v3/sites",
  `POST /ads/v26/customers/${SEEDED.customer}/googleAds:searchStream`,
  `POST /ads/v26/customers/${SEEDED.manager}/googleAds:searchStream`,
  `POST /ads/v26/customers/${SEEDED.manager}/googleAds:searchStream`,
];

/** Another client of the same account: a property in an account of its own, an address that is not verified. */
function grow({ google: { state } }: GoogleWorld): void {
  const readers = () => new Set([ACCOUNT]);
  const shop = { visits: [], currency: "EUR", timeZone: "Europe/Vienna" };
  const { world } = state;
  world.properties.set("777", { ...shop, readers: readers(), parent: "9", parentName: "Shop", name: "Shop" });
  world.properties.set("778", {
    ...shop,
    readers: readers(),
    parent: "9",
    name: "All shops",
    type: "PROPERTY_TYPE_ROLLUP",
  });
  world.properties.set("999", { ...shop, readers: new Set(["stranger@other.example"]) });
  const open = { searches: [], readers: readers() };
  world.searchSites.set("https://shop.example/it's/", { ...open, level: "siteRestrictedUser" });
  world.searchSites.set("https://not-yet.example/", { ...open, level: "siteUnverifiedUser" });
  state.accountsPerPage = 1;
}

test("everything that the account reaches is listed to the end, with what is linked now", async (at) => {
  grow(at);
  const { analytics, search, ads, social_ads, behavior } = await kinds(at.gw, "linked");
  assert.deepEqual(
    analytics!.entries.map(({ id, name, within, note, linked }) => [id, name, within, note, linked]),
    [
      [SEEDED.property, "Client – web", "Client", null, true],
      ["777", "Shop", "Shop", null, false],
      ["778", "All shops", "Shop", "a roll-up property: the figures of several properties", false],
    ],
  );
  assert.deepEqual([analytics!.field, analytics!.linked_to, analytics!.complete], [
    "analytics_property_id",
    `properties/${SEEDED.property}`,
    true,
  ]);
  assert.deepEqual(search!.entries.map(({ id, note, linked }) => [id, note, linked]), [
    [SEEDED.search_site, null, true],
    ["https://shop.example/it's/", null, false],
    [
      "https://not-yet.example/",
      "the account is not verified for it, so Google shows it no figures",
      false,
    ],
  ]);
  assert.match(search!.entries[1]!.command, / --search-site-url 'https:\/\/shop\.example\/it'\\''s\/'$/);
  assert.deepEqual(ads!.entries.map(({ id, name, within, linked }) => [id, name, within, linked]), [
    [SEEDED.customer, "Client", null, true],
    [SEEDED.manager, "Agency", null, false],
    [SEEDED.managed, "Client by the agency", "Agency", false],
  ]);
  assert.match(ads!.entries[1]!.note!, /^a manager account, which has no ads of its own/);
  assert.deepEqual(ads!.entries[2]!.set, {
    ads_customer_id: SEEDED.managed,
    ads_login_customer_id: SEEDED.manager,
  });
  assert.equal(
    ads!.entries[2]!.command,
    `deno task admin site update linked --ads-customer-id ${SEEDED.managed} --ads-login-customer-id ${SEEDED.manager}`,
  );
  assert.match(social_ads!.problem!.message, /social_ads_user_id is not set/);
  assert.match(behavior!.problem!.message, /^A Clarity token belongs to one project and names none/);
  assert.deepEqual(paths(at), [...LISTS, "GET /analyticsadmin/v1beta/accountSummaries"].sort());
  assert.deepEqual(at.google.writes, []);
  const row = (await at.rows(1))[0]!;
  assert.deepEqual([row.door, row.tool, row.site_id, row.status], [
    "admin",
    "site.linkable",
    "linked",
    "ok",
  ]);
  assert.deepEqual((row.arguments as { shown: object }).shown, {
    behavior: 0,
    analytics: 3,
    search: 3,
    ads: 3,
    social_ads: 0,
  });
});

test("what an entry says is taken as it is: the site is linked with it and works", async (at) => {
  const [, , managed] = (await kinds(at.gw, "bound"))["ads"]!.entries;
  const response = await at.gw.http("/admin/api/sites/bound", {
    method: "PATCH",
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    body: JSON.stringify(managed!.set),
  });
  assert.equal(response.status, 200);
  const query = "SELECT customer.id FROM customer LIMIT 1";
  await at.gw.call("get_ads_report", { site_id: "bound", query });
  const { ads } = await kinds(at.gw, "bound");
  assert.deepEqual(ads!.entries.map(({ linked }) => linked), [false, false, true]);
  assert.match(ads!.entries[0]!.command, / --ads-customer-id 1234567890 --unset ads-login-customer-id$/);
});

test("a site that is bound to nobody sends nothing, and each kind says what to do", async (at) => {
  for (const id of ["bare", "alone"]) {
    const found = await kinds(at.gw, id);
    for (const kind of ["analytics", "search", "ads"]) {
      assert.deepEqual(ids(found[kind]), []);
      assert.equal(found[kind]!.problem!.code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
      assert.match(
        found[kind]!.problem!.message,
        /account_user_id is not set; .* --account-user-id <user id>/,
      );
    }
  }
  assert.deepEqual(at.gw.requests, []);
});

Deno.test("a scope that was left out closes its own kind only, and nothing is sent for it", async () => {
  await using at = await GoogleWorld.open({}, {}, [ANALYTICS_SCOPE]);
  const { analytics, search, ads } = await kinds(at.gw, "linked");
  assert.deepEqual(ids(analytics), [SEEDED.property]);
  for (const one of [search, ads]) {
    assert.match(
      one!.problem!.message,
      /without the permission for it; its operator makes the link to reconnect/,
    );
  }
  assert.deepEqual(paths(at), ["GET /analyticsadmin/v1beta/accountSummaries"]);
});

Deno.test("without a developer token the customers are not asked for, and the rest is listed", async () => {
  await using at = await GoogleWorld.open({}, { ADS_DEVELOPER_TOKEN: null });
  const { analytics, search, ads } = await kinds(at.gw, "linked");
  assert.deepEqual([ids(analytics), ids(search)], [[SEEDED.property], [SEEDED.search_site]]);
  assert.equal(ads!.problem!.code, "E_MISSING_SECRET");
  assert.match(ads!.problem!.message, /ADS_DEVELOPER_TOKEN is not set; the gateway's operator sets it/);
  assert.deepEqual(paths(at), LISTS.slice(1, 3));
});

test("a refusal of the vendor is said by its kind, and a customer that was closed keeps its id", async (at) => {
  at.google.inject({
    kind: "refused",
    status: 403,
    word: "PERMISSION_DENIED",
    message: "Google Analytics Admin API has not been used in project 1 before or it is disabled.",
    details: [{ reason: "SERVICE_DISABLED" }],
  }, { path: "/analyticsadmin/v1beta/accountSummaries" });
  at.google.inject({
    kind: "refused",
    status: 403,
    word: "PERMISSION_DENIED",
    message: "The caller does not have permission",
    details: [{
      errors: [{ errorCode: { authorizationError: "CUSTOMER_NOT_ENABLED" }, message: "Not enabled." }],
    }],
    wrapped: true,
  }, { path: `/ads/v26/customers/${SEEDED.customer}/googleAds:searchStream` });
  const { analytics, search, ads } = await kinds(at.gw, "linked");
  assert.match(
    analytics!.problem!.message,
    /the gateway's operator enables this API in the Google Cloud project/,
  );
  assert.deepEqual([ids(search), search!.problem], [[SEEDED.search_site], null]);
  assert.deepEqual([ids(ads), ads!.problem], [[SEEDED.customer, SEEDED.manager, SEEDED.managed], null]);
  assert.equal(ads!.entries[0]!.name, null);
  assert.match(
    ads!.entries[0]!.note!,
    /^its name cannot be read: Google Ads answered 403; /,
  );
});

test("ids are kept where their names cannot be asked for any more", async (at) => {
  const busy = {
    kind: "refused",
    status: 429,
    word: "RESOURCE_EXHAUSTED",
    wrapped: true,
    retry_after: 900,
  } as const;
  at.google.inject(busy, { path: `/ads/v26/customers/${SEEDED.manager}/googleAds:searchStream` });
  const { ads } = await kinds(at.gw, "linked");
  assert.deepEqual(ads!.entries.map(({ id, name }) => [id, name]), [[SEEDED.customer, "Client"], [
    SEEDED.manager,
    null,
  ]]);
  assert.match(ads!.problem!.message, /its quota is used up: try again in 15 minutes$/);
});

test("no token of tools is answered, nothing offers it as a tool, and nothing is sent", async (at) => {
  for (const token of [at.gw.token(), "nonsense"]) {
    assert.equal((await asked(at.gw, "linked", token)).error.code, "E_AUTH");
  }
  assert.equal((await asked(at.gw, "nowhere")).error.code, "E_NOT_FOUND");
  const response = await at.gw.http("/api/v1/tools/linkable", {
    method: "POST",
    headers: { authorization: `Bearer ${at.gw.token()}`, "content-type": "application/json" },
    body: JSON.stringify({ site_id: "linked" }),
  });
  assert.equal((await response.json()).error.code, "E_TOOL_NOT_FOUND");
  assert.deepEqual(at.gw.requests, []);
});

test("the command line shows it, with the lines to paste", async (at) => {
  const printed = { out: "", err: "" };
  const code = await runCommand(["linkable", "linked"], {
    env: (name) => name === "MASTER_TOKEN" ? MASTER : undefined,
    stdin: () => Promise.resolve(""),
    out: (text) => void (printed.out += String(text)),
    err: (text) => void (printed.err += text),
    fetch: (request) => at.gw.http(new URL(request.url).pathname, { headers: request.headers }),
    read: () => Promise.reject(new Error("no file is read")),
    kept: () => null,
    wait: () => Promise.resolve(false),
  }, CONNECTORS);
  assert.deepEqual([code, printed.err], [0, ""]);
  assert.match(printed.out, /^Google Analytics properties: analytics_property_id, now properties\/123456$/m);
  assert.match(
    printed.out,
    /^now +123456 +Client – web +Client +deno task admin site update linked --analytics-property-id 123456$/m,
  );
  assert.match(printed.out, /^Not listed: A Clarity token belongs to one project/m);
});

metaTest("ad accounts are listed page by page, and those of other people are not", async (at) => {
  const { world } = at.meta.state;
  const own = world.accounts[0]!;
  for (let nth = 0; nth < 150; nth++) {
    const id = String(70_000 + nth);
    world.accounts.push({ ...own, id, name: `Client ${nth}` });
    world.people[0]!.accounts.add(id);
  }
  const { social_ads, analytics } = await kinds(at.gw, "bare");
  assert.equal(social_ads!.entries.length, 153);
  assert.ok(!ids(social_ads).includes(`act_${FOREIGN}`));
  const linked = social_ads!.entries.filter((one) => one.linked);
  assert.deepEqual(linked.map(({ id, name }) => [id, name]), [[`act_${OWN}`, "Harbour Dental"]]);
  assert.deepEqual(social_ads!.entries.flatMap(({ note }) => note ?? []), ["its status is DISABLED"]);
  assert.equal(
    social_ads!.entries[0]!.command,
    `deno task admin site update bare --social-ad-account-id act_${OWN}`,
  );
  assert.equal(analytics!.problem!.code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
  assert.deepEqual(at.meta.requests.map(({ path }) => path), [
    "/v26.0/me/adaccounts",
    "/v26.0/me/adaccounts",
  ]);
});

metaTest("a site without a bound person, and a connection that ended, say so", async (at) => {
  const unbound = (await kinds(at.gw, "unbound"))["social_ads"]!;
  assert.match(unbound.problem!.message, /is bound to no Meta account: .* --social-ads-user-id <user id>$/);
  assert.deepEqual(at.meta.requests, []);
  at.meta.inject(graph(190), {});
  const ended = (await kinds(at.gw, "client"))["social_ads"]!;
  assert.equal(ended.problem!.code, "E_SOCIAL_ADS_TOKEN_EXPIRED");
  assert.match(ended.problem!.message, /connection start --user \S+ --kind meta_ads$/);
  const sent = at.meta.requests.length;
  assert.equal((await kinds(at.gw, "client"))["social_ads"]!.problem!.code, "E_SOCIAL_ADS_TOKEN_EXPIRED");
  assert.equal(at.meta.requests.length, sent, "Meta is not asked again");
});
