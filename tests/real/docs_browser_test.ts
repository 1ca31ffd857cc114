/** The reference of the API in a real browser: with scripts and without, wide and narrow, and no other host is asked. */
import assert from "node:assert/strict";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { gateway, type Kit } from "../kit.ts";
import { listen } from "../e2e/mcp_start.ts";
import { AXE } from "../packages/axe.ts";
import { assertUsable, inChromium, pageOf, PHONE, textOf, titleOf } from "./browser.ts";

const DESK = { width: 1280, height: 900 } as const;
/** Where screenshots are kept for somebody who looks at them; nowhere where nothing is said. */
const SHOTS = Deno.env.get("SCREENSHOTS");

async function place() {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const gw = await gateway({ realClock: true, settings: { baseUrl } });
  opened.resolve(gw);
  return {
    baseUrl,
    async [Symbol.asyncDispose]() {
      await shutdown();
      await gw[Symbol.asyncDispose]();
    },
  };
}

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What the package's own markup is taken with: a main element within the page's. */
const OF_THE_PACKAGE = ["aria-allowed-role"];

/** Nothing found by axe, nothing wider than the screen, wide and narrow, in light and in dark. */
async function looked(page: Page, complaints: readonly string[], name: string): Promise<void> {
  for (const size of [PHONE, DESK]) {
    await page.setViewport(size);
    for (const value of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      await page.waitForFunction(
        `document.documentElement.matches(".dark-mode") === ${value === "dark"}`,
      );
      await page.waitForFunction(`document.getAnimations().length === 0`);
      const at = `${name} at ${size.width} px, ${value}`;
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, at);
      const { violations } = await page.evaluate(`${AXE}; axe.run()`) as { violations: readonly Finding[] };
      const found = violations.filter(({ id }) => !OF_THE_PACKAGE.includes(id));
      assert.deepEqual(found.map(({ id, nodes }) => [at, id, nodes.map(({ html }) => html)]), []);
      if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}-${size.width}-${value}.png` });
    }
  }
  assert.deepEqual(complaints, []);
}

inChromium("the reference of the API", {
  "it shows a tool with its arguments, under the strict policy, and asks no other host": async (
    browser: Browser,
  ) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const hosts = new Set<string>();
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== "data:") hosts.add(host);
    });
    await page.goto(`${at.baseUrl}/docs`);
    await page.waitForSelector("#reference:not([hidden]) .opblock-tag");
    assert.equal(await page.$eval("#plain", (one) => (one as unknown as { hidden: boolean }).hidden), true);
    await looked(page, complaints, "docs");
    await page.goto(`${at.baseUrl}/docs#create_draft`);
    await page.reload();
    await page.waitForSelector("#operations-posts-create_draft .opblock-body .model-box");
    const text = await textOf(page);
    assert.match(text, /content_html/);
    assert.doesNotMatch(text, /Try it out|Authorize/);
    await looked(page, complaints, "docs-tool");
    assert.deepEqual([...hosts], [new URL(at.baseUrl).host]);
  },

  "without scripts every tool is there in words, by group": async (browser: Browser) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await page.setJavaScriptEnabled(false);
    await page.goto(`${at.baseUrl}/docs`);
    assert.equal(await titleOf(page), "API reference");
    await page.click("#create_draft summary");
    assert.match(await textOf(page), /content_html \(required\)/);
    await page.setJavaScriptEnabled(true);
    await assertUsable(page, complaints);
    for (const value of SHOTS === undefined ? [] : ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      await page.screenshot({ path: `${SHOTS}/docs-plain-375-${value}.png` });
    }
  },
});
