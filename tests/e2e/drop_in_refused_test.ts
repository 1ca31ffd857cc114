/** Files that do not make a tool are refused at boot, all at once, each with its reason. */
import assert from "node:assert/strict";
import { handler, manifest, PLANNED, refused } from "./dropped.ts";

/** A fault, the files that make it, and what is said. */
interface Fault {
  readonly name: string;
  readonly files: Record<string, string>;
  readonly says: readonly RegExp[];
}

/** The two files of a tool that lines of its manifest spoil. */
const spoiled = (name: string, lines: readonly string[], says: readonly RegExp[], parts?: string): Fault => ({
  name,
  files: {
    [`manifests/spoiled/${name}.yaml`]: manifest(name, ...lines),
    [`tools/spoiled/${name}.ts`]: handler(name, parts),
  },
  says: says.map((one) =>
    new RegExp(`^  (manifests|tools)/spoiled/${name}\\.(yaml|ts): .*${one.source}`, "m")
  ),
});

const input = (property: string) => ["input:", "  properties:", `    ${property}`];

const FAULTS: readonly Fault[] = [
  spoiled("unknown_field", ["tier: T0", "colour: red"], [/colour/]),
  spoiled("unknown_tier", ["tier: T5"], [/tier/]),
  spoiled("unknown_flag", ["tier: T1", "flags: [{ flag: allow_all }]"], [/flag/], PLANNED),
  spoiled("unknown_link", ["tier: T0", "links: [fax]"], [/links/]),
  spoiled("unknown_platform", ["tier: T0", "platforms: [gopher]"], [/platforms/]),
  spoiled("unknown_code", ["tier: T0", "errors: [E_NO_SUCH]"], [/errors/]),
  spoiled("no_tier", [], [/tier/]),
  spoiled("no_plan", ["tier: T1"], [/a tool that can write needs a plan/]),
  spoiled("no_plan_raised", ["tier: T0", "raise: [{ when: { platform: static }, tier: T3 }]"], [
    /needs a plan/,
  ]),
  spoiled("no_flag", ["tier: T3"], [/tier T3 needs a flag/], PLANNED),
  spoiled("flag_on_read", ["tier: T0", "flags: [{ flag: allow_publish }]"], [/tier T0 takes no flag/]),
  spoiled("own_site", ["tier: T0", ...input("site_id: { type: string, description: d }")], [
    /input\.site_id: is added/,
  ]),
  spoiled("own_confirm", ["tier: T0", ...input("confirm: { type: boolean, description: d }")], [
    /input\.confirm: is added/,
  ]),
  spoiled("keyword", ["tier: T0", ...input("a: { type: string, multipleOf: 2, description: d }")], [
    /"multipleOf" is not in the dialect/,
  ]),
  spoiled("one_of", ["tier: T0", ...input("a: { oneOf: [{ type: string }], description: d }")], [
    /input\.a: "type" must be one of/,
  ]),
  spoiled("no_words", ["tier: T0", ...input("a: { type: string }")], [/input\.a: needs a description/]),
  spoiled("lost_required", ["tier: T0", "input: { required: [b] }"], [
    /required names "b", which is not a property/,
  ]),
  spoiled("lost_when", ["tier: T1", "raise: [{ when: { b: 1 }, tier: T4 }]"], [
    /when names "b", which is not a property/,
  ], PLANNED),
  spoiled("no_site", ["tier: T2", "site: none", "flags: [{ flag: allow_publish }]"], [
    /flags are set on a site, and the tool has none: it would write unguarded/,
  ], PLANNED),
  spoiled("no_site_raised", ["tier: T1", "site: none", "raise: [{ when: { platform: cms }, tier: T4 }]"], [
    /when: platform is never "cms"/,
  ], PLANNED),
  spoiled("no_site_link", ["tier: T0", "site: none", "links: [repo]"], [
    /links: "repo" is a link of a site, and the tool has none/,
  ]),
  spoiled("strange_when", [
    "tier: T1",
    "platforms: [cms]",
    "raise: [{ when: { platform: static }, tier: T4 }]",
  ], [
    /when: platform is never "static", so it would guard nothing/,
  ], PLANNED),
  spoiled(
    "lost_value",
    [
      "tier: T1",
      "flags: [{ flag: allow_publish, when: { a: mian } }]",
      ...input("a: { type: string, enum: [main, preview], description: d }"),
    ],
    [/when: a is never "mian", so it would guard nothing/],
    PLANNED,
  ),
  spoiled(
    "lost_type",
    [
      "tier: T1",
      "raise: [{ when: { a: 'true' }, tier: T4 }]",
      ...input("a: { type: boolean, description: d }"),
    ],
    [/when: a is never "true"/],
    PLANNED,
  ),
  spoiled(
    "lost_together",
    [
      "tier: T1",
      "only: { a: [static] }",
      "flags: [{ flag: allow_publish, when: { a: x, platform: cms } }]",
      ...input("a: { type: string, description: d }"),
    ],
    [/when: a is never "x"/],
    PLANNED,
  ),
  spoiled("early_rule", [
    "tier: T0",
    "rules: [{ when: { platform: cms }, require: [a] }]",
    ...input("a: { type: string, description: d }"),
  ], [/when: platform is never "cms"/]),
  spoiled("only_elsewhere", [
    "tier: T0",
    "platforms: [cms]",
    "only: { a: [static] }",
    ...input("a: { type: string, description: d }"),
  ], [/only: no site the tool works on has "a"/]),
  spoiled("lost_secret", ["tier: T0", "secrets: [{ name: FAX_TOKEN, code: E_MISSING_SECRET }]"], [
    /secrets: no connector names the setting "FAX_TOKEN"/,
  ]),
  spoiled("own_secret", ["tier: T0", "secrets: [{ name: MASTER_TOKEN, code: E_MISSING_SECRET }]"], [
    /secrets: no connector names the setting "MASTER_TOKEN"/,
  ]),
  spoiled("kept_secret", ["tier: T0", "secrets: [{ name: REPO_API_BASE, code: E_MISSING_SECRET }]"], [
    /secrets: "REPO_API_BASE" has a default, so it is never missing/,
  ]),
  spoiled("no_yaml", ["tier: [T0"], [/is not YAML/]),
  {
    name: "a manifest without a handler",
    files: { "manifests/spoiled/alone.yaml": manifest("alone", "tier: T0") },
    says: [/^ {2}manifests\/spoiled\/alone\.yaml: has no tools\/spoiled\/alone\.ts$/m],
  },
  {
    name: "a handler without a manifest",
    files: { "tools/spoiled/lonely.ts": handler("lonely") },
    says: [/^ {2}tools\/spoiled\/lonely\.ts: has no manifests\/spoiled\/lonely\.yaml$/m],
  },
  {
    name: "a name unlike its path",
    files: {
      "manifests/spoiled/path.yaml": manifest("another", "tier: T0"),
      "tools/spoiled/path.ts": handler("path"),
    },
    says: [/^ {2}manifests\/spoiled\/path\.yaml: name "another" is not the file's$/m],
  },
  {
    name: "a handler of another tool",
    files: {
      "manifests/spoiled/mine.yaml": manifest("mine", "tier: T0"),
      "tools/spoiled/mine.ts": handler("yours"),
    },
    says: [/^ {2}tools\/spoiled\/mine\.ts: is a handler of "yours"$/m],
  },
  {
    name: "a handler that cannot be imported",
    files: {
      "manifests/spoiled/broken.yaml": manifest("broken", "tier: T0"),
      "tools/spoiled/broken.ts": "export default tool(;\n",
    },
    says: [/^ {2}tools\/spoiled\/broken\.ts: cannot be imported \(/m],
  },
  {
    name: "a handler that exports nothing",
    files: {
      "manifests/spoiled/empty.yaml": manifest("empty", "tier: T0"),
      "tools/spoiled/empty.ts": "export const run = 1;\n",
    },
    says: [/^ {2}tools\/spoiled\/empty\.ts: must export default tool\("empty", …\)$/m],
  },
  {
    name: "a name that is taken by a built-in",
    files: {
      "manifests/discovery/list_sites.yaml": manifest("list_sites", "tier: T0", "site: none"),
      "tools/discovery/list_sites.ts": handler("list_sites", "() => null"),
    },
    says: [/^ {2}manifests\/discovery\/list_sites\.yaml: the name is taken$/m],
  },
  {
    name: "a listed tool that differs from the golden catalogue",
    files: {
      "manifests/pages/publish_page.yaml": manifest("publish_page", "tier: T1", "platforms: [cms]"),
      "tools/pages/publish_page.ts": handler("publish_page", PLANNED),
    },
    says: [
      /^ {2}manifests\/pages\/publish_page\.yaml: tier is 1, the golden catalogue says 3$/m,
      /^ {2}manifests\/pages\/publish_page\.yaml: flags is \[\], the golden catalogue says \[.*allow_publish/m,
      /^ {2}manifests\/pages\/publish_page\.yaml: platforms is \["cms"\], the golden catalogue says/m,
    ],
  },
  {
    name: "a listed tool in another group, and of another tier",
    files: {
      "manifests/spoiled/list_sites.yaml": manifest("list_sites", "tier: T1", "site: none"),
      "tools/spoiled/list_sites.ts": handler("list_sites", PLANNED),
    },
    says: [
      /list_sites\.yaml: the golden catalogue has it in group "discovery"$/m,
      /list_sites\.yaml: tier is 1, the golden catalogue says 0$/m,
    ],
  },
];

for (const { name, files, says } of FAULTS) {
  Deno.test(`boot refuses ${name.replaceAll("_", " ")}`, async () => {
    const { message } = await refused(files);
    for (const one of says) assert.match(message, one);
    assert.ok(!/\n\s+at /.test(message), "no stack trace");
  });
}

Deno.test("boot refuses everything that is wrong at once, a line each", async () => {
  const files = Object.assign({}, ...FAULTS.map((fault) => fault.files));
  const { message, faults } = await refused(files);
  for (const { says } of FAULTS) for (const one of says) assert.match(message, one);
  for (const fault of faults) assert.match(fault, /^(manifests|tools)\/\w+\/\w+\.(yaml|ts): \S/);
  assert.equal(message.split("\n").length, faults.length + 1);
});
