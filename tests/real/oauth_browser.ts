/** What letting a client in takes in a browser: somebody who has joined, the client's port, and the pages by keyboard. */
import assert from "node:assert/strict";
import type { Kit } from "../kit.ts";
import type { Page } from "../packages/puppeteer.ts";
import { invited, PASSPHRASE, person, PersonBrowser } from "../people/kit.ts";
import { led, tabTo, titleOf } from "./browser.ts";

/** Somebody who has joined before, by e-mail address. */
export async function member(gw: Kit, baseUrl: string): Promise<string> {
  const ann = await person(gw, "ann@agency.example");
  const path = new URL(await invited(gw, ann)).pathname;
  const browser = new PersonBrowser(gw);
  await browser.open(path);
  const joined = await browser.submit(path, { passphrase: PASSPHRASE, again: PASSPHRASE }, {
    headers: { origin: baseUrl },
  });
  assert.equal(joined.status, 200, joined.text);
  return ann.email;
}

/** Where a client on the same machine waits for the answer, and what it got. */
export interface Callback extends AsyncDisposable {
  readonly url: string;
  readonly answers: URLSearchParams[];
}

/** Opens the port of a client. */
export function callback(): Callback {
  const answers: URLSearchParams[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    if (new URL(url).pathname === "/callback") answers.push(new URL(url).searchParams);
    return new Response("<title>Client</title><h1>Back at the client</h1>", {
      headers: { "content-type": "text/html" },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/callback`,
    answers,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Signs in by keyboard, on the page that asks for it before that of consent. */
export async function signIn(page: Page, email: string): Promise<void> {
  assert.equal(await titleOf(page), "Sign in");
  await tabTo(page, 'input[name="email"]');
  await page.keyboard.type(email);
  await tabTo(page, 'input[name="passphrase"]');
  await page.keyboard.type(PASSPHRASE);
  await led(page, page.keyboard.press("Enter"));
}

/** Ticks a site by keyboard, says whether a person approves each change and yes, and is back at the client. */
export async function sayYes(page: Page, site: string, human = false): Promise<void> {
  await tabTo(page, `input[name="sites"][value="${site}"]`);
  await page.keyboard.press("Space");
  await tabTo(page, 'input[name="confirm_policy"]');
  const ticked = await page.$eval('input[name="confirm_policy"]', (box) => box.matches(":checked"));
  if (ticked !== human) await page.keyboard.press("Space");
  await tabTo(page, 'button[value="allow"]');
  await led(page, page.keyboard.press("Enter"));
  assert.equal(await titleOf(page), "Back at the client");
}
