/** Appends audit entries as fast as it can, some as intent and outcome. */
import { openStore } from "../../../../store/kv.ts";
import { row } from "../kit.ts";

const [path = "", name = "", count = "0"] = Deno.args;
const CONCURRENT = 16;
const store = await openStore({
  path,
  keys: [new Uint8Array(32).fill(7)],
  siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
  tokenPrefix: "gate",
});
let next = 0;
async function work(): Promise<void> {
  while (next < Number(count)) {
    const id = `${name}-${next++}`;
    await store.audit.append(row(id, { status: "started", token_id: name }));
    await store.audit.append(row(id, { token_id: name }));
  }
}
await Promise.all(Array.from({ length: CONCURRENT }, work));
await store.close();
