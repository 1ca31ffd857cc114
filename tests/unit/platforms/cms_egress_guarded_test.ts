/** What the egress policy lets pass of guarded writes: what it lets pass past the plugin, and hashes beside it. */
import assert from "node:assert/strict";
import wordpress from "../../../platforms/wordpress/connector.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/request.ts";
import { judge } from "./_judged.ts";
import { site } from "./_site.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const GRANT = {} as PublishGrant;
const ROUTE = "https://acme.example/wp-json/site-ops/v1/guarded";
const HASH = "a".repeat(64);

function look(out: Partial<Outgoing>, genuine = true): string {
  const headers = { authorization: "Basic x" };
  try {
    const whole = { method: "GET", effect: "read", url: `${ROUTE}/posts/7`, headers, ...out } as const;
    judge(wordpress, site({}), whole, { granted: () => genuine, now: NOW });
    return "passes";
  } catch (thrown) {
    assert.equal((thrown as { code: string }).code, "E_FORBIDDEN_OP");
    return (thrown as Error).message;
  }
}

const send = (json: unknown, more: Partial<Outgoing> = {}): Partial<Outgoing> => ({
  method: "POST",
  effect: "write",
  url: `${ROUTE}/posts/7`,
  json,
  ...more,
});
const write = (fields: unknown, more: object = {}, out: Partial<Outgoing> = {}) =>
  send({ expected: { title: HASH }, fields, ...more }, out);
const onPage = { url: `${ROUTE}/pages/7` };
const granted = { grant: GRANT };
const marked = { allow_publish: true };
const LATER = "2026-11-21T13:00:00Z";

const PASSES: Record<string, Partial<Outgoing>> = {
  "a read of a post": {},
  "a read of a page": onPage,
  "fields of a post": write({ title: "x", content: "y", tags: [1], author: 2 }),
  "fields of a page": write({ title: "x", parent: 3, template: "wide" }, {}, onPage),
  "a schedule": write({ status: "future", date_gmt: LATER }),
  "a draft without its date": write({ status: "draft", date: null }),
  "a publication under a grant, marked": write({ status: "publish" }, marked, granted),
};
const REFUSED: Record<string, Partial<Outgoing>> = {
  "a publication without a grant": write({ status: "publish" }, marked),
  "a publication that is not marked": write({ status: "publish" }, {}, granted),
  "a mark on something else": write({ title: "x" }, marked, granted),
  "a mark on a schedule": write({ status: "future", date_gmt: LATER }, marked, granted),
  "a mark that is no yes": write({ status: "publish" }, { allow_publish: 1 }, granted),
  "a publication with other fields": write({ status: "publish", title: "x" }, marked, granted),
  "a state in capitals": write({ status: "PUBLISH" }, marked, granted),
  "a private state": write({ status: "private" }),
  "a state without a value": write({ status: undefined }),
  "a schedule too close": write({ status: "future", date_gmt: "2026-11-21T12:00:59Z" }),
  "a schedule without a date": write({ status: "future" }),
  "a date alone": write({ date_gmt: LATER }),
  "meta": write({ meta: { x: 1 } }),
  "a password": write({ password: "x" }),
  "a page's field on a post": write({ parent: 3 }),
  "a post's field on a page": write({ tags: [1] }, {}, onPage),
  "no fields": write({}),
  "fields that are a list": write([]),
  "nothing expected": send({ expected: {}, fields: { title: "x" } }),
  "an expectation that is no hash": send({ expected: { title: "x" }, fields: { title: "x" } }),
  "fields outside": send({ expected: { title: HASH }, fields: { title: "x" }, status: "publish" }, granted),
  "another id in the body": write({ title: "x" }, { id: 9 }),
  "a name in the query": write({ title: "x" }, {}, { url: `${ROUTE}/posts/7?status=publish` }),
  "another kind": { url: `${ROUTE}/media/7` },
  "an id that is none": { url: `${ROUTE}/posts/07` },
  "a PUT": write({ title: "x" }, {}, { method: "PUT" }),
};

for (const [name, out] of Object.entries(PASSES)) {
  Deno.test(`a guarded request passes: ${name}`, () => assert.equal(look(out), "passes"));
}
for (const [name, out] of Object.entries(REFUSED)) {
  Deno.test(`a guarded request is never sent: ${name}`, () => assert.notEqual(look(out), "passes"));
}
Deno.test("a grant that nobody made publishes nothing through the plugin either", () => {
  assert.match(look(write({ status: "publish" }, marked, granted), false), /not genuine/);
});
