/** Approvals in a real browser: the agent that asks over MCP, and people who join, sign in and open its link. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import type { Args } from "../cms_kit.ts";
import { endingOf } from "../endings.ts";
import type { Kit } from "../kit.ts";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { invited, PASSPHRASE } from "../people/kit.ts";
import { led, pageOf, tabTo, titleOf } from "./browser.ts";

/** The agent of a token: a call over MCP, at the address that the gateway is reached by. */
export const agent = (baseUrl: string, token: string) => async <T>(tool: string, args: Args): Promise<T> => {
  const params = { name: tool, arguments: args };
  const response = await fetch(`${baseUrl}/mcp`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const ending = await endingOf("mcp", response);
  if ("code" in ending) assert.fail(`${tool}: ${ending.code}: ${ending.message}`);
  return ending.value as T;
};

/** Follows an invitation, in a browser of its own. */
export async function joins(browser: Browser, gw: Kit, user: User): Promise<void> {
  const context = await browser.createBrowserContext();
  const { page } = await pageOf(context);
  await page.goto(await invited(gw, user));
  for (const field of ["#passphrase", "#again"]) await page.type(field, PASSPHRASE);
  await led(page, page.keyboard.press("Enter"));
  await context.close();
}

/** Opens a link signed out, signs in by keyboard, and is led back to it. */
export async function openedBy(page: Page, url: string, email = "bea@agency.example"): Promise<void> {
  await page.goto(url);
  assert.equal(await titleOf(page), "Sign in");
  await tabTo(page, "#email");
  await page.keyboard.type(email);
  await tabTo(page, "#passphrase");
  await page.keyboard.type(PASSPHRASE);
  await led(page, page.keyboard.press("Enter"));
  assert.equal(page.url(), url);
}
