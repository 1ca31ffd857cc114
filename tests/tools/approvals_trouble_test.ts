/** What happens between asking, showing and deciding: each changes nothing that nobody was shown, and nothing twice. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { openMemory } from "../memory_kv.ts";
import { operator } from "../people/kit.ts";
import {
  approver,
  ask,
  type Asked,
  asking,
  confirm,
  cutOff,
  type Decided,
  edit,
  master,
  refused,
} from "./_approvals.ts";
import type { World } from "./_stand_in.ts";

type Person = Awaited<ReturnType<typeof approver>>;

const PUBLISH = (at: World): Args => ({ site_id: "open", post_id: at.draft.id });
const freezing = { scope: "site", id: "open", by: "x", reason: null } as const;
const admin = async (at: World, method: string, path: string, body: object) => {
  const { status, error } = await operator(at.kit.gw, method, path, body);
  assert.equal(status, 200, JSON.stringify(error));
};

/** What happens after somebody was shown a request and before that person says yes, and how that ends. */
const BETWEEN: Readonly<
  Record<string, {
    readonly tool?: string;
    readonly args?: (at: World) => Args;
    happens(at: World, by: { readonly bea: Person; readonly asked: Asked }): unknown;
    readonly code: string;
    readonly says: RegExp;
    /** Whether it can be carried out once that is undone, or it is looked at again. */
    readonly then?: (at: World) => unknown;
  }>
> = {
  "somebody edits what would be replaced": {
    happens: (at) => at.edit(at.draft, { title: "A person's" }),
    code: "E_STALE_PREVIEW",
    says: /is not what you were shown any more/,
    then: () => {},
  },
  "the token is revoked": {
    happens: async ({ kit: { gw: { store } } }) => {
      const found = (await store.tokens.list()).find(({ name }) => name === "asks")!;
      await store.tokens.revoke(found.id);
    },
    code: "E_STALE_PREVIEW",
    says: /the token or connection that asked does not stand any more/,
  },
  "the token may no longer use the tool": {
    happens: async ({ kit: { gw: { store } } }) => {
      const found = (await store.tokens.list()).find(({ name }) => name === "asks")!;
      await store.tokens.update(found.id, { allowed_tools: ["get_post"] });
    },
    code: "E_SCOPE_DENIED",
    says: /update_draft/,
  },
  "the token's ceiling is lowered": {
    happens: async ({ kit: { gw: { store } } }) => {
      const found = (await store.tokens.list()).find(({ name }) => name === "asks")!;
      await store.tokens.update(found.id, { max_risk: 0 });
    },
    code: "E_SCOPE_DENIED",
    says: /tier/,
  },
  "the site is frozen": {
    happens: ({ kit: { gw: { store } } }) => store.freezes.set(freezing),
    code: "E_FROZEN",
    says: /is frozen/,
    then: ({ kit: { gw: { store } } }) => store.freezes.lift(freezing),
  },
  "the site loses the flag": {
    tool: "publish_post",
    args: PUBLISH,
    happens: (at) => admin(at, "PATCH", "sites/open", { flags: { allow_publish: false } }),
    code: "E_PUBLISH_NOT_ALLOWED",
    says: /publish/,
    then: (at) => admin(at, "PATCH", "sites/open", { flags: { allow_publish: true } }),
  },
  "the site moves": {
    happens: ({ kit: { gw: { store } } }) =>
      store.sites.update("open", { base_url: "https://elsewhere.example" }),
    code: "E_CONFIRM_INVALID",
    says: /the settings of site "open" have changed/,
  },
  "the person loses the right": {
    happens: ({ kit: { gw: { store } } }, { bea: { user } }) =>
      store.users.update(user.id, { approve_sites: ["acme"] }),
    code: "E_NOT_FOUND",
    says: /^There is no request/,
  },
  "the person loses the site": {
    happens: ({ kit: { gw: { store } } }, { bea: { user } }) =>
      store.users.update(user.id, { allowed_sites: ["acme"] }),
    code: "E_NOT_FOUND",
    says: /^There is no request/,
  },
  "another person says no": {
    happens: (at, { asked }) => master(at).reject(asked.approval.id),
    code: "E_STALE_PREVIEW",
    says: /was rejected already, by master token/,
  },
};

