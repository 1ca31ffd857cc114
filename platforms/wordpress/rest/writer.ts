/** Writing a post or page: what goes live with it, the write that overwrites nothing else, and what it left behind. */
import { GatewayError } from "../../../core/errors.ts";
import type { Moment } from "../../../rules/schedule.ts";
import type { Updated, Written } from "../../_content/post.ts";
import type { PublishGrant } from "../../_http/request.ts";
import { stale, writeGuarded } from "../companion/guarded.ts";
import { SEO_ROBOTS, SEO_TEXTS, type SeoFields } from "../seo/names.ts";
import { builderTold } from "./builders.ts";
import {
  CONTENT,
  CONTENT_FIELDS,
  type ContentRecord,
  type Kind,
  plainName,
  plainSlug,
  type PostState,
  statusWord,
  utc,
} from "./records.ts";
import {
  datedAt,
  LIVE_TOO,
  partsNow,
  readPlainState,
  readState,
  type StateRead,
  type StateSnapshot,
  toSnapshot,
  values,
  WHOLE,
} from "./snapshot.ts";
import { type SlugToBe, slugWarnings } from "./slugs.ts";
import { changedBeside } from "./warnings.ts";
import type { WordPressClient } from "./wordpress_client.ts";

/** How the site makes the address of a post. */
export interface AddressRule {
  /** With `%postname%` or `%pagename%` in the place of the slug; dates in it are those of the draft. */
  readonly template: string;
  /** As far as the site tells, free of what other posts have. */
  readonly slug: string;
  /** The site's own time of the draft's date, without a zone, and the same in UTC; null where that is not known. */
  readonly dated: { readonly local: string; readonly utc: string } | null;
}

/** When a post goes live. */
export interface GoesLive {
  /** Milliseconds since the epoch; null where it keeps the date it has. */
  readonly at: number | null;
  /** The site's zone, an IANA name or an offset, where that is known. */
  readonly zone?: string | undefined;
}

/** An address to be. */
export interface Address {
  readonly url: string;
  /** The same without what the clock decides: what a revision holds. */
  readonly timeless: string;
  /** The day in it, by the site's clock; null for none, and where the day is decided already. */
  readonly day: string | null;
}

/** An address as people read it. */
export const readable = (url: string): string => plainSlug(url);

/** The address that rule gives to what goes live then. */
export function addressToBe({ template, slug, dated }: AddressRule, { at, zone }: GoesLive): Address {
  const named = (text: string) => readable(text.replace(/%(postname|pagename)%/, () => slug));
  const [year = "", month = "", day = ""] = dated?.local.slice(0, 10).split("-") ?? [];
  const written = new RegExp(`/${year}/(?:${month}/(?:${day}/)?)?`).exec(template)?.[0];
  if (!dated || written === undefined || at === null) {
    return { url: named(template), timeless: named(template), day: null };
  }
  const today = dayAt(at, zone) ?? dayAt(at + Date.parse(`${dated.local}Z`) - Date.parse(dated.utc), "UTC")!;
  const depth = written.split("/").length - 2;
  const then = `/${today.split("-").slice(0, depth).join("/")}/`;
  return {
    url: named(template.replace(written, then)),
    timeless: named(template.replace(written, "/(date)/")),
    day: today,
  };
}

/** `YYYY-MM-DD` there; null for a zone that is not known. */
function dayAt(at: number, zone: string | undefined): string | null {
  if (zone === undefined) return null;
  try {
    return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(at);
  } catch {
    return null; // a zone that this runtime does not know
  }
}

/** The state in the tools' words, with all that goes live at that moment, at once without one. */
export function seenLive(
  wire: WordPressClient,
  found: StateRead,
  { moment, zone, going }: {
    readonly moment?: Moment | undefined;
    readonly zone?: string | undefined;
    readonly going: SlugToBe | null;
  },
): StateSnapshot {
  const seen = toSnapshot(found);
  const date = datedAt(found);
  const keepsDate = moment === undefined && date !== null && Date.parse(date) <= wire.now();
  const address = addressOf(found, going, { at: keepsDate ? null : moment?.at ?? wire.now(), zone });
  return {
    ...seen,
    going: going?.slug,
    names: { ...namesOf(found), ...found.code, structured_data: found.guarded?.schema },
    ...address && { address: address.url, parts: { ...seen.parts, address: address.timeless } },
    warnings: [
      ...seen.warnings,
      ...contentWarnings(found),
      ...unreadWarnings(found.seo, wire.site.seo.enabled),
      ...addressWarnings(address, found, going, moment !== undefined),
    ],
  };
}

