/** Looks a token and a site up again and again, and tells when each change of the other process is seen. */
import { openStore } from "../../../../store/kv.ts";

const [path = "", text = ""] = Deno.args;
/** No measure of how soon it is seen, which cache_test.ts counts: beyond it a change is not seen at all. */
const DEADLINE_MS = 60_000;
const store = await openStore({
  path,
  keys: [new Uint8Array(32).fill(7)],
  siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
  tokenPrefix: "gate",
});
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

async function seen(name: string, what: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + DEADLINE_MS;
  while (!await what()) {
    if (Date.now() > end) throw new Error("not seen in time");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  say(name);
}

await store.tokens.find(text);
await store.sites.get("acme");
say(store.tokens.find(text) instanceof Promise ? "not cached" : "cached");
await seen("flagged", async () => (await store.sites.get("acme"))?.flags.allow_publish === true);
await seen("revoked", async () => (await store.tokens.find(text))?.revoked_at !== null);
await store.close();
