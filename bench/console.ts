/** How long each page of the console takes on the server, and how large it is: thousands of sites, people and tokens, a million rows of the audit. */
import assert from "node:assert/strict";
import type { AuditRow } from "../core/model.ts";
import type { Store } from "../store/store.ts";
import { site } from "../tests/kit.ts";
import { addressOf, pagesToOpen, type Places } from "../tests/people/console_kit.ts";
import { bytesOf, type PersonBrowser, signedIn } from "../tests/people/kit.ts";
import { masterBrowser } from "../tests/people/master_kit.ts";
import { ask, asking, edit } from "../tests/tools/_approvals.ts";
import { inFolder } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { worked } from "./timing.ts";

/** What the store is filled with. */
export interface ConsoleSize {
  readonly sites: readonly number[];
  readonly people: number;
  readonly tokens: number;
  readonly projects: number;
  /** That wait; one token may have 100. */
  readonly approvals: number;
  readonly changes: number;
  readonly rows: number;
}

const FULL: ConsoleSize = {
  ...{ sites: [1000, 10_000], people: 2000, tokens: 4000, projects: 100 },
  ...{ approvals: 1000, changes: 200, rows: 1_000_000 },
};
const PER_TOKEN = 100;
const APPENDERS = 64;
const NAME = `"><script>alert(1)</script>&\u202e `;
/** A name as long as one may be, in which most signs have to be escaped. */
const long = (n: number) => `${NAME.repeat(3)}${n}`.slice(0, 100);

const siteId = (n: number) => `site-${String(n).padStart(5, "0")}`;

/** A row of a busy gateway, of which one of 50 changed something. */
function row(n: number, { sites: [sites = 1] }: ConsoleSize): AuditRow {
  const id = `01BENCH${String(n).padStart(19, "0")}`;
  const wrote = n % 50 === 0;
  return {
    ...{ id, at: new Date().toISOString(), door: "mcp", request_id: id },
    ...{ token_id: `01BENCHTOKEN${String(n % 8).padStart(14, "0")}`, token_name: `token ${n % 8}` },
    ...{ owner_user_id: n % 8 < 6 ? `person-${n % 8}` : null, site_id: siteId(n * 7 % sites) },
    tool: wrote ? "update_draft" : n % 97 === 0 ? "ping_site" : `tool_number_${n * 13 % 30}`,
    ...{ tier: wrote ? 1 : 0, arguments: { per_page: 20, title: n % 1000 === 0 ? NAME.repeat(80) : "a" } },
    ...{ status: n % 90 === 7 ? "error" : "ok", error: n % 90 === 7 ? "E_UPSTREAM" : null },
    ...wrote ? { outcome: "made", changes: { first: [{ field: "title", from: "a", to: NAME }] } } : {},
    duration_ms: n % 40,
  } as AuditRow;
}

/** So many at once, one after another. */
async function each(count: number, work: (n: number) => Promise<unknown>, from = 0): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: APPENDERS }, worker));
}

async function fillSites(store: Store, from: number, to: number, projects: number): Promise<void> {
  const add = (n: number) =>
    store.sites.create(site(siteId(n), n % 2 ? "cms" : "static", {
      ...{ name: long(n), project_id: `project-${n % projects}`, repo: `agency/${siteId(n)}` },
    }));
  await each(to, add, from);
}

async function fillPeople(store: Store, { people, tokens }: ConsoleSize): Promise<void> {
  const ids: string[] = [];
  await each(people, async (n) => {
    const email = `${"<b>&".repeat(10)}${n}@agency.example`;
    const allowed_sites = n % 2 ? ["*"] : Array.from({ length: 100 }, (_, at) => siteId(n + at));
    const user = await store.users.create({
      email,
      role: n % 20 ? "member" : "admin",
      allowed_sites,
      max_risk: 2,
    });
    ids.push(user!.id);
  });
  await each(tokens, (n) =>
    store.tokens.create({
      ...{ name: long(n), env: "prod", allowed_sites: [siteId(n % 1000)], allowed_tools: ["*"], max_risk: 2 },
      ...{ skip_write_confirm: false, owner_user_id: ids[n % ids.length]! },
    }));
}

type World = Awaited<ReturnType<typeof asking>>;