/** The people and terms behind the ids of a state, as far as they came along. */
function namesOf({ record, guarded }: StateRead): Record<string, unknown> {
  const { terms = [], author = null } = record._embedded ?? {};
  const all = guarded ? [...guarded.terms.tags, ...guarded.terms.categories] : terms;
  const names = new Map(all.map(({ id, name }) => [id, plainName(name)]));
  const named = (ids: readonly number[]) => ids.map((id) => names.get(id) ?? id);
  const { tags, categories, sticky, format } = record;
  return {
    // as they are told, never by the hash of one
    sticky: sticky || undefined,
    format: format === "standard" ? undefined : format,
    comments: undefined,
    tags: named(tags),
    categories: named(categories),
    author: guarded ? guarded.author : author,
  };
}

/** What to know of what visitors get beside or in place of its content. */
function contentWarnings({ record, code, guarded }: StateRead): string[] {
  const { led = null } = guarded ?? {};
  const built = builderTold(record) === "visual";
  return [
    ...code !== null && code.js.trim() !== ""
      ? ["js is script that runs in the browser of everyone who opens the page"]
      : [],
    ...led === null ? [] : [
      led.destination === ""
        ? `Visitors of its address are told that nothing is there (${led.status}), by a redirect of that address`
        : `Visitors of its address are led to ${led.destination} (${led.status}) by a redirect, and do not see it`,
    ],
    ...built
      ? [
        "It is made with the visual builder: what visitors see is not its content_html; look at it in the CMS",
      ]
      : [],
  ];
}

/** What visitors and search engines get of them. */
const SHOWN_TEXTS = SEO_TEXTS.filter((name) => name !== "focus_keyword");

/** What to know of the SEO fields that go live and could not be read; nothing where all were. */
function unreadWarnings(seo: SeoFields | null, enabled: boolean): string[] {
  const where = enabled ? "see them with get_seo_meta, or in the CMS" : "look at them in the CMS";
  const end = `were not read: ${where}; a change of them between this preview and the write is not noticed`;
  if (seo === null) {
    return [
      `The SEO fields that go live with it (title, description, canonical address, robots, social texts) ${end}`,
    ];
  }
  const unread = [
    ...SHOWN_TEXTS.filter((name) => seo[name] === null),
    ...SEO_ROBOTS.filter((name) => seo.robots[name] === null).map((name) => `robots.${name}`),
  ];
  return unread.length === 0 ? [] : [`Of the SEO fields that go live with it ${unread.join(", ")} ${end}`];
}

/** The address it gets, where the site tells how it makes them. */
function addressOf({ record, guarded }: StateRead, going: SlugToBe | null, live: GoesLive): Address | null {
  const { slug, date, permalink_template, generated_slug } = record;
  const rule = guarded
    ? guarded.address
    : permalink_template === undefined || generated_slug === undefined
    ? null
    : { template: permalink_template, slug: going?.slug ?? (slug || generated_slug) };
  if (rule === null) return null;
  const at = utc(record.date_gmt);
  return addressToBe(
    { ...rule, dated: date === undefined || at === null ? null : { local: date, utc: at } },
    live,
  );
}

/** What to know of that address. */
function addressWarnings(
  address: Address | null,
  { record, guarded }: StateRead,
  going: SlugToBe | null,
  waits: boolean,
): string[] {
  if (address === null) {
    return ["url is the draft's own: the site did not say which address visitors will find it at"];
  }
  const day = address.day === null || waits ? [] : [
    `Its address holds the date: it is this one only if it goes live on ${address.day} by the site's clock`,
  ];
  const taken = guarded || going || !record.permalink_template?.includes("%")
    ? []
    : ["Where another post or page has its slug by then, WordPress puts a number behind that in the address"];
  return [...day, ...slugWarnings(going), ...taken];
}

/** A sentence where visitors find it at another address than was shown. */
export function elsewhere({ address }: StateSnapshot, { link }: ContentRecord): string[] {
  if (address === undefined || address === readable(link)) return [];
  return [`url: visitors find it at ${readable(link)}, not at ${address}, which was expected`];
}

/** Parts that a write relies on beside those it replaces; "all" is everything a visitor would get. */
export type DependsOn = readonly string[] | "all";

/** States in which a post or page is public, to visitors or to those who sign in. */
const LIVE: ReadonlySet<string> = new Set(["publish", "private"]);

/** A write of a post or page that exists. */
export interface Change {
  readonly kind: Kind;
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly dependsOn: DependsOn;
  /** What the state read right before the write must be; throws what the state forbids. */
  readonly judge: (found: StateRead) => void;
  readonly grant?: PublishGrant;
}

