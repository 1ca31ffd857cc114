/** docs/CLIENTS.md: each client as a new token's page has it, a row of what it can do, and who says so. */
import assert from "node:assert/strict";
import { clientSetups } from "../../console/admin/client_setups.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/CLIENTS.md", import.meta.url));
const ADDRESS = "<BASE_URL>/mcp";
const SETUPS = clientSetups("<BASE_URL>", ADDRESS, "<TOKEN>");

/** The part of the page under that heading. */
function sectionOf(name: string): string {
  const sections = PAGE.split("\n## ").filter((section) => section.startsWith(`${name}\n`));
  assert.equal(sections.length, 1, `sections of docs/CLIENTS.md named ${name}`);
  return sections[0]!;
}

for (const { name, steps, code } of SETUPS) {
  Deno.test(`the page of clients has what a new token's page prints for ${name}, and who says what it can do`, () => {
    const section = sectionOf(name);
    assert.ok(
      section.includes(`\n${steps.replaceAll(ADDRESS, `\`${ADDRESS}\``)}\n`),
      `it should have: ${steps}`,
    );
    assert.ok(section.includes(`\n${code.text}\n\`\`\`\n`), `it should have:\n${code.text}`);
    assert.ok(name === "curl" || section.includes("\nSource"), "it should name a source");
  });
}

Deno.test("the table of clients has a row for each, which says how it was tried", () => {
  const rows = PAGE.split("\n").filter((line) => line.startsWith("| [")).map((line) =>
    line.slice(2, -2).split(" | ")
  );
  assert.deepEqual(
    rows.map(([client]) => client!.slice(1, client!.indexOf("]"))),
    SETUPS.map(({ name }) => name),
  );
  for (const cells of rows) {
    assert.equal(cells.length, 14, cells[0]);
    assert.ok(["test", "by hand", "documentation"].some((how) => cells[1]!.startsWith(how)), cells.join());
  }
});

Deno.test("the page says how long the longest name of a tool is", () => {
  const manifests = new URL("../../manifests/", import.meta.url);
  const names = [...Deno.readDirSync(manifests)].filter(({ isDirectory, name }) =>
    isDirectory && name !== "proxies"
  )
    .flatMap(({ name }) => [...Deno.readDirSync(new URL(`${name}/`, manifests))].map((file) => file.name));
  const longest = Math.max(...names.map((name) => name.length - ".yaml".length));
  assert.ok(PAGE.includes(`own tools have at most ${longest} characters`), String(longest));
  assert.ok(
    sectionOf("Claude Code").includes(`at most ${"mcp__site-operations__".length + longest} characters`),
  );
  assert.ok(sectionOf("Cursor").includes(`have ${"site-operations".length + longest} at most`));
});
