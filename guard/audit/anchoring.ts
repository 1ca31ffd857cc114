/** The daily anchor: how far the audit and the records are, written where who can write the store may not reach. */
import type { Anchor, AnchorStore, Store } from "../../store/store.ts";
import type { Jobs } from "../jobs.ts";
import type { Happening, Tell } from "../webhooks/tell.ts";

/** What an anchor is made of, and where it goes. */
export interface AnchoringPorts {
  readonly store: {
    readonly anchors: Pick<AnchorStore, "make">;
    readonly webhooks: Pick<Store["webhooks"], "mark">;
  };
  readonly jobs: Pick<Jobs, "run">;
  log(event: Record<string, unknown>): void;
  /** Adds a line to the file of this machine; rejects where it has none. */
  readonly keep: (line: string) => Promise<void>;
  /** Rejects where the store fails. */
  readonly tell: Tell;
}

/** A longer one does not fit into what is kept of a delivery. */
const TOLD_CHARACTERS_MAX = 30 * 1024;
const TYPE = "audit.anchored";

/** Writes an anchor whenever it runs: a line of the log, one of the machine's file, and once a day what webhooks are told. */
export class Anchoring {
  constructor(private readonly ports: AnchoringPorts) {}

  /** Each instance writes its own, for each machine has a file and a log of its own. Never throws: what fails is tried again. */
  async run(): Promise<void> {
    await this.ports.jobs.run("audit anchor", () => this.#write());
  }

  async #write(): Promise<true> {
    const { store, log, keep } = this.ports;
    const anchor: Anchor = await store.anchors.make();
    const line = JSON.stringify(anchor);
    log({ event: "audit_anchor", anchor });
    await keep(`${line}\n`).catch((error) => log({ event: "audit_anchor_not_kept", cause: String(error) }));
    await this.#tell(anchor, line).catch((error) =>
      log({ event: "webhook_not_told", type: TYPE, cause: String(error) })
    );
    return true;
  }

  /** Of several instances the first one of a day tells: the mark of the day is kept in the commit of what is told. */
  async #tell(anchor: Anchor, line: string): Promise<void> {
    const { store: { webhooks }, tell } = this.ports;
    const told = await tell(anchored(anchor, line));
    if (told.length > 0) await webhooks.mark(TYPE, ["day"], anchor.at.slice(0, "2026-01-01".length), told);
  }
}

/** An anchor was made. It is of no site, so a webhook of a project is not told. */
const anchored = (anchor: Anchor, line: string): Happening => ({
  type: TYPE,
  sites: [],
  data: () => ({
    summary:
      `How far the audit is on ${anchor.at}; keep it to find out later whether something of it is missing`,
    path: "/admin",
    more: { anchor: line.length <= TOLD_CHARACTERS_MAX ? anchor : null },
  }),
});