/**
 * Writes fields of a post or page only while what they replace is as it was seen: in one request through the companion
 * plugin, else after the state was read right before the write. Throws E_STALE_PREVIEW, what `judge` refuses with, CmsError.
 */
export async function change(
  wire: WordPressClient,
  what: Change,
  seen?: StateSnapshot,
): Promise<ContentRecord> {
  const { kind, id, fields, dependsOn, judge, grant } = what;
  // Content that the builder took over, or that got code of its own, is another than was seen.
  const shown = "content" in fields ? ["builder", "code"] : [];
  const names = dependsOn === "all" ? null : new Set([...dependsOn, ...Object.keys(fields), ...shown]);
  const wanted = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names === null || names.has(name)));
  const telling = ({ record }: StateRead) => ({ grant, live: LIVE.has(record.status) });
  const first = seen ?? toSnapshot(await readState(wire, kind, id));
  if (first.read.guarded) {
    judge(first.read);
    const { hashes } = first.read.guarded;
    const written = await writeGuarded(wire, kind, id, wanted(hashes), fields, telling(first.read));
    if (written) return written;
  }
  const asked = dependsOn === "all" ? LIVE_TOO : WHOLE;
  const now = seen || first.read.guarded ? await readPlainState(wire, kind, id, asked) : first.read;
  requireUnchanged(kind, first.read, now, wanted);
  judge(now);
  return await wire.post(
    `wp/v2/${kind}/${id}`,
    { _fields: CONTENT_FIELDS },
    fields,
    CONTENT,
    telling(now),
  );
}

type Cut = <T>(all: Readonly<Record<string, T>>) => Readonly<Record<string, T>>;

/** Refuses what is not as it was seen any more: E_STALE_PREVIEW naming it, by whom and when where that is told. */
export function requireUnchanged(
  kind: Kind,
  before: StateRead,
  now: StateRead,
  wanted: Cut = (all) => all,
): void {
  const hashed = before.guarded !== null && now.guarded !== null;
  const builders = [before, now].every(({ record }) => builderTold(record) !== null);
  const along = [before, now].every(({ guarded, seo }) => guarded === null && seo !== null);
  const open = [before, now].every(({ record }) => record.password !== undefined);
  const both = new Set(Object.keys(before.beside).filter((name) => name in now.beside));
  const told = (seen: StateRead) => ({
    ...values(seen),
    ...Object.fromEntries(Object.entries(seen.beside).filter(([name]) => both.has(name))),
    ...open ? { password: seen.record.password } : {},
    ...builders ? { builder: builderTold(seen.record) } : {},
    ...along ? { seo: seen.seo } : {},
    ...hashed ? seen.guarded?.hashes : {},
  });
  const old: Readonly<Record<string, unknown>> = wanted<unknown>(told(before));
  const differ = Object.entries(wanted<unknown>(told(now)))
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])).map(([name]) => name);
  if (differ.length === 0) return;
  const changed = now.guarded?.changed ?? { by: null, at: utc(now.record.modified_gmt) };
  throw stale(kind, now.record.id, differ, changed);
}

/** A write's result in this gateway's words, with the differences that were found, and what it changed of other posts. */
export function written(wire: WordPressClient, state: PostState, differences: readonly string[]): Written {
  const all = [...differences, ...wire.changedElsewhere];
  return { id: state.id, status: statusWord(state.status), url: state.link, differences: all };
}

/** The same after a change of the state alone, everything else compared with what was seen, and the parts it has now. */
export function moved(
  wire: WordPressClient,
  before: StateSnapshot | undefined,
  after: ContentRecord,
): Updated {
  if (before === undefined) return written(wire, after, []);
  const told = before.going === after.slug ? { slug: after.slug } : {};
  const differences = changedBeside(before.read.record, after, { status: after.status, ...told });
  return { ...written(wire, after, differences), parts: partsNow(before.read, after) };
}

/**
 * What a read after a write gives. `done` says what was written. Throws E_UPSTREAM that says so where the read fails, with
 * what `published` says of the write then.
 */
export async function readBack<T>(
  wire: WordPressClient,
  done: string,
  read: (wire: WordPressClient) => Promise<T>,
  published: { readonly published?: null } = {},
): Promise<T> {
  try {
    return await read(wire.forCleanup());
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    throw new GatewayError(
      "E_UPSTREAM",
      `${done}, but could not be read back; look at it on the site before calling again`,
      { cause, upstream: 502, ...published },
    );
  }
}
