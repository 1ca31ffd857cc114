/** What it costs to judge a large tree: each name is read once, however often it comes, and alike whatever came before. */
import assert from "node:assert/strict";
import { namedForbidden } from "../../../rules/proxied/named.ts";
import { payloadFault } from "../../../rules/proxied/payload.ts";
import { wouldPublish } from "../../../rules/publishing.ts";

const element = (n: number) => ({
  elType: "widget",
  widgetType: "heading",
  settings: { title: `Title ${n}`, title_color: "#fff", typography: { unit: "px", size: n }, nofollow: "" },
  elements: [],
});

/** How often texts are taken apart or compared in another form meanwhile. */
function takenApart(work: () => void): number {
  const { normalize, split } = String.prototype;
  let count = 0;
  const counting = <Method extends (...given: never[]) => unknown>(method: Method) =>
    function (this: string, ...given: Parameters<Method>) {
      count++;
      return method.apply(this, given);
    };
  Object.assign(String.prototype, { normalize: counting(normalize), split: counting(split) });
  try {
    work();
  } finally {
    Object.assign(String.prototype, { normalize, split });
  }
  return count;
}

Deno.test("the names of a tree of a thousand elements are read once each", () => {
  const args = { post_id: 5, template_json: Array.from({ length: 1000 }, (_, n) => element(n)) };
  for (const judge of [namedForbidden, payloadFault, wouldPublish]) {
    const count = takenApart(() => assert.equal(judge(args), null));
    assert.ok(count < 100, `${judge.name} takes texts apart ${count} times`);
  }
});

Deno.test("names are judged alike, however many others came before", () => {
  const others = Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`name_of_${n}`, "draft"]));
  const judged = () =>
    [{ postStatus: "publish" }, { publish_now: true }, { delete_all: true }, {
      [`${"x".repeat(300)}_status`]: "live",
    }]
      .map((one) => [payloadFault(one)?.field, wouldPublish(one)?.field]);
  const before = judged();
  assert.deepEqual([payloadFault(others), wouldPublish(others), namedForbidden(others)], [null, null, null]);
  assert.deepEqual(judged(), before);
  assert.deepEqual(before.map(([field]) => field !== undefined), [true, true, true, true]);
});
