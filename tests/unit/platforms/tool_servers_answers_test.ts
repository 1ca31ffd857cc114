/** What is made of what a tool server answers: faults of every kind, and what they say of a write. */
import assert from "node:assert/strict";
import { assertTold } from "../../told.ts";
import { LIMITS } from "../../../core/model.ts";
import {
  type Answer,
  answering,
  BUILDER,
  CRM,
  failure,
  READ,
  result,
  rpcError,
  type Sent,
  text,
  withToolServers,
  WRITE,
} from "./_tool_servers.ts";

const sse = (body: string | ReadableStream) =>
  new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
const event = (message: unknown) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const done = ({ message: { id } }: Sent) => ({
  jsonrpc: "2.0",
  id,
  result: { ...text("done"), isError: false },
});

/** Answers that leave open whether a write was carried out, and what is said of them. */
const DOUBTFUL: readonly [what: string, answer: Answer, said: RegExp][] = [
  [
    "HTML before JSON",
    (sent) =>
      new Response(`<br />\n<b>Warning</b>: x in y\n${JSON.stringify(done(sent))}`, {
        headers: { "content-type": "application/json" },
      }),
    /cannot be read: it is not JSON: "Warning : x in y/,
  ],
  ["nothing", () => new Response(""), /it is not JSON, its body is empty/],
  ["accepted", () => new Response(null, { status: 202 }), /it is not JSON/],
  [
    "another id",
    (sent) => Response.json({ ...done(sent), id: sent.message.id + 1 }),
    /no answer to what was asked/,
  ],
  [
    "the id as a text",
    (sent) => Response.json({ ...done(sent), id: `${sent.message.id}` }),
    /no answer to what/,
  ],
  ["a batch", (sent) => Response.json([done(sent)]), /no answer to what was asked/],
  ["no protocol", () => Response.json({ content: [] }), /no answer to what was asked/],
  [
    "a request with our id",
    (sent) => Response.json({ jsonrpc: "2.0", id: sent.message.id, method: "ping" }),
    /no answer to what/,
  ],
  ["a result that is a list", (sent) => result(sent, []), /its result is no object/],
  ["a result without content", (sent) => result(sent, { isError: false }), /result has no content/],
  [
    "items without end",
    (sent) => result(sent, { content: Array.from({ length: 1001 }, () => ({})) }),
    /more than 1000 items/,
  ],
  ["content that is no list", (sent) => result(sent, { content: "x" }), /result has no content/],
  [
    "a deep answer",
    (sent) =>
      new Response(
        `{"jsonrpc":"2.0","id":${sent.message.id},"result":${'{"a":'.repeat(99)}1${"}".repeat(99)}}`,
      ),
    /nested deeper than 64 levels/,
  ],
  [
    "a very deep answer",
    (sent) =>
      new Response(
        `{"jsonrpc":"2.0","id":${sent.message.id},"result":{"content":${"[".repeat(2e5)}${"]".repeat(2e5)}}}`,
      ),
    /nested deeper than 64 levels|not JSON/,
  ],
  ["too much", (sent) => result(sent, text("x".repeat(LIMITS.TOOL_RESULT_BYTES))), /more than 1048576 bytes/],
  [
    "too much in events",
    (sent) => sse(event({ ...done(sent), x: "x".repeat(LIMITS.TOOL_RESULT_BYTES) })),
    /more than 1048576 bytes/,
  ],
  [
    "a stream that ends",
    () => sse(event({ jsonrpc: "2.0", method: "notifications/message" })),
    /stream ended without/,
  ],
  ["a stream for another", (sent) => sse(event({ ...done(sent), id: 0 })), /stream ended without an answer/],
  [
    "an error in a stream that is about no request",
    () => sse(event({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no" } })),
    /stream ended without an answer/,
  ],
  ["an internal error", (sent) => rpcError(sent, 500, -32603, "It broke"), /500 -32603: "It broke"/],
  [
    "an internal error that calls itself a success",
    (sent) => rpcError(sent, 200, -32603, "It broke"),
    /-32603: "It broke"/,
  ],
  [
    "an error without a code",
    (sent) => Response.json({ jsonrpc: "2.0", id: sent.message.id, error: "no" }),
    /an error without a code/,
  ],
  ["a gateway's error", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), /502: "Bad gateway"/],
  ["a firewall", () => new Response("<h1>Blocked</h1>", { status: 403 }), /403: "Blocked"/],
  ["a timeout of theirs", (sent) => rpcError(sent, 408, -32600, "late"), /408/],
];

/** Answers that say that nothing was done. */
const REFUSED: readonly [what: string, answer: Answer, said: RegExp][] = [
  [
    "an unknown tool",
    (sent) => rpcError(sent, 404, -32003, "Tool not found: t"),
    /404 -32003: .*list the tools again/,
  ],
  [
    "bad arguments",
    (sent) => rpcError(sent, 200, -32602, "Invalid params"),
    /-32602: "Invalid params"; check the tool's/,
  ],
  [
    "a request that was not read",
    () => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }),
    /-32700: "Parse error"/,
  ],
  [
    "no right",
    (sent) => rpcError(sent, 403, -32008, "Permission denied"),
    /403 -32008: .*a role that may do it/,
  ],
  [
    "no login",
    () => Response.json({ code: "rest_forbidden", message: "Sorry" }, { status: 401 }),
    /application password/,
  ],
  [
    "no login, in the adapter's words",
    (sent) => rpcError(sent, 401, -32010, "Unauthorized"),
    /application password of the site was not accepted/,
  ],
  [
    "a REST API that a plugin shuts",
    () => Response.json({ code: "rest_disabled", message: "REST API is off" }, { status: 401 }),
    /refuses its REST API, whatever the application password/,
  ],
  [
    "a sign-in of the web server",
    () => new Response("<h1>Authorization Required</h1>", { status: 401 }),
    /asks for a sign-in of its own/,
  ],
  [
    "a plugin that was switched off",
    () => Response.json({ code: "rest_no_route", message: "No route" }, { status: 404 }),
    /the plugin that brings it is active/,
  ],
  ["too many", (sent) => rpcError(sent, 429, -32000, "Slow down"), /asked too often/],
];

