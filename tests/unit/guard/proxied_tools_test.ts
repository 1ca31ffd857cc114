/** When sites' own tools are made anew: where a site or what is known of its tools has changed, and at no other time. */
import assert from "node:assert/strict";
import { ProxiedTools } from "../../../guard/proxied/source.ts";
import type { Site } from "../../../model.ts";

const SITE = { id: "acme", platform: "cms", base_url: "https://acme.example" } as Site;

Deno.test("sites that are read again and are the same, as after a new token, have no tools made anew", async () => {
  const store = { sites: [SITE], version: 1, loads: 0 };
  const tools = new ProxiedTools(
    {
      elapsed: () => performance.now(),
      store: {
        sites: { list: () => structuredClone(store.sites) },
        toolCatalogs: {
          version: () => store.version,
          list: () => {
            store.loads++;
            return Promise.resolve([]);
          },
        },
      },
    } as unknown as ConstructorParameters<typeof ProxiedTools>[0],
  );
  for (let nth = 0; nth < 3; nth++) await tools.fresh();
  assert.equal(store.loads, 1);
  store.sites = [{ ...store.sites[0]!, base_url: "https://new.example" } as Site];
  for (let nth = 0; nth < 3; nth++) await tools.fresh();
  assert.equal(store.loads, 2);
  store.version++;
  for (let nth = 0; nth < 3; nth++) await tools.fresh();
  assert.equal(store.loads, 3);
});

Deno.test("a store that fails is the failure of who asked, whichever of its answers fails later", async () => {
  const later = () => new Promise<never>((_, reject) => setTimeout(() => reject(new Error("disk")), 5));
  const store = {
    sites: { list: () => Promise.reject(new Error("disk")) },
    toolCatalogs: { version: later },
  };
  const ports = { elapsed: () => performance.now(), store } as unknown;
  const tools = new ProxiedTools(ports as ConstructorParameters<typeof ProxiedTools>[0]);
  const unhandled: unknown[] = [];
  const keep = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    unhandled.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", keep);
  await assert.rejects(async () => await tools.fresh(), /disk/);
  await later().catch(() => {});
  globalThis.removeEventListener("unhandledrejection", keep);
  assert.deepEqual(unhandled, []);
});
