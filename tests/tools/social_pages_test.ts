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
