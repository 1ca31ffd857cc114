/** Parts of a request in a real browser: a set over three sites with one item left out, and a text that a person edits. */
import assert from "node:assert/strict";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { listen } from "../e2e/mcp_start.ts";
import type { Kit } from "../kit.ts";
import { person } from "../people/kit.ts";
import { type Asked, asking, edit } from "../tools/_approvals.ts";
import { agent, joins, openedBy } from "./_approvals.ts";
import { assertUsable, inChromium, led, pageOf, tabTo, textOf, titleOf } from "./browser.ts";

/** Where screenshots are kept, for whoever wants to look at them. */
const SHOTS = Deno.env.get("SHOTS");

/** Keeps what a page looks like, or what of it is in sight, in light and in dark. */
async function shot(page: Page, name: string, fullPage = true): Promise<void> {
  if (SHOTS === undefined) return;
  for (const value of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    await Deno.writeFile(`${SHOTS}/${name}-${value}.png`, await page.screenshot({ fullPage }));
  }
}

const TEXT = Array.from(
  { length: 12 },
  (_, n) => `<p>Paragraph ${n}: we repair bicycles of every kind, from nine to five.</p>\n`,
).join("");

interface Told {
  readonly state: string;
  readonly reason?: string;
  readonly edited_to?: string;
  readonly items_left_out?: readonly number[];
  readonly answer?: { readonly counts?: Readonly<Record<string, number>>; readonly verified?: boolean };
}

/** A gateway on a port, on whose sites writes wait for a person; and a person who may approve. */
async function place(browser: Browser) {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const at = await asking({ settings: { baseUrl } });
  opened.resolve(at.kit.gw);
  const bea = await person(at.kit.gw, "bea@agency.example", { approve_sites: ["*"], max_risk: 3 });
  await joins(browser, at.kit.gw, bea);
  return {
    at,
    ask: agent(baseUrl, at.kit.gw.token("asks")),
    async [Symbol.asyncDispose]() {
      await shutdown();
      await at[Symbol.asyncDispose]();
    },
  };
}

