/** Held writes: a site runs a tool in a transaction, keeps it only where its effects are allowed, and tells them exactly. */
import { z } from "zod";
import { oneLine } from "../../core/one_line.ts";
import type { Capability } from "../_connector/connector.ts";
import type { PublishGrant } from "../_http/request.ts";

/** The header that asks for a held run, and the one that answers it (docs/upstreams/wordpress.md, "Held calls"). */
export const HOLD_HEADER = "x-site-ops-hold";
const HELD_HEADER = "x-site-ops-held";
/**
 * The method of a held call, which only the plugin knows: it makes it the method that the tool server knows, once it holds.
 * A site that lost its plugin since it was asked runs nothing.
 */
export const HELD_METHOD = "site-ops/tools/call";
/** The header that proves that a paired gateway sent the request. */
export const SIGNATURE_HEADER = "x-site-ops-signature";

/** What a site says of itself, as a part of our sentences: a title or a reason may be anybody's text. */
export const said = (characters: number) => z.string().transform((text) => oneLine(text, characters));

const LABEL_CHARACTERS = 40;
/** More kinds of effects than there are. */
const LABELS_MAX = 40;
const WHAT_CHARACTERS = 600;
const NAME_CHARACTERS = 120;
/** The most that is told of why a site did not do something. */
export const WHY_CHARACTERS = 300;

/** Kinds of effects, each once. */
export const SAID_LABELS = z.array(said(LABEL_CHARACTERS)).transform((all) =>
  [...new Set(all)].slice(0, LABELS_MAX)
);

const text = z.string().catch("");
const nullable = z.string().nullable().catch(null);

const EFFECT = z.object({
  label: said(LABEL_CHARACTERS),
  what: said(WHAT_CHARACTERS),
  change: z.enum(["made", "changed", "removed"]).catch("changed"),
  table: nullable,
  key: nullable,
  post: z.object({
    id: z.coerce.number().int(),
    type: said(LABEL_CHARACTERS).catch(""),
    title: text,
    status_before: nullable,
    status_after: nullable,
  }).nullable().catch(null),
  fields: z.array(z.object({ name: said(NAME_CHARACTERS), from: z.unknown(), to: z.unknown() })).catch([]),
});

/** One row that a held run changed, or something beside the database. */
export type HeldEffect = z.infer<typeof EFFECT>;

/** How a held run could be set back: by an image that the site alone can read, or why it cannot be, a sentence's part. */
const SETBACK = z.object({
  why: said(WHY_CHARACTERS).nullable(),
  image: z.string().min(1).optional(),
  sum: z.string().min(1).optional(),
}).optional().catch(undefined);

/** What a held run did, or would have done. */
export const HELD_EFFECTS = z.object({
  digest: text,
  /** The kinds of all effects, listed or not. */
  labels: SAID_LABELS,
  effects: z.array(EFFECT),
  /** How many more there are than are listed. */
  more: z.number().int().nonnegative().catch(0),
  /** Left out by a plugin before 1.5.0. */
  setback: SETBACK,
});

/** What a held run did, or would have done. */
export type HeldEffects = z.infer<typeof HELD_EFFECTS>;

/** A run that was rolled back: a dry run, or one that was not allowed. */
export const ROLLED_BACK = HELD_EFFECTS.extend({
  id: z.string(),
  outcome: z.literal("rolled_back"),
  why: said(WHY_CHARACTERS).catch(""),
  /** What the tool itself answered. */
  answer: z.object({ status: z.number().int(), body: z.unknown() }).nullable().catch(null),
});

/** Whether tools of a site can run held just now; `why` is a sentence's part. */
export type HoldState =
  | {
    readonly ready: true;
    readonly version: string;
    /** Whether held calls are sent with HELD_METHOD. */
    readonly own_method: boolean;
  }
  | { readonly ready: false; readonly why: string; readonly may_pair: boolean };

/** What became of a held call that should have been kept. */
export type Receipt = ({ readonly outcome: "committed" } & HeldEffects) | { readonly outcome: "none" };

/** The key that a site gave to this gateway. */
export interface PairedKey {
  readonly key_id: string;
  readonly key: string;
}

/** The hold of one site. */
export interface HoldsClient {
  /** As the site reported it within the last 10 s, proven by a dry run of its own. Throws E_UPSTREAM. */
  state(): Promise<HoldState>;
  /** Waits for a run under way, within the call's deadline. Throws E_UPSTREAM where it cannot be told. */
  settle(id: string): Promise<Receipt>;
  /** The site refused to hold a call although it said that it can: it is asked anew. */
  forget(): void;
  /**
   * Shows what writing an image of the site's own back would do; nothing is kept. Throws E_STALE_PREVIEW where a row is not
   * as the call left it, E_FORBIDDEN_OP for what the site does not take, E_UPSTREAM.
   */
  rehearseSetback(image: string): Promise<{ readonly id: string; readonly held: HeldEffects }>;
  /**
   * Writes it back, if that does what the dry run showed; what visitors see takes the grant. `held` is null where the site
   * does not tell what it did. Throws E_STALE_PREVIEW, E_UPSTREAM.
   */
  setBack(
    image: string,
    order: { readonly expect: string; readonly grant?: PublishGrant | undefined },
  ): Promise<{ readonly id: string; readonly held: HeldEffects | null }>;
  /** Lets the site forget the rows that it keeps of a committed call. Throws E_UPSTREAM. */
  acknowledge(id: string): Promise<void>;
}

/** Held writes, whichever connector's site makes them possible. */
export const holds: Capability<HoldsClient> = { capability: "holds", noun: "Held writes" };

/** What the header of an answer says: `committed; id=…; digest=…`; null where it says no such thing. */
export function heldOf(headers: Headers): {
  readonly outcome: "rolled_back" | "committed" | "escaped";
  readonly id: string;
  readonly digest: string;
} | null {
  const said = headers.get(HELD_HEADER) ?? "";
  const found = /^(rolled_back|committed|escaped); ?id=([0-9a-f]{32})(?:; ?digest=([0-9a-f]{1,64}))?$/.exec(
    said,
  );
  if (found === null) return null;
  return { outcome: found[1] as "committed", id: found[2]!, digest: found[3] ?? "" };
}

/** An id for one held run. */
export const holdId = (): string => crypto.getRandomValues(new Uint8Array(16)).toHex();
