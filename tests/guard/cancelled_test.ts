/** A call that nobody waits for any more: what is only read ends, a write that has begun is carried through. */
import assert from "node:assert/strict";
import { createTransport, type PinnedFetch } from "../../platforms/_http/transport.ts";
import type { Kit } from "../kit.ts";
import { CrmWorld, crowded } from "../tools/_crm.ts";
import { world } from "../tools/_stand_in.ts";

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A call over MCP whose client can go; `answer` is there once it is over. */
function following(gw: Pick<Kit, "http">, tool: string, args: Record<string, unknown>) {
  const gone = new AbortController();
  const params = { name: tool, arguments: args, _meta: { progressToken: 1 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 9, method: "tools/call", params });
  const answer = gw.http("/mcp", { method: "POST", headers: HEADERS, body, signal: gone.signal })
    .then((response) => response.text());
  return { answer, leave: () => gone.abort() };
}

/** The way out, where `seen` is told of each request before it is sent. */
function watched(seen: (method: string) => void): { fetch: PinnedFetch } & Disposable {
  const transport = createTransport();
  return {
    fetch: (url, init, addresses) => {
      seen(init.method);
      return transport.fetch(url, init, addresses);
    },
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}

Deno.test("a read ends, is audited, and spoils nothing for those who share its pages", async () => {
  let [asked, leave] = [0, () => {}];
  using out = watched(() => ++asked === 6 && leave());
  await using at = await CrmWorld.open({ crm: { world: crowded(3000) }, http: { fetch: out.fetch } });
  const call = following(at.gw, "crm_compute_pipeline_funnel", { site_id: "client" });
  leave = call.leave;
  const { totals } = await at.ask("crm_compute_pipeline_funnel");
  assert.equal((totals as { opportunities: number }).opportunities, 3000);
  await call.answer;
  const rows = (await at.gw.audit()).map(({ door, status, error }) => [door, status, error]);
  assert.deepEqual(rows.sort(), [["mcp", "error", "E_CANCELLED"], ["rest", "ok", null]]);
});

Deno.test("what nobody else reads is asked no further", async () => {
  let [asked, leave] = [0, () => {}];
  using out = watched(() => ++asked === 6 && leave());
  await using at = await CrmWorld.open({ crm: { world: crowded(3000) }, http: { fetch: out.fetch } });
  const call = following(at.gw, "crm_compute_pipeline_funnel", { site_id: "client" });
  leave = call.leave;
  await call.answer;
  assert.equal(asked, 6);
  assert.deepEqual((await at.gw.audit()).map(({ error }) => error), ["E_CANCELLED"]);
});

Deno.test("a call whose client has gone before anything was asked asks nothing", async () => {
  await using at = await CrmWorld.open();
  const call = following(at.gw, "crm_list_workflows", { site_id: "client" });
  call.leave();
  await call.answer;
  assert.deepEqual(at.crm.requests, []);
  assert.deepEqual((await at.gw.audit()).map(({ error }) => error), ["E_CANCELLED"]);
});

const DRAFT = {
  site_id: "open",
  title: "Spring",
  content_html: "<p>It is here.</p>",
  tags: ["new"],
  confirm: true,
};

Deno.test("a write is not begun for a client that has gone while it was looked at", async () => {
  let leave = () => {};
  using out = watched(() => leave());
  await using at = await world({ http: { fetch: out.fetch } });
  const call = following(at.kit.gw, "create_draft", DRAFT);
  leave = call.leave;
  await call.answer;
  assert.deepEqual(at.cms.writes, []);
  const [row, ...more] = await at.kit.gw.audit();
  assert.deepEqual([row?.status, row?.error, more.length], ["error", "E_CANCELLED", 0]);
});

Deno.test("a write that has begun is carried through, whoever waits for it", async () => {
  let leave = () => {};
  using out = watched((method) => method === "POST" && leave());
  await using at = await world({ http: { fetch: out.fetch } });
  const call = following(at.kit.gw, "create_draft", DRAFT);
  leave = call.leave;
  await call.answer;
  assert.equal(at.cms.writes.length, 2, "the tag and the draft");
  const [row] = await at.kit.gw.audit();
  assert.deepEqual([row?.status, row?.error, row?.outcome], ["ok", null, "made"]);
});

Deno.test("a change set is planned no further for a client that has gone, and is not shown to anybody", async () => {
  let [asked, leave] = [0, () => {}];
  using out = watched(() => ++asked === 2 && leave());
  await using at = await world({ http: { fetch: out.fetch } });
  const { confirm: _, ...draft } = DRAFT;
  const changes = Array.from({ length: 50 }, (_, n) => ({
    tool: "create_draft",
    arguments: { ...draft, title: `Spring ${n}`, tags: [`new ${n}`] },
  }));
  const call = following(at.kit.gw, "prepare_changes", { title: "Fifty", changes });
  leave = call.leave;
  await call.answer;
  assert.ok(asked < 50, `${asked} requests`);
  assert.deepEqual((await at.kit.gw.audit()).map(({ error }) => error), ["E_CANCELLED"]);
});

Deno.test("the progress of a set never goes back", async () => {
  await using at = await world();
  const changes = ["One", "Two", "Three"].map((title) => ({
    tool: "create_draft",
    arguments: { site_id: "open", title, content_html: "<p>x</p>" },
  }));
  for (const confirm of [false, true]) {
    const call = following(at.kit.gw, "prepare_changes", { title: "Three", changes, confirm });
    const told = [...(await call.answer).matchAll(/"progress":(\d+),"total":(\d+)/g)];
    assert.deepEqual(told.map(([, done, total]) => `${done} of ${total}`), ["1 of 3", "2 of 3", "3 of 3"]);
  }
});
