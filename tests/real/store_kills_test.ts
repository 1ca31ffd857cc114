/** Gateways killed under load, on each engine of the store. */
import { killedInTurns } from "../store_kills.ts";
import { FILE, KV_CONNECT, postgresOn } from "../unit/store/engines.ts";
import { onPostgres } from "./_postgres.ts";

const server = onPostgres();
for (const engine of [FILE, KV_CONNECT, postgresOn(server)]) killedInTurns(engine);
