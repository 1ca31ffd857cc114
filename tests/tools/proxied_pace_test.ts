/** How often the CRM's tool server is asked: in the one pace of its location, with all else that asks the location. */
import assert from "node:assert/strict";
import { PACE } from "../../platforms/highlevel/pacer.ts";
import { type Args, type Served, served } from "./_served.ts";

const pace = ({ gw, crm }: Served) => gw.store.paces.of(`highlevel ${crm.base_url} ${crm.location_id}`, PACE);
const contact = { site_id: "crm", contactId: "contact-1" };
const FREE = { settings: { rateLimitToken: 0, rateLimitSite: 0 } };

/** How often the location could be asked within a second; what is taken for it stays taken. */
async function turnsLeft(at: Served): Promise<number> {
  const latest = Date.now() + 1000;
  for (let left = 0;; left++) {
    if (typeof await pace(at).take(latest) === "string") return left;
  }
}

Deno.test("calls of hosted tools use up the pace of the location that other tools keep", async () => {
  await using at = await served({}, FREE);
  const calls = 60;
  await Promise.all(Array.from({ length: calls }, () => at.gw.call("contacts_get-contact", contact)));
  assert.ok(at.crm.requests.length >= calls);
  assert.ok(await turnsLeft(at) <= PACE.requests - calls);
});

Deno.test("a hosted tool that is refused for its pace lets every tool of the location wait", async () => {
  await using at = await served({}, FREE);
  const before = at.crm.requests.length;
  at.hosted.inject({ kind: "http", status: 429, applied: false }, { path: "contacts_add-tags" });
  const ending = await at.gw.end("contacts_add-tags", { ...contact, tags: ["x"] }) as Args;
  assert.deepEqual([ending.code, ending.outcome], ["E_UPSTREAM", "none"]);
  assert.equal(at.crm.requests.length - before, 1, "a write is not sent again");
  assert.ok(pace(at).blockedUntil > Date.now() + 5000);
  assert.equal(await turnsLeft(at), 0);
});

Deno.test("a result that says that the CRM is asked too often does so as well", async () => {
  await using at = await served({}, FREE);
  const busy = JSON.stringify({ success: false, status: 429, message: "Too Many Requests" });
  const result = { isError: true, content: [{ type: "text" as const, text: busy }] };
  at.hosted.inject({ kind: "result", result, applied: false }, { path: "contacts_get-contact" });
  const ending = await at.gw.end("contacts_get-contact", contact) as Args;
  assert.equal(ending.code, "E_TOOL_ERROR");
  assert.ok(pace(at).blockedUntil > Date.now() + 5000);
});

Deno.test("where the day of the location is over, nothing is sent and the change was not made", async () => {
  await using at = await served({}, FREE);
  await pace(at).block(Date.now() + 3_600_000, "day");
  const before = at.crm.requests.length;
  for (
    const [tool, more] of [["contacts_get-contact", {}], ["contacts_add-tags", { tags: ["x"] }]] as const
  ) {
    const ending = await at.gw.end(tool, { ...contact, ...more }) as Args;
    assert.equal(ending.code, "E_UPSTREAM");
    assert.match(String(ending.message), /was not asked: its pace allows no more/);
    assert.doesNotMatch(String(ending.message), /unknown/);
  }
  assert.equal(at.crm.requests.length, before);
});
