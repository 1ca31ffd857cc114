/** What a request shows beside its texts: pictures, fetched from where they may be; documents to draw; where a preview is deployed. */
import { hash } from "node:crypto";
import { eachOf } from "../core/async.ts";
import { redactText } from "../core/credentials.ts";
import { GatewayError } from "../core/errors.ts";
import type { Site } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import type { Capability } from "../platforms/_connector/connector.ts";
import type { ImagesClient } from "../platforms/_content/images.ts";
import type { Incoming } from "../platforms/_http/request.ts";
import type {
  ApprovalViews,
  ApprovalViewsPort,
  Approver,
  DeploymentReport,
  PictureReport,
  ServedPicture,
  ShownApproval,
} from "../registry/approval_reports.ts";
import { carriedDocuments, drawnDocument } from "../rules/drawn_document.ts";
import {
  changedPictures,
  endsAsPicture,
  type PictureChange,
  type PictureRef,
  pictureType,
  plannedBytes,
  sentBytes,
  sentPictures,
} from "../rules/pictures.ts";
import type { Store } from "../store/store.ts";
import type { ApprovalDesk } from "./approvals.ts";
import { type ConnectorPorts, makeConnectorContext } from "./connector_context.ts";

/** What it depends on. */
export interface ApprovalViewsPorts extends ConnectorPorts {
  readonly store: ConnectorPorts["store"] & { readonly sites: Pick<Store["sites"], "get" | "secret"> };
  readonly desk: Pick<ApprovalDesk, "kept" | "show">;
  /** Knows images of a library by their ids. */
  readonly images: Capability<ImagesClient>;
}

/** What is asked of whoever hosts a site. */
interface Hosting {
  preview(limitMs: number, commit_sha?: string): Promise<Omit<DeploymentReport, "site_id"> | null>;
}

/** Connectors: what reads a site as its visitors do, and what reads what anybody may read; the link to whoever hosts a site. */
const OF_VISITORS = "visitor";
const OF_ANYBODY = "web";
const HOSTING = "hosting";

/** A page shows no more pictures; their texts name them all. */
/** A text of so many characters without styles of its own is a few lines. */
const SHORT_CHARACTERS = 300;
const PICTURES_MAX = 24;
const PICTURE_BYTES = 8 * 1024 * 1024;
const PICTURE_MS = 8000;
const LIBRARY_MS = 4000;
const LIBRARY_AT_ONCE = 4;
/** So many pictures are read at once, of all requests; of one person so many, and so many more wait for their turn. */
const READS_AT_ONCE = 6;
const READS_OF_ONE = 3;
const WAITING_OF_ONE = 2 * PICTURES_MAX;
const HOPS_MAX = 3;
const HOSTING_MS = 2500;
const HOSTED_MAX = 5;
/** Requests whose pictures are known without planning them anew. */
const KNOWN_REQUESTS = 200;
const NAME_CHARACTERS = 20;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const ACCEPT = "image/avif,image/webp,image/png,image/jpeg,image/gif";

/** Where a picture can be had. */
type Source =
  | { readonly kind: "own"; readonly site_id: string; readonly address: string }
  | { readonly kind: "taken"; readonly address: string; readonly planned: readonly string[] }
  | { readonly kind: "sent"; readonly sha256: string };

type Taken = Extract<Source, { kind: "taken" }>;

/** What is said of a picture, and where it can be had. */
type Found = Omit<PictureReport, "name"> & { readonly source: Source | null };

const nameOf = (source: Source): string => hash("sha256", JSON.stringify(source)).slice(0, NAME_CHARACTERS);

const noSuch = () => new GatewayError("E_NOT_FOUND", "The request names no such picture, or waits no more");

/** The pictures, documents and previews of the requests of one gateway. */
export class Views implements ApprovalViewsPort {
  /** What the pages of requests have named, by request; the oldest first. */
  readonly #known = new Map<string, ReadonlyMap<string, Source>>();
  readonly #reads = new Reads();

  constructor(private readonly ports: ApprovalViewsPorts) {}

  async of(shown: ShownApproval): Promise<ApprovalViews> {
    const isMade = commitOf(shown) !== undefined;
    const sites = shown.preview === null && !isMade ? [] : await this.#sitesOf(shown);
    const [pictures, deployments] = await Promise.all([
      this.#pictures(shown, sites),
      this.#deployments(sites, commitOf(shown)),
    ]);
    const documents = carriedDocuments(shown.arguments).map(({ field, title, html, css }, number) => ({
      number,
      field,
      title: title === null ? null : redactText(title),
      is_short: css === "" && html.length <= SHORT_CHARACTERS,
    }));
    return { ...pictures, documents, deployments };
  }

