/** What cannot be derived from connectors without doubt is refused. */
import assert from "node:assert/strict";
import { text } from "../../../core/fields.ts";
import { type Connector, connector } from "../../../platforms/_connector/connector.ts";
import { Connectors } from "../../../registry/connectors.ts";
import { RegistryError } from "../../../registry/files.ts";
import { CONNECTORS } from "../../connectors.ts";

function shop(origin: "base_url" | undefined, origins: Connector["origins"]): Connector {
  const field = { schema: text("a key", /^\w+$/, true), help: "key", option: "shop-key" };
  const credentials = { shop: { origin, fields: { key: field } } };
  const rest = { policy: () => null, connect: () => ({}) };
  return connector({
    name: "shop",
    product: "Shop",
    scope: "site",
    credentials,
    origins: origins ?? (() => []),
    ...rest,
  });
}

Deno.test("a credential that goes to the site's base_url must say so, or it would go to the site's next one", () => {
  const atAddress: Connector["origins"] = ({ site }) => site?.base_url ? [site.base_url] : [];
  const unclear: Connector["origins"] = () => {
    throw new TypeError("no such field");
  };
  for (const origins of [atAddress, unclear]) {
    assert.throws(
      () => new Connectors([shop(undefined, origins)]),
      (error) =>
        error instanceof RegistryError &&
        /platforms\/shop: the credential "shop" .* origin: "base_url"/.test(error.message),
    );
    assert.deepEqual(new Connectors([shop("base_url", origins)]).siteShape().addressBound, ["shop"]);
  }
  assert.deepEqual(
    new Connectors([shop(undefined, () => ["https://shop.example"])]).siteShape().addressBound,
    [],
  );
});

Deno.test("of the built-in credentials only those of the cms belong to the site's address", () => {
  assert.deepEqual(CONNECTORS.siteShape().addressBound, ["cms", "companion"]);
});
