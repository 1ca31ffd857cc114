/** A person approves: what an agent asks for waits, is carried out as it was shown, or is said no to. */
import assert from "node:assert/strict";
import { type Ending } from "../kit.ts";
import { DOORS } from "../cms_kit.ts";
import { admin } from "../operator.ts";
import { approver, ask, asking, confirm, edit, master, refused } from "./_approvals.ts";

const codeOf = (ending: Ending) => "code" in ending ? ending.code : "done";

Deno.test("a write waits for a person: its preview says where, and the agent's own confirm writes nothing", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const asked = await ask(at);
  assert.match(asked.approval.id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.equal(asked.approval.url, `http://127.0.0.1:8000/admin/approvals/${asked.approval.id}`);
  assert.equal(Date.parse(asked.approval.expires_at) - gw.clock.now, 7 * 24 * 3600_000);
  assert.equal(asked.expires_at, asked.approval.expires_at);
  assert.ok(asked.next.includes(asked.approval.url), asked.next);
  for (const door of DOORS) {
    const call = { ...edit(at), confirm: true, confirm_token: asked.confirm_token };
    const told = await gw.refuses("update_draft", call, "E_APPROVAL_PENDING", { as: "asks", door });
    assert.ok(told.includes(asked.approval.url), told);
  }
  const again = await ask(at, { ...edit(at), confirm: true });
  assert.equal(again.approval.id, asked.approval.id, "an equal request that waits is the same one");
  assert.equal((await ask(at, edit(at, { title: "Other" }))).approval.id === asked.approval.id, false);
  assert.equal(at.kit.writes, 0);
  const [row] = await gw.audit();
  assert.deepEqual([row!.status, typeof row!.approval_id], ["needs_confirmation", "string"]);
});

Deno.test("who says yes has it carried out as the grant that asked; both rows and the agent's confirm tell of it", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const bea = await approver(at);
  const asked = await ask(at);
  const shown = await bea.show(asked.approval.id);
  assert.equal(shown.result.preview!.changes[0]!.to, "From an agent");
  assert.equal("confirm_token" in shown.result.preview!, false, "nobody but the agent has that");
  assert.doesNotMatch(JSON.stringify(shown), /cft_/);
  assert.equal(at.kit.writes, 0);
  const done = await bea.approve(asked.approval.id);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  const { id, verified, request_id } = done.result.answer as Record<string, unknown>;
  assert.deepEqual([id, verified, at.draft.title], [at.draft.id, true, "From an agent"]);
  assert.deepEqual([done.result.approval.state, done.result.approval.decided!.by], [
    "approved",
    "bea@agency.example",
  ]);
  const rows = await gw.audit();
  const row = rows.find((one) => one.request_id === request_id)!;
  assert.deepEqual(
    [row.door, row.token_name, row.tool, row.status, row.outcome, row.approved_by, row.approval_id],
    ["admin", "asks", "update_draft", "ok", "made", "bea@agency.example", asked.approval.id],
  );
  assert.equal(rows.find((one) => one.shown_to !== undefined)!.status, "needs_confirmation");
  for (const door of DOORS) {
    const call = { ...edit(at), confirm: true, confirm_token: asked.confirm_token };
    const repeated = await gw.call<Record<string, unknown>>("update_draft", call, { as: "asks", door });
    assert.deepEqual([repeated["request_id"], repeated["replayed"]], [request_id, true]);
  }
  const twice = await bea.approve(asked.approval.id);
  assert.deepEqual((twice.result.answer as Record<string, unknown>)["request_id"], request_id);
  refused(await bea.reject(asked.approval.id, "no"), "E_STALE_PREVIEW", /was approved already, by bea@/);
  assert.equal(at.kit.writes, 1);
  assert.equal(await gw.store.approvals.args(asked.approval.id), null, "its arguments are erased");
  assert.notEqual((await ask(at)).approval.id, asked.approval.id, "asked for again it is another request");
});

