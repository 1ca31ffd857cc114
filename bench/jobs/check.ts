/** What judges of jobs share. */
import type { World } from "./stand_ins.ts";

/** Collects what is missing. */
export class Check {
  readonly lacks: string[] = [];

  that(holds: boolean, lack: string): void {
    if (!holds) this.lacks.push(lack);
  }
}

/** Looks at the world, and at what the player answered, for what is missing of a job. */
export type Judge = (world: World, check: Check, answer: string) => Promise<void>;
