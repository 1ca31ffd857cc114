/** The statements that PostgreSQL is sent, and their parameters: each change is one of them. */
import { Buffer } from "node:buffer";
import type { Compiled } from "./change.ts";

/** The table of the store, and the one that tells which layout it has. */
export const TABLE = "gateway_kv";
export const LAYOUT_TABLE = "gateway_kv_layout";

/** A statement that is prepared once a connection, by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What PostgreSQL's own catalogue calls the types of elements. */
const BYTEA = 17;
const TEXT = 25;

/** A list as the one parameter that PostgreSQL reads it from, in its binary form, so that bytes stay as they are. */
function listOf(type: number, elements: readonly (Uint8Array | string | null)[]): Buffer {
  const parts = elements.map((one) => one === null ? null : Buffer.from(one as string));
  const head = 20;
  const size = parts.reduce((sum, part) => sum + 4 + (part?.length ?? 0), parts.length === 0 ? 12 : head);
  const list = Buffer.alloc(size);
  list.writeInt32BE(parts.length === 0 ? 0 : 1, 0); // dimensions
  list.writeInt32BE(parts.includes(null) ? 1 : 0, 4);
  list.writeInt32BE(type, 8);
  if (parts.length === 0) return list;
  list.writeInt32BE(parts.length, 12);
  list.writeInt32BE(1, 16); // where counting begins
  let at = head;
  for (const part of parts) {
    list.writeInt32BE(part?.length ?? -1, at);
    at += 4;
    if (part !== null) at += part.copy(list, at);
  }
  return list;
}

const bytesList = (elements: readonly (Uint8Array | null)[]) => listOf(BYTEA, elements);
const textList = (elements: readonly (string | null)[]) => listOf(TEXT, elements);

/** Rows that have not expired, by the clock of the database, whose own times they carry. */
const LIVE = "(expires_at is null or expires_at > now())";
const COLUMNS = "key, value, kind, counter::text as counter, version";

/** How many milliseconds a row has left, for whoever asks what becomes of it. */
const LEFT = "(extract(epoch from expires_at - now()) * 1000)::text as left_ms";
const columnsOf = (tellsLife: boolean) => tellsLife ? `${COLUMNS}, ${LEFT}` : COLUMNS;

/** The rows of some keys. */
export const readKeys = (keys: readonly Uint8Array[]): Statement => ({
  name: "read",
  text: `select ${COLUMNS} from ${TABLE} where key = any($1::bytea[]) and ${LIVE}`,
  values: [bytesList(keys)],
});

/** The rows from one key up to but not including another, as many as that from either side. */
export const readRange = (
  start: Uint8Array,
  end: Uint8Array,
  count: number,
  { reverse, tellsLife }: { readonly reverse: boolean; readonly tellsLife: boolean },
): Statement => ({
  name: `${reverse ? "list_down" : "list_up"}${tellsLife ? "_life" : ""}`,
  text: `select ${columnsOf(tellsLife)} from ${TABLE} where key >= $1 and key < $2 and ${LIVE} order by key ${
    reverse ? "desc" : "asc"
  } limit $3`,
  values: [Buffer.from(start), Buffer.from(end), count],
});

/** What stands for a time that has always been over. */
const GONE = "gone";

/** How many rows with that version are among those keys. */
export const countVersion = (keys: readonly Uint8Array[], version: Uint8Array): Statement => ({
  name: "count_version",
  text: `select count(*)::int as found from ${TABLE} where key = any($1::bytea[]) and version = $2`,
  values: [bytesList(keys), Buffer.from(version)],
});

/** How many processes of that id the server has. */
export const countWorkers = (worker: number): Statement => ({
  name: "count_workers",
  text: "select count(*)::int as found from pg_stat_activity where pid = $1",
  values: [worker],
});

/** The connections to this database that call themselves that, and since when in ISO 8601. */
export const listOthers = (application: string): Statement => ({
  name: "others",
  text: `select pid, host(client_addr) as address,
    to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from pg_stat_activity where datname = current_database() and application_name = $1`,
  values: [application],
});