async function fillCalls(at: World, names: readonly string[], size: ConsoleSize): Promise<void> {
  for (const name of names) {
    const most = Math.min(PER_TOKEN, size.approvals);
    for (let n = 0; n < most; n++) await ask(at, edit(at, { title: `${NAME} ${n}` }), "update_draft", name);
  }
  for (let n = 0; n < size.changes; n++) {
    await at.kit.gw.call("update_draft", { ...edit(at, { title: `${NAME} changed ${n}` }), confirm: true });
  }
  await each(size.rows, (n) => at.kit.gw.store.audit.append(row(n, size)));
}

/** What opening a page takes and weighs. */
interface Opened {
  readonly took: number;
  readonly work: number;
  readonly bytes: number;
  readonly status: number;
}

async function opened(browser: PersonBrowser, path: string, rounds: number): Promise<Opened> {
  const { took, work } = await worked(rounds, () => browser.open(path));
  const page = browser.page!;
  const assets = [...page.text.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]*)"/g)].map(([, one]) => one!);
  let bytes = bytesOf(page.text);
  for (const asset of new Set(assets)) bytes += bytesOf((await browser.open(asset)).text);
  return { took, work, bytes, status: page.status };
}

/** The places of the store that addresses of pages name. */
async function placesOf(at: World, user: string): Promise<Places> {
  const { store } = at.kit.gw;
  const [tokens, approvals, rows] = await Promise.all([
    store.tokens.list(),
    store.approvals.list(["pending"]),
    store.audit.list({ outcome: "made" }, { limit: 1 }),
  ]);
  return {
    ...{ site: siteId(1), user, token: tokens[5]!.id, approval: approvals[0]!.id, row: rows.rows[0]!.id },
    ...{ webhook: "none", tool: "none", project: "project-1" },
  };
}

/** The rows: the gateway is in this process, its store a file; who looks is the master token, or an admin. */
export function consoleRows(rounds: number, size: ConsoleSize = FULL): Promise<Line[]> {
  return inFolder(async (folder) => {
    const names = Array.from({ length: Math.ceil(size.approvals / PER_TOKEN) }, (_, at) => `asks${at}`);
    const tokens = Object.fromEntries(
      names.map((name) => [name, { confirm_policy: "human", max_risk: 3 } as const]),
    );
    await using at = await asking({ realClock: true, settings: { kvPath: `${folder}/store` }, tokens });
    const { store } = at.kit.gw;
    for (let n = 0; n < size.projects; n++) {
      await store.projects.create({ id: `project-${n}`, name: long(n) });
    }
    await fillSites(store, 0, size.sites[0]!, size.projects);
    await fillPeople(store, size);
    await fillCalls(at, names, size);
    const master = await masterBrowser(at.kit.gw);
    const grants = { role: "admin", allowed_sites: ["*"], approve_sites: ["*"], max_risk: 2 } as const;
    const admin = await signedIn(at.kit.gw, "adam@agency.example", grants);
    const lines: Line[] = [];
    let from = size.sites[0]!;
    for (const sites of size.sites) {
      await fillSites(store, from, sites, size.projects);
      from = sites;
      const places = await placesOf(at, admin.user.id);
      for (const path of pagesToOpen()) {
        const address = addressOf(path, places);
        const found: string[] = [];
        let [most, bytes] = [0, 0];
        for (const [who, browser] of [["master", master], ["admin", admin.browser]] as const) {
          const page = await opened(browser, address, rounds);
          assert.ok(page.status < 500, `${address}: ${page.status}`);
          if (page.status >= 400) continue;
          [most, bytes] = [Math.max(most, page.took), Math.max(bytes, page.bytes)];
          found.push(
            `${who} ${ms(page.took)}, ${ms(page.work)} of the processors, ${Math.ceil(page.bytes / 1000)} KB`,
          );
        }
        if (found.length === 0) continue;
        lines.push({
          name: `${path}, ${sites.toLocaleString("en")} sites`,
          figure: ms(most),
          beside: found.join("; "),
          aim: sites > 1000 ? "100 KB" : path === "/admin/audit" ? "100 ms, 100 KB" : "50 ms, 100 KB",
        });
      }
    }
    return lines;
  });
}
