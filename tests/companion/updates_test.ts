/** Updates of a copy of the companion plugin that was packed with an address: offered, pressed by a person, and refused where the signature is wrong. */
import assert from "node:assert/strict";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import {
  newKey,
  offer,
  pluginVersion,
  pluginZip,
  signingKeys,
  updateAddress,
} from "../../companion/build.ts";
import { startWordPress } from "../wordpress.ts";
import { Companion, fixture, ignore, type Json, on, Screens } from "./site.ts";

const ADDRESS = "https://updates.example.com/plugin/site-ops.json";
const PACKAGE = "https://updates.example.com/plugin/site-ops.zip";
const NEWER = "1.99.0";
const FILE = "site-ops/site-ops.php";

const hex = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();

/** The archive of a newer version. */
async function newer(zip: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const files = unzipSync(zip);
  files[FILE] = strToU8(strFromU8(files[FILE]!).replaceAll(await pluginVersion(), NEWER));
  return new Uint8Array(zipSync(files));
}

/** An offer as its reader takes it, signed here. */
async function offered(sign: CryptoKey, more: Json, purpose = "site-ops update v1\n") {
  const signed = JSON.stringify({
    ...{ plugin: "site-ops", version: NEWER, package: PACKAGE, sha256: "0".repeat(64) },
    ...{ tested: "7.1", requires: "6.2", requires_php: "7.4" },
    ...more,
  });
  const bytes = await crypto.subtle.sign(
    "Ed25519",
    sign,
    strToU8(purpose + signed) as Uint8Array<ArrayBuffer>,
  );
  return { signed, signature: new Uint8Array(bytes).toHex() };
}

Deno.test("a copy is packed with an address and a key, or with neither, or for the directory", async () => {
  const { sign, key } = await signingKeys(await newKey());
  const read = (zip: Uint8Array, name: string) => {
    const file = unzipSync(zip)[`site-ops/${name}`];
    return file && strFromU8(file);
  };
  const plain = await pluginZip();
  assert.match(read(plain, "site-ops.php")!, /\n \* Update URI: +false\n/);
  assert.match(read(plain, "includes/class-updates.php")!, /const KEY = '';/);
  const signed = await pluginZip({ updates: { address: ADDRESS, key } });
  assert.ok(read(signed, "site-ops.php")!.includes(` * Update URI:        ${ADDRESS}\n`));
  assert.ok(read(signed, "includes/class-updates.php")!.includes(`const KEY = '${key}';`));
  const directory = await pluginZip({ directory: true });
  assert.ok(!read(directory, "site-ops.php")!.includes("Update URI"));
  assert.equal(read(directory, "includes/class-updates.php"), undefined);

  const made = await offer(signed, ADDRESS, sign);
  const told = JSON.parse(made.signed);
  assert.deepEqual([told.version, told.package, told.sha256], [
    await pluginVersion(),
    PACKAGE,
    await hex(signed),
  ]);
  const verify = await crypto.subtle.importKey("raw", Uint8Array.fromHex(key), "Ed25519", true, ["verify"]);
  const text = strToU8(`site-ops update v1\n${made.signed}`) as Uint8Array<ArrayBuffer>;
  assert.ok(await crypto.subtle.verify("Ed25519", verify, Uint8Array.fromHex(made.signature), text));
  for (
    const bad of [
      "http://a.example/site-ops.json",
      "https://a.example:8443/site-ops.json",
      "https://a.example/x",
    ]
  ) {
    assert.throws(() => updateAddress(bad), /expected an address like https:/);
  }
});

/** A site with the packed plugin, installed by its own screen, and what its updates are. */
async function installed(zip: Uint8Array<ArrayBuffer>) {
  const site = await startWordPress({ plugins: [fixture("peek"), fixture("updates-standin")] });
  const wp = new Companion(site);
  const admin = await Screens.login(site, "admin");
  const screen = await admin.ask("/wp-admin/plugin-install.php?tab=upload");
  const form = new FormData();
  form.set("_wpnonce", /name="_wpnonce" value="(\w+)"/.exec(screen)![1]!);
  form.set("pluginzip", new Blob([zip], { type: "application/zip" }), "site-ops.zip");
  await admin.ask("/wp-admin/update.php?action=upload-plugin", form);
  await wp.rest("admin", "POST", "/plugins/site-ops/site-ops", { status: "active" });
  return {
    site,
    wp,
    /** What is served from now on; WordPress looks at once. */
    async serve(told: Json, archive: Uint8Array<ArrayBuffer>) {
      const served = { [ADDRESS]: strToU8(JSON.stringify(told)).toBase64(), [PACKAGE]: archive.toBase64() };
      await wp.peek({ options: { updates_standin: served } });
      await wp.peek({ call: ["delete_site_transient", ["update_plugins"]] });
      await wp.peek({ call: ["wp_update_plugins", []] });
    },
    plugins: async () => await admin.ask("/wp-admin/plugins.php"),
    /** Presses "update now" as a person does without scripts. */
    async press(): Promise<string> {
      const link = /href="([^"]*action=upgrade-plugin[^"]*site-ops[^"]*)"/.exec(await this.plugins())?.[1];
      assert.ok(link !== undefined, "an update is offered");
      return await admin.ask(new URL(link.replaceAll("&amp;", "&"), `${site.base_url}/wp-admin/`).href);
    },
    async told() {
      const { body } = await wp.call("ed", "GET", "/health");
      return { version: body["plugin_version"], ...body["update"] as Json };
    },
    [Symbol.asyncDispose]: () => site.stop(),
  };
}

