/** Trying tools in a real browser: by keyboard, without scripts, wide and narrow, in light and in dark. */
import assert from "node:assert/strict";
import { AXE } from "../packages/axe.ts";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { ChangingSource, offer } from "../changing_source.ts";
import { listen } from "../e2e/mcp_start.ts";
import type { Kit } from "../kit.ts";
import { PASSPHRASE } from "../people/kit.ts";
import { type World, world } from "../tools/_stand_in.ts";
import { inChromium, led, tabTo, titleOf } from "./browser.ts";
import { member } from "./oauth_browser.ts";

const BYTES_MAX = 100_000;
/** Where screenshots are kept for somebody who looks at them; nowhere where nothing is said. */
const SHOTS = Deno.env.get("SCREENSHOTS");
const WORD = "a-word-that-does-not-end-".repeat(8);

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Looks at the page that is shown, wide and narrow, in light and in dark. */
async function assertShown(page: Page, name: string): Promise<void> {
  const { length } = await page.content();
  assert.ok(length < BYTES_MAX, `${name} has ${length} characters`);
  for (const width of [1280, 375]) {
    await page.setViewport({ width, height: 800 });
    for (const value of ["light", "dark"]) {
      const at = `${name} at ${width} px, ${value}`;
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, at);
      if (SHOTS !== undefined) {
        await page.screenshot({ path: `${SHOTS}/try-${name}-${width}-${value}.png`, fullPage: true });
      }
      const { violations } = await page.evaluate(`${AXE}; axe.run()`) as { violations: readonly Finding[] };
      assert.deepEqual(violations.map(({ id, nodes }) => [at, id, nodes.map(({ html }) => html)]), []);
    }
  }
}

/** A gateway that a browser reaches, and somebody in front of it. */
async function place(browser: Browser) {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const rows = Array.from({ length: 40 }, (_, n) => ({ id: n, title: `${WORD}<b>`, open: n % 2 === 0 }));
  const source = new ChangingSource(
    offer("forms_list", ["open"], { run: () => ({ total: 40, next: null, rows, note: WORD }) }),
    offer("forms_send", ["open"], { writes: true }),
  );
  const at = await world({ realClock: true, settings: { baseUrl }, sources: [source] });
  opened.resolve(at.kit.gw);
  const email = await member(at.kit.gw, baseUrl);
  const page = await (await browser.createBrowserContext()).newPage();
  const signIn = async () => {
    await page.goto(`${baseUrl}/admin/sign-in`);
    await page.type('input[name="email"]', email);
    await page.type('input[name="passphrase"]', PASSPHRASE);
    await led(page, page.keyboard.press("Enter"));
  };
  return {
    at,
    page,
    baseUrl,
    signIn,
    async [Symbol.asyncDispose]() {
      await shutdown();
      await at[Symbol.asyncDispose]();
    },
  };
}

/** Fills a field in by keyboard. */
async function fill(page: Page, field: string, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}

const press = async (page: Page, button: string) => {
  await tabTo(page, button);
  await led(page, page.keyboard.press("Enter"));
};
const titled = ({ at }: { readonly at: World }) => at.draft.title;
const RUN = 'form[action="/admin/try"] button[type="submit"]';

inChromium("trying tools", {
  "by keyboard and without scripts a tool is found, run, shown, written once and taken back": async (
    browser,
  ) => {
    await using on = await place(browser);
    const { page, baseUrl, at } = on;
    await page.setJavaScriptEnabled(false);
    await on.signIn();
    await page.goto(`${baseUrl}/admin/try`);
    assert.equal(await titleOf(page), "Try a tool");
    await page.select('select[name="site"]', "open");
    await fill(page, 'input[name="q"]', "change a draft");
    await led(page, page.keyboard.press("Enter"));
    await press(page, 'a[href="/admin/try?site=open&tool=update_draft"]');
    await fill(page, '[name="arg.post_id"]', String(at.draft.id));
    await press(page, RUN);
    await fill(page, '[name="arg.title"]', "After <i>");
    await press(page, RUN);
    assert.equal(titled(on), "Before");
    await press(page, 'form[action$="/confirm"] button');
    assert.equal(titled(on), "After <i>");
    const { writes } = at.kit;
    await page.reload();
    assert.equal(at.kit.writes, writes);
    await press(page, 'form[action="/admin/changes/undo"] button');
    await press(page, 'form[action$="/confirm"] button');
    assert.equal(titled(on), "Before");
  },

  "axe finds nothing on any page of a trial, and none is wider than its screen": async (browser) => {
    await using on = await place(browser);
    const { page, baseUrl, at } = on;
    await on.signIn();
    const open = async (tool: string) => await page.goto(`${baseUrl}/admin/try?site=open&tool=${tool}`);
    await page.goto(`${baseUrl}/admin/try?site=open`);
    await assertShown(page, "tools");
    await page.goto(`${baseUrl}/admin/try?site=open&q=change+a+draft`);
    await assertShown(page, "found");
    for (const tool of ["update_draft", "prepare_changes", "list_content"]) {
      await open(tool);
      await assertShown(page, `form-${tool}`);
    }
    await open("get_post");
    await page.type('[name="arg.post_id"]', "no id!");
    await led(page, page.click(RUN));
    await assertShown(page, "faults");
    await open("forms_list");
    await page.type('[name="arg.text"]', "all");
    await led(page, page.click(RUN));
    await assertShown(page, "answer");
    await open("forms_send");
    await page.type('[name="arg.text"]', "x");
    await led(page, page.click(RUN));
    await assertShown(page, "unseen");
    await open("update_draft");
    await page.type('[name="arg.post_id"]', String(at.draft.id));
    await page.type('[name="arg.title"]', WORD);
    await page.select('[name="max_risk"]', "0");
    await led(page, page.click(RUN));
    await assertShown(page, "refused");
    await open("update_draft");
    await page.type('[name="arg.post_id"]', String(at.draft.id));
    await page.type('[name="arg.title"]', WORD);
    await led(page, page.click(RUN));
    await page.$$eval("main details", (all) => all.forEach((one) => one.setAttribute("open", "")));
    await assertShown(page, "preview");
    await led(page, page.click('form[action$="/confirm"] button'));
    await assertShown(page, "done");
  },
});
