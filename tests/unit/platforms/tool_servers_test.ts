/** The tool servers of a site: what is asked of them, within which session, and what is made of their answers. */
import assert from "node:assert/strict";
import { assertTold } from "../../told.ts";
import type { GatewayError } from "../../../core/errors.ts";
import { VERSION } from "../../../core/model.ts";
import {
  Adapter,
  BUILDER,
  CRM,
  OPENING,
  PASSWORD,
  result,
  rpcError,
  text,
  TOKEN,
  withToolServers,
} from "./_tool_servers.ts";

const READ = { writes: false };
const WRITE = { writes: true };

Deno.test("the servers are those that the site's kind and its credentials make possible, and nothing is asked", async () => {
  await withToolServers(() => new Response(), async ({ client, sent }) => {
    const names = async (site: Parameters<typeof client>[0]) =>
      (await client(site)).possible().map(({ source, server }) => `${source} ${server}`);
    const cms = ["cms emcp-tools-server", "cms elementor-mcp-server", "cms mcp-adapter-default-server"];
    assert.deepEqual(await names({}), [...cms, "crm hosted"]);
    assert.deepEqual(await names({ site: { credentials: ["cms"] } }), cms);
    assert.deepEqual(await names({ site: { credentials: ["crm"] } }), ["crm hosted"]);
    assert.deepEqual(await names({ site: { crm_location_id: null } }), cms);
    assert.deepEqual(await names({ site: { platform: "static" } }), ["crm hosted"]);
    assert.deepEqual(sent, []);
  });
});

Deno.test("a cold call takes three requests and a warm one takes one, signed and within the session agreed on", async () => {
  const adapter = new Adapter();
  await withToolServers(adapter.answer, async ({ client, sent, methods }) => {
    const args = { title: "Hello", nested: { list: [1] } };
    const answer = await (await client()).call(BUILDER, "emcp-tools-list-pages", args, READ);
    assert.deepEqual(answer, { content: [{ type: "text", text: '{"done":true}' }], isError: false });
    await (await client()).call(BUILDER, "emcp-tools-create-page", args, WRITE);
    assert.deepEqual(methods(), [...OPENING, "tools/call", "tools/call"]);
    const [first, ...others] = sent.map(({ headers }) => headers);
    assert.deepEqual([first!.get("mcp-session-id"), first!.get("mcp-protocol-version")], [null, null]);
    for (const headers of others) {
      assert.equal(headers.get("mcp-session-id"), "session-1");
      assert.equal(headers.get("mcp-protocol-version"), "2025-06-18");
      assert.equal(headers.get("accept"), "application/json, text/event-stream");
      assert.equal(headers.get("authorization"), `Basic ${btoa(`admin:${PASSWORD}`)}`);
      assert.equal(headers.get("locationid"), null);
    }
    assert.equal(sent[2]!.path, "/wp-json/mcp/emcp-tools-server");
    assert.deepEqual(sent[2]!.message.params, { name: "emcp-tools-list-pages", arguments: args });
    assert.deepEqual(sent[0]!.message.params, {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "site-operations-gateway", version: VERSION },
    });
    assert.deepEqual(Object.keys(sent[1]!.message).sort(), ["jsonrpc", "method"], "it is a notice");
    const ids = [0, 2, 3].map((nth) => sent[nth]!.message.id);
    assert.equal(new Set(ids).size, 3, "no two requests have one id");
  });
});

Deno.test("twenty calls at once open one session, and a changed credential opens another", async () => {
  const adapter = new Adapter();
  await withToolServers(adapter.answer, async ({ client, methods }) => {
    const calls = Array.from({ length: 20 }, async () => await (await client()).call(BUILDER, "t", {}, READ));
    assert.equal((await Promise.all(calls)).length, 20);
    assert.equal(methods().filter((one) => one === "initialize").length, 1);
    await (await client({ site: { credentials_version: 2 } })).call(BUILDER, "t", {}, READ);
    assert.equal(methods().filter((one) => one === "initialize").length, 2);
  });
});

Deno.test("a session goes on being opened for those who wait for it where the call that began it is given up", async () => {
  const adapter = new Adapter();
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await withToolServers(async (sent, nth, request) => {
    asked.resolve();
    if (nth === 1) await gate.promise;
    return await adapter.answer(sent, nth, request);
  }, async ({ client, methods }) => {
    const gone = new AbortController();
    const first = (await client({ cancelled: gone.signal })).call(BUILDER, "t", {}, READ);
    await asked.promise;
    const second = (await client()).call(BUILDER, "t", {}, READ);
    gone.abort();
    gate.resolve();
    await assert.rejects(first, { code: "E_CANCELLED" });
    assert.equal((await second).isError, false);
    assert.deepEqual(methods(), [...OPENING, "tools/call"]);
  });
});

