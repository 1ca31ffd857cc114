/** The pages of somebody who has signed in: tokens, connected accounts, connected clients. */
import assert from "node:assert/strict";
import { gateway, site } from "../kit.ts";
import { joined, person } from "./kit.ts";

Deno.test("a token is made on the page, shown once, calls tools, is narrowed and revoked", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms"), site("elsewhere", "cms")] });
  const ann = await person(gw, "ann@agency.example", { allowed_sites: ["acme"] });
  const browser = await joined(gw, ann);
  const page = await browser.open("/admin/tokens");
  assert.match(page.text, /You have no token yet/);
  assert.doesNotMatch(page.text, /elsewhere/);
  const made = await browser.submit("/admin/tokens", {
    name: "writer",
    env: "prod",
    allowed_sites: "acme",
    allowed_tools: "*",
    max_risk: "2",
    confirm_policy: "preview",
  });
  assert.equal(made.status, 200, made.text);
  const text = /<code class="secret">([^<]+)<\/code>/.exec(made.text)![1]!;
  assert.match(text, /^gate_prod_/);
  const me = async () => {
    const response = await gw.http("/api/v1/whoami", { headers: { authorization: `Bearer ${text}` } });
    return { status: response.status, ...(await response.json()).result };
  };
  assert.equal((await me()).owner_user_id, ann.id);
  await browser.open("/admin/tokens");
  assert.doesNotMatch(browser.page!.text, new RegExp(text));
  const [token] = await gw.store.tokens.list().then((all) =>
    all.filter(({ owner_user_id }) => owner_user_id === ann.id)
  );
  const path = `/admin/tokens/${token!.id}`;
  await browser.open(path);
  const narrowed = await browser.submit(path, {
    name: "reader",
    allowed_sites: "acme",
    allowed_tools: "named",
    tool_names: "list_sites, get_post",
    max_risk: "0",
    confirm_policy: "preview",
  });
  assert.match(narrowed.text, /The token is changed/);
  assert.deepEqual((await me()).allowed_tools, ["list_sites", "get_post"]);
  await browser.open(path);
  const wider = await browser.submit(path, {
    name: "reader",
    allowed_sites: "acme",
    allowed_tools: "*",
    max_risk: "2",
    confirm_policy: "flag",
  });
  assert.equal(wider.status, 400);
  assert.match(wider.text, /a token can be made to do less, not more/);
  assert.deepEqual((await gw.store.tokens.get(token!.id))!.max_risk, 0);
  await browser.open(path);
  assert.match((await browser.submit(`${path}/revoke`, {})).text, /The token is revoked/);
  assert.equal((await me()).status, 401);
});
