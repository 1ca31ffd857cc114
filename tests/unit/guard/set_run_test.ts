/** A set is carried out: what no row tells of does not count, and nothing goes on where that cannot be known. */
import assert from "node:assert/strict";
import { delay } from "../../../core/async.ts";
import { GatewayError } from "../../../core/errors.ts";
import type { Caller } from "../../../core/model.ts";
import { CallRecord } from "../../../guard/audit/audit.ts";
import { NotAudited, type ToolCall } from "../../../guard/pipeline/dispatch.ts";
import { SetRun } from "../../../guard/sets/run.ts";
import type { KeptSet, SetContent, SetItem, SetResult } from "../../../store/store.ts";

const ANY = {} as unknown;

const item = (n: number, site_id: string): SetItem => ({
  item: n,
  tool: "update_draft",
  site_id,
  sites: [site_id],
  args: { site_id },
  uses: {},
  thing: null,
  shown: ANY as SetItem["shown"],
  preview: {},
});

/** How an item ends by its number and how often it was asked for; null where it is done. */
type Ends = (item: number, times: number) => GatewayError | null | Promise<null>;

/** A set of items by their sites, carried out; answers what was kept of each, and how often each was asked for. */
async function carriedOut(
  sites: readonly string[],
  ends: Ends,
  head = () => Promise.resolve({ cancelled_at: null }),
) {
  const items = sites.map((site, at) => item(at + 1, site));
  const content: SetContent = { title: "", on_failure: "skip_site", first: false, items, warnings: [] };
  const kept = { set_id: "SET", content } as unknown as KeptSet & { content: SetContent };
  const told = new Map<number, SetResult["state"]>();
  const asked: number[] = [];
  let under = 0;
  const dispatch = async (call: ToolCall) => {
    const { ticket, told: tell } = call.item!;
    asked.push(ticket.item);
    under++;
    try {
      const failure = await ends(ticket.item, asked.filter((one) => one === ticket.item).length);
      const record = new CallRecord(0, call);
      if (failure instanceof NotAudited) throw failure;
      const beside = await tell(
        failure ? { failure, outcome: failure.outcome ?? "none" } : { value: {} },
        record,
      );
      for (const { value } of beside) told.set(ticket.item, (value as SetResult).state);
      if (failure) throw failure;
      return {};
    } finally {
      under--;
    }
  };
  const results = new Map<number, SetResult>();
  const run = new SetRun({
    store: {
      sets: {
        head: head as never,
        result: () => Promise.resolve(null),
        told: (_, result) => Promise.resolve([{ key: [], value: result }] as never),
      },
      consents: { find: () => Promise.resolve(null) },
    },
    catalog: { fresh: () => undefined, get: () => undefined } as never,
    dispatch,
    callerNow: (caller) => Promise.resolve(caller),
    newId: () => "REQUEST",
    delay: () => Promise.resolve(),
    stopping: new AbortController().signal,
  }, {
    kept,
    caller: ANY as Caller,
    door: "rest",
    results,
    renew: () => Promise.resolve(true),
    look: () => Promise.resolve(null),
  });
  const ended = await run.all().catch(({ message }) => ({ hasEnded: false, stopped: message, under }));
  return { ended, told: Object.fromEntries(told), asked };
}

const unaudited = (outcome: "none" | "made") =>
  new NotAudited("E_INTERNAL", "The audit cannot be written", { outcome });

Deno.test("an item that is refused as too early to the last is kept as failed", async () => {
  const tooEarly = new GatewayError("E_RATE_LIMITED", "Too many calls", { outcome: "none", retryAfter: 1 });
  const { ended, told } = await carriedOut(["a", "b"], (n) => n === 1 ? tooEarly : null);
  assert.deepEqual([ended.hasEnded, told], [true, { 1: "failed", 2: "done" }]);
});

Deno.test("an item whose row was not written before anything was done is asked for again, and done once there is a row", async () => {
  const { ended, told, asked } = await carriedOut(
    ["a", "a"],
    (n, times) => n === 1 && times < 3 ? unaudited("none") : null,
  );
  assert.deepEqual([ended.hasEnded, told, asked], [true, { 1: "done", 2: "done" }, [1, 1, 1, 2]]);
});

Deno.test("where no row can be written for long the set is interrupted, not ended", async () => {
  const { ended, told, asked } = await carriedOut(["a", "a"], () => unaudited("none"));
  assert.deepEqual([ended.hasEnded, told], [false, {}]);
  assert.ok(!asked.includes(2));
});

Deno.test("an item that was made and has no row interrupts the set: nothing that follows is begun", async () => {
  const { ended, told, asked } = await carriedOut(["a", "a"], (n) => n === 1 ? unaudited("made") : null);
  assert.deepEqual([ended.hasEnded, told, asked], [false, {}, [1]]);
});

Deno.test("where the set cannot be read it is interrupted, once nothing of it is under way any more", async () => {
  let looked = 0;
  const slow = Promise.withResolvers<null>();
  const running = carriedOut(["a", "b"], () => slow.promise, () => {
    if (++looked < 2) return Promise.resolve({ cancelled_at: null });
    void delay(0).then(() => slow.resolve(null));
    return Promise.reject(new Error("The store is away"));
  });
  const { ended, asked, told } = await running;
  assert.deepEqual([ended, asked, told], [
    { hasEnded: false, stopped: "The store is away", under: 0 },
    [1],
    { 1: "done" },
  ]);
});
