/** A new project as visitors find it: built by the real generator, opened in a browser at two widths and in both color schemes. */
import assert from "node:assert/strict";
import { startFiles } from "../../sandbox/cloudflare_pages/files.ts";
import { AXE } from "../packages/axe.ts";
import type { Browser } from "../packages/puppeteer.ts";
import { StaticWorld } from "../tools/_static.ts";
import { buildProject, published } from "./_astro.ts";
import { inChromium, pageOf, PHONE, textOf } from "./browser.ts";

const DESK = { width: 1280, height: 800 } as const;
/** A folder that pictures of the pages are put in, for whoever wants to look at them. */
const SHOTS = Deno.env.get("SHOTS");

const HOME = `<h1>Fresh bread, baked in Vienna since 1962</h1>
<p class="lead">We bake by night, so that you have it warm in the morning.</p>
<p><a class="button" href="/contact/">Order for tomorrow</a></p>
<h2>What we bake</h2>
<ul class="cards"><li><h3>Rye</h3><p>Three days of sourdough.</p></li><li><h3>Wheat</h3><p>With a crust.</p></li></ul>
<h2>Hours</h2>
<table><thead><tr><th>Day</th><th>Open</th></tr></thead><tbody><tr><td>Saturday</td><td>6:00–12:00</td></tr></tbody></table>
<p class="note">On holidays we bake, but do not sell. <a href="/about/">Why?</a></p>
<blockquote>Bread takes time.</blockquote><pre>water
salt</pre>`;
const FORM = `<h1>Contact</h1><form><p><label for="n">Name</label><input id="n" autocomplete="name"></p>
<p><label for="m">Message</label><textarea id="m" rows="4"></textarea></p><p><button>Send</button></p></form>`;

const post = (title: string, slug: string, more: string) =>
  `---\ntitle: ${title}\nslug: ${slug}\n${more}\n---\n\nWe *began* with flour.\n\n## Then\n\n- water\n- salt\n`;
const POSTS = {
  "src/content/blog/first.md": post(
    "First loaf",
    "first",
    "status: published\ndate: 2026-11-02\nexcerpt: How it began.",
  ),
  "src/content/blog/later.md": post('"Later: a crust"', "Later Crust", "status: Published\ndate: 2026-11-20"),
  "src/content/blog/draft.md": post("Secret recipe", "../../secret", "status: draft"),
  "src/content/blog/silent.md": post("No status at all", "silent", "type: post"),
};

/** A project that the tools have begun and written on, built as that branch. */
async function builtSite(branch?: string) {
  await using at = await StaticWorld.open();
  const site_id = "empty";
  await at.write("rest", "init_static_project", {
    site_id,
    homepage_html: HOME,
    site_name: "Bakery Müller & Söhne",
    blog: true,
    extra_pages: [
      { route: "contact", html: FORM, title: "Contact" },
      { route: "about", html: "<h1>About us</h1><p>A family.</p>", title: "About us – Bakery Müller" },
    ],
  });
  const main = { site_id, target_branch: "main" };
  const pages = {
    prices: { html: "<main><h1>Prices</h1></main>", title: "Prices | Bakery" },
    imprint: { html: "<h1>Imprint</h1>", title: "Imprint" },
    "locations/vienna": { html: "<h1>Vienna</h1>", title: "Vienna" },
    "braided-loaf": {
      html: "<h1>Braided loaf</h1>",
      title: "The braided loaf of our grandmother, on Saturdays",
    },
  };
  for (const [route, page] of Object.entries(pages)) {
    await at.write("mcp", "create_static_route", { ...main, route, ...page });
  }
  for (const [path, content] of Object.entries(POSTS)) {
    await at.write("rest", "save_md_to_repo", { site_id, path, content });
  }
  const clone = await at.clone("main", "acme/empty");
  await buildProject(clone.folder, branch);
  return { dir: clone.folder, [Symbol.asyncDispose]: () => clone[Symbol.asyncDispose]() };
}

/** The labels and addresses of a navigation. */
const linksIn = (html: string, label: string) =>
  [...(html.split(`<nav aria-label="${label}">`)[1]?.split("</nav>")[0] ?? "").matchAll(
    /<a href="([^"]*)"[^>]*>([^<]*)</g,
  )].map(([, href, text]) => `${text} ${href}`);

