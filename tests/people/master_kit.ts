/** A browser of whoever holds the master token. */
import { type Kit, MASTER } from "../kit.ts";
import { PersonBrowser } from "./kit.ts";

/** Where the form of the master token is sent to. */
export const MASTER_FORM = "/admin/login/form";

/** A browser that has signed in with the master token. */
export async function masterBrowser(gw: Kit): Promise<PersonBrowser> {
  const browser = new PersonBrowser(gw);
  await browser.open("/admin/login");
  await browser.submit(MASTER_FORM, { master_token: MASTER });
  return browser;
}
