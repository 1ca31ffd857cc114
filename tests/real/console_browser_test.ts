/** Every page of the console in a real browser: filled and empty, wide and narrow, in light and in dark, without scripts, by keyboard. */
import assert from "node:assert/strict";
import { NAVIGATION } from "../../console/nav.tsx";
import type { Browser, BrowserContext, Page } from "../packages/puppeteer.ts";
import {
  EMPTY,
  emptyPlace,
  FILLED,
  filledPlace,
  NO_PAGES,
  type Opened,
  type Place,
  routed,
} from "./_console.ts";
import {
  assertBetween,
  assertKeyboard,
  assertLooks,
  inChromium,
  led,
  loadedOf,
  pageOf,
  titleOf,
} from "./browser.ts";

const BYTES_MAX = 100_000;
const DESK = 1280;
const PHONE = 375;
/** Where screenshots are kept for somebody who looks at them; nowhere where nothing is said. */
const SHOTS = Deno.env.get("SCREENSHOTS");

/** Opens a page, and finds it less than 100 KB in all, of one host. */
async function opens(page: Page, address: string): Promise<void> {
  const { bytes, hosts } = await loadedOf(page, address);
  assert.ok(bytes > 5_000 && bytes < BYTES_MAX, `${address} has ${bytes} bytes`);
  assert.deepEqual(hosts, [new URL(address).host]);
}

/** Looks at pages by those who open them: on a phone without scripts, on a desk with them, and by keyboard on both. */
async function assertPages(browser: Browser, place: Place, pages: readonly Opened[], name: string) {
  const wrong: string[] = [];
  for (const [who, opened] of Map.groupBy(pages, ([who]) => who)) {
    const contexts: BrowserContext[] = [];
    for (const width of [PHONE, DESK]) {
      const context = await browser.createBrowserContext();
      contexts.push(context);
      await place.enter(context, who);
      const { page, complaints } = await pageOf(context);
      for (const [, path] of opened) {
        try {
          await page.setJavaScriptEnabled(width === DESK);
          await page.setViewport({ width, height: 800 });
          await opens(page, place.baseUrl + path);
          await assertKeyboard(page);
          await page.setJavaScriptEnabled(true); // for axe; the page was loaded without
          for (const scheme of ["light", "dark"] as const) {
            const slug = `${name}-${who}-${path.replaceAll(/[^a-z0-9]+/gi, "-")}-${width}-${scheme}`.slice(
              0,
              120,
            );
            await assertLooks(page, { width, scheme, shot: SHOTS && `${SHOTS}/${slug}` });
          }
          if (width === DESK) await assertBetween(page);
          assert.deepEqual(complaints, [], path);
        } catch (thrown) {
          wrong.push(`${who} ${width} ${path}: ${thrown instanceof Error ? thrown.message : thrown}`);
        }
      }
    }
    for (const context of contexts) await context.close(); // with their streams
  }
  assert.deepEqual(wrong, []);
}

async function asMaster(place: Place, browser: Browser): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.createBrowserContext();
  await place.enter(context, "master");
  return { context, page: (await pageOf(context)).page };
}

Deno.test("each page that the router answers is looked at in a browser, and each of the navigation is one", () => {
  const rows = Object.keys(FILLED);
  const routes = [...routed(), "/", "(none)"];
  assert.deepEqual(routes.filter((one) => !rows.includes(one) && !NO_PAGES.includes(one)), []);
  assert.deepEqual([...rows, ...NO_PAGES].filter((one) => !routes.includes(one)), []);
  assert.deepEqual(NAVIGATION.filter(({ href }) => href.startsWith("/admin") && !rows.includes(href)), []);
});

inChromium("the console", {
  "every page where there is something of everything": async (browser: Browser) => {
    await using at = await filledPlace();
    await assertPages(browser, at, Object.values(FILLED).flatMap((of) => of(at.ids)), "filled");
  },

  "every page where there is nothing yet": async (browser: Browser) => {
    await using at = await emptyPlace();
    await assertPages(browser, at, EMPTY, "empty");
  },

  "without scripts the menu opens on a phone and leads on, and times stand in UTC": async (
    browser: Browser,
  ) => {
    await using at = await filledPlace();
    const { page, context } = await asMaster(at, browser);
    await page.setJavaScriptEnabled(false);
    await page.goto(`${at.baseUrl}/admin`);
    const shown = await page.$eval("main time", (one) => one.textContent);
    assert.match(shown ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    await page.click(".menu summary");
    await led(page, page.click('.menu a[href="/admin/freezes"]'));
    assert.equal(await titleOf(page), "Freezes");
    await page.click(".menu summary");
    await led(page, page.click(".menu .sign-out button"));
    assert.equal(await titleOf(page), "Sign in with the master token");
    await context.close();
  },

  "with scripts a time is the reader's own, with UTC beside": async (browser: Browser) => {
    await using at = await filledPlace();
    const { page, context } = await asMaster(at, browser);
    await page.emulateTimezone("Asia/Tokyo");
    await page.goto(`${at.baseUrl}/admin`);
    const [iso, shown] = await page.$eval("main time", (one) => [one.dateTime, one.textContent] as const);
    const hours = new Date(Date.parse(iso) + 9 * 60 * 60_000).getUTCHours();
    assert.match(shown, new RegExp(`${String(hours % 12 || 12).padStart(2, "0")}:\\d\\d`));
    assert.match(shown, new RegExp(`${iso.slice(0, 16).replace("T", " ")} UTC$`));
    await context.close();
  },
});
