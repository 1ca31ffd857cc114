/** When webhooks are told, and of what: each event as it really arises, with no text, no argument and no secret in it. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { asFormat, eventOf } from "../../guard/webhooks/message.ts";
import { Anchoring } from "../../guard/audit/anchoring.ts";
import { Jobs } from "../../guard/jobs.ts";
import { bodyOf, setEnded, telling } from "../../guard/webhooks/tell.ts";
import { InvalidGrant } from "../../core/invalid_grant.ts";
import { listed } from "../fake_tool_servers.ts";
import { gateway, type Kit } from "../kit.ts";
import type { Anchor } from "../../store/store.ts";
import { site } from "../kit.ts";
import { person } from "../people/kit.ts";
import { SetWorld } from "../sets_kit.ts";
import { approver, ask, asking, confirm, edit } from "../tools/_approvals.ts";
import { hooked, listening, receiving, run, states } from "../webhooks_kit.ts";
import { admin, BUILDER, HEADING, open, PAGES } from "./proxied_kit.ts";

/** What came of one round. */
async function told(gw: Kit, { events }: ReturnType<typeof receiving>) {
  await run(gw);
  return events();
}

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

Deno.test("a request for an approval is told once, with its link and no text, and so is what was decided", async () => {
  await using at = await asking();
  await using there = receiving();
  const { gw } = at.kit;
  await listening(gw, there.url);
  const bea = await approver(at);
  const args = edit(at, { title: "A secret title", content_html: "<p>Nobody may read this</p>" });
  const asked = await ask(at, args);
  await ask(at, args);
  const [requested, ...more] = await told(gw, there);
  assert.deepEqual(more, [], "an equal request is the same one");
  const { id, url, expires_at } = asked.approval;
  assert.deepEqual(requested.data, {
    summary: 'A person is asked to approve "Change a draft post" on open',
    approval: { id, state: "pending", expires_at },
    tool: "update_draft",
    title: "Change a draft post",
    tier: 1,
    url,
    sites: [{ id: "open", name: "open" }],
  });
  await bea.approve(id);
  await confirm(at, asked, args);
  const [decided, ...rest] = await told(gw, there);
  assert.deepEqual(rest, [], "and the agent's own confirm decides nothing more");
  assert.deepEqual([decided.type, decided.data.approval], [
    "approval.decided",
    { id, state: "approved", outcome: "made", expires_at },
  ]);
  assert.equal(
    decided.data.summary,
    'The request to approve "Change a draft post" on open was approved',
  );
  const other = await ask(at, edit(at, { title: "Another" }));
  await bea.reject(other.approval.id, "Words of a person");
  const both = await told(gw, there);
  assert.deepEqual(types(both), ["approval.requested", "approval.decided"]);
  assert.equal(both[1].data.approval.state, "rejected");
  const all = JSON.stringify([requested, decided, both]);
  assert.doesNotMatch(all, /secret title|Nobody may read|Another|Words of|bea@|cft_|whsec_/);
});

Deno.test("a request that ends without a decision is told: the token was revoked, or its week is over", async () => {
  await using at = await asking({ tokens: { late: { confirm_policy: "human", max_risk: 3 } } });
  await using there = receiving();
  const { gw } = at.kit;
  await listening(gw, there.url, { events: ["approval.decided"] });
  await ask(at);
  const tokens = await gw.store.tokens.list();
  await gw.store.tokens.revoke(tokens.find(({ name }) => name === "asks")!.id);
  gw.clock.now += LIMITS.CACHE_CHECK_MS;
  await gw.gateway.approvals.run();
  const [ended] = await told(gw, there);
  assert.equal(ended.data.approval.state, "expired");
  assert.match(ended.data.summary, /ended without a decision$/);
  await ask(at, edit(at), "update_draft", "late");
  gw.clock.now += LIMITS.APPROVAL_MS;
  await gw.gateway.approvals.run();
  await gw.gateway.approvals.run();
  const rest = await told(gw, there);
  assert.deepEqual(types(rest), ["approval.decided"], "once");
  assert.equal(rest[0].data.approval.state, "expired");
});

