/** Every page of the console in a real browser: for each role, wide and narrow, in light and in dark, without scripts. */
import assert from "node:assert/strict";
import { encodeTime } from "ulid";
import { gateway, type Kit, MASTER, site } from "../kit.ts";
import { AXE } from "../packages/axe.ts";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { listen } from "../e2e/mcp_start.ts";
import { PASSPHRASE } from "../people/kit.ts";
import { member } from "./oauth_browser.ts";
import { inChromium, led, titleOf } from "./browser.ts";

const BYTES_MAX = 100_000;
const ALONE = ["/", "/admin/sign-in", "/admin/login"];
/** A row that is shown on its own page. */
const ROW = encodeTime(Date.now() - 60_000, 10) + "A".repeat(16);
const PAGES = [
  "",
  "/approvals",
  "/tokens",
  "/connections",
  "/clients",
  "/audit",
  "/audit?outcome=unknown&from=2026-01-01",
  "/audit?status=none",
  `/audit/${ROW}`,
  "/changes",
  "/freezes",
  "/sites",
  "/webhooks",
  "/account",
  "/try",
  "/design",
  "/nothing",
].map((path) => `/admin${path}`);

/** Where screenshots are kept for somebody who looks at them; nowhere where nothing is said. */
const SHOTS = Deno.env.get("SCREENSHOTS");

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Asks axe for everything, and whether anything is wider than the screen, wide and narrow, in light and in dark. */
async function assertPage(page: Page, address: string): Promise<void> {
  let bytes = 0;
  const hosts = new Set<string>();
  const count = async (answer: { url(): string; buffer(): Promise<Uint8Array> }) => {
    hosts.add(new URL(answer.url()).host);
    bytes += (await answer.buffer().catch(() => new Uint8Array())).length;
  };
  const counted: Promise<void>[] = [];
  const onAnswer = (answer: Parameters<typeof count>[0]) => void counted.push(count(answer));
  page.on("response", onAnswer);
  await page.setCacheEnabled(false);
  await page.goto(address);
  await Promise.all(counted);
  page.off("response", onAnswer);
  assert.ok(bytes < BYTES_MAX, `${address} has ${bytes} bytes`);
  assert.deepEqual([...hosts], [new URL(address).host]);
  for (const width of [1280, 375]) {
    await page.setViewport({ width, height: 800 });
    for (const value of ["light", "dark"]) {
      const name = `${address} at ${width} px, ${value}`;
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, name);
      const { violations } = await page.evaluate(`${AXE}; axe.run()`) as { violations: readonly Finding[] };
      if (SHOTS !== undefined) {
        const shot = name.replaceAll(/[^a-z0-9]+/gi, "-");
        await page.screenshot({ path: `${SHOTS}/${shot}.png`, fullPage: true });
      }
      assert.deepEqual(violations.map(({ id, nodes }) => [name, id, nodes.map(({ html }) => html)]), []);
    }
  }
}

/** What was called and changed, so that pages have something to show. */
async function filled(gw: Kit): Promise<void> {
  for (let n = 0; n < 12; n++) {
    const request_id = n === 1 ? ROW : `r${n}`;
    await gw.store.audit.append({
      id: request_id,
      at: new Date(Date.now() - n * 60_000).toISOString(),
      door: "mcp",
      request_id,
      token_id: "t",
      token_name: "a-name-without-any-blank-that-somebody-gave-to-what-they-made",
      owner_user_id: null,
      site_id: "acme",
      tool: "update_draft",
      tier: 1,
      arguments: { title: "A word that does not end ".repeat(4), content: "x".repeat(200) },
      status: n % 3 === 0 ? "denied" : "ok",
      error: null,
      duration_ms: 5,
      ...n % 3 === 0 ? {} : {
        outcome: n === 4 ? "unknown" : "made",
        changes: [{ field: "title", from: "Before", to: "x".repeat(120) }],
      },
    });
  }
  await gw.store.freezes.set({ scope: "site", id: "acme", by: "ad@agency.example", reason: "relaunch" });
}

async function place() {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const gw = await gateway({ realClock: true, settings: { baseUrl }, sites: [site("acme", "cms")] });
  opened.resolve(gw);
  await filled(gw);
  return {
    gw,
    baseUrl,
    async [Symbol.asyncDispose]() {
      await shutdown();
      await gw[Symbol.asyncDispose]();
    },
  };
}

async function asMaster(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/admin/login`);
  await page.type('input[name="master_token"]', MASTER);
  await led(page, page.keyboard.press("Enter"));
  assert.equal(await titleOf(page), "Overview");
}

inChromium("the console", {
  "axe finds nothing on any page, of a member and of the master token, and nothing is asked of another host":
    async (browser: Browser) => {
      await using at = await place();
      const page = await (await browser.createBrowserContext()).newPage();
      for (const path of ALONE) await assertPage(page, at.baseUrl + path);
      await asMaster(page, at.baseUrl);
      for (const path of PAGES) await assertPage(page, at.baseUrl + path);
      const email = await member(at.gw, at.baseUrl);
      const other = await (await browser.createBrowserContext()).newPage();
      await other.goto(`${at.baseUrl}/admin/sign-in`);
      await other.type('input[name="email"]', email);
      await other.type('input[name="passphrase"]', PASSPHRASE);
      await led(other, other.keyboard.press("Enter"));
      for (const path of ["/admin", "/admin/freezes"]) await assertPage(other, at.baseUrl + path);
    },

  "without scripts the menu opens on a phone and leads on, and times stand in UTC": async (
    browser: Browser,
  ) => {
    await using at = await place();
    const page = await (await browser.createBrowserContext()).newPage();
    await page.setViewport({ width: 375, height: 700 });
    await page.setJavaScriptEnabled(false);
    await asMaster(page, at.baseUrl);
    const shown = await page.$eval("main time", (one) => one.textContent);
    assert.match(shown ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    await page.click(".menu summary");
    await led(page, page.click('.menu a[href="/admin/freezes"]'));
    assert.equal(await titleOf(page), "Freezes");
    await page.click(".menu summary");
    await led(page, page.click(".menu .sign-out button"));
    assert.equal(await titleOf(page), "Sign in with the master token");
  },

  "with scripts a time is the reader's own, with UTC beside": async (browser: Browser) => {
    await using at = await place();
    const page = await (await browser.createBrowserContext()).newPage();
    await page.emulateTimezone("Asia/Tokyo");
    await asMaster(page, at.baseUrl);
    const [iso, shown] = await page.$eval("main time", (one) => [one.dateTime, one.textContent] as const);
    const hours = new Date(Date.parse(iso) + 9 * 60 * 60_000).getUTCHours();
    assert.match(shown, new RegExp(`${String(hours % 12 || 12).padStart(2, "0")}:\\d\\d`));
    assert.match(shown, new RegExp(`${iso.slice(0, 16).replace("T", " ")} UTC$`));
  },
});
