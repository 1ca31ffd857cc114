/** What may be sent to Google's services at all: the site's own things, and the requests that tools need. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import google from "../../../platforms/google/connector.ts";
import { CLIENTS_QUERY, CUSTOMER_QUERY } from "../../../platforms/google/routes.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";

const BASES = {
  analytics: "https://analyticsdata.googleapis.com/v1beta",
  search: "https://searchconsole.googleapis.com/webmasters/v3",
  sheets: "https://sheets.googleapis.com/v4",
  ads: "https://googleads.googleapis.com/v26",
  drive: "https://www.googleapis.com/drive/v3",
  upload: "https://www.googleapis.com/upload/drive/v3",
};
const settings = Object.fromEntries(
  Object.entries(google.settings ?? {}).map(([name, { default: preset }]) => [name, preset]),
);
const SITE = {
  id: "acme",
  analytics_property_id: "properties/123",
  search_site_url: "https://acme.example/",
  ads_customer_id: "123-456-7890",
  ads_login_customer_id: "555-666-7777",
  spreadsheet_ids: ["sheet1"],
  storage_folder_id: "folder1",
} as unknown as Site;

function judged(out: Partial<Outgoing> & { readonly url: string }, site: Partial<Site> = {}): string | null {
  const whole: Outgoing = { method: "GET", effect: "read", ...out };
  return google.policy!(whole, { site: { ...SITE, ...site }, settings, now: 0 });
}
const list = (q: string) => `${BASES.drive}/files?${new URLSearchParams({ q })}`;
const OWN = "'folder1' in parents and trashed = false";
const manager = { "login-customer-id": "5556667777" };
const encoded = encodeURIComponent("https://acme.example/");
const upload = (parents: string, more: Partial<Outgoing> = {}) => ({
  method: "POST",
  effect: "write",
  url: `${BASES.upload}/files?uploadType=multipart`,
  body: new TextEncoder().encode(`--b\r\n{"name":"a","parents":["${parents}"]}\r\n--b--`),
  ...more,
} as const);
const folder = (site: string) => ({
  method: "POST",
  effect: "write",
  url: `${BASES.drive}/files?fields=id`,
  json: {
    name: "Acme",
    mimeType: "application/vnd.google-apps.folder",
    appProperties: { site_operations_site: site },
  },
} as const);

Deno.test("what the tools send of the site's own things may be sent", () => {
  const read = { method: "POST", effect: "read" } as const;
  for (
    const out of [
      { ...read, url: `${BASES.analytics}/properties/123:runReport` },
      { ...read, url: `${BASES.search}/sites/${encoded}/searchAnalytics/query` },
      { url: `${BASES.sheets}/spreadsheets/sheet1/values/A1%3AB2?majorDimension=ROWS` },
      { ...read, url: `${BASES.ads}/customers/1234567890/googleAds:searchStream`, headers: manager },
      { url: list(OWN) },
      { url: list(`${OWN} and name = 'baseline.md'`) },
      { url: list(`${OWN} and name = 'it\\'s \\\\ mine.md'`) },
      { url: `${BASES.drive}/files/abc?alt=media` },
      { url: `${BASES.drive}/files/abc/export?mimeType=text/csv` },
      upload("folder1"),
    ]
  ) assert.equal(judged(out), null, out.url);
  assert.equal(judged(folder("acme"), { storage_folder_id: null }), null);
  assert.equal(
    judged({ url: `${BASES.sheets}/spreadsheets/any/values/A1` }, { spreadsheet_ids: ["*"] }),
    null,
  );
});

Deno.test("another property, address, customer, sheet or folder, and any other request, may not", () => {
  const read = { method: "POST", effect: "read" } as const;
  const write = { method: "POST", effect: "write" } as const;
  for (
    const out of [
      { ...read, url: `${BASES.analytics}/properties/124:runReport` },
      { ...write, url: `${BASES.analytics}/properties/123:runReport` },
      { ...read, url: `${BASES.analytics}/properties/123:batchRunReports` },
      {
        ...read,
        url: `${BASES.search}/sites/${encodeURIComponent("https://other.example/")}/searchAnalytics/query`,
      },
      { method: "PUT", effect: "write", url: `${BASES.search}/sites/${encoded}` },
      { url: `${BASES.sheets}/spreadsheets/sheet2/values/A1` },
      { url: `${BASES.sheets}/spreadsheets/sheet1` },
      { method: "PUT", effect: "write", url: `${BASES.sheets}/spreadsheets/sheet1/values/A1` },
      { ...read, url: `${BASES.ads}/customers/1234567891/googleAds:searchStream`, headers: manager },
      { ...read, url: `${BASES.ads}/customers/1234567890/googleAds:searchStream` },
      {
        ...read,
        url: `${BASES.ads}/customers/1234567890/googleAds:searchStream`,
        headers: { "login-customer-id": "1112223333" },
      },
      { ...write, url: `${BASES.ads}/customers/1234567890/campaigns:mutate`, headers: manager },
      { url: list("'folder2' in parents and trashed = false") },
      { url: list("'folder2' in parents or 'folder1' in parents") },
      { url: list(`${OWN} or name contains 'x'`) },
      { url: list(`${OWN} and name = 'x' or 'folder2' in parents`) },
      { url: list("") },
      { url: `${BASES.drive}/changes` },
      { url: `${BASES.drive}/files/abc/permissions` },
      { ...write, method: "PATCH", url: `${BASES.drive}/files/abc` },
      { ...write, url: `${BASES.drive}/files/abc/copy`, json: {} },
      folder("acme"),
      upload("folder2"),
      upload("folder1", { url: `${BASES.upload}/files?uploadType=media` }),
      upload("folder1", { method: "PATCH", url: `${BASES.upload}/files/abc?uploadType=multipart` }),
      { url: "https://www.googleapis.com/gmail/v1/users/me/messages" },
    ] as const
  ) assert.notEqual(judged(out as Outgoing), null, `${(out as Outgoing).method} ${out.url}`);
  assert.notEqual(judged(folder("other"), { storage_folder_id: null }), null);
});

Deno.test("for a site that lacks what a request is about, it may not be sent", () => {
  const none = {
    analytics_property_id: null,
    search_site_url: null,
    ads_customer_id: null,
    spreadsheet_ids: [],
    storage_folder_id: null,
  };
  for (
    const out of [
      { method: "POST", url: `${BASES.analytics}/properties/123:runReport` },
      { method: "POST", url: `${BASES.search}/sites/${encoded}/searchAnalytics/query` },
      { url: `${BASES.sheets}/spreadsheets/sheet1/values/A1` },
      { method: "POST", url: `${BASES.ads}/customers/1234567890/googleAds:searchStream`, headers: manager },
      { url: list(OWN) },
      upload("folder1"),
    ] as const
  ) {
    let said: string | null;
    try {
      said = judged(out as Outgoing, none);
    } catch (thrown) {
      said = (thrown as Error).message;
    }
    assert.notEqual(said, null, out.url);
  }
});

Deno.test("lists of what a site could be linked to are sent by no tool, and beside them nothing is", () => {
  const ADMIN = "https://analyticsadmin.googleapis.com/v1beta";
  const stream = (json: object, more: Partial<Outgoing> = {}) => ({
    method: "POST",
    effect: "read",
    url: `${BASES.ads}/customers/9998887777/googleAds:searchStream`,
    json,
    ...more,
  } as const);
  const listed = (out: Partial<Outgoing> & { readonly url: string }) =>
    google.policy!({ method: "GET", effect: "read", ...out }, {
      site: SITE,
      settings,
      now: 0,
      listing: true,
    });
  for (
    const out of [
      { url: `${ADMIN}/accountSummaries?pageSize=200&pageToken=a` },
      { url: `${BASES.search}/sites` },
      { url: `${BASES.ads}/customers:listAccessibleCustomers` },
      stream({ query: CUSTOMER_QUERY }),
      stream({ query: CLIENTS_QUERY }),
    ]
  ) {
    assert.equal(listed(out), null, out.url);
    assert.notEqual(judged(out), null, `no tool sends ${out.url}`);
  }
  for (
    const out of [
      { url: `${ADMIN}/accounts` },
      { url: `${ADMIN}/accountSummaries?fields=x` },
      { url: `${ADMIN}/accountSummaries`, method: "POST" } as const,
      { url: `${BASES.search}/sites/${encoded}` },
      { url: `${BASES.search}/sites`, effect: "write" } as const,
      { url: `${BASES.ads}/customers/1234567890:mutate`, method: "POST" } as const,
      stream({ query: "SELECT campaign.id FROM campaign" }),
      stream({ query: CUSTOMER_QUERY, summaryRowSetting: "x" }),
      stream({ query: CUSTOMER_QUERY }, { headers: manager }),
      stream({ query: CUSTOMER_QUERY }, { effect: "write" }),
      { url: `${BASES.analytics}/properties/123:runReport`, method: "POST" } as const,
      { url: `${BASES.sheets}/spreadsheets/sheet1/values/A1` },
      { url: list(OWN) },
      upload("folder1"),
    ]
  ) assert.notEqual(listed(out), null, `${out.method} ${out.url}`);
});
