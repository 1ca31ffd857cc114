/** Answers made at random: the client never throws what nobody expects, and never says of a write what nobody knows. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { Adapter, BUILDER, CRM, type Sent, withToolServers } from "./_tool_servers.ts";

const NAMES = [
  "content",
  "isError",
  "structuredContent",
  "text",
  "type",
  "error",
  "code",
  "message",
  "success",
  "status",
];

/** Answers of a server that are sometimes right, the same for a seed. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  roll(below: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor(this.#state / 2 ** 32 * below);
  }

  pick<T>(...of: readonly T[]): T {
    return of[this.roll(of.length)]!;
  }

  value(deep: number): unknown {
    switch (this.roll(deep > 0 ? 6 : 3)) {
      case 0:
        return null;
      case 1:
        return this.roll(600);
      case 2:
        return this.pick("", "text", '{"success":false}', '{"content":[{"text":"{}"}]}');
      case 3:
        return Array.from({ length: this.roll(3) }, () => this.value(deep - 1));
      default:
        return Object.fromEntries(
          NAMES.filter(() => this.roll(4) === 0).map((name) => [name, this.value(deep - 1)]),
        );
    }
  }

  message(id: number): unknown {
    const body = this.pick<object>(
      { result: { ...this.value(3) as object, content: [this.value(2)] } },
      { result: { content: [{ type: "text", text: this.pick("", "ok", '{"success":false}') }] } },
      { result: this.value(3) },
      { error: this.value(2) },
      { error: { code: this.pick(-32601, -32602, -32603, -32005, -32003), message: "No" } },
      {},
    );
    return {
      jsonrpc: this.pick<unknown>("2.0", "2.0", "2.0", "2.0", "2.0", 2),
      id: this.pick<unknown>(id, id, id, id, id, id, null, "x"),
      ...body,
    };
  }

  answer({ message: { id } }: Sent): Response {
    const json = JSON.stringify(this.message(id));
    const [type, body] = this.pick(
      ["application/json", json],
      ["application/json", json],
      ["text/event-stream", `data: ${json}\n\n`],
      ["text/event-stream", `: x\r\ndata: {}\r\n\r\nevent: message\r\ndata: ${json}\r\n\r\n`],
      ["text/event-stream", json],
      ["application/json", json.slice(0, this.roll(json.length))],
      ["text/html", `<br>${json}`],
      ["", ""],
    ) as [string, string];
    const status = this.pick(200, 200, 200, 200, 200, 200, 200, 200, 201, 400, 401, 404, 409, 500);
    return new Response(body, { status, headers: { "content-type": type } });
  }
}

Deno.test("whatever a server answers is a result with content or E_UPSTREAM, with what is known of a write", async () => {
  const chance = new Chance(7);
  const adapter = new Adapter();
  const found = { answered: 0, none: 0, unknown: 0 };
  await withToolServers(
    (sent, nth, request) =>
      sent.message.method === "tools/call" ? chance.answer(sent) : adapter.answer(sent, nth, request),
    async ({ client }) => {
      for (let nth = 0; nth < 400; nth++) {
        const writes = nth % 2 === 0;
        try {
          const { content, isError } = await (await client()).call(chance.pick(BUILDER, CRM), "t", {}, {
            writes,
          });
          assert.ok(Array.isArray(content) && typeof isError === "boolean");
          found.answered++;
        } catch (thrown) {
          assert.ok(thrown instanceof GatewayError, String(thrown));
          assert.equal(thrown.code, "E_UPSTREAM", String(thrown));
          const { outcome, message } = thrown;
          assert.equal(outcome === "unknown", /the outcome is unknown/.test(message), message);
          if (!writes) continue;
          assert.ok(outcome === "none" || outcome === "unknown", `${outcome}: ${message}`);
          found[outcome]++;
        }
      }
    },
  );
  for (const [what, times] of Object.entries(found)) assert.ok(times > 15, `${what}: ${times}`);
});

Deno.test("whatever a server lists is a list of named tools with schemas, null or E_UPSTREAM", async () => {
  const chance = new Chance(11);
  const rows = () =>
    Array.from({ length: chance.roll(6) }, () => {
      const schema = {
        type: chance.pick<unknown>("object", undefined, "array"),
        properties: chance.value(3),
      };
      return chance.pick<unknown>(chance.value(2), {
        name: chance.pick("a", "b", ""),
        inputSchema: chance.value(2),
      }, {
        name: `t${chance.roll(9)}`,
        inputSchema: schema,
        annotations: chance.value(1),
      });
    });
  let listed = 0;
  await withToolServers((sent) => {
    const result = {
      tools: chance.roll(9) ? rows() : chance.value(2),
      nextCursor: chance.roll(9) ? undefined : chance.value(0),
    };
    return chance.roll(4)
      ? Response.json({ jsonrpc: "2.0", id: sent.message.id, result })
      : chance.answer(sent);
  }, async ({ client }) => {
    for (let nth = 0; nth < 200; nth++) {
      try {
        for (const { name, input_schema: schema } of await (await client()).list(CRM) ?? []) {
          assert.ok(typeof name === "string" && name !== "");
          assert.ok(typeof schema === "object" && schema !== null && !Array.isArray(schema));
          listed++;
        }
      } catch (thrown) {
        assert.ok(thrown instanceof GatewayError && thrown.code === "E_UPSTREAM", String(thrown));
      }
    }
  });
  assert.ok(listed > 50);
});
