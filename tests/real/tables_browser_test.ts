/** Tables of the pages in a real browser, wide and narrow, in light and dark: words and buttons stay whole. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import { gateway, type Kit, site } from "../kit.ts";
import type { Browser } from "../packages/puppeteer.ts";
import { inChromium, led, textOf, TORN } from "./browser.ts";
import { listen } from "../e2e/mcp_start.ts";
import { member } from "./oauth_browser.ts";
import { PASSPHRASE } from "../people/kit.ts";

const DAY_MS = 24 * 60 * 60_000;
const SITES = Array.from({ length: 12 }, (_, at) => `customer-with-a-long-name-${at}`);
const LONG = "a-name-without-any-blank-that-somebody-gave-to-what-they-made-".repeat(2).slice(0, 100);

/** Tokens and clients of names and sites as long as they may be. */
async function filled(gw: Kit, user: User): Promise<void> {
  const token = { env: "prod", allowed_tools: ["*"], max_risk: 1, skip_write_confirm: false } as const;
  for (const name of ["CI", LONG]) {
    const made = { ...token, name, allowed_sites: SITES, owner_user_id: user.id, super_admin: false };
    await gw.store.tokens.create({ ...made, confirm_policy: "preview" });
  }
  for (const client_name of ["Desk", LONG.slice(0, 100)]) {
    const granted = {
      user_id: user.id,
      client_id: client_name,
      client_name,
      redirect_host: "cursor://anysphere.cursor-mcp",
      allowed_sites: SITES,
      groups: ["discovery"],
      max_risk: 1,
      expires_at: Date.now() + DAY_MS,
    } as const;
    const asked = { granted, redirect_uri: "http://127.0.0.1/cb", challenge: "x".repeat(43), resource: null };
    await gw.store.oauthGrants.redeem(await gw.store.oauthGrants.issueCode(asked), () => null);
  }
}

inChromium("tables", {
  "words and buttons stay whole, wide and narrow, in light and dark, and a token says when it was made":
    async (
      browser: Browser,
    ) => {
      const opened = Promise.withResolvers<Kit>();
      const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
      const baseUrl = `http://localhost:${port}`;
      await using gw = await gateway({
        realClock: true,
        settings: { baseUrl },
        sites: SITES.map((id) => site(id, "cms")),
      });
      opened.resolve(gw);
      try {
        const email = await member(gw, baseUrl);
        await filled(gw, (await gw.store.users.byEmail(email))!);
        const page = await (await browser.createBrowserContext()).newPage();
        await page.goto(`${baseUrl}/admin/sign-in`);
        await page.type('input[name="email"]', email);
        await page.type('input[name="passphrase"]', PASSPHRASE);
        await led(page, page.keyboard.press("Enter"));
        for (const path of ["/admin/tokens", "/admin/clients", "/admin/account", "/admin/connections"]) {
          for (const width of [1280, 390]) {
            for (const value of ["light", "dark"]) {
              await page.setViewport({ width, height: 800 });
              await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
              await page.goto(`${baseUrl}${path}`);
              const buttons = await page.$$eval("td button", (all) => all.length);
              assert.equal(
                buttons > 0,
                /clients|account/.test(path),
                `${path} has ${buttons} buttons in tables`,
              );
              assert.deepEqual(await page.evaluate(TORN), [], `${path} at ${width} px, ${value}`);
              const folder = Deno.env.get("SHOTS");
              if (folder) {
                const shot = `${folder}/${path.split("/").at(-1)}-${width}-${value}.png` as const;
                await page.screenshot({ path: shot });
              }
            }
          }
        }
        await page.goto(`${baseUrl}/admin/tokens`);
        const text = await textOf(page);
        assert.match(text, /made \w+ \d+, \d{4}, .+\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
        assert.doesNotMatch(text, /in use since/);
      } finally {
        await shutdown();
      }
    },
});