/** Deletes some rows that have expired. */
export const sweep = (count: number): Statement => ({
  name: "sweep",
  text: `delete from ${TABLE} where expires_at <= now() and key in
    (select key from ${TABLE} where expires_at <= now() limit $1)`,
  values: [count],
});

/**
 * A change: rows that must have a version are locked and judged first, and all else happens only if they have it. A key
 * that must not be there is made by an insert that meets no row but one that has expired. Where it meets another one the
 * statement fails by a division by zero, where a number is added to what is none by a text that is no number: nothing of
 * it is kept then. Where the database is set to answer before a change is on its disk, this one is waited for.
 */
const CHANGE = `
with checked as (
  select stored.version = given.version and (stored.expires_at is null or stored.expires_at > now()) as holds
  from ${TABLE} as stored join unnest($1::bytea[], $2::bytea[]) as given (key, version) on stored.key = given.key
  order by stored.key for update of stored
), verdict as (
  select count(*) filter (where holds) = cardinality($1::bytea[]) as holds from checked
), sets as (
  insert into ${TABLE} as stored (key, value, kind, version, counter, expires_at)
  select given.key, given.value, given.kind::smallint, $3::bytea, given.counter::numeric,
    case given.expires_in when '${GONE}' then '-infinity'
      else now() + given.expires_in::double precision * interval '1 millisecond' end
  from unnest($4::bytea[], $5::bytea[], $6::text[], $7::text[], $8::text[])
    as given (key, value, kind, counter, expires_in), verdict
  where verdict.holds
  order by given.key
  on conflict (key) do update set value = excluded.value, kind = excluded.kind, version = excluded.version,
    counter = excluded.counter, expires_at = excluded.expires_at
  where stored.key <> all($9::bytea[]) or stored.expires_at <= now()
  returning 1
), adds as (
  insert into ${TABLE} as stored (key, value, kind, version, counter, expires_at)
  select given.key, '', 2, $3::bytea, given.counter::numeric, null
  from unnest($10::bytea[], $11::text[]) as given (key, counter), verdict
  where verdict.holds
  order by given.key
  on conflict (key) do update set value = '', kind = 2, version = excluded.version, expires_at = null,
    counter = (case when stored.expires_at <= now() then 0 else stored.counter end + excluded.counter)
      % 18446744073709551616
  where stored.kind = 2 or stored.expires_at <= now()
  returning 1
), removes as (
  delete from ${TABLE} as stored using verdict where verdict.holds and stored.key = any($12::bytea[])
  returning 1
)
select verdict.holds,
  1 / case when verdict.holds and (select count(*) from sets) < cardinality($4::bytea[]) then 0 else 1 end as made,
  (case when verdict.holds and (select count(*) from adds) < cardinality($10::bytea[]) then 'none' else '1' end)::int
    as added,
  (select count(*) from removes) as removed,
  case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', true) end
    as waited_for
from verdict`;

/** The codes by which a change says that a key is there, and that something is no number. */
export const TAKEN = "22012";
export const NO_NUMBER = "22P02";

/** The change under a version of its own. */
export function change(compiled: Compiled, version: Uint8Array): Statement {
  const { present, absent, sets, adds, removes } = compiled;
  return {
    name: "change",
    text: CHANGE,
    values: [
      bytesList(present.map(([key]) => key)),
      bytesList(present.map(([, version]) => version)),
      Buffer.from(version),
      bytesList(sets.map(([key]) => key)),
      bytesList(sets.map(([, { value }]) => value)),
      textList(sets.map(([, { kind }]) => String(kind))),
      textList(sets.map(([, { counter }]) => counter === null ? null : String(counter))),
      textList(
        sets.map(([, { expiresIn }]) =>
          expiresIn === -Infinity ? GONE : expiresIn === null ? null : String(expiresIn)
        ),
      ),
      bytesList(absent),
      bytesList(adds.map(([key]) => key)),
      textList(adds.map(([, by]) => String(by))),
      bytesList(removes),
    ],
  };
}
