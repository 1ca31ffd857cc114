/** Opens a store as the gateway does, and says "open" or the sentence that refuses it. */
import { openStore } from "../../../../store/kv.ts";

const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
try {
  const store = await openStore({
    path: Deno.args[0],
    keys: [new Uint8Array(32).fill(7)],
    siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
    tokenPrefix: "gate",
  });
  await store.close();
  say("open");
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
}
