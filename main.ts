/** Starts the gateway: reads the settings, opens it, schedules its clocks, serves until told to stop. */
import { devEnvironment } from "./admin/dev_secrets.ts";
import { makeUp, schedule } from "./gateway/clocks.ts";
import { openGateway, readRegistry } from "./gateway/wire.ts";
import { isTelemetryOn, startTelemetry } from "./gateway/telemetry.ts";
import { delay, ended } from "./core/async.ts";
import { freePort } from "./core/listening.ts";
import { logged, logText, say } from "./core/say.ts";
import { LIMITS } from "./core/model.ts";
import type { Connectors } from "./registry/connectors.ts";
import { isOutOfFiles } from "./registry/files.ts";
import { serve } from "./gateway/serve.ts";
import { processEnvironment, readSettings, type Settings, unusedDatabase } from "./core/settings.ts";
import { hasStore, KNOWN_STORES_PATH } from "./store/known_stores.ts";

/** What stops the clocks, so that nothing keeps the process alive. */
const clocks = new AbortController();
/** How long a process with telemetry may take to end by itself. */
const END_MS = 1000;

/**
 * Ends, once its log is written or nobody reads it. With telemetry it ends by itself, for the runtime asks this thread for
 * figures of V8 whenever it sends some: `Deno.exit` waits for that sending, and for ever where the thread was just asked.
 */
async function end(code: number): Promise<void> {
  await ended(logged(), LIMITS.LOG_END_MS);
  if (!isTelemetryOn(processEnvironment)) Deno.exit(code);
  clocks.abort();
  Deno.exitCode = code;
  Deno.unrefTimer(setTimeout(() => Deno.exit(code), END_MS));
}

/** Ends with a message for the operator, never a stack trace. */
async function fail(error: unknown): Promise<void> {
  logText(error instanceof Error ? error.message : String(error));
  await end(1);
}

function settings(env: (name: string) => string | undefined, { settings }: Connectors): Settings {
  return Deno.args.includes("--dev")
    ? readSettings(devEnvironment(env, hasStore), "dev", settings)
    : readSettings(env, "start", settings, hasStore);
}

/** The settings with PORT 0 made a port that is free, for the gateway's own address is part of what it serves. */
function settled(connectors: Connectors): Settings {
  const asked = settings(processEnvironment, connectors);
  if (asked.port !== 0) return asked;
  const free = String(freePort(asked.host));
  return settings((name) => name === "PORT" ? free : processEnvironment(name), connectors);
}

try {
  const registry = await readRegistry();
  const checked = settled(registry.connectors);
  const unused = unusedDatabase(processEnvironment, checked);
  if (unused !== null) say(Deno.stdout, unused);
  const gateway = await openGateway(checked, registry, { storage: { known: KNOWN_STORES_PATH } });
  await startTelemetry(processEnvironment, gateway, clocks.signal);
  schedule(gateway, { signal: clocks.signal });
  await gateway.doubts.begin();
  const ending = await serve(gateway, checked, (address) => {
    say(Deno.stdout, `The gateway answers at ${address}`);
    // Not needed to answer, and refused as soon as it does; what could not be opened is read when it is needed.
    registry.proxies().catch((fault) => {
      if (!isOutOfFiles(fault)) return fail(fault);
      gateway.log({ event: "proxied_tools_unread", cause: String(fault) });
    });
    void gateway.webhooks.run(); // what a process that was killed has left
    void gateway.watch.run().catch((fault) =>
      gateway.log({ event: "job_failed", job: "vendor watch", cause: String(fault) })
    );
    void makeUp(gateway.snapshots, () => delay(LIMITS.SNAPSHOT_LEASE_MS));
  });
  await end(ending === "told" ? 0 : 1); // the clocks would keep the process alive
} catch (error) {
  await fail(error);
}
