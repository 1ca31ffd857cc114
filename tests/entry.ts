/** What `tests/run.ts` starts: one process for many test modules, so that the service is loaded once for all of them. */
import { importAll } from "./processor_time.ts";

await importAll(JSON.parse(Deno.env.get("TEST_MODULES")!));
