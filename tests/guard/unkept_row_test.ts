/** A call whose audit row cannot be written: nobody is told that what was done was not, and the log knows what was done. */
import assert from "node:assert/strict";
import type { AuditRow } from "../../core/model.ts";
import { AuditOutage } from "../../guard/audit/audit.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { sitesOf } from "../cms_kit.ts";
import { HangingKv, runToEnd, Ticks } from "../hanging_kv.ts";
import { gateway } from "../kit.ts";
import { instead } from "../instead.ts";

type Args = Record<string, unknown>;
const DRAFT = { site_id: "acme", title: "Once", content_html: "<p>x</p>", confirm: true };

/** A gateway at a CMS whose log takes no row that `refuses` names. */
async function world(cleanup: AsyncDisposableStack) {
  const cms = await startWordPressStandIn();
  cleanup.defer(() => cms.stop());
  const log: { refuses: (row: AuditRow) => boolean } = { refuses: () => false };
  const gw = cleanup.use(
    await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      sites: sitesOf(cms),
      store: (real) => ({
        ...real,
        audit: instead(real.audit, {
          append: (row, beside) =>
            log.refuses(row)
              ? Promise.reject(new Error("wrapped", { cause: new Error("database or disk is full") }))
              : real.audit.append(row, beside),
        }),
      }),
    }),
  );
  return { cms, gw, log };
}

const failed = (logged: readonly Args[]) => logged.filter(({ event }) => event === "audit_failed");

Deno.test("an equal call whose answer cannot be kept is not told that nothing was carried out", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { cms, gw, log } = await world(cleanup);
  await gw.call("create_draft", DRAFT, { key: "k" });
  const [first] = await gw.audit();
  log.refuses = () => true;
  const again = await gw.end("create_draft", DRAFT, { key: "k" }) as Args;
  assert.equal(again.outcome, "made");
  assert.match(
    String(again.message),
    new RegExp(
      `^The audit log cannot be written, so the answer of request "${
        first!.request_id
      }" is not given again: ` +
        "that call was carried out, and is not to be sent as a new one",
    ),
  );
  log.refuses = () => false;
  await gw.call("create_draft", DRAFT, { key: "k" });
  assert.equal(cms.writes.length, 1);
});

Deno.test("what is said in words of an earlier call and in its outcome is the same", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { gw, log, cms } = await world(cleanup);
  log.refuses = ({ status }) => status !== "started";
  const lost = await gw.end("create_draft", DRAFT, { key: "k" }) as Args;
  assert.equal(lost.outcome, "made");
  gw.clock.now += 200_000;
  const again = await gw.end("create_draft", DRAFT, { key: "k" }) as Args;
  assert.match(String(again.message), /look at the site before trying again/);
  assert.equal(again.outcome, "unknown");
  assert.equal(cms.writes.length, 1);
});

Deno.test("the log has what became of a call whose row it could not keep, and what it made", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { gw, log } = await world(cleanup);
  log.refuses = ({ status }) => status !== "started";
  const lost = await gw.end("create_draft", DRAFT) as Args;
  assert.match(String(lost.message), /^The change was made, but its audit row could not be completed/);
  const [{ tool, site_id, status, outcome, made, cause } = {}] = failed(gw.logged);
  assert.deepEqual([tool, site_id, status, outcome], ["create_draft", "acme", "ok", "made"]);
  assert.match(JSON.stringify(made), /^\[\{"what":"post","id":\d+\}\]$/);
  assert.match(String(cause), /disk is full/);
});

Deno.test("a write whose row cannot be kept before it begins is not made, and its call may be sent again", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { cms, gw, log } = await world(cleanup);
  log.refuses = ({ status }) => status === "started";
  const refused = await gw.end("create_draft", DRAFT, { key: "k" }) as Args;
  assert.deepEqual([refused.code, refused.outcome, cms.writes], ["E_INTERNAL", "none", []]);
  assert.match(String(refused.message), /^The audit log cannot be written/);
  assert.deepEqual(failed(gw.logged).map(({ status, outcome }) => [status, outcome]), [["started", "none"]]);
  log.refuses = () => false;
  await gw.call("create_draft", DRAFT, { key: "k" });
  assert.equal(cms.writes.length, 1);
});

Deno.test("while no row can be written the log has a line of each call, the first with its row, and at the end how many rows were refused", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { gw, log } = await world(cleanup);
  log.refuses = () => true;
  for (let nth = 0; nth < 3; nth++) await gw.end("list_sites", {});
  await gw.end("create_draft", DRAFT); // two rows: its intent, and that nothing was done
  gw.clock.now += 5000;
  log.refuses = () => false;
  for (let nth = 0; nth < 2; nth++) await gw.end("list_sites", {});
  const [first, ...more] = gw.logged;
  const last = more.pop();
  assert.deepEqual([first!.event, first!.tool], ["audit_failed", "list_sites"]);
  assert.match(String(first!.cause), /disk is full/);
  assert.deepEqual(last, { event: "audit_back", rows_refused: 5, rows_written_late: 0, away_ms: 5000 });
  assert.deepEqual(more.map(({ event }) => event), ["internal", "internal", "internal"]);
  assert.ok(more.every(({ cause }) => /disk is full/.test(String(cause))), JSON.stringify(more));
  assert.equal(new Set([first, ...more].map((one) => one!.request_id)).size, 4, "one line a call");
});

Deno.test("each row of what was or may have been done is logged, however long the audit cannot be written", () => {
  const logged: Args[] = [];
  const outage = new AuditOutage({ now: () => 7, log: (event) => logged.push(event) });
  for (const [tool, mayBeDone] of [["a", false], ["b", false], ["c", true], ["d", true]] as const) {
    outage.failed({ tool }, mayBeDone);
  }
  for (let nth = 0; nth < 2; nth++) outage.kept();
  assert.deepEqual(logged, [
    ...["a", "c", "d"].map((tool) => ({ event: "audit_failed", tool })),
    { event: "audit_back", rows_refused: 4, rows_written_late: 0, away_ms: 0 },
  ]);
});

Deno.test("rows that the store writes once it answers again are not counted as refused, and each of them is in the audit", async () => {
  const [hanging, ticks] = [new HangingKv(), new Ticks()];
  await using gw = await gateway({
    storage: { clock: ticks, around: (kv) => hanging.around(kv) },
    settings: { callsPerToken: 100 },
  });
  await using _answers = { [Symbol.asyncDispose]: () => hanging.answer() };
  await gw.call("list_sites", {});
  const before = (await gw.audit()).length;
  hanging.hang((kind) => kind === "changes");
  const asked = 20; // more commits, one after the other, than are kept for later
  for (let nth = 0; nth < asked; nth++) await runToEnd(ticks, gw.end("list_sites", {}));
  await hanging.answer();
  await gw.call("list_sites", {});
  const back = gw.logged.find(({ event }) => event === "audit_back")!;
  const late = (await gw.audit()).length - before - 1;
  assert.deepEqual([back.rows_refused, back.rows_written_late], [asked - late, late]);
  assert.ok(late > 1 && late < asked, `${late} of ${asked}`);
});

Deno.test("a read whose row cannot be kept is not told that nothing was carried out: its site was asked", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { cms, gw, log } = await world(cleanup);
  log.refuses = () => true;
  const found = await gw.end("list_drafts", { site_id: "acme" }) as Args;
  assert.match(
    String(found.message),
    /^The audit log cannot be written, so the answer is not given; nothing was changed; give request id/,
  );
  assert.ok(cms.requests.length > 0);
});
