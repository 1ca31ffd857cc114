/** What nobody caught in this process, heard in one place so that it does not end the process by itself. */

/** An error that an event or a timer threw, or a promise whose rejection nobody heard. */
export interface Uncaught {
  readonly kind: "error" | "rejection";
  /** With its stack, where it has one; addresses are left out, for they can hold a secret. */
  readonly cause: string;
}

/** Tells of each until disposed of; none of them ends the process meanwhile. */
export function onUncaught(told: (fault: Uncaught) => void): Disposable {
  const heard = (kind: Uncaught["kind"], event: Event, fault: unknown) => {
    event.preventDefault();
    told({ kind, cause: causeOf(fault) });
  };
  const error = (event: ErrorEvent) => heard("error", event, event.error ?? event.message);
  const rejection = (event: PromiseRejectionEvent) => heard("rejection", event, event.reason);
  addEventListener("error", error);
  addEventListener("unhandledrejection", rejection);
  return {
    [Symbol.dispose]() {
      removeEventListener("error", error);
      removeEventListener("unhandledrejection", rejection);
    },
  };
}

function causeOf(fault: unknown): string {
  const text = fault instanceof Error ? fault.stack ?? `${fault.name}: ${fault.message}` : String(fault);
  return text.replace(/https?:\/\/[^\s)]+/g, "(address)");
}
