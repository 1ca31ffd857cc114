/** What is wrong with a PostgreSQL database, for the person who runs the gateway. */
import { quotedLine } from "../../core/one_line.ts";
import { rootOf } from "../database.ts";
import { stateOf } from "./session.ts";

/** By SQLSTATE, what follows the name of the database. */
const STATES: Readonly<Record<string, string>> = {
  "28P01": "refuses the password; give the right one, percent-encoded, in the address",
  "28000":
    "refuses this user or this machine; allow it in the database's pg_hba.conf, or use TLS (sslmode=require)",
  "3D000": "does not exist; make it (createdb), or name another one",
  "42501":
    "does not let this user make or use its tables; let it own gateway_kv and gateway_kv_layout, or where they are not there yet, grant it CREATE on the schema",
  "25006": "can only be read; name the primary, not a standby, and see to its default_transaction_read_only",
  "53100": "is on a disk that is full; make room on it and start again",
  "53300":
    "takes no more connections; raise its max_connections, or give each gateway fewer (pool=4 in the address)",
  "57014":
    "takes longer than five seconds for one statement; see what else it does, or whether a lock is held",
  "57P03": "is starting up or shutting down; wait for it and start again",
};

/** What the network says, in its usual names. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refuses connections; start it, or correct the address",
  ENOTFOUND: "is at a host that no name server knows; correct the address",
  EAI_AGAIN: "is at a host that the name server did not find just now; try again",
  EHOSTUNREACH: "cannot be reached; see to the network between",
  ENETUNREACH: "cannot be reached; see to the network between",
  ETIMEDOUT: "does not answer; see to the network between, and to its firewall",
  SELF_SIGNED_CERT_IN_CHAIN:
    "has a certificate that no authority known here signed; name its authority (sslrootcert=FILE)",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "has a certificate that no authority known here signed; name its authority (sslrootcert=FILE)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "has a certificate that no authority known here signed; name its authority (sslrootcert=FILE)",
};

/** The words that follow the name of the database in a message. */
export function explainPostgres(thrown: unknown): string {
  const cause = rootOf(thrown);
  const message = cause instanceof Error ? cause.message : String(cause);
  const state = stateOf(cause);
  if (state !== null) {
    return STATES[state] ?? `refuses what the store needs (${quotedLine(message)}, ${state})`;
  }
  const code = String((cause as { code?: unknown } | null)?.code ?? "");
  const known = NETWORK[code];
  if (known !== undefined) return known;
  if (message.includes("does not support SSL")) {
    return "has no TLS; turn it on there, or where nobody else is on the network add sslmode=disable to the address";
  }
  if (message.toLowerCase().includes("certificate")) {
    return `has a certificate that is not judged good (${
      quotedLine(message)
    }); name its authority (sslrootcert=FILE in the address)`;
  }
  if (message.includes("client password must be")) {
    return "asks for a password, and the address has none; write it behind the user, as postgres://user:password@host/database";
  }
  if (message.includes("terminated unexpectedly")) {
    return "takes connections and ends them before it answers; see that it is a PostgreSQL, and to its own log";
  }
  if (message.includes("timeout") || message.includes("not answered in time")) {
    return "has not answered in time; see to it, and to the network between";
  }
  return `cannot be opened or written (${quotedLine(message)})`;
}
