/** Every page of the console: its addresses in a store where everything is there, and in one where nothing is. */
import assert from "node:assert/strict";
import { encodeTime } from "ulid";
import type { Hono } from "hono";
import { pagesApp } from "../../console/admin/app.ts";
import { daysUpTo, newestDate } from "../../rules/snapshot_days.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { PNG } from "../cms_kit.ts";
import { listen } from "../e2e/mcp_start.ts";
import { FakeToolServers, listed } from "../fake_tool_servers.ts";
import { BUILDER, HEADING } from "../guard/proxied_kit.ts";
import { gateway, type Kit, MASTER, NOW, site } from "../kit.ts";
import { invited, person, signedIn } from "../people/kit.ts";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { fill } from "../unit/store/erasure_kit.ts";
import { happens, listening } from "../webhooks_kit.ts";
import type { BrowserContext } from "../packages/puppeteer.ts";
import { led, pageOf } from "./browser.ts";

/** Who opens a page. */
export type Who = "nobody" | "master" | "admin" | "member";

/** An address, and who opens it. */
export type Opened = readonly [who: Who, path: string];

/** What a filled store is known by. */
interface Ids {
  readonly user: string;
  readonly token: string;
  readonly invitation: string;
  readonly webhook: string;
  readonly pending: readonly string[];
  readonly decided: string;
}

/** A name as long as it may be, with what a page must not take as markup. */
export const LONG = `${"Ω".repeat(60)} <b>a name that does not end</b>`;
const BLANKLESS = "a-name-without-any-blank-that-somebody-gave-to-what-they-made-".repeat(2).slice(0, 100);
/** A row that is shown on its own page. */
const ROW = encodeTime(NOW - 60_000, 10) + "A".repeat(16);

const master = (...paths: readonly string[]): readonly Opened[] => paths.map((path) => ["master", path]);

/** What answers at those addresses is no page. */
export const NO_PAGES = [
  "/admin/assets/:name",
  "/admin/approvals/events",
  "/admin/approvals/:id/pictures/:name",
  "/admin/approvals/:id/documents/:number",
  "/admin/approvals/:id/documents/:number/code",
  "/admin/audit/newer",
  "/admin/changes/file.csv",
  // What became of a trial is looked at in a test of its own, which makes one.
  "/admin/try/:id",
];