Deno.test("sessions of two servers of a site are opened one after another", async () => {
  let open = 0;
  let most = 0;
  const adapter = new Adapter();
  await withToolServers(async (sent, nth, request) => {
    if (sent.message.method !== "initialize") return await adapter.answer(sent, nth, request);
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 20));
    open--;
    return await adapter.answer(sent, nth, request);
  }, async ({ client }) => {
    const servers = (await client()).possible().filter(({ source }) => source === "cms");
    assert.equal((await Promise.all(servers.map(async (ref) => await (await client()).list(ref)))).length, 3);
    assert.equal(most, 1);
    assert.equal(adapter.sessions.size, 3);
  });
});

Deno.test("a lost session is opened again once, for all calls that lost it, and each call is sent again", async () => {
  const adapter = new Adapter();
  await withToolServers(adapter.answer, async ({ client, methods, sent }) => {
    await (await client()).list(BUILDER);
    adapter.sessions.clear();
    sent.length = 0;
    const calls = [READ, WRITE, READ].map(async (how) => await (await client()).call(BUILDER, "t", {}, how));
    for (const answer of await Promise.all(calls)) assert.equal(answer.isError, false);
    assert.equal(methods().filter((one) => one === "initialize").length, 1);
    assert.equal(methods().filter((one) => one === "tools/call").length, 6);
  });
});

Deno.test("a server that loses every session is asked twice and no more", async () => {
  const adapter = new Adapter();
  await withToolServers((sent, nth, request) => {
    adapter.sessions.clear();
    return adapter.answer(sent, nth, request);
  }, async ({ client, methods, writes }) => {
    const error = await failure((await client()).call(BUILDER, "t", {}, WRITE));
    assertTold(error, /tool server "emcp-tools-server" answered 404 -32005: "Session not found"/);
    assert.equal(writes.outcomeOf(error), "none");
    assert.deepEqual(methods(), [...OPENING, "tools/call", ...OPENING, "tools/call"]);
  });
});

Deno.test("a refusal of a tool or of a method is no lost session", async () => {
  for (const code of [-32601, -32003]) {
    const adapter = new Adapter();
    adapter.run = (sent) => rpcError(sent, 404, code, "Tool not found: t");
    await withToolServers(adapter.answer, async ({ client, methods, writes }) => {
      const error = await failure((await client()).call(BUILDER, "t", {}, WRITE));
      assert.equal(error.upstream, 404);
      assert.equal((error as unknown as { isGone: boolean }).isGone, code === -32003);
      assert.equal(writes.outcomeOf(error), "none");
      assert.deepEqual(methods(), [...OPENING, "tools/call"]);
    });
  }
});

Deno.test("a 404 that is not in the protocol's words opens a new session for a read, and sends no write again", async () => {
  const adapter = new Adapter();
  let lost = true;
  adapter.run = () => {
    if (!lost) return { ...text("ok"), isError: false };
    lost = false;
    return new Response("no", { status: 404 });
  };
  await withToolServers(adapter.answer, async ({ client, writes }) => {
    assert.equal((await (await client()).call(BUILDER, "t", {}, READ)).isError, false);
    lost = true;
    const error = await failure((await client()).call(BUILDER, "t", {}, WRITE));
    assert.match(error.message, /the outcome is unknown/);
    assert.equal(writes.outcomeOf(error), "unknown");
    assert.equal((await (await client()).call(BUILDER, "t", {}, WRITE)).isError, false);
    assert.equal(adapter.sessions.size, 3, "the next call has a session of its own");
  });
});

