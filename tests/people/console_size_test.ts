/** How the pages of the console grow with what there is: not beyond a page, and by no read of the store more. */
import assert from "node:assert/strict";
import { gateway, type Kit, site } from "../kit.ts";
import { openMemory } from "../memory_kv.ts";
import { addressOf, isPage, routes } from "./console_kit.ts";
import { bytesOf, type PersonBrowser, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

const PAGE_BYTES = 100_000;
/** As much as is on more than one page of every list. */
const FEW = 110;
const MANY = 220;
/** Beside those of a page: what is looked up once more because there is more of it, such as a further batch of a list. */
const READS_MORE = 3;

/** The master token sees the accounts that all people have connected, and which secrets lack their key: each is looked at. */
const EACH = ["/admin", "/admin/connections", "/admin/sign-in", "/admin/login"];
const EACH_READS_MORE = 3 * (MANY - FEW);

/** A list of which each entry that is read is counted. */
function each(listed: Deno.KvListIterator<unknown>, reads: { count: number }) {
  const next = () => {
    reads.count++;
    return listed.next();
  };
  return {
    next,
    get cursor() {
      return listed.cursor;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** A KV whose reads are counted: each get, and each entry of a list. */
function counted(kv: Deno.Kv, reads: { count: number }): Deno.Kv {
  return new Proxy(kv, {
    get(of, name) {
      const value = Reflect.get(of, name, of);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        const done = Reflect.apply(value, of, given);
        if (name === "get" || name === "getMany") reads.count++;
        return name === "list" ? each(done as Deno.KvListIterator<unknown>, reads) : done;
      };
    },
  });
}

/** Records from one number to another: sites, projects, people with a token each, freezes, rows. */
async function fill(gw: Kit, from: number, to: number): Promise<void> {
  const { store } = gw;
  const [known] = await gw.audit();
  for (let n = from; n < to; n++) {
    const [id, name] = [`s${String(n).padStart(4, "0")}`, `${'<&">'.repeat(20)}${n}`];
    await store.projects.create({ id: `p${n}`, name });
    await store.sites.create(
      site(id, n % 2 ? "cms" : "static", { name, project_id: `p${n}`, repo: `agency/${id}` }),
    );
    const rights = { role: "member", allowed_sites: [id], max_risk: 2 } as const;
    const user = await store.users.create({ ...rights, email: `${"<&>".repeat(20)}${n}@agency.example` });
    const { token } = await store.tokens.create({
      ...{
        name,
        env: "prod",
        allowed_sites: [id],
        allowed_tools: ["*"],
        max_risk: 2,
        skip_write_confirm: false,
      },
      owner_user_id: user!.id,
    });
    await store.accounts.connect(user!.id, "google", {
      ...{ access_token: "a", expires_in: 3600, refresh_token: "r", scopes: ["s"], account: name },
    });
    if (n % 2) await store.freezes.set({ scope: "site", id, by: name, reason: name });
    // Rows that are not packed yet are read one by one; bench/console.ts has a million that are.
    if (n >= FEW) continue;
    const row = {
      token_id: token.id,
      token_name: name,
      site_id: id,
      tool: n % 2 ? "ping_site" : "update_draft",
    };
    const number = `01M8GH7CB0HT0873${String(n).padStart(10, "0")}`;
    await store.audit.append({
      ...{
        ...known!,
        ...row,
        id: number,
        request_id: number,
        owner_user_id: user!.id,
        arguments: { title: name },
      },
      ...n % 2 ? { status: "error", error: "E_UPSTREAM" } : { outcome: "made", status: "ok" },
    } as NonNullable<typeof known>);
  }
}

/** By address: the reads that opening it once more takes, and its bytes with all it loads. */
async function looked(browser: PersonBrowser, addresses: readonly string[], reads: { count: number }) {
  const found = new Map<string, { reads: number; bytes: number }>();
  for (const address of addresses) {
    await browser.open(address);
    const before = reads.count;
    const page = await browser.open(address);
    const took = reads.count - before;
    let bytes = bytesOf(page.text);
    assert.ok(page.status < 500, `${address}: ${page.text}`);
    for (const [, asset] of page.text.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]*)"/g)) {
      bytes += bytesOf((await browser.open(asset!)).text);
    }
    found.set(address, { reads: took, bytes });
  }
  return found;
}

Deno.test("twice as much is there: no page is larger than its most, none reads the store more often", async () => {
  const reads = { count: 0 };
  const open = async (path?: string) => counted(await openMemory(path), reads);
  await using gw = await gateway({ storage: { open } });
  const master = await masterBrowser(gw);
  const grants = { role: "admin", allowed_sites: ["*"], approve_sites: ["*"], max_risk: 2 } as const;
  const { user, browser: admin } = await signedIn(gw, "adam@agency.example", grants);
  await fill(gw, 0, FEW);
  const [token] = await gw.store.tokens.list();
  const [row] = (await gw.store.audit.list({ outcome: "made" }, { limit: 1 })).rows;
  const places = {
    ...{ site: "s0001", user: user.id, token: token!.id, row: row!.id },
    ...{ approval: "none", webhook: "none", tool: "none" },
  };
  const addresses = routes().filter(isPage).map(({ path }) => addressOf(path, places));
  const few = {
    master: await looked(master, addresses, reads),
    admin: await looked(admin, addresses, reads),
  };
  await fill(gw, FEW, MANY);
  for (const [who, browser] of [["master", master], ["admin", admin]] as const) {
    const many = await looked(browser, addresses, reads);
    for (const [address, { reads: took, bytes }] of many) {
      const before = few[who].get(address)!;
      const most = who === "master" && EACH.includes(address) ? EACH_READS_MORE : READS_MORE;
      assert.ok(took <= before.reads + most, `${address} for ${who}: ${before.reads} reads became ${took}`);
      assert.ok(bytes < PAGE_BYTES, `${address} for ${who}: ${bytes} bytes`);
    }
  }
});
