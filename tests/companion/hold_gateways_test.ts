/** Two gateways that use one account of a site: each has a key, previews and receipts of its own. */
import assert from "node:assert/strict";
import { became, type Held, heldSuite, newId } from "./hold_kit.ts";
import { type Answer, type Json, type PairedKey, signature } from "./site.ts";

const onEach = heldSuite();

const KEPT = [200, null, "committed"];
const ROUTE = "/acts/v1/run";

/** Connects one more gateway with the account of the first. */
async function second(site: Held): Promise<PairedKey> {
  const { status, body } = await site.wp.call("admin", "POST", "/gateways", { name: "Second" });
  assert.equal(status, 201);
  return body as unknown as PairedKey;
}

/** A held call that this gateway signs. */
function by(site: Held, key: PairedKey, args: Json, hold: string): Promise<Answer> {
  const body = { act: "title", ...args };
  const headers = signature(key, "POST", ROUTE, { body, hold });
  return site.wp.send("admin", "POST", `/wp-json${ROUTE}`, body, headers);
}

onEach("two gateways of one account both hold calls, and neither is told of the other's", async (site) => {
  const key = await second(site);
  const id = await site.wp.draft("admin", { title: "Before" });
  const [first, other] = [newId(), newId()];
  const one = await site.ask("title", { id, title: "First" }, `hold; id=${first}; allow=draft`);
  assert.deepEqual(became(one), KEPT);
  const two = await by(site, key, { id, title: "Second" }, `hold; id=${other}; allow=draft`);
  assert.deepEqual(became(two), KEPT);
  assert.equal(await site.title(id), "Second");
  const told = async (of: PairedKey, held: string) => {
    const { status, body } = await site.wp.signed("admin", of, "GET", `/holds/${held}`);
    return [status, body["outcome"] ?? body["code"]];
  };
  assert.deepEqual(await told(site.key, first), [200, "committed"]);
  assert.deepEqual(await told(key, other), [200, "committed"]);
  assert.deepEqual(await told(key, first), [403, "site_ops_hold_other_key"]);
  assert.deepEqual(await told(site.key, other), [403, "site_ops_hold_other_key"]);
  // A call under an id that the other one used is none of its own either.
  const again = await site.leavesNothing(() =>
    by(site, key, { id, title: "Third" }, `hold; id=${first}; allow=draft`)
  );
  assert.deepEqual(became(again), [409, "site_ops_hold_used", null]);
});

onEach("a preview is confirmed by the gateway that asked for it alone", async (site) => {
  const key = await second(site);
  const id = await site.wp.draft("admin", { title: "Before" });
  const dry = newId();
  await site.ask("title", { id }, `dry; id=${dry}`);
  const confirm = `hold; id=${newId()}; allow=draft; expect=${dry}`;
  const refused = await site.leavesNothing(() => by(site, key, { id }, confirm));
  assert.deepEqual(became(refused), [409, "no_such_preview", null]);
  assert.deepEqual(became(await site.hold("title", { id }, "draft", `; expect=${dry}`)), KEPT);
});
