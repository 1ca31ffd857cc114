/** diagnose_site of a connected Google account: each service the site is linked to is asked, and what fails is named. */
import assert from "node:assert/strict";
import { site } from "../kit.ts";
import { GoogleWorld, test, TOKEN } from "./_google.ts";

interface Diagnosed {
  checks: { name: string; ok: boolean | null; detail: string; next_step: string | null }[];
}
const NAMES = ["google_account", "storage_folder"];

async function checks(at: GoogleWorld, site_id: string) {
  const { checks } = await at.gw.call<Diagnosed>("diagnose_site", { site_id });
  return Object.fromEntries(checks.filter(({ name }) => NAMES.includes(name)).map((one) => [one.name, one]));
}

test("a site whose account answers for all it is linked to passes; one bound to nobody is not asked", async (at) => {
  const { google_account: account } = await checks(at, "files");
  assert.deepEqual([account!.ok, account!.next_step], [true, null]);
  assert.equal(
    account!.detail,
    "The account answers for the site: Google Analytics, Google Search Console, Google Ads, Google Drive",
  );
  await at.gw.store.sites.create(site("plain", "static"));
  await at.gw.store.sites.create(site("half", "static", { account_user_id: at.user }));
  const { google_account: none } = await checks(at, "plain");
  assert.deepEqual([none!.ok, none!.detail], [null, "No Google account is bound to the site"]);
  assert.match(none!.next_step!, /deno task admin site update plain --account-user-id/);
  const { google_account: nothing } = await checks(at, "half");
  assert.equal(nothing!.ok, null);
  assert.match(nothing!.detail, /nothing of it is linked/);
  assert.equal(
    (await checks(at, "half"))["storage_folder"],
    undefined,
    "nothing is said of a folder there is not",
  );
});

test("what does not answer is named: lasting refusals fail, trouble that may pass cannot be told", async (at) => {
  at.google.inject({ kind: "busy", retry_after: 3600 }, { path: /\/search\// });
  const passing = (await checks(at, "files"))["google_account"]!;
  assert.equal(passing.ok, null);
  assert.match(
    passing.detail,
    /^Of Google Analytics, .*: Google Search Console answered 429; .*in 60 minutes$/,
  );
  at.google.state.world.files.get(at.folder)!.trashed = true;
  const lasting = (await checks(at, "files"))["google_account"]!;
  assert.equal(lasting.ok, false);
  assert.match(lasting.detail, /"Client" is in the bin/);
  const crm = await checks(at, "closed");
  assert.equal(crm["storage_folder"]!.ok, false);
  assert.equal((await checks(at, "files"))["storage_folder"]!.ok, false, "of a site of any kind");
  at.google.state.world.files.get(at.folder)!.trashed = false;
  assert.equal((await checks(at, "closed"))["storage_folder"]!.detail, 'The folder "Client" can be reached');
  at.google.withdraw(TOKEN);
  const gone = { error: "invalid_grant" };
  at.google.inject({ kind: "answer", status: 400, body: gone }, { path: "/token" });
  const ended = (await checks(at, "files"))["google_account"]!;
  assert.equal(ended.ok, false);
  assert.match(ended.detail, /connection start --user/);
});
