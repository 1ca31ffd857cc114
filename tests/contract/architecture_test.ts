/** docs/ARCHITECTURE.md leads to every decision and to every page on an upstream, each once. */
import assert from "node:assert/strict";

const DOCS = new URL("../../docs/", import.meta.url);
const PAGE = await Deno.readTextFile(new URL("ARCHITECTURE.md", DOCS));

async function names(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(folder, DOCS)));
  return entries.map(({ name }) => name).sort();
}

Deno.test("the decisions are listed in their order, each under its own title", async () => {
  const files = await names("decisions/");
  const expected = await Promise.all(files.map(async (file) => {
    const text = await Deno.readTextFile(new URL(`decisions/${file}`, DOCS));
    const [, number, title] = /^# (\d{4})\. (.+)$/m.exec(text)!;
    assert.equal(number, file.slice(0, 4), file);
    return `- [${number}](decisions/${file}) ${title}`;
  }));
  assert.deepEqual(
    PAGE.split("\n").filter((line) => line.includes("](decisions/") && line.startsWith("- ")),
    expected,
  );
});

Deno.test("the page on each upstream is linked once", async () => {
  const linked = [...PAGE.matchAll(/\]\(upstreams\/([\w.-]+)\)/g)].map(([, name]) => name);
  assert.deepEqual(linked.toSorted(), await names("upstreams/"));
});