for (
  const [name, { tool = "update_draft", args = edit, happens, code, says, then }] of Object.entries(BETWEEN)
) {
  Deno.test(`between showing and yes ${name}: nothing is written`, async () => {
    await using at = await asking();
    const bea = await approver(at);
    const asked = await ask(at, args(at), tool);
    const { result: { preview } } = await bea.show(asked.approval.id);
    await happens(at, { bea, asked });
    refused(await bea.approve(asked.approval.id, preview!.shown), code, says);
    assert.equal(at.kit.writes, 0);
    if (then === undefined) return;
    assert.equal((await at.kit.gw.store.approvals.find(asked.approval.id))!.state, "pending", "it waits on");
    await then(at);
    const done = await bea.approve(asked.approval.id);
    assert.equal(done.status, 200, JSON.stringify(done.error));
    assert.equal(at.kit.writes > 0, true);
  });
}

Deno.test("a right that is lost while the plan is made lets nothing be written", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at);
  const { result: { preview } } = await bea.show(asked.approval.id);
  const { users } = at.kit.gw.store;
  let [get, asks] = [users.get.bind(users), 0];
  // Whoever was let in at the door is looked up once more right before the write.
  users.get = async (id) => {
    const found = await get(id);
    return id === bea.user.id && ++asks > 1 ? { ...found!, approve_sites: [] } : found;
  };
  refused(
    await bea.approve(asked.approval.id, preview!.shown),
    "E_FORBIDDEN",
    /may not approve on open; .* nothing was written/,
  );
  assert.deepEqual([at.kit.writes, asks > 1], [0, true]);
  users.get = get;
});

Deno.test("under four eyes neither the person behind the asking grant nor the master token approves", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const ann = await approver(at, "ann@agency.example");
  const bea = await approver(at);
  const { text } = await gw.store.tokens.create({
    ...{ name: "ann's", env: "prod", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 2 },
    ...{ skip_write_confirm: false, confirm_policy: "human", owner_user_id: ann.user.id },
  });
  const asked = async (title: string) => {
    const response = await gw.http("/api/v1/tools/update_draft", {
      method: "POST",
      headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
      body: JSON.stringify(edit(at, { title })),
    });
    return (await response.json()).result as Asked;
  };
  const own = await asked("One");
  assert.equal((await ann.approve(own.approval.id)).status, 200, "without four eyes who has the right may");
  await gw.store.sites.update("open", { four_eyes: true });
  const { approval: { id } } = await asked("Two");
  assert.match(
    (await ann.show(id)).result.approval.not_yours!,
    /another person than the one whose client asked/,
  );
  for (const verb of ["approve", "reject"] as const) {
    refused(await ann[verb](id), "E_FORBIDDEN", /another person than the one whose client asked/);
    refused(await master(at)[verb](id), "E_FORBIDDEN", /the master token may not approve/);
  }
  for (let tries = 0; tries < 3; tries++) await ann.approve(id);
  const denied = (await gw.audit()).filter(({ door, status }) => door === "admin" && status === "denied");
  assert.deepEqual(
    denied.map(({ tool, token_name, error, approval_id }) => [tool, token_name, error, approval_id])
      .toSorted(),
    [
      ["approval.approve", "ann@agency.example", "E_FORBIDDEN", id],
      ["approval.approve", "master token", "E_FORBIDDEN", id],
      ["approval.reject", "ann@agency.example", "E_FORBIDDEN", id],
      ["approval.reject", "master token", "E_FORBIDDEN", id],
    ],
    "the audit says once of each who tried what",
  );
  assert.equal(at.kit.writes, 1);
  assert.equal((await bea.approve(id)).status, 200);
});

Deno.test("of two people who say yes at once one has it carried out, and both are told what was done", async () => {
  await using at = await asking();
  const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
  const asked = await ask(at);
  const shown = (await bea.show(asked.approval.id)).result.preview!.shown;
  const both = await Promise.all([bea, cal].map((one) => one.approve(asked.approval.id, shown)));
  const ids = both.map(({ result }) => (result.answer as Args)["request_id"]);
  assert.deepEqual([at.kit.writes, new Set(ids).size], [1, 1], JSON.stringify(both));
});

