/** The files of a new project, and what may stand in its repository before. */
import assert from "node:assert/strict";
import { isGenerated } from "../../../platforms/astro/page.ts";
import { offenders, projectFiles, type ProjectParts } from "../../../platforms/astro/project.ts";
import { words } from "../../words.ts";

function files(parts: Partial<ProjectParts> = {}): Map<string, string> {
  const given = { homepage_html: "<h1>Hi</h1>", site_name: "Acme", extra_pages: [], existing: [], ...parts };
  return new Map(projectFiles(given).map(({ path, content }) => [path, content]));
}

Deno.test("its pages carry the mark and are put into its layout", () => {
  const extra_pages = [{ route: "/Services/Roofs/", html: "x", title: "Roofs" }, {
    route: "404",
    html: "gone",
  }];
  const made = files({ extra_pages });
  for (const path of ["src/pages/index.astro", "src/pages/services/roofs.astro", "src/pages/404.astro"]) {
    const text = made.get(path) ?? assert.fail(`no ${path}`);
    assert.ok(isGenerated(text), path);
    assert.match(text, /import Base from "(\.\.\/)+layouts\/Base\.astro";/);
  }
  assert.match(made.get("src/pages/services/roofs.astro")!, /const title = "Roofs";/);
});

Deno.test("what stands there already is kept", () => {
  assert.ok(!files({ existing: [".gitignore"] }).has(".gitignore"));
  for (const readme of ["README.md", "readme.txt", "README", "Readme.rst"]) {
    assert.ok(!files({ existing: [readme, "LICENSE"] }).has("README.md"), readme);
  }
  assert.ok(files({ existing: ["LICENSE", ".gitattributes", ".github/workflows/a.yml"] }).has("README.md"));
});

Deno.test("only a repository's usual first files are tolerated", () => {
  const fine = ["README", "README.md", "readme.rst", "LICENSE", "LICENSE.txt", "license-mit", ".gitignore"];
  assert.deepEqual(
    offenders([...fine, ".gitattributes", ".github/workflows/ci.yml", ".github/workflows/a/b"]),
    [],
  );
  const refused = words(`
    package.json src/pages/index.astro docs/README.md README/a LICENSES/MIT.txt .github/dependabot.yml
    .github/workflows .gitmodules .env index.html
  `);
  assert.deepEqual(offenders([...fine, ...refused]), refused);
});

Deno.test("the site's name is kept beside the layout and in the README, whatever it holds", () => {
  const made = files({ site_name: ' A "b"\n<c> --- {d} `e` *f* ' });
  assert.equal(JSON.parse(made.get("src/content/site.json")!).name, 'A "b" <c> --- {d} `e` *f*');
  assert.ok(
    made.get("README.md")!.startsWith('# A "b" \\<c\\> --- {d} \\`e\\` \\*f\\*\n'),
    made.get("README.md"),
  );
});

/** What is known of the site in its project. */
const siteOf = (made: Map<string, string>) => JSON.parse(made.get("src/content/site.json")!);

Deno.test("the language is the one that is named, else that of a start page which names one, else English", () => {
  const document = (start: string) => ({ homepage_html: `${start}<title>x</title></html>` });
  const cases: readonly [Partial<ProjectParts>, string, string][] = [
    [{}, "en", "Skip to content"],
    [{ language: "de-AT" }, "de-AT", "Zum Inhalt"],
    [{ language: "pt" }, "pt", "Skip to content"],
    [document('<!doctype html>\n<html class="a" lang="fr">'), "fr", "Aller au contenu"],
    [document("<!DOCTYPE html><html lang=IT>"), "IT", "Vai al contenuto"],
    [{ ...document('<html lang="fr">'), language: "es" }, "es", "Ir al contenido"],
    [document('<html data-lang="fr">'), "en", "Skip to content"],
    [{ homepage_html: '<p lang="fr">x</p>' }, "en", "Skip to content"],
  ];
  for (const [parts, language, skip] of cases) {
    const site = siteOf(files(parts));
    assert.deepEqual([site.language, site.words.skip], [language, skip], JSON.stringify(parts));
  }
  assert.match(files({ language: "fr" }).get("src/pages/404.astro")!, /Page introuvable – Acme/);
});

Deno.test("its address leads the sitemap and the canonical links, and without one the place for it is shown", () => {
  const known = files({ address: "https://www.acme.example" });
  assert.match(known.get("astro.config.mjs")!, /^ {2}site: "https:\/\/www\.acme\.example",$/m);
  assert.match(
    known.get("public/robots.txt")!,
    /^Sitemap: https:\/\/www\.acme\.example\/sitemap-index\.xml$/m,
  );
  const unknown = files();
  assert.match(unknown.get("astro.config.mjs")!, /^ {2}\/\/ site: /m);
  assert.doesNotMatch(unknown.get("public/robots.txt")!, /Sitemap/);
});

Deno.test("pages of the first level begin the navigation in the order they were given", () => {
  const page = (route: string) => ({ route, html: "x" });
  const made = files({ extra_pages: ["z", "a/b", "404", "/About/"].map(page) });
  assert.deepEqual(siteOf(made).navigation, [{ route: "/z" }, { route: "/about" }]);
});

Deno.test("a blog is there only where it was asked for, and its address is then taken", () => {
  const own = [
    "src/content.config.ts",
    "src/components/posts.ts",
    "src/content/blog/.gitkeep",
    "src/pages/blog/index.astro",
    "src/pages/blog/[...slug].astro",
  ];
  for (const path of own) {
    assert.ok(!files().has(path), path);
    assert.ok(files({ blog: true }).has(path), path);
  }
  assert.match(files({ blog: true }).get("README.md")!, /status` is `published`/);
  for (const route of ["blog", "/Blog/index"]) {
    assert.throws(
      () => files({ blog: true, extra_pages: [{ route, html: "x" }] }),
      /E_ROUTE_EXISTS|extra_pages\[0\]\.route: "\/?[bB]log\S*" is a page already; .* blog: true makes that one$/,
    );
    assert.ok(files({ extra_pages: [{ route, html: "x" }] }).has("src/pages/blog.astro"));
  }
});