Deno.test("a server without sessions is not asked for one again, and one that begins to want one gets it", async () => {
  const adapter = new Adapter();
  let stateless = true;
  await withToolServers((sent, nth, request) => {
    if (!stateless) return adapter.answer(sent, nth, request);
    const { method } = sent.message;
    return result(sent, method === "initialize" ? { protocolVersion: "2025-11-25" } : text("ok"));
  }, async ({ client, methods, sent }) => {
    for (let nth = 0; nth < 3; nth++) await (await client()).call(BUILDER, "t", {}, READ);
    assert.deepEqual(methods(), ["initialize", "tools/call", "tools/call", "tools/call"]);
    assert.equal(sent.at(-1)!.headers.get("mcp-protocol-version"), "2025-11-25");
    assert.equal(sent.at(-1)!.headers.get("mcp-session-id"), null);
    stateless = false;
    await (await client()).call(BUILDER, "t", {}, WRITE);
    assert.deepEqual(methods().slice(4), ["tools/call", ...OPENING, "tools/call"]);
  });
});

Deno.test("a version of the protocol that the gateway does not speak is refused", async () => {
  const adapter = new Adapter();
  adapter.version = "2099-01-01";
  await withToolServers(adapter.answer, async ({ client, methods }) => {
    const error = await failure((await client()).call(BUILDER, "t", {}, WRITE));
    assert.match(error.message, /speaks a version of the protocol that the gateway does not/);
    assert.deepEqual(methods(), ["initialize"]);
  });
});

Deno.test("the CRM's server is asked at once, without a session, for the site's own location", async () => {
  await withToolServers(
    (sent) => result(sent, text({ success: true, status: 200, data: {} })),
    async (world) => {
      const { client, sent, base } = world;
      await (await client()).call(CRM, "contacts_get-contact", { path_contactId: "c1" }, READ);
      assert.equal(sent.length, 1);
      const { path, headers, message } = sent[0]!;
      assert.equal(`${base}${path}`, `${base}/mcp/`);
      assert.equal(message.method, "tools/call");
      assert.equal(headers.get("locationid"), "loc-1");
      assert.equal(headers.get("authorization"), `Bearer ${TOKEN}`);
      assert.equal(headers.get("mcp-protocol-version"), "2025-06-18");
    },
  );
});

Deno.test("a CRM's server that wants a session after all gets one, which is kept", async () => {
  const adapter = new Adapter();
  await withToolServers(adapter.answer, async ({ client, methods }) => {
    await (await client()).call(CRM, "t", {}, READ);
    await (await client()).call(CRM, "t", {}, WRITE);
    assert.deepEqual(methods(), ["tools/call", ...OPENING, "tools/call", "tools/call"]);
  });
});

Deno.test("a plugin that is off has no tools; without pretty addresses the server is found at the other place", async () => {
  const noRoute = () =>
    Response.json({ code: "rest_no_route", message: "No route", data: { status: 404 } }, { status: 404 });
  await withToolServers(noRoute, async ({ client, sent, writes }) => {
    assert.equal(await (await client()).list(BUILDER), null);
    assert.equal(sent.length, 1, "where the site itself says so no other place is tried");
    const error = await failure((await client()).call(BUILDER, "t", {}, WRITE));
    assertTold(error, /404 rest_no_route: No route; see that the plugin .* is active/);
    assert.equal(writes.outcomeOf(error), "none");
  });
  const adapter = new Adapter();
  const page = () => new Response("<html>Not here</html>", { status: 404 });
  await withToolServers((sent, nth, request) => {
    return sent.path === "/?rest_route=/mcp/emcp-tools-server" ? adapter.answer(sent, nth, request) : page();
  }, async ({ client, sent }) => {
    assert.deepEqual(await (await client()).list(BUILDER), []);
    await (await client()).call(BUILDER, "t", {}, WRITE);
    assert.equal(sent.length, 5, "the place is remembered");
  });
  await withToolServers(page, async ({ client, sent }) => {
    assert.equal(await (await client()).list(BUILDER), null);
    assert.equal(sent.length, 2);
  });
});

Deno.test("a server that the site cannot have is not asked for", async () => {
  await withToolServers(() => new Response(), async ({ client, sent, writes }) => {
    const other = { source: "cms" as const, server: "../../wp/v2/posts" };
    assert.equal(await (await client()).list(other), null);
    const error = await failure((await client()).call(other, "t", {}, WRITE));
    assert.match(error.message, /has no tool server/);
    assert.equal(writes.outcomeOf(error), "none");
    assert.deepEqual(sent, []);
  });
});

/** What a call failed with, which is E_UPSTREAM. */
async function failure(call: Promise<unknown>): Promise<GatewayError> {
  let found: GatewayError | undefined;
  await assert.rejects(call, (error: GatewayError) => {
    found = error;
    assert.equal(error.code, "E_UPSTREAM", String(error));
    return true;
  });
  return found!;
}
