/** Stores of earlier versions that were in use and killed are started under this one: each kind of record is used once. */
import assert from "node:assert/strict";
import type { InUse, Kept } from "../../fixtures/stores/in_use.ts";
import { lay } from "../../fixtures/stores/stores.ts";
import { type Post, startWordPressStandIn } from "../../../sandbox/wordpress_standin/start.ts";
import { gateway, type Kit, MASTER } from "../../kit.ts";
import { PersonBrowser } from "../../people/kit.ts";
import { folder } from "./kit.ts";

type Json = Record<string, unknown>;

interface World {
  readonly kit: Kit;
  readonly facts: InUse;
  readonly posts: Map<number, Post>;
  /** Sends a call over HTTP; its status and what it answers. */
  send(token: string, tool: string, args: Json, more?: Record<string, string>): Promise<Answer>;
  admin(method: string, path: string, body?: unknown): Promise<Json>;
  titles(): string[];
}

interface Answer {
  readonly ok: boolean;
  readonly result: Json;
  readonly error: { readonly code: string; readonly message: string };
}

/** The work on a store of that version, before the site as it was. */
async function onStore(version: string, work: (world: World) => Promise<void>): Promise<void> {
  await using dir = await folder();
  const file = `${dir.path}/gateway.sqlite3`;
  const lines = await Deno.readTextFile(
    new URL(`../../fixtures/stores/in-use-${version}.ndjson`, import.meta.url),
  );
  const facts = await lay<InUse>(lines, file);
  await using cms = await startWordPressStandIn();
  const { posts } = cms.state;
  for (const [id, post] of facts.posts) posts.set(id, structuredClone(post));
  cms.state.nextPost = Math.max(...posts.keys()) + 1;
  await using kit = await gateway({
    settings: { kvPath: file },
    allowPrivate: ["127.0.0.1"],
    start: facts.at + 1000,
    fetch: (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      return fetch(new URL(pathname + search, cms.base_url), init);
    },
  });
  const headers = (token: string) => ({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  await work({
    ...{ kit, facts, posts },
    titles: () => [...posts.values()].map(({ title }) => title),
    async send(token, tool, args, more = {}) {
      const init = { method: "POST", headers: { ...headers(token), ...more }, body: JSON.stringify(args) };
      return await (await kit.http(`/api/v1/tools/${tool}`, init)).json();
    },
    async admin(method, path, body) {
      const init = {
        method,
        headers: headers(MASTER),
        ...body === undefined ? {} : { body: JSON.stringify(body) },
      };
      const { ok, result, error } = await (await kit.http(`/admin/api/${path}`, init)).json();
      assert.ok(ok, `${path}: ${JSON.stringify(error)}`);
      return result;
    },
  });
}

const confirmed = ({ args, confirm_token }: Kept) => ({ ...args, confirm: true, confirm_token });

/** What each kind of record is good for. */
const USES: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async "tokens: those that were revoked or over are refused, all others work"(
    { facts: { tokens }, send, kit },
  ) {
    for (const name of ["all", "ann", "ending", "before", "after"] as const) {
      assert.ok((await send(tokens[name], "list_sites", {})).ok, name);
    }
    assert.equal((await send(tokens.revoked, "list_sites", {})).error.code, "E_AUTH");
    kit.clock.now += 25 * 3_600_000;
    assert.equal((await send(tokens.before, "list_sites", {})).error.code, "E_AUTH");
    kit.clock.now = Date.parse("2031-01-01T00:00:00Z");
    assert.equal((await send(tokens.ending, "list_sites", {})).error.code, "E_AUTH");
  },
  async "consents: a key that was used makes nothing again, a preview that waited is made once"(world) {
    const { facts: { tokens, key, keyed, preview }, send, titles } = world;
    const before = titles().length;
    const { result } = await send(tokens.all, "create_draft", keyed, { "idempotency-key": key });
    assert.equal(result["replayed"], true);
    for (const times of [1, 2]) {
      assert.ok((await send(tokens.all, preview.tool, confirmed(preview))).ok, `time ${times}`);
      assert.equal(titles().length, before + 1);
    }
  },
  async "sets: one that waited is made, one that was made is told"({ facts, send, titles }) {
    const { tokens, set, set_id } = facts;
    const made = await send(tokens.all, set.tool, confirmed(set));
    assert.deepEqual(made.result["counts"], { done: 2 }, JSON.stringify(made));
    assert.ok(titles().includes("Set changed"));
    const { result } = await send(tokens.all, "get_change_set", { set_id });
    assert.deepEqual(result["counts"], { done: 2 });
  },
  async "undo: a change is listed and taken back"({ facts: { tokens, changed }, send, posts }) {
    const { post_id, request_id } = changed;
    const args = { site_id: "acme", request_id };
    assert.equal(posts.get(post_id)!.title, "Two changed");
    const { result } = await send(tokens.all, "undo_change", args);
    const { confirm_token } = result;
    const undone = await send(tokens.all, "undo_change", { ...args, confirm: true, confirm_token });
    assert.ok(undone.ok, JSON.stringify(undone.error));
    assert.equal(posts.get(post_id)!.title, "Two");
  },
  async "approvals: who was invited joins, approves one request and refuses the other"(world) {
    const { facts: { tokens, asked, invitation }, send, titles, kit, admin } = world;
    const [one, other] = asked as [Kept, Kept];
    const bea = new PersonBrowser(kit);
    assert.equal((await bea.join(invitation)).status, 200);
    const { approvals } = await admin("GET", "approvals") as { approvals: { id: string; summary: string }[] };
    const idOf = (title: string) => approvals.find(({ summary }) => summary.includes(`"${title}"`))!.id;
    const page = `/admin/approvals/${idOf("One")}`;
    await bea.open(page);
    assert.match((await bea.submit(`${page}/approve`, {})).text, /Approved by bea@agency\.example/);
    await admin("POST", `approvals/${idOf("Other")}/reject`, { words: "no" });
    assert.ok((await send(tokens.ann, one.tool, confirmed(one))).ok);
    assert.ok(titles().includes("One"));
    assert.equal((await send(tokens.ann, other.tool, confirmed(other))).error.code, "E_APPROVAL_REJECTED");
    assert.ok(!titles().includes("Other"));
  },
  async "people and clients: a session goes on, and so do an access token and a refresh token"(world) {
    const { facts: { cookies, client }, kit, send } = world;
    const ann = new PersonBrowser(kit);
    for (const [name, value] of cookies) ann.cookies.set(name, value);
    assert.equal((await ann.open("/admin")).title, "Overview");
    assert.ok((await send(client.access_token, "list_sites", {})).ok);
    const { client_id, refresh_token } = client;
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token });
    const refreshed = await kit.http("/oauth/token", { method: "POST", as: null, body });
    assert.equal(refreshed.status, 200);
    assert.ok((await send((await refreshed.json()).access_token, "list_sites", {})).ok);
  },
  async "doubts, freezes, projects and webhooks: each is there, and is ended or changed"(world) {
    const { facts: { webhook_id }, admin, kit } = world;
    type Row = { readonly request_id: string; readonly arguments: Json };
    const rows = async (only: string) => (await admin("GET", `audit?${only}`))["rows"] as Row[];
    assert.deepEqual((await rows("status=started")).map((row) => row.arguments["title"]), ["Killed"]);
    kit.clock.now += 3_600_000; // a write that was begun may be under way for minutes
    await kit.gateway.doubts.run();
    const doubted = await rows("outcome=unknown");
    assert.deepEqual(doubted.map((row) => row.arguments["title"]).sort(), ["Killed", "Lost"]);
    for (const { request_id } of doubted) {
      await admin("POST", `audit/${request_id}/resolve`, { found: "none", note: "looked" });
    }
    assert.deepEqual(await rows("outcome=unknown"), []);
    await admin("POST", "freezes/lift", { scope: "project", id: "p" });
    assert.equal((await admin("PATCH", "projects/p", { name: "Other" }))["name"], "Other");
    const { deliveries } = await admin("GET", `webhooks/${webhook_id}/deliveries`);
    assert.ok((deliveries as unknown[]).length >= 2, "of the requests that wait");
    await admin("PATCH", `webhooks/${webhook_id}`, { name: "other" });
  },
  async "the audit and every record are whole, and a site goes with what names it"({ kit, admin }) {
    const { faults, rows } = await kit.store.audit.verify();
    assert.deepEqual(faults, []);
    assert.ok(rows > 30);
    const { foreign, sealed, problems } = await admin("GET", "health");
    assert.deepEqual([foreign, sealed, problems], [[], [], []]);
    await admin("POST", "sites/asks/remove", { confirm: "asks" });
    assert.deepEqual((await admin("GET", "approvals"))["approvals"], []);
  },
};

for (const version of ["0.4.0", "0.5.0"]) {
  for (const [name, use] of Object.entries(USES)) {
    Deno.test(`a store of ${version} in use: ${name}`, () => onStore(version, use));
  }
}
