/** The table of RFC 9700 in docs/OAUTH.md: every row names a test there is. */
import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
const FILES = [
  "tests/guard/oauth_test.ts",
  "tests/guard/oauth_authorize_test.ts",
  "tests/guard/oauth_registration_test.ts",
  "tests/guard/oauth_tokens_test.ts",
  "tests/guard/oauth_documents_test.ts",
  "tests/guard/oauth_instances_test.ts",
  "tests/unit/store/oauth_test.ts",
  "tests/unit/rules/redirect_uri_test.ts",
];

Deno.test("every line of RFC 9700 that is ticked is held by a test", async () => {
  const texts = await Promise.all(FILES.map((file) => Deno.readTextFile(new URL(file, ROOT))));
  const names = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/^(?:Deno\.)?test\("((?:[^"\\]|\\.)+)"/gm)].map(([, name]) => name!)
    ),
  );
  assert.ok(names.size > 30);
  const page = await Deno.readTextFile(new URL("docs/OAUTH.md", ROOT));
  const [, table = ""] = /^## RFC 9700, line by line$([\s\S]*)/m.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| ((?:\d+\.[\d.]*(?:, )?)+) \|.*\| ([^|]+) \|$/gm)];
  assert.ok(rows.length >= 25, `${rows.length} rows`);
  for (const [, section, name] of rows) assert.ok(names.has(name!), `${section}: no test "${name}"`);
});
