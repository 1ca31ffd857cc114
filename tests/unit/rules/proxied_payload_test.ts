/** What a write of another's tool may set: drafts at most, at any depth, however it is written. */
import assert from "node:assert/strict";
import { assertUnpublished, payloadFault } from "../../../rules/proxied/payload.ts";

const PUBLISHING: unknown[] = ["publish", "published", "PUBLISHED", " publish ", "future", "private", "live"];
const OTHER: unknown[] = ["trash", "inherit", "auto-draft", "", "x", 1, 0, true, false, "drаft"];

/** Puts a value under ever more around it: objects, lists, texts that are JSON. */
const around: ((inner: object) => Record<string, unknown>)[] = [
  (inner) => ({ ...inner }),
  (inner) => ({ settings: inner }),
  (inner) => ({ operations: [{ settings: inner }] }),
  (inner) => ({ settings: JSON.stringify(inner) }),
  (inner) => ({ operations: JSON.stringify([{ settings: JSON.stringify(inner) }]) }),
  (inner) => ({ settings: JSON.stringify(inner).replaceAll('"', '\\"') }),
  (inner) => ({ a: { b: { c: [[{ d: inner }]] } } }),
];

Deno.test("a status that is neither draft nor pending is found under any name, at any depth", () => {
  for (const name of ["status", "post_status", "draft_status", "postStatus", "STATUS", "new-status"]) {
    for (const value of [...PUBLISHING, ...OTHER]) {
      for (const put of around) {
        const args = put({ [name]: value });
        assert.notEqual(payloadFault(args), null, JSON.stringify(args));
      }
    }
  }
});

Deno.test("a status of a list or of a typed value is judged by what it holds", () => {
  for (
    const status of [["publish"], { raw: "publish" }, { "$$type": "string", value: "future" }, [["live"]]]
  ) assert.notEqual(payloadFault({ settings: { status } }), null, JSON.stringify(status));
  assert.equal(payloadFault({ status: { "$$type": "string", value: "draft" } }), null);
});

Deno.test("draft and pending pass, and so does what is no status of content", () => {
  for (const status of ["draft", "pending", "Draft", "DRAFT", null]) {
    for (const put of around) assert.equal(payloadFault(put({ status })), null, JSON.stringify(status));
  }
  for (
    const args of [
      { comment_status: "open", ping_status: "closed" },
      { settings: { state: "hover", title: "The status is published", drop_cap: "yes" } },
      { address: { state: "CA" }, editor: "<p>status: publish</p>" },
      { publish: false, delete: false, trash: "no", published: "", erase: [], is_published: 0 },
      { settings: { delete_speed: 50, trash_label: "In the bin", force_delete: false } },
      { template_json: '[{"settings":{"title":"x"}}]' },
    ]
  ) assert.equal(payloadFault(args), null, JSON.stringify(args));
});

Deno.test("a yes to publishing or destroying is found", () => {
  for (
    const args of [
      { publish: true },
      { settings: { is_published: "yes" } },
      { force_delete: true },
      { delete: 1 },
      { x: [{ trash: "true" }] },
      { settings: '{"publish_now":1}' },
      { publish: "y" },
      { publish: 2 },
      { publish: "now" },
      { settings: { auto_publish: ["blog"] } },
      { operations: [{ delete: "el1" }] },
      { delete: [5] },
      { trash: { post: 5 } },
      { delete_ids: ["el1"] },
      { settings: '{"published":"2026-01-01"}' },
    ]
  ) assert.notEqual(payloadFault(args), null, JSON.stringify(args));
});

Deno.test("a text that means to be JSON and is none is refused where it could set a status", () => {
  assert.notEqual(payloadFault({ settings: '{"post_status":"publish",}' }), null);
  assert.notEqual(payloadFault({ settings: "{post_status:'future'}" }), null);
  assert.notEqual(payloadFault({ settings: "{publish_now: 1}" }), null);
  assert.notEqual(payloadFault({ settings: "{}\n{post_status: 'publish'}" }), null);
  assert.notEqual(payloadFault({ settings: '{"a":1}\n{"post_status":"publish"}' }), null);
  const slashed = JSON.stringify({ a: JSON.stringify({ status: "future" }) });
  assert.notEqual(payloadFault({ settings: slashed.replaceAll('"', '\\"') }), null);
  assert.equal(payloadFault({ html: "[gallery ids=1,2]" }), null);
  assert.equal(payloadFault({ settings: '{"post_status":"draft",}' }), null);
});

