/** Sites that are linked to everything there is, made of what the connectors say of themselves: one that is added is there. */
import assert from "node:assert/strict";
import type { PlatformKind, Site } from "../core/model.ts";
import type { Connector, CredentialSpec } from "../platforms/_connector/connector.ts";
import { theApp } from "../sandbox/github/app_key.ts";
import type { NewSite } from "../store/store.ts";
import { CONNECTORS } from "./connectors.ts";
import { type Kit, site } from "./kit.ts";

/** Whoever asks the open web, or for a client's document, asks here. */
export const WEB_HOST = "web.example";

/** The first of these that fits is what a setting, a field or a credential is set to. */
const TEXTS = [
  "12345678",
  "acme",
  "acme/site",
  "act_123456",
  "https://acme.example/",
  "word-123",
  "0123456789abcdef",
  "0123456789abcdef".repeat(4),
  theApp().private_key.trim(),
];

/** Values of every setting that has none: a connector that is added needs no change here. */
export const SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  CONNECTORS.settings.filter((one) => one.default === null).map(({ name, read }) => {
    const address = `https://${name.toLowerCase().replaceAll("_", "-")}.example`;
    const value = [address, ...TEXTS].find((text) => {
      try {
        read(text);
        return true;
      } catch {
        return false;
      }
    });
    assert.ok(value, `${name}: none of the values in tests/linked_sites.ts fits`);
    return [name, value];
  }),
);

const credentialOf = ({ fields }: CredentialSpec) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema }]) => {
      const value = ["aaaa bbbb cccc dddd eeee ffff", ...TEXTS].find((text) =>
        schema.safeParse(text).success
      );
      assert.ok(value, `${name}: none of the values in tests/linked_sites.ts fits`);
      return [name, value];
    }),
  );

/** A site of that kind with every field and credential it can have. */
function linkedSite(kind: PlatformKind, user: string): NewSite {
  const fields = [...CONNECTORS.siteFields].filter(([, field]) => field.initial === undefined)
    .map(([name, field]) => {
      const texts = field.user ? [user] : TEXTS;
      return [name, texts.find((text) => field.schema.safeParse(text).success) ?? null];
    });
  const credentials = [...CONNECTORS.credentials]
    .filter(([, { kinds }]) => kinds === undefined || kinds.includes(kind))
    .map(([name, spec]) => [name, credentialOf(spec)]);
  const at = CONNECTORS.ofKind(kind)?.address === "none" ? null : `https://${kind}.example`;
  return site(`bad-${kind}`, kind, {
    base_url: at,
    ...Object.fromEntries(fields),
    credentials: Object.fromEntries(credentials),
  });
}

/** An origin, and a site whose requests go there: null where it needs none. */
export interface Place {
  readonly origin: string;
  readonly at: Site | null;
  /** One of the open web's, which is only read. */
  readonly isPublic: boolean;
}

/** The settings of a connector. */
export const valuesOf = ({ settings = {} }: Connector) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, one]) => [name, one.default ?? SETTINGS[name] ?? null]),
  );

/** Where a connector sends to, for one of those sites or for none. */
export function originsOf(connector: Connector, sites: readonly Site[]): readonly Place[] {
  const settings = valuesOf(connector);
  const found = new Map<string, Place>();
  for (const at of [null, ...sites]) {
    const own = connector.origins?.({ site: at ?? undefined, settings }) ?? [];
    for (const one of own === "public" ? [own] : own) {
      const origin = one === "public" ? `https://${WEB_HOST}` : new URL(one).origin;
      if (!found.has(origin)) found.set(origin, { origin, at, isPublic: one === "public" });
    }
  }
  return [...found.values()];
}

/** A site of each kind, bound to a user who has connected every kind of account, whose tokens are over. */
export async function linked(gw: Kit): Promise<ReadonlyMap<PlatformKind, Site>> {
  const user = await gw.store.users.create({
    email: "a@b.example",
    role: "member",
    allowed_sites: ["*"],
    max_risk: 4,
  });
  assert.ok(user);
  for (const { account } of CONNECTORS.all) {
    if (!account) continue;
    await gw.store.accounts.connect(user.id, account.kind, {
      access_token: "access",
      expires_in: 1,
      refresh_token: "refresh",
      account: "a@b.example",
      scopes: Object.values(account.connection?.rights ?? {}).map(({ scope }) => scope),
    });
  }
  const sites = new Map<PlatformKind, Site>();
  for (const kind of CONNECTORS.kinds) {
    const made = await gw.store.sites.create(linkedSite(kind, user.id));
    assert.ok(made, `a site of kind ${kind}`);
    sites.set(kind, made);
  }
  return sites;
}