/** The addresses of each page, where there is something of everything. */
export const FILLED: Readonly<Record<string, (ids: Ids) => readonly Opened[]>> = {
  "/": () => [["nobody", "/"]],
  "/admin": () => [["master", "/admin"], ["admin", "/admin"], ["member", "/admin"]],
  "/admin/sign-in": () => [["nobody", "/admin/sign-in"]],
  "/admin/login": () => [["nobody", "/admin/login"]],
  "/admin/invitation/:text": ({ invitation }) => [
    ["nobody", invitation],
    ["nobody", "/admin/invitation/none"],
  ],
  "/admin/account": () => [["master", "/admin/account"], ["admin", "/admin/account"]],
  "/admin/design": () => master("/admin/design"),
  "/admin/approvals": () => [
    ["admin", "/admin/approvals"],
    ["admin", "/admin/approvals?site=open&chosen=all"],
    ["admin", "/admin/approvals?state=decided"],
    ["member", "/admin/approvals"],
  ],
  "/admin/approvals/together": ({ pending }) => [
    ["admin", `/admin/approvals/together?${new URLSearchParams(pending.map((id) => ["id", id]))}`],
  ],
  "/admin/approvals/:id": ({ pending, decided }) => [
    ["admin", `/admin/approvals/${pending[0]}`],
    ["admin", `/admin/approvals/${pending[0]}?view=side`],
    ["admin", `/admin/approvals/${decided}`],
  ],
  "/admin/approvals/:id/edit": ({ pending }) => [["admin", `/admin/approvals/${pending[0]}/edit`]],
  "/admin/sites": () => [
    ["master", "/admin/sites"],
    ["admin", "/admin/sites"],
    ["master", "/admin/sites?q=nothing"],
  ],
  "/admin/sites/new": () =>
    master("/admin/sites/new", ...["cms", "static", "crm"].map((one) => `/admin/sites/new?platform=${one}`)),
  "/admin/sites/:id": () => [
    ["master", "/admin/sites/acme"],
    ["admin", "/admin/sites/acme"],
    ["master", "/admin/sites/long"],
  ],
  "/admin/sites/:id/edit": () => [["master", "/admin/sites/acme/edit"], ["admin", "/admin/sites/acme/edit"]],
  "/admin/sites/:id/remove": () => master("/admin/sites/acme/remove"),
  "/admin/sites/:id/tools/:name": () => master("/admin/sites/acme/tools/builder-mcp-list-media"),
  "/admin/projects": () => [["master", "/admin/projects"], ["admin", "/admin/projects"]],
  "/admin/projects/:id": () => [["master", "/admin/projects/north"], ["admin", "/admin/projects/north"]],
  "/admin/freezes": () => master("/admin/freezes"),
  "/admin/webhooks": () => master("/admin/webhooks"),
  "/admin/webhooks/:id": ({ webhook }) => master(`/admin/webhooks/${webhook}`),
  "/admin/changes": () => [["master", "/admin/changes"], ["member", "/admin/changes"]],
  "/admin/audit": () => [
    ...master("/admin/audit", "/admin/audit?outcome=unknown&from=2026-01-01", "/admin/audit?status=none"),
    ["member", "/admin/audit"],
  ],
  "/admin/audit/:id": () => master(`/admin/audit/${ROW}`),
  "/admin/users": () => master("/admin/users", "/admin/users?q=nothing"),
  "/admin/users/new": () => [["master", "/admin/users/new"], ["admin", "/admin/users/new"]],
  "/admin/users/:id": ({ user }) => master(`/admin/users/${user}`),
  "/admin/users/:id/remove": ({ user }) => master(`/admin/users/${user}/remove`),
  "/admin/tokens": () => [["master", "/admin/tokens"], ["admin", "/admin/tokens"]],
  "/admin/tokens/:id": ({ token }) => master(`/admin/tokens/${token}`),
  "/admin/connections": () => [["master", "/admin/connections"], ["admin", "/admin/connections"]],
  "/admin/connections/sites": ({ user }) => master(`/admin/connections/sites?kind=google&user=${user}`),
  "/admin/snapshots": () => [["master", "/admin/snapshots"], ["admin", "/admin/snapshots"]],
  "/admin/try": () => [
    ...master("/admin/try", "/admin/try?site=acme", "/admin/try?site=acme&tool=update_draft"),
    ["member", "/admin/try"],
  ],
  "/admin/clients": () => [["master", "/admin/clients"], ["admin", "/admin/clients"]],
  "/admin/repo": () => master("/admin/repo"),
  "/admin/github": () => master("/admin/github"),
  "(none)": () => [
    ["master", "/admin/nothing"],
    ["member", "/admin/freezes"],
    ["master", "/admin/sites/none"],
  ],
};

/** Addresses whose pages are others where there is nothing yet. */
export const EMPTY: readonly Opened[] = [
  ...master(
    ...[
      "",
      "/approvals",
      "/approvals?state=decided",
      "/sites",
      "/projects",
      "/freezes",
      "/webhooks",
      "/changes",
      "/audit",
      "/snapshots",
      "/try",
    ],
    ...["/users", "/users/new", "/tokens", "/connections", "/clients", "/repo", "/account"],
  ).map(([who, path]): Opened => [who, `/admin${path}`]),
  ...["", "/approvals", "/tokens", "/connections", "/clients", "/account", "/changes", "/audit"]
    .map((path): Opened => ["member", `/admin${path}`]),
];

/** What the router of the console answers with GET. */
export function routed(): readonly string[] {
  const name = (_: unknown, of: string | symbol) => of === Symbol.toPrimitive ? () => "github" : nothing;
  // deno-lint-ignore no-explicit-any
  const nothing: any = new Proxy(function () {}, { get: name, apply: () => nothing });
  const ports = new Proxy({ baseUrl: "http://localhost" }, {
    get: (of, key) => key === "baseUrl" ? of.baseUrl : nothing,
  });
  // deno-lint-ignore no-explicit-any
  const { routes }: Hono = pagesApp(ports as any, nothing);
  return [...new Set(routes.filter(({ method }) => method === "GET").map(({ path }) => path))];
}

/** A gateway on a port, and browsers of each who opens its pages. */
export interface Place extends AsyncDisposable {
  readonly gw: Kit;
  readonly baseUrl: string;
  /** The cookies of somebody, in a context of a browser. */
  enter(context: BrowserContext, who: Who): Promise<void>;
}

