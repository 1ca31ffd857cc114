/** The archive of the companion plugin: the same bytes each time, and installed through WordPress's own screen. */
import assert from "node:assert/strict";
import { strFromU8, unzipSync } from "fflate";
import { newKey, pluginVersion, pluginZip } from "../../companion/build.ts";
import { COMPANION_VERSION } from "../../platforms/wordpress/companion/plugin.ts";
import { startWordPress } from "../wordpress.ts";
import { Companion, cut, fixture, ignore, type Json, on, PLUGIN, Screens } from "./site.ts";

Deno.test("the archive holds the plugin's files and nothing else, byte for byte the same each time", async () => {
  const zip = await pluginZip();
  assert.deepEqual(zip, await pluginZip());
  const files = unzipSync(zip);
  const names = Object.keys(files);
  assert.deepEqual(names, [...names].sort());
  assert.ok(names.every((name) => /^site-ops\/(includes\/)?[a-z-]+\.(php|txt)$/.test(name)), names.join(" "));
  assert.ok(names.includes("site-ops/site-ops.php") && names.includes("site-ops/readme.txt"));
  assert.equal(strFromU8(files["site-ops/site-ops.php"]!), await Deno.readTextFile(`${PLUGIN}/site-ops.php`));
  const other = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "-c",
      "deno.json",
      `import { pluginZip } from "./companion/build.ts";
      const hash = await crypto.subtle.digest("SHA-256", await pluginZip());
      await Deno.stdout.write(new TextEncoder().encode(new Uint8Array(hash).toHex()));`,
    ],
    cwd: new URL("../../", import.meta.url),
    env: { TZ: "Pacific/Kiritimati" },
  }).output();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();
  assert.equal(new TextDecoder().decode(other.stdout), hash);
});

Deno.test("header and readme say the same, as WordPress.org expects it", async () => {
  const readme = await Deno.readTextFile(`${PLUGIN}/readme.txt`);
  const plugin = await Deno.readTextFile(`${PLUGIN}/site-ops.php`);
  assert.equal(COMPANION_VERSION, await pluginVersion(), "diagnose_site names an older one by it");
  assert.match(await pluginVersion(), /^\d+\.\d+\.\d+$/);
  assert.match(readme, /^=== Site Ops Companion ===\nContributors: \S+\nTags: (?:[^,\n]+, ){0,4}[^,\n]+\n/);
  for (
    const name of [
      "Requires at least: 6.2",
      "Requires PHP: 7.4",
      "Tested up to: ",
      "License: GPL-2.0-or-later",
    ]
  ) {
    assert.ok(readme.includes(`\n${name}`), name);
  }
  const short = readme.split("\n\n")[1]!;
  assert.ok(
    short.length <= 150 && !short.includes("\n"),
    "the short description is one line of at most 150 characters",
  );
  for (const part of ["Description", "Installation", "Frequently Asked Questions", "Changelog"]) {
    assert.ok(readme.includes(`\n== ${part} ==\n`), part);
  }
  assert.match(plugin, /\n \* License: +GPL-2\.0-or-later\n/);
  assert.match(plugin, /\n \* Text Domain: +site-ops\n/);
});

Deno.test({
  name: `it installs and activates through the plugin screen, works, and leaves content when deleted, ${on}`,
  ignore,
  async fn() {
    await using site = await startWordPress({ plugins: [fixture("peek")] });
    const wp = new Companion(site);
    assert.deepEqual(cut(await wp.call("ed", "GET", "/health")), [404, "rest_no_route"]);
    const admin = await Screens.login(site, "admin");
    const screen = await admin.ask("/wp-admin/plugin-install.php?tab=upload");
    const form = new FormData();
    form.set("_wpnonce", /name="_wpnonce" value="(\w+)"/.exec(screen)![1]!);
    form.set("pluginzip", new Blob([await pluginZip()], { type: "application/zip" }), "site-ops.zip");
    const installed = await admin.ask("/wp-admin/update.php?action=upload-plugin", form);
    const link = /href="(plugins\.php\?action=activate[^"]*)"/.exec(installed)?.[1] ??
      /href="([^"]*plugins\.php\?action=activate[^"]*)"/.exec(installed)?.[1];
    assert.ok(link !== undefined, installed.replace(/<[^>]*>|\s+/g, " ").slice(-600));
    const plugins = await admin.ask(
      new URL(link.replaceAll("&amp;", "&"), `${site.base_url}/wp-admin/`).href,
    );
    assert.match(plugins, /Plugin activated/);
    assert.match(plugins, /Site Ops Companion/);
    const health = await wp.call("ed", "GET", "/health");
    assert.deepEqual(cut(health, "plugin_version"), [200, await pluginVersion()]);

    const body = { title: "Stays", scope_class: "so-0123456789", html: "<p>x</p>", css: "a{color:#246810}" };
    const { body: page } = await wp.call("ed", "POST", "/code-pages", body);
    const url = await wp.publish(page["id"]);
    assert.ok((await wp.text(url)).includes("#246810"));
    const redirect = await wp.call("admin", "POST", "/seo/redirects", {
      source: "/gone",
      destination: "/here",
    });
    await wp.rest("admin", "POST", "/plugins/site-ops/site-ops", { status: "inactive" });
    assert.ok(!(await wp.text(url)).includes("#246810"));
    assert.equal((await wp.rest("admin", "DELETE", "/plugins/site-ops/site-ops")).status, 200);
    assert.equal((await wp.peek({ id: page["id"] })).meta["_site_ops_css"], body.css);
    assert.equal((await wp.peek({ id: redirect.body["id"] })).post["post_type"], "site_ops_redirect");
    const rows = (await wp.rest("admin", "GET", "/plugins")).body as Json[];
    assert.ok(!rows.some((row) => row["plugin"] === "site-ops/site-ops"));
  },
});

