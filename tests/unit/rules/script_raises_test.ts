/** Script in long texts: judged once, and told each time. */
import assert from "node:assert/strict";
import { scriptRaises } from "../../../rules/code_pages/script_raises.ts";

const text = (mark: string) => `<p>${mark}</p>${"<p>Bicycles <b>of</b> every kind.</p>".repeat(5000)}`;

Deno.test("a long text is judged once, whatever its field is called, and each text by itself", async () => {
  await scriptRaises({ html: text("first") }, "here");
  const timed = async (html: string) => {
    const begun = performance.now();
    const [raise] = await scriptRaises({ html }, "here");
    return { ms: performance.now() - begun, because: raise?.because };
  };
  const harmful = `${text("other")}<script>x()</script>`;
  const first = await timed(harmful);
  const again = [await timed(harmful), await timed(harmful), await timed(harmful)];
  const said = "html holds a script element: script that runs here";
  assert.deepEqual([first, ...again].map(({ because }) => because), [said, said, said, said]);
  assert.ok(Math.min(...again.map(({ ms }) => ms)) * 4 < first.ms, "by no parser any more");
  assert.deepEqual(
    (await scriptRaises({ other: harmful }, "there")).map(({ because }) => because),
    ["other holds a script element: script that runs there"],
  );
  assert.equal((await timed(text("other"))).because, undefined);
  const part = `${"plain ".repeat(5000)}" onerror="x()`;
  assert.notDeepEqual(
    await scriptRaises({ a: part }, "here"),
    await scriptRaises({ a: part }, "here", ["a"]),
  );
});
