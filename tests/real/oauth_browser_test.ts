/** Letting a client in as a person does: an official client, real pages in a browser on a phone, a confirmed draft. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { gateway, type Kit, site } from "../kit.ts";
import type { Browser } from "../packages/puppeteer.ts";
import { assertUsable, inChromium, led, pageOf, tabTo, textOf, titleOf } from "./browser.ts";
import { listen } from "../e2e/mcp_start.ts";
import { type Callback, callback, member, sayYes, signIn } from "./oauth_browser.ts";
import { call, draft, second, type Stranger } from "../e2e/oauth_client.ts";

interface Place extends AsyncDisposable {
  readonly gw: Kit;
  readonly baseUrl: string;
  readonly email: string;
  readonly client: Stranger;
  readonly answers: Callback["answers"];
}

/** A gateway on a port over a stand-in of WordPress, somebody who has joined, and a client on the same machine. */
async function place(): Promise<Place> {
  const cms = await startWordPressStandIn();
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const back = callback();
  const { username, application_password } = cms.users.admin;
  const baseUrl = `http://localhost:${port}`;
  const blog = site("blog", "cms", {
    name: "The blog",
    base_url: cms.base_url,
    credentials: { cms: { username, application_password } },
  });
  const gw = await gateway({
    fetch: "network",
    realClock: true,
    allowPrivate: ["127.0.0.1"],
    settings: { baseUrl },
    sites: [blog, site("acme", "cms")],
  });
  opened.resolve(gw);
  return {
    gw,
    baseUrl,
    email: await member(gw, baseUrl),
    client: second()(`${baseUrl}/mcp`, "<b>Desk</b>", back.url),
    answers: back.answers,
    async [Symbol.asyncDispose]() {
      await Promise.all([shutdown(), back[Symbol.asyncDispose]()]);
      await gw[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

inChromium("letting a client in", {
  "from the client's 401 over sign-in and consent, by keyboard on a phone, to a confirmed draft": async (
    browser: Browser,
  ) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await page.goto((await at.client.ask()).href);
    await signIn(page, at.email);
    assert.equal(await titleOf(page), "Let “<b>Desk</b>” in?");
    const text = await textOf(page);
    assert.match(text, /Nobody has verified that name/);
    assert.match(text, /a program on the machine you are at \(127\.0\.0\.1\)/);
    assert.doesNotMatch(text, /create_draft/, "what the groups hold is folded away");
    await tabTo(page, 'input[name="groups"][value="posts"] + div summary');
    await page.keyboard.press("Enter");
    assert.match(await textOf(page), /create_draft/);
    await assertUsable(page, complaints);

    const [allow, deny] = await page.$$eval(
      "button[name=answer]",
      (all) => all.map((one) => one.getBoundingClientRect().toJSON()),
    );
    assert.ok(deny.left - allow.right >= 8 || deny.top - allow.bottom >= 8, "a yes is no slip of the thumb");
    await tabTo(page, 'button[value="allow"]');
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /Tick at least one site/, "no site of several is ticked");
    await assertUsable(page, complaints);
    await sayYes(page, "blog");
    assert.deepEqual(complaints, [], "the policy let the form lead there");

    const connected = await at.client.goOn(at.answers[0]!);
    try {
      await draft(connected, "blog", "Written by the desk");
      await page.goto(`${at.baseUrl}/admin/clients`);
      assert.match(await textOf(page), /<b>Desk<\/b>/);
      await assertUsable(page, complaints);
      await led(page, page.click('form[action="/admin/clients/end"] button'));
      await assert.rejects(connected.listTools(), /the connection has ended/);
    } finally {
      await connected.close();
    }
  },

  "as the page offers it a person approves each change: the client's draft waits, and is made by a yes on its page":
    async (
      browser: Browser,
    ) => {
      await using at = await place();
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await page.goto((await at.client.ask()).href);
      await signIn(page, at.email);
      assert.match(await textOf(page), /You have no right to approve; the operator gives it/);
      const [user] = await at.gw.store.users.list();
      await at.gw.store.users.update(user!.id, { approve_sites: ["blog"] });
      const box = 'input[name="confirm_policy"]';
      assert.equal(await page.$eval(box, (one) => one.matches(":checked")), true, "it is ticked");
      if (Deno.env.has("SCREENSHOTS")) {
        await page.screenshot({ path: `${Deno.env.get("SCREENSHOTS")}/consent.png`, fullPage: true });
      }
      await sayYes(page, "blog", true);
      const connected = await at.client.goOn(at.answers[0]!);
      try {
        const args = { site_id: "blog", title: "By the desk", content_html: "<p>Hello</p>" };
        const { approval, confirm_token } = await call(connected, "create_draft", args);
        await page.goto(`${at.baseUrl}/admin/clients`);
        assert.match(await textOf(page), /a person approves each change/);
        await assertUsable(page, complaints);
        await page.goto(approval.url);
        await tabTo(page, 'form[action$="/approve"] button');
        await led(page, page.keyboard.press("Enter"));
        const made = await call(connected, "create_draft", { ...args, confirm: true, confirm_token });
        assert.deepEqual([made.status, made.replayed], ["draft", true]);
      } finally {
        await connected.close();
      }
    },

  "who denies is led back with a refusal, and a frame shows nothing": async (browser: Browser) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const address = (await at.client.ask()).href;
    await page.goto(address);
    await signIn(page, at.email);
    await led(page, page.click('button[value="deny"]'));
    assert.equal(await titleOf(page), "Back at the client");
    assert.equal(at.answers[0]!.get("error"), "access_denied");
    assert.deepEqual(complaints, []);

    await page.setContent(`<iframe src="${address.replaceAll("&", "&amp;")}"></iframe>`);
    const frame = await (await page.waitForSelector("iframe"))!.contentFrame();
    assert.ok(!(await frame!.content()).includes("Desk"));
    assert.deepEqual(await at.gw.store.oauthGrants.list(), []);
  },
});
