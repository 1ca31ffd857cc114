/** The client against servers made with the official SDK, with and without sessions, answering JSON and events. */
import assert from "node:assert/strict";
import { McpServer, WebStandardStreamableHTTPServerTransport } from "../../packages/mcp_server.ts";
import { z } from "zod";
import { type Answer, BUILDER, CRM, OPENING, text, withToolServers } from "./_tool_servers.ts";

interface Notifying {
  sendNotification(one: { method: string; params: object }): Promise<void>;
}

function server(): McpServer {
  const made = new McpServer({ name: "stand-in", version: "1.0.0" }, { capabilities: { logging: {} } });
  made.registerTool("add", {
    title: "Add",
    description: "Adds two numbers",
    inputSchema: { a: z.number(), b: z.number() },
    annotations: { readOnlyHint: true },
  }, ({ a, b }: { a: number; b: number }) => ({ content: [{ type: "text", text: `${a + b}` }] }));
  made.registerTool("fail", { description: "Fails" }, () => {
    throw new Error("It went wrong");
  });
  made.registerTool("notify", { description: "Notifies first" }, async ({ sendNotification }: Notifying) => {
    await sendNotification({ method: "notifications/message", params: { level: "info", data: "working" } });
    return { content: [{ type: "text", text: "notified" }] };
  });
  return made;
}

/** Servers by their sessions; `lose` forgets them. */
class Stateful {
  readonly transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(readonly json: boolean) {}

  answer: Answer = async (_, __, request) => {
    const known = this.transports.get(request.headers.get("mcp-session-id") ?? "");
    if (known) return await known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id: string) => void this.transports.set(id, transport),
      enableJsonResponse: this.json,
    });
    await server().connect(transport);
    return request.headers.has("mcp-session-id")
      ? Response.json({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, {
        status: 404,
      })
      : await transport.handleRequest(request);
  };
}

const stateless = (json: boolean): Answer => async (_, __, request) => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: json });
  await server().connect(transport);
  return await transport.handleRequest(request);
};

for (const json of [true, false]) {
  const as = json ? "JSON" : "events";
  for (const sessions of [true, false]) {
    const kind = `${sessions ? "with" : "without"} sessions, answering ${as}`;
    Deno.test(`the official server ${kind}, is listed and called`, async () => {
      await withToolServers(
        sessions ? new Stateful(json).answer : stateless(json),
        async ({ client, methods }) => {
          const tools = await (await client()).list(BUILDER) ?? [];
          assert.deepEqual(tools.map(({ name }) => name), ["add", "fail", "notify"]);
          const [add] = tools;
          assert.deepEqual([add!.title, add!.description, add!.hints], ["Add", "Adds two numbers", {
            read_only: true,
          }]);
          assert.deepEqual(add!.input_schema.required, ["a", "b"]);
          const call = async (name: string, args = {}) =>
            await (await client()).call(BUILDER, name, args, { writes: true });
          assert.deepEqual(await call("add", { a: 1, b: 2 }), { ...text("3"), isError: false });
          assert.deepEqual(await call("notify"), { ...text("notified"), isError: false });
          assert.deepEqual(await call("fail"), { ...text("It went wrong"), isError: true });
          const bad = await call("add", { a: "1" });
          assert.equal(bad.isError, true);
          assert.match(JSON.stringify(bad.content), /a.*number/);
          assert.equal((await call("gone")).isError, true);
          assert.deepEqual(methods(), [
            ...sessions ? OPENING : ["initialize"],
            "tools/list",
            ...Array(5).fill("tools/call"),
          ]);
        },
      );
    });
  }
  Deno.test(`the official server loses its sessions, answering ${as}, and gets a new one once`, async () => {
    const stateful = new Stateful(json);
    await withToolServers(stateful.answer, async ({ client, methods }) => {
      await (await client()).list(BUILDER);
      stateful.transports.clear();
      const answer = await (await client()).call(BUILDER, "add", { a: 2, b: 2 }, { writes: true });
      assert.deepEqual(answer, { ...text("4"), isError: false });
      assert.deepEqual(methods(), [...OPENING, "tools/list", "tools/call", ...OPENING, "tools/call"]);
    });
  });
  Deno.test(`the official server without sessions, answering ${as}, is called as the CRM's is, without opening`, async () => {
    await withToolServers(stateless(json), async ({ client, methods }) => {
      const answer = await (await client()).call(CRM, "add", { a: 2, b: 3 }, { writes: false });
      assert.deepEqual(answer, { ...text("5"), isError: false });
      assert.deepEqual(methods(), ["tools/call"]);
    });
  });
  Deno.test(`the official server with sessions, answering ${as}, gets one where the CRM's would need none`, async () => {
    await withToolServers(new Stateful(json).answer, async ({ client, methods }) => {
      const call = async () => await (await client()).call(CRM, "add", { a: 2, b: 3 }, { writes: true });
      for (let nth = 0; nth < 2; nth++) assert.deepEqual(await call(), { ...text("5"), isError: false });
      assert.deepEqual(methods(), ["tools/call", ...OPENING, "tools/call", "tools/call"]);
    });
  });
}