Deno.test("pages that tools make are in the layout, in its navigation and in the sitemap, and posts once they are published", async () => {
  await using site = await builtSite();
  const text = async (route: string) => {
    const bytes = await published(site.dir, route);
    return bytes && new TextDecoder().decode(bytes);
  };
  const home = (await text("/"))!;
  assert.deepEqual(linksIn(home, "Main"), [
    "Contact /contact/",
    "About us /about/",
    "Blog /blog/",
    "Braided loaf /braided-loaf/",
    "Prices /prices/",
  ]);
  assert.deepEqual(linksIn(home, "More pages"), ["Imprint /imprint/"]);
  const prices = (await text("/prices"))!;
  assert.equal(prices.split("<main").length, 2, "a page's own main element is the only one");
  assert.match(prices, /<a href="\/prices\/" aria-current="page">/);
  assert.match((await text("/locations/vienna"))!, /<nav aria-label="Main">/);
  assert.match(prices, /<link rel="canonical" href="https:\/\/empty\.example\/prices\/">/);

  const list = (await text("/blog"))!;
  assert.deepEqual(
    [...list.matchAll(/<h2><a href="([^"]*)">([^<]*)/g)].map(([, href, title]) => [href, title]),
    [
      ["/blog/later-crust/", "Later: a crust"],
      ["/blog/first/", "First loaf"],
    ],
  );
  assert.match(list, /How it began\./);
  assert.match((await text("/blog/first"))!, /<h1>First loaf<\/h1>.*<em>began<\/em>/s);
  for (const route of ["/blog/secret", "/secret", "/blog/silent"]) {
    assert.equal(await text(route), null, route);
  }

  const map = await Deno.readTextFile(`${site.dir}/dist/sitemap-0.xml`);
  const listed = [...map.matchAll(/<loc>https:\/\/empty\.example([^<]*)<\/loc>/g)].map(([, path]) => path);
  assert.deepEqual(
    listed.toSorted(),
    [
      "/",
      "/about/",
      "/blog/",
      "/blog/first/",
      "/blog/later-crust/",
      "/braided-loaf/",
      "/contact/",
      "/imprint/",
      "/locations/vienna/",
      "/prices/",
    ],
  );
  const missing = (await text("/404"))!;
  assert.match(missing, /<meta name="robots" content="noindex">/);
  assert.doesNotMatch(missing, /canonical/);
  assert.match(
    await Deno.readTextFile(`${site.dir}/dist/_headers`),
    /^\/\*\n {2}X-Content-Type-Options: nosniff$/m,
  );
});

Deno.test("a build of another branch shows drafts, marked, below the blog whatever their slug says", async () => {
  await using site = await builtSite("mcp/somebody/1");
  const list = new TextDecoder().decode((await published(site.dir, "/blog"))!);
  assert.match(list, /<a href="\/blog\/secret\/">Secret recipe<\/a><\/h2>\s*<p>\s*<strong>Draft <\/strong>/);
  assert.match(list, /<a href="\/blog\/silent\/">No status at all/);
  assert.ok(await published(site.dir, "/blog/secret"));
});

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

inChromium("a new project", {
  "nothing is found by axe, nothing is wider than the screen, wide and narrow, in light and in dark": async (
    browser: Browser,
  ) => {
    await using site = await builtSite();
    await using server = startFiles(`${site.dir}/dist`);
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const routes = ["/", "/contact/", "/prices/", "/blog/", "/blog/first/", "/nothing/here"];
    for (const route of routes) {
      await page.goto(`${server.origin}${route}`);
      for (const size of [PHONE, DESK]) {
        await page.setViewport(size);
        for (const value of ["light", "dark"]) {
          await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
          const at = `${route} at ${size.width} px, ${value}`;
          assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, at);
          const { violations } = await page.evaluate(`${AXE}; axe.run()`) as {
            violations: readonly Finding[];
          };
          assert.deepEqual(violations.map(({ id, nodes }) => [at, id, nodes.map(({ html }) => html)]), []);
          const name = route.replaceAll("/", "-");
          if (SHOTS) {
            await page.screenshot({ path: `${SHOTS}/${name}${size.width}-${value}.png`, fullPage: true });
          }
        }
      }
    }
    assert.match(await textOf(page), /Page not found/);
    assert.deepEqual(complaints, []);
  },
});