Deno.test("of a yes and a no at once one holds, and the agent is told that one", async () => {
  for (let n = 0; n < 6; n++) {
    await using at = await asking();
    const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
    const asked = await ask(at);
    const { id } = asked.approval;
    const shown = (await bea.show(id)).result.preview!.shown;
    const acts: (() => Promise<Decided>)[] = [() => bea.approve(id, shown), () => cal.reject(id, "no")];
    const ends = await Promise.all((n % 2 ? acts : acts.toReversed()).map((act) => act()));
    const good = ends.filter(({ status }) => status === 200);
    assert.equal(good.length, 1, JSON.stringify(ends));
    const { state } = (await at.kit.gw.store.approvals.find(id))!;
    const told = await confirm(at, asked);
    assert.equal(at.kit.writes, state === "approved" ? 1 : 0);
    assert.equal("code" in told ? told.code : "done", state === "approved" ? "done" : "E_APPROVAL_REJECTED");
  }
});

Deno.test("a write that the site refuses leaves the request waiting; one that nobody knows of is decided", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at);
  const { id } = asked.approval;
  at.cms.inject({ kind: "answer", status: 400, body: { code: "no", message: "No" } }, { method: "POST" });
  refused(await bea.approve(id), "E_UPSTREAM", /400/);
  assert.equal((await at.kit.gw.store.approvals.find(id))!.state, "pending");
  assert.notEqual(await at.kit.gw.store.approvals.args(id), null);
  at.cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
  refused(await bea.approve(id), "E_UPSTREAM", /the outcome is unknown/);
  const after = await at.kit.gw.store.approvals.find(id);
  assert.deepEqual([after!.state, after!.outcome], ["approved", "unknown"]);
  const twice = await bea.approve(id);
  assert.equal((twice.result.failed as { code: string }).code, "E_UPSTREAM");
  const told = await confirm(at, asked);
  assert.ok("code" in told && /the outcome is unknown/.test(told.message), JSON.stringify(told));
});

Deno.test("killed before the intent a request waits on, and is carried out once it is approved again", async () => {
  await using at = await asking();
  const asked = await ask(at);
  await cutOff(at, asked, false);
  const told = await confirm(at, asked);
  assert.equal("code" in told && told.code, "E_APPROVAL_PENDING");
  assert.equal((await master(at).approve(asked.approval.id)).status, 200);
  assert.equal(at.kit.writes, 1);
  const other = await ask(at, edit(at, { title: "Other" }));
  await cutOff(at, other, false);
  assert.equal((await master(at).reject(other.approval.id)).status, 200);
});

Deno.test("killed after the intent nothing is carried out again, and everybody is told that nobody knows", async () => {
  await using at = await asking();
  const asked = await ask(at);
  await cutOff(at, asked, true);
  at.kit.gw.clock.now += 10_000;
  const told = await confirm(at, asked);
  assert.equal("code" in told && told.code, "E_OUTCOME_UNKNOWN");
  const { result } = await master(at).approve(asked.approval.id, "new.0");
  assert.deepEqual([result.approval.state, result.approval.outcome, "answer" in result], [
    "approved",
    null,
    false,
  ]);
  refused(await master(at).reject(asked.approval.id), "E_STALE_PREVIEW", /was approved already/);
  assert.equal(at.kit.writes, 0);
  await at.kit.gw.gateway.approvals.run();
  assert.equal(await at.kit.gw.store.approvals.args(asked.approval.id), null);
});