Deno.test("an answer that leaves doubt is a failure, whose outcome is unknown where it was a write; that is sent once", async () => {
  for (const [what, answer, said] of DOUBTFUL) {
    await answering(answer, async ({ ask, writes, sent }) => {
      const error = await failure(ask(WRITE));
      assertTold(error, said, what);
      assert.match(error.message, /the outcome is unknown/, what);
      assert.equal(writes.outcomeOf(error), "unknown", what);
      assert.equal(sent.length, 1, what);
      const read = await failure(ask(READ));
      assertTold(read, said, what);
      assert.doesNotMatch(read.message, /outcome/, what);
    });
  }
});

Deno.test("a refusal in the server's own words is a failure of which nothing was done", async () => {
  for (const [what, answer, said] of REFUSED) {
    await answering(answer, async ({ ask, writes, sent }) => {
      const error = await failure(ask(WRITE));
      assertTold(error, said, what);
      assert.doesNotMatch(error.message, /outcome/, what);
      assert.equal(writes.outcomeOf(error), "none", what);
      assert.equal(sent.length, 1, what);
    });
  }
});

Deno.test("a server's word for a refusal is never shown as a code of ours", async () => {
  await answering(
    () => Response.json({ code: "E_AUTH", message: "No" }, { status: 404 }),
    async ({ ask }) => {
      const { message, excerpt } = await failure(ask(READ));
      assert.ok(!message.includes("E_AUTH"), message);
      assert.equal(excerpt, "E_AUTH: No");
    },
  );
});

Deno.test("a read is asked again where the server was busy or the connection broke, a write is not", async () => {
  const busy = (sent: Sent, nth: number) =>
    nth === 1 ? new Response("busy", { status: 503 }) : Response.json(done(sent));
  await answering(busy, async ({ ask, sent }) => {
    assert.deepEqual(await ask(READ), { ...text("done"), isError: false });
    assert.equal(sent.length, 2);
  });
  await answering(busy, async ({ ask, sent }) => {
    assert.equal((await failure(ask(WRITE))).upstream, 503);
    assert.equal(sent.length, 1);
  });
});

Deno.test("a redirect is not followed", async () => {
  const to = (location: string): Answer => () => new Response(null, { status: 307, headers: { location } });
  for (const location of ["/wp-json/wp/v2/posts", "https://evil.example/"]) {
    for (const how of [READ, WRITE]) {
      await answering(to(location), async ({ ask, sent }) => {
        assert.match((await failure(ask(how))).message, /redirects|points to/);
        assert.equal(sent.length, 1);
      });
    }
  }
});

Deno.test("of a stream that goes on the answer is read, and then it is closed", async () => {
  const closed: Promise<void>[] = [];
  await answering((sent) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    closed.push(promise);
    const before = event({ jsonrpc: "2.0", method: "notifications/progress" }) +
      event({ jsonrpc: "2.0", id: sent.message.id, method: "sampling/createMessage" });
    return sse(
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode(before + event(done(sent)) + ": on\n\n")),
        cancel: () => resolve(),
      }),
    );
  }, async ({ ask }) => {
    for (const how of [READ, WRITE]) assert.deepEqual(await ask(how), { ...text("done"), isError: false });
    await Promise.all(closed);
    assert.equal(closed.length, 2);
  });
});

Deno.test("a stream that never answers ends with the call, and the outcome of a write is unknown", async () => {
  const silent = () =>
    sse(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(":\n\n")) }));
  await answering(silent, async ({ client, writes }) => {
    const call = async (how: typeof READ) =>
      await failure((await client({ deadline: 300 })).call(BUILDER, "t", {}, how));
    const error = await call(WRITE);
    assert.match(error.message, /gave no answer within .* the outcome is unknown/);
    assert.equal(writes.outcomeOf(error), "unknown");
    assert.match((await call(READ)).message, /gave no answer within .* try again/);
  });
});

