/** On a real WordPress, a plugin whose tool for pages publishes: seen, named, audited, and held back. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { parted } from "../proof.ts";
import { fixture } from "../companion/site.ts";
import { site as registered } from "../kit.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

type Args = Record<string, unknown>;
const TOOL = "builder-mcp-add-block";

async function open(site: CmsSandbox, login: "admin" | "ed" = "admin"): Promise<Real> {
  const { username, application_password } = site.users[login];
  const own = { base_url: site.base_url, credentials: { cms: { username, application_password } } };
  const at = await Real.open(site, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    sites: [
      registered("never", "cms", own),
      registered("may", "cms", { ...own, flags: { allow_publish: true } }),
    ],
  });
  await at.kit.gw.gateway.toolCatalogs.run();
  return at;
}

const pageOf = (at: Real) => at.ask.draft("ed", { title: fresh("Page") }, "pages");
const call = (at: Real, post_id: number, way: number, site_id = "never") =>
  at.kit.gw.end(TOOL, { site_id, post_id, markup: `<p>way ${way}</p>` }) as Promise<Args>;
const lastRow = async (at: Real) => (await at.kit.gw.audit()).find(({ tool }) => tool === TOOL)!;

onWordPress({
  "a page tool that publishes the draft it was given is seen, however it does it": async (site) => {
    for (const way of [1, 2, 3, 7]) {
      await using at = await open(site);
      const id = await pageOf(at);
      const ending = await call(at, id, way);
      assert.deepEqual(
        [way, ending.code, ending.outcome],
        [way, "E_PUBLISH_NOT_ALLOWED", "made"],
        String(ending.message),
      );
      const { link, status } = await at.stored(id, "pages");
      assert.equal(status, "publish");
      assert.ok(String(ending.message).includes(`made page ${id} public (${link})`), String(ending.message));
      assert.equal((await lastRow(at))._published, true);
      const again = await call(at, await pageOf(at), 2);
      assert.notEqual(again.code, "E_PUBLISH_NOT_ALLOWED", "it is not offered there any more");
    }
  },
  "a type of a plugin's own is asked too, and what has no address is left out": async (site) => {
    await using at = await open(site);
    const ending = await call(at, await pageOf(at), 4);
    assert.match(String(ending.message), /made portfolio \d+ public \(http:\S+\/portfolio\/made/);
    await using other = await open(site);
    const { proof } = parted((await call(other, await pageOf(other), 6)).beside);
    assert.deepEqual(proof.warnings.filter((one) => /public|checked/.test(one)), []);
  },
  "a backdated post that the call does not name is a warning": async (site) => {
    await using at = await open(site, "ed");
    const { proof } = parted((await call(at, await pageOf(at), 5)).beside);
    assert.match(
      proof.warnings.join(),
      /something made post \d+ public \(http:\S+\)\. The call does not name it/,
    );
    assert.equal((await lastRow(at))._published, null);
  },
  "where the site allows it, it is audited alone": async (site) => {
    await using at = await open(site);
    assert.ok("value" in await call(at, await pageOf(at), 2, "may"));
    assert.equal((await lastRow(at))._published, true);
    assert.ok("value" in await call(at, await pageOf(at), 0, "may"));
    assert.equal((await lastRow(at))._published, undefined);
  },
}, { plugins: [fixture("publishing-tools")] });
