/** The daily anchor: how far the audit and the records are, written where who can write the store may not reach. */
import type { Anchor, AnchorStore } from "../../store/store.ts";

/** What an anchor is made of, and where it goes. */
export interface AnchoringPorts {
  readonly store: { readonly anchors: Pick<AnchorStore, "make"> };
  log(event: Record<string, unknown>): void;
  /** Adds a line to the file of this machine; rejects where it has none. */
  readonly keep: (line: string) => Promise<void>;
}

/** Writes an anchor whenever it runs: a line of the log, and one of the machine's file. */
export class Anchoring {
  constructor(private readonly ports: AnchoringPorts) {}

  /** Each instance writes its own, for each machine has a file and a log of its own. Rejects where the store does not answer. */
  async run(): Promise<void> {
    const { store, log, keep } = this.ports;
    const anchor: Anchor = await store.anchors.make();
    log({ event: "audit_anchor", anchor });
    await keep(`${JSON.stringify(anchor)}\n`).catch((error) =>
      log({ event: "audit_anchor_not_kept", cause: String(error) })
    );
  }
}
