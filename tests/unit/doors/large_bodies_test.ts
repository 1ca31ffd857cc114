/** A large body at either door waits for its turn before anything is made of it, and gives it back however it ends. */
import assert from "node:assert/strict";
import { Hono } from "hono";
import { mcpDoor } from "../../../doors/mcp.ts";
import { type CallOverRest } from "../../../doors/app.ts";
import { restDoor, type RestPorts } from "../../../doors/rest.ts";
import { LIMITS } from "../../../core/model.ts";
import { BodyTurns } from "../../../guard/pipeline/body_turns.ts";
import { BodiesInFlight } from "../../../guard/pipeline/in_flight.ts";
import { fakePorts, TOKEN } from "./fake_ports.ts";

const CAP = 64 * 1024 * 1024;
const ARGS = { text: "x".repeat(LIMITS.LARGE_BODY_BYTES) };

/** Both doors over one budget in which somebody else has all turns; the calls that were carried out. */
function world() {
  const turns = new BodyTurns(1);
  const bodies = new BodiesInFlight(Infinity, turns);
  const others = turns.of("other");
  void others.take(LIMITS.LARGE_BODY_BYTES + 1);
  const carried: string[] = [];
  const { ports } = fakePorts(new Set(["127.0.0.1:8000"]));
  const door = mcpDoor({
    ...ports,
    bodies,
    bodyLimit: () => CAP,
    call: (call) => {
      carried.push("mcp");
      return ports.call(call);
    },
  });
  const overRest: CallOverRest = restDoor(new Hono(), {
    authenticate: ports.authenticate,
    dispatch: async (call: Parameters<RestPorts["dispatch"]>[0]) => {
      await call.parse(CAP);
      carried.push("rest");
      return {};
    },
    bodies,
    baseUrl: ports.baseUrl,
    newId: ports.requestId,
    report: () => {},
  } as unknown as RestPorts);
  const post = (path: string, body: unknown, signal?: AbortSignal) =>
    new Request(`http://127.0.0.1:8000${path}`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${TOKEN}`,
        "content-type": "application/json",
        "host": "127.0.0.1:8000",
      },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  const frame = (args: unknown) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "echo", arguments: args },
  });
  const asked = {
    rest: (args: unknown, signal?: AbortSignal) => overRest(post("/api/v1/tools/echo", args, signal), "echo"),
    mcp: (args: unknown, signal?: AbortSignal) => door(post("/mcp", frame(args), signal)),
  };
  return { turns, others, carried, asked };
}

/** Lets what is ready run, until it holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(holds());
}

for (const door of ["rest", "mcp"] as const) {
  Deno.test(`${door}: a large body waits, a small one does not, and the turn is given back`, async () => {
    const { turns, others, carried, asked } = world();
    const large = asked[door](ARGS);
    await until(() => turns.waiting === 1);
    await (await asked[door]({})).json();
    assert.deepEqual(carried, [door], "the small one alone");
    others.end();
    assert.equal((await (await large)).status, 200);
    assert.deepEqual(carried, [door, door]);
    const again = turns.of("other");
    assert.equal(again.take(CAP), undefined, "nobody has a turn any more");
  });

  Deno.test(`${door}: a client that leaves while its body waits holds nobody up, and nothing is done`, async () => {
    const { turns, others, carried, asked } = world();
    const client = new AbortController();
    const large = asked[door](ARGS, client.signal);
    await until(() => turns.waiting === 1);
    client.abort();
    await large;
    assert.deepEqual([turns.waiting, carried], [0, []]);
    others.end();
    assert.equal(turns.of("other").take(CAP), undefined);
  });
}
