/** What a caller is told of a change set: what was shown, and what became of each item. */
import { counted, formOf } from "../../core/one_line.ts";
import type { Change, Tier } from "../../core/model.ts";
import { WriteResult } from "../../registry/write_result.ts";
import type { KeptSet, SetContent, SetItem, SetResult, SetState } from "../../store/store.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `interrupted`: it was begun, and nobody is at work on it. */
export type ToldState = SetState | "interrupted";

/** How far a set is. */
export interface Progress {
  readonly results: ReadonlyMap<number, SetResult>;
  /** Items that are under way. */
  readonly begun: ReadonlyMap<number, Pick<SetResult, "request_id">>;
  /** Whether some instance is at work on it. */
  readonly isAlive: boolean;
}

/** The state of a set as it is told. */
const stateOf = (
  { state }: Pick<KeptSet, "state">,
  { isAlive }: Pick<Progress, "isAlive">,
): ToldState => state === "running" && !isAlive ? "interrupted" : state;

/** Items by the sites that they are of, each in its order; those that touch several sites hold these together. */
export function bySite(items: readonly SetItem[]): readonly (readonly SetItem[])[] {
  const groups: SetItem[][] = [];
  for (const item of items) {
    const touched = groups.filter((group) =>
      group.some(({ sites }) => sites.some((one) => item.sites.includes(one)))
    );
    const [first = [], ...others] = touched;
    if (touched.length === 0) groups.push(first);
    first.push(...others.flat(), item);
    first.sort((a, b) => a.item - b.item);
    for (const one of others) groups.splice(groups.indexOf(one), 1);
  }
  return groups;
}

/** Why an item is not begun, by what became of the others; null where nothing keeps it back. */
export function whyNot(
  item: SetItem,
  group: readonly SetItem[],
  { on_failure, items }: Pick<SetContent, "on_failure" | "items">,
  results: ReadonlyMap<number, SetResult>,
): string | null {
  const isLost = (n: number) => {
    const result = results.get(n);
    return result !== undefined && result.state !== "done";
  };
  for (const from of Object.values(item.uses)) {
    if (isLost(from)) return `item ${from}, whose id it takes, was not done`;
    const made = results.get(from);
    if (made?.state === "done" && made.answer["id"] === undefined) {
      return `item ${from}, whose id it takes, has told none`;
    }
    const before = items.find((one) => one.item === from);
    const why = before && !results.has(from) ? whyNot(before, group, { on_failure, items }, results) : null;
    if (why !== null) return `item ${from}, whose id it takes, is not begun`;
  }
  if (item.follows != null && isLost(item.follows)) {
    return `item ${item.follows}, which it follows, was not done`;
  }
  if (on_failure === "continue") return null;
  const all = on_failure === "stop_all" ? items : group.filter((one) => one.item < item.item);
  const lost = all.find((one) => isLost(one.item));
  return lost === undefined ? null : `item ${lost.item} was not done, and on_failure is ${on_failure}`;
}

const NEXT: Readonly<Record<ToldState, string>> = {
  preparing: "Its items are still planned; call get_change_set again to see the preview",
  prepared:
    "Nothing was changed; it can be carried out with confirm: true and the confirm_token of its preview",
  running:
    "It goes on by itself; call get_change_set with wait_seconds to see how it ends, or cancel_change_set to begin nothing more",
  interrupted:
    "Nobody is at work on it; send the same confirmed call again, and what was not begun is done, never what is in doubt",
  ended: "It has ended; undo_change with set_id takes back what was done on a site",
};

const FINAL = "It has ended; nothing of it can be taken back, and its preview said why";
const isFinal = ({ items }: SetContent) => items.every(({ preview }) => preview["undoable"] !== true);

/** What became of a set. */
export function answerOf(kept: KeptSet, progress: Progress): Fields {
  const { set_id, content, failed, cancelled_at, token } = kept;
  const state = stateOf(kept, progress);
  const head = {
    set_id,
    ...content === null ? {} : { title: content.title },
    state,
    ...cancelled_at === null ? {} : { cancelled_at },
    ...failed === null ? {} : { stopped: failed },
  };
  if (content === null) return { ...head, next: failed ?? NEXT[state] };
  if (state === "prepared" && token !== null) return { ...head, ...previewOf(kept, content) };
  const items = itemsOf(content, kept, progress, state);
  const counts = Object.fromEntries(
    [...Map.groupBy(items, (one) => String(one["state"]))].map(([name, { length }]) => [name, length]),
  );
  return {
    ...head,
    ...summaryOf(content, counts),
    counts,
    items,
    next: state === "ended" && isFinal(content) ? FINAL : NEXT[state],
  };
}

/** Of a set that a person has approved in part: how much of it is done, and what is not of it. */
function summaryOf({ items, left_out = [] }: SetContent, { done = 0 }: Readonly<Record<string, number>>) {
  if (left_out.length === 0) return {};
  const names = left_out.map(({ item }) => item).join(", ");
  const of = items.length + left_out.length;
  return {
    summary: `${done} of ${counted(of, "item")} ${
      formOf(done, "is", "are")
    } done; who approved the set left out ${formOf(left_out.length, "item")} ${names}`,
  };
}

/** The preview of a set whose call could not wait for it. */
function previewOf({ token, sites }: KeptSet, content: SetContent): Fields {
  const { summary, changes, items, final } = shownOf(content, sites);
  const { tier, because } = highestOf(content);
  return {
    needs_confirmation: true,
    tier,
    summary,
    changes,
    items,
    undoable: final === null,
    ...final === null ? {} : { undoable_reason: final },
    warnings: [...because === null ? [] : [because], ...content.warnings],
    confirm_token: token!.text,
    expires_at: new Date(token!.expires_at).toISOString(),
    next:
      "Nothing was changed; to do it send the same call with confirm: true and this confirm_token before it expires",
  };
}

