/** The values that are shown of arguments of sites' own tools. */
import assert from "node:assert/strict";
import { withoutPublishing, withValues } from "../../../rules/proxied/values.ts";

Deno.test("of a write no value is shown that would publish, or set a status to more than a draft", () => {
  const schema = (status: object, more = {}) => ({ type: "object", properties: { status }, ...more });
  const left = (status: object) => withoutPublishing(schema(status));
  assert.deepEqual(left({ enum: ["draft", "publish"], default: "publish" }), schema({ enum: ["draft"] }));
  const blog = { type: "string", enum: ["DRAFT", "PUBLISHED", "SCHEDULED", "ARCHIVED"], default: "DRAFT" };
  assert.deepEqual(left(blog), schema({ type: "string", enum: ["DRAFT"], default: "DRAFT" }));
  assert.deepEqual(
    left({ enum: ["draft", "pending", "future", "private"] }),
    schema({ enum: ["draft", "pending"] }),
  );
  for (const status of [{ enum: ["publish"] }, { enum: ["open", "won"] }, {}]) {
    assert.deepEqual(left(status), schema(status));
  }
  assert.deepEqual(withoutPublishing({ type: "object" }), { type: "object" });
  const records = { enum: ["open", "won", "lost"] };
  assert.deepEqual(withoutPublishing(schema(records), true), schema(records));
  assert.deepEqual(
    withoutPublishing(schema({ enum: ["open", "published"] }), true),
    schema({ enum: ["open"] }),
  );
});

Deno.test("values are looked for wherever a schema has them", () => {
  const status = { enum: ["draft", "publish"] };
  const nested = {
    type: "object",
    properties: {
      page: { type: "object", properties: { status } },
      pages: { type: "array", items: { type: "object", properties: { status } } },
      either: { anyOf: [{ type: "object", properties: { status } }, { type: "null" }] },
      post_status: { oneOf: [status, { type: "null" }] },
      kind: { enum: ["draft", "publish"] },
    },
  };
  const text = JSON.stringify(withoutPublishing(nested));
  assert.equal(text.split('"publish"').length, 2, "only where it is no status");
  assert.equal(text.split('{"enum":["draft"]}').length, 5);
});

Deno.test("an argument that is a text is shown as one, with the values that are accepted", () => {
  const properties = {
    status: { type: "object", description: "Ours" },
    type: { type: "object" },
    id: { type: "string" },
  };
  assert.deepEqual(
    withValues({ type: "object", properties }, { status: ["draft"], type: [], other: ["x"] }),
    {
      type: "object",
      properties: {
        status: { type: "string", enum: ["draft"], description: "Ours" },
        type: { type: "string" },
        id: { type: "string" },
      },
    },
  );
});
