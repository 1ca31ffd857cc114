/** A post that a write made public is taken back even when the call's time is used up. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { type World, world } from "../tools/_stand_in.ts";

/** A world whose clock stands at the call's end once the first write to a post was sent. */
async function late(): Promise<World> {
  const at: World = await world({
    async fetch(input, init) {
      const sent = init?.method === "POST" && /\/wp\/v2\/posts/.test(String(input));
      const answer = await fetch(input, init).finally(() => {
        if (sent && at.cms.writes.length === 1) at.kit.gw.clock.now += LIMITS.CALL_DEADLINE_MS;
      });
      return answer;
    },
  });
  return at;
}

Deno.test("a schedule that the site published is taken back after the call's deadline", async () => {
  await using at = await late();
  const { kit: { gw }, cms, draft } = at;
  cms.inject({ kind: "skew", seconds: 7200 }, { method: "POST", path: `/wp/v2/posts/${draft.id}` });
  const ending = await gw.end("schedule_draft", {
    site_id: "acme",
    post_id: draft.id,
    scheduled_at: at.ahead(3600),
    confirm: true,
  });
  assert.match(JSON.stringify(ending), /E_FORBIDDEN_OP.*state \\"published\\".*made a draft again at once/);
  assert.equal(cms.posts.get(draft.id)?.status, "draft");
});

Deno.test("a schedule whose answer was lost is looked up after the call's deadline", async () => {
  await using at = await late();
  const { kit: { gw }, cms, draft } = at;
  cms.inject({ kind: "reset", applied: true }, { method: "POST", path: `/wp/v2/posts/${draft.id}` });
  const ending = await gw.end("schedule_draft", {
    site_id: "acme",
    post_id: draft.id,
    scheduled_at: at.ahead(3600),
    confirm: true,
  });
  assert.match(JSON.stringify(ending), /"status":"scheduled"/);
});
