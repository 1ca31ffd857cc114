/** What the tools of social ads ask for, and how they read pages: none is passed over, and nothing is asked in vain. */
import assert from "node:assert/strict";
import { OWN } from "../../sandbox/meta_ads/start.ts";
import { LIVE, type Report, test } from "./_meta.ts";

test("a next page is never passed over: its cursor is read from the link, and a page without one is an error", async (at) => {
  const row = { account_id: OWN, id: "1", name: "Spring" };
  const page = (next: string, cursors?: object) => ({
    data: [row],
    paging: { next, ...(cursors && { cursors }) },
  });
  const link = `https://graph.facebook.com/v26.0/act_1001/ads?access_token=${at.token}&limit=1`;
  for (const body of [page(`${link}&after=MTA%3D`), page(`${link}&after=MTA%3D`, { after: "" })]) {
    at.meta.inject({ kind: "answer", body }, { times: 2 });
    assert.deepEqual((await at.both<Report>("list_social_ads")).paging, { after: "MTA=" });
  }
  at.meta.inject({ kind: "answer", body: page(`${link}&offset=25`) }, { times: 2 });
  await at.refuses("list_social_ads", {}, "E_UPSTREAM", /there is a next page, and no cursor of it/, "reads");
});

test("an empty page that is not the last says nothing of the id that was asked about", async (at) => {
  const body = {
    data: [],
    paging: { cursors: { after: "MTA=" }, next: "https://graph.facebook.com/?after=MTA=" },
  };
  at.meta.inject({ kind: "answer", body });
  assert.deepEqual(await at.ask("list_social_ads", { adset_id: "2101" }), {
    ...LIVE,
    ...{ complete: false, truncated: true, next: { after: "MTA=" } },
    notes: ["This page is empty, and there are more pages; ask again with paging.after"],
    ads: [],
    paging: { after: "MTA=" },
  });
});

test("of an account whose currency is wanted nothing else is asked", async (at) => {
  await at.ask("list_social_campaigns");
  await at.ask("list_social_adsets");
  const asked = at.meta.requests.map(({ path, query }) =>
    `${path.replace(/^\/v[\d.]+/, "")} ${query["fields"]}`
  );
  assert.equal(asked[0], "/act_1001 account_id,currency,timezone_name,created_time");
  assert.equal(asked.length, 3, "and it is known for the next list");
});

test("a page that names itself as the next one is an error, and not asked for again and again", async (at) => {
  const row = { account_id: OWN, id: "1", name: "Spring" };
  const link = "https://graph.facebook.com/?after=MTA%3D";
  at.meta.inject({ kind: "answer", body: { data: [row], paging: { next: link } } }, { times: 2 });
  const says = /the next page is the one that was asked for/;
  await at.refuses("list_social_ads", { after: "MTA=" }, "E_UPSTREAM", says, "reads");
});

test("an answer that is none is not taken for another account's", async (at) => {
  for (const body of [[], {}]) {
    at.meta.inject({ kind: "answer", body }, { times: 2 });
    await at.refuses(
      "get_social_ad_account",
      {},
      "E_UPSTREAM",
      /cannot be read: account_id is missing/,
      "reads",
    );
  }
});

const DAYS = { date_start: "2026-09-01", date_stop: "2026-09-30" };

test("actions that are no list, or have values that are no numbers, are not counted as nothing", async (at) => {
  const value = (one: unknown) => [{ action_type: "lead", value: one }];
  for (const actions of [{ lead: 3 }, ["lead"], value("many"), value({ all: 3 })]) {
    const row = { account_id: OWN, account_currency: "EUR", impressions: "10", actions, ...DAYS };
    at.meta.inject({ kind: "answer", body: { data: [row] } }, { times: 2 });
    const says = /cannot be read: (a value of )?actions is not of the usual form/;
    await at.refuses("get_social_ads_insights", {}, "E_UPSTREAM", says, "reads");
  }
});

test("rows of other days than those that were asked for say so", async (at) => {
  const row = { account_id: OWN, impressions: "10", ...DAYS };
  at.meta.inject({ kind: "answer", body: { data: [row] } });
  const args = { fields: ["impressions"], time_range: { since: "2026-08-01", until: "2026-09-30" } };
  const { notes } = await at.ask<Report>("get_social_ads_insights", args);
  assert.ok(notes.includes("Meta counted 2026-09-01 to 2026-09-30, and not the days that were asked for"));
});
