/** The bodies of the admin API about sites: a site's own fields, its address, and those its connectors name. */
import { z } from "zod";
import { choice, closed, yesNo } from "../core/fields.ts";
import { FLAGS } from "../core/model.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { NewSite, SiteInput } from "../store/store.ts";
import { confirmPolicy, name, site_id } from "./bodies.ts";
import { expected } from "../core/faults.ts";
import { isLoopback } from "../core/env_values.ts";

const ADDRESS_CHARACTERS_MAX = 2048;

/** What is wrong with the address, or the address as it is kept. */
function read(text: string): { fault: string } | { url: string } {
  const url = /[\s\p{Cc}\\]/u.test(text) || text.length > ADDRESS_CHARACTERS_MAX ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { fault: "an address such as https://example.com" };
  }
  if (url.username !== "" || url.password !== "") return { fault: "an address without credentials in it" };
  if (/[?#]/.test(text)) return { fault: "an address without query and fragment" };
  return { url: `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}` };
}

/** A text that is such an address; credentials in a faulty one are not shown. */
export const siteAddress = z.string({ error: expected("an https address or null") }).transform(
  (text, ctx) => {
    const found = read(text);
    if ("url" in found) return found.url;
    ctx.issues.push({
      code: "custom",
      input: text,
      message: expected(found.fault, text.includes("@"))({ input: text }),
    });
    return z.NEVER;
  },
);

/** Whether that address may be registered: https anywhere, plain http on loopback and on hosts of ALLOW_PRIVATE_UPSTREAMS. */
export function mayBePlain(address: string, allowed: readonly string[]): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopback(hostname) || isListed(address, allowed);
}

function isListed(address: string, allowed: readonly string[]): boolean {
  const { hostname, host } = new URL(address);
  return allowed.includes(hostname) || allowed.includes(host);
}

/** Says of an address on this machine that no request reaches it until ALLOW_PRIVATE_UPSTREAMS names its host. */
export function unreachable(address: string | null | undefined, allowed: readonly string[]): string[] {
  if (!address || !isLoopback(new URL(address).hostname) || isListed(address, allowed)) return [];
  return [
    `base_url: the gateway sends nothing to an address of its own machine until ALLOW_PRIVATE_UPSTREAMS has ` +
    `${new URL(address).hostname}; set it and start the gateway again`,
  ];
}

/** The two bodies. */
export interface SiteBodies {
  /** POST /admin/api/sites */
  readonly create: z.ZodType<NewSite>;
  /** PATCH /admin/api/sites/{id} */
  readonly patch: z.ZodType<SiteInput>;
}

const flags = closed(Object.fromEntries(FLAGS.map((flag) => [flag, yesNo.optional()])));

/** A schema per body; an unknown field is refused with the nearest one. */
export function siteBodies({ kinds, siteFields, credentials }: Connectors): SiteBodies {
  const fields = [...siteFields].map(([name, { schema, initial }]) =>
    [name, initial === undefined ? schema.nullish() : schema.optional()] as const
  );
  const secrets = [...credentials].map(([kind, spec]) => {
    const parts = Object.entries(spec.fields).map(([name, { schema }]) => [name, schema] as const);
    return [kind, closed(Object.fromEntries(parts)).nullish()] as const;
  });
  const settable = {
    base_url: siteAddress.nullish(),
    project_id: site_id.nullish(),
    flags: flags.optional(),
    confirm_policy: confirmPolicy.optional(),
    four_eyes: yesNo.optional(),
    confirm_proxied: yesNo.optional(),
    credentials: closed(Object.fromEntries(secrets)).optional(),
    ...Object.fromEntries(fields),
  };
  const platform = choice(kinds as unknown as [string, ...string[]]);
  return {
    create: closed({ id: site_id, name, platform, ...settable }) as unknown as z.ZodType<NewSite>,
    patch: closed({ name: name.optional(), ...settable }) as unknown as z.ZodType<SiteInput>,
  };
}
