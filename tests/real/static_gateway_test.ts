/** A static site from nothing to what a visitor gets: begun and written through the gateway, cloned, built by the real generator. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { StaticWorld } from "../tools/_static.ts";
import { buildProject, published } from "./_astro.ts";

const EMPTY = "acme/empty";
const JSON_LD =
  '<script type="application/ld+json">{"@context": "https://schema.org", "a": [{"b": "</p>"}]}</script>';
/** A fragment and a document with what the generator would read, were it not hidden from it. */
const FRAGMENT =
  `<style>a::before { content: "}{" }</style><p>{a} \${b} \`c\` --- é 😀 &amp; "q" \\n</p>${JSON_LD}` +
  "<script>if (a<b && c>d) { x = `${1}` }</script>\r\n<!-- --- -->";
const DOCUMENT =
  `<!doctype html>\n<html lang="de"><head><title>{T}</title>${JSON_LD}</head><body>${FRAGMENT}</body></html>\n`;
const CSS = "p { color: red }\n";
const bytes = (text: string) => new TextEncoder().encode(text);

for (const door of DOORS) {
  Deno.test({
    name: `a site that is begun and written through ${door} is built to exactly the pages that were given`,
    fn: async () => {
      await using at = await StaticWorld.open();
      const site_id = "empty";
      const main = { site_id, target_branch: "main" };
      await at.write(door, "init_static_project", {
        site_id,
        homepage_html: FRAGMENT,
        site_name: "Müller & <Söhne>",
        extra_pages: [{ route: "kontakt", html: DOCUMENT }],
      });
      await at.write(
        door,
        "create_static_route",
        { ...main, route: "blog/first-post", html: FRAGMENT, title: "T & <t>" },
      );
      await at.write(door, "create_static_route", { ...main, route: "whole", html: DOCUMENT });
      await at.write(door, "create_static_route", { ...main, route: "gone", html: "x" });
      await at.write(door, "update_static_route", {
        ...main,
        route: "whole",
        html: `${DOCUMENT}<!-- {2} -->`,
      });
      await at.write(door, "write_static_file", { ...main, path: "public/a.css", content: CSS });
      await at.write(door, "bulk_write_static_files", {
        ...main,
        files: [
          { path: "src/pages/by-hand.md", content: "# By hand\n" },
          { path: "public/logo.bin", content: "AP8B", encoding: "base64" },
        ],
      });
      await at.write(door, "delete_static_route", { site_id, route: "gone" });
      const preview = await at.write<{ branch: string }>(door, "create_static_route", {
        site_id,
        route: "only-a-preview",
        html: DOCUMENT,
      });

      await using clone = await at.clone("main", EMPTY);
      assert.equal((await clone.git("log", "--format=%s")).trim().split("\n").length, 8, "one commit a call");
      await buildProject(clone.folder);
      const page = async (route: string, folder = clone.folder) => {
        const found = await published(folder, route);
        assert.ok(found, `${route} was not published`);
        return found;
      };
      assert.deepEqual(await page("/kontakt"), bytes(DOCUMENT));
      assert.deepEqual(await page("/whole"), bytes(`${DOCUMENT}<!-- {2} -->`));
      const home = new TextDecoder().decode(await page("/"));
      assert.ok(home.includes(`<main id="content" class="content">${FRAGMENT}</main>`), home);
      assert.match(
        home,
        /<title>Müller &amp; &lt;Söhne><\/title>|<title>Müller &amp; &lt;Söhne&gt;<\/title>/,
      );
      const post = new TextDecoder().decode(await page("/blog/first-post"));
      assert.ok(post.includes(`<main id="content" class="content">${FRAGMENT}</main>`), post);
      assert.match(post, /<title>T &amp; &lt;t(>|&gt;)<\/title>/);
      assert.match(new TextDecoder().decode(await page("/by-hand")), /<h1[^>]*>By hand<\/h1>/);
      assert.equal(await published(clone.folder, "/gone"), null);
      assert.equal(await published(clone.folder, "/only-a-preview"), null);
      assert.deepEqual(await clone.bytes("dist/a.css"), bytes(CSS));
      assert.deepEqual(await clone.bytes("dist/logo.bin"), new Uint8Array([0, 255, 1]));
      assert.equal((await clone.git("status", "--porcelain")).trim(), "", "what is built is ignored by git");

      await using side = await at.clone(preview.done.branch, EMPTY);
      await buildProject(side.folder);
      assert.deepEqual(await page("/only-a-preview", side.folder), bytes(DOCUMENT));
      assert.deepEqual(await page("/kontakt", side.folder), bytes(DOCUMENT));
    },
  });
}
