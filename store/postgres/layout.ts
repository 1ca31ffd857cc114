/** The tables of the store in PostgreSQL: made where they are not there, and known by a number. */
import { GatewayError } from "../../core/errors.ts";
import { quoted } from "../../core/fields.ts";
import { type Session, stateOf } from "./session.ts";
import { LAYOUT_TABLE, type Statement, TABLE } from "./statements.ts";

/** The layout that this version reads and writes. */
const LAYOUT = 1;
/** The oldest PostgreSQL with all that is used, by its own number. */
const OLDEST = 120_000;

const once = (name: string, text: string): Statement => ({ name, text, values: [] });

/** Keys and versions are bytes, which compare alike under every collation. */
const MADE = `
create table if not exists ${TABLE} (key bytea primary key, value bytea not null, kind smallint not null,
  version bytea not null, counter numeric(20), expires_at timestamptz);
create index if not exists ${TABLE}_expires_at on ${TABLE} (expires_at) where expires_at is not null;
create table if not exists ${LAYOUT_TABLE} (layout integer not null);
insert into ${LAYOUT_TABLE} select ${LAYOUT} where not exists (select 1 from ${LAYOUT_TABLE})`;

const IS_MADE = once("is_made", `select to_regclass('${LAYOUT_TABLE}') is not null as made`);
/** What the tables have at the least that are the gateway's. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  [TABLE]: ["key", "value", "kind", "version", "counter", "expires_at"],
  [LAYOUT_TABLE]: ["layout"],
};
const WANTED_COLUMNS = Object.entries(COLUMNS)
  .flatMap(([table, columns]) => columns.map((column, nth) => `('${table}', '${column}', ${nth})`));
/** The tables of these names that lack a column, with each that they lack. */
const MISSING = once(
  "missing",
  `select wanted.tab, wanted.col from (values ${WANTED_COLUMNS.join(", ")}) as wanted (tab, col, nth)
   where exists (select 1 from pg_class where oid = to_regclass(wanted.tab) and relkind in ('r', 'p')) and not exists
     (select 1 from pg_attribute where attrelid = to_regclass(wanted.tab) and attname = wanted.col and not attisdropped)
   order by wanted.tab, wanted.nth`,
);
const SERVER = once(
  "server",
  "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
);

/**
 * What the names of the two tables lead to, where that is no table, or one of somebody who may read and change what is in it:
 * whoever may not do so already, being neither this user, nor a role that this user belongs to, nor the owner of the database,
 * nor a superuser.
 */
const STRANGE = once(
  "strange",
  `select named.relname as name, owners.rolname as owner, named.relkind in ('r', 'p') as is_table
  from pg_class as named join pg_roles as owners on owners.oid = named.relowner
  where named.oid in (to_regclass('${TABLE}'), to_regclass('${LAYOUT_TABLE}')) and (
    named.relkind not in ('r', 'p') or not (
      owners.rolname = current_user or owners.rolsuper
      or owners.oid = (select datdba from pg_database where datname = current_database())
      or (pg_has_role(owners.oid, 'MEMBER') and not (select rolsuper from pg_roles where rolname = current_user))))
  order by named.relname`,
);

/** What another instance says that makes the same table at the same time. */
const MADE_ALREADY = ["23505", "42P07", "42710", "40P01", "40001"];
const TRIES_MAX = 5;

/** What is wanted of the tables where they are not there: that they are made, or that they are there. */
export type Wanted = "made" | "there";

/**
 * Makes the tables where that is wanted. Throws a GatewayError where the server is too old, the tables are of a newer
 * version, another program's or a stranger's, or they are not there and are only to be read; `name` is what the database is
 * called.
 */
export async function makeLayout(session: Session, name: string, wanted: Wanted): Promise<void> {
  const [server] = await session.read(SERVER);
  if (Number(server?.["number"]) < OLDEST) {
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: the database is PostgreSQL ${
        server?.["name"]
      }; version 12 or later is needed, and 15 is what was tried`,
    );
  }
  await assertOurs(session, name);
  const [found] = await session.read(IS_MADE);
  if (found?.["made"] !== true && wanted === "there") {
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: there is no store in ${name}: it has none of the gateway's tables; name the place of a store`,
    );
  }
  await assertOwned(session, name);
  if (found?.["made"] !== true) {
    await make(session);
    await assertOwned(session, name);
  }
  const layout = Number(
    (await session.read(once("layout", `select layout from ${LAYOUT_TABLE}`)))[0]?.["layout"],
  );
  if (layout === LAYOUT) return;
  throw new GatewayError(
    "E_INTERNAL",
    `KV_PATH: the tables of the database have layout ${layout}, and this version knows layout ${LAYOUT}; start the ` +
      "version that made them, or put back a copy from before it",
  );
}

/** Throws a GatewayError where somebody else could read and change what would be stored. */
async function assertOwned(session: Session, database: string): Promise<void> {
  const [strange] = await session.read(STRANGE);
  if (strange === undefined) return;
  const name = String(strange["name"]);
  throw new GatewayError(
    "E_INTERNAL",
    strange["is_table"] !== true
      ? `KV_PATH: ${name} in ${database} is no table, and the store's has that name; name another database or schema`
      : `KV_PATH: the table ${name} in ${database} belongs to ${
        quoted(String(strange["owner"]))
      }, who could read and change ` +
        `the store; where it is the store's, give it to the gateway's user (alter table ${name} owner to …), or name ` +
        "another database",
  );
}

/** Refuses tables of these names that another program made. */
async function assertOurs(session: Session, name: string): Promise<void> {
  const [missing] = await session.read(MISSING);
  if (missing === undefined) return;
  throw new GatewayError(
    "E_INTERNAL",
    `KV_PATH: the table ${
      missing["tab"]
    } in ${name} seems to be another program's and not this gateway's (it has no ` +
      `column "${
        missing["col"]
      }"); name another database, or a user whose search_path begins with another schema`,
  );
}

async function make(session: Session): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return await session.script(MADE);
    } catch (error) {
      if (tries === TRIES_MAX || !MADE_ALREADY.includes(stateOf(error) ?? "")) throw error;
    }
  }
}
