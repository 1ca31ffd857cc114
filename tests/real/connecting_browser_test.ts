/** Connecting an account as a person does: real pages, cookies and redirects, over a stand-in of the vendor's. */
import assert from "node:assert/strict";
import { type Accounts, startAccounts } from "../../sandbox/google_accounts/start.ts";
import { gateway, type Kit, MASTER } from "../kit.ts";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { inChromium, led, pageOf, textOf, titleOf } from "./browser.ts";
import { listen } from "../e2e/mcp_start.ts";

interface Place extends AsyncDisposable {
  readonly gw: Kit;
  readonly accounts: Accounts;
  link(scopes?: readonly string[]): Promise<string>;
}

/** A gateway on a port, with one user, over the stand-in. */
async function place(): Promise<Place> {
  const accounts = startAccounts();
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://127.0.0.1:${port}`;
  accounts.client.redirect_uris.push(`${baseUrl}/connect/callback`);
  // Another site than the gateway's for the browser, as the vendor's is.
  const vendor = accounts.base_url.replace("127.0.0.1", "localhost");
  accounts.ways.issuer = vendor;
  const upstream = { ...accounts.env, ACCOUNT_AUTH_URL: `${vendor}/o/oauth2/v2/auth` };
  const gw = await gateway({
    fetch: "network",
    realClock: true,
    allowPrivate: ["127.0.0.1"],
    settings: { baseUrl, upstream },
  });
  opened.resolve(gw);
  const user = await gw.store.users.create({
    email: "ann@gateway.example",
    role: "member",
    allowed_sites: ["*"],
    max_risk: 1,
  });
  return {
    gw,
    accounts,
    async link(scopes) {
      const response = await fetch(`${baseUrl}/admin/api/connections`, {
        method: "POST",
        headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
        body: JSON.stringify({ user: user!.id, kind: "google", scopes }),
      });
      return (await response.json()).result.link;
    },
    async [Symbol.asyncDispose]() {
      await shutdown();
      await gw[Symbol.asyncDispose]();
      await accounts.stop();
    },
  };
}

/** Presses something and waits for where it leads. */
async function press(page: Page, what: string): Promise<void> {
  await led(page, page.click(what));
}

/** Opens a link and goes on to the consent page. */
async function begin(page: Page, link: string): Promise<void> {
  await page.goto(link);
  assert.equal(await titleOf(page), "Connect an account");
  await press(page, "main a");
  assert.match(await titleOf(page) ?? "", /stand-in for the sign-in/);
  assert.equal(new URL(page.url()).hostname, "localhost");
}

/** No wider than the phone, and nothing tried to load or run. */
async function assertPlain(page: Page, complaints: readonly string[]): Promise<void> {
  const [width, shown] = await page.evaluate(
    "[document.documentElement.scrollWidth, innerWidth]",
  ) as number[];
  assert.ok(width! <= shown!, `${width} px wide on ${shown}`);
  const font = await page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth");
  assert.equal(font, "560px", "its style was let in by its own policy");
  assert.deepEqual(complaints, []);
}

inChromium("connecting an account", {
  "an account is connected, by a link opened twice; its answer does not count again": async (
    browser: Browser,
  ) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const link = await at.link();
    await page.goto(link);
    await assertPlain(page, complaints);
    await begin(page, link);
    await press(page, "#allow");
    assert.equal(await titleOf(page), "Connected");
    assert.match(await textOf(page), /The Google account ann@agency\.example is connected\./);
    await assertPlain(page, complaints);
    await page.reload();
    assert.equal(await titleOf(page), "This answer was used already");
    await page.goto(link);
    assert.equal(await titleOf(page), "This link was used already");
    assert.equal((await at.gw.store.accounts.list())[0]?.state, "ok");
    assert.equal(at.accounts.requests.filter(({ path }) => path === "/token").length, 1);
  },

  "a link, and an answer, belong to the browser that opened the link": async (browser: Browser) => {
    await using at = await place();
    const mine = await pageOf(await browser.createBrowserContext());
    const other = await pageOf(await browser.createBrowserContext());
    const link = await at.link();
    await begin(mine.page, link);
    await other.page.goto(link);
    assert.equal(await titleOf(other.page), "This link was opened in another browser");
    await assertPlain(other.page, other.complaints);
    await press(mine.page, "#allow");
    await other.page.goto(mine.page.url());
    assert.equal(await titleOf(other.page), "This answer belongs to another browser");
    assert.equal((await at.gw.store.accounts.list()).length, 1);
  },

  "who cancels, and who gets no lasting access, has connected nothing and can try again": async (
    browser: Browser,
  ) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const link = await at.link();
    await begin(page, link);
    await press(page, "#deny");
    assert.equal(await titleOf(page), "Nothing was connected");
    assert.match(await textOf(page), /You did not agree at Google/);
    await assertPlain(page, complaints);
    at.accounts.ways.no_refresh_token = true;
    await begin(page, link);
    await press(page, "#allow");
    assert.match(await textOf(page), /nothing to renew it with/);
    assert.deepEqual(await at.gw.store.accounts.list(), []);
    at.accounts.ways.no_refresh_token = false;
    await begin(page, link);
    await press(page, "#allow");
    assert.equal(await titleOf(page), "Connected");
  },

  "what a person unticks is not granted, and the page names it": async (browser: Browser) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await begin(page, await at.link(["analytics", "search"]));
    await page.click('input[value$="webmasters.readonly"]');
    await press(page, "#allow");
    assert.equal(await titleOf(page), "Connected, but not with everything");
    assert.match(await textOf(page), /Not agreed to\s+read search figures of Search Console/);
    await assertPlain(page, complaints);
    const { scopes } = (await at.gw.store.accounts.list())[0]!;
    assert.ok(
      scopes.some((one) => one.endsWith("analytics.readonly")) &&
        !scopes.some((one) => /webmasters/.test(one)),
    );
  },
});
