/** A confirm token and an idempotency key are spent by one call, however many found them unspent. */
import assert from "node:assert/strict";
import type { ConsentContent, Spending } from "../../../store/store.ts";
import { Clock, open, START } from "./kit.ts";

const CONTENT: ConsentContent = {
  grant: "t",
  tool: "create_draft",
  sites: [["acme", "d"]],
  args: { title: "h" },
  revision: null,
  tier: 1,
};
const run = (request_id: string) => ({ request_id, deadline: START + 60_000 });

Deno.test("what two calls found unspent is spent by the first, and by nobody once it was spent", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const spending = async (name: string): Promise<Spending> => ({
    name,
    content: CONTENT,
    found: await store.consents.find(name),
    expires_at: START + 60_000,
    frees_until: null,
  });
  // Both have looked before either spends, one after the other: the second one's look is of before the first one's.
  const [first, second] = [await spending("key"), await spending("key")];
  assert.deepEqual([first.found, second.found], [null, null]);
  assert.equal(await store.consents.spend([first], run("first")), true);
  assert.equal(await store.consents.spend([second], run("second")), false);
  assert.equal((await store.consents.find("key"))!.request_id, "first");
  const [token, ...others] = [await spending("token"), await spending("key"), await spending("new")];
  assert.equal(await store.consents.spend([token, second], run("third")), false, "all of them or none");
  assert.equal(await store.consents.find("token"), null);
  assert.equal(await store.consents.spend([token, ...others.slice(1)], run("fourth")), true);
  clock.ms += 60_000;
  assert.equal(await store.consents.spend([second], run("fifth")), true, "its time is over");
});
