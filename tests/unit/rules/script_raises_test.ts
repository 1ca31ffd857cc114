/** Script in long texts: judged once, and told each time. */
import assert from "node:assert/strict";
import { scriptRaises } from "../../../rules/code_pages/script_raises.ts";
import { StepsTaken } from "../../steps_taken.ts";

const text = (mark: string) => `<p>${mark}</p>${"<p>Bicycles <b>of</b> every kind.</p>".repeat(5000)}`;

Deno.test("a long text is judged once, whatever its field is called, and each text by itself", async () => {
  using steps = await StepsTaken.started();
  const because = "html holds a script element: script that runs here";
  const said = async (html: string) => (await scriptRaises({ html }, "here"))[0]?.because;
  const harmful = (mark: string) => `${text(mark)}<script>x()</script>`;
  /** The steps of judging a text that is new so many times, which says the same each time. */
  const taken = async (mark: string, times: number) => {
    const all: unknown[] = [];
    const count = await steps.of([async () => {
      for (let time = 0; time < times; time++) all.push(await said(harmful(mark)));
    }]);
    assert.deepEqual(all, Array(times).fill(because));
    return count;
  };
  await taken("first", 1); // the parser is loaded
  const [once, often] = [await taken("once", 1), await taken("often", 4)];
  assert.ok(often < 3 * once, `${once} steps once, ${often} four times: by no parser any more`);
  await said(harmful("other"));
  assert.deepEqual(
    (await scriptRaises({ other: harmful("other") }, "there")).map(({ because }) => because),
    ["other holds a script element: script that runs there"],
  );
  assert.equal(await said(text("other")), undefined);
  const part = `${"plain ".repeat(5000)}" onerror="x()`;
  assert.notDeepEqual(
    await scriptRaises({ a: part }, "here"),
    await scriptRaises({ a: part }, "here", ["a"]),
  );
});
