/** What docs/TOOLS.md says of a tool: all that decides over a call, each argument, and a call that was made. */
import assert from "node:assert/strict";
import { GATEWAY_CODES } from "../../../core/errors.ts";
import { readConnectors } from "../../../registry/connectors.ts";
import { toolsPage } from "../../../registry/generate_tools_page.ts";
import { withFiles } from "../../e2e/dropped.ts";

const MANIFEST = `name: paint_wall
title: Paint a wall
description: >-
  Paint one wall
  | or two.
tier: T1
raise: [{ when: { colour: red }, tier: T2 }]
platforms: [cms, crm]
only: { coats: [cms] }
flags: [{ flag: allow_publish, when: { colour: red } }, { flag: allow_storage_write, live: true }]
links: [repo]
errors: [E_BAD_INPUT]
input:
  required: [colour]
  properties:
    colour: { type: string, enum: [red, blue], description: Which one }
    coats: { type: integer, minimum: 1, maximum: 3, default: 1, description: How many }
    walls:
      type: array
      maxItems: 4
      description: Where
      items:
        type: object
        required: [name]
        properties: { name: { type: string, maxLength: 9, pattern: "^a|b$", description: Its name } }
    id: { type: string, minLength: 26, maxLength: 26, description: Which wall }
    note: { type: string, minLength: 1, description: What for }
rules:
  - any_of: [coats, walls]
`;

/** The page of that one tool. */
async function pageOf(examples: Parameters<typeof toolsPage>[2]): Promise<string> {
  const connectors = await readConnectors([new URL("../../../", import.meta.url)]);
  return await withFiles(
    { "manifests/walls/paint_wall.yaml": MANIFEST },
    (root) => toolsPage(new URL("manifests/", root), connectors, examples),
  );
}

Deno.test("a tool is told with its tier, sites, flags, links, rules, codes and each argument", async () => {
  const [, told] = (await pageOf({})).split("\n## walls\n\n");
  assert.equal(
    told,
    `### paint_wall

**Paint a wall.** Paint one wall | or two.

- Tier: 1, 2 where \`colour\` is \`red\`
- Sites: \`cms\`, \`crm\`
- Flag of the site: \`allow_publish\` where \`colour\` is \`red\`
- Flag of the site: \`allow_storage_write\`, where visitors would see it
- Links: \`repo\`
- Arguments: at least one of \`coats\`, \`walls\`
- Refuses with: \`E_BAD_INPUT\`

| Argument | Type | Required | What it is |
| --- | --- | --- | --- |
| \`site_id\` | text | yes | From list_sites. |
| \`colour\` | \`"red"\`, \`"blue"\` | yes | Which one. |
| \`coats\` | integer (1 to 3) |  | How many. Default \`1\`. Only on \`cms\`. |
| \`walls\` | list (at most 4) of object |  | Where. |
| \`walls[].name\` | text (at most 9 characters, fits \`^a\\|b$\`) | yes | Its name. |
| \`id\` | text (26 characters) |  | Which wall. |
| \`note\` | text (at least 1 character) |  | What for. |

There is no example of it yet; add a call to \`tests/demo_calls.ts\`.
`,
  );
});

Deno.test("every code that a call can be refused with is on the page, with its status and meaning", async () => {
  const page = await pageOf({});
  for (const [name, { status, meaning }] of Object.entries(GATEWAY_CODES)) {
    assert.ok(page.includes(`| \`${name}\` | ${status} | ${meaning} |`), name);
  }
});

Deno.test("an example is a call, its preview and its answer, laid out so that it can be read", async () => {
  const long = "x".repeat(60);
  const example = {
    args: { site_id: "acme", colour: "blue" },
    preview: { needs_confirmation: true, changes: [] },
    answer: { walls: [{ name: long }, { name: long }], at: {} },
  };
  const [, told] = (await pageOf({ paint_wall: example })).split("| What for. |\n\n");
  assert.equal(
    told,
    `\`\`\`http
POST /api/v1/tools/paint_wall

{ "site_id": "acme", "colour": "blue" }
\`\`\`

The preview:

\`\`\`json
{ "needs_confirmation": true, "changes": [] }
\`\`\`

The answer to the same call with \`confirm\` and the \`confirm_token\`:

\`\`\`json
{
  "walls": [
    { "name": "${long}" },
    { "name": "${long}" }
  ],
  "at": {}
}
\`\`\`
`,
  );
});
