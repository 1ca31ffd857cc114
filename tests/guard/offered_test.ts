/** Tools of a changing source on the way of every call: which site, what is checked, what is refused, what is kept. */
import assert from "node:assert/strict";
import { ChangingSource, offer } from "../changing_source.ts";
import { gateway, type KitOptions, owned, site } from "../kit.ts";
import { parted } from "../proof.ts";
import { scenes } from "../scenes.ts";

const source = new ChangingSource(
  offer("shop-find", ["acme", "bolt", "gone"]),
  offer("shop-put", ["acme", "crm1"], {
    writes: true,
    flags: [{ flag: "allow_crm_write", live: false }],
    run: (args, ctx) => {
      ctx.annotate({ result_id: "made" });
      return { put: args };
    },
  }),
  offer("shop-ask", ["acme"], {
    input_schema: { type: "object", properties: { confirm: { type: "string" } } },
  }),
  offer("shop-delete", ["acme"], { hidden: "its name says that it deletes" }),
  offer("shop-crm", ["crm1"], { platforms: ["crm"] }),
);

const OPTIONS: KitOptions = {
  sources: [source],
  sites: [
    site("acme", "cms"),
    site("bolt", "cms"),
    site("cove", "cms"),
    site("crm1", "crm", { flags: { allow_crm_write: true } }),
  ],
  tokens: {
    acme: { allowed_sites: ["acme"] },
    cove: { allowed_sites: ["cove"] },
    two: { allowed_sites: ["acme", "bolt", "cove"] },
    low: { allowed_sites: ["acme", "crm1"], max_risk: 1 },
    narrow: { allowed_tools: ["list_sites"] },
  },
};
const TEXT = { text: "anything", more: [{ the: "upstream checks" }] };

const test = scenes(() => gateway(OPTIONS));

test("arguments go on as they came, without site_id and without a confirm the tool does not have", async (gw) => {
  for (const door of ["rest", "mcp"] as const) {
    const sent = { site_id: "acme", confirm: true, ...TEXT };
    assert.deepEqual(await gw.call("shop-find", sent, { door }), { site: "acme", args: TEXT });
    assert.deepEqual(await gw.call("shop-ask", { confirm: "yes" }, { door }), {
      site: "acme",
      args: { confirm: "yes" },
    });
  }
});

test("who asks for a preview of a write that has none is refused, and nothing is run", async (gw) => {
  for (const door of ["rest", "mcp"] as const) {
    for (const [name, value] of [["confirm", false], ["dry_run", true]] as const) {
      const sent = { site_id: "crm1", [name]: value, ...TEXT };
      const message = await gw.refuses("shop-put", sent, "E_NOT_SUPPORTED", { door });
      assert.equal(
        message,
        `${name}: "shop-put" has no preview, and nothing was sent; leave it out, and it writes at once`,
      );
    }
    for (const confirm of ["false", "no", 0, null]) {
      const sent = { site_id: "crm1", confirm, ...TEXT };
      const message = await gw.refuses("shop-put", sent, "E_BAD_INPUT", { door });
      const text = confirm === 0 ? "" : confirm === null ? ", not null" : `, not the text "${confirm}"`;
      assert.equal(message, `confirm: expected true or false${text}`);
    }
    const { done } = await gw.proven("shop-put", { site_id: "crm1", confirm: true, ...TEXT }, { door });
    assert.deepEqual(done, { put: TEXT });
    const read = await gw.call("shop-find", { site_id: "acme", confirm: false, ...TEXT }, { door });
    assert.deepEqual(read, { site: "acme", args: TEXT }, "a read has nothing to confirm");
  }
});

test("without site_id the one site in scope that offers the tool is taken, and several are named", async (gw) => {
  assert.deepEqual(await gw.call("shop-find", TEXT, { as: "acme" }), { site: "acme", args: TEXT });
  await gw.refuses("shop-find", TEXT, "E_AMBIGUOUS_SITE", /give one of "acme", "bolt"$/, { as: "two" });
  const { user, text } = await owned(gw.store, { allowed_sites: ["bolt"], email: "c@d.example" });
  assert.deepEqual(user.allowed_sites, ["bolt"]);
  const headers = { authorization: `Bearer ${text}`, "content-type": "application/json" };
  const body = JSON.stringify(TEXT);
  const answer = await gw.http("/api/v1/tools/shop-find", { method: "POST", headers, body });
  assert.equal((await answer.json()).result.site, "bolt");
});