Deno.test("a status that is named in one place and set in another is found", () => {
  for (
    const inner of [
      { name: "post_status", value: "publish" },
      { key: "post_status", value: "future" },
      { meta_key: "status", meta_value: "live" },
      { Name: "Status", Value: 1 },
      { field: "status", to: ["publish"] },
      { name: "post_status", value: { raw: "publish" } },
      { op: "replace", path: "/post_status", value: "publish" },
      { path: "/", value: { status: "publish" } },
      { name: "is_published", value: "yes" },
      { name: "field_7", key: " post_status ", value: "future" },
      { fields: [["title", "x"], ["post_status", "publish"]] },
    ]
  ) {
    for (const put of around) assert.notEqual(payloadFault(put(inner)), null, JSON.stringify(put(inner)));
  }
  for (
    const args of [
      { fields: [{ name: "post_status", value: "draft" }, { name: "title", value: "Publish" }] },
      { fields: [["post_status", "draft"], ["title", "publish"]] },
      { name: "The status", content: "<p>published</p>" },
      { tags: ["publish", "status"] },
      { selected_icon: { value: "fas fa-trash", library: "fa-solid" } },
    ]
  ) assert.equal(payloadFault(args), null, JSON.stringify(args));
});

Deno.test("a published word is found under whatever name has a status in it", () => {
  for (const name of ["status_to", "new_status_value", "post.post_status.value", "statusAfter"]) {
    assert.notEqual(payloadFault({ settings: { [name]: "publish" } }), null, name);
    assert.equal(payloadFault({ settings: { [name]: "draft" } }), null, name);
  }
  assert.equal(payloadFault({ insurance_status_type: "private" }, true), null);
  assert.equal(payloadFault({ status_label: "Opening hours" }), null);
});

Deno.test("a status is found in a text that is JSON twice over, and in one that is a query", () => {
  const once = JSON.stringify({ post_status: "publish" });
  assert.notEqual(payloadFault({ settings: JSON.stringify(once) }), null);
  assert.notEqual(payloadFault({ settings: JSON.stringify(JSON.stringify(once)) }), null);
  for (const query of ["post_status=publish", "title=x&post_status=future", "post%5Bstatus%5D=publish"]) {
    assert.notEqual(payloadFault({ args: query }), null, query);
  }
  for (
    const text of [
      '"Quoted", she said: {status: open}"',
      "title=x&post_status=draft",
      "https://example.com/?status=publish",
      "status = publish",
      "a=b",
      `${"x".repeat(1_000_000)}=`,
    ]
  ) assert.equal(payloadFault({ text }), null, text.slice(0, 50));
});

Deno.test("what is too deep or too much to be judged is refused, in bounded time", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
  assert.throws(() => payloadFault({ settings: JSON.stringify(deep) }), /nested deeper than 64 levels/);
  const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, n]));
  assert.throws(() => payloadFault({ settings: wide }), /more than 25000 values/);
});

Deno.test("a long text that means to be JSON and is none is judged in no time, whatever it repeats", () => {
  const began = performance.now();
  for (
    const part of [
      "publish",
      "status ",
      "publish=",
      "publish_status::",
      `status${":".repeat(300)}`,
      `publish${" =".repeat(150)}`,
    ]
  ) {
    payloadFault({ settings: `[${part.repeat(1_000_000 / part.length)}` });
  }
  assert.ok(performance.now() - began < 2000);
});

Deno.test("of records whose states are not content's, a status is judged by words that publish alone", () => {
  for (const status of ["won", "open", "delivered", 3]) {
    assert.equal(payloadFault({ status }, true), null);
    assert.notEqual(payloadFault({ status }), null);
  }
  assert.notEqual(payloadFault({ status: "published" }, true), null);
});

Deno.test("a post is a draft, or scheduled at least a minute ahead", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const fields = { status: "status", moment: "scheduleDate" };
  const judge = (args: Record<string, unknown>) => assertUnpublished(args, fields, now);
  judge({ status: "draft" });
  judge({ status: "DRAFT", scheduleDate: "2020-01-01T00:00:00Z" });
  judge({ status: "SCHEDULED", scheduleDate: "2026-11-22T12:01:00Z" });
  for (
    const args of [
      {},
      { status: null },
      { status: "published" },
      { status: "in_review" },
      { status: ["draft"] },
      { status: "scheduled" },
      { status: "scheduled", scheduleDate: "2026-11-22T12:00:59Z" },
      { status: "scheduled", scheduleDate: "2026-11-21T12:00:00Z" },
      { status: "scheduled", scheduleDate: 1800000000000 },
    ]
  ) {
    assert.throws(() => judge(args), (error: Error & { code: string }) => error.code === "E_FORBIDDEN_OP");
  }
  assert.throws(() => judge({ status: "scheduled", scheduleDate: "soon" }), /expected a date and time/);
});
