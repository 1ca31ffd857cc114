/** What signed a request is not shown of what a tool server answers. */
import assert from "node:assert/strict";
import { told } from "../../told.ts";
import type { GatewayError } from "../../../core/errors.ts";
import {
  Adapter,
  type Answer,
  BUILDER,
  PASSWORD,
  result,
  rpcError,
  text,
  withToolServers,
} from "./_tool_servers.ts";

const BASIC = btoa(`admin:${PASSWORD}`);

/** A call of a server that is opened already and answers calls so. */
async function asked(
  answer: Answer,
  use: (call: Promise<unknown>) => Promise<void>,
  adapter = new Adapter(),
): Promise<void> {
  await withToolServers((sent, nth, request) => {
    return (sent.message.method === "tools/call" ? answer : adapter.answer.bind(adapter))(sent, nth, request);
  }, async ({ client }) => await use((await client()).call(BUILDER, "t", {}, { writes: true })));
}

Deno.test("what a server shows of the request's own credential is taken out", async () => {
  await asked(
    (sent) => rpcError(sent, 500, -32603, `Headers: {"authorization":"Basic ${BASIC}"}`),
    async (call) => {
      await assert.rejects(call, (failure: GatewayError) => {
        assert.ok(!told(failure).includes(BASIC));
        assert.match(told(failure), /Basic \[redacted\]/);
        return true;
      });
    },
  );
});

Deno.test("what a result shows of the request's own credential is taken out, however it is spelt", async () => {
  const hex = [...PASSWORD].map((sign) => sign.charCodeAt(0).toString(16)).join("");
  const spelt = [
    encodeURIComponent(PASSWORD),
    hex,
    btoa(`admin:${PASSWORD}!`),
    btoa(JSON.stringify({ authorization: `Basic ${BASIC}` })),
  ];
  const shown = { ...text(`a ${spelt.join(" b ")} c`), structuredContent: { [hex]: spelt } };
  await asked((sent) => result(sent, shown), async (call) => {
    const said = JSON.stringify(await call);
    for (const one of spelt) assert.ok(!said.includes(one.slice(one.length / 2, -4)), said);
    assert.equal(said.split("[redacted]").length, 1 + 4 + 1 + 4, said);
  });
});

Deno.test("what a result shows of the session that it was asked in is taken out, where that is no mere word", async () => {
  for (const [session, isHidden] of [[crypto.randomUUID(), true], ["1", false]] as const) {
    const adapter = new Adapter();
    adapter.sessionOf = () => session;
    const shown = [`in session ${session}`, btoa(`id ${session}`)];
    await asked((sent) => result(sent, { ...text("x"), structuredContent: { shown } }), async (call) => {
      const { structuredContent } = await call as { structuredContent: { shown: string[] } };
      if (!isHidden) return assert.deepEqual(structuredContent.shown, shown);
      assert.equal(structuredContent.shown[0], "in session [redacted]");
      assert.match(structuredContent.shown[1]!, /\[redacted\]/);
      assert.ok(!structuredContent.shown[1]!.includes(shown[1]!.slice(10, 30)));
    }, adapter);
  }
});