  async picture(approver: Approver, id: string, name: string): Promise<ServedPicture> {
    const { arguments: args } = await this.ports.desk.kept(approver, id);
    let source = this.#known.get(id)?.get(name);
    if (source === undefined) {
      // Another instance has shown the page, or this one long ago.
      const shown = await this.ports.desk.show(approver, id, { whole: true });
      await this.#pictures(shown, await this.#sitesOf(shown));
      source = this.#known.get(id)?.get(name);
    }
    if (source === undefined) throw noSuch();
    const bytes = source.kind === "sent"
      ? decoded(sentBytes(args, source.sha256))
      : await this.#reads.inTurn(approver.actor.owner_user_id ?? approver.actor.token_id, () =>
        this.#read(source));
    const type = pictureType(bytes);
    if (type !== null) return { type, bytes };
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      "What is there is no PNG, JPEG, GIF, WebP or AVIF by its first bytes, and is not shown",
    );
  }

  #read(source: Exclude<Source, { kind: "sent" }>): Promise<Uint8Array<ArrayBuffer>> {
    return source.kind === "own" ? this.#ofSite(source) : this.#anywhere(source);
  }

  async document(approver: Approver, id: string, number: number, as: "drawn" | "code"): Promise<string> {
    const { arguments: args } = await this.ports.desk.kept(approver, id);
    const found = carriedDocuments(args)[number];
    if (found === undefined) throw new GatewayError("E_NOT_FOUND", "The request carries no such page");
    const page = { ...found, html: redactText(found.html), css: redactText(found.css) };
    if (as === "drawn") return await drawnDocument(page);
    return page.css === "" ? page.html : `${page.html}\n\n/* css */\n\n${page.css}`;
  }

  async #sitesOf({ approval, preview, arguments: args }: ShownApproval): Promise<readonly Site[]> {
    if (preview === null && approval.state !== "approved") return [];
    const own = typeof args?.["site_id"] === "string" ? [args["site_id"]] : [];
    const ids = [...new Set([...own.filter((id) => approval.sites.includes(id)), ...approval.sites])];
    return (await Promise.all(ids.map((id) => this.ports.store.sites.get(id)))).filter((one) => one !== null);
  }

  /** Finds the pictures of a plan, and keeps where they can be had. */
  async #pictures(
    { approval, preview, arguments: args }: ShownApproval,
    sites: readonly Site[],
  ): Promise<Pick<ApprovalViews, "pictures" | "more">> {
    if (preview === null) return { pictures: [], more: 0 };
    const items = (preview.items ?? []) as readonly Readonly<Record<string, unknown>>[];
    const siteOf = (field: string) => {
      const item = items.find(({ item }) => field.startsWith(`item ${item}: `));
      return sites.find(({ id }) => id === item?.["site_id"]) ?? sites[0];
    };
    const all = [...changedPictures(preview.changes), ...sentPictures(args)];
    const { kept, more } = withinMost(all);
    const planned = plannedBytes(preview.changes);
    const sources = new Map<string, Source>();
    const asked = new Map<string, Promise<Found>>();
    const told = async (change: PictureChange, ref: PictureRef): Promise<PictureReport> => {
      const site = siteOf(change.field);
      const key = JSON.stringify([site?.id, ref]);
      const found = asked.get(key) ??
        (ref.kind === "taken" ? Promise.resolve(takenFrom(ref, planned)) : this.#found(ref, site, sites));
      asked.set(key, found);
      const { source, ...report } = await found;
      if (source === null) return { ...report, name: null };
      const name = nameOf(source);
      sources.set(name, source);
      return { ...report, name };
    };
    const pictures = await eachOf(kept, LIBRARY_AT_ONCE, async (change) => ({
      field: change.field,
      now: await Promise.all(change.now.map((ref) => told(change, ref))),
      then: await Promise.all(change.then.map((ref) => told(change, ref))),
    }));
    this.#keep(approval.id, sources);
    return { pictures, more };
  }

  #keep(id: string, sources: ReadonlyMap<string, Source>): void {
    // A page that is open already may name others.
    const before = [...this.#known.get(id) ?? []].slice(-PICTURES_MAX);
    this.#known.delete(id);
    this.#known.set(id, new Map([...before, ...sources]));
    if (this.#known.size > KNOWN_REQUESTS) this.#known.delete(this.#known.keys().next().value!);
  }

  /** Where a picture can be had, and what is said of it. */
  async #found(
    ref: Exclude<PictureRef, { kind: "taken" }>,
    site: Site | undefined,
    sites: readonly Site[],
  ): Promise<Found> {
    if (ref.kind === "media") return await this.#ofLibrary(ref.id, site, sites);
    const { alt } = ref;
    if (ref.kind === "sent") return { ...{ alt, address: null, why: null }, source: ref };
    const { address } = ref;
    if (address.startsWith("data:")) {
      return { alt, address: null, why: "it stands within the text itself", source: null };
    }
    const url = URL.parse(address, site?.base_url ?? undefined);
    const owner = url && sites.find(({ base_url }) => URL.parse(base_url ?? "")?.origin === url.origin);
    if (url === null || !owner) {
      return { alt, address, why: "it is not at the site's own address", source: null };
    }
    if (url.pathname.toLowerCase().endsWith(".svg")) {
      return { alt, address, why: "it is an SVG, which can hold script", source: null };
    }
    // What stands behind such a name only says how old the file is, or how large it is wanted.
    if (endsAsPicture(url)) url.search = "";
    url.hash = "";
    return { alt, address, why: null, source: { kind: "own", site_id: owner.id, address: url.href } };
  }

  /** The newest preview of each of those sites, or that of a commit, where it is known and can be linked. */
  async #deployments(sites: readonly Site[], commit_sha?: string): Promise<DeploymentReport[]> {
    const hosting = this.ports.connectors.links.get(HOSTING);
    const hosted = sites.filter(({ hosting_project }) => hosting_project !== null).slice(0, HOSTED_MAX);
    if (hosting?.connect === undefined) return [];
    const all = await Promise.all(hosted.map(async (site): Promise<DeploymentReport[]> => {
      const deadline = this.ports.now() + HOSTING_MS;
      try {
        const ctx = makeConnectorContext(this.ports, { site, caller: null, deadline }, hosting);
        const found = await (await hosting.connect!(ctx) as Hosting).preview(HOSTING_MS, commit_sha);
        return found === null ? [] : [{ site_id: site.id, ...found }];
      } catch (thrown) {
        // A link stands there only where it is known.
        if (thrown instanceof GatewayError) return [];
        throw thrown;
      }
    }));
    return all.flat();
  }

  async #ofLibrary(id: string | number, site: Site | undefined, sites: readonly Site[]) {
    const without = (why: string) => ({ address: null, alt: null, why, source: null });
    const provider = site && this.ports.connectors.provider(site.platform, this.ports.images);
    if (!site || !provider) return without(`image ${id} of the library, which cannot be asked`);
    const deadline = this.ports.now() + LIBRARY_MS;
    try {
      const ctx = makeConnectorContext(this.ports, { site, caller: null, deadline }, provider.connector);
      const client = await provider.provision.connect(ctx) as ImagesClient;
      const { url, alt_text } = await client.get(id as Parameters<ImagesClient["get"]>[0]);
      return await this.#found({ kind: "address", address: url, alt: alt_text }, site, sites);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      return without(`image ${id} of the library: ${thrown.message}`);
    }
  }

  /** From the site's own origin, as its visitors get it; each hop is judged as the first address is. */
  async #ofSite({ site_id, address }: Extract<Source, { kind: "own" }>): Promise<Uint8Array<ArrayBuffer>> {
    const site = await this.ports.store.sites.get(site_id);
    if (site === null) throw noSuch();
    const deadline = this.ports.now() + PICTURE_MS;
    const ctx = this.#reader(OF_VISITORS, site, deadline);
    for (let at = address, hop = 0; hop <= HOPS_MAX; hop++) {
      const answer = await ctx.send({ ...reading(at), redirects: "answered" });
      const to = REDIRECTS.includes(answer.status) ? answer.headers.get("location") : null;
      if (to === null) return had(answer);
      at = URL.parse(to, at)?.href ?? to;
    }
    throw new GatewayError("E_UPSTREAM", "Its address leads on and on", { upstream: 502 });
  }

  /** From an address that the call itself would take it from, as that would; what the plan has found there alone. */
  async #anywhere({ address, planned }: Taken): Promise<Uint8Array<ArrayBuffer>> {
    const deadline = this.ports.now() + PICTURE_MS;
    const ctx = this.#reader(OF_ANYBODY, null, deadline);
    const bytes = had(await ctx.send({ ...reading(address), public_only: true }));
    if (planned.includes(hash("sha256", bytes))) return bytes;
    throw new GatewayError(
      "E_STALE_PREVIEW",
      "Its address answers another picture than the plan found there; open the request again",
    );
  }

  #reader(name: string, site: Site | null, deadline: number) {
    const connector = this.ports.connectors.get(name);
    if (!connector) throw new GatewayError("E_INTERNAL", `There is no connector "${name}"`);
    return makeConnectorContext(this.ports, { site, caller: null, deadline }, connector);
  }
}

