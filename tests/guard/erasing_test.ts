/** An operator erases a site or a person of a running gateway: shown first, confirmed by its name, said in the audit, verified. */
import assert from "node:assert/strict";
import { gateway } from "../kit.ts";
import { admin, ask } from "../operator.ts";

const SETTLED_MS = 5 * 60_000;
const site = (id: string) => ({ id, name: id, platform: "cms", base_url: `https://${id}.example` }) as const;

interface Erased {
  readonly deleted: Readonly<Record<string, number>>;
  readonly unnamed: Readonly<Record<string, number>>;
  readonly ended: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly settles_at: number | null;
  readonly needs_confirmation?: boolean;
}

async function opened() {
  const gw = await gateway({ sites: [site("acme"), site("other")] });
  const people = { role: "member", allowed_sites: ["acme", "other"], max_risk: 2 };
  const { result } = await ask<{ user_id: string }>(gw, "POST", "users", {
    email: "ann@agency.example",
    ...people,
  });
  const { user_id } = result;
  const token = {
    name: "ann's",
    env: "prod",
    allowed_sites: ["acme"],
    allowed_tools: ["*"],
    owner_user_id: user_id,
  };
  const made = await ask<{ token: string }>(gw, "POST", "tokens", token);
  const list = (token: string) =>
    gw.http("/api/v1/tools/list_sites", {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: "{}",
    });
  assert.equal((await list(made.result.token)).status, 200);
  await gw.refuses("get_post", { site_id: "acme", post_id: 1 }, "E_MISSING_SECRET");
  await gw.refuses("get_post", { site_id: "other", post_id: 1 }, "E_MISSING_SECRET");
  return { gw, user_id, token: made.result.token, list };
}

Deno.test("a site is erased once its id is said again, its tokens end, and the audit verifies and names it no longer", async () => {
  const { gw, token, list } = await opened();
  await using _ = gw;
  const shown = await ask<Erased>(gw, "POST", "erase", { site_id: "acme" });
  assert.equal(shown.result.needs_confirmation, true);
  const { deleted, unnamed, ended } = shown.result;
  assert.deepEqual([deleted["sites"], deleted["tokens"], ended], [1, undefined, { tokens: 1 }]);
  assert.deepEqual(unnamed, { users: 1 });
  assert.ok(await gw.store.sites.get("acme"), "nothing was changed");
  const refusals = [
    [{ site_id: "acme", confirm: "other" }, "E_BAD_INPUT", /confirm: expected "acme" again/],
    [{ site_id: "acme", user: "ann@agency.example" }, "E_BAD_INPUT", /one of the two/],
    [{}, "E_BAD_INPUT", /one of the two/],
    [{ site_id: "none", confirm: "none" }, "E_NOT_FOUND", /Nothing is kept of site "none"/],
  ] as const;
  for (const [body, code, says] of refusals) {
    const { error } = await ask(gw, "POST", "erase", body);
    assert.equal(error.code, code, JSON.stringify(error));
    assert.match(error.message, says);
  }
  assert.equal(
    (await ask(gw, "POST", "erase", { site_id: "acme", confirm: "acme" }, token)).error.code,
    "E_AUTH",
  );
  const done = await ask<Erased>(gw, "POST", "erase", { site_id: "acme", confirm: "acme" });
  assert.ok(done.result.rows >= 2, JSON.stringify(done));
  assert.equal(await gw.store.sites.get("acme"), null);
  assert.equal((await list(token)).status, 401, "a token for nothing else has ended");
  const rows = async (query: string) =>
    (await ask<{ rows: readonly { tool: string; arguments: unknown }[] }>(gw, "GET", `audit?${query}`)).result
      .rows;
  assert.deepEqual(await rows("site_id=acme"), []);
  assert.ok((await rows("site_id=other")).length >= 1);
  const [said] = await rows("tool=site.erase");
  assert.doesNotMatch(JSON.stringify(said), /acme/);
  assert.match(JSON.stringify(await rows("tool=user.create")), /\(erased\)/);
  const verdict = await ask<{ ok: boolean; erased: number }>(gw, "GET", "audit/verify");
  assert.deepEqual([verdict.result.ok, verdict.result.erased], [true, done.result.rows]);
  gw.clock.now += SETTLED_MS;
  await gw.gateway.erasing.run();
  assert.equal((await rows("tool=site.erase")).length, 2, "the last pass is said too");
  assert.equal((await ask(gw, "POST", "erase", { site_id: "acme" })).error.code, "E_NOT_FOUND");
});

Deno.test("a person is removed and erased by one command, which says what it took", async () => {
  const { gw, user_id } = await opened();
  await using _ = gw;
  const shown = await admin(gw, "erase", "--user", "ann@agency.example");
  assert.equal(shown.code, 0, shown.err);
  assert.match(
    shown.out,
    /^What erasing user ann@agency\.example takes\.\nThese records would be deleted:\n/,
  );
  assert.match(shown.out, /Nothing was changed\. To erase it for good: .*--confirm ann@agency\.example/);
  assert.ok(await gw.store.users.get(user_id));
  const done = await admin(gw, "erase", "--user", "ann@agency.example", "--confirm", "ann@agency.example");
  assert.equal(done.code, 0, done.err);
  assert.match(
    done.out,
    /^Erased user .*\.\nThese records were deleted:\n(?: +\d+ {2}\w+\n)*? +1 {2}tokens\n/,
  );
  assert.match(done.out, /\nOf the audit:\n +\d+ {2}rows that went\n/);
  assert.equal(await gw.store.users.get(user_id), null);
  const text = JSON.stringify((await gw.store.audit.list({}, { limit: 500 })).rows);
  assert.ok(!text.includes(user_id) && !text.includes("ann@"), text);
  assert.deepEqual((await gw.store.audit.verify()).faults, []);
  assert.match((await admin(gw, "audit", "verify")).out, /erased/);
  assert.match((await admin(gw, "erase")).err, /Give --site or --user/);
});
