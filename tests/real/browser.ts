/** A headless Chromium for tests; where there is none they are skipped and say so, with CI=true they fail. */
import assert from "node:assert/strict";
import { AXE } from "../packages/axe.ts";
import { type Browser, type BrowserContext, type Page, puppeteer } from "../packages/puppeteer.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

function find(): string | null {
  const given = Deno.env.get("CHROMIUM");
  if (given) return given;
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const path of folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`))) {
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
    }
  }
  return null;
}

const PATH = find();
/** Whether there is no Chromium here; with CI=true there must be. */
const ignore = PATH === null && Deno.env.get("CI") !== "true";
const on = ignore
  ? "in a Chromium (not run: no chromium on the PATH; install it, or name it in CHROMIUM)"
  : "in a Chromium";

/**
 * Tests that share a browser, which takes seconds to start; each makes contexts of its own, which share nothing. They
 * are skipped too where `unless` says that something else is not here.
 */
export function inChromium(
  what: string,
  tests: Readonly<Record<string, (browser: Browser) => Promise<void>>>,
  unless = false,
): void {
  Deno.test({
    name: `${what}, ${on}`,
    ignore: ignore || unless,
    sanitizeOps: false, // what the library leaves behind is its own
    sanitizeResources: false,
    async fn(t) {
      if (PATH === null) throw new Error("There is no Chromium: install one, or name it in CHROMIUM");
      const browser = await puppeteer.launch({ executablePath: PATH, args: ["--no-sandbox"] });
      try {
        for (const [name, test] of Object.entries(tests)) {
          await t.step({ name, fn: () => test(browser), sanitizeOps: false, sanitizeResources: false });
        }
      } finally {
        await browser.close();
      }
    },
  });
}

/** A phone's width. */
export const PHONE = { width: 375, height: 700 } as const;

/** A page of a context, and whatever it complained of. */
export async function pageOf(context: BrowserContext): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  await page.setViewport(PHONE);
  page.on("pageerror", (error) => void complaints.push(String(error)));
  page.on("console", (message) => {
    // That a refusal's status is one is no complaint about the page.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  return { page, complaints };
}

/** The heading of a page. */
export const titleOf = (page: Page) => page.$eval("h1", (one) => one.textContent);
/** What a page shows. */
export const textOf = (page: Page) => page.$eval("body", (one) => one.innerText);

/** Does something, and waits for where it leads. */
export async function led(page: Page, work: Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForNavigation(), work]);
}

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Cells of cards whose label is higher than the cell, so that it stands over the next one. */
const TALL_LABELS = `[...document.querySelectorAll("td[data-column]")].filter((cell) =>
  parseFloat(getComputedStyle(cell, "::before").height) > cell.clientHeight).map((cell) => cell.dataset.column)`;

/** No wider than the phone, nothing serious for axe, in light and in dark, and nothing tried to load or run. */
export async function assertUsable(page: Page, complaints: readonly string[]): Promise<void> {
  for (const value of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    const [width, shown] = await page.evaluate(
      "[document.documentElement.scrollWidth, innerWidth]",
    ) as number[];
    assert.ok(width! <= shown!, `${page.url()} is ${width} px wide on ${shown}`);
    assert.deepEqual(await page.evaluate(TALL_LABELS), [], `labels of cells overlap on ${page.url()}`);
    const { violations } = await page.evaluate(`${AXE}; axe.run()`) as { violations: readonly Finding[] };
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(
      serious.map(({ id, nodes }) => [page.url(), value, id, nodes.map(({ html }) => html)]),
      [],
    );
  }
  assert.deepEqual(complaints, []);
}

/** Presses Tab until what has the focus fits the selector. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  assert.fail(`the keyboard does not reach ${selector} on ${page.url()}`);
}