/** Whose turn it is to have a picture read: nobody keeps all others from it. */
class Reads {
  /** How many are read now, by whom. */
  readonly #reading = new Map<string, number>();
  readonly #waiting: { readonly who: string; readonly go: () => void }[] = [];

  /** Throws E_RATE_LIMITED where too many of that person wait already. */
  async inTurn<T>(who: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.filter((one) => one.who === who).length >= WAITING_OF_ONE) {
      throw new GatewayError(
        "E_RATE_LIMITED",
        "Too many pictures are being fetched for you; reload it later",
        {
          retryAfter: PICTURE_MS / 1000,
        },
      );
    }
    if (this.#isFree(who)) this.#count(who, 1);
    else await new Promise<void>((go) => this.#waiting.push({ who, go }));
    try {
      return await work();
    } finally {
      this.#count(who, -1);
      const at = this.#waiting.findIndex((one) => this.#isFree(one.who));
      for (const next of at < 0 ? [] : this.#waiting.splice(at, 1)) {
        this.#count(next.who, 1);
        next.go();
      }
    }
  }

  #isFree(who: string): boolean {
    const all = this.#reading.values().reduce((sum, one) => sum + one, 0);
    return all < READS_AT_ONCE && (this.#reading.get(who) ?? 0) < READS_OF_ONE;
  }

  #count(who: string, more: number): void {
    const count = (this.#reading.get(who) ?? 0) + more;
    if (count > 0) this.#reading.set(who, count);
    else this.#reading.delete(who);
  }
}

/** What the call itself takes from an address: only what its plan has found there is shown, for that is what is set. */
function takenFrom(
  { address, alt }: Extract<PictureRef, { kind: "taken" }>,
  planned: readonly string[],
): Found {
  if (planned.length > 0) {
    return { ...{ address, alt, why: null }, source: { kind: "taken", address, planned } };
  }
  const why = "the plan, as it is shown here, takes no picture from there";
  return { address, alt, why, source: null };
}

/** The commit that a request has made; undefined where it waits. */
function commitOf({ approval, answer }: ShownApproval): string | undefined {
  if (approval.state !== "approved") return undefined;
  const made = isFields(answer) ? answer["commit_sha"] : undefined;
  return typeof made === "string" && made !== "" ? made : undefined;
}

const reading = (url: string) =>
  ({
    method: "GET",
    url,
    effect: "read",
    once: true,
    headers: { accept: ACCEPT },
    max_bytes: PICTURE_BYTES,
  }) as const;

function had({ status, bytes }: Incoming): Uint8Array<ArrayBuffer> {
  if (status === 200) return bytes;
  throw new GatewayError("E_UPSTREAM", `Its address answers ${status} to a visitor`, { upstream: status });
}

function decoded(base64: string | null): Uint8Array<ArrayBuffer> {
  try {
    if (base64 !== null) return Uint8Array.fromBase64(base64);
  } catch {
    // what the call would refuse as well
  }
  throw noSuch();
}

/** As many as a page shows, those of each field together. */
function withinMost(all: readonly PictureChange[]): { kept: readonly PictureChange[]; more: number } {
  let room = PICTURES_MAX;
  const count = (changes: readonly PictureChange[]) =>
    changes.reduce((sum, { now, then }) => sum + now.length + then.length, 0);
  const kept = all.map(({ field, now, then }) => {
    const first = now.slice(0, Math.ceil(room / 2));
    const second = then.slice(0, room - first.length);
    room -= first.length + second.length;
    return { field, now: first, then: second };
  }).filter((one) => count([one]) > 0);
  return { kept, more: count(all) - count(kept) };
}
