/** What a connector may say: its descriptor is read as a manifest is, and every part of a wrong kind is refused. */
import { z } from "zod";
import type { Connector } from "../platforms/_connector/connector.ts";
import { nearest } from "../core/nearest.ts";
import { ONCE } from "./dialect.ts";

const callable = z.custom<unknown>((value) => typeof value === "function", { error: "expected a function" });
const schema = z.instanceof(z.ZodType, { error: "expected a Zod schema" });
const word = z.string().regex(/^[a-z][a-z0-9_]*$/, {
  error: "expected a-z, 0-9 and _, beginning with a letter",
});
const capitals = z.string().regex(/^[A-Z][A-Z0-9_]*$/, { error: "expected capitals, 0-9 and _" });
const option = z.string().regex(/^[a-z][a-z0-9-]*$/, { error: "expected a-z, 0-9 and -" });
const sentence = z.string().min(1);
const words = z.array(word);

const setting = z.strictObject({
  default: z.string().nullable(),
  meaning: sentence,
  secret: z.boolean().optional(),
  read: callable,
});
const siteField = z.strictObject({
  schema,
  initial: z.union([z.string(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .optional(),
  option: option.optional(),
  value: sentence.optional(),
  help: sentence.optional(),
  label: sentence.optional(),
  asked: words.min(1).optional(),
  user: z.literal(true).optional(),
});
const credentialField = z.strictObject({ schema, help: sentence, option, variable: capitals.optional() });
const credential = z.strictObject({
  kinds: words.min(1).optional(),
  reason: sentence.optional(),
  origin: z.literal("base_url").optional(),
  of: z.string().optional(),
  fields: z.record(word, credentialField).refine((fields) => Object.keys(fields).length > 0, {
    error: "expected at least one",
  }),
});

const connection = z.strictObject({
  vendor: sentence,
  rights: z.record(word, z.strictObject({ scope: sentence, meaning: sentence }))
    .refine((rights) => Object.keys(rights).length > 0, { error: "expected at least one" }),
  manage_url: z.url({ error: "expected an address" }),
  assertConfigured: callable,
  authorize: callable,
  exchange: callable,
  revoke: callable,
});

const day = z.iso.date({ error: "expected a day such as 2027-11-01" });
const watch = z.strictObject({
  api: sentence,
  version: sentence,
  setting: capitals.optional(),
  field: word,
  sunset: day.nullable(),
  change: sentence,
  changes: z.array(z.strictObject({ on: day, what: sentence })).optional(),
  source: z.url({ error: "expected an address" }),
  checked: day.nullable(),
  copy: sentence.optional(),
});

const parts = {
  name: word,
  product: sentence,
  kinds: words.min(1).optional(),
  scope: z.enum(["site", "account", "gateway"]),
  settings: z.record(capitals, setting).optional(),
  watch: z.array(watch).min(1).optional(),
  siteFields: z.record(word, siteField).optional(),
  credentials: z.record(word, credential).optional(),
  address: z.enum(["required", "none"]).optional(),
  form: z.strictObject({ title: sentence, needs: sentence }).optional(),
  initial: callable.optional(),
  faults: callable.optional(),
  present: callable.optional(),
  codes: z.record(z.string(), z.strictObject({ status: z.int(), meaning: sentence })).optional(),
  links: z.record(word, callable).optional(),
  origins: callable.optional(),
  policy: callable.optional(),
  borrows: words.min(1).optional(),
  sign: callable.optional(),
  signRequest: callable.optional(),
  lends: z.record(word, callable).optional(),
  connect: callable.optional(),
  provides: z.array(
    z.object({ capability: z.object({ capability: word, noun: sentence }), connect: callable }),
  )
    .min(1).optional(),
  checkId: callable.optional(),
  ping: callable.optional(),
  checks: z.array(z.strictObject({ kinds: words.min(1).optional(), names: words.min(1), run: callable })).min(
    1,
  )
    .optional(),
  setups: z.record(word, z.strictObject({ help: sentence, field: word, make: callable })).optional(),
  linkable: z.record(
    word,
    z.strictObject({ what: sentence, field: word, same: callable.optional(), list: callable }),
  ).optional(),
  probes: z.record(
    word,
    z.strictObject({ what: sentence, field: word.optional(), costs: sentence.optional(), run: callable }),
  ).optional(),
  previews: z.strictObject({ look: callable, remove: callable }).optional(),
  pairing: z.strictObject({
    credential: word,
    account: z.strictObject({ credential: word, field: word }),
    pair: callable,
  }).optional(),
  deployment: z.strictObject({ kind: word, link: word, source: callable }).optional(),
  allowance: z.int().min(1).optional(),
  daily: z.strictObject({ source: callable, take: callable }).optional(),
  overview: callable.optional(),
  account: z.strictObject({
    kind: word,
    user: callable,
    users: z.record(word, callable).optional(),
    refresh: callable,
    refusal: callable,
    connection: connection.optional(),
  }).optional(),
} satisfies Record<keyof Connector, z.ZodType>;

const descriptor = z.strictObject(parts);

/** What is wrong with the parts of a descriptor by themselves, a sentence each that begins with the part. */
export function shapeFaults(one: unknown): string[] {
  const read = descriptor.safeParse(one, ONCE);
  if (read.success) return [];
  return read.error.issues.map((issue) => {
    if (issue.code !== "unrecognized_keys") return `${issue.path.join(".") || "connector"}: ${said(issue)}`;
    const near = nearest(issue.keys[0]!, Object.keys(parts));
    const place = [...issue.path, issue.keys[0]].join(".");
    return `${place}: unknown${issue.path.length === 0 && near ? `, did you mean ${near}` : ""}`;
  });
}

/** A name of a table that is refused says what names are allowed. */
function said(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_key" ? issue.issues[0]?.message ?? issue.message : issue.message;
}
