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

Deno.test("the site's name stands in the layout and the README, whatever it holds", () => {
  const made = files({ site_name: ' A "b"\n<c> --- {d} `e` *f* ' });
  assert.match(
    made.get("src/layouts/Base.astro")!,
    /const SITE = "A \\"b\\" \\u003cc> -\\u002d- \{d\} `e` \*f\*";/,
  );
  assert.ok(
    made.get("README.md")!.startsWith('# A "b" \\<c\\> --- {d} \\`e\\` \\*f\\*\n'),
    made.get("README.md"),
  );
});
