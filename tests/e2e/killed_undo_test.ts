/** A gateway killed at each step of an undo: what stands on the site is what was there or what it left, and the same call says which. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { inFolder, type Running, start } from "./running.ts";

/** The first call's minute, another until its doubt is judged, and some. */
const LATER_MS = 125_000;
const POINTS = ["spent", "begun", "written", "kept"] as const;

interface Answer {
  readonly status: number;
  readonly result: { readonly request_id: string; readonly replayed?: boolean; readonly undone?: string[] };
  readonly error?: { readonly code: string; readonly message: string };
}

const gatewayAt = (folder: string, env: Record<string, string>) =>
  start(folder, env, {
    run: ["-A", "--no-check", "--unstable-kv", "--unstable-cron", "tests/e2e/stopping_gateway.ts"],
  });

async function ask(
  gateway: Running,
  token: string,
  tool: string,
  args: object,
  key?: string,
): Promise<Answer> {
  const response = await fetch(`${await gateway.address()}/api/v1/tools/${tool}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...key === undefined ? {} : { "idempotency-key": key },
    },
    body: JSON.stringify({ site_id: "acme", ...args }),
  });
  return { status: response.status, ...await response.json() };
}

Deno.test("killed at each step of an undo, nothing is set back twice or by half, and a new undo is told what stands there", async (t) => {
  await using cms = await startWordPressStandIn();
  await inFolder(async (folder) => {
    const posts = POINTS.map((point) =>
      addPost(cms.state, { type: "post", author: 2, title: `Old ${point}`, excerpt: "Kept", content: "x" })
    );
    let token = "";
    const changes: string[] = [];
    {
      await using gateway = gatewayAt(folder, {});
      const { username, application_password } = cms.users.admin;
      const credentials = { cms: { username, application_password } };
      const { base_url } = cms;
      await gateway.admin("POST", "/sites", {
        id: "acme",
        name: "Acme",
        platform: "cms",
        base_url,
        credentials,
      });
      ({ token } = await gateway.token());
      for (const { id } of posts) {
        const args = { post_id: id, title: "New", excerpt: "", confirm: true };
        changes.push((await ask(gateway, token, "update_draft", args)).result.request_id);
      }
      gateway.kill("SIGTERM");
      await gateway.ended;
    }
    const undo = (at: number) => ({ request_id: changes[at]!, confirm: true });
    for (const [at, point] of POINTS.entries()) {
      await using killed = gatewayAt(folder, { STOP_AT: point });
      await assert.rejects(ask(killed, token, "undo_change", undo(at), `undo-${point}`), TypeError);
      assert.equal((await killed.ended).signal, "SIGKILL");
    }
    const stands = (at: number) => [posts[at]!.title, posts[at]!.excerpt];
    await using after = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
    for (const [at, point] of POINTS.entries()) {
      await t.step(point, async () => {
        const wrote = point === "written" || point === "kept";
        assert.deepEqual(stands(at), wrote ? [`Old ${point}`, "Kept"] : ["New", ""], "all of it, or nothing");
        const again = await ask(after, token, "undo_change", undo(at), `undo-${point}`);
        if (point === "spent") assert.deepEqual([again.status, again.result?.undone], [200, [changes[at]]]);
        else if (point === "kept") assert.deepEqual([again.status, again.result?.replayed], [200, true]);
        else assert.deepEqual([again.status, again.error?.code], [409, "E_OUTCOME_UNKNOWN"]);
        const writes = cms.writes.length;
        const anew = await ask(after, token, "undo_change", undo(at));
        if (point === "begun") assert.deepEqual([anew.status, anew.result?.undone], [200, [changes[at]]]);
        else {
          assert.deepEqual([anew.status, anew.error?.code], [409, "E_STALE_PREVIEW"]);
          assert.equal(cms.writes.length, writes, "nothing was sent");
        }
        assert.deepEqual(stands(at), [`Old ${point}`, "Kept"]);
      });
    }
  });
});
