/** What connectors bring to the nouns: kinds of site, fields of a site's record, credentials, codes. */
import type { Connectors } from "./connectors.ts";
import { fieldType } from "./field_schema.ts";

const union = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(" | ") || "never";

/** The text of core/model.gen.ts. */
export function modelTypes({ kinds, siteFields, credentials }: Connectors): string {
  const fields = [...siteFields].map(([name, field]) => `  readonly ${name}: ${fieldType(field)};`);
  const secrets = [...credentials].map(([kind, spec]) =>
    `  ${kind}?: { ${Object.keys(spec.fields).map((name) => `${name}: string;`).join(" ")} };`
  );
  return [
    "/** Written by `deno task gen` from the connectors; not edited by hand. */\n",
    "/** What a site is. Operators' documentation names the product behind each kind. */",
    `export type PlatformKind = ${union(kinds)};\n`,
    "/** The fields of a site's record that connectors name. */",
    `export interface SiteFields {\n${fields.join("\n")}\n}\n`,
    "/** The secrets a site can hold, by kind. */",
    `export interface Credentials {\n${secrets.join("\n")}\n}`,
    "export type CredentialKind = keyof Credentials;\n",
  ].join("\n");
}

/** The text of core/errors.gen.ts. */
export function codeTable({ codes }: Connectors): string {
  const rows = [...codes].map(([name, { status, meaning }]) =>
    `  ${name}: { status: ${status}, meaning: ${JSON.stringify(meaning)} },`
  );
  const table = rows.length === 0 ? "{}" : `{\n${rows.join("\n")}\n}`;
  return [
    "/** Written by `deno task gen` from the connectors; not edited by hand. */\n",
    "/** The codes that connectors bring, beside the gateway's own. */",
    `export const CONNECTOR_CODES = ${table} as const;`,
  ].join("\n");
}