const PRESSED = "an update that is signed is offered, and installed once a person presses";
const WRONG =
  "a wrong signature, a text for something else and a changed package are refused, and that is said";
const REFUSED = "An update of Site Ops Companion was refused";

Deno.test({
  name: `${PRESSED}, ${on}`,
  ignore,
  async fn() {
    const { sign, key } = await signingKeys(await newKey());
    const zip = await pluginZip({ updates: { address: ADDRESS, key } });
    const next = await newer(zip);
    await using at = await installed(zip);
    const version = await pluginVersion();
    const none = {
      ...{ version, host: "updates.example.com", offered: null, refused: null },
      unanswered: false,
    };
    assert.deepEqual(await at.told(), none);
    await at.wp.peek({ call: ["wp_update_plugins", []] });
    assert.deepEqual(await at.told(), { ...none, unanswered: true }, "a silent server refuses nothing");
    const screen = await at.plugins();
    assert.match(screen, /Nobody knows whether there is an update .*updates\.example\.com did not answer/);
    assert.ok(!screen.includes(REFUSED));
    await at.serve(await offered(sign, { sha256: await hex(next) }), next);
    assert.deepEqual(await at.told(), { ...none, offered: NEWER });
    assert.match(await at.plugins(), /There is a new version of Site Ops Companion available/);
    const auto = async (file: string) =>
      (await at.wp.peek({ call: ["updates_standin_auto", [file]] })).result;
    assert.deepEqual([await auto(FILE), await auto("peek/peek.php")], [false, true], "never by itself");
    const pressed = await at.press();
    assert.ok(!pressed.includes(REFUSED), pressed.replace(/<[^>]*>|\s+/g, " ").slice(-400));
    // WordPress activates it again from a frame of that screen.
    await at.wp.rest("admin", "POST", "/plugins/site-ops/site-ops", { status: "active" });
    assert.equal((await at.told()).version, NEWER);
    const { options } = await at.wp.peek({ ask: ["updates_standin_asked"] });
    const hosts = new Set((options["updates_standin_asked"] as string[]).map((url) => new URL(url).host));
    hosts.delete("api.wordpress.org");
    assert.deepEqual([...hosts], ["updates.example.com"]);
  },
});

Deno.test({
  name: `${WRONG}, ${on}`,
  ignore,
  async fn() {
    const { sign, key } = await signingKeys(await newKey());
    const other = await signingKeys(await newKey());
    const zip = await pluginZip({ updates: { address: ADDRESS, key } });
    const next = await newer(zip);
    await using at = await installed(zip);
    const version = await pluginVersion();
    const sha256 = await hex(next);
    const good = await offered(sign, { sha256 });
    const rows: [name: string, told: Json, says: RegExp][] = [
      [
        "another key",
        await offered(other.sign, { sha256 }),
        /not signed with the key that this plugin was packed with/,
      ],
      ["a changed text", { ...good, signed: good.signed.replace(NEWER, "9.9.9") }, /not signed with the key/],
      ["another purpose", await offered(sign, { sha256 }, "something else\n"), /not signed with the key/],
      ["no signature", { signed: good.signed }, /not signed with the key/],
      ["another plugin", await offered(sign, { sha256, plugin: "others" }), /not for this plugin/],
      [
        "another place",
        await offered(sign, { sha256, package: "https://evil.example/x.zip" }),
        /not for this plugin/,
      ],
      ["a lack", await offered(sign, { sha256: 7 }), /cannot be read/],
    ];
    for (const [name, told, says] of rows) {
      await at.serve(told, next);
      const { offered, refused, version: now } = await at.told() as Json;
      assert.deepEqual([offered, now], [null, version], name);
      assert.match(String(refused), says, name);
      const screen = await at.plugins();
      assert.match(screen, new RegExp(REFUSED), name);
      assert.ok(!screen.includes("There is a new version of Site Ops Companion"), name);
    }
    await at.serve(await offered(sign, { sha256, version: "1.0.0" }), next);
    assert.deepEqual((await at.told())["offered" as never], null, "an older version is not offered");
    const changed = new Uint8Array([...next, 0]);
    await at.serve(good, changed);
    assert.match(await at.press(), /The package is not the one that was signed/);
    assert.equal((await at.told()).version, version);
  },
});
