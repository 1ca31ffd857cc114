/** Somebody at a browser, who sees what pages show and presses what they name. */
import assert from "node:assert/strict";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { led, pageOf, textOf } from "./browser.ts";

/** Where screenshots are kept for somebody who looks at them; nowhere where nothing is said. */
const SHOTS = Deno.env.get("SCREENSHOTS");

/** By what the operator works. */
export interface Means {
  readonly name: string;
  readonly width: number;
  readonly scripts: boolean;
}

/** Somebody at a browser, who sees what pages show and presses what they name. */
export class Operator {
  #shots = 0;
  private constructor(readonly page: Page, readonly means: Means, readonly complaints: readonly string[]) {}

  static async at(browser: Browser, means: Means): Promise<Operator> {
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await page.setViewport({ width: means.width, height: 800 });
    await page.setJavaScriptEnabled(means.scripts);
    return new Operator(page, means, complaints);
  }

  /** Opens an address that somebody was given. */
  async opens(address: string): Promise<void> {
    await this.page.goto(address);
  }

  /** Presses a link or a button by what it says, and waits for where it leads. */
  async presses(words: string, within = "main"): Promise<void> {
    const found = await this.#find(words, within);
    assert.ok(found !== null, `nothing says "${words}" on ${this.page.url()}: ${await textOf(this.page)}`);
    await led(this.page, this.page.click(found));
    await this.#shows(words);
  }

  /** Goes to a page by the navigation, which is folded away on a phone. */
  async goes(label: string): Promise<void> {
    const isFolded = this.means.width < 960;
    if (isFolded) await this.page.click(".menu summary");
    await this.presses(label, isFolded ? ".menu" : ".side");
  }

  /** Fills a field in that has that label. */
  async fills(label: string, text: string): Promise<void> {
    const id = await this.#labelled(label);
    await this.page.$eval(id, (one) => void ((one as unknown as { value: string }).value = ""));
    await this.page.type(id, text);
  }

  /** Ticks what has that label. */
  async ticks(label: string): Promise<void> {
    const id = await this.#labelled(label);
    if (!await this.page.$eval(id, (one) => one.matches(":checked"))) await this.page.click(id);
  }

  /** Chooses from a list that has that label. */
  async chooses(label: string, words: string): Promise<void> {
    const id = await this.#labelled(label);
    const value = await this.page.$eval(
      id,
      (one, words) =>
        [...(one as unknown as { options: { text: string; value: string }[] }).options]
          .find(({ text }) => text.includes(words))?.value,
      words,
    );
    assert.ok(value !== undefined, `"${words}" can be chosen as ${label}`);
    await this.page.select(id, value);
  }

  /** Reads that the page says so. */
  async reads(says: RegExp): Promise<void> {
    assert.match(await textOf(this.page), says);
  }

  /** What is to be copied. */
  async copies(): Promise<string> {
    return await this.page.$eval(".secret", (one) => one.textContent ?? "");
  }

  async #find(words: string, within: string): Promise<string | null> {
    const found = await this.page.$$eval(
      `${within} a, ${within} button, ${within} summary`,
      (all, words) => {
        const shown = all.filter((one) => one.checkVisibility());
        const says = (one: typeof all[number]) => (one.textContent ?? "").trim();
        const one = shown.find((one) => says(one) === words) ??
          shown.find((one) => says(one).startsWith(words));
        if (one) one.id ||= "pressed";
        return one?.id ?? null;
      },
      words,
    );
    return found === null ? null : `#${found}`;
  }

  async #labelled(label: string): Promise<string> {
    const id = await this.page.$$eval(
      "label",
      (all, label) =>
        all.find((one) => (one.textContent ?? "").trim().startsWith(label))?.getAttribute("for") ?? null,
      label,
    );
    assert.ok(id !== null, `a field is called "${label}" on ${this.page.url()}: ${await textOf(this.page)}`);
    return `[id="${id}"]`;
  }

  async #shows(words: string): Promise<void> {
    assert.deepEqual(this.complaints, []);
    const [width, shown] = await this.page.evaluate(
      "[document.documentElement.scrollWidth, innerWidth]",
    ) as number[];
    assert.ok(width! <= shown!, `${this.page.url()} is ${width} px wide on ${shown}`);
    if (SHOTS === undefined) return;
    const name = `${this.means.name}-${String(++this.#shots).padStart(2, "0")}-${
      words.replaceAll(/\W+/g, "-")
    }`;
    await this.page.screenshot({ path: `${SHOTS}/${name.slice(0, 80)}.png`, fullPage: true });
  }
}