Deno.test("a caller who goes away ends a read, and a write is carried through", async () => {
  for (const how of [READ, WRITE]) {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await answering(async (sent) => {
      asked.resolve();
      await gate.promise;
      return Response.json(done(sent));
    }, async ({ client }) => {
      const gone = new AbortController();
      const call = (await client({ cancelled: gone.signal })).call(BUILDER, "t", {}, how);
      await asked.promise;
      gone.abort();
      if (how.writes) gate.resolve();
      if (how.writes) assert.equal((await call).isError, false);
      else await assert.rejects(call, { code: "E_CANCELLED" });
      gate.resolve();
    });
  }
});

Deno.test("a failure of the tool itself is answered as one, with the server's words", async () => {
  const denied = { ...text("Permission denied"), isError: true };
  await answering(
    (sent) => result(sent, denied),
    async ({ ask }) => assert.deepEqual(await ask(WRITE), denied),
  );
});

/** What a tool of the content platform answers as a success, and whether its contents say so too. */
const SAID: readonly [what: unknown, failed: boolean][] = [
  [{ success: true, post_id: 5 }, false],
  [{ success: false, failed: [{ index: 0 }] }, true],
  [{ error: "Element not found" }, true],
  [{ error: { code: "x" } }, true],
  [{ success: true, label: "Email", error: "Enter your address" }, false],
  [{ error: "" }, false],
  [{ error: null, pages: [] }, false],
  [{ error: false }, false],
  [{ updated: [], skipped: ["a"] }, true],
  [{ updated: {}, skipped: { a: "b" } }, true],
  [{ updated: [], skipped: [] }, false],
  [{ updated: ["a"], skipped: ["b"] }, false],
  [{ updated: [] }, false],
  [[{ error: "x" }], false],
  ["error: not JSON", false],
  ['"success: false"', false],
];

Deno.test("a success whose contents report a failure is one, and is marked", async () => {
  for (const [what, failed] of SAID) {
    const told = failed ? { isError: true, soft: true } : { isError: false };
    await answering((sent) => result(sent, { ...text(what), isError: false }), async ({ ask }) => {
      assert.deepEqual(await ask(WRITE), { ...text(what), ...told });
    });
    if (typeof what === "string") continue;
    const both = { ...text("Done"), structuredContent: what };
    await answering((sent) => result(sent, both), async ({ ask }) => {
      const isFields = !Array.isArray(what);
      assert.deepEqual(await ask(READ), { ...both, ...(isFields ? told : { isError: false }) });
    });
  }
});

const ok = { success: true, status: 200, data: { contact: { id: "c1" } } };
const wrapped = (value: unknown) => ({ content: [{ text: JSON.stringify(value) }] });

Deno.test("a result of the CRM is taken out of what it is wrapped in, and says whether it failed", async () => {
  const denied = { success: false, status: 401, data: { message: "Invalid token" } };
  const cases: readonly [unknown, unknown][] = [
    [text(ok), { ...text(ok), isError: false }],
    [text(wrapped(ok)), { ...text(ok), isError: false }],
    [text(wrapped(wrapped(ok))), { ...text(ok), isError: false }],
    [text(wrapped(wrapped(wrapped(ok)))), { ...text(wrapped(ok)), isError: false }],
    [text(wrapped(denied)), { ...text(denied), isError: true, soft: true, status: 401 }],
    [text({ statusCode: 422, message: "no" }), {
      ...text({ statusCode: 422, message: "no" }),
      isError: true,
      soft: true,
      status: 422,
    }],
    [text({ success: false }), { ...text({ success: false }), isError: true, soft: true }],
    [text({ status: "active", success: true }), {
      ...text({ status: "active", success: true }),
      isError: false,
    }],
    [{ ...text("Request failed with status code 401"), isError: true }, {
      ...text("Request failed with status code 401"),
      isError: true,
      status: 401,
    }],
    [text({ ...wrapped(ok), isError: true }), { ...text(ok), isError: true }],
    [text("plain"), { ...text("plain"), isError: false }],
    [text({ id: "r1", name: "Room", status: 450 }), {
      ...text({ id: "r1", name: "Room", status: 450 }),
      isError: false,
    }],
  ];
  for (const [answer, expected] of cases) {
    await withToolServers(
      (sent) => sse(event({ jsonrpc: "2.0", id: sent.message.id, result: answer })),
      async (world) => {
        assert.deepEqual(await (await world.client()).call(CRM, "t", {}, WRITE), expected);
      },
    );
  }
});

Deno.test("80 KB of result come whole, as JSON and as events", async () => {
  const large = { settings: "é".repeat(40_000) };
  await answering(
    (sent, nth) => nth % 2 ? result(sent, text(large)) : sse(event({ ...done(sent), result: text(large) })),
    async ({ ask }) => {
      for (let nth = 0; nth < 4; nth++) assert.deepEqual(await ask(READ), { ...text(large), isError: false });
    },
  );
});