Deno.test({
  name: `what the plugin keeps itself is deleted with it only where the site's owner chose that, ${on}`,
  ignore,
  async fn() {
    await using wp = await Companion.start().then((it) =>
      Object.assign(it, { [Symbol.asyncDispose]: () => it.site.stop() })
    );
    const code = { title: "Goes", scope_class: "so-0123456789", html: "<p>x</p>", css: "a{color:#246810}" };
    const { body: page } = await wp.call("ed", "POST", "/code-pages", code);
    const draft = await wp.draft("ed");
    await wp.call("ed", "POST", `/seo/meta/${draft}`, { title: "Own" });
    const { body: redirect } = await wp.call("admin", "POST", "/seo/redirects", {
      source: "/gone",
      destination: "/here",
    });
    await wp.peek({ id: draft, meta: { other: "stays" } });
    const admin = await Screens.login(wp.site, "admin");
    const tools = "/wp-admin/tools.php?page=site-ops";
    const press = async (label: string) => {
      const screen = await admin.ask(tools);
      const form = screen.split("<form").find((one) => one.includes(`>${label}<`))!;
      const nonce = /name="_wpnonce" value="(\w+)"/.exec(form)![1]!;
      const [, name, value] = /name="(site_ops_removal)" value="(\w+)"/.exec(form)!;
      return await admin.ask(tools, new URLSearchParams({ _wpnonce: nonce, [name!]: value! }));
    };
    assert.match(await press("Delete it too"), /It deletes what the plugin keeps itself too/);
    assert.match(await press("Keep it instead"), /What the plugin keeps itself stays/);
    await press("Delete it too");
    await wp.rest("admin", "POST", "/plugins/site-ops/site-ops", { status: "inactive" });
    assert.equal((await wp.rest("admin", "DELETE", "/plugins/site-ops/site-ops")).status, 200);
    const { post, meta } = await wp.peek({ id: page["id"] });
    assert.deepEqual([post["post_title"], meta["_site_ops_css"], meta["_site_ops_scope"]], [
      "Goes",
      undefined,
      undefined,
    ]);
    assert.deepEqual((await wp.peek({ id: draft })).meta["other"], "stays");
    assert.deepEqual(
      Object.keys((await wp.peek({ id: draft })).meta).filter((key) => key.startsWith("_site_ops")),
      [],
    );
    assert.equal((await wp.peek({ id: redirect["id"] })).post, null);
    const { options } = await wp.peek({ ask: ["site_ops_remove_content"] });
    assert.equal(options["site_ops_remove_content"], false);
  },
});

Deno.test("no signed offer is left beside an archive that it was not signed for", async () => {
  const folder = await Deno.makeTempDir();
  const home = new URL("../../", import.meta.url);
  try {
    for (const file of ["deno.json", "deno.lock", "companion/build.ts"]) {
      await Deno.mkdir(`${folder}/companion`, { recursive: true });
      await Deno.copyFile(new URL(file, home), `${folder}/${file}`);
    }
    await Deno.symlink(PLUGIN, `${folder}/companion/site-ops`);
    const run = async (...args: string[]) => {
      const command = { args: ["run", "-A", "companion/build.ts", ...args], cwd: folder };
      const { success, stderr } = await new Deno.Command(Deno.execPath(), command).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const names = (await Array.fromAsync(Deno.readDir(`${folder}/companion/dist`))).map(({ name }) => name);
      return names.sort();
    };
    await Deno.writeTextFile(`${folder}/companion/update_key.pem`, await newKey());
    const signed = ["--updates", "https://updates.example.com/site-ops.json"];
    assert.deepEqual(await run(...signed), ["site-ops.json", "site-ops.zip"]);
    assert.deepEqual(await run(), ["site-ops.zip"]);
    assert.deepEqual(await run(...signed), ["site-ops.json", "site-ops.zip"]);
    assert.deepEqual(await run("--directory"), ["site-ops.zip"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
