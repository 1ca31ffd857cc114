/** The sandbox CMS: the stand-in and a real WordPress give the same answers, and both come and go cleanly. */
import assert from "node:assert/strict";
import { type CmsSandbox, phpMissing, startCms } from "../../sandbox/wordpress/start.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { CMS_KINDS, IN_MATRIX, IN_TEST } from "../tier.ts";
import { Companion, fixture } from "../companion/site.ts";
import { Asker, cut } from "./asker.ts";
import { PROBES } from "./probes.ts";
import { CONTENT_PROBES } from "./probes_content.ts";
import { NAME_PROBES } from "./probes_names.ts";
import { folder } from "../folder.ts";

const missing = await phpMissing();
const ignore = missing !== null && Deno.env.get("CI") !== "true";
const on = ignore ? `a real WordPress (not run: ${missing})` : "a real WordPress";

let real: CmsSandbox | undefined;
Deno.test.beforeAll(async () => {
  if (!ignore && IN_MATRIX) real = await startCms({ kind: "wordpress" });
});
Deno.test.afterAll(async () => await real?.stop());

/** Registers what can only be seen on a real WordPress. */
function onReal(name: string, fn: () => Promise<void>): void {
  if (IN_MATRIX) Deno.test({ name: `on ${on}: ${name}`, ignore, fn });
}

for (const probe of [...PROBES, ...CONTENT_PROBES, ...NAME_PROBES]) {
  if (IN_TEST) {
    Deno.test(`on the stand-in: ${probe.name}`, async () => {
      await using site = await startWordPressStandIn();
      assert.deepEqual(await probe.ask(new Asker(site)), probe.expect);
    });
  }
  onReal(probe.name, async () => assert.deepEqual(await probe.ask(new Asker(real!)), probe.expect));
}

onReal("its configuration is a file of its own: plugins write to it", async () => {
  await using site = await startCms({ kind: "wordpress", plugins: [fixture("peek")] });
  const wp = new Companion(site);
  const { result: root } = await wp.peek({ call: ["constant", ["ABSPATH"]] });
  const { result } = await wp.peek({ call: ["stat", [`${root}wp-config.php`]] });
  assert.equal((result as { nlink: number }).nlink, 1, "no other site has it");
});

for (const kind of CMS_KINDS) {
  const skip = kind === "wordpress" && ignore;
  const name = kind === "wordpress" ? on : "the stand-in";

  Deno.test({
    name: `plain permalinks move the REST root on ${name}`,
    ignore: skip,
    async fn() {
      await using site = await startCms({ kind, plain_permalinks: true });
      const asker = new Asker(site);
      const link = (await asker.send(null, "HEAD", "/")).headers.get("link");
      assert.equal(link, `<${site.base_url}/index.php?rest_route=/>; rel="https://api.w.org/"`);
      const me = await asker.send("ed", "GET", "/index.php?rest_route=/wp/v2/users/me");
      assert.deepEqual(cut(me, "slug"), [200, "ed"]);
      const pretty = await fetch(`${site.base_url}/wp-json/`, { redirect: "manual" });
      assert.doesNotMatch(pretty.headers.get("content-type") ?? "", /json/);
      await pretty.body?.cancel();
    },
  });

  Deno.test({
    name: `a production environment takes no application passwords on ${name}`,
    ignore: skip,
    async fn() {
      await using site = await startCms({ kind, environment: "production" });
      const asker = new Asker(site);
      assert.deepEqual((await asker.send(null, "GET", "/wp-json/")).body["authentication"], []);
      assert.deepEqual(cut(await asker.rest("admin", "GET", "/users/me")), [401, "rest_not_logged_in"]);
    },
  });
}

const PLUGIN = `<?php
/* Plugin Name: Probe */
add_action( 'rest_api_init', function () {
	register_rest_route( 'probe/v1', '/out', array(
		'permission_callback' => '__return_true',
		'callback' => function () {
			$answer = wp_remote_get( 'http://example.test/' );
			return array( 'refused' => is_wp_error( $answer ), 'mailed' => wp_mail( 'a@example.test', 's', 'b' ) );
		},
	) );
} );
`;

onReal("a plugin folder is copied in and activated, and nothing leaves the site", async () => {
  await using place = await folder();
  await Deno.mkdir(`${place.path}/probe`);
  await Deno.writeTextFile(`${place.path}/probe/probe.php`, PLUGIN);
  await using site = await startCms({ kind: "wordpress", plugins: [`${place.path}/probe`] });
  const asker = new Asker(site);
  assert.deepEqual((await asker.send(null, "GET", "/wp-json/probe/v1/out")).body, {
    refused: true,
    mailed: true,
  });
  const rows = (await asker.rest("admin", "GET", "/plugins")).body;
  assert.ok(rows.some((row) => row["plugin"] === "probe/probe" && row["status"] === "active"));
});

onReal("a plugin that is none is refused with its name, leaving nothing", async () => {
  const folder = await Deno.makeTempDir({ prefix: "empty-" });
  try {
    await assert.rejects(
      startCms({ kind: "wordpress", plugins: [folder] }),
      /the folder empty-\w+ holds no file with a plugin header/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

onReal("two sites do not see each other's posts, and a stopped one is gone", async () => {
  const other = await startCms({ kind: "wordpress", workers: 2 });
  const id = await new Asker(other).draft("ed", { title: "Only here xylophone" });
  assert.ok(id > 0);
  const found = await new Asker(real!).rest("ed", "GET", "/posts?status=draft&search=xylophone");
  assert.deepEqual(found.body, []);
  await Promise.all([other.stop(), other.stop()]);
  await assert.rejects(fetch(other.base_url), TypeError);
});

if (IN_TEST) {
  Deno.test({
    name: "where a real one cannot run, the stand-in takes its place and says so in one line",
    permissions: { run: false, net: "inherit", read: "inherit", env: "inherit", write: "inherit" },
    async fn() {
      const lines: string[] = [];
      await using site = await startCms({ say: (line) => lines.push(line) });
      assert.equal(site.kind, "stand-in");
      assert.equal(lines.length, 1);
      assert.match(
        lines[0]!,
        /^The CMS is a stand-in inside this process, not a real WordPress: PHP (may not|is not)/,
      );
      await assert.rejects(
        startCms({ kind: "wordpress" }),
        /^Error: A real WordPress cannot run here: PHP (may|is) not/,
      );
    },
  });
}
