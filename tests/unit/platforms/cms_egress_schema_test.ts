/** The last look at what custom schema sends: entries read, a value with its type written, and nothing beside. */
import assert from "node:assert/strict";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import wordpress from "../../../platforms/wordpress/connector.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const ROOT = "https://acme.example/wp-json/site-ops/v1/schema";
const leave = { ...site({}).flags, allow_seo_on_published: true };

function look(out: Partial<Outgoing>, flags = site({}).flags): string {
  const headers = { authorization: "Basic x" };
  return verdict(wordpress, site({ flags }), { method: "GET", effect: "read", url: ROOT, headers, ...out });
}

const read = (path: string): Partial<Outgoing> => ({ url: `${ROOT}${path}` });
const write = (json: unknown, path = "/entries/7"): Partial<Outgoing> => ({
  ...read(path),
  method: "POST",
  effect: "write",
  json,
});
const text = { value: "{}", expect_value_type: "string" };
const array = { value: { a: 1 }, expect_value_type: "array" };

Deno.test("entries are read and a value is written with the type it is to have", () => {
  const passes = [
    read("/entries"),
    read("/entries?needle=%22a%26b&page=1&per_page=100"),
    read("/entries/7"),
    { url: "https://acme.example/?rest_route=/site-ops/v1/schema/entries/7" },
    write(text),
    write(array),
    write({ ...array, value: [1] }),
  ];
  for (const out of passes) assert.equal(look(out), "passes", out.url);
  assert.equal(look(write({ ...array, allow_published: true }), leave), "passes");
});

Deno.test("nothing else is sent, and the schema of a published page only with the site's leave", () => {
  const refused: Record<string, Partial<Outgoing>> = {
    "a published page without leave": write({ ...array, allow_published: true }),
    "no leave at all": write({ ...array, allow_published: false }),
    "another type": write({ ...text, expect_value_type: "array" }),
    "a list as a text": write({ ...array, expect_value_type: "string" }),
    "no type": write({ value: "{}" }),
    "no value": write({ expect_value_type: "string" }),
    "nothing for a value": write({ value: null, expect_value_type: "array" }),
    "a number": write({ value: 1, expect_value_type: "string" }),
    "targets": write({ ...text, targets: {} }),
    "a state": write({ ...text, status: "publish" }),
    "meta": write({ ...text, meta: {} }),
    "a list for a body": write([text]),
    "a query": write(text, "/entries/7?force=true"),
    "a new entry": write(text, "/entries"),
    "a name": write(text, "/entries/x"),
    "an entry below another": read("/entries/7/8"),
    "another route": read("/settings"),
    "another query": read("/entries?value=x"),
    "two needles": read("/entries?needle=a&needle=b"),
    "a method in its query": read("/entries/7?_method=DELETE"),
    "a deletion": { ...read("/entries/7"), method: "DELETE", effect: "write" },
    "a replacement": { ...write(text), method: "PUT" },
    "another host": { url: "https://evil.example/wp-json/site-ops/v1/schema/entries" },
  };
  for (const [what, out] of Object.entries(refused)) assert.match(look(out), /was not sent: /, what);
  for (const allow_published of [false, "true", 1, null]) {
    assert.match(look(write({ ...array, allow_published }), leave), /only with the site's leave$/);
  }
});
