/** Approvals on a real WordPress, in a real browser: asked over MCP, read on a phone, approved, seen by visitors, taken back. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { listen } from "../e2e/mcp_start.ts";
import { type Kit, site as registered } from "../kit.ts";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { person } from "../people/kit.ts";
import { startWordPress } from "../wordpress.ts";
import type { Asked } from "../tools/_approvals.ts";
import { agent, joins, openedBy } from "./_approvals.ts";
import { assertUsable, inChromium, led, pageOf, tabTo, textOf, titleOf } from "./browser.ts";
import { ignore, Real } from "./_wordpress.ts";

const OLD = "<!-- wp:paragraph -->\n<p>Teh workshop is open from nine to five.</p>\n<!-- /wp:paragraph -->";
const ASKS = { replacements: [{ find: "Teh workshop", replace: "The workshop" }] };

type Told = Readonly<Record<string, unknown>>;

/** A gateway on a port before a WordPress with a published post; bea and ben may approve, ann's client asks. */
async function place(browser: Browser, site: CmsSandbox) {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const { username, application_password } = site.users.admin;
  const at = await Real.open(site, {
    settings: { baseUrl },
    sites: [registered("bikes", "cms", {
      name: "Bicycle workshop",
      base_url: site.base_url,
      credentials: { cms: { username, application_password } },
      flags: { allow_publish: true },
      confirm_policy: "human",
    })],
  });
  const { gw } = at.kit;
  opened.resolve(gw);
  const [bea, ann] = [
    await person(gw, "bea@agency.example", { approve_sites: ["*"], max_risk: 3 }),
    await person(gw, "ann@agency.example", { approve_sites: ["*"], max_risk: 3 }),
  ];
  for (const one of [bea, ann]) await joins(browser, gw, one);
  const { text } = await gw.store.tokens.create({
    ...{ name: "Ann's desk", env: "prod", allowed_sites: ["bikes"], allowed_tools: ["*"], max_risk: 3 },
    ...{ skip_write_confirm: false, owner_user_id: ann.id },
  });
  const { body } = await at.ask.rest("admin", "POST", "/posts", {
    ...{ title: "Opening hours", content: OLD, status: "publish" },
  });
  const post_id = body["id"] as number;
  return {
    at,
    gw,
    baseUrl,
    post_id,
    ask: agent(baseUrl, text),
    /** The text that a visitor gets. */
    seen: async () => {
      const text = await (await fetch(`${site.base_url}/?p=${post_id}`)).text();
      return /Teh workshop|The workshop/.exec(text)?.[0];
    },
    async [Symbol.asyncDispose]() {
      // With their streams, which the server would wait for: also where an assertion ended the journey.
      for (const context of browser.browserContexts().slice(1)) await context.close();
      await shutdown();
      await at[Symbol.asyncDispose]();
    },
  };
}

/** Types the name of the site and approves. */
async function approves(page: Page): Promise<void> {
  await tabTo(page, "#typed");
  await page.keyboard.type("bicycle workshop");
  await led(page, page.keyboard.press("Enter"));
}

/** Waits until a page says of itself what fits; looked at by time, for no frames are drawn of a tab behind another. */
const until = (page: Page, expression: string) =>
  page.waitForFunction(expression, { timeout: 15_000, polling: 50 });

async function withSite(work: (site: CmsSandbox) => Promise<void>): Promise<void> {
  const site = await startWordPress();
  try {
    await work(site);
  } finally {
    await site.stop();
  }
}

