/** The demo's sites: its WordPress has what the tools that need the companion plugin ask for. */
import assert from "node:assert/strict";
import { phpMissing } from "../../sandbox/wordpress/start.ts";
import { registerSites, startDemoCms } from "../../sandbox/world.ts";
import { gateway } from "../kit.ts";
import { diagnose } from "../tools/_diagnose.ts";

const missing = await phpMissing();
const ignore = missing !== null && Deno.env.get("CI") !== "true";
const on = ignore ? `a real WordPress (not run: ${missing})` : "a real WordPress";

Deno.test({
  name: `on ${on}: the demo's sites have the companion plugin, with SEO over it`,
  ignore,
  async fn() {
    await using cms = await startDemoCms(() => {});
    await using gw = await gateway({ fetch: "network", allowPrivate: ["127.0.0.1"], realClock: true });
    await registerSites(gw, cms, null);
    const checks = ["companion", "code_page", "seo_bridge", "seo_settings"];
    for (const site_id of ["demo", "demo-live"]) {
      const found = await diagnose((tool, args) => gw.call(tool, args), { site_id, checks });
      assert.deepEqual(
        Object.values(found).map(({ name, ok }) => [name, ok]),
        checks.map((name) => [name, true]),
      );
    }
    const page = { site_id: "demo-live", title: "Code", html: "<p>x</p>", css: "p{top:0}" };
    const { needs_confirmation } = await gw.call<{ needs_confirmation: boolean }>(
      "create_page_from_code",
      page,
    );
    assert.equal(needs_confirmation, true);
  },
});
