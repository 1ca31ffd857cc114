/** Holds an exclusive lock on an SQLite file until its input ends. */
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(Deno.args[0] ?? "");
database.exec("BEGIN EXCLUSIVE");
Deno.stdout.writeSync(new TextEncoder().encode("locked\n"));
await Deno.stdin.read(new Uint8Array(1));
database.exec("ROLLBACK");
database.close();
