/** What the demo has beside its sites: stand-ins that some of them are linked to, and what to try there. */
import type { Gateway } from "../gateway/wire.ts";

/** A call ready to be pasted. */
export type Paste = (tool: string, args: Readonly<Record<string, unknown>>) => string;

/** A write ready to be pasted, and then, in two blocks, how it is taken back. */
export type PasteUndone = (tool: string, args: Readonly<Record<string, unknown>>) => readonly string[];

/** One part of the demo, its stand-in running. */
export interface DemoPart {
  /** What leads the gateway there. */
  readonly env: Readonly<Record<string, string>>;
  /** Links the demo's sites to it, once they are registered. */
  register(gateway: Pick<Gateway, "store" | "snapshots" | "toolCatalogs">, baseUrl: string): Promise<void>;
  /** What to try: a heading, then what stands under it. */
  guide(address: string, paste: Paste, undone: PasteUndone): readonly [heading: string, ...lines: string[]];
  stop(): Promise<void>;
}
