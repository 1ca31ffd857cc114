/** Calls that wait for a person, by clients that lead one to the page: rounds of 2026-07-28, and the elicitation of 2025-11-25. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { CAPABILITIES_KEY, VERSION, VERSION_KEY } from "../unit/doors/mcp_requests.ts";
import { approver, ask, asking, edit } from "./_approvals.ts";
import type { World } from "./_stand_in.ts";

const URLS = { elicitation: { url: {} } };

// deno-lint-ignore no-explicit-any
type Json = any;

/** What comes beside a call. */
interface Beside {
  readonly can?: unknown;
  readonly meta?: Args;
  /** Beside name and arguments. */
  readonly more?: Args;
  readonly as?: string;
  readonly tool?: string;
}

/** One call of the 2026 line, as it is answered. */
async function modern(at: World, args: Args, beside: Beside = {}): Promise<Json> {
  const { can = URLS, meta = {}, more = {}, as = "asks", tool = "update_draft" } = beside;
  const _meta = { [VERSION_KEY]: VERSION, [CAPABILITIES_KEY]: can, ...meta };
  const response = await at.kit.gw.http("/mcp", {
    method: "POST",
    as,
    headers: {
      "content-type": "application/json",
      "mcp-protocol-version": VERSION,
      "mcp-method": "tools/call",
      "mcp-name": tool,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: args, _meta, ...more },
    }),
  });
  return await response.json();
}

const opened = { inputResponses: { approval: { action: "accept" } } };
const textOf = ({ result }: Json): string => result.content[0].text;
const confirming = async (at: World): Promise<Args> => {
  const { confirm_token } = await ask(at);
  return { ...edit(at), confirm: true, confirm_token };
};

Deno.test("a confirm that waits is answered with the page and a sealed state; with it the client comes back for what was done", async () => {
  await using at = await asking();
  const asked = await ask(at);
  const call = { ...edit(at), confirm: true, confirm_token: asked.confirm_token };
  const { result } = await modern(at, call);
  assert.equal(result.resultType, "input_required");
  const { method, params } = result.inputRequests.approval;
  assert.deepEqual([method, params.mode, params.url], ["elicitation/create", "url", asked.approval.url]);
  assert.deepEqual(Object.keys(params).toSorted(), ["message", "mode", "url"]);
  assert.doesNotMatch(params.message, /From an agent/, "no text of the agent's");
  assert.match(result.requestState, /^[A-Za-z0-9_.-]{20,1000}$/);
  const sealed = Uint8Array.fromBase64(result.requestState.split(".")[2], { alphabet: "base64url" });
  assert.doesNotMatch(new TextDecoder("latin1").decode(sealed), /approval|cft_/, "nobody reads it");
  assert.equal(at.kit.writes, 0);
  // The page is not open as far as anybody knows: the client is asked once more, and nothing waits.
  const again = (await modern(at, call, { more: { requestState: result.requestState } })).result;
  assert.equal(again.resultType, "input_required");
  assert.equal(again.inputRequests.approval.params.url, asked.approval.url);
  const bea = await approver(at);
  const waiting = modern(at, call, { more: { requestState: again.requestState, ...opened } });
  const decided = await bea.approve(asked.approval.id);
  const done = await waiting;
  assert.equal(done.result.resultType, "complete");
  const told = JSON.parse(textOf(done));
  assert.deepEqual([told.replayed, told.request_id, at.draft.title], [
    true,
    (decided.result.answer as { request_id: string }).request_id,
    "From an agent",
  ]);
  assert.equal(at.kit.writes, 1);
});

Deno.test("an accept of the client's is no consent: a person's no is what the call is answered", async () => {
  await using at = await asking();
  const call = await confirming(at);
  const { result } = await modern(at, call);
  const bea = await approver(at);
  const { approval } = await ask(at);
  const waiting = modern(at, call, { more: { requestState: result.requestState, ...opened } });
  await bea.reject(approval.id, "Not before the relaunch");
  const told = await waiting;
  assert.deepEqual([told.result.resultType, told.result.isError], ["complete", true]);
  assert.match(textOf(told), /^E_APPROVAL_REJECTED: .*Not before the relaunch/);
  assert.equal(at.kit.writes, 0);
});

Deno.test("who does not want to be led there has the answer that every client has, and the request waits on", async () => {
  await using at = await asking();
  const call = await confirming(at);
  const { result } = await modern(at, call);
  for (const action of ["decline", "cancel"]) {
    const more = { requestState: result.requestState, inputResponses: { approval: { action } } };
    const told = await modern(at, call, { more });
    assert.deepEqual([told.result.resultType, told.result.isError], ["complete", true]);
    assert.match(textOf(told), /^E_APPROVAL_PENDING: /);
    assert.equal(told.result._meta["site-operations/approval"].state, "pending");
  }
  const { approval } = await ask(at);
  assert.equal((await (await approver(at)).approve(approval.id)).status, 200);
});

Deno.test("a write that is asked for without its preview carries the confirm token in its state", async () => {
  await using at = await asking();
  const call = { ...edit(at), confirm: true };
  const { result } = await modern(at, call);
  assert.equal(result.resultType, "input_required");
  assert.doesNotMatch(JSON.stringify(result), /cft_/);
  const bea = await approver(at);
  const { approval } = await ask(at);
  const waiting = modern(at, call, { more: { requestState: result.requestState, ...opened } });
  await bea.approve(approval.id);
  assert.equal(JSON.parse(textOf(await waiting)).replayed, true);
  // The same call with that state and other arguments is not what was approved.
  const other = { ...call, title: "Another" };
  const told = await modern(at, other, { more: { requestState: result.requestState } });
  assert.match(textOf(told), /^E_CONFIRM_INVALID: .*differ in title/);
  assert.equal(at.kit.writes, 1);
});

