/** Starts the gateway as main.ts does, with the tools of a further folder: `deno run bench/whole_gateway.ts <folder>`. */
import { schedule } from "../cron.ts";
import { openGateway } from "../gateway.ts";
import { serve } from "../serve.ts";
import { processEnvironment, readSettings } from "../settings.ts";
import { readWhole } from "./whole_catalogue.ts";

const registry = await readWhole(Deno.args[0]!);
const settings = readSettings(processEnvironment, "start", registry.connectors.settings);
const gateway = await openGateway(settings, registry);
schedule(gateway);
await serve(gateway, settings, () => {});
Deno.exit(0);
