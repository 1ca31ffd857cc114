/** A credential opens only for the place that it was set for, whatever is written into the store. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import { type Sealed, Sealer } from "../../../store/seal.ts";
import { Sites } from "../../../store/sites.ts";
import { Database } from "../../../store/database.ts";
import { Versions } from "../../../store/cache.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { Clock, KEY } from "./kit.ts";

const CMS = { username: "u", application_password: "aaaa bbbb cccc" };
const CRM = { integration_token: "t" };

/** Sites alone, with nothing around the KV that would see a change of a record. */
async function sites() {
  const kv = await Deno.openKv(":memory:");
  const clock = new Clock();
  const db = new Database(kv, clock.now, clock.now);
  const sealer = await Sealer.open([KEY]);
  const opened = () => new Sites(db, new Versions(db).of("sites"), sealer, SITE_SHAPE);
  return { kv, sealer, opened, sites: opened(), [Symbol.dispose]: () => kv.close() };
}

const rewrite = async (kv: Deno.Kv, id: string, patch: Partial<Site>) => {
  const { value } = await kv.get<Site>(["sites", id]);
  await kv.set(["sites", id], { ...value, ...patch });
};

/** A site with a credential that goes to its address. */
const ACME = {
  id: "acme",
  name: "A",
  platform: "cms",
  base_url: "https://a.example",
  credentials: { cms: CMS },
} as const;

Deno.test("a site whose address was changed in the store gets no password for its new host, and is itself again with the old one", async () => {
  using at = await sites();
  const { kv, opened, sites: store } = at;
  const credentials = { cms: CMS, crm: CRM };
  await store.create({ id: "acme", name: "A", platform: "cms", base_url: "https://a.example", credentials });
  await rewrite(kv, "acme", { base_url: "https://thief.example" });
  const robbed = opened();
  await assert.rejects(robbed.secret("acme", "cms", "https://thief.example"), {
    code: "E_MISSING_SECRET",
    message:
      'The "cms" credential of site "acme" was set for https://a.example, and would be sent to https://thief.example ' +
      "now, so nothing was sent; set it again if the site's address is right",
  });
  assert.deepEqual(
    await robbed.secret("acme", "crm"),
    CRM,
    "what goes to no address of the site's own opens",
  );
  await rewrite(kv, "acme", { base_url: "https://a.example/below" });
  assert.deepEqual(
    await opened().secret("acme", "cms"),
    CMS,
    "another path of the same origin is no other place",
  );
});

Deno.test("a seal names its place in the clear and is bound to it: with another name it does not open", async () => {
  using at = await sites();
  const { kv, opened, sites: store } = at;
  await store.create(ACME);
  const key = ["credentials", "acme", "cms"];
  const { value: sealed } = await kv.get<Sealed>(key);
  assert.equal(sealed!.to, "https://a.example");
  await kv.set(key, { ...sealed, to: "https://thief.example" });
  await rewrite(kv, "acme", { base_url: "https://thief.example" });
  await assert.rejects(opened().secret("acme", "cms"), { code: "E_INTERNAL", message: /was damaged/ });
  const { to: _, ...plain } = sealed!;
  await kv.set(key, plain);
  await assert.rejects(opened().secret("acme", "cms"), { code: "E_INTERNAL", message: /was damaged/ });
});

Deno.test("what an older version sealed is read, and sealed for its place by the next change of its site", async () => {
  using at = await sites();
  const { kv, sealer, opened, sites: store } = at;
  await store.create(ACME);
  const key = ["credentials", "acme", "cms"];
  await kv.set(key, await sealer.seal(JSON.stringify(CMS), key));
  const again = opened();
  assert.deepEqual(await again.secret("acme", "cms"), CMS);
  assert.ok(await again.update("acme", { name: "B" }));
  assert.equal((await kv.get<Sealed>(key)).value!.to, "https://a.example");
  assert.deepEqual(await again.secret("acme", "cms"), CMS);
});

Deno.test("a site that gets its first address takes its credentials there, sealed for it", async () => {
  using at = await sites();
  const { kv, opened, sites: store } = at;
  await store.create({ id: "acme", name: "A", platform: "cms", credentials: { cms: CMS, crm: CRM } });
  const to = async (kind: string) => (await kv.get<Sealed>(["credentials", "acme", kind])).value!.to;
  assert.deepEqual([await to("cms"), await to("crm")], ["nowhere", "settings"]);
  const moved = await store.update("acme", { base_url: "https://a.example" });
  assert.deepEqual(moved!.dropped, []);
  assert.deepEqual([await to("cms"), await to("crm")], ["https://a.example", "settings"]);
  assert.deepEqual(await opened().secret("acme", "cms"), CMS);
});