inChromium("parts of approvals", {
  "a set over three sites: one item is left out by keyboard on a phone, what needs it is named, and the rest is done":
    async (browser: Browser) => {
      await using here = await place(browser);
      const { at } = here;
      at.edit(at.draft, { content: TEXT });
      const { id } = addPost(at.cms.state, {
        type: "post",
        author: 2,
        title: "Opening hours",
        content: TEXT,
      });
      const page_ = (title: string, more: object = {}) => ({
        tool: "create_page_draft",
        arguments: { site_id: "acme", title, content_html: "<p>New</p>", ...more },
      });
      const asked = await here.ask<Asked>("prepare_changes", {
        title: "From ten to six, on all sites",
        changes: [
          page_("Visit us"),
          page_("How to find us", { parent_id: { $from: 1 } }),
          {
            tool: "update_draft",
            arguments: { site_id: "open", post_id: id, content_html: TEXT.replace("7: we", "7: in Kiel we") },
          },
          { tool: "publish_post", arguments: { site_id: "open", post_id: at.draft.id } },
          {
            tool: "create_draft",
            arguments: { site_id: "editor", title: "New hours <b>soon</b>", content_html: "<p>x</p>" },
          },
        ],
      });
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await page.setJavaScriptEnabled(false);
      await openedBy(page, asked.approval.url);
      await page.setJavaScriptEnabled(true); // for axe; the page has none of its own that this needs
      assert.match(await titleOf(page) ?? "", /From ten to six, on all sites: 5 changes on 3 sites/);
      await assertUsable(page, complaints);
      await shot(page, "set");

      await tabTo(page, "#keep-1");
      await page.keyboard.press("Space");
      await tabTo(page, "#keep-4");
      await page.keyboard.press("Space");
      await shot(page, "set-boxes", false);
      await tabTo(page, "#typed");
      await page.keyboard.type("3 sites");
      await shot(page, "set-decision", false);
      await led(page, page.keyboard.press("Enter"));
      assert.match(await textOf(page), /Item 2 takes the id that item 1 makes; leave out item 2 as well/);
      const ticked = () =>
        page.$$eval('input[name="keep"]', (all) => all.map((one) => (one as { checked: boolean }).checked));
      assert.deepEqual(await ticked(), [false, true, true, false, true], "the choice is kept");
      await assertUsable(page, complaints);
      await shot(page, "set-refused");
      assert.equal(at.kit.writes, 0);

      await tabTo(page, "#keep-1");
      await page.keyboard.press("Space");
      const waiting = here.ask<Told>("get_approval", { approval_id: asked.approval.id, wait_seconds: 30 });
      await tabTo(page, 'form[action$="/approve"] button');
      await led(page, page.keyboard.press("Enter"));
      const said = await textOf(page);
      assert.match(said, /Approved by bea@agency\.example at [^.]*, without item 4\./);
      assert.match(said, /4 of 5 items are done; who approved the set left out item 4/);
      await assertUsable(page, complaints);
      await shot(page, "set-done");
      const told = await waiting;
      assert.deepEqual([told.state, told.items_left_out, told.answer!.counts], [
        "approved",
        [4],
        { done: 4, left_out: 1 },
      ]);
      assert.equal(at.draft.status, "draft", "what was left out is not live");
      assert.match(at.cms.state.posts.get(id)!.content, /in Kiel/);
    },

  "a person edits a text on a phone, reads what would be done, and approves it; the agent is told of both":
    async (
      browser: Browser,
    ) => {
      await using here = await place(browser);
      const { at } = here;
      at.edit(at.draft, { content: TEXT });
      const args = edit(at, { content_html: TEXT.replace("Paragraph 7: we", "Paragraph 7: in Kiel we") });
      const asked = await here.ask<Asked>("update_draft", args);
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await page.setJavaScriptEnabled(false);
      await openedBy(page, asked.approval.url);
      await page.setJavaScriptEnabled(true);
      await tabTo(page, 'a[href$="/edit"]');
      await led(page, page.keyboard.press("Enter"));
      assert.equal(await titleOf(page), "Edit the texts");
      await assertUsable(page, complaints);
      await shot(page, "edit");
      const title = "textarea[name='text.title']";
      await tabTo(page, title);
      await page.keyboard.down("Control");
      await page.keyboard.press("A");
      await page.keyboard.up("Control");
      await page.keyboard.type("x".repeat(501));
      await led(page, page.click("main form button"));
      assert.match(await textOf(page), /title: .*500/);
      assert.equal(await page.$eval(title, (one) => (one as { value: string }).value), "x".repeat(501));
      await assertUsable(page, complaints);
      await shot(page, "edit-refused");
      await page.$eval(title, (one) => void ((one as { value: string }).value = "From Bea"));
      await led(page, page.click("main form button"));
      assert.notEqual(page.url(), asked.approval.url);
      assert.match(await textOf(page), /Edited by[^]*bea@agency\.example, in the place of/);
      assert.equal(await page.$("ins") !== null, true);
      await assertUsable(page, complaints);
      await shot(page, "edited");
      assert.equal(at.kit.writes, 0);
      const first = await here.ask<Told>("get_approval", { approval_id: asked.approval.id });
      assert.deepEqual([first.state, first.reason], ["rejected", "edited"]);
      await tabTo(page, 'form[action$="/approve"] button');
      await led(page, page.keyboard.press("Enter"));
      assert.match(await textOf(page), /Approved by bea@agency\.example/);
      const second = await here.ask<Told>("get_approval", { approval_id: first.edited_to! });
      assert.deepEqual([second.state, second.answer!.verified], ["approved", true]);
      assert.deepEqual([at.draft.title, at.draft.content.includes("in Kiel")], ["From Bea", true]);
      await page.goto(asked.approval.url);
      assert.match(
        await textOf(page),
        /Edited by bea@agency\.example at[^]*The request with the edited texts/,
      );
      await assertUsable(page, complaints);
    },
});
