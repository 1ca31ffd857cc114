/** Records of sites while connectors come and go, and what a change may name. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import type { NewSite, SiteInput, SiteShape } from "../../../store/store.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { open } from "./kit.ts";
import { folder } from "../../folder.ts";

const PAGER: SiteShape = {
  blank: (given) => ({ ...SITE_SHAPE.blank(given), pager_id: null, pager: { loud: false, times: "3" } }),
  credentialKinds: [...SITE_SHAPE.credentialKinds, "pager"],
  addressBound: SITE_SHAPE.addressBound,
};
/** A connector's fields before they grew. */
const SMALLER: SiteShape = {
  ...PAGER,
  blank: (given) => ({ ...PAGER.blank(given), pager: { loud: false } }),
};
const ACME: NewSite = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.example" };

type Loose = Site & Readonly<Record<string, unknown>>;

/** Opens the same file with another shape. */
async function under<T>(
  path: string,
  siteShape: SiteShape,
  work: (store: Awaited<ReturnType<typeof open>>) => Promise<T>,
): Promise<T> {
  await using store = await open({ path, siteShape });
  return await work(store);
}

async function onFile(work: (path: string) => Promise<void>): Promise<void> {
  await using place = await folder();
  await work(`${place.path}/kv.sqlite3`);
}

Deno.test("a record kept before a connector brought its field is read with the initial value, and keeps it", async () => {
  await onFile(async (path) => {
    await under(path, SITE_SHAPE, (store) => store.sites.create(ACME));
    await under(path, PAGER, async ({ sites }) => {
      const read = await sites.get("acme") as Loose;
      assert.deepEqual([read.pager_id, read.pager], [null, { loud: false, times: "3" }]);
      assert.deepEqual(await sites.list(), [read]);
      const patch = { name: "New", pager: { loud: true } } as SiteInput;
      const changed = (await sites.update("acme", patch))?.site as Loose;
      assert.deepEqual([changed.name, changed.pager_id, changed.pager], ["New", null, {
        loud: true,
        times: "3",
      }]);
    });
  });
});

Deno.test("a record kept before a field grew a key is read with that key", async () => {
  await onFile(async (path) => {
    await under(path, SMALLER, async ({ sites }) => {
      await sites.create({ ...ACME, pager: { loud: true } } as NewSite);
    });
    await under(path, PAGER, async ({ sites }) => {
      assert.deepEqual((await sites.get("acme") as Loose).pager, { loud: true, times: "3" });
    });
  });
});

Deno.test("what a connector that is gone left in a record comes back with it, its credential too", async () => {
  await onFile(async (path) => {
    const credentials = { pager: { token: "secret" } } as unknown as NewSite["credentials"];
    await under(path, PAGER, async ({ sites }) => {
      await sites.create({ ...ACME, credentials, pager_id: "p1" } as NewSite);
    });
    await under(path, SITE_SHAPE, async ({ sites }) => {
      const patch = { name: "New", pager_id: "p2" } as SiteInput;
      const changed = (await sites.update("acme", patch))?.site as Loose;
      assert.equal(changed.name, "New");
      assert.equal(changed.pager_id, "p1", "a field that no connector names cannot be set");
    });
    await under(path, PAGER, async ({ sites }) => {
      const back = await sites.get("acme") as Loose;
      assert.deepEqual([back.name, back.pager_id, back.credentials], ["New", "p1", ["pager"]]);
      assert.deepEqual(await sites.secret("acme", "pager" as "cms"), { token: "secret" });
    });
  });
});

Deno.test("a site that moves loses the credential of a connector that is gone: nobody knows where it belongs", async () => {
  await onFile(async (path) => {
    const credentials = { pager: { token: "secret" } } as unknown as NewSite["credentials"];
    await under(path, PAGER, ({ sites }) => sites.create({ ...ACME, credentials }));
    await under(path, SITE_SHAPE, async ({ sites }) => {
      const moved = await sites.update("acme", { base_url: "https://other.example" });
      assert.deepEqual([moved?.dropped, moved?.site.credentials], [["pager"], []]);
    });
    await under(path, PAGER, async ({ sites }) => {
      assert.equal(await sites.secret("acme", "pager" as "cms"), null);
    });
  });
});

Deno.test("a change cannot set what no connector names, or what the store keeps itself", async () => {
  await using store = await open();
  const before = await store.sites.create(ACME);
  assert.ok(before);
  const own = {
    id: "other",
    platform: "static",
    created_at: "1999-01-01T00:00:00.000Z",
    updated_at: "1999-01-01T00:00:00.000Z",
    credentials_version: 99,
    fax: "1",
    constructor: "2",
  };
  const after = (await store.sites.update("acme", { ...own, name: "New" } as SiteInput))?.site as Loose;
  const { updated_at } = after;
  assert.deepEqual(after, { ...before, name: "New", updated_at });
  assert.notEqual(updated_at, own.updated_at);
  const made = await store.sites.create({ ...own, ...ACME, id: "beta" } as NewSite) as Loose;
  assert.deepEqual([made.credentials_version, Object.hasOwn(made, "fax")], [0, false]);
  assert.notEqual(made.created_at, own.created_at);
});

Deno.test("a field that holds an object is merged key by key, and so are the flags", async () => {
  await using store = await open();
  await store.sites.create(ACME);
  const steps: [SiteInput, Site["seo"]][] = [
    [{ seo: { channel: "plugin" } } as SiteInput, { enabled: false, channel: "plugin" }],
    [{ seo: { enabled: true } } as SiteInput, { enabled: true, channel: "plugin" }],
    [{ seo: { enabled: undefined } } as unknown as SiteInput, { enabled: true, channel: "plugin" }],
  ];
  for (const [patch, seo] of steps) {
    assert.deepEqual((await store.sites.update("acme", patch))?.site.seo, seo);
  }
  await store.sites.update("acme", { flags: { allow_publish: true } });
  const { flags } = (await store.sites.update("acme", { flags: { allow_crm_write: true } }))!.site;
  assert.deepEqual(Object.entries(flags).filter(([, set]) => set).map(([name]) => name), [
    "allow_publish",
    "allow_crm_write",
  ]);
});

Deno.test("a new cms site has the block builder unless told otherwise; others have none", async () => {
  await using store = await open();
  const builders = async (id: string, more: Partial<NewSite>) => {
    const made = await store.sites.create({ ...ACME, id, ...more });
    return [made?.available_builders, made?.default_builder];
  };
  assert.deepEqual(await builders("a", {}), [["block"], "block"]);
  assert.deepEqual(await builders("b", { available_builders: ["visual"] }), [["visual"], "visual"]);
  assert.deepEqual(await builders("c", { available_builders: ["block", "visual"] }), [
    ["block", "visual"],
    null,
  ]);
  assert.deepEqual(await builders("d", { default_builder: null }), [["block"], null]);
  assert.deepEqual(await builders("e", { platform: "static" }), [[], null]);
});
