/** On a real WordPress with the companion plugin, a plugin's tool for pages runs held: an ordinary write is kept, what publishes is taken back. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { parted } from "../proof.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as registered } from "../kit.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

type Args = Record<string, unknown>;
const TOOL = "builder-mcp-add-block";

async function open(site: CmsSandbox): Promise<Real> {
  const { username, application_password } = site.users.admin;
  const own = { base_url: site.base_url, credentials: { cms: { username, application_password } } };
  const at = await Real.open(site, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    sites: [registered("never", "cms", own)],
  });
  await at.kit.gw.gateway.toolCatalogs.run();
  return at;
}

const pageOf = (at: Real) => at.ask.draft("ed", { title: fresh("Page") }, "pages");
const call = (at: Real, post_id: number, way: number) =>
  at.kit.gw.end(TOOL, { site_id: "never", post_id, markup: `<p>way ${way}</p>` }) as Promise<Args>;

onWordPress({
  // A site pairs with one gateway of an account, so both are asked of the same.
  "an ordinary write is kept with its effects as the proof, and what publishes is taken back": async (
    site,
  ) => {
    await using at = await open(site);
    const kept = await pageOf(at);
    const ending = await call(at, kept, 0);
    assert.equal(parted(ending.beside as Args).proof.verified, true, JSON.stringify(ending));
    const row = (await at.kit.gw.audit()).find(({ tool }) => tool === TOOL)!;
    assert.deepEqual([row.changes, row._published], [[], undefined], "the tool changes nothing this way");
    for (const way of [1, 2, 3, 4, 5, 7]) {
      const id = await pageOf(at);
      const before = await at.stored(id, "pages");
      const { code, outcome, message } = await call(at, id, way);
      const wanted = way === 7 ? "E_TOOL_ERROR" : "E_PUBLISH_NOT_ALLOWED";
      assert.deepEqual([way, code, outcome], [way, wanted, "none"], String(message));
      assert.deepEqual(await at.stored(id, "pages"), before);
    }
  },
}, { plugins: [PLUGIN, fixture("publishing-tools")] });
