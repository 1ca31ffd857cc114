/** Records that somebody else wrote into the store: health names those of every kind at once, and is told all else of itself. */
import assert from "node:assert/strict";
import type { HealthReport } from "../../admin/health.ts";
import { REGISTERED } from "../../store/registers.ts";
import { gateway, site } from "../kit.ts";
import { operator } from "../people/kit.ts";
import { command } from "./proxied_kit.ts";

/** A gateway with a site, and its KV beneath what proves its records. */
async function opened() {
  let kv: Deno.Kv | undefined;
  const around = (opened: Deno.Kv) => kv = opened;
  const gw = await gateway({ storage: { around }, sites: [site("acme", "cms")] });
  return { gw, kv: kv!, [Symbol.asyncDispose]: () => gw[Symbol.asyncDispose]() };
}

Deno.test("a record of somebody else's of any kind is named by gateway health, with what to do, and it ends with 1", async () => {
  await using at = await opened();
  const { gw, kv } = at;
  assert.deepEqual((await operator(gw, "GET", "health")).result.foreign, []);
  for (const kind of REGISTERED) await kv.set([kind, "eve"], { id: "eve", of: "somebody else" });
  const { result } = await operator(gw, "GET", "health") as { result: HealthReport };
  const sentences = REGISTERED.map((kind) => `The record ["${kind}","eve"] was not written by the gateway`);
  assert.deepEqual([result.ok, result.foreign], [false, sentences]);
  const { code, out } = await command(gw, "gateway", "health");
  assert.equal(code, 1);
  for (const sentence of sentences) assert.ok(out.includes(`${sentence}.\n`), out);
  assert.match(
    out,
    /Calls that need these records are refused\. Find out who wrote there; .*store accept-records\)\.\n/,
  );
  for (const kind of REGISTERED) await kv.delete([kind, "eve"]);
  const after = (await operator(gw, "GET", "health")).result as HealthReport;
  assert.deepEqual([after.ok, after.foreign], [true, []]);
});

Deno.test("a record that was changed, one that is gone and an older register that was put back are named beside each other", async () => {
  await using at = await opened();
  const { gw, kv } = at;
  const old: Deno.KvEntry<unknown>[] = [];
  for (const prefix of [["tokens"], ["registers", "tokens"]]) {
    for await (const entry of kv.list({ prefix })) old.push(entry);
  }
  const root = await kv.get(["registers", "tokens"]);
  const [token] = await gw.store.tokens.list();
  await gw.store.tokens.revoke(token!.id);
  const { value } = await kv.get<object>(["sites", "acme"]);
  await kv.set(["sites", "acme"], { ...value, base_url: "https://thief.example" });
  await kv.delete(["credentials", "acme", "cms"]);
  for (const { key, value } of old) await kv.set(key, value);
  await kv.set(root.key, root.value);
  const { result } = await operator(gw, "GET", "health") as { result: HealthReport };
  assert.deepEqual([...result.foreign].sort(), [
    "1 of the credentials were removed, and not by the gateway",
    'The record ["sites","acme"] is not as the gateway wrote it: it was changed, or an older one was put back',
    "The register of the tokens is missing, or was changed or put back, and not by the gateway",
  ]);
  assert.equal(result.ok, false);
  assert.match(result.clock, /^2/, "what does not need them is told");
});
