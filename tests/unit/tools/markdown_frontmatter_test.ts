/** Frontmatter read, and changed in place: what is not the changed key keeps every byte. */
import assert from "node:assert/strict";
import { Document } from "yaml";
import { GatewayError } from "../../../core/errors.ts";
import { readDocument, required, withDeployment, withKey } from "../../../tools/markdown/_frontmatter.ts";
import { textOf } from "../../../platforms/astro/block.ts";

function refused(work: () => unknown, code: string, says: RegExp): void {
  assert.throws(work, (thrown) => {
    assert.ok(thrown instanceof GatewayError, String(thrown));
    assert.equal(thrown.code, code);
    assert.match(thrown.message, says);
    assert.doesNotMatch(thrown.message, /\.$|\n/);
    return true;
  });
}

const READ: readonly [string, string, Record<string, unknown>, string][] = [
  ["plain", "---\ntitle: A\nslug: a\n---\nBody\n", { title: "A", slug: "a" }, "Body\n"],
  ["CRLF", "---\r\ntitle: A\r\n---\r\nBody\r\n", { title: "A" }, "Body\r\n"],
  ["a byte order mark", "\ufeff---\ntitle: A\n---\nBody", { title: "A" }, "Body"],
  ["no keys", "---\n---\nBody", {}, "Body"],
  ["comments alone", "---\n# none yet\n---\n", {}, ""],
  ["nothing after it", "---\ntitle: A\n---", { title: "A" }, ""],
  ["blanks after the dashes", "--- \ntitle: A\n---\t\nBody", { title: "A" }, "Body"],
  ["dashes in the body", "---\ntitle: A\n---\na\n---\nb\n", { title: "A" }, "a\n---\nb\n"],
  ["dashes in a value", "---\ntitle: a---b\n---\n", { title: "a---b" }, ""],
  ["a date is a text", "---\ndate: 2026-01-02\n---\n", { date: "2026-01-02" }, ""],
  ["values of every kind", "---\nn: 1.5\nb: true\nz: ~\nl: [a, 1]\nm: {k: v}\n---\n", {
    n: 1.5,
    b: true,
    z: null,
    l: ["a", 1],
    m: { k: "v" },
  }, ""],
  ["an alias", "---\na: &x [1]\nb: *x\n---\n", { a: [1], b: [1] }, ""],
  ["emoji and quotes", '---\ntitle: "\u{1f600} \\"x\\" $&"\n---\n', { title: '\u{1f600} "x" $&' }, ""],
];

for (const [name, text, frontmatter, body] of READ) {
  Deno.test(`reads frontmatter: ${name}`, () => {
    const found = readDocument(text, "path");
    assert.deepEqual({ ...found.frontmatter }, frontmatter);
    assert.equal(found.body, body);
  });
}

