/** Writes that ended in doubt, under a token and a key: never sent again, repeated as they were told, found by the operator. */
import assert from "node:assert/strict";
import type { AuditRow } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { type Ground, ground } from "./_ground.ts";
import { instead } from "../instead.ts";

const MINUTE = 60_000;
const NEW = { site_id: "cms", title: "Once", content_html: "<p>x</p>" };

const drafts = ({ cms }: Ground) => [...cms.posts.values()].filter(({ title }) => title === NEW.title).length;
const unknown = async ({ gw }: Ground) =>
  (await gw.store.audit.list({ outcome: "unknown" }, { limit: 10 })).rows.map(({ request_id }) => request_id);

async function confirmed(at: Ground): Promise<Args> {
  const { confirm_token } = await at.gw.call<{ confirm_token: string }>("create_draft", NEW);
  return { ...NEW, confirm: true, confirm_token };
}

const LOST = [
  ["the connection breaks", { kind: "reset", applied: true }],
  ["a proxy gives up", { kind: "html", status: 504, applied: true }],
  ["the answer does not read as one", { kind: "malformed", applied: true }],
] as const;

for (const [what, fault] of LOST) {
  for (const by of ["token", "key"] as const) {
    Deno.test(`${what} after the write: under a ${by} the same call is told the same, and nothing is sent again`, async () => {
      await using at = await ground();
      const call = by === "token" ? await confirmed(at) : { ...NEW, confirm: true };
      const key = by === "key" ? "k" : undefined;
      at.cms.inject(fault, { method: "POST" });
      const first = await at.gw.end("create_draft", call, { key });
      assert.ok("code" in first && first.code === "E_UPSTREAM", JSON.stringify(first));
      assert.match(first.message, /look at the site with "list_drafts" before trying again$/);
      const writes = at.writes();
      for (const door of DOORS) {
        const again = await at.gw.end("create_draft", call, { door, key });
        assert.ok("code" in again && again.code === first.code && again.message === first.message);
      }
      assert.equal(at.writes(), writes);
      assert.equal(drafts(at), 1);
      const rows = await at.gw.audit();
      const first_row = rows.find(({ outcome }) => outcome === "unknown");
      const repeats = rows.slice(0, 2).map((row) => row.repeats);
      assert.deepEqual(repeats, [first_row?.request_id, first_row?.request_id]);
      assert.deepEqual(
        await unknown(at),
        [first_row?.request_id],
        "one doubt, and not of those that were repeated",
      );
    });
  }
}

Deno.test("a write whose outcome could not be kept is not made again, and is found once it is judged", async () => {
  let broken = false;
  const fails = (row: AuditRow) => broken && row.tool === "create_draft" && row.status !== "started";
  const store = (real: Store): Store => ({
    ...real,
    audit: instead(real.audit, {
      append: (row, beside) =>
        fails(row) ? Promise.reject(new Error("the disk is full")) : real.audit.append(row, beside),
    }),
  });
  await using at = await ground({ store });
  const call = await confirmed(at);
  broken = true;
  const first = await at.gw.end("create_draft", call);
  assert.ok("code" in first && first.code === "E_INTERNAL", JSON.stringify(first));
  assert.match(first.message, /The change was made, .*do not repeat it; give request id "[0-9A-Z]{26}"/);
  broken = false;
  at.gw.clock.now += MINUTE + 1000;
  const again = await at.gw.end("create_draft", call);
  assert.ok("code" in again && again.code === "E_OUTCOME_UNKNOWN", JSON.stringify(again));
  const [, request] = /request id "([0-9A-Z]{26})"/.exec(again.message) ?? [];
  assert.ok(first.message.includes(String(request)));
  at.gw.clock.now += MINUTE;
  await at.gw.gateway.doubts.run();
  assert.deepEqual(await unknown(at), [request]);
  assert.equal(drafts(at), 1);
  await at.gw.gateway.doubts.resolve(request!, { found: "made", note: "it is there" });
  const found = await at.gw.end("create_draft", call) as Args;
  assert.deepEqual([found.code, found.outcome, drafts(at)], ["E_OUTCOME_UNKNOWN", "made", 1]);
});

for (const by of ["token", "key"] as const) {
  Deno.test(`once an operator found that nothing was done, the same call under a ${by} is carried out; once it was found made, it is told so`, async () => {
    for (const found of ["none", "made"] as const) {
      await using at = await ground();
      const call = by === "token" ? await confirmed(at) : { ...NEW, confirm: true };
      const key = by === "key" ? "k" : undefined;
      at.cms.inject({ kind: "html", status: 504, applied: found === "made" }, { method: "POST" });
      const first = await at.gw.end("create_draft", call, { key });
      assert.ok("code" in first && first.code === "E_UPSTREAM", JSON.stringify(first));
      const [request] = await unknown(at);
      at.gw.clock.now += 3 * MINUTE;
      const before = await at.gw.end("create_draft", call, { key }) as Args;
      assert.deepEqual([before.code, before.outcome], ["E_UPSTREAM", "unknown"]);
      await at.gw.gateway.doubts.resolve(request!, { found, note: "looked" });
      const writes = at.writes();
      const again = await at.gw.end("create_draft", call, { key }) as Args;
      if (found === "none") {
        assert.ok("value" in again, JSON.stringify(again));
        assert.equal((await at.gw.call<Args>("create_draft", call, { key })).replayed, true);
        assert.equal(drafts(at), 1);
        continue;
      }
      assert.deepEqual([again.code, again.outcome, at.writes()], ["E_OUTCOME_UNKNOWN", "made", writes]);
      assert.match(
        String(again.message),
        new RegExp(
          `^Made, request "${request}": .*nothing is left to do; look at the site with "list_drafts"$`,
        ),
      );
      const [row] = await at.gw.audit();
      assert.deepEqual([row?.repeats, row?.outcome, drafts(at)], [request, "none", 1]);
    }
  });
}

Deno.test("a token without confirm writes nothing, and one that is sent is judged even where the gate is skipped", async () => {
  await using at = await ground({ tokens: { bold: { skip_write_confirm: true } } });
  const { confirm: _, ...shown } = await confirmed(at);
  const preview = await at.gw.call<Args>("create_draft", shown);
  assert.equal(preview["needs_confirmation"], true);
  await at.gw.refuses(
    "create_draft",
    { ...NEW, confirm: true, confirm_token: "cft_none" },
    "E_CONFIRM_INVALID",
    { as: "bold" },
  );
  assert.equal(at.writes(), 0);
  await at.gw.call("create_draft", NEW, { as: "bold" });
  assert.equal(drafts(at), 1);
});
