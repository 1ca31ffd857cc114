/** A store that fails while an operator decides on sites' own tools: what is answered is what holds, and none is half approved. */
import assert from "node:assert/strict";
import { listed } from "../fake_tool_servers.ts";
import { HangingKv, runToEnd, Ticks } from "../hanging_kv.ts";
import type { KitOptions } from "../kit.ts";
import { admin, open, shown } from "./proxied_kit.ts";

const NAME = "builder-mcp-list-media";
const MEDIA = listed("emcp-tools-list-media", {
  input_schema: { type: "object" },
  hints: { read_only: true },
});
const fault = () => Promise.reject(new Error("disk I/O error"));

/** A gateway with a tool that is held back on two sites, and the order that approves it there. */
async function held(options: KitOptions = {}) {
  const at = await open({ acme: [MEDIA], bolt: [MEDIA] }, options);
  const { tools } = (await admin<{ tools: { hash: string }[] }>(at.gw, `?name=${NAME}`)).result;
  const order = { name: NAME, sites: ["acme", "bolt"], hash: tools[0]!.hash, class: "read" };
  return {
    ...at,
    order,
    rows: async () => (await at.gw.audit()).filter(({ tool }) => tool.startsWith("tool.")),
  };
}

type Held = Awaited<ReturnType<typeof held>>;

/** Where the store fails, whether what was decided holds, what the operator reads, and what the audit says of it. */
const CASES: readonly [
  where: string,
  breaks: (at: Held) => () => void,
  holds: boolean,
  said: RegExp,
  row: string,
][] = [
  [
    "before its row",
    ({ gw: { store: { audit } } }) => {
      const append = audit.append;
      audit.append = fault;
      return () => void (audit.append = append);
    },
    false,
    /nothing was decided/,
    "undefined",
  ],
  [
    "before it is kept",
    ({ gw: { store: { toolCatalogs } } }) => {
      const decide = toolCatalogs.decide;
      toolCatalogs.decide = fault;
      return () => void (toolCatalogs.decide = decide);
    },
    false,
    /nothing was decided; try again/,
    "error",
  ],
  [
    "once it is kept",
    ({ gw: { store: { toolCatalogs } } }) => {
      const decide = toolCatalogs.decide;
      toolCatalogs.decide = async (all) => {
        await decide.call(toolCatalogs, all);
        await fault();
      };
      return () => void (toolCatalogs.decide = decide);
    },
    true,
    /"state":"approved"/,
    "ok",
  ],
  [
    "once it is kept, and when that is looked up",
    ({ gw: { store: { toolCatalogs } } }) => {
      const { decide, decisions } = toolCatalogs;
      toolCatalogs.decide = async (all) => {
        await decide.call(toolCatalogs, all);
        toolCatalogs.decisions = fault;
        await fault();
      };
      return () => void Object.assign(toolCatalogs, { decide, decisions });
    },
    true,
    /not known whether the decision holds; deno task admin tool-server list/,
    "started",
  ],
  [
    "before its second row",
    ({ gw: { store: { audit } } }) => {
      const append = audit.append.bind(audit);
      audit.append = (row, ...more) => row.status === "ok" ? fault() : append(row, ...more);
      return () => void (audit.append = append);
    },
    true,
    /The decision holds, but its audit row could not be completed/,
    "started",
  ],
  [
    "before the answer",
    ({ gw: { store: { toolCatalogs } } }) => {
      const { decide, list } = toolCatalogs;
      toolCatalogs.decide = async (all) => {
        await decide.call(toolCatalogs, all);
        toolCatalogs.list = fault;
      };
      return () => void Object.assign(toolCatalogs, { decide, list });
    },
    true,
    /The decision holds, but the tools cannot be listed just now/,
    "ok",
  ],
];

for (const [where, breaks, holds, said, status] of CASES) {
  Deno.test(`a store that fails ${where}: the decision ${holds ? "holds" : "does not hold"}, and the answer says so`, async () => {
    await using at = await held();
    const mend = breaks(at);
    const answer = await admin(at.gw, "/approve", at.order);
    mend();
    assert.match(JSON.stringify(answer), said);
    const tool = (await shown(at.gw)).get(NAME);
    assert.equal(tool !== undefined, holds);
    if (tool) {
      assert.deepEqual(
        tool.inputSchema.properties.site_id!.enum,
        ["acme", "bolt"],
        "on all sites or on none",
      );
    }
    assert.equal(String((await at.rows())[0]?.status), status);
    assert.deepEqual(at.fake.calls, []);
  });
}

for (const verdict of ["approve", "withdraw"] as const) {
  Deno.test(`whichever change of a store hangs, what an operator is answered to ${verdict} is what holds once it goes on`, async () => {
    const seen = new Set<string>();
    for (let nth = 0, all = false; !all; nth++) {
      const [hanging, ticks] = [new HangingKv(), new Ticks()];
      await using at = await held({ storage: { clock: ticks, around: (kv) => hanging.around(kv) } });
      await using _answers = { [Symbol.asyncDispose]: () => hanging.answer() };
      const { class: _, hash: __, ...rest } = at.order;
      const order = verdict === "approve" ? at.order : rest;
      if (verdict === "withdraw") await admin(at.gw, "/approve", at.order);
      await at.gw.store.audit.flush();
      let changes = 0;
      hanging.hang((kind) => kind === "changes" && changes++ >= nth);
      const { value: { ok, error } } = await runToEnd(ticks, admin(at.gw, `/${verdict}`, order));
      all = hanging.asked.length === 0;
      await hanging.answer();
      await ticks.pass(10_000); // nothing is answered from a cache
      const holds = (await shown(at.gw)).has(NAME) === (verdict === "approve");
      const said = ok ? "The decision holds" : error.message;
      const [word] =
        /The decision holds|nothing was decided|not known whether|^The gateway's store/.exec(said) ?? [];
      if (word === "The decision holds") assert.ok(holds, `${nth}: ${said}`);
      else if (word === "nothing was decided") assert.ok(!holds, `${nth}: ${said}`);
      else assert.ok(word, said);
      seen.add(word!);
    }
    assert.deepEqual(seen.size, 4, [...seen].join());
  });
}
