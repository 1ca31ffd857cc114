/** Erasing what is kept of a site or a person: begun by an operator, gone on with by a clock until nothing can be left. */
import { GatewayError } from "../../core/errors.ts";
import type { Erasure, ErasureOptions, ErasureReport, Store } from "../../store/store.ts";
import type { Jobs } from "../jobs.ts";
import { type Actor, adminRow, appendOrLog, OPERATOR, type RowSinks } from "./admin_row.ts";

/** The gateway itself, by its clock. */
const CLOCK: Actor = { token_id: "gateway", token_name: "erasure", owner_user_id: null };

/** What it stands on. */
export interface ErasingPorts extends RowSinks {
  readonly store: Pick<Store, "erasures">;
  readonly jobs: Pick<Jobs, "run">;
  newId(): string;
  now(): number;
}

/** Erasures, with the rows that say of them what and how much: no row says whose it was but by a hash, unless rows of it stay. */
export class Erasing {
  constructor(private readonly ports: ErasingPorts) {}

  /** What would be taken; null where nothing is known of it. */
  async preview(kind: Erasure, id: string, options?: ErasureOptions): Promise<ErasureReport | null> {
    return await this.ports.store.erasures.preview(kind, id, options);
  }

  /** Takes it; null where nothing is known of it. Throws E_BUSY while another erasure runs. */
  async erase(kind: Erasure, id: string, options?: ErasureOptions): Promise<ErasureReport | null> {
    const report = await this.ports.store.erasures.run(kind, id, options);
    if (report !== null) await this.#say(OPERATOR, report);
    return report;
  }

  /** When the last pass of one is due that is under way; null where none is. */
  async settlesAt(kind: Erasure, id: string): Promise<number | null> {
    return await this.ports.store.erasures.settlesAt(kind, id);
  }

  /** Goes on with what was cut off, and takes what calls have left that were under way. */
  async run(): Promise<void> {
    await this.ports.jobs.run("erasures", async () => {
      try {
        for (const report of await this.ports.store.erasures.resume()) await this.#say(CLOCK, report);
        return true;
      } catch (thrown) {
        if (thrown instanceof GatewayError && thrown.code === "E_BUSY") return false; // another instance is at it
        throw thrown;
      }
    });
  }

  async #say(by: Actor, report: ErasureReport): Promise<void> {
    const { newId, now } = this.ports;
    const { removed: site_id = null } = report;
    const row = adminRow(
      newId(),
      by,
      now(),
      `${report.kind}.${site_id === null ? "erase" : "remove"}`,
      report,
    );
    await appendOrLog(this.ports, { ...row, site_id });
  }
}
