/** A gateway as main.ts starts it, killed at STOP_AT of its next write, or of that of STOP_TOOL: spent, begun, written or kept; AHEAD_MS sets its clock. */
import { openGateway, readRegistry } from "../../gateway/wire.ts";
import { serve } from "../../gateway/serve.ts";
import { freePort } from "../../core/listening.ts";
import { processEnvironment, readSettings } from "../../core/settings.ts";
import type { Store } from "../../store/store.ts";
import { instead } from "../instead.ts";

const STOP_AT = Deno.env.get("STOP_AT");
/** How often it passes that point first: a set's own call is a write too, and each of its items. */
let passes = Number(Deno.env.get("STOP_AFTER") ?? 0);
const STOP_TOOL = Deno.env.get("STOP_TOOL");
const AHEAD_MS = Number(Deno.env.get("AHEAD_MS") ?? 0);

/** Never resolves where the process is to end here: nothing is flushed, closed or answered. */
async function reached(point: string, tool: string | undefined): Promise<void> {
  if (point !== STOP_AT || (STOP_TOOL !== undefined && tool !== STOP_TOOL) || passes-- > 0) return;
  Deno.kill(Deno.pid, "SIGKILL");
  await new Promise(() => {});
}

function stopping(store: Store): Store {
  const begun = new Set<string>();
  return {
    ...store,
    consents: instead(store.consents, {
      async spend(spendings, run) {
        const spent = await store.consents.spend(spendings, run);
        if (spent) await reached("spent", spendings[0]?.content.tool);
        return spent;
      },
    }),
    audit: instead(store.audit, {
      async append(row, beside) {
        const ends = begun.has(row.id);
        if (ends) await reached("written", row.tool);
        await store.audit.append(row, beside);
        if (ends) await reached("kept", row.tool);
        if (row.status !== "started") return;
        begun.add(row.id);
        await reached("begun", row.tool);
      },
    }),
  };
}

const port = String(freePort("127.0.0.1"));
const registry = await readRegistry();
const settings = readSettings(
  (name) => name === "PORT" ? port : processEnvironment(name),
  "start",
  registry.connectors.settings,
);
const gateway = await openGateway(settings, registry, {
  wrapStore: stopping,
  now: () => Date.now() + AHEAD_MS,
});
await gateway.doubts.begin();
await serve(gateway, settings, (address) => {
  Deno.stdout.writeSync(new TextEncoder().encode(`The gateway answers at ${address}\n`));
});
Deno.exit(0);