Deno.test("a write that nobody knows the end of is told, also of what a person approved and of what a killed process left", async () => {
  await using at = await asking();
  await using there = receiving();
  const { gw } = at.kit;
  await listening(gw, there.url, { events: ["write.unknown", "approval.decided"] });
  const bea = await approver(at);
  const asked = await ask(at);
  at.cms.inject({ kind: "answer", status: 400, body: { code: "no", message: "No" } }, { method: "POST" });
  await bea.approve(asked.approval.id);
  assert.deepEqual(await told(gw, there), [], "it did nothing, and waits on");
  at.cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
  await bea.approve(asked.approval.id);
  const both = await told(gw, there);
  assert.deepEqual(types(both).sort(), ["approval.decided", "write.unknown"]);
  const unknown = both.find(({ type }: { type: string }) => type === "write.unknown")!;
  assert.equal(unknown.data.url, asked.approval.url);
  assert.equal(unknown.data.outcome, "unknown");
  assert.deepEqual(unknown.data.sites, [{ id: "open", name: "open" }]);
  const decided = both.find(({ type }: { type: string }) => type === "approval.decided")!;
  assert.equal(decided.data.approval.outcome, "unknown");
  // An intent without an outcome, as a process leaves one that was killed.
  const [row] = await gw.audit();
  const id = "01M8GH7CB0HT0873ZZ00000001";
  await gw.store.audit.append({
    ...row!,
    ...{ id, request_id: id, status: "started", outcome: undefined, approval_id: undefined, error: null },
    at: new Date(gw.clock.now).toISOString(),
    deadline: new Date(gw.clock.now).toISOString(),
  });
  gw.clock.now += LIMITS.DOUBT_AFTER_MS + 1;
  await gw.gateway.doubts.run();
  await gw.gateway.doubts.run();
  const swept = await told(gw, there);
  assert.deepEqual(swept.map(({ data }: { data: { request_id: string } }) => data.request_id), [id]);
});

Deno.test("the end of a change set is told to each project with its own sites and items", async () => {
  await using at = await SetWorld.open({ sites: ["a", "b", "c"] });
  await using there = receiving();
  const { kit } = at.one;
  for (const id of ["north", "south"]) {
    await kit.store.projects.create({ id, name: id });
  }
  await kit.store.sites.update("a", { project_id: "north" });
  await kit.store.sites.update("b", { project_id: "south" });
  at.later(LIMITS.CACHE_CHECK_MS);
  await listening(kit, there.url, { name: "north", project_id: "north", events: ["set.ended"] });
  await listening(kit, there.url, { name: "all", events: ["set.ended"] });
  const draft = (site_id: string) => ({
    tool: "create_draft",
    arguments: { site_id, title: "x", content_html: "<p>x</p>" },
  });
  const title = "Spring <b> ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  const { shown, confirmed } = await at.shown([draft("a"), draft("b"), draft("a"), draft("c")], { title });
  await at.call("prepare_changes", confirmed);
  await kit.gateway.setsAtRest();
  const events = await told(kit, there);
  assert.deepEqual(types(events), ["set.ended", "set.ended"]);
  const byCount = events.toSorted((a, b) => a.data.sites.length - b.data.sites.length);
  const none = { failed: 0, unknown: 0, not_begun: 0 };
  assert.deepEqual(byCount.map(({ data }) => [data.sites.map(({ id }: { id: string }) => id), data.items]), [
    [["a"], { done: 2, ...none }],
    [["a", "b", "c"], { done: 4, ...none }],
  ]);
  assert.equal(byCount[0].data.set.id, shown.set_id);
  assert.match(byCount[0].data.summary, /^The change set "Spring <b> .*" on Site a \(a\) has ended: 2 done$/);
  assert.doesNotMatch(JSON.stringify(events), /ghp_/, "what looks like a secret in a title is not sent");
});

Deno.test("tools that are held back are told once, and what was held before anybody listened is no event", async () => {
  await using there = receiving();
  await using at = await open({ acme: [listed("emcp-tools-old")], other: [PAGES] }, {
    allowPrivate: ["127.0.0.1"],
    fetch: "network",
  });
  const { gw, fake } = at;
  await listening(gw, there.url, { events: ["tool.held"] });
  assert.deepEqual(await told(gw, there), [], "it was held when nobody listened");
  fake.put("other", BUILDER, [PAGES, listed("emcp-tools-new"), listed("emcp-tools-newer"), HEADING]);
  gw.clock.now += 3_600_000;
  await gw.gateway.toolCatalogs.run();
  const [event, ...more] = await told(gw, there);
  assert.deepEqual(more, []);
  assert.deepEqual(event.data.sites, [{ id: "other", name: "other" }]);
  assert.deepEqual([event.data.count, event.data.tools], [2, ["builder-mcp-new", "builder-mcp-newer"]]);
  assert.deepEqual(await told(gw, there), [], "once");
  await admin(gw, "/approve", { name: "builder-mcp-new", sites: ["other"], writes: false, effect: "site" });
  gw.clock.now += LIMITS.CACHE_CHECK_MS;
  assert.deepEqual(await told(gw, there), []);
  fake.put("other", BUILDER, [PAGES, listed("emcp-tools-new"), listed("emcp-tools-third")]);
  gw.clock.now += 3_600_000;
  await gw.gateway.toolCatalogs.run();
  const [third] = await told(gw, there);
  assert.deepEqual(third.data.tools, ["builder-mcp-third"], "what was told before is not told again");
});

