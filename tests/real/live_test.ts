/** `live` and view_live on a real WordPress: what its visitors get, and where it leads them by itself. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { Companion, fixture } from "../companion/site.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

// deno-lint-ignore no-explicit-any
type Seen = Record<string, any>;

async function published(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  for (const [n, door] of DOORS.entries()) {
    const title = fresh("Anna's “roofs” & more -- a test");
    const id = await at.ask.draft("admin", {
      title,
      content: `<!-- wp:paragraph --><p>Slate, ${n}.</p><!-- /wp:paragraph -->`,
    });
    const { proof, done } = await at.kit.write(door, "publish_post", { site_id: "open", post_id: id });
    assert.deepEqual([proof.verified, proof.live!.as_expected, proof.warnings], [true, true, []]);
    assert.equal(proof.live!["address"], done.url);
    const seen = await at.kit.gw.call<Seen>("view_live", { site_id: "open", id }, { door });
    assert.deepEqual([seen["status"], seen["wall"], seen.robots_header], [200, null, []]);
    assert.equal(seen["address"], done.url);
    assert.ok(seen.h1_count >= 1);
    assert.match(seen.text, /Slate/);
    assert.equal(seen.canonical, done.url);
    assert.equal(seen.language, "en-US");
  }
}

async function byId(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const id = await at.ask.draft("admin", { title: fresh("Led"), content: "<p>x</p>", status: "publish" });
  const address = new URL(String((await at.stored(id))["link"])).pathname;
  const bare = await at.kit.gw.call<Seen>("view_live", { site_id: "open", path: address.slice(0, -1) });
  assert.deepEqual(bare["chain"].map(({ status }: Args) => status), [301, 200], "redirect_canonical");
  const missing = await at.kit.gw.call<Seen>("view_live", {
    site_id: "open",
    path: "/there-is-no-such-page-here/",
  });
  assert.deepEqual([missing["status"], missing["wall"]], [404, null]);
  const front = await at.kit.gw.call<Seen>("view_live", { site_id: "open", path: "/" });
  assert.equal(front["status"], 200);
  assert.ok(front["links"].asked > 0);
}

/** WordPress's own maintenance mode, which its file begins; here for visitors alone, so that it can be ended over REST. */
async function walled(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const wp = new Companion(site);
  const asked = async (...call: unknown[]) => (await wp.peek({ call })).result;
  const file = `${await asked("constant", ["ABSPATH"])}.maintenance`;
  const code = "<?php $upgrading = false === strpos( $_SERVER['REQUEST_URI'], 'wp-json' ) ? time() : 0;";
  assert.equal(await asked("file_put_contents", [file, code]), code.length);
  const seen = await at.kit.gw.call<Seen>("view_live", { site_id: "open", path: "/" });
  await asked("unlink", [file]);
  assert.deepEqual([seen["status"], seen["wall"]?.kind, seen["wall"]?.by], [503, "maintenance", "WordPress"]);
}

onWordPress({
  "a post that goes live is seen as its visitors see it": published,
  "addresses lead on as WordPress leads them, and a missing page is one": byId,
  "its maintenance is named as such": walled,
}, { plugins: [fixture("peek")] });
