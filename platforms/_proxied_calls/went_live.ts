/** What became public between two looks at a site, as far as its lists tell. */
import type { PublicItem, PublicKind, PublicSnapshot } from "../_content/public_content.ts";
import { LIMITS } from "../../core/model.ts";

/** Something that visitors find otherwise than before. */
export interface LiveItem {
  readonly id: number;
  readonly kind: string;
  /** What a visitor or an operator opens; empty where the site gave none that is one. */
  readonly address: string;
  /**
   * `live`: it was not public before. `changed`: it was, or may have been, and is another now. `due`: it went live by the
   * date it had before. `scheduled`: it goes live by itself at `date`. `gone`: it was public and is not.
   */
  readonly how: "live" | "changed" | "due" | "scheduled" | "gone";
  readonly date: string | null;
}

/** What of a kind is more than its list shows: so many went live that are not among those changed last. */
export interface Unseen {
  readonly kind: string;
  readonly count: number;
}

/** What two looks say. */
export interface Difference {
  readonly items: readonly LiveItem[];
  readonly unseen: readonly Unseen[];
  /** Of what kinds fewer are public or scheduled than before, where the lists do not show which. */
  readonly fewer: readonly Unseen[];
  /** What could not be compared, a sentence's part each. */
  readonly unread: readonly string[];
}

/** Compares two looks. Kinds that only one of them has are said not to have been compared. */
export function difference(before: PublicSnapshot, after: PublicSnapshot): Difference {
  const found: LiveItem[] = [];
  const unseen: Unseen[] = [];
  const fewer: Unseen[] = [];
  const unread = new Set([...before.unread, ...after.unread]);
  for (const now of after.kinds) {
    const then = before.kinds.find(({ kind }) => kind === now.kind);
    // A kind that appeared with the write has had nothing public before.
    const known = then ?? (before.unread.length === 0 ? NOTHING : undefined);
    if (known === undefined) continue;
    if (known.hasScheduled !== now.hasScheduled) {
      unread.add(`type ${now.kind} (its list shows scheduled ones once and once not)`);
      continue;
    }
    const { items, more, less } = compared(known, now);
    found.push(...items);
    if (more > 0) unseen.push({ kind: now.kind, count: more });
    if (less > 0) fewer.push({ kind: now.kind, count: less });
  }
  return { items: found, unseen, fewer, unread: [...unread] };
}

const NOTHING: Known = { items: [], total: 0, hasScheduled: true, siteNow: 0 };

type Known = Omit<PublicKind, "kind">;

const holdsAll = ({ items, total }: Known) =>
  total === null ? items.length < LIMITS.PUBLIC_ITEMS : total <= LIMITS.PUBLIC_ITEMS;

function compared(then: Known, now: PublicKind) {
  const known = new Map(then.items.map((one) => [one.id, one]));
  const isWhole = holdsAll(then);
  const oldest = then.items.map(({ modified }) => modified ?? "").sort()[0] ?? "";
  const grown = then.total === null || now.total === null ? null : now.total - then.total;
  // Where a list does not hold all, what is new to it may have been public before, and edited since.
  const unknown = isWhole || grown === null || grown > 0 ? "live" : "changed";
  const items: LiveItem[] = [];
  let added = 0;
  for (const item of now.items) {
    const before = known.get(item.id);
    // What moved up because others left the list was last changed no later than all that stood there.
    if (before === undefined && !isWhole && (item.modified ?? "") <= oldest) continue;
    if (before === undefined) added++;
    const how = before
      ? howChanged(before, item, now.siteNow)
      : item.state === "scheduled"
      ? "scheduled"
      : unknown;
    if (how !== null) items.push({ ...shown(item), kind: now.kind, how });
  }
  const isAllShown = isWhole && holdsAll(now);
  if (isAllShown) return { items: [...items, ...gone(then, now)], more: 0, less: 0 };
  return { items, more: Math.max(0, (grown ?? 0) - added), less: Math.max(0, -(grown ?? 0)) };
}

/** What was published, and stands in the list no more. */
function gone({ items }: Known, now: PublicKind): LiveItem[] {
  const left = new Set(now.items.map(({ id }) => id));
  return items.filter(({ id, state }) => state === "published" && !left.has(id))
    .map((item) => ({ ...shown(item), kind: now.kind, how: "gone" }));
}

/** Of what was scheduled or public before; null where it is as it was. */
function howChanged(before: PublicItem, item: PublicItem, siteNow: number): LiveItem["how"] | null {
  if (item.state === "scheduled") {
    return before.state === "scheduled" && before.date === item.date ? null : "scheduled";
  }
  if (before.state === "scheduled") {
    const isDue = item.date !== null && item.date === before.date && Date.parse(item.date) <= siteNow;
    return isDue ? "due" : "live";
  }
  return before.modified === item.modified && before.address === item.address ? null : "changed";
}

const ADDRESS_CHARACTERS = 300;

const shown = ({ id, address, date }: PublicItem) => ({ id, date, address: plainAddress(address) });

/** An address as it may stand in a sentence; empty where it is none. */
export function plainAddress(address: string): string {
  const url = URL.parse(address);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "";
  return isPlain ? url.href.slice(0, ADDRESS_CHARACTERS) : "";
}
