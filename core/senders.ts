/** Where a request comes from, for whoever has the request alone: noted as it arrives, and read only where it matters. */

/** What is known of a sender. */
export interface Sender {
  /** As attempts are counted: an IPv6 address by its network of 64 bits; "unknown" is one place. */
  counted(): string;
  /** Its address; null where that is not known. */
  exact(): string | null;
}

const NOBODY: Sender = { counted: () => "unknown", exact: () => null };
const SENDERS = new WeakMap<Request, Sender>();

/** Tells of the sender of a request. */
export const rememberSender = (request: Request, sender: Sender): void => void SENDERS.set(request, sender);

/** Who sent it; of a request that nobody told of, somebody at an unknown place. */
export const senderOf = (request: Request): Sender => SENDERS.get(request) ?? NOBODY;
