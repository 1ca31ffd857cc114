/** Tokens and consent in a real browser: many sites, with scripts and without, by keyboard, wide and narrow, in light and in dark. */
import assert from "node:assert/strict";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { CHALLENGE, REDIRECT } from "../guard/oauth_kit.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { PASSPHRASE } from "../people/kit.ts";
import {
  inChromium,
  led,
  loadedOf,
  looked,
  pageOf,
  signInAsMaster,
  tabTo,
  textOf,
  titleOf,
} from "./browser.ts";
import { member } from "./oauth_browser.ts";
import { listen } from "../e2e/mcp_start.ts";

const BYTES_MAX = 100_000;
const LONG = "Ω".repeat(60) + " <b>a name that does not end</b>";

async function place(count: number) {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const sites = Array.from(
    { length: count },
    (_, n) =>
      site(`shop-${n}`, "cms", {
        name: n === 3 ? LONG : `Shop ${n}`,
        project_id: ["north", "south", "west", null][n % 4],
      }),
  );
  const gw = await gateway({ realClock: true, settings: { baseUrl }, sites });
  opened.resolve(gw);
  for (
    const [id, name] of [["north", "North"], ["south", "South & sons"], ["west", "x".repeat(80)]] as const
  ) {
    await gw.store.projects.create({ id, name, confirm_policy: "flag" });
  }
  for (let n = 0; n < 30; n++) {
    const { token } = await gw.store.tokens.create({
      ...{
        name: n === 2 ? LONG : `agent ${n}`,
        env: "prod",
        allowed_sites: n % 2 ? ["*"] : ["shop-1", "shop-2"],
      },
      ...{
        allowed_tools: ["*"],
        max_risk: 1,
        skip_write_confirm: false,
        owner_user_id: null,
        super_admin: false,
      },
      ...n % 3 === 0 && { expires_at: new Date(Date.now() + n * 86_400_000 + 60_000).toISOString() },
    });
    if (n % 4 === 1) gw.store.tokens.used(token.id);
  }
  return {
    gw,
    baseUrl,
    async [Symbol.asyncDispose]() {
      await shutdown();
      await gw[Symbol.asyncDispose]();
    },
  };
}

/** Where a client that has just registered sends its person to. */
async function askedBy(gw: Kit): Promise<string> {
  const body = JSON.stringify({ client_name: "Helper", redirect_uris: [REDIRECT] });
  const headers = { "content-type": "application/json" };
  const response = await gw.http("/oauth/register", { method: "POST", as: null, headers, body });
  const { client_id } = await response.json();
  return `/oauth/authorize?${new URLSearchParams({
    ...{ response_type: "code", client_id, redirect_uri: REDIRECT, state: "s" },
    ...{ code_challenge: CHALLENGE, code_challenge_method: "S256" },
  })}`;
}

const ticked = (page: Page) =>
  page.evaluate(
    `[...document.querySelectorAll('[name="allowed_sites"]:checked')].map((one) => one.value)`,
  ) as Promise<string[]>;
