/** What the store relies on holds on a server of KV Connect, as far as a stand-in shows. */
import { conform } from "./conformance.ts";
import { KV_CONNECT } from "./engines.ts";

conform(KV_CONNECT);
