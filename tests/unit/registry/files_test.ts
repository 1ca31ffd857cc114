/** Importing many modules at once: each default export by its address, or nothing where one cannot be imported. */
import assert from "node:assert/strict";
import { importAll } from "../../../registry/files.ts";
import { withFiles } from "../../e2e/dropped.ts";

Deno.test("every module's default export is found by its address, none where there is none", async () => {
  const files = { "a b.ts": "export default 'a' as string;\n", "c.ts": "export const c = 1;\n" };
  await withFiles(files, async (root) => {
    const urls = Object.keys(files).map((name) => new URL(encodeURIComponent(name), root));
    const found = await importAll(urls);
    assert.deepEqual([...found!], [[urls[0]!.href, "a"], [urls[1]!.href, undefined]]);
    const again = await importAll(urls);
    assert.deepEqual([...again!], [...found!]);
  });
  assert.deepEqual(await importAll([]), new Map());
});

Deno.test("one module that throws, is not there or does not compile leaves none, and the others can be imported", async () => {
  const files = {
    "good.ts": "export default 1;\n",
    "throws.ts": "throw new Error('no');\n",
    "bad.ts": "export {\n",
  };
  await withFiles(files, async (root) => {
    const good = new URL("good.ts", root);
    for (const name of ["throws.ts", "bad.ts", "missing.ts"]) {
      assert.equal(await importAll([good, new URL(name, root)]), null, name);
    }
    assert.deepEqual([...await importAll([good]) ?? []], [[good.href, 1]]);
  });
});