const said = (page: Page) => page.$eval("[data-summary]", (one) => one.textContent ?? "");
const valueOf = (page: Page, selector: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`);
/** Waits until that is so on the page. */
const until = (page: Page, isSo: string) => page.waitForFunction(isSo, { timeout: 5000 });

inChromium("tokens", {
  "the list, the form and a new token are usable at both widths, and weigh little": async (
    browser: Browser,
  ) => {
    await using at = await place(60);
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await signInAsMaster(page, at.baseUrl);
    const { bytes } = await loadedOf(page, `${at.baseUrl}/admin/tokens`);
    assert.ok(bytes > 10_000 && bytes < BYTES_MAX, String(bytes));
    await looked(page, complaints, "tokens");
    await page.click('[value="all north"]');
    await until(
      page,
      `document.querySelector("[data-summary]").textContent.includes("15 sites of one project")`,
    );
    await page.type("#name", "writer");
    await led(page, page.click(".deed button:last-of-type"));
    assert.equal(await titleOf(page), "Your new token");
    await looked(page, complaints, "made");
    for (const client of ["claude-code", "chatgpt", "curl"]) {
      await page.click(`label[for="client-${client}"]`);
      await looked(page, complaints, `made-${client}`);
    }
    const token = (await at.gw.store.tokens.list()).find(({ name }) => name === "writer")!;
    assert.equal(token.allowed_sites.length, 15);
    await page.goto(`${at.baseUrl}/admin/tokens/${token.id}`);
    await looked(page, complaints, "token");
    await page.goto(`${at.baseUrl}/admin/tokens?q=nothing`);
    await looked(page, complaints, "none");
    await page.goto(`${at.baseUrl}/admin/users/new`);
    await page.type("#email", "ann@agency.example");
    await page.click('#approve_sites-picker [value="all north"]');
    await until(
      page,
      `document.querySelector("#approve_sites-picker .said").textContent.includes("15 of 60")`,
    );
    await looked(page, complaints, "user");
  },

  "the filter follows what is typed, and undoes no tick": async (browser: Browser) => {
    await using at = await place(1000);
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await signInAsMaster(page, at.baseUrl);
    await page.goto(`${at.baseUrl}/admin/tokens`);
    await page.click('[id="allowed_sites-shop-100"]');
    await page.type("#allowed_sites_q", "shop-77");
    await until(page, `document.querySelector(".said").textContent.includes("11 fit")`);
    assert.equal(await valueOf(page, "#allowed_sites_q"), "shop-77");
    assert.ok(
      await page.evaluate(`document.activeElement.id === "allowed_sites_q"`),
      "who types goes on typing",
    );
    await page.click('[id="allowed_sites-shop-771"]');
    await until(page, `document.querySelector("[data-summary]").textContent.includes("2 sites")`);
    await looked(page, complaints, "found");
    await page.click('[value="only"]');
    await until(page, `document.querySelectorAll('[name="allowed_sites"]:checked').length === 2`);
    assert.deepEqual((await ticked(page)).toSorted(), ["shop-100", "shop-771"]);
    await page.type("#name", "two");
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Your new token");
    const token = (await at.gw.store.tokens.list()).find(({ name }) => name === "two")!;
    assert.deepEqual(token.allowed_sites, ["shop-100", "shop-771"]);
  },

  "without scripts, by keyboard: a project is chosen, the sentence said anew, the token made, a fault keeps all":
    async (browser: Browser) => {
      await using at = await place(60);
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await page.setJavaScriptEnabled(false);
      await signInAsMaster(page, at.baseUrl);
      await page.goto(`${at.baseUrl}/admin/tokens`);
      await tabTo(page, '[value="all south"]');
      await led(page, page.keyboard.press("Enter"));
      assert.equal(await titleOf(page), "Make a token");
      assert.match(await said(page), /15 sites of one project/);
      await page.focus("#max_risk");
      await tabTo(page, '[name="look"]');
      await led(page, page.keyboard.press("Space"));
      await tabTo(page, "#name");
      await page.keyboard.type("by keyboard");
      await page.focus('[name="allowed_tools"]:checked');
      await tabTo(page, "#tool_names");
      await page.keyboard.type("get_pots");
      await led(page, page.keyboard.press("Enter"));
      assert.match(await textOf(page), /No tool "get_pots", did you mean get_post/);
      await page.setJavaScriptEnabled(true);
      await looked(page, complaints, "wrong");
      await page.setJavaScriptEnabled(false);
      assert.equal(await valueOf(page, "#name"), "by keyboard");
      await page.evaluate(`document.querySelector("#tool_names").value = ""`);
      await page.focus("#tool_names");
      await led(page, page.keyboard.press("Enter"));
      assert.equal(await titleOf(page), "Your new token");
    },

  "the page of consent takes sixty sites, and keeps what is ticked while the session ends": async (
    browser: Browser,
  ) => {
    await using at = await place(60);
    const email = await member(at.gw, at.baseUrl);
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await page.goto(at.baseUrl + await askedBy(at.gw));
    await page.type('input[name="email"]', email);
    await page.type('input[name="passphrase"]', PASSPHRASE);
    await led(page, page.keyboard.press("Enter"));
    await looked(page, complaints, "consent");
    await led(page, page.click('[value="all north"]'));
    await looked(page, complaints, "consent-north");
    assert.match(await said(page), /15 sites of one project/);
    const cookies = await page.cookies();
    await page.deleteCookie(...cookies);
    await led(page, page.click('[value="allow"]'));
    assert.equal(await titleOf(page), "Your session has ended");
    await looked(page, complaints, "consent-ended");
    await page.setCookie(...cookies);
    await led(page, page.click("main form button"));
    assert.match(await said(page), /15 sites of one project/);
    assert.deepEqual(await at.gw.store.oauthGrants.list(), []);
  },
});