test("a site that is out of scope, unknown, or does not offer the tool is refused, and the row names it", async (gw) => {
  const at = (site_id: string) => ({ site_id, ...TEXT });
  await gw.refuses("shop-find", at("bolt"), "E_SCOPE_DENIED", { as: "acme" });
  await gw.refuses("shop-find", at("gone"), "E_NOT_FOUND");
  assert.equal(
    await gw.refuses("shop-find", at("cove"), "E_BAD_INPUT", { as: "two" }),
    'site_id: "cove" does not offer "shop-find"; take a tool that it offers, or, if another site was meant, one of ' +
      '"acme", "bolt"',
  );
  await gw.refuses("shop-find", TEXT, "E_TOOL_NOT_FOUND", { as: "cove" });
  assert.deepEqual(
    (await gw.audit()).map((row) => [row.site_id, row.status, row.error]).filter((_, n) => n % 2),
    [
      [null, "error", "E_TOOL_NOT_FOUND"],
      ["cove", "error", "E_BAD_INPUT"],
      ["gone", "error", "E_NOT_FOUND"],
      ["bolt", "denied", "E_SCOPE_DENIED"],
    ],
  );
});

Deno.test("a tool that only sites out of scope offer is answered as one that there is not, in all that shows", async () => {
  const OUT = [{ site_id: "acme", ...TEXT }, { site_id: "bolt", ...TEXT }, { site_id: "nowhere" }];
  await using gw = await gateway(OPTIONS);
  // A read, a write and a hidden one: each beside a name that nobody has.
  for (
    const [name, other] of [["shop-find", "shop-fond"], ["shop-put", "shop-pud"], [
      "shop-delete",
      "shed-delete",
    ]]
  ) {
    for (const door of ["rest", "mcp"] as const) {
      for (
        const args of [TEXT, ...OUT, { site_id: "cove", ...TEXT }, { status: "publish" }]
      ) {
        const ends = [];
        for (const tool of [name!, other!]) ends.push(await gw.end(tool, args, { door, as: "cove" }));
        const [row, foreign] = await gw.audit();
        const [real, unknown] = ends.map((end, at) =>
          JSON.parse(JSON.stringify(end).replaceAll([name!, other!][at]!, "it"))
        );
        assert.deepEqual(real, unknown);
        const isOut = OUT.some((one) => one === args);
        assert.equal(real.code, isOut ? "E_SCOPE_DENIED" : "E_TOOL_NOT_FOUND");
        assert.equal(row?.status, isOut ? "denied" : "error");
        const { id: _, at: __, request_id: ___, tool: ____, duration_ms: _____, ...rest } = row!;
        const { id: a, at: b, request_id: c, tool: d, duration_ms: e, ...same } = foreign!;
        assert.ok(a && b && c && d && e !== undefined);
        assert.deepEqual(rest, same);
      }
    }
  }
});

test("a site out of scope is refused alike whether it has the tool, has it not or is not there", async (gw) => {
  // "acme" and "bolt" have it, "crm1" has not, "nowhere" is not registered.
  for (
    const [as, tool] of [["acme", "shop-find"], ["cove", "shop-find"], ["cove", "shop-nothing"]] as const
  ) {
    const said = new Set<string>();
    for (const site_id of ["bolt", "crm1", "nowhere", "gone"]) {
      const message = await gw.refuses(tool, { site_id, ...TEXT }, "E_SCOPE_DENIED", { as });
      said.add(message.replace(`"${site_id}"`, "it"));
      const [row] = await gw.audit();
      assert.deepEqual([row?.status, row?.error, row?.tool], ["denied", "E_SCOPE_DENIED", tool]);
    }
    assert.equal(said.size, 1, [...said].join());
  }
  await gw.refuses("shop-nothing", { site_id: "cove" }, "E_TOOL_NOT_FOUND", { as: "cove" });
  await gw.refuses("shop-nothing", { site_id: "nowhere" }, "E_TOOL_NOT_FOUND");
});

