/** What becomes of each tool that a site's own server lists: offered, approved, held back, refused or hidden, and why. */
import type { Site } from "../../core/model.ts";
import type { ProxyClass, ProxyEffect } from "../../platforms/tool_servers/types.ts";
import type { Proxies, ToolState } from "../../registry/proxies.ts";
import { neverRun, skeleton } from "../../rules/proxied/names.ts";
import { LOST_PIN } from "./pins.ts";
import type { CatalogTool, ToolCatalog, ToolDecision, ToolPins } from "../../store/store.ts";

/** A tool of a server, whichever site has it. */
export interface Judgement {
  /** The name it is or would be served under. */
  readonly name: string;
  readonly listed: CatalogTool;
  readonly state: ToolState;
  /** Why it is held back, refused or hidden; null for the others. */
  readonly reason: string | null;
  /** Its class where it is called, or what the manifest says of it; null where nobody has chosen one. */
  readonly class: ProxyClass | null;
  /** The hash that it was pinned or approved under; null where it never was. */
  readonly pinned: string | null;
  readonly decision: ToolDecision | null;
}

/** A tool of one server of one site. */
export interface JudgedTool extends Judgement {
  /** The same object for all sites of which the same holds. */
  readonly judgement: Judgement;
  readonly catalog: ToolCatalog;
}

/** What names are taken by. */
export interface Taken {
  /** The gateway's own tools. */
  readonly builtIn: ReadonlySet<string>;
  readonly all: readonly Proxies[];
}

/** Where a site's servers of a source stand; null where the site has none. */
export function placeOf(site: Site, { kinds, credential, boundTo }: Proxies): string | null {
  const held: readonly string[] = site.credentials;
  if (!kinds.includes(site.platform) || !held.includes(credential)) return null;
  const place = (site as unknown as Readonly<Record<string, unknown>>)[boundTo];
  return typeof place === "string" && place !== "" ? place : null;
}

/** What of a tool is known before anything was decided on it. */
type Verdict = Pick<Judgement, "state" | "reason" | "pinned">;

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** What a judgement depends on beside what is known of names. */
export interface Case {
  readonly tools: readonly CatalogTool[];
  readonly pins: ToolPins;
  /** What was decided where the server stands, by the server's name for a tool. */
  readonly decisions: ReadonlyMap<string, ToolDecision>;
  /** Why tools are held back on the site, by the name they are served under, at whichever of its servers. */
  readonly withdrawn: ReadonlyMap<string, string>;
}

/** Judges the tools of a server. */
export class Judge {
  readonly #taken: Taken;
  /** Names that a reader could take another one for. */
  readonly #looks: ReadonlyMap<string, string>;

  constructor(taken: Taken) {
    this.#taken = taken;
    const names = [...taken.builtIn, ...taken.all.flatMap(({ known }) => [...known.keys()])];
    this.#looks = new Map(names.map((name) => [skeleton(name), name]));
  }

  /** The tools of one server, one after another in their order. */
  *judge(proxies: Proxies, { tools, pins, decisions, withdrawn }: Case): Generator<Judgement> {
    const seen = new Map<string, string>();
    for (const listed of tools) {
      const name = proxies.servedName(listed.name);
      const other = seen.get(name);
      if (other === undefined) seen.set(name, listed.name);
      const decision = decisions.get(listed.name) ?? null;
      const twice = other === undefined ? null : `its server lists it as ${JSON.stringify(other)} too`;
      const verdict = this.#refused(proxies, name, listed) ??
        (twice === null
          ? approval(proxies, { name, listed, pins, decision, gone: withdrawn.get(name) })
          : refuse(twice));
      yield { name, listed, decision, class: classOf(proxies, name, listed, decision), ...verdict };
    }
  }

  /** Why the tool can be offered by nobody's approval; null where it can. */
  #refused(proxies: Proxies, name: string, { fault, name: upstream }: CatalogTool): Verdict | null {
    if (!NAME.test(upstream) || !NAME.test(name)) {
      return refuse("its name has more than 128 characters, or others than letters, digits, _, - and .");
    }
    const never = neverRun(upstream) ?? neverRun(name);
    if (never !== null) return { state: "hidden", reason: never.because, pinned: null };
    if (this.#taken.builtIn.has(name)) return refuse("the gateway has a tool of that name itself");
    const other = this.#taken.all.find((one) => one !== proxies && one.known.has(name));
    if (other) return refuse(`the name is one of the tools of source "${other.source}"`);
    const known = proxies.known.has(name);
    const like = this.#looks.get(skeleton(name));
    if (!known && like !== undefined && like !== name) return refuse(`its name looks like "${like}"`);
    return fault === null ? null : refuse(fault);
  }
}

const refuse = (reason: string): Verdict => ({ state: "refused", reason, pinned: null });

const held = (reason: string, pinned: string | null = null): Verdict => ({ state: "held", reason, pinned });

/** Why a decision holds a tool back, whatever it is. */
export const heldBy = ({ verdict, at, why }: Pick<ToolDecision, "verdict" | "at" | "why">): string =>
  verdict === "withdrawn"
    ? `withdrawn: an operator took it away at ${at}`
    : verdict === "held"
    ? `published: a call at ${at} ${
      why ?? "made something public"
    }, which was not allowed. Read it with tool-server show: ` +
      "tool-server approve lets it through again, tool-server withdraw takes it away"
    : "what was decided of it is damaged in the store and cannot be read: approve it, or withdraw it, again";

/** What an operator decided, or else what is known of the name. */
function approval(
  proxies: Proxies,
  { name, listed, pins, decision, gone }: Pick<Judgement, "name" | "listed" | "decision"> & {
    readonly pins: ToolPins;
    readonly gone: string | undefined;
  },
): Verdict {
  if (decision) {
    const { verdict, hash: pinned, at } = decision;
    if (verdict !== "approved") return held(heldBy(decision), pinned);
    if (pinned === listed.hash) return { state: "approved", reason: null, pinned };
    return held(`changed: it is not what was approved at ${at}`, pinned);
  }
  if (gone !== undefined) return held(gone);
  if (!proxies.known.has(name)) return held("new: no operator has approved it");
  const pinned = Object.hasOwn(pins, listed.name) ? pins[listed.name]! : null;
  if (pinned === listed.hash) return { state: "offered", reason: null, pinned };
  if (pinned === LOST_PIN) {
    return held("what it was when it was first seen is damaged in the store and cannot be read any more");
  }
  return held("changed: it is not what it was when it was first seen", pinned);
}

/** The class that the manifest or the operator gave it, made stricter by its name and hints. */
function classOf(
  proxies: Proxies,
  name: string,
  { tool }: CatalogTool,
  decision: ToolDecision | null,
): ProxyClass | null {
  const known = proxies.known.get(name);
  const isClassed = decision?.verdict === "approved" || decision?.verdict === "held";
  const given = known ?? (isClassed ? decided(decision) : null);
  if (given === null) return null;
  const { writes, effect, page } = given;
  const own: ProxyClass = { writes, effect, ...(page === undefined ? {} : { page }) };
  return proxies.strictest(own, name, tool?.hints ?? {});
}

const decided = ({ writes, effect, page }: ToolDecision): ProxyClass => ({
  writes,
  effect: effect as ProxyEffect,
  ...(page === null ? {} : { page }),
});
