/** The page of webhooks in a real browser: set up, tried and looked at on a phone's width, by keyboard, without scripts. */
import assert from "node:assert/strict";
import type { Browser } from "../packages/puppeteer.ts";
import { listen } from "../e2e/mcp_start.ts";
import { type Kit, site } from "../kit.ts";
import { invited, operator, PASSPHRASE, person } from "../people/kit.ts";
import { happens, run, telling, verified } from "../webhooks_kit.ts";
import { assertUsable, inChromium, led, pageOf, tabTo, textOf, titleOf } from "./browser.ts";

/** Where screenshots go, for who looks at them; nowhere where it is not set. */
const SHOTS = Deno.env.get("SCREENSHOTS");

inChromium("webhooks", {
  "an admin sets one up by keyboard, tries it, and reads what was sent": async (browser: Browser) => {
    const opened = Promise.withResolvers<Kit>();
    const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
    const baseUrl = `http://localhost:${port}`;
    await using at = await telling({
      settings: { baseUrl },
      sites: [site("acme", "cms", { project_id: "north" })],
    });
    const { gw, receivers } = at;
    opened.resolve(gw);
    await operator(gw, "POST", "projects", { id: "north", name: "North <b>" });
    const ada = await person(gw, "ada@agency.example", { role: "admin" });
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const shot = async (name: string) => {
      await assertUsable(page, complaints); // which ends in the dark
      if (SHOTS === undefined) return;
      for (const value of ["dark", "light"]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
        await page.screenshot({ path: `${SHOTS}/webhooks-${name}-${value}.png`, fullPage: true });
      }
    };
    await page.goto(await invited(gw, ada));
    for (const field of ["#passphrase", "#again"]) await page.type(field, PASSPHRASE);
    await led(page, page.keyboard.press("Enter"));
    await page.goto(`${baseUrl}/admin/webhooks`);
    await shot("empty");
    const name = `Team ${"x".repeat(60)} <b>`;
    for (const [field, text] of [["#name", name], ["#url", "https://10.0.0.1/"]] as const) {
      await tabTo(page, field);
      await page.keyboard.type(text);
    }
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /is private/);
    await shot("refused");
    await tabTo(page, "#url");
    await page.keyboard.down("Control");
    await page.keyboard.press("a");
    await page.keyboard.up("Control");
    await page.keyboard.type("https://hooks.example/x");
    await led(page, page.keyboard.press("Enter"));
    const secret = await page.$eval(".secret", (one) => one.textContent ?? "");
    assert.match(secret, /^whsec_/);
    await shot("secret");
    await tabTo(page, 'main a[href^="/admin/webhooks/"]');
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), `Webhook ${name}`);
    receivers.answer = () => new Response(null, { status: 500 });
    await tabTo(page, 'form[action$="/test"] button');
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /It did not arrive: its receiver answered 500/);
    await happens(gw, ["acme"]);
    await run(gw);
    receivers.answer = () => new Response("ok");
    await happens(gw, ["acme"], "approval.requested");
    await run(gw);
    await tabTo(page, 'form[action$="/test"] button');
    await led(page, page.keyboard.press("Enter"));
    verified(secret, receivers.last);
    assert.match(await textOf(page), /It arrived: answered 200[^]*waits; tried next at/);
    await shot("sent");
    await tabTo(page, 'form[action$="/turn"] button');
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /Off since/);
    await page.goto(`${baseUrl}/admin/webhooks`);
    await shot("list");
    await shutdown();
  },
});