Deno.test("a preview stays a preview, and says how such a client goes on", async () => {
  await using at = await asking();
  const preview = JSON.parse(textOf(await modern(at, edit(at))));
  assert.equal(preview.needs_confirmation, true);
  assert.match(
    preview.next,
    /confirm: true and this confirm_token: your client then leads its person to http/,
  );
  const shown = JSON.parse(textOf(await modern(at, { ...edit(at), confirm: false })));
  assert.equal(shown.approval.id, preview.approval.id);
});

Deno.test("a state that is not of this gateway, token, tool and day is refused, and nothing is sent", async () => {
  await using at = await asking({ tokens: { other: { confirm_policy: "human", max_risk: 3 } } });
  const call = await confirming(at);
  const { requestState } = (await modern(at, call)).result;
  const before = at.kit.gw.requests.length;
  const [key, iv, data] = requestState.split(".");
  const flipped = `${data[0] === "A" ? "B" : "A"}${data.slice(1)}`;
  const states = [
    "",
    "x",
    7,
    null,
    `${key}.${iv}`,
    `${key}.${iv}.${flipped}`,
    `${key}.${iv}.${data}.x`,
    "x".repeat(5000),
  ];
  for (const state of states) {
    const { error } = await modern(at, call, { more: { requestState: state, ...opened } });
    assert.equal(error?.code, -32602, JSON.stringify(state));
    assert.match(error.message, /^requestState: was not made by this gateway for this token and tool/);
  }
  const more = { requestState, ...opened };
  assert.equal((await modern(at, call, { more, as: "other" })).error?.code, -32602, "of another token");
  assert.equal(
    (await modern(at, call, { more, tool: "publish_post" })).error?.code,
    -32602,
    "of another tool",
  );
  at.kit.gw.clock.now += 24 * 3600_000;
  assert.equal((await modern(at, call, { more })).error?.code, -32602, "of the day before");
  assert.equal(at.kit.gw.requests.length, before, "nothing was sent");
});

Deno.test("a client that declares no elicitation in URL mode is answered as ever, on both lines", async () => {
  await using at = await asking();
  const call = await confirming(at);
  for (
    const can of [{}, { elicitation: {} }, { elicitation: { form: {} } }, { elicitation: { url: true } }]
  ) {
    const { result } = await modern(at, call, { can });
    assert.deepEqual([result.resultType, result.isError], ["complete", true]);
    assert.match(textOf({ result }), /^E_APPROVAL_PENDING: /);
    const preview = JSON.parse(textOf(await modern(at, edit(at), { can })));
    assert.equal(preview.next, (await ask(at)).next);
    const begun = await initialize(at, can);
    assert.equal(begun.session, null);
    assert.match(textOf(await legacy(at, call, null)), /^E_APPROVAL_PENDING: /);
  }
});

/** Begins as a client of the 2025 line does. */
async function initialize(at: World, capabilities: unknown, protocolVersion = "2025-11-25") {
  const response = await at.kit.gw.http("/mcp", {
    method: "POST",
    as: "asks",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion, capabilities, clientInfo: { name: "t", version: "1" } },
    }),
  });
  return { session: response.headers.get("mcp-session-id"), body: await response.json() };
}

async function legacy(at: World, args: Args, session: string | null, more: Args = {}): Promise<Json> {
  const response = await at.kit.gw.http("/mcp", {
    method: "POST",
    as: "asks",
    headers: {
      "content-type": "application/json",
      "mcp-protocol-version": "2025-11-25",
      ...session === null ? {} : { "mcp-session-id": session },
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "update_draft", arguments: args, ...more },
    }),
  });
  assert.equal(response.status, 200);
  return await response.json();
}

Deno.test("on the 2025 line a confirm that waits names the page as an elicitation, and the same call is answered afterwards", async () => {
  await using at = await asking();
  const { session, body } = await initialize(at, URLS);
  assert.match(session!, /^[\x21-\x7e]{10,100}$/);
  assert.equal(body.result.protocolVersion, "2025-11-25");
  assert.equal((await initialize(at, URLS, "2025-06-18")).session, null, "an older line has no such mode");
  const preview = JSON.parse(textOf(await legacy(at, edit(at), session)));
  const call = { ...edit(at), confirm: true, confirm_token: preview.confirm_token };
  const { error } = await legacy(at, call, session);
  assert.equal(error.code, -32042);
  const [elicitation, ...more] = error.data.elicitations;
  assert.deepEqual(more, []);
  const { mode, url, elicitationId } = elicitation;
  assert.deepEqual([mode, url, elicitationId], ["url", preview.approval.url, preview.approval.id]);
  assert.match(error.message, /^E_APPROVAL_PENDING: /);
  const unseen = JSON.parse(textOf(await legacy(at, { ...edit(at), confirm: true }, session)));
  assert.equal(unseen.needs_confirmation, true, "nobody was refused");
  // The rounds of the other line are none of this one's.
  const stray = await legacy(at, call, session, { requestState: "x", ...opened });
  assert.equal(stray.error.code, -32042);
  assert.equal(at.kit.writes, 0);
  await (await approver(at)).approve(preview.approval.id);
  assert.equal(JSON.parse(textOf(await legacy(at, call, session))).replayed, true);
  assert.equal(at.kit.writes, 1);
});

Deno.test("a session's name permits nothing, whatever it says", async () => {
  await using at = await asking();
  const call = await confirming(at);
  for (const session of ["x", "..", ".url", "url", `${"x".repeat(4000)}.url`, "a.ui.admin.*"]) {
    const { error, result } = await legacy(at, call, session);
    assert.match(error?.message ?? textOf({ result }), /^E_APPROVAL_PENDING: /);
  }
  assert.equal(at.kit.writes, 0);
});
