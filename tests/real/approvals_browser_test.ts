/** A request in a real browser: an agent asks over MCP, a person approves on a phone, the agent's waiting call answers. */
import assert from "node:assert/strict";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { listen } from "../e2e/mcp_start.ts";
import type { Kit } from "../kit.ts";
import { type Asked, asking, edit } from "../tools/_approvals.ts";
import { person } from "../people/kit.ts";
import { agent, joins, openedBy } from "./_approvals.ts";
import { assertUsable, inChromium, led, pageOf, tabTo, textOf, titleOf } from "./browser.ts";

const TEXT = Array.from(
  { length: 12 },
  (_, n) =>
    `<!-- wp:paragraph -->\n<p>Paragraph ${n}: we repair bicycles of every kind, from nine to five.</p>\n`,
).join("");

/** A gateway on a port, reached by a host name, on whose site writes wait for a person; and a person who may approve. */
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
    baseUrl,
    ask: agent(baseUrl, at.kit.gw.token("asks")),
    async [Symbol.asyncDispose]() {
      await shutdown();
      await at[Symbol.asyncDispose]();
    },
  };
}

inChromium("approvals", {
  "an agent asks over MCP, a person approves on a phone by keyboard, the agent's waiting call answers":
    async (
      browser: Browser,
    ) => {
      await using here = await place(browser);
      const { at } = here;
      at.edit(at.draft, { content: TEXT });
      const title = "<b>From an agent</b> \u202eevil";
      const args = edit(at, {
        title,
        content_html: TEXT.replace("Paragraph 7: we", "Paragraph 7: in Kiel we"),
      });
      const asked = await here.ask<Asked>("update_draft", args);
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await page.setJavaScriptEnabled(false);
      await openedBy(page, asked.approval.url);
      await page.setJavaScriptEnabled(true); // for axe; this page has none
      assert.match(await titleOf(page) ?? "", /^Change the draft post "Before" on open/);
      assert.equal(await page.$eval("ins", (one) => one.querySelector("b")), null, "markup is text");
      await assertUsable(page, complaints);
      await page.goto(`${asked.approval.url}?view=side`);
      await assertUsable(page, complaints);
      const about = { approval_id: asked.approval.id, wait_seconds: 20 };
      const waiting = here.ask<Record<string, unknown>>("get_approval", about);
      await tabTo(page, 'form[action$="/approve"] button');
      await led(page, page.keyboard.press("Enter"));
      assert.match(await textOf(page), /Approved by bea@agency\.example/);
      await assertUsable(page, complaints);
      const told = await waiting;
      assert.equal(told["state"], "approved");
      assert.equal((told["answer"] as Record<string, unknown>)["verified"], true);
      assert.equal(at.draft.title, title, "the post on the site is changed");
      const call = { ...args, confirm: true, confirm_token: asked.confirm_token };
      const again = await here.ask<Record<string, unknown>>("update_draft", call);
      assert.equal(again["replayed"], true);
    },

  "lists in several tabs are kept up to date by one stream, which another tab takes over, until the session ends":
    async (
      browser: Browser,
    ) => {
      await using here = await place(browser);
      const { at, baseUrl } = here;
      const context = await browser.createBrowserContext();
      const tabs: Page[] = [];
      const streams: string[] = [];
      for (let n = 0; n < 3; n++) {
        const { page, complaints } = await pageOf(context);
        const name = `tab ${n}`;
        page.on("request", (request) => void (request.url().endsWith("/events") && streams.push(name)));
        if (n === 0) await openedBy(page, `${baseUrl}/admin/approvals`);
        else await page.goto(`${baseUrl}/admin/approvals`);
        tabs.push(page);
        assert.deepEqual(complaints, []);
      }
      const shows = (page: Page, count: number) =>
        page.waitForFunction(
          `document.querySelector("[data-waiting]").textContent === "${count}" && document.title.startsWith("(${count}) ")`,
          { timeout: 15_000, polling: 50 }, // no frames are drawn of a tab behind another
        );
      await here.ask("create_draft", { site_id: "acme", title: "One", content_html: TEXT });
      for (const page of tabs) await shows(page, 1);
      assert.deepEqual(streams, ["tab 0"]);
      await tabs[0]!.close();
      await here.ask("create_draft", { site_id: "acme", title: "Two", content_html: TEXT });
      for (const page of tabs.slice(1)) {
        await shows(page, 2);
        assert.match(await textOf(page), /2 new requests: show$/);
      }
      assert.deepEqual(streams, ["tab 0", "tab 1"]);
      const [user] = await at.kit.gw.store.users.list();
      await at.kit.gw.store.personSessions.endAll(user!.id);
      for (const page of tabs.slice(1)) {
        await page.waitForFunction(
          `document.querySelector("[data-news]").textContent === "This page is not kept up to date any more: show"`,
          { timeout: 15_000, polling: 50 }, // no frames are drawn of a tab behind another
        );
      }
      await tabs[1]!.bringToFront();
      await led(tabs[1]!, tabs[1]!.click("[data-news] a"));
      assert.equal(await titleOf(tabs[1]!), "Sign in");
    },

  "the list is narrowed and several are decided together, by keyboard, where one of them goes live": async (
    browser: Browser,
  ) => {
    await using here = await place(browser);
    const { at, baseUrl } = here;
    const first = await here.ask<Asked>("publish_post", { site_id: "open", post_id: at.draft.id });
    await here.ask("create_draft", { site_id: "acme", title: "Another", content_html: TEXT });
    await here.ask("create_draft", { site_id: "open", title: "A third", content_html: TEXT.repeat(200) });
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await openedBy(page, first.approval.url);
    await assertUsable(page, complaints);
    await page.goto(`${baseUrl}/admin/approvals`);
    assert.match(await page.title(), /^\(3\) Approvals/);
    await assertUsable(page, complaints);
    await page.goto(`${baseUrl}/admin/approvals?site=open&chosen=all`);
    await assertUsable(page, complaints);
    await page.goto(`${baseUrl}/admin/approvals`);
    for (const label of ["Publish", "Another"]) {
      await tabTo(page, `input[name="id"][aria-label*="${label}"]`);
      await page.keyboard.press("Space");
    }
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "2 requests");
    await assertUsable(page, complaints);
    await tabTo(page, "#typed");
    await page.keyboard.type("acme");
    await led(page, page.keyboard.press("Enter"));
    assert.match(await page.$eval("#typed-error", (one) => one.textContent) ?? "", /Type “open”/);
    await assertUsable(page, complaints);
    await tabTo(page, "#typed");
    await page.keyboard.type("open");
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /2 of 2 are decided[^]*Live: visitors get it/);
    await assertUsable(page, complaints);
    assert.equal(at.draft.status, "publish");
    await page.goto(`${baseUrl}/admin/approvals`);
    await led(page, page.click("th a"));
    assert.match(await textOf(page), /characters have no room here/);
    await assertUsable(page, complaints);
    await tabTo(page, "#words");
    await page.keyboard.type("Too long\nfor one post");
    await led(page, page.click('form[action$="/reject"] button'));
    assert.match(await textOf(page), /“Too long for one post”/);
    await assertUsable(page, complaints);
    await page.goto(`${baseUrl}/admin/approvals?state=decided`);
    assert.match(await textOf(page), /Who decided/);
    await assertUsable(page, complaints);
  },
});
