/** Which requests may be sent to the hosting: reads of the site's own project. */
import assert from "node:assert/strict";
import cloudflarePages from "../../../platforms/cloudflare_pages/connector.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";
import { words } from "../../words.ts";

Deno.test("only the site's own project is read, and nothing is ever written", () => {
  const base = "https://api.cloudflare.com/client/v4/accounts/acc/pages/projects";
  const built = site({ platform: "static", hosting_project: "pages" });
  const why = (out: Partial<Outgoing>) => {
    const given = { method: "GET", effect: "read", url: `${base}/pages/deployments`, ...out } as const;
    return verdict(cloudflarePages, built, given, { granted: () => true });
  };
  assert.equal(why({}), "passes");
  assert.equal(why({ url: `${base}/pages/deployments?per_page=25&page=2` }), "passes");
  assert.equal(why({ url: `${base}/pages` }), "passes", "its settings");
  assert.equal(why({ url: `${base}/pages/deployments/1/history/logs` }), "passes", "what a build said");
  for (
    const path of words(`
      other/deployments other/deployments?x=/pages/projects/pages/deployments pages/deployments/1
      pages/deployments/ pages/deployments//history/logs pages/deployments/1/history/logs/more pages/deployments/1/retry
      other/deployments/1/history/logs other mypages pages/../other pages/../other/deployments mypages/deployments
      pages%2Fdeployments
    `)
  ) assert.match(why({ url: `${base}/${path}` }), /it reads another project/, path);
  for (
    const out of [{ method: "POST" }, { method: "PATCH" }, { method: "PUT" }, { effect: "write" }] as const
  ) {
    assert.match(why(out), /hosting is only read/);
  }
  assert.match(why({ method: "DELETE" }), /never sends/);
});
