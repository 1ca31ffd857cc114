/** Held calls whose answer says too little: the site's receipt decides, and where there is none the tool is held back. */
import assert from "node:assert/strict";
import { MASTER } from "../kit.ts";
import { type Args, type HeldWorld, heldWorld } from "./_held.ts";

const ADD = "builder-mcp-add-free-widget";
const add = (at: HeldWorld, post_id: number): Args => ({
  site_id: "acme",
  post_id,
  parent_id: at.tools.state.pages.get(post_id)!.elements[0]!.id,
  widget_type: "heading",
  settings: { title: "Hello" },
});

/** A call, how it ended, and whether the site is another one now. */
async function called(at: HeldWorld, door: "rest" | "mcp" = "rest") {
  const page = at.tools.page({ title: "About" });
  const before = at.site();
  const ending = await at.gw.end(ADD, add(at, page.id), { door }) as Args;
  const row = (await at.gw.audit()).find(({ door }) => door !== "admin")!;
  const report = await at.gw.http("/admin/api/health", { headers: { authorization: `Bearer ${MASTER}` } });
  const { result: { held_tools } } = await report.json() as { result: { held_tools: { name: string }[] } };
  return { ending, row, held: held_tools.map(({ name }) => name), isChanged: at.site() !== before };
}

const path = /^\/mcp\//;
const isHeld = (at: HeldWorld) => () => at.hold.asked.length > 1;

Deno.test("an answer without its header, and one that was cut off, are told by the receipt", async () => {
  for (const door of ["rest", "mcp"] as const) {
    await using at = await heldWorld();
    await called(at, door); // with its self-test
    at.hold.fault = "no_receipt";
    const stripped = await called(at, door);
    assert.equal(stripped.ending.code, undefined, String(stripped.ending.message));
    assert.deepEqual([stripped.row.status, stripped.isChanged, stripped.held], ["ok", true, []]);
    for (const running of [0, 2]) {
      at.hold.running = running;
      at.hold.fault = "cut_off";
      const cut = await called(at, door);
      assert.deepEqual([cut.ending.code, cut.row.outcome, cut.isChanged], ["E_UPSTREAM", "made", true]);
      assert.ok((cut.row.changes?.length ?? 0) > 0);
      assert.deepEqual(cut.held, []);
    }
    at.cms.inject({ kind: "reset", applied: true }, { method: "POST", path, while: isHeld(at), times: 1 });
    const reset = await called(at, door);
    assert.deepEqual([reset.ending.code, reset.row.outcome, reset.isChanged], ["E_UPSTREAM", "made", true]);
    at.cms.inject({ kind: "reset" }, { method: "POST", path, body: /add-free-widget/ });
    const lost = await called(at, door);
    assert.deepEqual([lost.ending.code, lost.row.outcome, lost.isChanged], ["E_UPSTREAM", "none", false]);
  }
});

Deno.test("a call that was kept is not sent again because the site says that it does not know the session", async () => {
  for (const running of [0, Infinity]) {
    await using at = await heldWorld();
    await called(at); // in a session, with its self-test
    const sent = at.hold.asked.length;
    at.hold.fault = "no_session";
    at.hold.running = running;
    const { ending, row, isChanged } = await called(at);
    assert.deepEqual([ending.code, row.outcome, isChanged], [
      "E_UPSTREAM",
      running === 0 ? "made" : "unknown",
      true,
    ]);
    assert.equal(at.hold.asked.length, sent + 1);
  }
});

Deno.test("where nobody can tell, the outcome is unknown, an alarm is logged and the tool is held back", async () => {
  const troubles: readonly ((at: HeldWorld) => void)[] = [
    (at) => void (at.hold.fault = "escaped"),
    (at) => void (at.hold.fault = "lost"),
    (at) => {
      at.hold.fault = "cut_off";
      at.hold.running = Infinity;
    },
    (at) => {
      at.hold.fault = "no_receipt";
      at.cms.inject({ kind: "html", status: 500 }, { path: /\/holds\//, times: 20 });
    },
  ];
  for (const trouble of troubles) {
    await using at = await heldWorld();
    await called(at);
    trouble(at);
    const { ending, row, held } = await called(at);
    assert.deepEqual([ending.code, ending.outcome, row.outcome], ["E_UPSTREAM", "unknown", "unknown"]);
    assert.match(String(ending.message), /held back on this site until an operator/);
    assert.deepEqual(held, [ADD]);
    assert.ok(
      at.gw.logged.some(({ event, site_id }) => event === "held_call_in_doubt" && site_id === "acme"),
    );
  }
});

Deno.test("a site that loses its plugin after its report runs nothing, dry or held, and no tool is held back", async () => {
  for (const door of ["rest", "mcp"] as const) {
    await using at = await heldWorld();
    const page = at.tools.page({ title: "About" });
    await at.gw.proven(ADD, add(at, page.id));
    const [before, ran] = [at.site(), at.tools.ran.length];
    for (const more of [{ dry_run: true }, {}]) {
      at.hold.isGone = true;
      const ending = await at.gw.end(ADD, { ...add(at, page.id), ...more }, { door }) as Args;
      assert.deepEqual([ending.code, ending.outcome ?? "none"], ["E_UPSTREAM", "none"]);
      assert.match(String(ending.message), /does not hold .* any more, so nothing was run/);
      at.hold.isGone = false;
    }
    assert.deepEqual([at.site(), at.tools.ran.length], [before, ran]);
    await at.gw.proven(ADD, add(at, page.id));
  }
});

Deno.test("a plugin without a method of its own is asked with that of the tool servers", async () => {
  await using at = await heldWorld({ paired: [] });
  at.hold.methods = [];
  await at.pair("acme");
  const page = at.tools.page({ title: "About" });
  assert.equal((await at.gw.proven(ADD, add(at, page.id))).proof.verified, true);
});