/** The tier of a set, which is the highest of its items, and whose that is where it is above an ordinary write's. */
export function highestOf({ items }: SetContent): { readonly tier: Tier; readonly because: string | null } {
  const [{ item, tool, shown }] = items.toSorted((a, b) => b.shown.tier - a.shown.tier) as [SetItem];
  const because = shown.tier > 1 ? `item ${item} is of tier ${shown.tier} (${tool})` : null;
  return { tier: shown.tier as Tier, because };
}

/** An item's preview without what says nothing: a set has many of them. */
const told = (preview: Fields): Fields =>
  Object.fromEntries(
    Object.entries(preview).filter(([, one]) => one !== null && !(Array.isArray(one) && one.length === 0)),
  );

/** What a preview shows of a set on sites of those names. */
export function shownOf({ title, items, left_out = [] }: SetContent, sites: readonly string[]) {
  const inOrder = bySite(items).flat();
  const final = items.filter(({ preview }) => preview["undoable"] !== true).map(({ item }) => item);
  return {
    summary: `${title}: ${counted(items.length, "change")} on ${
      sites.length === 1 ? sites[0] : `${sites.length} sites`
    }${left_out.length === 0 ? "" : `, ${left_out.length} left out`}`,
    changes: inOrder.flatMap(({ item, preview }) =>
      (preview["changes"] as readonly Change[]).map((change) => ({
        ...change,
        field: `item ${item}: ${change.field}`,
        ...change.text_of === undefined ? {} : { text_of: `item ${item}: ${change.text_of}` },
      }))
    ),
    items: inOrder.map(({ item, tool, preview: { changes: _, ...rest } }) => ({ item, tool, ...told(rest) })),
    final: final.length === 0
      ? null
      : `${formOf(final.length, "Item")} ${final.join(", ")} cannot be taken back: see ${
        formOf(final.length, "its undoable_reason", "the undoable_reason of each")
      }`,
  };
}

const LEFT_OUT = "Who approved the set left it out";

function itemsOf(content: SetContent, kept: KeptSet, progress: Progress, state: ToldState): Fields[] {
  const { results, begun } = progress;
  const groups = bySite(content.items);
  const left = (content.left_out ?? []).map((one) => ({ ...one, state: "left_out", reason: LEFT_OUT }));
  const told: (Fields & Pick<SetItem, "item">)[] = content.items.map((item) => {
    const { item: n, tool, site_id } = item;
    const named = { item: n, site_id, tool };
    const result = results.get(n);
    if (result !== undefined) {
      const { state, request_id, answer } = result;
      return { ...named, state, ...request_id === null ? {} : { request_id }, ...answer };
    }
    const under = begun.get(n);
    if (under !== undefined) {
      return { ...named, state: "unknown", request_id: under.request_id, reason: "It is under way" };
    }
    const group = groups.find((one) => one.includes(item))!;
    const why = whyNot(item, group, content, results) ??
      (kept.cancelled_at !== null ? "the set was cancelled" : state === "ended" ? kept.failed : null);
    return { ...named, state: "not_begun", ...why === null ? {} : { reason: why } };
  });
  return [...told, ...left].sort((a, b) => a.item - b.item).map(seenLater);
}

/** Of an item nobody looked at as a visitor: which later one of the set was looked at, where it is of the same thing. */
function seenLater(one: Fields, at: number, all: readonly Fields[]): Fields {
  if (one["live_reason"] === undefined || one["id"] === undefined) return one;
  const later = all.slice(at + 1).find((other) =>
    other["live"] != null && other["site_id"] === one["site_id"] && other["id"] === one["id"]
  );
  return later === undefined ? one : { ...one, live_reason: `item ${later["item"]} says what visitors get` };
}

/** What a set has done so far, as the answer of a write. */
export function written(answer: Readonly<Record<string, unknown>>): WriteResult {
  const all = (answer["items"] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const items = all.filter(({ state }) => state !== "left_out");
  const isOver = answer["state"] === "ended";
  const states = items.map((one) => one["state"]);
  const proofs = items.filter((one) => one["state"] === "done").map(({ verified }) => verified);
  if (isOver && (states.some((one) => one !== "done") || proofs.includes(false))) {
    return new WriteResult(answer, { verified: false, reason: null, warnings: warningsOf(items) });
  }
  const isProven = isOver && proofs.every((one) => one === true);
  const reason = isOver ? "Some items cannot be compared; each says why" : "The set has not ended yet";
  return new WriteResult(answer, {
    verified: isProven ? true : null,
    reason: isProven ? null : reason,
    warnings: warningsOf(items.filter(({ state }) => state === "done")),
  });
}

/** What of a set was not done, or is stored otherwise, and what its items warn of, a sentence each. */
const warningsOf = (items: readonly Readonly<Record<string, unknown>>[]): string[] =>
  items.flatMap(({ item, state, verified, error, reason, warnings }) => {
    const why = (error as { message?: string } | undefined)?.message ?? reason;
    const what = state === "done" ? "done, but not as it was asked for" : String(state).replace("_", " ");
    const said = (warnings ?? []) as readonly string[];
    return [
      ...state === "done" && verified !== false
        ? []
        : [`Item ${item}: ${what}${why == null ? "" : `, ${String(why)}`}`],
      ...said.map((one) => `Item ${item}: ${one}`),
    ];
  });
