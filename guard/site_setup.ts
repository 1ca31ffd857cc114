/** Makes at an upstream what a site is linked to, when an operator orders it, and links the site to it. */
import { GatewayError } from "../core/errors.ts";
import { LIMITS, type Site } from "../core/model.ts";
import type { Store } from "../store/store.ts";
import { adminRow, OPERATOR, tookSince } from "./audit/admin_row.ts";
import { type ConnectorPorts, makeConnectorContext } from "./connector_context.ts";

/** What it is done with. */
export type SetupPorts = Omit<ConnectorPorts, "store"> & {
  readonly store: ConnectorPorts["store"] & {
    readonly sites: Pick<Store["sites"], "update">;
    readonly audit: Pick<Store["audit"], "append">;
  };
  newId(): string;
};

/** What was made, and the field of the site that names it now. */
export interface SetUpSite {
  readonly site_id: string;
  readonly field: string;
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
}

/**
 * Makes it and links it. Throws E_NOT_FOUND where no connector makes that, E_BAD_INPUT where the site is linked already,
 * and what the connector throws.
 */
export async function setUpSite(
  ports: SetupPorts,
  { site, what, name }: { readonly site: Site; readonly what: string; readonly name: string },
): Promise<SetUpSite> {
  const { connectors, store, now, newId } = ports;
  const connector = connectors.all.find(({ setups }) => Object.hasOwn(setups ?? {}, what));
  const setup = connector?.setups?.[what];
  if (!connector || !setup) {
    const known = connectors.all.flatMap(({ setups }) => Object.keys(setups ?? {})).join(", ");
    throw new GatewayError(
      "E_NOT_FOUND",
      `No connector makes "${what}" for a site; there is ${known || "nothing"}`,
    );
  }
  const { field } = setup;
  const linked = (site as unknown as Readonly<Record<string, unknown>>)[field];
  if (linked !== null) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: site "${site.id}" is linked to "${linked}" already; unlink it first with deno task admin site update ${site.id} --unset ${
        field.replaceAll("_", "-")
      }`,
    );
  }
  const deadline = now() + LIMITS.CALL_DEADLINE_MS;
  const row = { ...adminRow(newId(), OPERATOR, now(), `site.${what}`, { name }), site_id: site.id };
  await store.audit.append({ ...row, status: "started" });
  const ended = (more: object) => store.audit.append({ ...row, duration_ms: tookSince(row, now()), ...more });
  try {
    const made = await setup.make(
      makeConnectorContext(ports, { site, caller: null, deadline }, connector),
      name,
    );
    await store.sites.update(site.id, { [field]: made.id });
    await ended({ arguments: { name, id: made.id } });
    return { site_id: site.id, field, ...made };
  } catch (thrown) {
    await ended({ status: "error", error: thrown instanceof GatewayError ? thrown.code : "E_INTERNAL" });
    throw thrown;
  }
}
