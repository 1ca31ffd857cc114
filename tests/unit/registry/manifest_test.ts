/** What a manifest may say, a fault each for what it may not. */
import assert from "node:assert/strict";
import { CONNECTORS } from "../../connectors.ts";
import { definition, readManifest } from "../../../registry/manifest.ts";
import { words } from "../../words.ts";

const GOOD = {
  name: "do_it",
  title: "Do it",
  description: "Does it.",
  tier: "T1",
  input: { required: ["post_id"], properties: { post_id: { $ref: "id", description: "Which" } } },
};

function faultsOf(change: Record<string, unknown>): string[] {
  const outcome = readManifest({ ...GOOD, ...change }, CONNECTORS);
  return "faults" in outcome ? outcome.faults : [];
}

const TABLE: [string, Record<string, unknown>, RegExp][] = [
  ["an unknown field", { surprise: 1 }, /surprise/],
  ["a name with capitals", { name: "DoIt" }, /^name: /],
  ["no description", { description: "" }, /^description: /],
  ["an unknown tier", { tier: "T9" }, /^tier: /],
  ["an unknown platform", { platforms: ["blog"] }, /^platforms/],
  ["an unknown flag", { flags: [{ flag: "allow_all" }] }, /^flags/],
  ["an unknown link", { links: ["moon"] }, /^links/],
  ["an unknown code", { errors: ["E_OOPS"] }, /^errors/],
  [
    "a hand-written site_id",
    { input: { properties: { site_id: { type: "string", description: "a" } } } },
    /site_id/,
  ],
  [
    "a hand-written confirm",
    { input: { properties: { confirm: { type: "boolean", description: "a" } } } },
    /confirm/,
  ],
  ["required naming nothing", { input: { required: ["nothing"], properties: {} } }, /nothing/],
  ["when naming nothing", { raise: [{ when: { nothing: true }, tier: "T3" }] }, /when names "nothing"/],
  ["only naming nothing", { only: { nothing: ["cms"] } }, /only names "nothing"/],
  ["texts naming nothing", { texts: ["nothing"] }, /texts names "nothing", which is not a property/],
  ["texts naming an id", { texts: ["post_id"] }, /texts names "post_id", which is no text/],
  ["file_text naming nothing", { file_text: ["nothing"], links: ["repo"] }, /file_text names "nothing"/],
  [
    "file_text of a tool without a repository",
    { file_text: ["post_id"] },
    /file_text is for tools that write/,
  ],
  ["rules naming nothing", { rules: [{ one_of: ["nothing", "post_id"] }] }, /rules names "nothing"/],
  ["T2 without a flag", { tier: "T2" }, /needs a flag/],
  ["T2 with a blank no_flag", { tier: "T2", no_flag: "" }, /^no_flag/],
  ["T3 with no_flag", { tier: "T3", no_flag: "because" }, /needs a flag[^]*no_flag is for tools of tier T2/],
  ["no_flag below T2", { no_flag: "because" }, /no_flag is for tools of tier T2/],
  [
    "no_flag beside a flag",
    { tier: "T2", no_flag: "because", flags: [{ flag: "allow_publish" }] },
    /no_flag is for tools of tier T2 that have no flag/,
  ],
  [
    "a publishing tool that says it only adds",
    { tier: "T3", flags: [{ flag: "allow_publish" }], hints: { destructive: false } },
    /hints.destructive/,
  ],
  [
    "a reading tool that says it only adds",
    { tier: "T0", hints: { destructive: false } },
    /hints.destructive/,
  ],
  ["T3 without a flag", { tier: "T3" }, /needs a flag/],
  [
    "T3 with a live flag only",
    { tier: "T3", flags: [{ flag: "allow_publish", live: true }] },
    /needs a flag/,
  ],
  ["T0 with a flag", { tier: "T0", flags: [{ flag: "allow_publish" }] }, /takes no flag/],
  ["an argument without description", { input: { properties: { a: { type: "string" } } } }, /description/],
  ["a body_limit under the general one", { body_limit: 10 }, /^body_limit/],
  ["a keyword outside the dialect", {
    input: { properties: { a: { oneOf: [], description: "a" } } },
  }, /input\.a/],
];

Deno.test("a good manifest has no faults", () => assert.deepEqual(faultsOf({}), []));
Deno.test("a manifest of T2 may say why it needs no flag", () => {
  assert.deepEqual(faultsOf({ tier: "T2", no_flag: "time alone publishes it" }), []);
});
for (const [what, change, says] of TABLE) {
  Deno.test(`a manifest with ${what} is refused`, () => assert.match(faultsOf(change).join("\n"), says));
}

Deno.test("the served schema is closed and carries site_id first and confirm last", () => {
  const outcome = readManifest(GOOD, CONNECTORS);
  assert.ok("manifest" in outcome);
  const { input_schema } = definition(outcome.manifest);
  assert.deepEqual(
    Object.keys(input_schema.properties ?? {}),
    words("site_id post_id confirm confirm_token"),
  );
  assert.deepEqual(input_schema.required, ["site_id", "post_id"]);
  assert.equal(input_schema.additionalProperties, false);
});

Deno.test("a reading tool has no confirm, a tool without a site no site_id", () => {
  const outcome = readManifest({ ...GOOD, tier: "T0", site: "none" }, CONNECTORS);
  assert.ok("manifest" in outcome);
  const { properties = {} } = definition(outcome.manifest).input_schema;
  assert.deepEqual(Object.keys(properties), words("post_id fields summary"));
});

Deno.test("a reading tool that has fields itself keeps its own", () => {
  const fields = { type: "array", items: { type: "string" }, description: "Columns." } as const;
  const outcome = readManifest({ ...GOOD, tier: "T0", input: { properties: { fields } } }, CONNECTORS);
  assert.ok("manifest" in outcome);
  const { properties = {} } = definition(outcome.manifest).input_schema;
  assert.deepEqual([Object.keys(properties), properties.fields], [words("site_id fields summary"), fields]);
});

Deno.test("a reading tool whose tier can rise has a confirm", () => {
  const input = { properties: { rebuild: { type: "boolean", description: "a" } } };
  const outcome = readManifest({
    ...GOOD,
    tier: "T0",
    input,
    raise: [{ when: { rebuild: true }, tier: "T1" }],
  }, CONNECTORS);
  assert.ok("manifest" in outcome);
  assert.ok("confirm" in (definition(outcome.manifest).input_schema.properties ?? {}));
});