const deep = (opening: string) => `---\n${opening.repeat(30_000 / opening.length)}\n---\n`;
const UNREADABLE: readonly [string, string, RegExp][] = [
  ["nothing", "", /does not start with a frontmatter block/],
  ["no block", "# Title\n", /does not start with a frontmatter block/],
  ["a blank line first", "\n---\ntitle: A\n---\n", /does not start/],
  ["four dashes", "----\ntitle: A\n----\n", /does not start/],
  ["not closed", "---\ntitle: A\n", /is not closed/],
  ["closed with more", "---\ntitle: A\n---x\n", /is not closed/],
  ["a list", "---\n- a\n---\n", /holds no keys/],
  ["a word", "---\ntitle\n---\n", /holds no keys/],
  ["broken YAML", "---\ntitle: [a\n---\n", /no YAML that can be read/],
  ["a key twice", "---\na: 1\na: 2\n---\n", /no YAML that can be read \(Map keys must be unique/],
  ["a tab for a blank", "---\na:\n\tb: 1\n---\n", /no YAML/],
  ["an unknown tag", "---\na: !secret x\n---\n", /no YAML/],
  ["an alias of nothing", "---\na: *x\n---\n", /cannot be written as JSON/],
  [
    "aliases that multiply",
    `---\na: &a [x,x,x,x,x,x]\n${
      [..."bcdef"].map((key, at) => `${key}: &${key} [${Array(9).fill(`*${"abcdef"[at]}`)}]`).join("\n")
    }\n---\n`,
    /cannot be written as JSON/,
  ],
  ["too long", `---\n${"a: b\n".repeat(14_000)}---\n`, /more than 65536 characters/],
  ["brackets in brackets", deep("["), /no YAML|holds no keys/],
  ["lists in lists", deep("- "), /no YAML|holds no keys/],
];

for (const [name, text, says] of UNREADABLE) {
  Deno.test(`refuses frontmatter: ${name}`, () => {
    refused(() => readDocument(text, "content"), "E_MISSING_FRONTMATTER", says);
    refused(() => readDocument(text, "content"), "E_MISSING_FRONTMATTER", /^content: /);
  });
}

Deno.test("bytes that are no UTF-8 have no frontmatter", () => {
  refused(() => textOf(new Uint8Array([45, 45, 45, 10, 255]), "path"), "E_MISSING_FRONTMATTER", /not UTF-8/);
  assert.equal(textOf(new TextEncoder().encode("\ufeffä"), "path"), "\ufeffä");
});

Deno.test("a required key is a text with something in it", () => {
  assert.equal(required({ title: " A " }, "title", "content"), " A ");
  const missing = /^content: .* title; give it/;
  const noText = /^content: title .* is not a text; .* in quotes/;
  for (const value of [undefined, null, "", " ", 7, ["a"], true]) {
    const says = typeof value === "number" || typeof value === "boolean" || Array.isArray(value)
      ? noText
      : missing;
    refused(() => required({ title: value }, "title", "content"), "E_BAD_INPUT", says);
  }
});

const NOTED = [
  "# kept",
  'title:   "A: b"   # why',
  "slug: a",
  "status: draft # for now",
  "tags: [ x,y ]",
  "list:",
  "- a",
  "-   b",
  "",
];
const noted = (newline: string) =>
  `---${newline}${NOTED.join(newline)}---${newline}Body${newline}---${newline}`;

for (const [name, newline] of [["LF", "\n"], ["CRLF", "\r\n"]] as const) {
  Deno.test(`a status is changed in its one line: ${name}`, () => {
    const before = noted(newline);
    const after = withKey(before, "status", "published", "path");
    assert.equal(after, before.replace("status: draft #", "status: published #"));
  });
}

const CHANGED: readonly [string, string, string, string][] = [
  ["no status", "title: A\n", "live", "title: A\nstatus: live\n"],
  ["an empty status", "status:\ntitle: A\n", "live", "status: live\ntitle: A\n"],
  ["an empty status with a comment", "status: # none\ntitle: A\n", "live", "status: live # none\ntitle: A\n"],
  ["a quoted status", "status: 'draft'\n", "live", "status: live\n"],
  ["a status that is another type", "status: true\n", "live", "status: live\n"],
  ["a word that YAML reads as something else", "status: x\n", "true", 'status: "true"\n'],
  ["a word with a colon", "status: x\n", "a: b", 'status: "a: b"\n'],
  ["a word with $&", "status: x\n", "$& $1", "status: $& $1\n"],
  ["a key in quotes", '"status": x\n', "live", '"status": live\n'],
  ["a status further in", "a:\n  status: x\nb: 1\n", "live", "a:\n  status: x\nb: 1\nstatus: live\n"],
  ["keys in braces", "{title: A, status: x}\n", "live", "{title: A, status: live}\n"],
  ["keys in braces without it", "{title: A}\n", "live", "{title: A, status: live}\n"],
  ["keys in braces that end with a comma", "{title: A, }\n", "live", "{title: A,  status: live}\n"],
  ["no keys in braces", "{}\n", "live", "{status: live}\n"],
  ["a key in braces without a value", "{status, title: A}\n", "live", "{status: live, title: A}\n"],
  ["a key in braces with a colon alone", "{status: , title: A}\n", "live", "{status: live , title: A}\n"],
  ["a word with a comma, in braces", "{status: x}\n", "a, b", '{status: "a, b"}\n'],
  ["a folded status", "status: >\n  a\n  b\ntitle: A\n", "live", "status: live\ntitle: A\n"],
  [
    "a folded status beside a folded title",
    "title: >\n  A long\n  title,  as\n\n  it was typed\nstatus: >- # why\n  a\n  b\n\nslug: 'x'\n",
    "live",
    "title: >\n  A long\n  title,  as\n\n  it was typed\nstatus: live # why\n\nslug: 'x'\n",
  ],
  ["a status over two lines", "status: in\n  review # x\ntitle: A\n", "live", "status: live # x\ntitle: A\n"],
  ["a block that ends with its document", "title: A\n...\n", "live", "title: A\nstatus: live\n...\n"],
  ["an empty block", "", "live", "status: live\n"],
  ["one that repeats another", "also: &s x\nstatus: *s\n", "live", "also: &s x\nstatus: live\n"],
  ["one that has a name", "status: &s x\ntitle: A\n", "live", "status: &s live\ntitle: A\n"],
];

for (const [name, block, status, wanted] of CHANGED) {
  Deno.test(`a status is set: ${name}`, () => {
    const after = withKey(`---\n${block}---\nBody\n`, "status", status, "path");
    assert.equal(after, `---\n${wanted}---\nBody\n`);
    const { status: before, ...rest } = readDocument(`---\n${block}---\n`, "path").frontmatter;
    assert.notEqual(before, status);
    assert.deepEqual({ ...readDocument(after, "path").frontmatter }, { ...rest, status });
  });
}

const ENTRY = {
  site_id: "acme",
  type: "post",
  id: 7,
  url: "https://a.example/?p=7",
  deployed_at: "2026-01-01T00:00:00Z",
};
const LINES = [
  "site_id: acme",
  "type: post",
  "id: 7",
  "url: https://a.example/?p=7",
  "deployed_at: 2026-01-01T00:00:00Z",
];
const item = (indent: string) => `${indent}- ${LINES.join(`\n${indent}  `)}\n`;
const DEPLOYED: readonly [string, string, string][] = [
  ["none yet", "title: A # a\n", `title: A # a\ndeployments:\n${item("  ")}`],
  [
    "after others, comments kept",
    "deployments:\n  - id: 1 # one\n    url: x\n# end\ntitle: A\n",
    `deployments:\n  - id: 1 # one\n    url: x\n${item("  ")}# end\ntitle: A\n`,
  ],
  ["at the margin", "deployments:\n- id: 1\n", `deployments:\n- id: 1\n${item("")}`],
  ["an empty list", "deployments: []\ntitle: A\n", `deployments:\n${item("  ")}title: A\n`],
  ["nothing as the list", "deployments:\ntitle: A\n", `deployments:\n${item("  ")}title: A\n`],
];

for (const [name, block, wanted] of DEPLOYED) {
  Deno.test(`a deployment is written down: ${name}`, () => {
    assert.equal(withDeployment(`---\n${block}---\nB`, ENTRY, "path"), `---\n${wanted}---\nB`);
    const windows = `---\n${block}---\nB`.replaceAll("\n", "\r\n");
    assert.equal(withDeployment(windows, ENTRY, "path"), `---\n${wanted}---\nB`.replaceAll("\n", "\r\n"));
  });
}

Deno.test("a list in brackets takes a deployment, and what is no list refuses one", () => {
  const after = withDeployment("---\ndeployments: [{id: 1}]\n---\n", ENTRY, "path");
  assert.deepEqual(readDocument(after, "path").frontmatter["deployments"], [{ id: 1 }, ENTRY]);
  for (const value of ["x", "{a: 1}", "7"]) {
    refused(
      () => withDeployment(`---\ndeployments: ${value}\n---\n`, ENTRY, "path"),
      "E_BAD_INPUT",
      /no list/,
    );
  }
});

Deno.test("a change that would touch another key is refused, and what is in the way stays as it is", () => {
  const says = /cannot be changed without touching the rest of it; change it by hand/;
  for (const block of ["status: &s x\nalso: *s\n", "status: !!int 7\n", "? status\n: x\n? a\n: b\n...\n"]) {
    const text = `---\n${block}---\n`;
    if (block.startsWith("?")) assert.match(withKey(text, "status", "live", "path"), /: live\n/);
    else refused(() => withKey(text, "status", "live", "path"), "E_MISSING_FRONTMATTER", says);
  }
  const listed = "---\na: &d [x]\ndeployments: *d\n---\n";
  refused(() => withDeployment(listed, ENTRY, "path"), "E_MISSING_FRONTMATTER", says);
});

Deno.test("a change is read a fixed number of times, however many keys there are", () => {
  const { toJS } = Document.prototype;
  let reads = 0;
  Document.prototype.toJS = function (...options) {
    reads++;
    return toJS.apply(this, options);
  };
  try {
    const keys = Array.from({ length: 300 }, (_, at) => `k${at}: v`);
    const done = withKey(`---\n{${keys.join(", ")}}\n---\n`, "status", "draft", "path");
    assert.equal(Object.keys(readDocument(done, "path").frontmatter).length, 301);
  } finally {
    Document.prototype.toJS = toJS;
  }
  assert.ok(reads < 10, `${reads} times`);
});
