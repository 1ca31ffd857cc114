/** Signing in: invitations, sessions, limits, and what somebody learns who may not. */
import assert from "node:assert/strict";
import { gateway } from "../kit.ts";
import { invited, person, PersonBrowser } from "./kit.ts";

Deno.test("an invitation sets a passphrase, which signs in; the link works once", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const link = await invited(gw, ann);
  const browser = new PersonBrowser(gw);
  const page = await browser.open(link);
  assert.equal(page.title, "Your invitation");
  assert.match(page.text, /ann@agency\.example/);
  await browser.join(link);
  assert.equal((await browser.open("/admin/account")).status, 200);
  const again = await new PersonBrowser(gw).open(link);
  assert.deepEqual([again.status, again.title], [410, "This invitation cannot be used"]);
  assert.match(again.text, /used already/);
  const other = new PersonBrowser(gw);
  await other.signIn("ANN@agency.example");
  assert.equal((await other.open("/admin/account")).status, 200);
});
