/** Where a request comes from, for whoever has the request alone: noted as it arrives, and read only where it matters. */

/** What is known of a sender. */
export interface Sender {
  /** As attempts are counted: an IPv6 address by its network of 64 bits; "unknown" is one place. */
  counted(): string;
  /** Its address; null where that is not known. */
  exact(): string | null;
}

const NOBODY: Sender = { counted: () => "unknown", exact: () => null };
/** Kept on the request itself: a map of all requests would cost each of them its place, and the collector a look. */
const SENDER = Symbol("sender");

type Noted = Request & { [SENDER]?: Sender };

/** Tells of the sender of a request. */
export const rememberSender = (request: Request, sender: Sender): void => {
  (request as Noted)[SENDER] = sender;
};

/** Who sent it; of a request that nobody told of, somebody at an unknown place. */
export const senderOf = (request: Request): Sender => (request as Noted)[SENDER] ?? NOBODY;
