/** Whose Google account the tools use, through both doors: the one of the site's binding, whoever calls and whatever changes meanwhile. */
import assert from "node:assert/strict";
import { type Accounts, startAccounts } from "../../sandbox/google_accounts/start.ts";
import { type GoogleStandIn, SEEDED, startGoogle } from "../../sandbox/google/start.ts";
import { gateway, type Kit, NOW, owned, site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { DAYS } from "./_google.ts";

const HOUR_MS = 3_600_000;
const PEOPLE = ["ann", "bob"] as const;
type Name = (typeof PEOPLE)[number];
const mail = (name: Name) => `${name}@agency.example`;

interface Place extends AsyncDisposable {
  readonly gw: Kit;
  readonly accounts: Accounts;
  readonly google: GoogleStandIn;
  readonly users: Readonly<Record<Name, { id: string; text: string }>>;
  /** Whose token each request carried so far, oldest first; null for one that was not taken. */
  readonly carried: { readonly path: string; readonly account: string | null }[];
}

/** Ann and Bob have each connected an account; both accounts may read the property, and each has a folder. */
async function place(): Promise<Place> {
  let now = () => NOW;
  const accounts = startAccounts({ now: () => now() });
  const carried: { path: string; account: string | null }[] = [];
  const google: GoogleStandIn = startGoogle({
    now: () => now(),
    holderOf(token) {
      const holder = accounts.holder(token);
      const path = google.requests.at(-1)!.path;
      carried.push({ path, account: holder?.email ?? null });
      return holder && { account: holder.email, scopes: holder.scopes };
    },
  });
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    settings: { upstream: { ...accounts.env, ...google.env } },
    http: { sleep: () => Promise.resolve() },
  });
  now = () => gw.clock.now;
  const users = {} as Record<Name, { id: string; text: string }>;
  for (const name of PEOPLE) {
    const { user, text } = await owned(gw.store, { email: `${name}@gateway.example` });
    users[name] = { id: user.id, text };
    await gw.store.accounts.connect(user.id, "google", accounts.grant(mail(name)));
  }
  return {
    gw,
    accounts,
    google,
    users,
    carried,
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await google.stop();
      await accounts.stop();
    },
  };
}

/** A site whose reports are one person's and whose folder is another's. */
async function bound(at: Place, id: string, reports: Name, files: Name): Promise<string> {
  const folder = at.google.folder({ owner: mail(files) }).id;
  const made = await at.gw.store.sites.create(site(id, "cms", {
    analytics_property_id: SEEDED.property,
    account_user_id: at.users[reports].id,
    storage_user_id: at.users[files].id,
    storage_folder_id: folder,
  }));
  assert.ok(made);
  return folder;
}

/** One call with that person's token. Answers the code it was refused with; null for an answer. */
async function call(
  at: Place,
  as: Name,
  door: "rest" | "mcp",
  tool: string,
  args: object,
): Promise<string | null> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${at.users[as].text}` };
  const post = (path: string, body: unknown) =>
    at.gw.http(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (door === "rest") return (await (await post(`/api/v1/tools/${tool}`, args)).json()).error?.code ?? null;
  const params = { name: tool, arguments: args };
  const { result } = await (await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }))
    .json();
  return result.isError ? /^E_[A-Z_]+/.exec(result.content[0].text)![0] : null;
}

const REPORT = { ...DAYS, metrics: ["sessions"] };

const test = scenes(() => place());

test("the caller's own account is never used, only that of the site, through both doors", async (at) => {
  await bound(at, "split", "ann", "bob");
  for (const as of PEOPLE) {
    for (const door of ["rest", "mcp"] as const) {
      at.carried.length = 0;
      await call(at, as, door, "get_analytics_report", { site_id: "split", ...REPORT });
      assert.equal(await call(at, as, door, "storage_get_site_folder", { site_id: "split" }), null);
      assert.deepEqual(at.carried.map(({ account }) => account), [mail("ann"), mail("bob")]);
    }
  }
});

test("two sites of two people, called at once through expiries and refused tokens, never carry another's", async (at) => {
  const folders = {
    "of-ann": { folder: await bound(at, "of-ann", "ann", "ann"), owner: "ann" as Name },
    "of-bob": { folder: await bound(at, "of-bob", "bob", "bob"), owner: "bob" as Name },
  };
  const ids = Object.keys(folders) as (keyof typeof folders)[];
  for (let round = 0; round < 6; round++) {
    at.carried.length = 0;
    if (round % 3 === 1) at.gw.clock.now += HOUR_MS;
    if (round % 3 === 2) { for (const name of PEOPLE) at.accounts.expireAccess(mail(name)); }
    if (round % 3 === 2) at.gw.clock.now += 30_000; // a refused token is renewed again only after a pause
    const answers = await Promise.all(
      Array.from(
        { length: 12 },
        (_, turn) =>
          call(at, PEOPLE[turn % 2]!, turn % 3 ? "rest" : "mcp", "storage_get_site_folder", {
            site_id: ids[(turn >> 1) % 2]!,
          }),
      ),
    );
    assert.deepEqual(answers, Array.from({ length: 12 }, () => null), `round ${round}`);
    for (const { path, account } of at.carried) {
      const of = ids.find((id) => path.includes(folders[id].folder));
      assert.ok(of, path);
      assert.ok(account === null || account === mail(folders[of].owner), `${path} carried ${account}`);
    }
  }
});

test("a site that is bound anew has the new account at once, and a preview of before is not confirmed", async (at) => {
  const folder = await bound(at, "acme", "ann", "ann");
  await at.gw.store.sites.update("acme", { flags: { allow_storage_write: true } });
  const audit = { site_id: "acme", title: "Audit", content: "# Audit" };
  const preview = await at.gw.call<{ confirm_token: string }>("storage_save_audit", audit);
  await at.gw.store.sites.update("acme", { storage_user_id: at.users.bob.id });
  at.carried.length = 0;
  const { confirm_token } = preview;
  await at.gw.refuses("storage_save_audit", { ...audit, confirm: true, confirm_token }, "E_CONFIRM_INVALID");
  assert.equal(at.carried.length, 0, "nothing was asked");
  const refused = await at.gw.end("storage_get_site_folder", { site_id: "acme" });
  assert.ok("code" in refused, "Bob's account does not see Ann's folder");
  assert.deepEqual(at.carried.map(({ account }) => account), [mail("bob")]);
  assert.ok(at.carried[0]!.path.includes(folder));
  assert.deepEqual(at.google.writes, []);
});

test("an account that was withdrawn is refused by every tool with the command, and no other account steps in", async (at) => {
  await bound(at, "acme", "ann", "ann");
  at.accounts.withdraw(mail("ann"));
  at.gw.clock.now += HOUR_MS;
  at.carried.length = 0;
  const command = new RegExp(`deno task admin connection start --user ${at.users.ann.id} --kind google`);
  for (const [tool, args] of [["get_analytics_report", REPORT], ["storage_list_site_files", {}]] as const) {
    const all = { site_id: "acme", ...args };
    for (const door of ["rest", "mcp"] as const) {
      assert.equal(await call(at, "bob", door, tool, all), "E_ANALYTICS_ACCOUNT_NOT_LINKED");
    }
    await at.gw.refuses(tool, all, "E_ANALYTICS_ACCOUNT_NOT_LINKED", command);
  }
  assert.equal(at.carried.length, 0, "no service was asked");
  assert.equal(at.accounts.requests.length, 1, "and Google only once");
});
