/** The hash of a call's arguments is that of their canonical text, however long they are. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { contentOf } from "../../../guard/consent/consent_content.ts";

const hashOf = (files: unknown) =>
  contentOf({ grant: "t", tool: "toy", sites: [], args: { files }, tier: 1 }, null).args["files"];

Deno.test("a list is hashed piece by piece to the hash of its JSON with names in order", () => {
  const long = "x".repeat(16 * 1024 - 1);
  for (
    const [value, text] of [
      [[], "[]"],
      [[{}, [], null, true, 1.5], "[{},[],null,true,1.5]"],
      [[undefined, { b: undefined, a: 1 }], '[null,{"a":1}]'],
      [[{ b: 1, a: [2, { d: 3, c: 4 }] }], '[{"a":[2,{"c":4,"d":3}],"b":1}]'],
      [[{ b: 1, 10: 2, 9: 3 }], '[{"9":3,"10":2,"b":1}]'],
      [
        [`${long}😀${long}`, `${long}\n"\\${long}`],
        JSON.stringify([`${long}😀${long}`, `${long}\n"\\${long}`]),
      ],
      [
        [`${long}\ud83d${long}`, `${long}\ude00${long}`],
        JSON.stringify([`${long}\ud83d${long}`, `${long}\ude00${long}`]),
      ],
      [[`${long}\ud83d\ud83d\ude00${long}`], JSON.stringify([`${long}\ud83d\ud83d\ude00${long}`])],
    ] as const
  ) assert.equal(hashOf(value), hash("sha256", text), text.slice(0, 60));
});
