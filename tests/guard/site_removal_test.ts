/** An operator removes a site: shown first, confirmed by its id; the record goes, rows of the audit stay, and an erasure takes those as well. */
import assert from "node:assert/strict";
import { gateway } from "../kit.ts";
import { admin, ask } from "../operator.ts";

const SETTLED_MS = 5 * 60_000;
const site = (id: string) => ({ id, name: id, platform: "cms", base_url: `https://${id}.example` }) as const;

async function opened() {
  const gw = await gateway({ sites: [site("acme"), site("other")] });
  await gw.refuses("get_post", { site_id: "acme", post_id: 1 }, "E_MISSING_SECRET");
  await gw.refuses("get_post", { site_id: "other", post_id: 1 }, "E_MISSING_SECRET");
  const made = async (sites: readonly string[]) => {
    const token = { name: "t", env: "prod", allowed_sites: sites, allowed_tools: ["*"] };
    return (await ask<{ token: string; token_id: string }>(gw, "POST", "tokens", token)).result;
  };
  const [alone, both] = [await made(["acme"]), await made(["acme", "other"])];
  /** Runs a command that ends with 0 and prints, or one that ends with 1 and says why. */
  const cli = async (code: 0 | 1, ...words: string[]) => {
    const ended = await admin(gw, ...words);
    assert.equal(ended.code, code, ended.err);
    return code === 0 ? ended.out : ended.err;
  };
  const rows = async (query: string) =>
    (await ask<{ rows: readonly { tool: string; site_id: string }[] }>(gw, "GET", `audit?${query}`)).result
      .rows;
  return { gw, alone, both, cli, rows };
}

Deno.test("site remove says what goes and what stays, then does it; the audit's rows stay until they are erased", async () => {
  const { gw, alone, both, cli, rows } = await opened();
  await using _ = gw;
  const kept = await rows("site_id=acme");
  assert.ok(kept.length >= 1);
  const shown = await cli(0, "site", "remove", "acme");
  assert.match(shown, /^What removing the site acme takes\.\nThese records would be deleted:\n/);
  assert.match(shown, /\n +1 {2}sites\n/);
  const stays = /\nWhat stays: (\d+) rows of the audit about it \(audit tail --site acme\), tokens and people/
    .exec(shown);
  assert.equal(Number(stays?.[1]), kept.length, shown);
  assert.match(shown, /\nNothing was changed\. To remove it: the same command with --confirm acme\n$/);
  assert.ok(await gw.store.sites.get("acme"), "nothing was changed");
  assert.match(
    await cli(1, "site", "remove", "acme", "--confirm", "other"),
    /^E_BAD_INPUT: confirm: expected "acme" again/,
  );
  assert.match(await cli(1, "site", "remove", "acne"), /^E_NOT_FOUND: No site "acne", did you mean acme\n$/);
  const gone = await cli(0, "site", "remove", "acme", "--confirm", "acme");
  assert.match(
    gone,
    /^The site acme is removed\.\nThese records were deleted:\n[^]*\nThese stay, without its name:\n[^]*\nThese ended, for they were for it alone:\n +1 {2}tokens\n[^]*\nTo take the rows of the audit as well: .* erase --site acme\n$/,
  );
  assert.equal(await gw.store.sites.get("acme"), null);
  const [first, ...others] = await rows("site_id=acme");
  assert.deepEqual([first!.tool, others], ["site.remove", kept], "no row went, and one says what was done");
  const tokens = (await gw.store.tokens.list()).filter(({ id }) =>
    [alone, both].some((one) => one.token_id === id)
  );
  assert.deepEqual(tokens.map(({ allowed_sites, revoked_at }) => [allowed_sites, revoked_at === null]), [
    [[], false],
    [["other"], true],
  ]);
  // A new site of that id would go with the last pass.
  const again = await ask(gw, "POST", "sites", site("acme"));
  assert.match(
    again.error.message,
    /^id: what is left of the site "acme", which was removed, goes until/,
  );
  gw.clock.now += SETTLED_MS;
  await gw.gateway.erasing.run();
  assert.equal((await ask(gw, "POST", "sites", site("acme"))).ok, true, "then the id is free");
  assert.equal((await rows("site_id=acme")).filter(({ tool }) => tool === "site.remove").length, 2);
  const verdict = await ask<{ ok: boolean }>(gw, "GET", "audit/verify");
  assert.equal(verdict.result.ok, true);
});

Deno.test("what was removed is erased afterwards: also at once, while the removal goes on", async () => {
  for (const isSettled of [true, false]) {
    const { gw, cli, rows } = await opened();
    await using _ = gw;
    await cli(0, "site", "remove", "acme", "--confirm", "acme");
    if (isSettled) {
      gw.clock.now += SETTLED_MS;
      await gw.gateway.erasing.run();
    }
    assert.ok((await rows("site_id=acme")).length > 0);
    assert.match(await cli(0, "erase", "--site", "acme"), /^What erasing site acme takes\.\nOf the audit:\n/);
    await cli(0, "erase", "--site", "acme", "--confirm", "acme");
    assert.deepEqual(await rows("site_id=acme"), []);
    gw.clock.now += SETTLED_MS;
    await gw.gateway.erasing.run();
    assert.deepEqual(await rows("site_id=acme"), []);
    assert.ok((await rows("site_id=other")).length > 0);
    assert.match(await cli(1, "erase", "--site", "acme"), /^E_NOT_FOUND: Nothing is kept of site "acme"/);
    assert.equal((await ask<{ ok: boolean }>(gw, "GET", "audit/verify")).result.ok, true);
  }
});