Deno.test("a connection that breaks is told once, with the sites that are bound to it and no account; again once it was mended", async () => {
  await using there = receiving();
  await using at = await open({}, { allowPrivate: ["127.0.0.1"], fetch: "network" });
  const { gw } = at;
  const user = await person(gw, "bea@agency.example");
  await gw.store.sites.create(site("bound", "cms", { account_user_id: user.id }));
  await gw.store.sites.create(site("free", "cms"));
  const grant = { access_token: "at", expires_in: 3600, refresh_token: "rt", account: "bea@mail.example" };
  const connect = () => gw.store.accounts.connect(user.id, "google", { ...grant, scopes: [] });
  const breaks = async () => {
    gw.clock.now += 4_000_000;
    await gw.store.accounts.token(user.id, "google", {
      refresh: () => Promise.reject(new InvalidGrant("gone")),
      wait_ms: 1000,
    });
  };
  await connect();
  await breaks();
  await listening(gw, there.url, { events: ["connection.broken"] });
  assert.deepEqual(await told(gw, there), [], "it was broken when nobody listened");
  await connect();
  assert.deepEqual(await told(gw, there), []);
  await breaks();
  const [event, ...more] = await told(gw, there);
  assert.deepEqual(more, []);
  assert.deepEqual(event.data, {
    summary: "A connected account (google) on bound must be connected again by its person",
    connection: { kind: "google", state: "reconnect", reason: "refused" },
    url: "http://127.0.0.1:8000/admin/connections",
    sites: [{ id: "bound", name: "bound" }],
  });
  assert.deepEqual(await told(gw, there), [], "once");
  await connect();
  await breaks();
  assert.equal((await told(gw, there)).length, 1, "it broke again before anybody looked");
});

Deno.test("a title that hides signs, turns the line around or begins another stands on one line, with their numbers", () => {
  const title = "Spring\u202e\n\nThe request was approved\u200b by your admin\u2028x";
  const sites = [{ id: "acme", name: "Ac\u2066me" }];
  const ended = setEnded({
    ...{ set_id: "s", title, approval_id: null },
    items: [{ site_id: "acme", state: "done" }],
  });
  const ports = { baseUrl: "http://127.0.0.1:8000", now: () => Date.UTC(2026, 10, 28) };
  const { data } = eventOf(bodyOf(ports, "set.ended", sites, ended.data(sites, "")));
  assert.match(
    data.summary,
    /^The change set "Spring\[U\+202E [^\]]+\] {2}The request was approved\[U\+200B /,
  );
  assert.match(data.summary, /on Ac\[U\+2066 [^\]]+\]me \(acme\) has ended: 1 done$/);
  for (const format of ["slack", "teams"] as const) {
    const sent = JSON.stringify(
      asFormat(format, eventOf(bodyOf(ports, "set.ended", sites, ended.data(sites, "")))),
    );
    assert.doesNotMatch(sent, /\p{Cf}|\p{Zl}|\\n/u);
  }
  assert.doesNotMatch((data["set"] as { title: string }).title, /\p{Cf}|\n/u);
});

/** The clock of each day, as a gateway runs it, with a file that it keeps anchors in. */
function anchoring(gw: Kit) {
  const ports = {
    store: gw.store,
    baseUrl: "https://gateway.example",
    now: () => gw.clock.now,
    log: () => {},
  };
  const { tellOrFail } = telling({ ...ports, titleOf: (tool) => tool });
  const jobs = new Jobs(ports);
  return new Anchoring({ ...ports, jobs, keep: () => Promise.resolve(), tell: tellOrFail });
}

Deno.test("how far the audit is goes once a day to webhooks of every site that ask for it, of several instances once, and verifies there", async () => {
  await using there = receiving();
  await using gw = await gateway({
    sites: [site("acme", "cms")],
    allowPrivate: ["127.0.0.1"],
    fetch: "network",
  });
  await listening(gw, there.url, { events: ["audit.anchored"] });
  await gw.call("list_sites", {});
  const [one, other] = [anchoring(gw), anchoring(gw)];
  await Promise.all([one.run(), other.run()]);
  await other.run();
  const [event, ...more] = await told(gw, there);
  assert.deepEqual(more, []);
  const { anchor, summary } = event.data as { anchor: Anchor; summary: string };
  assert.match(summary, /^How far the audit is on 2\d{3}-/);
  assert.equal((await gw.store.anchors.verify(anchor)).ok, true);
  gw.clock.now += 24 * 60 * 60_000;
  await one.run();
  assert.deepEqual(types(await told(gw, there)), ["audit.anchored"]);
});

Deno.test("how far the audit is is told to no webhook that names no events, nor to one of a project", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const usual = await hooked(gw, {});
  assert.ok(!usual.webhook.events.includes("audit.anchored"));
  await gw.store.projects.create({ id: "north", name: "North" });
  const url = "https://hooks.example/in";
  const of = async (project_id: string | null) => {
    const { webhook } = await listening(gw, url, { events: ["audit.anchored"], project_id });
    return webhook.id;
  };
  const [project, every] = [await of("north"), await of(null)];
  await anchoring(gw).run();
  assert.deepEqual(
    await Promise.all([usual.webhook.id, project, every].map((id) => states(gw, id))),
    [[], [], ["waiting"]],
  );
});
