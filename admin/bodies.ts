/** The bodies of the admin API, a strict schema per record. */
import { z } from "zod";
import { CONFIRM_POLICIES, PEOPLE_LIMITS, TIER_MAX, TOKEN_LISTINGS } from "../core/model.ts";
import type { Tier } from "../core/model.ts";
import { network } from "../core/ip.ts";
import { choice, closed, expected, text, yesNo } from "../core/fields.ts";

/** Most entries of a token's lists; together they keep a token within one value of the store. */
export const SCOPE_SITES_MAX = 400;
export const SCOPE_TOOLS_MAX = 256;
const NAME_CHARACTERS_MAX = 100;

/** What a site or project may be called in addresses. */
export const SITE_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** What the ids made by the store look like. */
export const RECORD_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** What a tool, built in or offered by a site, may be called. */
export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** What people call a record. */
export const name = z.string({ error: expected("a name") }).trim()
  .regex(/^[^\p{Cc}]+$/u, { error: expected("a name of one line") })
  .max(NAME_CHARACTERS_MAX, { error: expected(`a name of at most ${NAME_CHARACTERS_MAX} characters`) });
/** The id of a site or project. */
export const site_id = text("1 to 63 of a-z, 0-9 and -, not starting with -", SITE_ID);
/** A user as people name one; `userIdOf` of named_user.ts says who that is. */
export const person = text("a user's id or e-mail address", /^[^\s\p{Cc}]{1,254}$/u);
const tier_error = expected(`a whole number from 0 to ${TIER_MAX}`);
const tier = z.int({ error: tier_error }).min(0, { error: tier_error }).max(TIER_MAX, { error: tier_error })
  .transform((number) => number as Tier);
const email = text("an e-mail address", /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u)
  .max(PEOPLE_LIMITS.EMAIL_CHARACTERS_MAX, {
    error: expected(`at most ${PEOPLE_LIMITS.EMAIL_CHARACTERS_MAX} characters`),
  });

function scope(what: string, pattern: RegExp, min: number, max: number) {
  const one = text(`a ${what} or "*"`, new RegExp(`${pattern.source}|^\\*$`));
  return z.array(one, { error: expected(`a list of ${what}s, or ["*"]`) })
    .min(min, { error: () => `expected at least one ${what}, or ["*"] for all` })
    .max(max, { error: () => `expected at most ${max} entries` })
    .refine((list) => list.length < 2 || !list.includes("*"), {
      error: () => `"*" must be the only entry: ["*"]`,
    })
    .transform((list) => [...new Set(list)]);
}
const sites = (min: number) => scope("site id", SITE_ID, min, SCOPE_SITES_MAX);

/** What a write needs beside `confirm: true`. */
export const confirmPolicy = choice(CONFIRM_POLICIES);

/** A moment with its time zone, or a day, of which it is the end in UTC; as it is stored. */
const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: expected('a time with its zone, such as "2027-01-31T12:00:00Z", or a day, such as "2027-01-31"'),
}).transform((text) => new Date(text.includes("T") ? text : `${text}T23:59:59Z`).toISOString());

/** Networks that a token may be used from. */
const ADDRESSES_MAX = 50;
const allowedIps = z.array(
  z.string({ error: expected("an address or a network") }).trim().refine((text) => network(text) !== null, {
    error: expected("an address or a network, such as 203.0.113.7 or 2001:db8::/32"),
  }),
  { error: expected("a list of addresses and networks") },
).min(1, { error: () => "expected at least one address or network, or null for anywhere" })
  .max(ADDRESSES_MAX, { error: () => `expected at most ${ADDRESSES_MAX} entries` })
  .transform((list) => [...new Set(list)]);

/** POST /admin/api/tokens */
export const tokenBody = closed({
  name,
  env: choice(["prod", "dev"]),
  allowed_sites: sites(1),
  allowed_tools: scope("tool name", TOOL_NAME, 1, SCOPE_TOOLS_MAX),
  max_risk: tier.optional(),
  skip_write_confirm: yesNo.optional(),
  confirm_policy: confirmPolicy.optional(),
  confirm_proxied: yesNo.optional(),
  listing: choice(TOKEN_LISTINGS).optional(),
  expires_at: moment.nullish(),
  allowed_ips: allowedIps.nullish(),
  owner_user_id: person.nullish(),
});

/** PATCH /admin/api/tokens/{token_id} */
export const tokenPatch = closed({
  name: name.optional(),
  allowed_sites: sites(1).optional(),
  allowed_tools: scope("tool name", TOOL_NAME, 1, SCOPE_TOOLS_MAX).optional(),
  max_risk: tier.optional(),
  confirm_policy: confirmPolicy.optional(),
  confirm_proxied: yesNo.optional(),
  listing: choice(TOKEN_LISTINGS).optional(),
  expires_at: moment.nullish(),
  allowed_ips: allowedIps.nullish(),
});

/** POST /admin/api/tokens/{token_id}/rotate */
export const tokenRotation = closed({ old_until: moment.nullish() });

/** POST /admin/api/projects */
export const projectBody = closed({ id: site_id, name, confirm_policy: confirmPolicy.optional() });

/** PATCH /admin/api/projects/{id} */
export const projectPatch = closed({ name: name.optional(), confirm_policy: confirmPolicy.optional() });

const role = choice(["admin", "member"]);

/** POST /admin/api/users */
export const userBody = closed({
  email,
  role,
  allowed_sites: sites(0),
  max_risk: tier.optional(),
  approve_sites: sites(0).optional(),
});

/** PATCH /admin/api/users/{user_id} */
export const userPatch = closed({
  email: email.optional(),
  role: role.optional(),
  allowed_sites: sites(0).optional(),
  max_risk: tier.optional(),
  approve_sites: sites(0).optional(),
});

/** POST /admin/login */
export const loginBody = closed({ master_token: z.string({ error: expected("the master token", true) }) });
