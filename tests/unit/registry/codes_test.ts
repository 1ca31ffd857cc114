/** Codes that connectors bring: known to manifests, generated into one table, and refused where they cannot stand there. */
import assert from "node:assert/strict";
import type { CodeEntry } from "../../../core/errors.ts";
import { described } from "../../../platforms/_connector/connector.ts";
import { assertCodes, Connectors } from "../../../registry/connectors.ts";
import { codeTable } from "../../../registry/generate.ts";
import { readManifest } from "../../../registry/manifest.ts";
import { CONNECTORS } from "../../connectors.ts";

const FAX: CodeEntry = { status: 409, meaning: "no fax is linked to the site" };

const bringing = (name: string, codes: Record<string, CodeEntry>) =>
  described({ name, product: "Fax", scope: "site", codes });

const withFax = () => new Connectors([...CONNECTORS.all, bringing("fax", { E_FAX_NOT_LINKED: FAX })]);

Deno.test("a manifest may name a code that a connector brings, and no other", () => {
  const manifest = { name: "send", title: "-", description: "-", tier: "T0", errors: ["E_FAX_NOT_LINKED"] };
  assert.ok("manifest" in readManifest(manifest, withFax()));
  const refused = readManifest(manifest, CONNECTORS);
  assert.deepEqual(refused, {
    faults: ['errors: "E_FAX_NOT_LINKED" is no code of core/errors.ts or of a connector'],
  });
});

Deno.test("a code that is not generated, or not as its connector says, is refused with the command that mends it", () => {
  assertCodes(CONNECTORS);
  assert.throws(() => assertCodes(withFax()), /E_FAX_NOT_LINKED: .*run deno task gen/);
});

Deno.test("the generated table holds each code with status and meaning", () => {
  const table = codeTable(withFax());
  assert.match(
    table,
    /CONNECTOR_CODES = \{[^}]*E_FAX_NOT_LINKED: \{ status: 409, meaning: "no fax is linked/,
  );
  assert.match(codeTable(new Connectors([])), /CONNECTOR_CODES = \{\} as const;/);
});

Deno.test("a code is E_ and capitals, a failure's status, its own connector's, and not one of the gateway's", () => {
  const refusals: [codes: Record<string, CodeEntry>, said: RegExp][] = [
    [{ e_fax: FAX }, /the code "e_fax" must be E_ and capitals/],
    [{ E_AUTH: FAX }, /the code "E_AUTH" is the gateway's own/],
    [{ E_FAX: { ...FAX, status: 200 } }, /the code "E_FAX" must have a status from 400 to 599/],
  ];
  for (const [codes, said] of refusals) {
    assert.throws(() => new Connectors([bringing("fax", codes)]), said);
  }
  const twice = [bringing("fax", { E_FAX: FAX }), bringing("telex", { E_FAX: FAX })];
  assert.throws(() => new Connectors(twice), /platforms\/telex: the code "E_FAX" is that of "fax" too/);
});
