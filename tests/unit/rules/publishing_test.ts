/** Which arguments would publish. */
import assert from "node:assert/strict";
import { wouldPublish } from "../../../rules/publishing.ts";

const nest = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { a: nest(levels - 1, inner) };

const PUBLISHES: readonly (readonly [unknown, string])[] = [
  [{ status: "publish" }, "status"],
  [{ status: "published" }, "status"],
  [{ draft_status: "PUBLISHED" }, "draft_status"],
  [{ post_status: " Publish " }, "post_status"],
  [{ postStatus: "public" }, "postStatus"],
  [{ "post-status": "live" }, "post-status"],
  [{ poststatus: "publish_now" }, "poststatus"],
  [{ state: "go-live" }, "state"],
  [{ STATUS: "Private" }, "STATUS"],
  [{ status: "ｐｕｂｌｉｓｈ" }, "status"],
  [{ status: ["draft", "publish"] }, "status[1]"],
  [{ status: { value: "publish" } }, "status.value"],
  [{ page: { meta: [{ status: "publish" }] } }, "page.meta[0].status"],
  [{ publish: true }, "publish"],
  [{ published: "true" }, "published"],
  [{ is_published: 1 }, "is_published"],
  [{ parameters: '{"status":"publish"}' }, "parameters.status"],
  [{ parameters: '{"inner":"{\\"post_status\\":\\"publish\\"}"}' }, "parameters.inner.post_status"],
  [[{ status: "publish" }], "[0].status"],
  [nest(60, { status: "publish" }), `${"a.".repeat(60)}status`],
];

Deno.test("a published state is found under every name, spelling and depth", () => {
  for (const [args, field] of PUBLISHES) {
    const found = wouldPublish(args);
    assert.ok(found, JSON.stringify(args));
    assert.equal(found.field, field);
  }
});

Deno.test("what is nested deeper than the limit is not trusted", () => {
  assert.ok(wouldPublish(nest(200, 1)));
  assert.equal(wouldPublish(nest(63, 1)), null);
});

Deno.test("arguments that publish nothing pass", () => {
  for (
    const args of [
      null,
      undefined,
      "publish",
      7,
      {},
      { status: "draft" },
      { status: "scheduled" },
      { status: "future" },
      { status: null },
      { title: "publish" },
      { title: "How to publish", content_html: "status: publish" },
      { tags: ["live", "public"] },
      { publish: false, published: "no" },
      { publish_on_next_site_publish: true },
      { query: '{"status": "publish"' },
      { schema: { "@type": "Event", eventStatus: "live" } },
      { status: "republish" },
    ]
  ) {
    assert.equal(wouldPublish(args), null, JSON.stringify(args));
  }
});