test("a hidden tool is refused before the token's scope, and is on no list", async (gw) => {
  const message = await gw.refuses("shop-delete", TEXT, "E_FORBIDDEN_OP", { as: "narrow" });
  assert.equal(message, '"shop-delete" is refused: its name says that it deletes');
  assert.ok(!(await (await gw.http("/api/v1/tools")).text()).includes("shop-delete"));
  const [row] = await gw.audit();
  assert.deepEqual(
    [row?.tool, row?.status, row?.error, row?.site_id],
    ["shop-delete", "error", "E_FORBIDDEN_OP", null],
  );
});

test("a write is tier 2, needs its flag, passes no confirm gate, and is kept as intent and outcome", async (gw) => {
  const before: unknown[] = [];
  const append = gw.store.audit.append.bind(gw.store.audit);
  gw.store.audit.append = async (row) => {
    before.push([row.status, row.site_id, row.tier]);
    await append(row);
  };
  await gw.refuses("shop-put", TEXT, "E_SCOPE_DENIED", { as: "narrow" });
  await gw.refuses("shop-put", { site_id: "crm1", ...TEXT }, "E_SCOPE_DENIED", { as: "low" });
  await gw.refuses("shop-put", { site_id: "acme", ...TEXT }, "E_CRM_WRITE_NOT_ALLOWED");
  before.splice(0);
  const { done, proof } = await gw.proven("shop-put", { site_id: "crm1", ...TEXT });
  assert.deepEqual([done, proof.verified], [{ put: TEXT }, null]);
  assert.deepEqual(before, [["started", "crm1", 2], ["ok", "crm1", 2]]);
  const [row] = await gw.audit();
  assert.deepEqual([row?.status, row?.tier, row?.result_id], ["ok", 2, "made"]);
  assert.deepEqual(row?.arguments, { site_id: "crm1", ...TEXT });
});

Deno.test("a tool that another kind of site would offer is refused as not supported there", async () => {
  const kinds = new ChangingSource(offer("shop-crm", ["acme", "crm1"], { platforms: ["crm"] }));
  await using gw = await gateway({ ...OPTIONS, sources: [kinds] });
  await gw.refuses("shop-crm", { site_id: "acme" }, "E_NOT_SUPPORTED");
  assert.deepEqual(await gw.call("shop-crm", { site_id: "crm1" }), { site: "crm1", args: {} });
});

Deno.test("a write of a source under a key is carried out once, however often it is sent", async () => {
  let runs = 0;
  const counting = new ChangingSource(offer("shop-put", ["acme"], {
    writes: true,
    run: async (args) => {
      const run = ++runs;
      await Promise.resolve();
      return { run, put: args };
    },
  }));
  await using gw = await gateway({ ...OPTIONS, sources: [counting] });
  const all = await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) => gw.end("shop-put", TEXT, { door: n % 2 ? "mcp" : "rest", key: "k" }),
    ),
  );
  assert.equal(runs, 1);
  const said = all.map((one) => "value" in one ? one : assert.fail(one.message));
  const replayed = said.filter(({ beside }) => (beside as Record<string, unknown>).replayed === true);
  assert.equal(replayed.length, 19);
  for (const { value, beside } of said) {
    assert.deepEqual(value, { run: 1, put: TEXT });
    assert.equal(parted(beside).proof.verified, null);
  }
  await gw.refuses("shop-put", { text: "other" }, "E_SCOPE_DENIED", { as: "low" });
  const other = await gw.end("shop-put", { text: "other" }, { key: "k" });
  assert.equal("code" in other && other.code, "E_IDEMPOTENCY_KEY");
  await gw.call("shop-put", TEXT, { key: "another" });
  await gw.call("shop-put", TEXT);
  assert.equal(runs, 3);
});