inChromium("approvals on a real WordPress", {
  "an agent asks, the open list says so, a person approves on a phone, the agent's waiting call answers, visitors see it, and it goes back":
    (browser: Browser) =>
      withSite(async (site) => {
        await using here = await place(browser, site);
        const { baseUrl, ask, post_id, seen } = here;
        const phone = await browser.createBrowserContext();
        const { page: list, complaints: heard } = await pageOf(phone);
        await openedBy(list, `${baseUrl}/admin/approvals`);
        const title = await list.title();
        assert.match(title, /^Approvals · /);
        await list.evaluate("document.querySelector('h1').scrollIntoView()");
        const stands = await list.evaluate("document.querySelector('main').getBoundingClientRect().top");
        const asked = await ask<Asked>("revise_published", { site_id: "bikes", post_id, ...ASKS });
        await until(list, `document.title.startsWith("(1) ")`);
        assert.equal(await list.title(), `(1) ${title}`);
        assert.match(await textOf(list), /Menu\s*1\b[^]*1 new request: show$/);
        assert.equal(
          await list.evaluate("document.querySelector('main').getBoundingClientRect().top"),
          stands,
          "what is read stays where it is",
        );
        await assertUsable(list, heard);
        await led(list, list.click("[data-news] a"));
        assert.match(await textOf(list), /1 request waits[^]*Correct the published post|1 request waits/);
        await assertUsable(list, heard);

        const { page, complaints } = await pageOf(phone);
        await page.setJavaScriptEnabled(false);
        await page.goto(asked.approval.url);
        assert.match(await textOf(page), /Visitors get it as soon as you approve it/);
        await page.setJavaScriptEnabled(true);
        await assertUsable(page, complaints);
        await page.setJavaScriptEnabled(false);
        const about = { approval_id: asked.approval.id, wait_seconds: 40 };
        const waiting = ask<Told>("get_approval", about);
        assert.equal(await seen(), "Teh workshop");
        await page.type("#typed", "Bicycle workshop");
        await led(page, page.click('form[action$="/approve"] button'));
        assert.match(await textOf(page), /Approved by bea@[^]*Verified:[^]*Live: visitors get it/);
        const told = await waiting;
        assert.equal(told["state"], "approved");
        assert.equal(await seen(), "The workshop");
        await page.setJavaScriptEnabled(true);
        await assertUsable(page, complaints);
        await page.setJavaScriptEnabled(false);

        await led(page, page.click('form[action$="/undo"] button'));
        assert.match(await titleOf(page) ?? "", /^Take back a change on Bicycle workshop/);
        assert.equal(await seen(), "The workshop", "it is only shown");
        await page.setJavaScriptEnabled(true);
        await assertUsable(page, complaints);
        await page.setJavaScriptEnabled(false);
        await page.type("#typed", "Bicycle workshop");
        await led(page, page.click('form[action$="/approve"] button'));
        assert.match(await textOf(page), /Approved by bea@[^]*Verified:/);
        assert.equal(await seen(), "Teh workshop");
        await page.goto(asked.approval.url);
        assert.match(await textOf(page), /It was taken back since/);
        await page.setJavaScriptEnabled(true);
        await assertUsable(page, complaints);
        await until(list, `!document.title.startsWith("(")`);
        await phone.close(); // with its stream, which the server would wait for
      }),

  "four eyes: who asked reads it and cannot approve, alone or with the list; another person does, by keyboard alone":
    (browser: Browser) =>
      withSite(async (site) => {
        await using here = await place(browser, site);
        const { gw, baseUrl, ask, post_id, seen } = here;
        await gw.store.sites.update("bikes", { four_eyes: true });
        const asked = await ask<Asked>("revise_published", { site_id: "bikes", post_id, ...ASKS });
        const { page: anns, complaints: hers } = await pageOf(await browser.createBrowserContext());
        await openedBy(anns, asked.approval.url, "ann@agency.example");
        assert.match(await textOf(anns), /another person than the one whose client asked must approve/);
        assert.equal(await anns.$('form[action$="/approve"]'), null);
        await assertUsable(anns, hers);
        await anns.goto(`${baseUrl}/admin/approvals`);
        assert.match(await textOf(anns), /1 request waits; you may decide on none/);
        assert.match(await anns.title(), /^Approvals/);
        await assertUsable(anns, hers);
        const { page, complaints } = await pageOf(await browser.createBrowserContext());
        await openedBy(page, asked.approval.url);
        await approves(page);
        assert.match(await textOf(page), /Approved by bea@[^]*Live: visitors get it/);
        assert.equal(await seen(), "The workshop");
        await assertUsable(page, complaints);
        await anns.goto(asked.approval.url);
        assert.match(await textOf(anns), /Approved by bea@/);
        await tabTo(anns, 'form[action$="/undo"] button');
        await led(anns, anns.keyboard.press("Enter"));
        assert.match(await textOf(anns), /another person than the one whose client asked must approve/);
        await page.goto(anns.url());
        await approves(page);
        assert.match(await textOf(page), /Approved by bea@/);
        assert.equal(await seen(), "Teh workshop");
      }),
}, ignore);
