/** A headless Chromium for tests; where there is none they are skipped and say so, with CI=true they fail. */
import assert from "node:assert/strict";
import { MASTER } from "../kit.ts";
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
/** A desk's. */
export const DESK = { width: 1280, height: 900 } as const;

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

/** What a page loaded: its bytes as they are read, of its parts too, and the hosts that it asked. */
export interface Loaded {
  readonly bytes: number;
  readonly hosts: readonly string[];
}

/**
 * Opens an address without the browser's cache, and counts what it loads. The browser says each part's bytes as they
 * come, so nothing is read a second time; a stream of events is not counted, for it does not end.
 */
export async function loadedOf(page: Page, address: string): Promise<Loaded> {
  const session = await page.createCDPSession();
  const asked = new Map<string, string>();
  let bytes = 0;
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    // The browser's own picture in a field for a day has such an address.
    if (!request.url.startsWith("data:") && !request.url.endsWith("/events")) {
      asked.set(requestId, new URL(request.url).host);
    }
  });
  session.on("Network.dataReceived", ({ requestId, dataLength }) => {
    if (asked.has(requestId)) bytes += dataLength;
  });
  try {
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await page.goto(address);
  } finally {
    await session.detach();
  }
  return { bytes, hosts: [...new Set(asked.values())] };
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

/** What is torn: short words of more than one line, in tables and on buttons, whose words do not stand below one another. */
export const TORN = `(() => {
  const found = [];
  for (const one of document.querySelectorAll("th, td, button, a.button, .tag, summary, nav a")) {
    if (one.closest(".sides") !== null || one.closest("thead")?.offsetWidth <= 1 || !one.checkVisibility()) continue; // said to those who cannot see it
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      const isWhole = text.parentElement.closest("td button, .tag") !== null;
      for (const { 0: word, index } of text.data.matchAll(isWhole ? /.+/g : /[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (word.length <= 12 && lines.size > 1) found.push('"' + word + '" is torn in ' + one.tagName);
      }
    }
  }
  return found;
})()`;

/** Marks what the keyboard has to reach: whatever is seen and can be used, of radio buttons one of each group. */
const REACHED = `(() => {
  const all = [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']",
  )].filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0);
  const isOne = (one) => one.type !== "radio" || one === ([...document.querySelectorAll("[type=radio]:checked")]
    .find(({ name }) => name === one.name) ?? document.querySelector("[type=radio][name='" + one.name + "']"));
  const nameOf = (one) => one.type === "radio"
    ? "radio " + one.name
    : (one.id || one.name || one.textContent.trim().slice(0, 40)) + " of " + one.tagName;
  all.forEach((one, at) => one.dataset.reached = one.type === "radio" ? nameOf(one) : at + ": " + nameOf(one));
  return all.filter(isOne).map((one) => one.dataset.reached);
})()`;

/** What has the focus: which of those, and whether that is seen. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  if (one === document.body) return null;
  // Browsers draw no ring around a frame that scrolls, and tell no style that it has the focus.
  if (one.tagName === "IFRAME") return ["a frame", true];
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { top, bottom, left, right, width } = one.getBoundingClientRect();
  const isIn = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && width > 1;
  // Of a field for a day the browser marks the part that has the focus.
  if (one.type === "date") return [one.dataset.reached, isIn];
  return [one.dataset.reached ?? one.tagName, outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && isIn];
})()`;

/** Further stops: a field for a day has one for each of its parts. */
const PARTS_MAX = 24;

/** Goes through a page by Tab alone: every control is reached, in the order of the page, and it is seen where the focus is. */
export async function assertKeyboard(page: Page): Promise<void> {
  const wanted = await page.evaluate(REACHED) as string[];
  await page.evaluate("document.activeElement.blur()");
  const reached: string[] = [];
  for (let presses = 0; presses <= wanted.length + PARTS_MAX; presses++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(FOCUSED) as [string, boolean] | null;
    if (focused === null) break;
    const [name, isSeen] = focused;
    if (name === wanted[0] && reached.length > 0) break; // round again
    assert.ok(isSeen, `the focus is not seen at ${name} on ${page.url()}`);
    if (wanted.includes(name) && reached.at(-1) !== name) reached.push(name);
  }
  assert.deepEqual(reached, wanted, `by Tab on ${page.url()}`);
}

const RUN = 'axe.run(document, { resultTypes: ["violations"] })';

/** What a page is looked at by. */
export interface ScreenState {
  readonly width: number;
  readonly scheme: "light" | "dark";
  /** Where a screenshot goes; none where it is left out. */
  readonly shot?: string | undefined;
}

/** Widths between a phone and a desk, where a page lies otherwise: a tablet upright and across, a small window. */
const BETWEEN = [640, 700, 768, 960, 1024, 1100, 1200];

/** Nothing is wider than the screen and no word is torn at any width between those that are looked at. */
export async function assertBetween(page: Page): Promise<void> {
  for (const width of BETWEEN) {
    await page.setViewport({ width, height: 800 });
    const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth") as number;
    assert.ok(wide <= 0, `${page.url()} is ${wide} px wider than ${width} px`);
    assert.deepEqual(await page.evaluate(OVER), [], `${page.url()} at ${width} px`);
    assert.deepEqual(await page.evaluate(TORN), [], `${page.url()} at ${width} px`);
  }
}

/** Tables that are wider than the room there is for them. */
const OVER = `[...document.querySelectorAll(".table")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.innerText.slice(0, 40) + ": " + one.scrollWidth + " on " + one.clientWidth)`;

/** All of axe, at a width and in a scheme; nothing is wider than the screen, no word is torn, and no label lies over another. */
export async function assertLooks(page: Page, { width, scheme, shot }: ScreenState): Promise<void> {
  const name = `${page.url()} at ${width} px, ${scheme}`;
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.evaluate("scrollTo(0, 0)");
  if (shot !== undefined) await page.screenshot({ path: `${shot}.png` as `${string}.png`, fullPage: true });
  const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth") as number;
  assert.ok(wide <= 0, `${name} is ${wide} px wider than the screen`);
  assert.deepEqual(await page.evaluate(OVER), [], name);
  assert.deepEqual(await page.evaluate(TORN), [], name);
  assert.deepEqual(await page.evaluate(TALL_LABELS), [], `labels of cells overlap on ${name}`);
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  const { violations } = await page.evaluate(RUN) as { violations: readonly Finding[] };
  assert.deepEqual(violations.map(({ id, nodes }) => [name, id, nodes.map(({ html }) => html)]), []);
}

/** Presses Tab until what has the focus fits the selector. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  assert.fail(`the keyboard does not reach ${selector} on ${page.url()}`);
}

/** Where screenshots are kept for somebody who looks at them; nowhere where nothing is said. */
const SHOTS = Deno.env.get("SCREENSHOTS");

/** A page is usable at a phone's width and a desk's; keeps what it looks like there, in light and in dark. */
export async function looked(page: Page, complaints: readonly string[], name: string): Promise<void> {
  for (const size of [PHONE, DESK]) {
    await page.setViewport(size);
    await assertUsable(page, complaints);
    if (SHOTS === undefined) continue;
    for (const value of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      await page.screenshot({ path: `${SHOTS}/${name}-${size.width}-${value}.png`, fullPage: true });
    }
  }
}

/** Signs in on the pages with the master token. */
export async function signInAsMaster(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/admin/login`);
  await page.type("#master_token", MASTER);
  await led(page, page.click('form[action="/admin/login/form"] button'));
}
