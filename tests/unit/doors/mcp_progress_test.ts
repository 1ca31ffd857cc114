/** Progress over MCP: which calls are answered with a stream, what stands in it, and what ends a call. */
import assert from "node:assert/strict";
import { mcpDoor } from "../../../doors/mcp.ts";
import type { McpCall } from "../../../doors/mcp_call.ts";
import type { Follower } from "../../../registry/tool.ts";
import { fakePorts } from "./fake_ports.ts";
import { legacy, modern, post, type RequestHeaders } from "./mcp_requests.ts";

type Work = (follower: Follower | undefined, call: McpCall) => unknown;

/** A door whose only tool does that work, and the calls that reached it. */
function doorOf(work: Work) {
  const { ports, seen } = fakePorts();
  const door = mcpDoor({
    ...ports,
    async call(call) {
      seen.calls.push(call);
      return await work(call.follower, call);
    },
  });
  return { door, seen };
}

const call = (token: unknown = "p1", headers: RequestHeaders = {}, id = 1) =>
  post({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "slow", arguments: {}, _meta: { progressToken: token } },
  }, headers);
const cancel = (requestId: unknown) =>
  post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "enough" } });

/** The messages of a stream of events. */
async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const text = await response.text();
  return text.split("\n\n").filter(Boolean).map((event) => {
    const [name, data, ...more] = event.split("\n");
    assert.deepEqual([name, more], ["event: message", []]);
    return JSON.parse(data!.replace(/^data: /, ""));
  });
}

const three: Work = (follower) => {
  follower?.progress(0, 3);
  follower?.progress(1, 3, "one");
  follower?.progress(3, 3, "three");
  return { done: true };
};

Deno.test("a call with a progress token is answered with its progress, then its result, in both eras", async () => {
  for (const era of ["legacy", "modern"] as const) {
    const { door } = doorOf(three);
    const request = era === "legacy"
      ? call("p1")
      : modern("tools/call", { name: "slow" }, { meta: { progressToken: "p1" } });
    const response = await door(request);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "no-cache");
    assert.equal(response.headers.get("x-request-id"), "r1");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    const [none, one, all, answer, ...more] = await eventsOf(response);
    const progress = (params: object) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "p1", ...params },
    });
    assert.deepEqual(none, progress({ progress: 0, total: 3 }));
    assert.deepEqual(one, progress({ progress: 1, total: 3, message: "one" }));
    assert.deepEqual(all, progress({ progress: 3, total: 3, message: "three" }));
    assert.equal(answer?.["id"], 1);
    const { content, resultType } = answer?.["result"] as { content: unknown; resultType?: string };
    assert.deepEqual(content, [{ type: "text", text: '{"done":true}' }]);
    assert.equal(resultType, era === "modern" ? "complete" : undefined);
    assert.deepEqual(more, []);
  }
});

Deno.test("a refusal after some progress is the stream's last message", async () => {
  const { door } = doorOf((follower) => {
    follower?.progress(1);
    throw new TypeError("secret of the inside");
  });
  const [, answer] = await eventsOf(await door(call(7)));
  assert.equal((answer?.["result"] as { isError: boolean }).isError, true);
  assert.doesNotMatch(JSON.stringify(answer), /secret/);
});

Deno.test("everything else is one JSON: no token, no stream accepted, no progress reported", async () => {
  const { door, seen } = doorOf(three);
  const requests = [
    legacy("tools/call", { name: "slow" }),
    legacy("tools/call", { name: "slow", _meta: {} }),
    call("p1", { accept: "application/json" }),
    call("p1", { accept: null }),
    call("p1", { accept: "*/*" }),
    call("p1", { accept: "application/json, text/event-stream;q=0" }),
  ];
  for (const request of requests) {
    const response = await door(request);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.equal((await response.json()).id, 1);
    assert.equal(seen.calls.at(-1)?.follower, undefined);
  }
  const quiet = doorOf(() => "words");
  const response = await quiet.door(call());
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.match(await response.text(), /words/);
  assert.ok(quiet.seen.calls[0]?.follower);
});

