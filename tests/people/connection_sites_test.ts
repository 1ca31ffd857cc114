/** The page that binds one connected account to many sites: what it changes, what it refuses, whose accounts it offers. */
import assert from "node:assert/strict";
import { gateway, type Kit, site } from "../kit.ts";
import { plain, said, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

const PATH = "/admin/connections/sites";
const ADMIN = { role: "admin", max_risk: 2 } as const;

const opened = async () => await gateway({ sites: ["one", "two", "three"].map((id) => site(id, "cms")) });
const boundTo = async (gw: Kit) =>
  Object.fromEntries((await gw.store.sites.list()).map((one) => [one.id, one.account_user_id]));

async function connected(gw: Kit, email: string, allowed_sites: readonly string[]) {
  const person = await signedIn(gw, email, { ...ADMIN, allowed_sites: [...allowed_sites] });
  await gw.store.accounts.connect(person.user.id, "google", {
    ...{ access_token: "a", expires_in: 3600, refresh_token: "r", scopes: ["s"], account: `${email}@google` },
  });
  return person;
}

Deno.test("one account is bound to several sites at once, with a row for each", async () => {
  await using gw = await opened();
  const { user } = await connected(gw, "ann@agency.example", ["*"]);
  const master = await masterBrowser(gw);
  const list = await master.open("/admin/connections");
  const [, href] = /href="(\/admin\/connections\/sites\?[^"]*)"/.exec(list.text)!;
  const page = await master.open(href!.replaceAll("&amp;", "&"));
  assert.match(plain(page.text), /ann@agency\.example@google/);
  const of = { user: user.id, kind: "google" };
  const lacking: Record<string, string>[] = [{ sites: "one" }, { uses: "account_user_id" }];
  for (const form of lacking) {
    const refused = await master.submit(PATH, { ...of, ...form });
    assert.deepEqual([refused.status, /choose at least one; nothing was changed/.test(said(refused))], [
      400,
      true,
    ]);
  }
  await master.submit(PATH, { ...of, uses: "account_user_id", sites: ["one", "four"] }).then((page) =>
    assert.match(said(page), /No site "four"/)
  );
  assert.deepEqual(await boundTo(gw), { one: null, two: null, three: null });
  const done = await master.submit(PATH, { ...of, uses: "account_user_id", sites: ["one", "two"] });
  assert.match(plain(done.text), /The sites use the account from now on/);
  assert.deepEqual(await boundTo(gw), { one: user.id, two: user.id, three: null });
  const rows = (await gw.audit()).filter(({ tool }) => tool === "site.change");
  assert.deepEqual(rows.map(({ site_id }) => site_id).toSorted(), ["one", "two"]);
  assert.equal(gw.requests.length, 0);
});

Deno.test("an admin binds his or her own account to own sites; no member, nobody else's account, no other site", async () => {
  await using gw = await opened();
  const ann = await connected(gw, "ann@agency.example", ["*"]);
  const sue = await connected(gw, "sue@agency.example", ["one"]);
  const mia = await signedIn(gw, "mia@agency.example", { role: "member", allowed_sites: ["*"] });
  const open = (of: string) => `${PATH}?kind=google&user=${of}`;
  assert.equal((await sue.browser.open(open(ann.user.id))).status, 404);
  assert.equal((await mia.browser.open(open(mia.user.id))).status, 403);
  const own = await sue.browser.open(open(sue.user.id));
  assert.doesNotMatch(own.text, /value="two"/);
  const of = { user: sue.user.id, kind: "google", uses: "account_user_id" };
  assert.match(said(await sue.browser.submit(PATH, { ...of, sites: ["one", "two"] })), /No site "two"/);
  assert.deepEqual(await boundTo(gw), { one: null, two: null, three: null });
  await sue.browser.submit(PATH, { ...of, sites: "one" });
  assert.deepEqual(await boundTo(gw), { one: sue.user.id, two: null, three: null });
});