Deno.test("who says no gives the agent words, which are data, and nothing is ever written", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const bea = await approver(at);
  const asked = await ask(at);
  const words = 'Not "now": wait for the relaunch';
  const said = await bea.reject(asked.approval.id, words);
  assert.equal(said.status, 200, JSON.stringify(said.error));
  assert.equal(said.result.state, "rejected");
  const response = await gw.http("/api/v1/tools/update_draft", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...edit(at), confirm: true, confirm_token: asked.confirm_token }),
    as: "asks",
  });
  const { error } = await response.json();
  assert.deepEqual([response.status, error.code, error.outcome], [403, "E_APPROVAL_REJECTED", "none"]);
  assert.deepEqual(error.approval, {
    ...{ id: asked.approval.id, url: asked.approval.url, state: "rejected", words },
  });
  const over = await confirm(at, asked);
  assert.equal(codeOf(over), "E_APPROVAL_REJECTED");
  refused(await bea.approve(asked.approval.id), "E_STALE_PREVIEW", /was rejected already, by bea@/);
  refused(await bea.reject(asked.approval.id), "E_STALE_PREVIEW", /was rejected already/);
  assert.deepEqual([at.kit.writes, await gw.store.approvals.args(asked.approval.id)], [0, null]);
  const row = (await gw.audit()).find(({ tool }) => tool === "approval.reject")!;
  assert.deepEqual([row.token_name, row.site_id, row.approval_id], [
    "bea@agency.example",
    "open",
    asked.approval.id,
  ]);
});

Deno.test("the answer is known to the agent for a day, and a request that nobody decides ends after seven", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const asked = await ask(at);
  gw.clock.now += 7 * 24 * 3600_000;
  assert.equal(codeOf(await confirm(at, asked)), "E_CONFIRM_INVALID");
  refused(
    await master(at).approve(asked.approval.id),
    "E_STALE_PREVIEW",
    /nobody decided on it within its 7 days/,
  );
  await gw.gateway.approvals.run();
  assert.equal(await gw.store.approvals.args(asked.approval.id), null);
  const late = await ask(at);
  gw.clock.now += 7 * 24 * 3600_000 - 1000;
  assert.equal((await master(at).reject(late.approval.id, "late")).status, 200);
  gw.clock.now += 23 * 3600_000;
  assert.equal(codeOf(await confirm(at, late)), "E_APPROVAL_REJECTED");
  assert.equal(at.kit.writes, 0);
});

Deno.test("a request keeps 1 MiB of arguments and no byte more, and a token has a hundred at most", async () => {
  await using at = await asking();
  const args = (bytes: number) => {
    const rest = new TextEncoder().encode(JSON.stringify({ ...edit(at), content_html: "" })).length;
    return edit(at, { content_html: "x".repeat(bytes - rest) });
  };
  const bea = await approver(at);
  const asked = await ask(at, args(1024 * 1024));
  const kept = (await at.kit.gw.store.approvals.args(asked.approval.id))!;
  assert.equal((kept["content_html"] as string).length > 1_000_000, true);
  assert.equal((await bea.approve(asked.approval.id)).status, 200);
  assert.equal(at.draft.content.length, (kept["content_html"] as string).length);
  const told = await at.kit.gw.refuses("update_draft", args(1024 * 1024 + 1), "E_PAYLOAD_TOO_LARGE", {
    as: "asks",
  });
  assert.match(told, /comes? to 1048577 bytes; 1048576 are kept at most\. Send less at once/);
  for (let n = 0; n < 100; n++) await ask(at, edit(at, { title: `n ${n}` }));
  await at.kit.gw.refuses("update_draft", edit(at, { title: "one more" }), "E_RATE_LIMITED", { as: "asks" });
  await bea.reject((await ask(at, edit(at, { title: "n 7" }))).approval.id);
  await ask(at, edit(at, { title: "one more" }));
});

