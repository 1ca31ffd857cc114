/** The overview: who sees what of it, what needs somebody, the first steps; and which page is whose. */
import assert from "node:assert/strict";
import type { AuditRow } from "../../core/model.ts";
import { gateway, type Kit, NOW, site } from "../kit.ts";
import { joined, person, PersonBrowser } from "./kit.ts";
import { listening } from "../webhooks_kit.ts";
import { masterBrowser } from "./master_kit.ts";

const admin = { role: "admin", allowed_sites: ["*"], max_risk: 3 } as const;

let id = 0;
/** A row of a change that was made. */
async function changed(gw: Kit, fields: Partial<AuditRow>): Promise<void> {
  const request_id = `r${id++}`;
  await gw.store.audit.append({
    id: request_id,
    at: new Date(NOW).toISOString(),
    door: "mcp",
    request_id,
    token_id: "t",
    token_name: "Content agent",
    owner_user_id: null,
    site_id: "acme",
    tool: "update_draft",
    tier: 1,
    arguments: {},
    status: "ok",
    error: null,
    duration_ms: 5,
    outcome: "made",
    changes: [{ field: "title", from: "a", to: "b" }],
    ...fields,
  });
}

Deno.test("which page is whose: signed out, a member, an admin, the master token", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const people = {
    out: new PersonBrowser(gw),
    member: await joined(gw, await person(gw, "mo@agency.example")),
    admin: await joined(gw, await person(gw, "ad@agency.example", admin)),
    master: await masterBrowser(gw),
  };
  const pages: Readonly<Record<string, readonly [member: number, admin: number, master: number]>> = {
    "/admin": [200, 200, 200],
    "/admin/approvals": [200, 200, 200],
    "/admin/tokens": [200, 200, 200],
    "/admin/connections": [200, 200, 200],
    "/admin/clients": [200, 200, 200],
    "/admin/account": [200, 200, 200],
    "/admin/freezes": [403, 200, 200],
    "/admin/sites": [403, 200, 200],
    "/admin/webhooks": [403, 200, 200],
    "/admin/design": [200, 200, 200],
    "/admin/nothing": [404, 404, 404],
  };
  for (const [path, wanted] of Object.entries(pages)) {
    const out = await people.out.open(path);
    if (path !== "/admin/nothing") assert.equal(out.title, "Sign in", path);
    const statuses = [];
    for (const who of ["member", "admin", "master"] as const) {
      const page = await people[who].open(path);
      statuses.push(page.status);
      assert.ok(page.text.length < 60_000, `${path} has ${page.text.length} characters`);
      assert.match(page.text, /<a href="\/admin\/tokens"/, `${path} has the pages of ${who}`);
      assert.equal(/<a href="\/admin\/freezes"/.test(page.text), who !== "member");
    }
    assert.deepEqual(statuses, wanted, path);
  }
});

Deno.test("a person is told of what is that person's, the master token of all", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const mo = await person(gw, "mo@agency.example");
  const member = await joined(gw, mo);
  const admins = await joined(gw, await person(gw, "ad@agency.example", admin));
  const master = await masterBrowser(gw);
  await gw.store.freezes.set({ scope: "all", id: "*", by: "master token", reason: null });
  await changed(gw, { tool: "own_tool", owner_user_id: mo.id });
  await changed(gw, { tool: "others_tool" });
  await changed(gw, { tool: "doubted_tool", outcome: "unknown", status: "error" });

  const own = (await member.open("/admin")).text.replaceAll("<wbr/>", "");
  assert.match(own, /own_tool/);
  assert.doesNotMatch(own, /others_tool|Freezes|Writes in doubt|Calls of the last|People/);

  const theirs = (await admins.open("/admin")).text.replaceAll("<wbr/>", "");
  assert.match(theirs, /Nothing is written there until somebody lifts the freeze/);
  assert.doesNotMatch(theirs, /others_tool|own_tool|Writes in doubt|Calls of the last/);

  const all = (await master.open("/admin")).text.replaceAll("<wbr/>", "");
  for (
    const wanted of [
      /own_tool/,
      /others_tool/,
      /Writes in doubt/,
      /outcome=unknown">Open writes in doubt/,
      /Open freezes/,
    ]
  ) {
    assert.match(all, wanted);
  }
  assert.match(all, /aria-label="Calls: 3 calls today; most on 21 Nov: 3"/);
});

Deno.test("a webhook that does not arrive needs the operator: the overview says so as health does, and no person is told", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const admins = await joined(gw, await person(gw, "ad@agency.example", admin));
  const master = await masterBrowser(gw);
  assert.doesNotMatch((await master.open("/admin")).text, /Open webhooks/);
  const { webhook: { id } } = await listening(gw, "https://hooks.example/in", { name: "The team's" });
  const at = new Date(gw.clock.now).toISOString();
  await gw.store.webhooks.update(id, { failing_since: at });
  assert.match((await master.open("/admin")).text, /The team(&#39;|')s \(failing\)/);
  await gw.store.webhooks.update(id, { off: { at, why: "nothing has arrived for a day", by: "gateway" } });
  const { text } = await master.open("/admin");
  assert.match(text, /The team(&#39;|')s \(turned off\)/);
  assert.match(text, /href="\/admin\/webhooks"/);
  assert.doesNotMatch((await admins.open("/admin")).text, /turned off/);
});

Deno.test("sites that failed when they were last asked are named, and lead to their pages", async () => {
  await using gw = await gateway({ sites: ["acme", "bolt", "gone-well"].map((id) => site(id, "cms")) });
  const browser = await masterBrowser(gw);
  const failed = { tool: "ping_site", tier: 0, status: "error", error: "E_UPSTREAM" } as const;
  for (const site_id of ["acme", "gone-well", "removed"]) await changed(gw, { ...failed, site_id });
  await changed(gw, { ...failed, status: "ok", error: null, site_id: "gone-well" });
  const { text } = await browser.open("/admin");
  assert.match(text, /failed when they were last asked: acme \(E_UPSTREAM\)\./);
  assert.match(text, /<a href="\/admin\/sites\/acme">Open acme<\/a>/);
});

Deno.test("markup in what callers and sites fill is text", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const bad = '<img src=x onerror=alert(1)>"\u202e';
  await changed(gw, { tool: bad, token_name: bad, changes: [{ field: bad, from: "a", to: "b" }] });
  const { text } = await (await masterBrowser(gw)).open("/admin");
  assert.doesNotMatch(text, /<img|\u202e/);
  assert.match(text, /&lt;img src=x/);
});

Deno.test("the first steps stand there until the first draft, and each that is done is ticked", async () => {
  await using gw = await gateway({ sites: [] });
  const browser = await masterBrowser(gw);
  const steps = async () => {
    const { text } = await browser.open("/admin");
    return [...text.matchAll(/<span class="tag (?:good|plain)">(Done|To do)<\/span>/g)].map(([, one]) => one);
  };
  for (const token of await gw.store.tokens.list()) await gw.store.tokens.revoke(token.id);
  assert.deepEqual(await steps(), ["Done", "To do", "To do", "To do", "To do"]);
  await person(gw, "ann@agency.example");
  const { id: _, created_at: __, revoked_at: ___, ...grants } = (await gw.store.tokens.list())[0]!;
  await gw.store.tokens.create({ ...grants, name: "first" });
  assert.deepEqual(await steps(), ["Done", "Done", "To do", "Done", "To do"]);
});
