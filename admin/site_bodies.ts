/** The bodies of the admin API about sites: a site's own fields, and those its connectors name. */
import { z } from "zod";
import { choice, closed, yesNo } from "../core/fields.ts";
import { FLAGS } from "../core/model.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { NewSite, SiteInput } from "../store/store.ts";
import { confirmPolicy, name, site_id } from "./bodies.ts";
import { siteAddress } from "./site_address.ts";

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
    credentials: closed(Object.fromEntries(secrets)).optional(),
    ...Object.fromEntries(fields),
  };
  const platform = choice(kinds as unknown as [string, ...string[]]);
  return {
    create: closed({ id: site_id, name, platform, ...settable }) as unknown as z.ZodType<NewSite>,
    patch: closed({ name: name.optional(), ...settable }) as unknown as z.ZodType<SiteInput>,
  };
}
