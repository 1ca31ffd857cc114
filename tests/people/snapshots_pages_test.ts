/** The page of snapshots: what is kept of which site, why a day is not there and what follows, for whom, and nothing is asked for it. */
import assert from "node:assert/strict";
import { gateway } from "../kit.ts";
import { BehaviorWorld, DAY, HOUR, linked, MIDNIGHT } from "../tools/_behavior.ts";
import { bytesOf, plain, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

const PATH = "/admin/snapshots";
const DATE = "2026-11-20";
const CALM = { late: false, pulled_at: null, window_start: null, window_end: null, metrics: null } as const;

/** Three linked sites in the morning: one is kept, one failed for good, one failed and is tried again. */
async function morning() {
  const at = await BehaviorWorld.open();
  await at.add(linked(at.clarity, "bakery", "p2"), linked(at.clarity, "clinic", "p3"));
  const kept = [["bakery", "p2", false], ["clinic", "p3", true]] as const;
  for (const [site_id, source, retry] of kept) {
    await at.gw.store.snapshots.put("clarity", {
      ...CALM,
      site_id,
      date: DATE,
      source,
      status: "failed",
      error: retry ? "Clarity answered 500" : "Clarity refused the token of <b>p2</b>",
      attempts: 2,
      retry,
      credentials_version: (await at.gw.store.sites.get(site_id))!.credentials_version,
    }, 400);
  }
  await at.night(MIDNIGHT + 90 * 60_000);
  return at;
}

Deno.test("it says what is kept of each site, why a day is not there, and what follows; nothing is asked", async () => {
  await using at = await morning();
  at.gw.clock.now = MIDNIGHT + 8 * HOUR;
  const browser = await masterBrowser(at.gw);
  const asked = at.clarity.requests.length;
  const page = await browser.open(PATH);
  const text = plain(page.text);
  assert.equal(page.status, 200);
  assert.match(
    text,
    /bakery .{0,40}\(p2\) none of these days 0 of 1 failed Clarity refused the token of <b>p2<\/b>\./,
  );
  assert.match(text, /It was tried 2 times\. *Change its settings/);
  assert.match(page.text, /href="\/admin\/sites\/bakery\/edit"/);
  assert.doesNotMatch(page.text, /<b>p2/);
  assert.match(text, /client .{0,40}\(p1\) 20 Nov 1 of 1 kept/);
  assert.match(text, /20 Nov \d of 3 \d \d bakery/);
  assert.match(text, /19 Nov no site was linked yet 0 0 none/);
  assert.match(text, /The next day's are due at 2026-11-22 01:30 UTC/);
  assert.match(text, /20 Nov, .{0,30} 2 2 0 0/, "the run of the night");
  const names = [...page.text.matchAll(/<th scope="row"[^>]*><a href="\/admin\/sites\/(\w+)"/g)];
  assert.equal(names[0]![1], "bakery", "those that lack something stand first");
  assert.equal(at.clarity.requests.length, asked);
});

Deno.test("one site shows each of its days; a day that nobody asked for says that it cannot be had", async () => {
  await using at = await morning();
  await at.night(MIDNIGHT + 3 * DAY + 2 * HOUR);
  const browser = await masterBrowser(at.gw);
  const text = plain((await browser.open(`${PATH}?site=client&days=31`)).text);
  assert.match(text, /Each day of client/);
  assert.match(text, /22 Nov missing Nobody asked on that day, and it can no longer be had\./);
  assert.match(text, /23 Nov kept/);
  const none = plain((await browser.open(`${PATH}?site=nothing`)).text);
  assert.match(none, /No linked site of yours fits/);
});

Deno.test("an admin sees his or her sites alone, a member is told who can, and hundreds of sites are one short page", async () => {
  await using at = await morning();
  const own = await signedIn(at.gw, "ada@agency.example", { role: "admin", allowed_sites: ["clinic"] });
  const page = await own.browser.open(PATH);
  assert.match(plain(page.text), /clinic/);
  assert.doesNotMatch(page.text, /bakery|>client</);
  const other = await own.browser.open(`${PATH}?site=bakery`);
  assert.doesNotMatch(plain(other.text), /refused the token/);
  const member = await signedIn(at.gw, "mo@agency.example", { role: "member", allowed_sites: ["*"] });
  const refused = await member.browser.open(PATH);
  assert.equal(refused.status, 403);
  assert.match(plain(refused.text), /Only an admin sees what is kept of sites by the day/);
  await at.add(...Array.from({ length: 300 }, (_, n) => linked(at.clarity, `site-${n}`, `q${n}`)));
  const many = await (await masterBrowser(at.gw)).open(PATH);
  assert.ok(bytesOf(many.text) < 60_000, String(bytesOf(many.text)));
  assert.match(plain(many.text), /303 linked, 50 shown: search for others/);
});

Deno.test("where no site is linked the page says what to link and where", async () => {
  await using gw = await gateway();
  const page = await (await masterBrowser(gw)).open(PATH);
  assert.match(
    plain(page.text),
    /No site is linked to what snapshots are kept of.*Link one to Microsoft Clarity/,
  );
  assert.match(page.text, /<a class="button" href="\/admin\/sites">/);
});
