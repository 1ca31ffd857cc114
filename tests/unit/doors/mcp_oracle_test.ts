/** The protocol makers' own server as an oracle: it gets every row of the table, and must answer as the door does. */
import assert from "node:assert/strict";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { mcpDoor } from "../../../doors/mcp.ts";
import { BODY_BYTES, fakePorts, TOOLS } from "./fake_ports.ts";
import { modern } from "./mcp_requests.ts";
import { ROWS } from "./mcp_rows.ts";

/** Where the door means to differ, and why. */
const MEANT: Record<string, string> = {
  "another Host": "which leaves the Host to whoever runs it",
  "another Host without a token": "which leaves the Host to whoever runs it",
  "Accept without event streams": "which insists on both media types",
  "no Accept": "which insists on both media types",
  "not UTF-8": "which replaces the bytes",
  "a batch": "which takes batches of the one revision that had them",
  "params as an array": "which calls the whole message invalid",
  "params as a string": "which calls the whole message invalid",
  "params null": "which calls the whole message invalid",
  "tools/list with a cursor": "which leaves cursors to the tool list",
  "2026 tools/list with a cursor": "which leaves cursors to the tool list",
  "2026 notification with a foreign method header": "which checks what it then drops",
};

const door = mcpDoor(fakePorts().ports);
const oracle = createMcpHandler(() => {
  const server = new Server({ name: "oracle", version: "1" }, {
    capabilities: { tools: { listChanged: true } },
  });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS as never }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "x" }] }));
  return server;
}, { maxRequestBodySize: BODY_BYTES });

interface Outcome {
  readonly status: number;
  readonly code: number | null | undefined;
}

/** Status and JSON-RPC code; the oracle's 2025 answers come as an event stream. */
async function outcome(response: Response): Promise<Outcome> {
  const text = await response.text();
  const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return { status: response.status, code: json === "" ? null : JSON.parse(json).error?.code };
}

for (const { name, request } of ROWS) {
  const why = MEANT[name];
  Deno.test(`${name}: ${why === undefined ? "as the official server" : `unlike the official server, ${why}`}`, async () => {
    const [ours, theirs] = [
      await outcome(await door(request())),
      await outcome(await oracle.fetch(request())),
    ];
    if (why === undefined) assert.deepEqual(ours, theirs);
    else assert.notDeepEqual(ours, theirs);
  });
}

Deno.test("a stream of changes is written as the official server writes it", async () => {
  let list = "before";
  const looks: (() => Promise<void>)[] = [];
  const stopping = new AbortController();
  const { ports } = fakePorts();
  const changing = mcpDoor({
    ...ports,
    server: { name: "oracle", version: "1" },
    lists: { fresh() {}, key: () => list, digest: () => list },
    stopping: stopping.signal,
    clock: {
      elapsed: () => 0,
      every(_ms, work) {
        looks.push(work);
        return () => {};
      },
    },
  });
  const asked = { notifications: { toolsListChanged: true, promptsListChanged: true } };
  const request = () => modern("subscriptions/listen", asked);
  const [ours, theirs] = [await changing(request()), await oracle.fetch(request())];
  list = "after";
  await looks[0]!();
  oracle.notify.toolsChanged();
  stopping.abort();
  await oracle.close();
  const header = (name: string) => [ours, theirs].map((one) => one.headers.get(name)?.split(",")[0]);
  for (const name of ["content-type", "cache-control", "x-accel-buffering"]) {
    const [own, wanted] = header(name);
    assert.equal(own, wanted, name);
  }
  assert.equal(ours.status, theirs.status);
  const messages = async (response: Response) =>
    (await response.text()).trim().split("\n\n").map((event) => JSON.parse(event.split("data: ")[1]!));
  const [own, wanted] = [await messages(ours), await messages(theirs)];
  assert.equal(own.length, 3);
  assert.deepEqual(own, wanted);
});

Deno.test("every meant difference is a row of the table", () => {
  const names = new Set(ROWS.map((row) => row.name));
  assert.deepEqual(Object.keys(MEANT).filter((name) => !names.has(name)), []);
});