async function placed(open: (baseUrl: string) => Promise<{ gw: Kit; end(): Promise<void> }>): Promise<Place> {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const { gw, end } = await open(baseUrl);
  opened.resolve(gw);
  const cookies = new Map<Who, string>();
  const grants = { allowed_sites: ["*"], approve_sites: ["*"], max_risk: 3 } as const;
  for (const role of ["admin", "member"] as const) {
    const { browser } = await signedIn(gw, `${role}@agency.example`, { ...grants, role });
    cookies.set(role, browser.cookies.get("gateway_person")!);
  }
  return {
    ...{ gw, baseUrl },
    async enter(context, who) {
      if (who === "nobody") return;
      if (who === "master") {
        const { page } = await pageOf(context);
        await page.goto(`${baseUrl}/admin/login`);
        await page.type('input[name="master_token"]', MASTER);
        await led(page, page.keyboard.press("Enter"));
        return await page.close();
      }
      await context.setCookie({
        ...{ name: "gateway_person", value: cookies.get(who)!, domain: "localhost", path: "/" },
        ...{ httpOnly: true, secure: false, sameSite: "Lax" },
      });
    },
    async [Symbol.asyncDispose]() {
      await shutdown();
      await end();
    },
  };
}

/** A gateway of which nothing is set up, but that people are there to look at it. */
export const emptyPlace = () =>
  placed(async (baseUrl) => {
    const gw = await gateway({ settings: { baseUrl } });
    for (const { id } of await gw.store.tokens.list()) await gw.store.tokens.revoke(id);
    return { gw, end: async () => await gw[Symbol.asyncDispose]() };
  });

/** A gateway in which there is something of everything. */
export async function filledPlace(): Promise<Place & { readonly ids: Ids }> {
  const fake = new FakeToolServers();
  const media = listed("emcp-tools-list-media", { description: "List <b>", hints: { read_only: true } });
  fake.put("acme", BUILDER, [HEADING, media]);
  const world = Promise.withResolvers<World>();
  const place = await placed(async (baseUrl) => {
    const at = await asking({ settings: { baseUrl }, toolServers: fake.connector() });
    world.resolve(at);
    return { gw: at.kit.gw, end: async () => await at[Symbol.asyncDispose]() };
  });
  const at = await world.promise;
  await place.gw.gateway.toolCatalogs.run();
  await sites(place.gw);
  await rows(place.gw);
  return { ...place, ids: await records(at) };
}

/** Sites of a project, with names and flags, and with figures of some days. */
async function sites({ store, gateway: _ }: Kit): Promise<void> {
  const more = site("long", "static", { name: LONG, repo: "agency/bakery", repo_branch: "main" });
  assert.ok(await store.sites.create(more));
  await store.projects.create({ id: "north", name: "North", confirm_policy: "flag" });
  await store.sites.update("acme", {
    project_id: "north",
    flags: { allow_publish: true, allow_seo_on_published: true },
    credentials: { behavior: { export_token: "e".repeat(40) } },
    behavior_project_id: "clar1ty",
  });
  const { default: clarity } = await import("../../platforms/clarity/connector.ts");
  for (const [n, date] of daysUpTo(newestDate(NOW), 14).entries()) {
    if (n === 5) continue;
    await store.snapshots.put(clarity.name, {
      ...{ site_id: "acme", date, source: "clar1ty", status: "ok", error: null, attempts: 1, retry: false },
      ...{ credentials_version: 1, pulled_at: `${date}T01:30:00.000Z`, window_start: null, window_end: null },
      ...{ late: false, metrics: { sessions: 40 + n * 7 % 33, distinct_users: 20 + n * 5 % 17 } },
    }, 400);
  }
  await store.freezes.set({ scope: "site", id: "long", by: "ad@agency.example", reason: "relaunch" });
}

/** What was called and changed. */
async function rows({ store }: Kit): Promise<void> {
  for (let n = 0; n < 12; n++) {
    const request_id = n === 1 ? ROW : `r${n}`;
    await store.audit.append({
      ...{ id: request_id, request_id, at: new Date(NOW - n * 60_000).toISOString(), door: "mcp" },
      ...{ token_id: "t", token_name: n % 2 ? "Claude" : BLANKLESS, owner_user_id: null, site_id: "acme" },
      ...{
        tool: "update_draft",
        tier: 1,
        error: null,
        duration_ms: 5,
        status: n % 3 === 0 ? "denied" : "ok",
      },
      arguments: { title: "A word that does not end ".repeat(4), content: "x".repeat(200) },
      ...n % 3 === 0 ? {} : {
        outcome: n === 4 ? "unknown" : "made",
        changes: [{ field: "title", from: "Before", to: "x".repeat(120) }],
      },
    });
  }
}