Deno.test("requests are listed to who may decide or has asked, with figures; the command line does all of it", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const bea = await approver(at, "bea@agency.example", { approve_sites: ["open"] });
  const eve = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const asked = await ask(at);
  const list = async (who: typeof bea) => (await who.browser.api("GET", "approvals")).result.approvals;
  assert.deepEqual((await list(bea)).map(({ id }: { id: string }) => id), [asked.approval.id]);
  assert.deepEqual(await list(eve), []);
  refused(await eve.show(asked.approval.id), "E_NOT_FOUND", /^There is no request/);
  refused(await eve.approve(asked.approval.id), "E_NOT_FOUND", /^There is no request/);
  const listed = await admin(gw, "approvals", "--site", "open", "--json");
  assert.equal(JSON.parse(listed.out).approvals[0].url, asked.approval.url);
  assert.doesNotMatch(listed.out, /cft_/);
  assert.match((await admin(gw, "approvals", "--site", "acme")).out, /^None/);
  const none = (await admin(gw, "approvals", "--report")).out;
  assert.match(none, /Nobody has decided anything\. The oldest that waits/);
  assert.doesNotMatch(none, /None/, "a table without rows is left out");
  const shown = await admin(gw, "approvals", "show", asked.approval.id);
  const [, name] = /npx -y deno@2\.9 task admin approvals approve \w+ --shown (\S+)/.exec(shown.out)!;
  assert.match(shown.out, /title: Before -> From an agent/);
  gw.clock.now += 600_000;
  const done = await admin(gw, "approvals", "approve", asked.approval.id, "--shown", name!);
  assert.match(done.out, /It is approved by master token/, done.err);
  const other = await ask(at, edit(at, { title: "Other" }));
  gw.clock.now += 60_000;
  const no = await admin(gw, "approvals", "reject", other.approval.id, "--words", "no thanks");
  assert.match(no.out, /It is rejected by master token since .*: no thanks/);
  await ask(at, edit(at, { title: "Third" }));
  const { out } = await admin(gw, "approvals", "--report", "--json");
  const { asked: count, pending, approved, rejected, rejected_percent, median_seconds, longest_seconds } =
    JSON.parse(out);
  assert.deepEqual(
    { count, pending, approved, rejected, rejected_percent, median_seconds, longest_seconds },
    {
      count: 3,
      pending: 1,
      approved: 1,
      rejected: 1,
      rejected_percent: 50,
      median_seconds: 60,
      longest_seconds: 600,
    },
  );
  assert.match((await admin(gw, "approvals", "--report")).out, /Half of the decisions took 60 s or less/);
});

interface Told {
  readonly state: string;
  readonly next: string;
  readonly words?: string;
  readonly answer?: { readonly request_id: string };
  readonly failed?: { readonly code: string };
}

Deno.test("get_approval tells the state, what was done and the person's words, to the token that asked alone", async () => {
  await using at = await asking({ tokens: { other: {} } });
  const { gw } = at.kit;
  const bea = await approver(at);
  const asked = await ask(at);
  const { id } = asked.approval;
  const told = (approval_id = id, more = {}) =>
    gw.call<Told>("get_approval", { approval_id, ...more }, { as: "asks" });
  assert.equal((await told()).state, "pending");
  for (const as of ["other", "all"]) {
    await gw.refuses("get_approval", { approval_id: id }, "E_NOT_FOUND", /asked for no approval/, { as });
  }
  const never = "01M8H9WNN6T3QNFBA8SN1VPJ4M";
  await gw.refuses("get_approval", { approval_id: never }, "E_NOT_FOUND", /asked for no approval/, {
    as: "asks",
  });
  const waits = told(id, { wait_seconds: 40 });
  const done = await bea.approve(id);
  const { state, answer } = await waits;
  assert.deepEqual([state, answer!.request_id], [
    "approved",
    (done.result.answer as Record<string, unknown>)["request_id"],
  ]);
  const other = await ask(at, edit(at, { title: "Other" }));
  await bea.reject(other.approval.id, "Never");
  const no = await told(other.approval.id, { wait_seconds: 40 });
  assert.deepEqual([no.state, no.words], ["rejected", "Never"]);
  const third = await ask(at, edit(at, { title: "Third" }));
  at.cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
  await bea.approve(third.approval.id);
  const doubted = await told(third.approval.id);
  assert.equal(doubted.failed!.code, "E_UPSTREAM");
  assert.match(doubted.next, /nobody knows whether it was carried out: look at the site/);
  const late = await ask(at, edit(at, { title: "Late" }));
  gw.clock.now += 7 * 24 * 3600_000;
  assert.equal((await told(late.approval.id)).state, "expired");
});
