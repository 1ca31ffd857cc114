/** The pages of people in a real browser: on a phone, by keyboard, in dark, with a passkey; axe finds nothing serious. */
import assert from "node:assert/strict";
import type { Browser, Page } from "../packages/puppeteer.ts";
import type { User } from "../../core/model.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { invited, PASSPHRASE, person } from "../people/kit.ts";
import { assertUsable, inChromium, led, pageOf, tabTo, textOf, titleOf } from "./browser.ts";
import { listen } from "../e2e/mcp_start.ts";

interface Place extends AsyncDisposable {
  readonly gw: Kit;
  readonly baseUrl: string;
  readonly ann: User;
  link(): Promise<string>;
}

/** A gateway on a port, reached by a host name, with one user. */
async function place(): Promise<Place> {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const gw = await gateway({ realClock: true, settings: { baseUrl }, sites: [site("acme", "cms")] });
  opened.resolve(gw);
  const ann = await person(gw, "ann@agency.example");
  return {
    gw,
    baseUrl,
    ann,
    link: () => invited(gw, ann),
    async [Symbol.asyncDispose]() {
      await shutdown();
      await gw[Symbol.asyncDispose]();
    },
  };
}

/** Sends the form with that action, by its button. */
const send = (page: Page, action: string) => led(page, page.click(`form[action="${action}"] button`));

/** Opens the menu, and signs out. */
async function signOut(page: Page): Promise<void> {
  await page.click(".menu summary");
  await led(page, page.click(".menu .sign-out button"));
}