/** People, tokens, clients, webhooks and requests. */
async function records(at: World): Promise<Ids> {
  const { gw } = at.kit;
  const { store } = gw;
  const { user_id } = await fill(store, { site: "shop", person: "ann" });
  await store.users.create({
    ...{
      email: `${"x".repeat(60)}<b>@agency.example`,
      role: "member",
      allowed_sites: ["acme", "long", "client"],
    },
    ...{ max_risk: 3, approve_sites: ["*"] },
  });
  const granted = { env: "prod", allowed_tools: ["*"], max_risk: 1, skip_write_confirm: false } as const;
  const all = (await store.sites.list()).map(({ id }) => id);
  const { token } = await store.tokens.create({
    ...granted,
    ...{ name: BLANKLESS, allowed_sites: all, owner_user_id: null, confirm_policy: "preview" },
  });
  const [admin] = (await store.users.list()).filter(({ email }) => email === "admin@agency.example");
  await store.tokens.create({ ...granted, name: "CI", allowed_sites: all, owner_user_id: admin!.id });
  await fillOf(store, admin!.id, all);
  const webhook = await listening(gw, `https://hooks.example/${"x".repeat(80)}`, { name: LONG.slice(0, 80) });
  await happens(gw, ["acme"]);
  return {
    ...{ user: user_id, token: token.id, webhook: webhookId(webhook) },
    invitation: new URL(await invited(gw, await person(gw, "new@agency.example"))).pathname,
    ...await requests(at),
  };
}

// deno-lint-ignore no-explicit-any
const webhookId = (made: any): string => made.webhook?.id ?? made.id;

/** A client that somebody has let in, and an account. */
async function fillOf(store: Kit["store"], user_id: string, allowed_sites: readonly string[]): Promise<void> {
  for (const client_name of ["Desk", BLANKLESS]) {
    const granted = {
      ...{ user_id, client_id: client_name, client_name, redirect_host: "cursor://anysphere.cursor-mcp" },
      ...{ allowed_sites, groups: ["discovery"], max_risk: 1 as const, expires_at: NOW + 86_400_000 },
    };
    const order = { granted, redirect_uri: "http://127.0.0.1/cb", challenge: "x".repeat(43), resource: null };
    await store.oauthGrants.redeem(await store.oauthGrants.issueCode(order), () => null);
  }
  const grant = {
    access_token: "a",
    expires_in: 3600,
    refresh_token: "r",
    scopes: ["s"],
    account: "g@x.example",
  };
  await store.accounts.connect(user_id, "google", grant);
}

const PARAGRAPHS = Array.from(
  { length: 8 },
  (_, n) =>
    `<!-- wp:paragraph -->\n<p>Paragraph ${n}: we repair bicycles of every kind.</p>\n<!-- /wp:paragraph -->\n`,
).join("");

/** A picture that stands on the site. */
function picture(at: World, name: string): number {
  return addPost(at.cms.state, {
    ...{ type: "attachment", author: 1, status: "inherit", title: name, slug: name },
    file: {
      ...{ path: `2026/11/${name}`, mime_type: "image/png", width: 1, height: 1, alt_text: "The team" },
      bytes: Uint8Array.fromBase64(PNG),
    },
  }).id;
}

/** Requests that wait, and one that was turned down. */
async function requests(at: World): Promise<Pick<Ids, "pending" | "decided">> {
  at.edit(at.draft, { content: PARAGRAPHS });
  const rewritten = PARAGRAPHS.replace("3: we repair", "3: in Kiel we repair");
  const featured_media_id = picture(at, "new.png");
  at.edit(at.draft, { featured_media: picture(at, "old.png") });
  const title = "<b>From an agent</b> \u202eevil";
  const first = await ask(at, edit(at, { title, content_html: rewritten, featured_media_id }));
  const second = await ask(at, { site_id: "open", post_id: at.draft.id }, "publish_post");
  const turned = await ask(
    at,
    { site_id: "acme", title: "Another", content_html: PARAGRAPHS },
    "create_draft",
  );
  const bea = await approver(at);
  await bea.reject(turned.approval.id, "Too long\nfor one post");
  return {
    pending: [first.approval.id, second.approval.id],
    decided: turned.approval.id,
  };
}
