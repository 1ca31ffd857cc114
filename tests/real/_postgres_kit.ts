/** What the tests of a store in PostgreSQL share: databases of their own, refusals, and waiting until something is so. */
import assert from "node:assert/strict";
import { openMarked } from "../../store/opening.ts";
import { openPostgres } from "../../store/postgres/kv.ts";
import { Sealer } from "../../store/seal.ts";
import { KEY } from "../unit/store/kit.ts";
import type { Postgres } from "./_postgres.ts";

/** A KV in a database of its own, closed at the end of the block. */
export async function opened(server: Postgres, change: (address: string) => string = (address) => address) {
  const address = await server.database();
  const name = new URL(address).pathname.slice(1);
  const kv = await openPostgres(change(address));
  return { address, name, kv, [Symbol.asyncDispose]: () => kv.close() as unknown as Promise<void> };
}

/** What opening says. */
export async function refused(path: string): Promise<string> {
  const sealer = await Sealer.open([KEY]);
  return await openMarked({ path, sealer, deadline_ms: 8000 }).then(
    ({ kv }) => assert.fail(`opened: ${kv.close()}`),
    (error) => error.message,
  );
}

/** Waits until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Has now() of a database tell another time than that of the machine. */
export async function skew(server: Postgres, name: string, hours: number): Promise<void> {
  await server.sql(
    `create or replace function public.now() returns timestamptz language sql stable as
       'select pg_catalog.now() + interval ''${hours} hours''';
     alter database ${name} set search_path = public, pg_catalog`,
    name,
  );
}