/** A device that has a passkey when it is asked for one, and its owner at hand. */
async function withDevice(page: Page): Promise<void> {
  const session = await page.createCDPSession();
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

inChromium("people", {
  "an invitation, signing in and making a token by keyboard alone, on a phone": async (browser: Browser) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await page.goto(await at.link());
    assert.equal(await titleOf(page), "Your invitation");
    await assertUsable(page, complaints);
    await tabTo(page, "#passphrase");
    await page.keyboard.type("short");
    await tabTo(page, "#again");
    await page.keyboard.type("short");
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /Choose at least 12 characters/);
    assert.equal(await page.$eval("#passphrase", (one) => one.getAttribute("aria-invalid")), "true");
    await assertUsable(page, complaints);
    await tabTo(page, "#passphrase");
    await page.keyboard.type(PASSPHRASE);
    await tabTo(page, "#again");
    await page.keyboard.type(PASSPHRASE);
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Overview");
    await assertUsable(page, complaints);
    await tabTo(page, 'main a[href="/admin/tokens"]');
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Tokens");
    await assertUsable(page, complaints);
    await tabTo(page, "#name");
    await page.keyboard.type("<b>writer</b>");
    await tabTo(page, 'input[name="allowed_sites"]');
    await page.keyboard.press("Space");
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Your new token");
    assert.match(await page.$eval(".secret", (one) => one.textContent) ?? "", /^gate_prod_/);
    await assertUsable(page, complaints);
    await tabTo(page, 'a[href="/admin/tokens"]:not([aria-current])');
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /<b>writer<\/b>/);
    await assertUsable(page, complaints);
    for (const path of ["/admin/connections", "/admin/clients", "/admin/account", "/admin/nothing"]) {
      await page.goto(at.baseUrl + path);
      await assertUsable(page, complaints);
    }
    await tabTo(page, ".menu summary");
    await page.keyboard.press("Enter");
    await assertUsable(page, complaints);
    await tabTo(page, ".menu .sign-out button");
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Sign in");
    await page.goto(`${at.baseUrl}/admin/account`);
    assert.equal(await titleOf(page), "Sign in");
    await tabTo(page, "#email");
    await page.keyboard.type("ann@agency.example");
    await tabTo(page, "#passphrase");
    await page.keyboard.type(PASSPHRASE);
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Your account");
  },

  "a passkey is made by invitation, signs in without an e-mail address, is added and removed": async (
    browser: Browser,
  ) => {
    await using at = await place();
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await withDevice(page);
    const link = await at.link();
    await page.goto(link);
    await send(page, `${new URL(link).pathname}/passkey`);
    assert.equal(await titleOf(page), "Overview");
    const [made] = (await at.gw.store.signIns.get(at.ann.id)).passkeys;
    assert.equal(made?.last_used_at, null);
    await signOut(page);
    await assertUsable(page, complaints);
    await send(page, "/admin/sign-in/passkey");
    assert.equal(await titleOf(page), "Overview");
    assert.notEqual((await at.gw.store.signIns.get(at.ann.id)).passkeys[0]!.last_used_at, null);
    await page.goto(`${at.baseUrl}/admin/account`);
    await assertUsable(page, complaints);
    await send(page, "/admin/account/passkeys/remove");
    assert.match(await textOf(page), /It is all you sign in with; set a passphrase first/);
    // The device has one for this account: the browser says so, and nothing is sent.
    await page.type("#name", "laptop");
    await page.click('form[action="/admin/account/passkeys"] button');
    await page.waitForSelector('form[action="/admin/account/passkeys"] [data-problem]:not([hidden])');
    assert.match(await textOf(page), /This device has a passkey for this account already/);
    await page.type("#passphrase", PASSPHRASE);
    await page.type("#again", PASSPHRASE);
    await send(page, "/admin/account/passphrase");
    assert.match(await textOf(page), /The passphrase is changed/);
    await send(page, "/admin/account/passkeys/remove");
    assert.match(await textOf(page), /The passkey is removed/);
    await page.type("#name", "laptop");
    await send(page, "/admin/account/passkeys");
    assert.match(await textOf(page), /The passkey can be used from now on/);
    await send(page, "/admin/account/passkeys/remove");
    await signOut(page);
    await send(page, "/admin/sign-in/passkey");
    assert.match(await textOf(page), /No user of this gateway has that passkey/);
    assert.deepEqual(complaints, []);
  },

  "whoever is invited again makes a passkey on the same device or another, and what was before is over":
    async (
      browser: Browser,
    ) => {
      await using at = await place();
      const [old, other] = [
        await pageOf(await browser.createBrowserContext()),
        await pageOf(await browser.createBrowserContext()),
      ];
      await withDevice(old.page);
      await withDevice(other.page);
      const join = async ({ page }: typeof old) => {
        const link = await at.link();
        await page.goto(link);
        await send(page, `${new URL(link).pathname}/passkey`);
        assert.equal(await titleOf(page), "Overview", await textOf(page));
        const { passphrase, passkeys } = await at.gw.store.signIns.get(at.ann.id);
        assert.deepEqual([passphrase, passkeys.length], [null, 1]);
      };
      await join(old);
      await old.page.goto(`${at.baseUrl}/admin/account`);
      await old.page.type("#passphrase", PASSPHRASE);
      await old.page.type("#again", PASSPHRASE);
      await send(old.page, "/admin/account/passphrase");
      await join(old);
      await signOut(old.page);
      await send(old.page, "/admin/sign-in/passkey");
      assert.equal(await titleOf(old.page), "Overview", "the new passkey is the one the device has");
      await join(other);
      await old.page.goto(`${at.baseUrl}/admin/account`);
      assert.equal(await titleOf(old.page), "Sign in");
      await send(old.page, "/admin/sign-in/passkey");
      assert.match(await textOf(old.page), /No user of this gateway has that passkey/);
      await old.page.type("#email", at.ann.email);
      await old.page.type("#passphrase", PASSPHRASE);
      await send(old.page, "/admin/sign-in");
      assert.match(await textOf(old.page), /The e-mail address or the passphrase is wrong/);
      await signOut(other.page);
      await send(other.page, "/admin/sign-in/passkey");
      assert.equal(await titleOf(other.page), "Overview");
      assert.deepEqual([old.complaints, other.complaints], [[], []]);
    },

  "no page is shown in a frame of another": async (browser: Browser) => {
    await using at = await place();
    const { page } = await pageOf(await browser.createBrowserContext());
    const html = `<iframe src="${at.baseUrl}/admin/sign-in"></iframe>`;
    await using other = Object.assign(
      Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        () => new Response(html, { headers: { "content-type": "text/html" } }),
      ),
    );
    await page.goto(`http://127.0.0.1:${other.addr.port}/`);
    const frames = await Promise.all(
      page.frames().slice(1).map((one) => one.evaluate("document.title").catch(() => "")),
    );
    assert.equal(frames.length, 1);
    assert.ok(!frames.some((title) => /Sign in/.test(String(title))));
  },
});