Deno.test("a progress token that is none is refused, and nothing is called", async () => {
  const { door, seen } = doorOf(three);
  for (const token of [null, true, 1.5, 2 ** 53, {}, ["p"], "p".repeat(257)]) {
    const { error } = await (await door(call(token))).json();
    assert.equal(error.code, -32602);
    assert.match(
      error.message,
      /progressToken must be a string of at most 256 characters, or a whole number within 2\^53/,
    );
  }
  assert.deepEqual(seen.calls, []);
});

Deno.test("progress only grows; what does not, or is no number, is left out", async () => {
  const { door } = doorOf((follower) => {
    for (const done of [1, 1, 0, NaN, 2, -5, 2.5]) follower?.progress(done);
    return null;
  });
  const events = await eventsOf(await door(call()));
  const told = events.slice(0, -1).map(({ params }) => (params as { progress: number }).progress);
  assert.deepEqual(told, [1, 2, 2.5]);
});

Deno.test("a client that does not read fills no memory: progress beyond some is left out, the result is not", async () => {
  const { door } = doorOf((follower) => {
    for (let done = 1; done <= 5000; done++) follower?.progress(done);
    return "the end";
  });
  const events = await eventsOf(await door(call()));
  assert.ok(events.length < 100, `${events.length} events`);
  assert.match(JSON.stringify(events.at(-1)), /the end/);
});

/** Work that goes on until it is told that nobody waits. */
function untilCancelled(report: boolean) {
  const begun: Follower[] = [];
  const work: Work = async (follower) => {
    begun.push(follower!);
    if (report) follower?.progress(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    follower?.signal.addEventListener("abort", () => resolve());
    await promise;
    follower?.progress(2);
    return "too late";
  };
  return { begun, work };
}

Deno.test("a notification that cancels the call ends it, and it gets no answer", async () => {
  for (const report of [true, false]) {
    const { begun, work } = untilCancelled(report);
    const { door } = doorOf(work);
    const answered = door(call("p1", {}, 5));
    while (begun.length === 0) await Promise.resolve();
    for (const other of [6, "5", null, {}, undefined]) {
      assert.equal((await door(cancel(other))).status, 202);
      assert.equal(begun[0]?.signal.aborted, false);
    }
    assert.equal((await door(cancel(5))).status, 202);
    assert.equal(begun[0]?.signal.aborted, true);
    const events = await eventsOf(await answered);
    assert.equal(events.length, report ? 1 : 0);
    assert.equal((await door(cancel(5))).status, 202, "once more, when it is over");
  }
});

Deno.test("where two calls of one token have one id, neither is ended by it", async () => {
  const { begun, work } = untilCancelled(true);
  const { door } = doorOf(work);
  const answers = [await door(call("a", {}, 5)), await door(call("b", {}, 5))];
  await door(cancel(5));
  assert.deepEqual(begun.map(({ signal }) => signal.aborted), [false, false]);
  await answers[0]!.body?.cancel();
  assert.deepEqual(begun.map(({ signal }) => signal.aborted), [true, false]);
  await Promise.resolve();
  await answers[1]!.body?.cancel();
  assert.equal(begun[1]?.signal.aborted, true);
});

Deno.test("a client that closes the stream ends the call", async () => {
  const { begun, work } = untilCancelled(true);
  const { door } = doorOf(work);
  const response = await door(call());
  const reader = response.body!.getReader();
  await reader.read();
  assert.equal(begun[0]?.signal.aborted, false);
  await reader.cancel();
  assert.equal(begun[0]?.signal.aborted, true);
});

Deno.test("a client that goes before there was anything to read ends the call", async () => {
  const { begun, work } = untilCancelled(false);
  const { door } = doorOf(work);
  const gone = new AbortController();
  const answered = door(new Request(call(), { signal: gone.signal }));
  while (begun.length === 0) await Promise.resolve();
  gone.abort();
  assert.equal(begun[0]?.signal.aborted, true);
  await (await answered).body?.cancel();
});
