/** Writes audit entries and is killed between the intent and the outcome of one of them. */
import { openStore } from "../../../../store/kv.ts";
import { row } from "../kit.ts";

const [path = ""] = Deno.args;
const store = await openStore({
  path,
  keys: [new Uint8Array(32).fill(7)],
  siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
  tokenPrefix: "gate",
});
await store.audit.append(row("finished", { status: "started" }));
await store.audit.append(row("finished"));
await store.audit.append(row("cut-off", { status: "started", tool: "publish_post" }));
Deno.kill(Deno.pid, "SIGKILL");
