/** The text of a token on the console, replaced and shown once, and where it works from. */
import assert from "node:assert/strict";
import { gateway, site } from "../kit.ts";
import { masterBrowser } from "./master_kit.ts";
import { fieldsOn, pressing } from "./token_form_kit.ts";

const PATH = "/admin/tokens";
const press = pressing(PATH);

/** The hidden fields of the page's forms, which prove that it was sent from there. */
const proofOn = (text: string) =>
  new URLSearchParams(
    [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );

Deno.test("a token's text is replaced on its page: the new one is shown once, the old one works for a day or ends", async () => {
  await using gw = await gateway();
  const browser = await masterBrowser(gw);
  const { token, text } = await gw.store.tokens.create({
    ...{ name: "ci", env: "dev", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 0 },
    ...{ skip_write_confirm: false, owner_user_id: null, super_admin: false, allowed_ips: ["192.0.2.0/24"] },
  });
  const page = await browser.open(`${PATH}/${token.id}`);
  assert.match(page.text, /192\.0\.2\.0\/24/);
  const made = await browser.post(`${PATH}/${token.id}/rotate`, proofOn(page.text));
  const shown = /gate_dev_[\w-]{43}/.exec(made.text)?.[0];
  assert.ok(shown !== undefined && shown !== text);
  assert.match(made.text, /The old text works until/);
  assert.equal((await gw.store.tokens.find(shown))?.id, token.id);
  assert.equal((await gw.store.tokens.find(text))?.id, token.id);
  const proof = proofOn((await browser.open(`${PATH}/${token.id}`)).text);
  proof.set("old_ends", "true");
  const ended = await browser.post(`${PATH}/${token.id}/rotate`, proof);
  assert.doesNotMatch(ended.text, /The old text works until/);
  assert.equal(await gw.store.tokens.find(shown), null);
  const [row] = await gw.audit();
  assert.deepEqual([row!.tool, row!.arguments], ["token.rotate", { token: token.id, old_until: null }]);
});

Deno.test("a token is bound on its form to where it works from, and that is shown and changed there", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const browser = await masterBrowser(gw);
  await browser.open(PATH);
  const wrong = await press(browser, {
    name: "office",
    allowed_sites: "acme",
    allowed_ips: "203.0.113.7, office",
  });
  assert.match(wrong.text, /id="allowed_ips-error"/);
  assert.equal(fieldsOn(wrong.text).get("allowed_ips"), "203.0.113.7, office", "what was typed stays");
  await press(browser, { name: "office", allowed_sites: "acme", allowed_ips: "203.0.113.7, 2001:db8::/48" });
  const stored = async () => (await gw.store.tokens.list()).find(({ name }) => name === "office")!;
  const { id } = await stored();
  assert.deepEqual((await stored()).allowed_ips, ["203.0.113.7", "2001:db8::/48"]);
  const page = `${PATH}/${id}`;
  const shown = await browser.open(page);
  assert.equal(fieldsOn(shown.text).get("allowed_ips"), "203.0.113.7, 2001:db8::/48");
  const change = async (allowed_ips: string) => {
    const fields = fieldsOn((await browser.open(page)).text);
    fields.set("allowed_ips", allowed_ips);
    await browser.post(page, fields);
    return (await stored()).allowed_ips;
  };
  assert.deepEqual(await change("203.0.113.7"), ["203.0.113.7"]);
  assert.equal(await change(""), undefined, "from anywhere");
});
