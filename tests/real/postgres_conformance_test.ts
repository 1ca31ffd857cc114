/** What the store relies on holds on PostgreSQL, in the collation of the machine and in another one. */
import { conform } from "../unit/store/conformance.ts";
import { postgresOn } from "../unit/store/engines.ts";
import { onPostgres } from "./_postgres.ts";

conform(postgresOn(onPostgres()));