Deno.test("a site or a project that asks for a person does so for every token, and for the operator's own calls", async () => {
  await using at = await asking({ tokens: { skips: { skip_write_confirm: true, super_admin: true } } });
  const { gw } = at.kit;
  await gw.store.projects.create({ id: "north", name: "North" });
  await gw.store.sites.update("open", { project_id: "north" });
  await admin(at, "PATCH", "projects/north", { confirm_policy: "human" });
  for (const as of ["all", "skips"]) {
    const asked = await ask(at, { ...edit(at), confirm: true }, "update_draft", as);
    assert.equal(asked.needs_confirmation, true);
    assert.equal((await master(at).approve(asked.approval.id)).status, 200);
  }
  const { result } = await operator(gw, "GET", "changes?site_id=open");
  const undo = {
    site_id: "open",
    request_ids: [(result.changes as { request_id: string }[])[0]!.request_id],
  };
  const asked = (await operator(gw, "POST", "undo", undo)).result as unknown as Asked;
  const call = { ...undo, confirm_token: asked.confirm_token };
  assert.equal((await operator(gw, "POST", "undo", call)).error?.code, "E_APPROVAL_PENDING");
  const bea = await approver(at);
  assert.equal((await bea.approve(asked.approval.id)).status, 200);
  const done = await operator(gw, "POST", "undo", call);
  assert.equal((done.result as Record<string, unknown>)["replayed"], true);
});

Deno.test("the grant of a client must stand until the decision, its access token need not; a revoked one ends within a minute", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const { oauthGrants } = gw.store;
  await gw.store.sites.update("open", { confirm_policy: "human" });
  const ann = await approver(at, "ann@agency.example");
  const granted = {
    ...{ user_id: ann.user.id, client_id: "https://client.example/c", client_name: "Claude" },
    ...{ redirect_host: "client.example", allowed_sites: ["open"], groups: ["posts", "activity"] },
    max_risk: 2,
    expires_at: gw.clock.now + 90 * 24 * 3600_000,
  } as const;
  const order = { granted, redirect_uri: "https://client.example/cb", challenge: "c", resource: null };
  const code = await oauthGrants.issueCode(order);
  const redeemed = await oauthGrants.redeem(code, () => null);
  assert.ok(redeemed.outcome === "redeemed");
  const { grant, access_token: access } = redeemed.tokens;
  const asked = async (title: string) => {
    const response = await gw.http("/api/v1/tools/update_draft", {
      method: "POST",
      headers: { authorization: `Bearer ${access}`, "content-type": "application/json" },
      body: JSON.stringify(edit(at, { title })),
    });
    const { result, error } = await response.json();
    assert.ok(result, JSON.stringify(error));
    return result as Asked;
  };
  const [one, two] = [await asked("One"), await asked("Two")];
  gw.clock.now += 24 * 3600_000; // no access token lives so long
  const done = await master(at).approve(one.approval.id);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  const row = (await gw.audit()).find(({ approved_by, status }) =>
    approved_by !== undefined && status === "ok"
  )!;
  assert.deepEqual([row.token_id, row.client_id, row.owner_user_id], [
    grant.id,
    granted.client_id,
    ann.user.id,
  ]);
  assert.equal(at.draft.title, "One");
  await oauthGrants.end(grant.id, "its user ended it");
  await gw.gateway.approvals.run();
  const ended = await gw.store.approvals.find(two.approval.id);
  assert.deepEqual([ended!.state, await gw.store.approvals.args(two.approval.id)], ["expired", null]);
  refused(await master(at).approve(two.approval.id), "E_STALE_PREVIEW", /does not stand any more/);
});

Deno.test("a request that no key opens is listed as that, hides no other, and nobody can approve it", async () => {
  let kv: Deno.Kv | undefined;
  await using at = await asking({ storage: { open: async (path) => kv = await openMemory(path) } });
  const [one, two] = [await ask(at), await ask(at, edit(at, { title: "Other" }))];
  const key = ["approvals", one.approval.id];
  const { value } = await kv!.get<{ sealed: { key: string } }>(key);
  await kv!.set(key, { ...value, sealed: { ...value!.sealed, key: "000000000000" } });
  const { result } = await operator(at.kit.gw, "GET", "approvals");
  const summaries = (result.approvals as { id: string; summary: string }[]).map(({ summary }) => summary);
  assert.match(summaries.join("\n"), /^What was asked cannot be read[^]*\nChange the draft/);
  const { error } = await master(at).approve(one.approval.id, "new.1");
  assert.ok(error !== undefined, "nobody can approve what nobody can read");
  assert.equal(at.kit.writes, 0);
  assert.equal((await master(at).approve(two.approval.id)).status, 200);
});
