/** Looks around one proxied write to a WordPress whether something became public, and says what follows from it. */
import { parsed } from "../../core/content.ts";
import type { Change } from "../../core/model.ts";
import { publicContent, type PublicSnapshot } from "../_content/public_content.ts";
import {
  forbiddenSaid,
  listed,
  type LiveVerdict,
  type LiveWatch,
  mayPublish,
  NAMED_MAX,
  NOTHING,
} from "./live_verdict.ts";
import { NamedIds } from "./named_ids.ts";
import { PostedWatch } from "./posted_watch.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { Resolved } from "./resolved.ts";
import type { UpstreamResult } from "../tool_servers/types.ts";
import { type Difference, difference, type LiveItem } from "./went_live.ts";

const UNWATCHED: LiveWatch = { before: () => Promise.resolve(), after: () => Promise.resolve(NOTHING) };

/** The watch of a call: of a WordPress its lists, of a CRM what is said of the record. `page` is known not to be public. */
export function liveWatch(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  page: number | null,
): LiveWatch {
  if (!call.target.writes) return UNWATCHED;
  return call.target.ref.source === "cms"
    ? new Watch(call, ctx, ports, page)
    : new PostedWatch(call, ctx, ports);
}

class Watch implements LiveWatch {
  #before: PublicSnapshot = { kinds: [], unread: [] };

  constructor(
    readonly call: Resolved,
    readonly ctx: ProxyContext,
    readonly ports: ProxyPorts,
    readonly page: number | null,
  ) {}

  async before(): Promise<void> {
    this.#before = await (await this.ctx.use(publicContent)).snapshot();
  }

  async after(result: UpstreamResult | null): Promise<LiveVerdict> {
    const client = await this.ctx.use(publicContent);
    const after = await client.snapshot(true);
    const found = difference(this.#before, after);
    const named = this.#named(result);
    const own = found.items.filter((one) => named.has(one));
    const others = found.items.filter((one) => !own.includes(one));
    const { items, unseen } = await this.#resolved(found, named);
    return await this.#judged({ ...found, own: [...own, ...items], others, unseen });
  }

  /** What the call names, and what its answer does. */
  #named(result: UpstreamResult | null): NamedIds {
    const { args, targetArgs, pageId } = this.call;
    const texts = (result?.content ?? []).map((one) =>
      typeof one === "object" && one !== null && "text" in one ? parsed(String(one.text)) : one
    );
    return new NamedIds([args, targetArgs, pageId], [...texts, result?.structuredContent]);
  }

  /** Of more than the lists show: whether it is what the call names. */
  async #resolved({ items: known, unseen }: Difference, named: NamedIds) {
    const items: LiveItem[] = [];
    const left: Difference["unseen"][number][] = [];
    const client = await this.ctx.use(publicContent);
    for (const one of unseen) {
      // A page that was no public one when the call was planned is the likeliest.
      const ids = this.page === null ? named.ids : [this.page, ...named.ids];
      const public_ = await client.published(one.kind, ids) ?? [];
      const fresh = public_.filter(({ id }) =>
        !known.some((other) => other.id === id) && !this.#wasPublic(one.kind, id)
      );
      items.push(
        ...fresh.slice(0, one.count).map(({ id, address, date }) => ({
          id,
          kind: one.kind,
          address,
          date,
          how: "live" as const,
        })),
      );
      if (fresh.length < one.count) left.push({ ...one, count: one.count - fresh.length });
    }
    return { items, unseen: left };
  }

  #wasPublic(kind: string, id: number): boolean {
    const items = this.#before.kinds.find((one) => one.kind === kind)?.items ?? [];
    return items.some((one) => one.id === id && one.state === "published");
  }

  async #judged(found: Found): Promise<LiveVerdict> {
    const { ctx, call, ports } = this;
    const live = found.own.filter(isLive);
    const elsewhere = [...found.others.filter(isLive).map(deed), ...found.unseen.map(countOf)];
    const isAllowed = mayPublish(ctx);
    if (live.length > 0 || (isAllowed && elsewhere.length > 0)) ctx.annotate({ _published: true });
    else if (elsewhere.length > 0 || found.unread.length > 0) ctx.annotate({ _published: null });
    const changes = [...live, ...found.own.filter(isGone)].slice(0, NAMED_MAX).map(changeOf);
    const warnings = warningsOf({ ...found, elsewhere });
    if (live.length === 0 || isAllowed) return { warnings, changes, forbidden: null };
    return { warnings, changes, forbidden: await forbiddenSaid(call, ctx, ports, listed(live.map(deed))) };
  }
}

/** What the looks showed, by whether the call names it. */
interface Found extends Omit<Difference, "items"> {
  readonly own: readonly LiveItem[];
  readonly others: readonly LiveItem[];
}

const isGone = ({ how }: LiveItem) => how === "gone";
const isLive = ({ how }: LiveItem) => how === "live" || how === "changed";

const titled = ({ kind, id }: Pick<LiveItem, "kind" | "id">) => `${kind.replaceAll(/[_-]+/g, " ")} ${id}`;
const placed = ({ address }: LiveItem) => address === "" ? "" : ` (${address})`;

const deed = (item: LiveItem) =>
  item.how === "live"
    ? `made ${titled(item)} public${placed(item)}`
    : `changed ${titled(item)}${placed(item)}, which visitors see`;

const countOf = ({ kind, count }: Difference["unseen"][number]) =>
  `made ${count} more of type "${kind}" public or scheduled, under an older date`;

const changeOf = (item: LiveItem): Change => ({
  field: titled(item),
  from: item.how === "live" ? "not public" : "public",
  to: isGone(item)
    ? `not public${placed(item)}`
    : item.how === "live"
    ? `public${placed(item)}`
    : `public, and changed${placed(item)}`,
});

/** What visitors found before and find no more. */
function goneWarnings({ own, others, fewer }: Found): string[] {
  const elsewhere = [
    ...others.filter(isGone).map((one) => `took ${titled(one)}${placed(one)} from visitors`),
    ...fewer.map(({ kind, count }) => `left ${count} fewer of type "${kind}" public or scheduled`),
  ];
  return [
    ...own.filter(isGone).map((one) =>
      `${titled(one)} was public and is not any more${placed(one)}: look at it`
    ),
    ...(elsewhere.length === 0 ? [] : [notNamed(elsewhere)]),
  ];
}

const notNamed = (elsewhere: readonly string[]) =>
  `During the call something ${listed(elsewhere)}. The call does not name it, so it may be ` +
  "another person's work: look at it";

function warningsOf(found: Found & { readonly elsewhere: readonly string[] }): string[] {
  const { own, elsewhere, unread } = found;
  const due = own.filter(({ how }) => how === "due").map((one) =>
    `${titled(one)} went live during the call, by the date it was scheduled for${placed(one)}`
  );
  const scheduled = own.filter(({ how }) => how === "scheduled").map((one) =>
    `${titled(one)} is scheduled now: it goes live by itself at ${
      one.date ?? "a date that the site does not give"
    }`
  );
  const unchecked = `Whether the call made something public could not be checked for ${
    listed(unread)
  }: look at the site`;
  return [
    ...due,
    ...scheduled,
    ...(elsewhere.length === 0 ? [] : [notNamed(elsewhere)]),
    ...goneWarnings(found),
    ...(unread.length === 0 ? [] : [unchecked]),
  ];
}
